# make demo | test | check | format | stubs | sanitize | race | bench | bench-kernels | clean
PYTHON ?= python3
BIN := .venv/bin
NATIVE := $(wildcard native/*.?pp native/isa/*) CMakeLists.txt pyproject.toml
SOURCES := $(wildcard native/*.?pp native/isa/*.?pp tests/native/*.?pp)
.PHONY: demo test check format stubs sanitize race bench bench-kernels clean
.SECONDARY:

demo: .venv/.run
	@$(BIN)/rankine demo

test: .venv/.dev sanitize race
	$(BIN)/python -m pytest -n auto -q

check: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/clang-format --dry-run --Werror $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m nanobind.stubgen -q -m rankine._core -o build/_core.pyi && diff src/rankine/_core.pyi build/_core.pyi

format: .venv/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i $(SOURCES)

stubs: .venv/.dev
	$(BIN)/python -m nanobind.stubgen -q -m rankine._core -o src/rankine/_core.pyi

# The kernels under AddressSanitizer and UndefinedBehaviorSanitizer, without Python: every tests/native/*.cpp is a
# program, run once with each instruction set of this machine. The flags of the sets are those of CMakeLists.txt.
ISAS := $(if $(filter x86_64 amd64,$(shell uname -m)),sse2 avx2 avx512,baseline)
FLAGS_avx2 := -mavx2 -mfma
FLAGS_avx512 := -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma
SANITIZE := -std=c++20 -O1 -g -Wall -Wextra -Wconversion -Werror -fsanitize=address,undefined -fno-sanitize-recover=all -pthread -Inative
sanitize: build/sanitize/.passed
build/sanitize/.passed: $(patsubst tests/native/%.cpp,build/sanitize/%,$(wildcard tests/native/*.cpp))
	@for isa in $$(build/sanitize/isa --list); do for program in $^; do RANKINE_ISA=$$isa $$program || exit 1; done; done
	@touch $@

build/sanitize/isa_%.o: $(wildcard native/isa/*)
	@mkdir -p $(@D)
	$(CXX) $(SANITIZE) -ffp-contract=fast -fno-exceptions -Wno-psabi $(FLAGS_$*) -DRANKINE_ISA=$* -c native/isa/compile.cpp -o $@

build/sanitize/%: tests/native/%.cpp tests/native/check.hpp $(wildcard native/*.hpp native/isa/*.?pp) $(ISAS:%=build/sanitize/isa_%.o)
	@mkdir -p build/sanitize
	$(CXX) $(SANITIZE) $< native/isa/choose.cpp $(ISAS:%=build/sanitize/isa_%.o) -o $@

# The kernels in ns a row and GB/s; `RANKINE_ISA=avx2 build/kernels 1 136` for another set, scale or number of features.
bench-kernels: build/kernels
	build/kernels

build/isa_%.o: $(wildcard native/isa/*)
	@mkdir -p build
	$(CXX) -std=c++20 -O3 -ffp-contract=fast -fno-exceptions -Wno-psabi $(FLAGS_$*) -DRANKINE_ISA=$* -c native/isa/compile.cpp -o $@

build/kernels: benchmarks/kernels.cpp $(wildcard native/*.hpp native/isa/*.?pp) $(ISAS:%=build/isa_%.o)
	$(CXX) -std=c++20 -O3 -pthread -Inative $< native/isa/choose.cpp $(ISAS:%=build/isa_%.o) -o $@

# The threaded parts under ThreadSanitizer.
RACE := -std=c++20 -O1 -g -Wall -Wextra -Wconversion -Werror -fsanitize=thread -pthread -Inative
race: build/race/.passed
build/race/.passed: build/race/sweeps build/race/kernels
	@for program in $^; do $$program || exit 1; done
	@touch $@

build/race/isa_%.o: $(wildcard native/isa/*)
	@mkdir -p $(@D)
	$(CXX) $(RACE) -ffp-contract=fast -fno-exceptions -Wno-psabi $(FLAGS_$*) -DRANKINE_ISA=$* -c native/isa/compile.cpp -o $@

build/race/%: tests/native/%.cpp tests/native/check.hpp $(wildcard native/*.hpp native/isa/*.?pp) $(ISAS:%=build/race/isa_%.o)
	@mkdir -p build/race
	$(CXX) $(RACE) $< native/isa/choose.cpp $(ISAS:%=build/race/isa_%.o) -o $@

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
