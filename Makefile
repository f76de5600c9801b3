# Everything a developer types. Needs Python 3.11 or newer and make; the rest is installed into .venv.
# Another interpreter: make test PYTHON=python3.13

PYTHON ?= python3
JOBS ?= 2
BIN := .venv/bin
PYTEST := $(BIN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder
WHOLE := $(CI)$(COVER)
PIP_INSTALL := $(BIN)/python -m pip install --quiet --constraint constraints.txt --editable
CHECKED := $(wildcard src tests bench tools)
OPTIONS := src/kohort/job/options.py
CLEAN := .venv dist build demo bench/out docs/_build mutants src/kohort/native/*.so $(OPTIONS) \
	.mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks .import_linter_cache .coverage

# Without bytecode every process compiles kohort anew, and pytest every test.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo cluster test check lint types pyright mypy bench docs format clean
.DELETE_ON_ERROR:

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: .venv/core ## a synthetic register: generated, anonymised, verified, shown
	$(BIN)/kohort demo --overwrite

cluster: .venv/dev ## a release by Spark, on a cluster of three workers on this machine; needs Java
	$(BIN)/python -m bench.cluster

test: .venv/$(if $(WHOLE),dev,test) ## the quick suite; ROOM=models tests a room, CI=true everything, COVER=--cov also branches
	files=$$($(if $(ROOM),$(BIN)/python tools/rooms.py $(ROOM))) && \
	$(PYTEST) $(if $(WHOLE),$(COVER),-m "not slow") $$files

check: .venv/check $(OPTIONS) ## lint, types and quick tests of what has changed since the branch left BASE=main
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo
	files=$$($(BIN)/python tools/rooms.py --python $(BASE)) && { [ -z "$$files" ] || $(BIN)/mypy --follow-imports silent $$files; }
	files=$$($(BIN)/python tools/rooms.py --changed $(BASE)) && { [ -z "$$files" ] || $(PYTEST) -m "not slow" $$files; }

lint: .venv/check ## style, format and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo

types: pyright mypy ## mypy and pyright, both strict

pyright: .venv/dev $(OPTIONS)
	$(BIN)/pyright --pythonpath $(BIN)/python

mypy: .venv/dev $(OPTIONS)
	$(BIN)/mypy $(CHECKED)

# The types of keyword arguments, of the form of a job; see decision 27.
$(OPTIONS): .venv/core $(filter-out $(OPTIONS),$(wildcard src/kohort/*/*.py tools/*.py))
	$(BIN)/python tools/keyword_types.py

bench: .venv/dev ## the figures of bench/
	$(BIN)/python -m bench.run

docs: .venv/dev ## the documentation as HTML; a warning is an error
	$(BIN)/sphinx-build -W --keep-going docs docs/_build/html

format: .venv/check ## format the code and mend what ruff can mend
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

clean: ## remove everything make or the tools have made
	rm -rf $(CLEAN)

# The installations, each with what the one before has. Each leaves a stamp, and is repeated when what it depends on changes.

.venv/dev: .venv/check
	@echo "Installing all that .ci/run needs into .venv, once: 2.5 GB in all; this takes a minute or two."
	$(PIP_INSTALL) '.[dev]'
	@touch $@

.venv/check: .venv/test
	@echo "Installing linters and mypy into .venv, once: 100 MB."
	$(PIP_INSTALL) '.[check]'
	@touch $@

.venv/test: .venv/core
	@echo "Installing what the tests need into .venv, once: 850 MB in all; this takes a minute."
	$(PIP_INSTALL) '.[test]'
	@touch $@

.venv/core: pyproject.toml constraints.txt $(wildcard src/kohort/native/*.[ch])
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("kohort needs Python 3.11 or newer, and \
	$(PYTHON) is %d.%d. Name another one: make PYTHON=python3.13" % v[:2])'
	@echo "Installing kohort into .venv, once; this takes a minute."
	$(PYTHON) -m venv .venv
	$(PIP_INSTALL) '.[report]'
	@touch $@
