// SPDX-License-Identifier: BSD-3-Clause
// The host device as a module of plugin ABI 1.5 has it, which knows seven types.
#include <cstddef>

#include "host.h"

namespace {

halo_device_ops older_operations() {
    halo_device_ops ops = *halo_device_host.ops;
    ops.struct_size = offsetof(halo_device_ops, ranges_combine);
    return ops;
}

const halo_device_ops operations = older_operations();

halo_device_plugin older_plugin() {
    halo_device_plugin plugin = halo_device_host;
    plugin.abi_minor = 5;
    plugin.struct_size = offsetof(halo_device_plugin, types);
    plugin.name = "older";
    plugin.ops = &operations;
    return plugin;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const halo_device_plugin halo_device_plugin_v1 = older_plugin();
