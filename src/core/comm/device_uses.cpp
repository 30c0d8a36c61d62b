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

// Or has failed.
bool is_over(DeviceUse &use, std::optional<Error> &failed) noexcept {
    try {
        if (!use.done.has_fired()) return false;
        use.require_sound_steps();
        return true;
    } catch (...) {
        failed.emplace(present_error());
        return true;
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
void DeviceUses::lose(std::unique_ptr<DeviceUse> use) noexcept {
    static std::atomic<DeviceUse *> newest{ nullptr };
    lost_memory_ = lost_memory_ || !use->memory.empty() || !use->tables.empty();
    for (Buffer &buffer : use->memory) std::move(buffer).keep();
    DeviceUse *lost = use.release();
    lost->next.reset(newest.exchange(lost));
}

Error DeviceUses::failure_of(const DeviceUse &use, const Error &failed) const noexcept {
    try {
        const char *const text = failed.what();
        if (!use.owner)
            return { HALO_ERR_DEVICE, format("what has been put on device %d by what is gone has failed there: %s", device_.ordinal(), text) };
        return { HALO_ERR_DEVICE, format("%s: what start and finish of run %u have put on device %d has failed there after they had returned: %s",
                                         use.owner->what.c_str(), use.run, device_.ordinal(), text) };
    } catch (...) {
        return failed; // which takes no memory
    }
}

void DeviceUses::give_up(std::unique_ptr<DeviceUse> use, const Error &failed) noexcept {
    std::optional<Error> &place = use->owner && !use->owner->gone ? use->owner->failure : unheard_;
    if (!use->told && !place) place.emplace(failure_of(*use, failed));
    lose(std::move(use));
}

void DeviceUses::note(const Error &failed) noexcept {
    if (failed.status() != HALO_ERR_MEMORY && !unheard_) unheard_.emplace(failed);
}

void DeviceUses::reap() noexcept {
    for (std::unique_ptr<DeviceUse> *place = &in_use_; *place;) {
        std::optional<Error> failed;
        if (!is_over(**place, failed)) {
            place = &(*place)->next;
            continue;
        }
        std::unique_ptr<DeviceUse> over = pop(*place);
        if (failed) {
            give_up(std::move(over), *failed);
            continue;
        }
        over->memory.clear();
        over->tables.clear();
        over->owner.reset();
        over->told = false;
        over->n_steps = 0;
        push(free_, std::move(over));
    }
}

bool DeviceUses::lose_all() noexcept {
    while (in_use_) lose(pop(in_use_));
    return lost_memory_;
}

} // namespace halo
