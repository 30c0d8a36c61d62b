// SPDX-License-Identifier: BSD-3-Clause
#include "tested_device.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace halo::test {

namespace {

bool has_own_memory() { return (tested_plugin().memory_kinds >> HALO_MEMORY_DEVICE & 1U) != 0; }

constexpr size_t boundary = 64; // addresses keep their places between such

} // namespace

TestedDevice::TestedDevice(const char *threads) : threads_(threads) {
    services_.struct_size = sizeof services_;
    services_.core = this;
    services_.report = [](void *core, const char *text) { static_cast<TestedDevice *>(core)->report_ = text; };
    services_.log = [](void *core, int32_t, const char *text) { static_cast<TestedDevice *>(core)->log_.emplace_back(text); };
    services_.setting = [](void *core, const char *key) -> const char * {
        return std::strcmp(key, "host.threads") == 0 ? static_cast<TestedDevice *>(core)->threads_.c_str() : nullptr;
    };
    EXPECT_EQ(ops().open(&services_, 0, &device_), HALO_SUCCESS) << report_;
}

TestedDevice::~TestedDevice() { ops().close(device_); }

TestedTable::TestedTable(const TestedDevice &device, const std::vector<halo_copy_shape> &shapes, const std::vector<halo_copy_row> &rows)
    : TestedTable(device, { sizeof(halo_copy_program), shapes.data(), static_cast<int64_t>(shapes.size()), rows.data(),
                            static_cast<int64_t>(rows.size()), nullptr, 0 }) {}

TestedTable::TestedTable(const TestedDevice &device, const halo_copy_program &program)
    : device_(device),
      shapes_(program.shapes, program.shapes + program.n_shapes),
      rows_(program.rows, program.rows + program.n_rows),
      indices_(program.indices, program.indices + program.n_indices) {
    EXPECT_EQ(device.ops().table_create(device.get(), &program, &table_), HALO_SUCCESS) << device.report();
}

TestedTable::~TestedTable() { device_.ops().table_destroy(device_.get(), table_); }

halo_status TestedTable::run_rows(int64_t first, int64_t n, const std::vector<void *> &bases, int32_t op, halo_type type) const {
    Copied copied(*this, first, n, bases);
    const halo_status status = device_.ops().table_run(device_.get(), table_, first, n, copied.bases(), copied.n_bases(), op, type, HALO_STREAM_NONE);
    copied.write_back();
    return status;
}

halo_status TestedTable::test_rows(int64_t first, int64_t n, const std::vector<void *> &bases, const halo_null_test &test, uint8_t *non_null) const {
    const Copied copied(*this, first, n, bases);
    return device_.ops().table_test(device_.get(), table_, first, n, copied.bases(), copied.n_bases(), &test, non_null, HALO_STREAM_NONE);
}

halo_status TestedTable::run_tested_rows(int64_t first, int64_t n, const std::vector<void *> &bases, const halo_null_test &test,
                                         uint8_t *non_null) const {
    const auto fused = device_.ops().table_run_tested;
    if (!fused) {
        const halo_status status = test_rows(first, n, bases, test, non_null);
        return status != HALO_SUCCESS ? status : run_rows(first, n, bases);
    }
    Copied copied(*this, first, n, bases);
    const halo_status status = fused(device_.get(), table_, first, n, copied.bases(), copied.n_bases(), &test, non_null, HALO_STREAM_NONE);
    copied.write_back();
    return status;
}

halo_status TestedTable::patch(int64_t first, int64_t n, const halo_copy_row *rows) {
    const halo_status status = device_.ops().table_patch(device_.get(), table_, first, n, rows);
    if (status == HALO_SUCCESS) std::copy_n(rows, n, rows_.begin() + first);
    return status;
}

void TestedTable::run(const std::vector<void *> &bases, int32_t op, halo_type type) const {
    EXPECT_EQ(run_rows(0, n_rows(), bases, op, type), HALO_SUCCESS) << device_.report();
}

std::vector<uint8_t> TestedTable::test(const std::vector<void *> &bases, halo_type type, double threshold) const {
    std::vector<uint8_t> non_null(rows_.size(), 77);
    EXPECT_EQ(test_rows(0, n_rows(), bases, { type, 0, threshold }, non_null.data()), HALO_SUCCESS) << device_.report();
    return non_null;
}

std::vector<uint8_t> TestedTable::run_tested(const std::vector<void *> &bases, halo_type type, double threshold) const {
    std::vector<uint8_t> non_null(rows_.size(), 77);
    EXPECT_EQ(run_tested_rows(0, n_rows(), bases, { type, 0, threshold }, non_null.data()), HALO_SUCCESS) << device_.report();
    return non_null;
}

Copied::Copied(const TestedTable &table, int64_t first, int64_t n, const std::vector<void *> &bases)
    : table_(table),
      given_(bases),
      bases_(bases),
      extents_(bases.size()) {
    if (!has_own_memory() || first < 0 || n < 0 || first > table.n_rows() - n) return;
    for (const halo_copy_row &row : std::span(table.rows_).subspan(static_cast<size_t>(first), static_cast<size_t>(n))) {
        const halo_copy_shape &shape = table.shapes_[row.shape];
        const auto list = [&](int side) { return (shape.lists >> (side - 1) & 1U) != 0 ? table.indices_.data() + row.src_offset[side] : nullptr; };
        for (uint32_t p = 0; p < shape.n_pieces; ++p) {
            add(row.dst_base, row.dst_offset + shape.dst_shift[p], shape.dst_stride, shape.n, shape.dst_step, shape.run[p], list(2),
                shape.element_bytes, true);
            add(row.src_base[p], row.src_offset[p], shape.src_stride[p], shape.n, shape.src_step[p], shape.run[p], list(1), shape.element_bytes,
                false);
        }
    }
    size_t bytes = boundary;
    for (size_t b = 0; b < bases.size(); ++b) {
        if (extents_[b].low > extents_[b].high || !bases[b]) continue;
        const auto address = reinterpret_cast<uintptr_t>(static_cast<char *>(bases[b]) + extents_[b].low);
        extents_[b].place = bytes + address % boundary;
        bytes = (extents_[b].place + static_cast<size_t>(extents_[b].high - extents_[b].low)) / boundary * boundary + boundary;
    }
    staging_.resize(bytes);
    EXPECT_EQ(table.device_.ops().allocate(table.device_.get(), HALO_MEMORY_DEVICE, bytes, &on_device_), HALO_SUCCESS) << table.device_.report();
    for (size_t b = 0; b < bases.size(); ++b) {
        if (extents_[b].place == 0) continue;
        std::memcpy(staging_.data() + extents_[b].place, static_cast<char *>(bases[b]) + extents_[b].low,
                    static_cast<size_t>(extents_[b].high - extents_[b].low));
        bases_[b] = static_cast<char *>(on_device_) + extents_[b].place - extents_[b].low;
    }
    EXPECT_EQ(table.device_.ops().copy(table.device_.get(), on_device_, staging_.data(), bytes, HALO_STREAM_NONE), HALO_SUCCESS);
}

Copied::~Copied() {
    if (!on_device_) return;
    EXPECT_EQ(table_.device_.ops().copy(table_.device_.get(), staging_.data(), on_device_, staging_.size(), HALO_STREAM_NONE), HALO_SUCCESS); // waits
    table_.device_.ops().release(table_.device_.get(), HALO_MEMORY_DEVICE, on_device_, staging_.size());
}

void Copied::add(size_t base, int64_t offset, const int64_t *stride, const uint32_t *n, int64_t step, uint32_t run, const uint32_t *list,
                 int64_t bytes, bool writes) {
    if (base >= extents_.size() || run == 0 || n[0] == 0 || n[1] == 0 || n[2] == 0) return;
    int64_t low = offset, high = offset + bytes;
    const auto widen = [&](int64_t first, int64_t last, int64_t by) {
        low += std::min(first * by, last * by);
        high += std::max(first * by, last * by);
    };
    for (int d = 0; d < 3; ++d) widen(0, int64_t{ n[d] } - 1, stride[d]);
    if (list)
        widen(*std::min_element(list, list + run), *std::max_element(list, list + run), step);
    else
        widen(0, int64_t{ run } - 1, step);
    extents_[base].low = std::min(extents_[base].low, low);
    extents_[base].high = std::max(extents_[base].high, high);
    extents_[base].written = extents_[base].written || writes;
}

void Copied::write_back() {
    if (!on_device_) return;
    EXPECT_EQ(table_.device_.ops().copy(table_.device_.get(), staging_.data(), on_device_, staging_.size(), HALO_STREAM_NONE), HALO_SUCCESS);
    for (size_t b = 0; b < extents_.size(); ++b)
        if (extents_[b].written && extents_[b].place != 0)
            std::memcpy(static_cast<char *>(given_[b]) + extents_[b].low, staging_.data() + extents_[b].place,
                        static_cast<size_t>(extents_[b].high - extents_[b].low));
}

} // namespace halo::test
