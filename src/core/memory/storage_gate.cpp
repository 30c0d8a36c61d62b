// SPDX-License-Identifier: BSD-3-Clause
#include "memory/storage_gate.h"

#include "base/schedule_point.h"
#include "memory/shared_word.h"

namespace halo {

void StorageGate::open(uint32_t serial, uint32_t epoch) const {
    SharedWord(block_.state()).store(word(serial, epoch, State::open), std::memory_order_release);
}

bool StorageGate::claim(uint32_t serial, uint32_t epoch) const {
    uint64_t expected = word(serial, epoch, State::open);
    if (SharedWord(block_.state()).compare_exchange_strong(expected, word(serial, epoch, State::claimed), std::memory_order_acq_rel)) return true;
    count(Rare::not_open);
    return false;
}

bool StorageGate::done(uint32_t serial, uint32_t epoch) const { return give_back(serial, epoch, State::done); }

bool StorageGate::decline(uint32_t serial, uint32_t epoch) const {
    count(Rare::declined);
    return give_back(serial, epoch, State::open);
}

bool StorageGate::is_done(uint32_t serial, uint32_t epoch) const {
    return SharedWord(block_.state()).load(std::memory_order_acquire) == word(serial, epoch, State::done);
}

bool StorageGate::close(bool *unused) const {
    const SharedWord state(block_.state());
    uint64_t now = state.load(std::memory_order_acquire);
    while (state_of(now) != State::claimed)
        if (state.compare_exchange_weak(now, 0, std::memory_order_acq_rel)) {
            if (unused) *unused = state_of(now) == State::open;
            return true;
        }
    return false;
}

bool StorageGate::revoke() const {
    const SharedWord state(block_.state());
    uint64_t now = state.load(std::memory_order_acquire);
    while (state_of(now) == State::claimed)
        if (state.compare_exchange_weak(now, revoked_word(static_cast<uint32_t>(now >> 32), State::claimed), std::memory_order_acq_rel)) {
            count(Rare::revoked);
            return true;
        }
    return false;
}

bool StorageGate::give_back(uint32_t serial, uint32_t epoch, State next) const {
    const SharedWord state(block_.state());
    uint64_t expected = word(serial, epoch, State::claimed);
    if (state.compare_exchange_strong(expected, word(serial, epoch, next), std::memory_order_acq_rel)) return true;
    state.store(revoked_word(serial, State::done), std::memory_order_release); // to `close`, when the lease ends
    count(Rare::taken_from_reader);
    return false;
}

} // namespace halo
