# make demo | test | check | format | stubs | sanitize | bench | clean
PYTHON ?= python3
BIN := .venv/bin
NATIVE := $(wildcard native/*) CMakeLists.txt pyproject.toml
.PHONY: demo test check format stubs sanitize bench clean

demo: .venv/.run
	@$(BIN)/rankine demo

test: .venv/.dev sanitize
	$(BIN)/python -m pytest -n auto -q

check: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/clang-format --dry-run --Werror native/*.hpp native/*.cpp tests/native/*.cpp
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m nanobind.stubgen -q -m rankine._core -o build/_core.pyi && diff src/rankine/_core.pyi build/_core.pyi

format: .venv/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i native/*.hpp native/*.cpp tests/native/*.cpp

stubs: .venv/.dev
	$(BIN)/python -m nanobind.stubgen -q -m rankine._core -o src/rankine/_core.pyi

# The kernels under AddressSanitizer and UndefinedBehaviorSanitizer, without Python: every tests/native/*.cpp is a program.
sanitize: $(patsubst tests/native/%.cpp,build/sanitize/%,$(wildcard tests/native/*.cpp))
	@for program in $^; do $$program || exit 1; done

build/sanitize/%: tests/native/%.cpp tests/native/check.hpp $(wildcard native/*.hpp)
	@mkdir -p build/sanitize
	$(CXX) -std=c++20 -O1 -g -Wall -Wextra -Wconversion -Werror -fsanitize=address,undefined -fno-sanitize-recover=all -pthread -Inative $< -o $@

# In an environment of its own, build/bench-env: make bench ARGS="--quick", and see benchmarks/README.md.
bench:
	$(PYTHON) -m benchmarks $(ARGS)

clean:
	rm -rf build dist .venv

# The environment: .venv/bin/pip is made once; .run and .dev install the package again only when the native code or the
# packaging changed (Python files are used in place). The build tools come first, so that the build needs no isolation
# and recompiles only what changed.
$(BIN)/pip:
	$(PYTHON) -m venv .venv

.venv/.run: $(BIN)/pip $(NATIVE)
	$(BIN)/pip install -q "cmake>=3.26" ninja "nanobind>=2.9" "scikit-build-core>=0.11"
	$(BIN)/pip install -q --no-build-isolation -e .
	@touch $@

.venv/.dev: .venv/.run
	$(BIN)/pip install -q --no-build-isolation -e ".[dev]"
	@touch $@
