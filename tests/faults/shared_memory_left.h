// SPDX-License-Identifier: BSD-3-Clause
// Does this process still have any of the memory that the library shares with other ranks?
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "ranks.h"

namespace conformance {

inline void expect_no_shared_memory() {
    constexpr const char *name = "memfd:halo";
    int descriptors = 0, mappings = 0;
    for (const auto &file : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone; // that of the directory itself
        descriptors += std::filesystem::read_symlink(file, gone).string().find(name) != std::string::npos;
    }
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) mappings += line.find(name) != std::string::npos;
    if (descriptors != 0 || mappings != 0) stop("%d descriptors and %d mappings of shared memory are left", descriptors, mappings);
}

} // namespace conformance
