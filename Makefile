# Everything goes through here; `make` alone prints what there is.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup test check format integration simulate chaos demo up replay glossary rules fuzz oracle movements shuffle-tests lock clean bench

help: ## print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## install into .venv what the locks name (once; again when a lock changes)

$(READY): requirements-dev.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "There is no '$(PYTHON)' on the path. Install Python 3.11 or newer, or say which one to use: make setup PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "feltlog needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Say which one to use: make setup PYTHON=python3.12"; exit 1; }
	@rm -f $@
	@echo "Making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) || { echo "Python cannot make a virtual environment here. On Debian and Ubuntu the package python3-venv brings what is missing."; exit 1; }
	@echo "Installing what requirements-dev.lock names into $(VENV); this takes a minute or two, once."
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --no-index -e .
	@touch $@

test: setup ## run all tests that need no server: two minutes on two cores
	$(BIN)/pytest -q -n 2 --dist loadfile

check: setup ## format, lint, types, import contracts, then the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo
	@$(MAKE) --no-print-directory test

format: setup ## put the source into the house's form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

integration: setup ## run the tests that need the real nats-server (it comes with the setup)
	$(BIN)/pytest -q -n 2 --dist loadfile tests/integration

demo: setup ## play an evening of 200 rounds on a real server, then prove it
	$(BIN)/feltlog demo

simulate: setup ## rehearse the whole house with everything that goes wrong: make simulate SEED=7 ROUNDS=1000, or PLANTED=1
	@$(BIN)/python -m tests.simulation $(if $(SEED),--seed $(SEED)) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(TABLES),--tables $(TABLES)) $(if $(FAULTS),--faults $(FAULTS)) $(if $(PLANTED),--planted $(PLANTED)) $(if $(KEEP),--keep $(KEEP))

chaos: setup ## play at a real house while everything in it is killed, stopped and filled up: make chaos KILLS=30 SEED=7
	@$(BIN)/python -m tests.chaos $(if $(SEED),--seed $(SEED)) $(if $(KILLS),--kills $(KILLS)) $(if $(JSON),--json)

bench: setup ## measure the house beside others: make bench B="append command" for some of it
	@$(BIN)/python -m tests.benchmarks $(B) $(if $(SCALE),--scale $(SCALE)) $(if $(LENIENT),--lenient) $(if $(JSON),--json)

up: setup ## start nats-server and all services on this machine; Ctrl-C stops them
	$(BIN)/feltlog up

replay: setup ## show a round card by card: make replay ROUND=T7.20261130-000123
	@test -n "$(ROUND)" || { echo "Which round? make replay ROUND=T7.20261130-000123 (feltlog rounds lists them)"; exit 2; }
	$(BIN)/feltlog replay $(ROUND)

COMPILE = pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 --custom-compile-command "make lock" $(if $(UPGRADE),--upgrade)

glossary: setup ## write the glossary's messages and the dictionary of telemetry from the source
	$(BIN)/python -m tests.house.published
	$(BIN)/python -m tests.house.told

rules: setup ## write into docs where each clause is decided and proved, and who may rule
	$(BIN)/python -m tests.house.rulings
	$(BIN)/python -m tests.house.procedure
	$(BIN)/python -m tests.house.traceability

fuzz: setup ## ask, write, set and type whatever comes along, anew each time: make fuzz EXAMPLES=2000
	FUZZ_EXAMPLES=$(or $(EXAMPLES),1000) $(BIN)/pytest -q tests/fuzz

oracle: setup ## hold the engine against numbers that others have worked out
	$(BIN)/python -m tests.oracle

movements: setup ## move money a million times at random, beside a book of plain numbers
	@$(BIN)/python -m tests.movements $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))

shuffle-tests: setup ## examine the shuffle 300,000 times, and three wrong ones that must be rejected
	@$(BIN)/python -m tests.battery $(if $(SHUFFLES),--shuffles $(SHUFFLES)) $(if $(JSON),--json)

lock: ## write both locks; versions stay where they can, UPGRADE=1 takes the newest
	@set -e; tool=$$(mktemp -d); trap 'rm -rf "$$tool"' EXIT; \
	$(PYTHON) -m venv "$$tool"; \
	"$$tool/bin/python" -m pip install --quiet uv; \
	"$$tool/bin/uv" $(COMPILE) pyproject.toml -o requirements.lock; \
	"$$tool/bin/uv" $(COMPILE) -c requirements.lock --group dev pyproject.toml -o requirements-dev.lock

clean: ## remove what can be made again (not .feltlog: that is your data)
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
