// SPDX-License-Identifier: BSD-3-Clause
// One device, with errors as exceptions, and what lives on it: tables, events.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "halo_plugin.h"

namespace halo {

// What is known of memory, HALO_POINTER_...; of a device's own, of which one, -1: not that.
struct PointerKind {
    int32_t kind = HALO_POINTER_UNKNOWN;
    int32_t ordinal = -1;
};

class Device {
public:
    Device(const halo_device_plugin &plugin, const halo_host &host, int32_t ordinal, const std::string &report);
    ~Device();
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

    const char *name() const { return name_; }
    int32_t ordinal() const { return ordinal_; }
    bool has_memory(int32_t kind) const { return (memory_kinds_ >> kind & 1u) != 0; }
    // Does it combine, test and negate values of this type? Moving takes no knowledge.
    bool knows(halo_type type) const { return (types_ >> type & 1u) != 0; }
    // Of memory that anybody has allocated.
    PointerKind kind_of(const void *pointer) const noexcept;
    const halo_device_ops &ops() const { return ops_; }
    // What its last failure was.
    const std::string &report() const { return report_; }
    halo_device *instance() const { return instance_; }
    // nullptr: no other rank reaches its memory.
    const halo_ipc_ops *ipc() const { return ipc_; }

    void *allocate(int32_t memory, size_t bytes) const; // nullptr: no memory
    void release(int32_t memory, void *pointer, size_t bytes) const { ops_.release(instance_, memory, pointer, bytes); }
    void copy(void *dst, const void *src, size_t bytes, halo_stream stream) const { check(ops_.copy(instance_, dst, src, bytes, stream)); }
    void fill(void *dst, const void *value, size_t element_bytes, int64_t n, halo_stream stream) const {
        check(ops_.fill(instance_, dst, value, element_bytes, n, stream));
    }
    // Can work be put on it now? Throws.
    void require_usable(halo_stream stream) const {
        if (ops_.stream_check) check(ops_.stream_check(instance_, stream));
    }
    void check(halo_status status) const {
        if (status != HALO_SUCCESS) [[unlikely]]
            raise(status);
    }

private:
    [[noreturn]] void raise(halo_status status) const;

    halo_device_ops ops_{};
    halo_device *instance_ = nullptr;
    const char *name_;
    int32_t ordinal_;
    uint32_t memory_kinds_;
    uint64_t types_;
    const std::string &report_;
    const halo_ipc_ops *ipc_;
};

// A point in the work of a device's stream. Before anything is recorded it has fired.
class Event {
public:
    Event() = default;
    explicit Event(const Device &device);
    Event(Event &&other) noexcept
        : device_(other.device_),
          event_(std::exchange(other.event_, nullptr)),
          recorded_(std::exchange(other.recorded_, false)) {}
    Event &operator=(Event &&other) noexcept {
        std::swap(device_, other.device_);
        std::swap(event_, other.event_);
        std::swap(recorded_, other.recorded_);
        return *this;
    }
    ~Event();

    void record(halo_stream stream);
    bool has_fired();
    // Later work of the stream waits for it; the host does not.
    void hold(halo_stream stream) const;
    // What was recorded has failed: nothing waits for it any more.
    void forget() noexcept { recorded_ = false; }

private:
    const Device *device_ = nullptr;
    halo_event *event_ = nullptr;
    bool recorded_ = false; // and not seen to have fired
};

// Launches that come again, as a device has recorded them.
class DeviceGraphs {
public:
    explicit DeviceGraphs(const Device &device);
    ~DeviceGraphs();
    DeviceGraphs(const DeviceGraphs &) = delete;
    DeviceGraphs &operator=(const DeviceGraphs &) = delete;

    // Why the device records nothing; "": it does.
    const std::string &lacks() const { return lacks_; }
    void run(std::span<const halo_device_step> steps, halo_stream stream);

    int64_t recorded = 0;
    int64_t replayed = 0;

private:
    const Device &device_;
    halo_graphs *graphs_ = nullptr;
    std::string lacks_;
};

// A copy table on a device. Move-only owner.
class CopyTable {
public:
    CopyTable() = default;
    CopyTable(const Device &device, const halo_copy_program &program);
    CopyTable(CopyTable &&other) noexcept : device_(other.device_), table_(other.table_), rows_(other.rows_) { other.table_ = nullptr; }
    CopyTable &operator=(CopyTable &&other) noexcept;
    ~CopyTable() { reset(); }

    int64_t rows() const { return rows_; }
    halo_copy_table *on_device() const { return table_; }

    void run(int64_t first, int64_t n, std::span<void *const> bases, halo_stream stream, int32_t op = HALO_COPY_MOVE, halo_type type = 0) const {
        if (n > 0)
            device_->check(
                device_->ops().table_run(device_->instance(), table_, first, n, bases.data(), static_cast<int64_t>(bases.size()), op, type, stream));
    }
    void test(int64_t first, int64_t n, std::span<void *const> bases, const halo_null_test &test, uint8_t *non_null, halo_stream stream) const;
    // Copy and test in one pass where the device can, else one after the other.
    void run_tested(int64_t first, int64_t n, std::span<void *const> bases, const halo_null_test &test, uint8_t *non_null, halo_stream stream) const;

private:
    void reset();

    const Device *device_ = nullptr;
    halo_copy_table *table_ = nullptr;
    int64_t rows_ = 0;
};

} // namespace halo
