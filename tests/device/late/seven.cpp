// SPDX-License-Identifier: BSD-3-Clause
// The late device as a module of plugin ABI 1.7 has it, which combines the rows of one table in a launch.
#include <cstddef>

#include "late.h"

namespace {

halo_device_ops older_operations() {
    halo_device_ops ops = *halo_device_late.ops;
    ops.struct_size = offsetof(halo_device_ops, ranges_combine);
    return ops;
}

const halo_device_ops operations = older_operations();

halo_device_plugin older_plugin() {
    halo_device_plugin plugin = halo_device_late;
    plugin.abi_minor = 7;
    plugin.name = "seven";
    plugin.ops = &operations;
    return plugin;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const halo_device_plugin halo_device_plugin_v1 = older_plugin();
