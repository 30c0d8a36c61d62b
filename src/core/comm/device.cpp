// SPDX-License-Identifier: BSD-3-Clause
#include "comm/device.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/types.h"
#include "plugin/registry.h"

namespace halo {

namespace {

uint64_t types_of(const halo_device_plugin &plugin) {
    constexpr uint64_t first_ones = (uint64_t{ 2 } << HALO_BYTES) - 2;
    return has_member(plugin, &halo_device_plugin::types) ? plugin.types : first_ones;
}

} // namespace

Device::Device(const halo_device_plugin &plugin, const halo_host &host, int32_t ordinal, const std::string &report)
    : name_(plugin.name),
      ordinal_(ordinal),
      memory_kinds_(plugin.memory_kinds),
      types_(types_of(plugin)),
      report_(report),
      ipc_(has_ipc(plugin) ? plugin.ipc : nullptr) {
    std::memcpy(&ops_, plugin.ops, std::min(sizeof ops_, plugin.ops->struct_size)); // older modules have fewer
    const halo_status status = ops_.open(&host, ordinal, &instance_);
    if (status != HALO_SUCCESS) fail(status, "device %s %d cannot be opened: %s", name_, ordinal, report_.c_str());
}

Device::~Device() {
    if (instance_) ops_.close(instance_);
}

PointerKind Device::kind_of(const void *pointer) const noexcept {
    PointerKind found;
    if (!ops_.pointer_kind || ops_.pointer_kind(instance_, pointer, &found.kind, &found.ordinal) != HALO_SUCCESS) return {};
    return found;
}

void *Device::allocate(int32_t memory, size_t bytes) const {
    void *pointer = nullptr;
    return ops_.allocate(instance_, memory, bytes, &pointer) == HALO_SUCCESS ? pointer : nullptr;
}

void Device::raise(halo_status status) const { fail(status, "device %s: %s", name_, report_.c_str()); }

Event::Event(const Device &device) : device_(&device) { device.check(device.ops().event_create(device.instance(), &event_)); }

Event::~Event() {
    if (event_) device_->ops().event_destroy(device_->instance(), event_);
}

void Event::record(halo_stream stream) {
    device_->check(device_->ops().event_record(device_->instance(), event_, stream));
    recorded_ = true;
}

bool Event::has_fired() {
    if (!recorded_) return true;
    int32_t done = 0;
    device_->check(device_->ops().event_query(device_->instance(), event_, &done));
    recorded_ = done == 0;
    return !recorded_;
}

void Event::hold(halo_stream stream) const {
    if (recorded_) device_->check(device_->ops().event_wait(device_->instance(), event_, stream));
}

DeviceGraphs::DeviceGraphs(const Device &device) : device_(device) {
    const halo_device_ops &ops = device.ops();
    if (!ops.graphs_create || !ops.graphs_run || !ops.graphs_destroy || !ops.ranges_combine) {
        lacks_ = "its module has no graphs_run (plugin ABI 1.10) or no ranges_combine (1.8)";
        return;
    }
    const halo_status status = ops.graphs_create(device.instance(), &graphs_);
    if (status == HALO_ERR_STATE)
        lacks_ = device.report();
    else
        device.check(status);
}

DeviceGraphs::~DeviceGraphs() {
    if (graphs_) device_.ops().graphs_destroy(device_.instance(), graphs_);
}

void DeviceGraphs::run(std::span<const halo_device_step> steps, halo_stream stream) {
    int32_t how = HALO_STEPS_LAUNCHED;
    device_.check(device_.ops().graphs_run(device_.instance(), graphs_, steps.data(), static_cast<int64_t>(steps.size()), stream, &how));
    recorded += how == HALO_STEPS_RECORDED;
    replayed += how == HALO_STEPS_REPLAYED;
}

CopyTable::CopyTable(const Device &device, const halo_copy_program &program) : device_(&device), rows_(program.n_rows) {
    for (const halo_copy_shape &shape : std::span(program.shapes, static_cast<size_t>(program.n_shapes)))
        if (shape.negate != 0 && !device.knows(shape.negate)) [[unlikely]]
            fail(HALO_ERR_DEVICE, "device %s: it does not know values of %s, which change their sign in a turned region", device.name(),
                 type_name(shape.negate));
    if (rows_ > 0) device.check(device.ops().table_create(device.instance(), &program, &table_));
}

CopyTable &CopyTable::operator=(CopyTable &&other) noexcept {
    reset();
    device_ = other.device_;
    table_ = std::exchange(other.table_, nullptr);
    rows_ = std::exchange(other.rows_, 0);
    return *this;
}

void CopyTable::reset() {
    if (table_) device_->ops().table_destroy(device_->instance(), table_);
    table_ = nullptr;
}

void CopyTable::test(int64_t first, int64_t n, std::span<void *const> bases, const halo_null_test &test, uint8_t *non_null,
                     halo_stream stream) const {
    device_->check(
        device_->ops().table_test(device_->instance(), table_, first, n, bases.data(), static_cast<int64_t>(bases.size()), &test, non_null, stream));
}

void CopyTable::run_tested(int64_t first, int64_t n, std::span<void *const> bases, const halo_null_test &null_test, uint8_t *non_null,
                           halo_stream stream) const {
    const auto fused = device_->ops().table_run_tested;
    if (fused)
        return device_->check(
            fused(device_->instance(), table_, first, n, bases.data(), static_cast<int64_t>(bases.size()), &null_test, non_null, stream));
    test(first, n, bases, null_test, non_null, stream);
    run(first, n, bases, stream);
}

} // namespace halo
