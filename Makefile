# The daily commands. tools/setup.sh fetches what they need.
JOBS ?= $(shell nproc)
SCENARIO ?= scenarios/llama405b_a4_224.yaml
export JOBS

PREFIX ?= /usr/local

.PHONY: run build install package docs examples test bench engines fuzz torture format clean

run: build
	build/release/simtrain $(SCENARIO)

build:
	tools/setup.sh build
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

install:
	test -x build/release/simtrain || $(MAKE) build
	cmake --install build/release --prefix $(PREFIX) --strip

package: build
	tools/setup.sh package
	cmake --build --preset release --target package

# The documents as a site with search: build/docs/index.html.
docs:
	tools/setup.sh docs
	tools/docs

# Every command of README.md, as it stands there.
examples: build
	tools/examples

test:
	tools/setup.sh test
	tools/check

bench: build
	build/release/simtrain bench

# The engine against those of SimGrid and ns-3 on the same work, as ratios.
engines:
	tools/setup.sh test
	cmake --preset torture
	cmake --build --preset torture -j $(JOBS) --target engines
	build/torture/tests/engines

fuzz: export FUZZ_SECONDS ?= 600
fuzz:
	tools/setup.sh test
	tools/fuzz

# Jobs drawn by a seed: folded against unfolded, run against sweep, scale and tune, and what else
# tests/property/torture_test.cpp says. Each failure prints the call that shows it.
torture: export TORTURE_SEED ?= 1
torture: export TORTURE_JOBS ?= 20000
torture:
	tools/setup.sh test
	cmake --preset torture
	cmake --build --preset torture -j $(JOBS) --target simtrain_property_tests
	build/torture/tests/simtrain_property_tests -tc='torture: *'

format:
	tools/format

clean:
	rm -rf build
