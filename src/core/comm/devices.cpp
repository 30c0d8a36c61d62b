// SPDX-License-Identifier: BSD-3-Clause
#include "comm/devices.h"

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "plugin/registry.h"
#include "plugin/selection.h"

namespace halo {

namespace {

template <int32_t memory, class Source>
void add_pool(const Device &device, Source &source, Pools &pools) {
    if (!device.has_memory(memory) || pools.has(memory, device.ordinal())) return;
    halo_allocator upstream{};
    upstream.memory = memory;
    upstream.device = device.ordinal();
    upstream.user = &source;
    upstream.allocate = [](void *self, size_t bytes) { return static_cast<Source *>(self)->allocate(memory, bytes); };
    upstream.release = [](void *self, void *pointer, size_t bytes) { static_cast<Source *>(self)->release(memory, pointer, bytes); };
    pools.add(upstream);
}

bool has_own_memory(const halo_device_plugin &plugin) { return (plugin.memory_kinds >> HALO_MEMORY_DEVICE & 1u) != 0; }

} // namespace

std::string memory_text(int32_t memory, int32_t ordinal) {
    if (memory != HALO_MEMORY_DEVICE || ordinal < 0) return format("%s memory", memory_name(memory));
    return format("%s memory of device %d", memory_name(memory), ordinal);
}

// A module without memory of its own works on that of the host.
Devices::Devices(const Config &config, const halo_host &host, const std::string &report, const LocalRank &local) : services_(host), report_(report) {
    const halo_device_plugin *chosen = choose_device(config, host).plugin;
    if (has_own_memory(*chosen)) plugin_ = std::exchange(chosen, find_host_device(config, host).plugin);
    if (plugin_) own_ = choose_own_device(*plugin_, config, host, local);
    host_ = std::make_unique<Device>(*chosen, host, 0, report);
}

Device &Devices::open(int32_t ordinal, Pools &pools) {
    for (const auto &one : opened_)
        if (one->device.ordinal() == ordinal) return one->device;
    if (!plugin_) fail(HALO_ERR_DEVICE, "device %d: device '%s' (setting device) has no memory of its own", ordinal, host_->name());
    auto made = std::make_unique<Opened>(*plugin_, services_, ordinal, report_, unheard_);
    opened_.reserve(opened_.size() + 1);
    add_pool<HALO_MEMORY_PINNED>(made->device, made->device, pools);
    add_pool<HALO_MEMORY_DEVICE>(made->device, made->ipc, pools);
    opened_.push_back(std::move(made));
    return opened_.back()->device;
}

// A program that takes a device's memory for the host's has opened none here yet.
PointerKind Devices::kind_of(const void *pointer, Pools &pools) noexcept {
    const bool tells = plugin_ && has_member(*plugin_->ops, &halo_device_ops::pointer_kind);
    if (!tells || !plugin_->ops->pointer_kind) return {};
    if (opened_.empty() && may_open_) try {
            open(own_.ordinal, pools);
        } catch (...) { // who uses it will hear why
            may_open_ = false;
        }
    return opened_.empty() ? PointerKind() : opened_.front()->device.kind_of(pointer);
}

std::string Devices::known_otherwise(const void *pointer, int32_t memory, int32_t ordinal, Pools &pools) {
    const PointerKind found = kind_of(pointer, pools);
    const bool on_host = found.kind == HALO_POINTER_HOST, on_device = found.kind == HALO_POINTER_DEVICE;
    const bool elsewhere = on_device && found.ordinal >= 0 && found.ordinal != ordinal;
    if (memory == HALO_MEMORY_DEVICE ? !on_host && !elsewhere : !on_device) return {};
    return memory_text(on_host ? HALO_MEMORY_HOST : HALO_MEMORY_DEVICE, found.ordinal);
}

Devices::Opened &Devices::opened(const Device &device) {
    return **std::find_if(opened_.begin(), opened_.end(), [&](const auto &one) { return &one->device == &device; });
}

DeviceUses &Devices::uses(const Device &device) { return opened(device).uses; }
DeviceIpc &Devices::ipc(const Device &device) { return opened(device).ipc; }

void Devices::reap() noexcept {
    for (const auto &one : opened_) one->uses.reap();
}

bool Devices::any_in_use() const noexcept {
    return std::any_of(opened_.begin(), opened_.end(), [](const auto &one) { return !one->uses.empty(); });
}

bool Devices::lose_all() noexcept {
    bool any = false;
    for (const auto &one : opened_) any = one->uses.lose_all() || any;
    return any;
}

void Devices::leave(DeviceOwner &owner) noexcept {
    owner.gone = true;
    if (owner.failure && !unheard_) unheard_ = owner.failure;
}

} // namespace halo
