// SPDX-License-Identifier: BSD-3-Clause
// usage: test_particles [--processes] [options of GoogleTest]
// --processes: this process is one rank of a launcher's, or alone; without it ranks are threads.
// PARTICLES_FIRST=N PARTICLES_CASES=1 runs one case again.
#include "placed.h"

int main(int argc, char **argv) { return conformance::run_tests(argc, argv); }
