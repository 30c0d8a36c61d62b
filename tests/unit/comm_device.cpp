// SPDX-License-Identifier: BSD-3-Clause
// A device whose table of operations is an older one.
#include <cstddef>

#include <gtest/gtest.h>

#include "comm/device.h"

extern "C" const halo_device_plugin halo_device_host;

namespace halo {
namespace {

TEST(Device, NothingIsReadBehindAnOlderTable) {
    halo_device_ops ops = *halo_device_host.ops;
    ops.struct_size = offsetof(halo_device_ops, ranges_run);
    ops.ranges_run = [](halo_device *, const halo_copy_range *, int64_t, halo_stream) { return HALO_ERR_DEVICE; };
    halo_device_plugin plugin = halo_device_host;
    plugin.ops = &ops;
    const halo_host services{};
    const std::string report;
    const Device device(plugin, services, 0, report);
    EXPECT_EQ(device.ops().table_run_tested, halo_device_host.ops->table_run_tested);
    EXPECT_EQ(device.ops().ranges_run, nullptr);
}

} // namespace
} // namespace halo
