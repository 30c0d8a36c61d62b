// SPDX-License-Identifier: BSD-3-Clause
#include "comm/device_ipc.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/error.h"
#include "memory/shared_file.h"

namespace halo {

ExportedEvent::ExportedEvent(const Device &device) : device_(device) {
    device.check(device.ipc()->export_event(device.instance(), &event_, &handle_));
}

ExportedEvent::~ExportedEvent() { device_.ops().event_destroy(device_.instance(), event_); }

OpenedEvent::OpenedEvent(const Device &device, const halo_ipc_handle &handle) : device_(device) {
    device.check(device.ipc()->open_event(device.instance(), &handle, &event_));
}

OpenedEvent::~OpenedEvent() { device_.ops().event_destroy(device_.instance(), event_); }

OpenedMemory::OpenedMemory(const Device &device, const halo_ipc_handle &handle) : device_(device) {
    device.check(device.ipc()->open_memory(device.instance(), &handle, &data_));
}

OpenedMemory::~OpenedMemory() { device_.ipc()->close_memory(device_.instance(), data_); }

DeviceIpc::~DeviceIpc() {
    for (const auto &[data, one] : kept_) device_.release(HALO_MEMORY_DEVICE, const_cast<std::byte *>(data), one.bytes);
}

void *DeviceIpc::allocate(int32_t memory, size_t bytes) noexcept {
    if (!device_.ipc()) return device_.allocate(memory, bytes);
    if (void *const kept = take_kept(bytes, bytes)) return kept;
    try {
        Allocations made{ { nullptr, { bytes } } };
        Allocations::node_type node = made.extract(made.begin());
        void *const data = device_.allocate(memory, bytes);
        node.key() = static_cast<std::byte *>(data);
        if (!data) return take_kept(bytes, SIZE_MAX);
        allocations_.insert(std::move(node));
        return data;
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

// The smallest of at least, and at most, so many bytes.
void *DeviceIpc::take_kept(size_t least, size_t most) noexcept {
    auto best = kept_.end();
    for (auto one = kept_.begin(); one != kept_.end(); ++one) {
        const size_t bytes = one->second.bytes;
        if (bytes >= least && bytes <= most && (best == kept_.end() || bytes < best->second.bytes)) best = one;
    }
    if (best == kept_.end()) return nullptr;
    void *const data = const_cast<std::byte *>(best->first);
    allocations_.insert(kept_.extract(best));
    return data;
}

void DeviceIpc::release(int32_t memory, void *pointer, size_t bytes) noexcept {
    Allocations::node_type node = allocations_.extract(static_cast<std::byte *>(pointer));
    if (node && node.mapped().number != 0)
        kept_.insert(std::move(node));
    else
        device_.release(memory, pointer, bytes);
}

void DeviceIpc::offer(const std::byte *data, Allocation &one) {
    one.tried = true;
    try {
        device_.check(device_.ipc()->export_memory(device_.instance(), const_cast<std::byte *>(data), &one.handle));
        one.number = random_word();
    } catch (const Error &error) {
        trouble_ = error.what();
    }
}

DeviceOffer DeviceIpc::locate(const void *address) {
    const auto *at = static_cast<const std::byte *>(address);
    const auto after = allocations_.upper_bound(at);
    if (after == allocations_.begin()) return {};
    auto &[data, one] = *std::prev(after);
    const auto offset = static_cast<size_t>(at - data);
    if (offset >= one.bytes) return {};
    if (!one.tried) offer(data, one);
    if (one.number == 0) return {};
    return { one.number, offset, one.bytes - offset, one.handle };
}

std::shared_ptr<const OpenedMemory> DeviceIpc::open(const DeviceOffer &offer) {
    if (offer.number == 0 || !device_.ipc()) return nullptr;
    const auto known = opened_.find(offer.number);
    if (known != opened_.end()) return known->second;
    close_idle();
    std::shared_ptr<const OpenedMemory> made;
    try {
        made = std::make_shared<const OpenedMemory>(device_, offer.handle);
    } catch (const Error &error) {
        if (error.status() != HALO_ERR_DEVICE) throw;
        trouble_ = error.what();
    }
    return opened_.emplace(offer.number, std::move(made)).first->second;
}

// To open memory costs more than many a run, and objects that come and go use the same again and again.
void DeviceIpc::close_idle() noexcept {
    constexpr size_t least = 32;
    if (opened_.size() < n_before_closing_) return;
    std::erase_if(opened_, [](const auto &one) { return one.second.use_count() <= 1; });
    n_before_closing_ = std::max(least, 2 * opened_.size());
}

} // namespace halo
