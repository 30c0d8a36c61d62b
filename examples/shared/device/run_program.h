// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program.h"
#include "queue.h"

namespace device {

/// ranks::run_program of a body(context, device). NotThere::exit_code where the device is not there.
template <class Body>
int run_program(CLI::App &options, int argc, char **argv, Body &&body) {
    try {
        const Device device;
        return ranks::run_program(
            options, argc, argv, [&](const halo::Context &context) { return body(context, device); }, device.options());
    } catch (const NotThere &missing) {
        std::fprintf(stderr, "%s: %s\n", options.get_name().c_str(), missing.what());
        return NotThere::exit_code;
    }
}

} // namespace device
