// SPDX-License-Identifier: BSD-3-Clause
// usage: test_levels [--processes] [options of GoogleTest]
// --processes: this process is one rank of a launcher's, or alone; without it ranks are threads.
#include "placed.h"

int main(int argc, char **argv) { return conformance::run_tests(argc, argv); }
