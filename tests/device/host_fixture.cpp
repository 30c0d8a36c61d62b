// SPDX-License-Identifier: BSD-3-Clause
#include "host_fixture.h"

#include <cstring>

namespace halo::test {

HostDevice::HostDevice(const char *threads) : threads_(threads) {
    services_.struct_size = sizeof services_;
    services_.core = this;
    services_.report = [](void *core, const char *text) { static_cast<HostDevice *>(core)->report_ = text; };
    services_.log = [](void *core, int32_t, const char *text) { static_cast<HostDevice *>(core)->log_.emplace_back(text); };
    services_.setting = [](void *core, const char *key) -> const char * {
        return std::strcmp(key, "host.threads") == 0 ? static_cast<HostDevice *>(core)->threads_.c_str() : nullptr;
    };
    EXPECT_EQ(ops().open(&services_, 0, &device_), HALO_SUCCESS) << report_;
}

HostDevice::~HostDevice() { ops().close(device_); }

HostTable::HostTable(const HostDevice &device, const std::vector<halo_copy_shape> &shapes, const std::vector<halo_copy_row> &rows)
    : HostTable(device, { sizeof(halo_copy_program), shapes.data(), static_cast<int64_t>(shapes.size()), rows.data(),
                          static_cast<int64_t>(rows.size()), nullptr, 0 }) {}

HostTable::HostTable(const HostDevice &device, const halo_copy_program &program) : device_(device), n_rows_(program.n_rows) {
    EXPECT_EQ(device.ops().table_create(device.get(), &program, &table_), HALO_SUCCESS) << device.report();
}

HostTable::~HostTable() { device_.ops().table_destroy(device_.get(), table_); }

void HostTable::run(const std::vector<void *> &bases, int32_t op, halo_type type) const {
    const auto n_bases = static_cast<int64_t>(bases.size());
    EXPECT_EQ(device_.ops().table_run(device_.get(), table_, 0, n_rows_, bases.data(), n_bases, op, type, nullptr), HALO_SUCCESS) << device_.report();
}

std::vector<uint8_t> HostTable::test(const std::vector<void *> &bases, halo_type type, double threshold) const {
    std::vector<uint8_t> non_null(static_cast<size_t>(n_rows_), 77);
    const halo_null_test test{ type, 0, threshold };
    const auto n_bases = static_cast<int64_t>(bases.size());
    EXPECT_EQ(device_.ops().table_test(device_.get(), table_, 0, n_rows_, bases.data(), n_bases, &test, non_null.data(), nullptr), HALO_SUCCESS)
        << device_.report();
    return non_null;
}

std::vector<uint8_t> HostTable::run_tested(const std::vector<void *> &bases, halo_type type, double threshold) const {
    std::vector<uint8_t> non_null(static_cast<size_t>(n_rows_), 77);
    const halo_null_test test{ type, 0, threshold };
    const auto n_bases = static_cast<int64_t>(bases.size());
    EXPECT_EQ(device_.ops().table_run_tested(device_.get(), table_, 0, n_rows_, bases.data(), n_bases, &test, non_null.data(), nullptr), HALO_SUCCESS)
        << device_.report();
    return non_null;
}

} // namespace halo::test
