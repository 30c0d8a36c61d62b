// SPDX-License-Identifier: BSD-3-Clause
// The modules that come with the library: what each is built from, what it wants to run, and where to get that.
#pragma once

#include <span>
#include <string>

#include "plugin/registry.h"

namespace halo {

struct KnownModule {
    PluginKind kind;
    const char *name;
    const char *package;  // of the library's own, for Debian; nullptr: none
    const char *to_build; // what CMake looks for
    const char *to_run;   // beside a device or a launcher; nullptr: nothing
};

std::span<const KnownModule> known_modules();

// For whoever lacks one: how to come by it if it is not there, what it wants if it is there and of no use. Empty: nothing is known of it.
std::string advice(PluginKind kind, const std::string &name, bool is_there);

} // namespace halo
