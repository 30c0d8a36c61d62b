// SPDX-License-Identifier: BSD-3-Clause
// What a device still works on: memory and tables that are let go of when an event behind the work has fired.
#pragma once

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "comm/device.h"
#include "memory/pool.h"

namespace halo {

struct DeviceUse {
    explicit DeviceUse(const Device &device) : done(device) {}

    Event done; // recorded behind the work
    std::vector<Buffer> memory;
    std::vector<std::shared_ptr<const void>> tables;
    std::unique_ptr<DeviceUse> next;
};

// Those of one device. Uses that are over are used again, so that the steady state allocates nothing.
class DeviceUses {
public:
    explicit DeviceUses(const Device &device) : device_(device) {}
    ~DeviceUses();
    DeviceUses(const DeviceUses &) = delete;
    DeviceUses &operator=(const DeviceUses &) = delete;

    std::unique_ptr<DeviceUse> take();
    // Its event has been recorded.
    void keep(std::unique_ptr<DeviceUse> use) noexcept;
    // Memory until an event has fired that has been recorded: there is another one in its place afterwards. What fails leaves all as it was.
    void keep(Event &done, std::initializer_list<Buffer *> memory);
    // Nobody knows when the device is done with it: its memory is used no more. True: there was some.
    static bool lose(std::unique_ptr<DeviceUse> use) noexcept;
    // Lets go of what is over.
    void reap() noexcept;
    bool empty() const { return !in_use_; }
    bool lose_all() noexcept;

private:
    const Device &device_;
    std::unique_ptr<DeviceUse> in_use_;
    std::unique_ptr<DeviceUse> free_;
};

} // namespace halo
