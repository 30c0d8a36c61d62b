// SPDX-License-Identifier: BSD-3-Clause
// The devices of a context: the host, and those with memory of their own that the module named by the setting `device` has, by ordinal. These are
// opened when they are first asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/config.h"
#include "comm/departing.h"
#include "comm/device_ipc.h"
#include "comm/device_uses.h"
#include "memory/space.h"
#include "plugin/own_device.h"

namespace halo {

// "device memory of device 1"
std::string memory_text(int32_t memory, int32_t ordinal);

class Devices {
public:
    // `host` and `report` outlive it, and the pools what devices still use. HALO_ERR_DEVICE: the setting device.ordinal names one that is not there.
    Devices(const Config &config, const halo_host &host, const std::string &report, const LocalRank &local);

    Device &host() const { return *host_; }
    // Of the module with memory of its own; else of the host.
    const char *name() const { return plugin_ ? plugin_->name : host_->name(); }
    bool has_memory() const { return plugin_ != nullptr; }
    // HALO_ERR_DEVICE: there is none. Adds its pools, unless the caller's allocators are there.
    Device &open(int32_t ordinal, Pools &pools);
    Device &of(Space space, Pools &pools) { return space.on_device() ? open(space.device, pools) : *host_; }
    DeviceUses &uses(const Device &device);
    DeviceIpc &ipc(const Device &device);
    // The device that is taken where the program names none; ordinal 0 without memory of its own.
    const OwnDevice &own() const { return own_; }
    // Of memory that is said to be of a kind, and of a device's of which: as what the module knows it, in words. "": nothing speaks against it. Asks
    // a device that is open, else opens this rank's own; where it cannot, nothing is known.
    std::string known_otherwise(const void *pointer, int32_t memory, int32_t ordinal, Pools &pools);

    void reap() noexcept;
    // Does so in each call and wait of the rank, as long as anything is in use: of who is waited for by others.
    Departing &reaping() { return reaping_; }
    bool any_in_use() const noexcept;
    // As DeviceUses do.
    bool lose_all() noexcept;
    // Nobody will ask what has become of his work.
    void leave(DeviceOwner &owner) noexcept;
    // The first failure of work that nobody asks for, once.
    std::optional<Error> take_unheard() noexcept { return std::exchange(unheard_, std::nullopt); }

private:
    PointerKind kind_of(const void *pointer, Pools &pools) noexcept;

    struct Opened {
        Opened(const halo_device_plugin &plugin, const halo_host &host, int32_t ordinal, const std::string &report, std::optional<Error> &unheard)
            : device(plugin, host, ordinal, report),
              uses(device, unheard),
              ipc(device) {}
        Device device;
        DeviceUses uses;
        DeviceIpc ipc;
    };
    Opened &opened(const Device &device);

    const halo_host &services_;
    const std::string &report_;
    std::unique_ptr<Device> host_;
    const halo_device_plugin *plugin_ = nullptr;
    OwnDevice own_;
    bool may_open_ = true; // to look at memory
    std::optional<Error> unheard_;
    std::vector<std::unique_ptr<Opened>> opened_;

    class Reaping final : public Departing {
    public:
        explicit Reaping(Devices &devices) : devices_(devices) {}
        bool depart() noexcept override {
            devices_.reap();
            return !devices_.any_in_use();
        }

    private:
        Devices &devices_;
    };
    Reaping reaping_{ *this };
};

} // namespace halo
