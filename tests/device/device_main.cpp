// SPDX-License-Identifier: BSD-3-Clause
// Tests of a device: of the host's, or of the module that is named.
// usage: device_tests [--module=FILE] [options of GoogleTest]
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include <dlfcn.h>

#include "host.h"
#include "tested_device.h"

namespace {

const halo_device_plugin *plugin = &halo_device_host;
const char *module_file = "";

const halo_device_plugin *load(const char *file) {
    module_file = file;
    void *const module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!module) {
        std::printf("%s\n", dlerror());
        return nullptr;
    }
    return static_cast<const halo_device_plugin *>(dlsym(module, "halo_device_plugin_v1"));
}

} // namespace

const halo_device_plugin &halo::test::tested_plugin() { return *plugin; }
const char *halo::test::tested_file() { return module_file; }

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    constexpr char option[] = "--module=";
    for (int i = 1; i < argc; ++i)
        if (std::strncmp(argv[i], option, sizeof option - 1) == 0) plugin = load(argv[i] + sizeof option - 1);
    if (!plugin) return 1;
    char why[256] = "";
    if (plugin->query(nullptr, why, sizeof why) == 0) {
        std::printf("device %s cannot be used: %s\n", plugin->name, why);
        return 77;
    }
    std::printf("device %s: %s\n", plugin->name, why);
    const halo::test::TestedDevice kept_open; // what instances share is made once
    return RUN_ALL_TESTS();
}
