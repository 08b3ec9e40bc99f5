"""The environment goes in, Django's settings come out; what differs between machines is a variable."""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import django_stubs_ext

from evalportal.embedded import places

# Lets `ModelForm[Run]` and its like stand in code that runs, not only in code that is type-checked.
django_stubs_ext.monkeypatch()
# More threads than one cost more than they give to the small matrices of the statistics.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

BASE_DIR = Path(__file__).resolve().parent.parent
VAR = places.default_var()
DEMO = os.environ.get("EVALPORTAL_DEMO") == "1"
DEBUG = os.environ.get("DEBUG") == "1"
HTTPS = os.environ.get("EVALPORTAL_HTTPS") == "1"
# How many proxies stand in front, each of which says whom it was asked by.
PROXIES = int(os.environ.get("EVALPORTAL_PROXIES") or HTTPS)


def _secret_key() -> str:
    """Take the key from the environment, or keep one of our own under var/."""
    if key := os.environ.get("SECRET_KEY"):
        return key
    path = VAR / "secret_key"
    if not path.exists():
        _keep_secret_key(path)
    return path.read_text()


def _keep_secret_key(path: Path) -> None:
    """Write a key beside its final name: of several commands that start at once, all read the first one's."""
    places.make_var(VAR)
    with tempfile.NamedTemporaryFile("w", dir=VAR, prefix="secret_key.") as file:
        file.write(secrets.token_urlsafe(48))
        file.flush()
        with suppress(FileExistsError):
            os.link(file.name, path)


def _database(url: str) -> dict[str, Any]:
    """Read `postgresql://user:password@host:port/name?option=value`; the host may be a socket's folder."""
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", unquote(parts.hostname or "")),
        "PORT": options.pop("port", str(parts.port or "")),
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"connect_timeout": 5, **options},
    }


SECRET_KEY = _secret_key()
ALLOWED_HOSTS = (os.environ.get("ALLOWED_HOSTS") or "127.0.0.1,localhost,[::1]").split(",")
CSRF_TRUSTED_ORIGINS = [origin for origin in os.environ.get("CSRF_TRUSTED_ORIGINS", "").split(",") if origin]
ROOT_URLCONF = "evalportal.urls"
WSGI_APPLICATION = "evalportal.wsgi.application"

INSTALLED_APPS = [
    "evalportal",
    "scoring",
    "reviews",
    "django_htmx",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django.forms",
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "evalportal.middleware.content_security_policy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "evalportal.middleware.largest_body",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "evalportal.navigation.navigation",
            ],
            "builtins": ["evalportal.templatetags.portal"],
        },
    }
]

# Nothing listens there: whoever forgets to provide a database reads the name in the error.
DATABASES = {
    "default": _database(os.environ.get("DATABASE_URL", "postgresql://localhost:1/DATABASE_URL-is-not-set"))
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "evalportal.Person"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "sign-in"
INVITATION_DAYS = 7
PASSWORD_RESET_TIMEOUT = INVITATION_DAYS * 24 * 3600

LANGUAGE_CODE = "en-gb"
TIME_ZONE = os.environ.get("TIME_ZONE") or "Asia/Singapore"
USE_TZ = True
USE_THOUSAND_SEPARATOR = False

STATIC_URL = "static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "evalportal.vendor.VendorFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

WHITENOISE_KEEP_ONLY_HASHED_FILES = True

# Uploads go through the disk in pieces, never through memory, and end in the database.
FILE_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024
FILE_UPLOAD_TEMP_DIR = os.environ.get("EVALPORTAL_TEMP")
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
MAX_UPLOAD_BYTES = int(os.environ.get("EVALPORTAL_MAX_UPLOAD_MB") or 512) * 1024 * 1024

SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

EMAIL_BACKEND = (
    "django.core.mail.backends.smtp.EmailBackend"
    if os.environ.get("EMAIL_HOST")
    else "django.core.mail.backends.dummy.EmailBackend"
)
EMAIL_HOST = os.environ.get("EMAIL_HOST") or "localhost"
EMAIL_PORT = int(os.environ.get("EMAIL_PORT") or 25)
EMAIL_HOST_USER = os.environ.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = os.environ.get("EMAIL_USE_TLS") == "1"
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL") or "evalportal@localhost"

# Tell reviewers when answers wait for them: on every page, and by e-mail where there is a mail server. The
# queue page says it in any case.
REVIEW_NOTICES = os.environ.get("EVALPORTAL_REVIEW_NOTICES") == "1"
PORTAL_URL = os.environ.get("EVALPORTAL_URL", "").rstrip("/")
METRICS_TOKEN = os.environ.get("EVALPORTAL_METRICS_TOKEN", "")

# The database is the truth, the broker only a bell: no result is kept in it.
CELERY_BROKER_URL = os.environ.get("REDIS_URL", "filesystem://")
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {
        "data_folder_in": str(VAR / "broker"),
        "data_folder_out": str(VAR / "broker"),
        "control_folder": str(VAR / "broker"),
    }
    if CELERY_BROKER_URL.startswith("filesystem")
    else {
        "visibility_timeout": 60,
        "unacked_restore_interval": 2,
        "unacked_restore_throttle": 1,
        # Whoever rings does not wait long for a broker that is away or silent: the sweeps ring again.
        "socket_connect_timeout": 2,
        "socket_timeout": 5,
        "max_retries": 0,
    }
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
CELERY_TASK_ROUTES = {
    "scoring.tasks.ask": {"queue": "inference"},
    "scoring.tasks.probe": {"queue": "inference"},
    "scoring.tasks.score": {"queue": "scoring"},
}
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR / "beat")


def _swept(task: str, seconds: float, expires: float = 10.0) -> dict[str, Any]:
    """Let beat ring for a task; a bell that nobody heard in time is not worth hearing."""
    return {"task": task, "schedule": seconds, "options": {"queue": "default", "expires": expires}}


CELERY_BEAT_SCHEDULE = {
    "sweep": _swept("scoring.tasks.sweep", float(os.environ.get("EVALPORTAL_SWEEP_SECONDS", "2"))),
    "sweep-uploads": _swept("scoring.tasks.sweep_uploads", 60, expires=60),
    "sweep-reviews": _swept("reviews.tasks.sweep_reviews", 5),
    "sweep-boards": _swept("evalportal.tasks.sweep_boards", 10),
    "sweep-jobs": _swept("evalportal.tasks.sweep_jobs", 60, expires=60),
    # Far enough apart that runs which end together make one message.
    "send-notices": _swept("reviews.tasks.send_notices", 900, expires=600),
}

# How often a prompt is asked before its case fails, and how long to wait at first; twice as long each time.
RETRY_TRIES = int(os.environ.get("EVALPORTAL_RETRY_TRIES", "5"))
RETRY_FIRST_SECONDS = float(os.environ.get("EVALPORTAL_RETRY_FIRST_SECONDS", "1"))

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {"()": "evalportal.logs.JsonFormatter"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": os.environ.get("EVALPORTAL_LOG_FORMAT", "plain"),
        }
    },
    # They would write a line for every request.
    "loggers": {"httpx": {"level": "WARNING"}, "httpcore": {"level": "WARNING"}},
    "root": {"handlers": ["console"], "level": os.environ.get("EVALPORTAL_LOG_LEVEL", "INFO")},
}
