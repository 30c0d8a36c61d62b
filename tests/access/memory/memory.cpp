// SPDX-License-Identifier: BSD-3-Clause
// A device with memory of its own: what is allocated there begins with a pattern, so that values which nobody copied are seen. Its tables reach
// both memories. All else is the host device.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "../../device/flagged_rows.h"

namespace {

const halo_device_ops &host = *halo_device_host.ops;

// Ranges ask for rows, which the host device does not tell.
std::mutex guard;
std::map<const halo_copy_table *, std::vector<halo_copy_row>> rows_of_all;

std::vector<halo_copy_row> &rows_of(const halo_copy_table *table) {
    const std::lock_guard lock(guard);
    return rows_of_all[table];
}

halo_status allocate(halo_device *device, int32_t memory, size_t bytes, void **pointer) {
    const bool own = memory == HALO_MEMORY_DEVICE;
    const halo_status status = host.allocate(device, own ? HALO_MEMORY_HOST : memory, bytes, pointer);
    if (own && status == HALO_SUCCESS) std::memset(*pointer, 0xa5, bytes);
    return status;
}

halo_status table_create(halo_device *device, const halo_copy_program *program, halo_copy_table **table) {
    const halo_status status = host.table_create(device, program, table);
    if (status == HALO_SUCCESS) rows_of(*table).assign(program->rows, program->rows + program->n_rows);
    return status;
}

void table_destroy(halo_device *device, halo_copy_table *table) {
    {
        const std::lock_guard lock(guard);
        rows_of_all.erase(table);
    }
    host.table_destroy(device, table);
}

halo_status table_patch(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, const halo_copy_row *rows) {
    const halo_status status = host.table_patch(device, table, first, n, rows);
    if (status == HALO_SUCCESS) std::copy_n(rows, n, rows_of(table).begin() + first);
    return status;
}

halo_status ranges_run(halo_device *device, const halo_copy_range *ranges, int64_t n_ranges, halo_stream) {
    halo_status status = HALO_SUCCESS;
    for (int64_t i = 0; i < n_ranges && status == HALO_SUCCESS; ++i)
        status = halo::test::run_chosen(device, ranges[i], rows_of(ranges[i].table).data());
    return status;
}

halo_status ranges_test(halo_device *device, const halo_copy_range *ranges, int64_t n_ranges, halo_stream) {
    halo_status status = HALO_SUCCESS;
    for (int64_t i = 0; i < n_ranges && status == HALO_SUCCESS; ++i)
        status = halo::test::test_and_flag(device, ranges[i], rows_of(ranges[i].table).data());
    return status;
}

halo_device_plugin plugin_with_memory() {
    static const halo_device_ops ops = [] {
        halo_device_ops own = host;
        own.allocate = allocate;
        own.table_create = table_create;
        own.table_destroy = table_destroy;
        own.table_patch = table_patch;
        own.ranges_run = ranges_run;
        own.ranges_test = ranges_test;
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
