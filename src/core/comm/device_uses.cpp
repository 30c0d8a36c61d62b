// SPDX-License-Identifier: BSD-3-Clause
#include "comm/device_uses.h"

#include <atomic>

namespace halo {

namespace {

void push(std::unique_ptr<DeviceUse> &list, std::unique_ptr<DeviceUse> use) noexcept {
    use->next = std::move(list);
    list = std::move(use);
}

std::unique_ptr<DeviceUse> pop(std::unique_ptr<DeviceUse> &list) noexcept {
    std::unique_ptr<DeviceUse> first = std::move(list);
    list = std::move(first->next);
    return first;
}

// A device that cannot say is taken to be at work.
bool is_over(DeviceUse &use) noexcept {
    try {
        return use.done.has_fired();
    } catch (...) {
        return false;
    }
}

} // namespace

DeviceUses::~DeviceUses() { // one by one: lists may be long
    while (in_use_) pop(in_use_);
    while (free_) pop(free_);
}

std::unique_ptr<DeviceUse> DeviceUses::take() {
    reap();
    return free_ ? pop(free_) : std::make_unique<DeviceUse>(device_);
}

void DeviceUses::keep(std::unique_ptr<DeviceUse> use) noexcept { push(in_use_, std::move(use)); }

void DeviceUses::keep(Event &done, std::initializer_list<Buffer *> memory) {
    std::unique_ptr<DeviceUse> use = take();
    use->memory.reserve(memory.size());
    use->done = std::move(done); // which swaps them
    for (Buffer *buffer : memory) use->memory.push_back(std::move(*buffer));
    keep(std::move(use));
}

// What leads to it stays too, so that it does not look lost.
bool DeviceUses::lose(std::unique_ptr<DeviceUse> use) noexcept {
    static std::atomic<DeviceUse *> newest{ nullptr };
    const bool any = !use->memory.empty() || !use->tables.empty();
    for (Buffer &buffer : use->memory) std::move(buffer).keep();
    DeviceUse *lost = use.release();
    lost->next.reset(newest.exchange(lost));
    return any;
}

void DeviceUses::reap() noexcept {
    for (std::unique_ptr<DeviceUse> *place = &in_use_; *place;) {
        if (!is_over(**place)) {
            place = &(*place)->next;
            continue;
        }
        std::unique_ptr<DeviceUse> over = pop(*place);
        over->memory.clear();
        over->tables.clear();
        push(free_, std::move(over));
    }
}

bool DeviceUses::lose_all() noexcept {
    bool any = false;
    while (in_use_) any = lose(pop(in_use_)) || any;
    return any;
}

} // namespace halo
