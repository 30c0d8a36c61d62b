// SPDX-License-Identifier: BSD-3-Clause
// `transport_tests [--module=FILE] [GoogleTest options]`: without a module, threads of this process.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "harness.h"

int main(int argc, char **argv) {
    const char option[] = "--module=";
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], option, sizeof option - 1) != 0) continue;
        void *module = dlopen(argv[i] + sizeof option - 1, RTLD_NOW | RTLD_LOCAL);
        const void *plugin = module != nullptr ? dlsym(module, "halo_transport_plugin_v1") : nullptr;
        if (plugin == nullptr) {
            std::fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        transport_tests::world.plugin = static_cast<const halo_transport_plugin *>(plugin);
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
