// SPDX-License-Identifier: BSD-3-Clause
// What a device still works on: memory and tables that are let go of when an event behind the work has fired. Work may fail when the calls that have
// put it on have returned long since: a later call of its owner says so.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "comm/device.h"
#include "memory/pool.h"

namespace halo {

// Whose work it is. The work may outlive him.
struct DeviceOwner {
    explicit DeviceOwner(std::string text) : what(std::move(text)) {}

    const std::string what;       // "exchange 3 over u"
    std::optional<Error> failure; // the first that nobody has been told of
    bool gone = false;
};

struct DeviceUse {
    explicit DeviceUse(const Device &device) : done(device) {}

    // Has something failed behind which other work followed? Then `done` need not say so.
    void require_sound_steps() {
        for (size_t i = 0; i < n_steps; ++i) static_cast<void>(steps[i].has_fired());
    }

    Event done;               // recorded behind the work
    std::vector<Event> steps; // the first n_steps of them behind steps of it
    size_t n_steps = 0;
    std::vector<Buffer> memory;
    std::vector<std::shared_ptr<const void>> tables;
    std::shared_ptr<DeviceOwner> owner; // null: he is gone
    uint32_t run = 0;                   // of the owner
    bool told = false;                  // that the run has failed
    std::unique_ptr<DeviceUse> next;
};

// Those of one device. Uses that are over are used again, so that the steady state allocates nothing.
class DeviceUses {
public:
    // What fails with no owner left to be told is put into `unheard`, if that is empty.
    DeviceUses(const Device &device, std::optional<Error> &unheard) : device_(device), unheard_(unheard) {}
    ~DeviceUses();
    DeviceUses(const DeviceUses &) = delete;
    DeviceUses &operator=(const DeviceUses &) = delete;

    std::unique_ptr<DeviceUse> take();
    // Its event has been recorded.
    void keep(std::unique_ptr<DeviceUse> use) noexcept;
    // Memory until an event has fired that has been recorded: there is another one in its place afterwards. What fails leaves all as it was.
    void keep(Event &done, std::initializer_list<Buffer *> memory);
    // The device has failed in it. Nobody knows when it is done with the memory: that is used no more.
    void give_up(std::unique_ptr<DeviceUse> use, const Error &failed) noexcept;
    // Likewise of work that is in none of these. Want of memory is no failure of the device.
    void note(const Error &failed) noexcept;
    // Lets go of what is over, and gives up what has failed.
    void reap() noexcept;
    bool empty() const { return !in_use_; }
    // What is in use stays. True: there is memory that is used no more, now or from before.
    bool lose_all() noexcept;

private:
    Error failure_of(const DeviceUse &use, const Error &failed) const noexcept;
    void lose(std::unique_ptr<DeviceUse> use) noexcept;

    const Device &device_;
    std::optional<Error> &unheard_;
    bool lost_memory_ = false;
    std::unique_ptr<DeviceUse> in_use_;
    std::unique_ptr<DeviceUse> free_;
};

} // namespace halo
