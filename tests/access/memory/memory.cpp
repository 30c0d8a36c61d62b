// SPDX-License-Identifier: BSD-3-Clause
// A device with memory of its own: what is allocated there begins with a pattern, so that values which nobody copied are seen. Its tables reach
// both memories. All else is the host device.
#include <cstring>

#include "host.h"

namespace {

halo_status allocate(halo_device *device, int32_t memory, size_t bytes, void **pointer) {
    const bool own = memory == HALO_MEMORY_DEVICE;
    const halo_status status = halo_device_host.ops->allocate(device, own ? HALO_MEMORY_HOST : memory, bytes, pointer);
    if (own && status == HALO_SUCCESS) std::memset(*pointer, 0xa5, bytes);
    return status;
}

halo_device_plugin plugin_with_memory() {
    static const halo_device_ops ops = [] {
        halo_device_ops own = *halo_device_host.ops;
        own.allocate = allocate;
        return own;
    }();
    halo_device_plugin plugin = halo_device_host;
    plugin.name = "memory";
    plugin.memory_kinds |= 1u << HALO_MEMORY_DEVICE;
    plugin.ops = &ops;
    return plugin;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const halo_device_plugin halo_device_plugin_v1 = plugin_with_memory();
