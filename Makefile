# Thin: packages by scripts/install_packages.sh, configuring and building by CMakePresets.json, tests by ctest.
#   make demo         the Euler solver on 4 ranks, its result shown        make lint    clang-tidy over everything
#   make demo-unstructured   finite elements on a tetrahedral mesh         make docs    a site of docs and headers
#   make demo-sphere   shallow water on an icosahedral grid
#   make check        all tests but the long ones
#   make check-full   also long tests, clang, sanitizers, mutations        make format  clang-format over everything
#   make check-gpu    the tests of devices on a machine with a GPU: GPU=cuda or hip
#   make measure-gpu  its figures, then the same, into one file
#   make check-mutations  do the tests notice defects?             make pictures  draws those of docs/concepts.md (matplotlib)
#   make deb          Debian packages, in build-deb                 make mpis    MPIs that Debian does not have, in build/mpis
ccache = $(if $(shell command -v ccache),-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

# What one folder has compiled another need not.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
export CCACHE_SLOPPINESS := pch_defines,time_macros

fewer_cases = CONFORMANCE_CASES=40 CONFORMANCE_BOX_CASES=20 CONFORMANCE_PERCENT=20 KEYS_CASES=6 ACCESS_CASES=8 MESH_CASES=10

.PHONY: demo demo-unstructured demo-sphere check check-mutations check-full check-long check-clang check-asan check-tsan check-gpu measure-gpu packages mpis lint format docs pictures abi-dump deb clean
# CMake looks for what is fetched before it.
.NOTPARALLEL:

demo: build-default
	examples/euler/run_demo.sh build

demo-unstructured: build-default
	examples/fem/run_demo.sh build

demo-sphere: build-default
	examples/shallow/run_demo.sh build

check: packages mpis build-default
	scripts/run_tests.sh build junit.xml -LE long

# What has passed on this very tree is not run again.
check-full: packages
	@for step in check check-long check-asan check-clang check-tsan check-mutations; do scripts/once.sh $$step || exit; done
	@scripts/totals.py build/junit.xml build/junit-long.xml build-clang/junit.xml build-asan/junit.xml build-tsan/junit.xml

# Some of these sleep most of the time: several at once for each processor.
check-long: build-default
	scripts/run_tests.sh build junit-long.xml -L long --timeout 2400 -j$$((3 * $$(nproc)))

# What check-asan has not passed, on this very tree, of what clang compiles; fewer random cases, as check has run all of them.
check-clang: packages mpis build-clang
	scripts/once.sh check-asan
	$(fewer_cases) scripts/run_tests.sh build-clang junit.xml -LE 'long|house' -I "$$(scripts/not_passed_in.py build-clang build-asan/junit.xml)"

# Under a sanitizer: ranks as threads; no MPI of others, no checks of the tree, not the solvers that compute longest; fewer random cases, and random boxes in one mode alone, on the host. Built with clang, and with
# each fuzzer for a while.
check-asan: build-asan
	$(fewer_cases) scripts/sanitized.sh scripts/run_tests.sh build-asan junit.xml -LE 'mpi|long|house' -E '^(conformance_boxes_(check|landing)|conformance_device_(check|boxes)|conformance_inproc_landing_check|demo.(sparse_advection_inproc|adaptive_storage|same_digest_inproc))$$'

# Threads: what runs ranks as threads.
check-tsan: build-tsan
	$(fewer_cases) scripts/sanitized.sh scripts/run_tests.sh build-tsan junit.xml -R '^(unit|channel|transport|misuse|conformance_inproc|conformance_device(_boxes|_slot|_direct)?$$|keys_inproc_direct|keys_device|mesh_inproc|access_device|faults.absent|progress$$|device_late|device_programs|device_graphs|device_direct$$|levels_device$$)' -LE 'mpi|long'

GPU ?= cuda
check-gpu: build-default
	scripts/check_gpu.sh build $(GPU)

measure-gpu: build-default
	scripts/measure_gpu.sh build $(GPU)

# Breaks a copy of the tree in one line after the other: does some test see it?
check-mutations: packages
	tests/mutation.sh build/mutations

build-%: packages
	cmake --preset $* $(ccache) >/dev/null
	cmake --build --preset $*

packages:
	@scripts/install_packages.sh

# MPIs that Debian does not have, for tests.
mpis:
	@scripts/fetch_mpis.sh build/mpis

lint: packages
	cmake --preset clang -DHALO_UNITY=OFF $(ccache) >/dev/null
	scripts/lint.sh build-clang

format:
	scripts/format.sh -i

docs: packages
	scripts/reference.py
	scripts/docs.sh build/docs

pictures: build-default
	build/bin/concepts >docs/pictures/tables.txt
	scripts/with_matplotlib.sh docs/pictures/draw.py

abi-dump: build-default
	scripts/abi.sh dump build

deb: build-deb
	cpack --preset deb

clean:
	rm -rf build build-*
