// SPDX-License-Identifier: BSD-3-Clause
// What ranks of a host use of each other's devices, in one process or in several: memory that a context has allocated there, and events. Other memory
// is not offered, for nobody would tell that the program has freed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "comm/device.h"

namespace halo {

// Where some memory of a device is, as another rank needs it.
struct DeviceOffer {
    uint64_t number = 0; // of the allocation, as no other one has; 0: nothing is offered
    uint64_t offset = 0;
    uint64_t bytes = 0; // from there on
    halo_ipc_handle handle{};
};

// An event that other ranks let their streams wait for.
class ExportedEvent {
public:
    explicit ExportedEvent(const Device &device);
    ~ExportedEvent();
    ExportedEvent(const ExportedEvent &) = delete;
    ExportedEvent &operator=(const ExportedEvent &) = delete;

    const Device &device() const { return device_; }
    const halo_ipc_handle &handle() const { return handle_; }
    void record(halo_stream stream) const { device_.check(device_.ops().event_record(device_.instance(), event_, stream)); }

private:
    const Device &device_;
    halo_event *event_ = nullptr;
    halo_ipc_handle handle_{};
};

// Such an event of another rank.
class OpenedEvent {
public:
    OpenedEvent(const Device &device, const halo_ipc_handle &handle);
    ~OpenedEvent();
    OpenedEvent(const OpenedEvent &) = delete;
    OpenedEvent &operator=(const OpenedEvent &) = delete;

    // Later work of the stream waits for it; the host does not.
    void hold(halo_stream stream) const { device_.check(device_.ops().event_wait(device_.instance(), event_, stream)); }

private:
    const Device &device_;
    halo_event *event_ = nullptr;
};

// Memory of another rank, for as long as this lives.
class OpenedMemory {
public:
    OpenedMemory(const Device &device, const halo_ipc_handle &handle);
    ~OpenedMemory();
    OpenedMemory(const OpenedMemory &) = delete;
    OpenedMemory &operator=(const OpenedMemory &) = delete;

    std::byte *data() const { return static_cast<std::byte *>(data_); }

private:
    const Device &device_;
    void *data_ = nullptr;
};

// Of one device.
class DeviceIpc {
public:
    explicit DeviceIpc(const Device &device) : device_(device) {}
    ~DeviceIpc();
    DeviceIpc(const DeviceIpc &) = delete;
    DeviceIpc &operator=(const DeviceIpc &) = delete;

    // Memory of the device of its kind HALO_MEMORY_DEVICE, which may be offered. Once it has been, others may have it open, whoever gives it back
    // here: it is kept, and given again to who wants as much, or less where the device has no more. nullptr: there is none.
    void *allocate(int32_t memory, size_t bytes) noexcept;
    void release(int32_t memory, void *pointer, size_t bytes) noexcept;
    // What an address is to others; nothing is offered if it lies elsewhere, or others cannot open it.
    DeviceOffer locate(const void *address);

    // Another rank's memory; nullptr: this device does not reach it. Each allocation is opened once, and stays open for a while when nobody uses it.
    std::shared_ptr<const OpenedMemory> open(const DeviceOffer &offer);
    // Why memory could not be offered or opened when that was last tried in vain.
    const std::string &trouble() const { return trouble_; }

private:
    struct Allocation {
        size_t bytes = 0;
        bool tried = false; // to offer it
        uint64_t number = 0;
        halo_ipc_handle handle{};
    };
    using Allocations = std::map<const std::byte *, Allocation>;
    void *take_kept(size_t least, size_t most) noexcept;
    void offer(const std::byte *data, Allocation &one);
    void close_idle() noexcept;

    const Device &device_;
    Allocations allocations_;
    Allocations kept_;                                               // nobody's here, but offered before
    std::map<uint64_t, std::shared_ptr<const OpenedMemory>> opened_; // by number; null: it cannot be
    size_t n_before_closing_ = 32;
    std::string trouble_;
};

} // namespace halo
