// SPDX-License-Identifier: BSD-3-Clause
#include "skew.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "host.h"

namespace {

std::mutex guard;
SkewKind kind_now = SkewKind::none;
int64_t row_now = 0;
uint32_t part_bases_now = 0;
int64_t most_rows = 0;

struct Program {
    std::vector<halo_copy_shape> shapes;
    std::vector<halo_copy_row> rows;

    explicit Program(const halo_copy_program &given)
        : shapes(given.shapes, given.shapes + given.n_shapes),
          rows(given.rows, given.rows + given.n_rows) {}

    void skew() {
        if (row_now >= static_cast<int64_t>(rows.size())) return;
        halo_copy_row &row = rows[static_cast<size_t>(row_now)];
        const halo_copy_shape &shape = shapes[row.shape];
        if (kind_now == SkewKind::wrong_source) row.src_offset[0] += shape.element_bytes;
        if (kind_now == SkewKind::wrong_target && row.dst_base < part_bases_now) row.dst_offset += shape.element_bytes;
        halo_copy_shape other = shape;
        if (kind_now == SkewKind::skipped) std::fill_n(other.run, HALO_COPY_PIECES, 0u);
        if (kind_now == SkewKind::too_long && row.dst_base < part_bases_now && row.src_base[0] >= part_bases_now) ++other.run[shape.n_pieces - 1];
        if (kind_now == SkewKind::too_long_here && row.dst_base < part_bases_now && row.src_base[0] < part_bases_now) ++other.run[shape.n_pieces - 1];
        row.shape = static_cast<uint32_t>(shapes.size());
        shapes.push_back(other);
    }
};

halo_status table_create(halo_device *device, const halo_copy_program *given, halo_copy_table **table) {
    Program program(*given);
    {
        const std::lock_guard lock(guard);
        most_rows = std::max(most_rows, given->n_rows);
        program.skew();
    }
    halo_copy_program skewed = *given;
    skewed.shapes = program.shapes.data();
    skewed.n_shapes = static_cast<int64_t>(program.shapes.size());
    skewed.rows = program.rows.data();
    return halo_device_host.ops->table_create(device, &skewed, table);
}

bool is_stopped() {
    const std::lock_guard lock(guard);
    return kind_now == SkewKind::stopped;
}

halo_status table_run(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, void *const *bases, int64_t n_bases, int32_t op,
                      halo_type type, halo_stream stream) {
    if (is_stopped()) return HALO_SUCCESS;
    return halo_device_host.ops->table_run(device, table, first, n, bases, n_bases, op, type, stream);
}

halo_device_ops skewed_ops() {
    halo_device_ops ops = *halo_device_host.ops;
    ops.table_create = table_create;
    ops.table_run = table_run;
    return ops;
}

halo_device_plugin skewed_plugin() {
    static const halo_device_ops ops = skewed_ops();
    halo_device_plugin plugin = halo_device_host;
    plugin.name = "skew";
    plugin.ops = &ops;
    return plugin;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const halo_device_plugin halo_device_plugin_v1 = skewed_plugin();

extern "C" __attribute__((visibility("default"))) void skew_set(SkewKind kind, int64_t row, uint32_t n_part_bases) {
    const std::lock_guard lock(guard);
    kind_now = kind;
    row_now = row;
    part_bases_now = n_part_bases;
    most_rows = 0;
}

extern "C" __attribute__((visibility("default"))) int64_t skew_rows() {
    const std::lock_guard lock(guard);
    return most_rows;
}
