// SPDX-License-Identifier: BSD-3-Clause
// Whose turn it is with some storage of one rank, of which it has told another: a word in memory that both ends share.
//
// owner: closed --open--> open               closed <--close-- open, done
// peer:                   open --claim--> claimed --done--> done, or --decline--> open
// owner: claimed --revoke--> revoked: it does not wait for the peer, which is at it still, and learns so when it gives it back
//
// The word names the exchange and its run, so that a peer that lags behind never claims a later one. All that both ends use besides it, the storage
// and what the notice tells of it, is handed over by it: who gives a turn away stores with release, who takes it loads with acquire.
#pragma once

#include <cstdint>

#include "base/schedule_point.h"
#include "memory/shared_arena.h"

namespace halo {

class StorageGate {
public:
    StorageGate() = default;
    explicit StorageGate(const SharedBlock &block) : block_(block) {}

    // Release: to `claim`, what this rank has read in the storage before, and written into the notice.
    void open(uint32_t serial, uint32_t epoch) const { block_.state().store(word(serial, epoch, State::open), std::memory_order_release); }
    // True: the peer may use the storage, and must say when it has. Acquire: after `open`.
    bool claim(uint32_t serial, uint32_t epoch) const {
        uint64_t expected = word(serial, epoch, State::open);
        if (block_.state().compare_exchange_strong(expected, word(serial, epoch, State::claimed), std::memory_order_acq_rel)) return true;
        count(Rare::not_open);
        return false;
    }
    // False: the owner has not waited. What was read may have been changed by then. Release: what was written, and that all has been read, to
    // `is_done` and `close`.
    bool done(uint32_t serial, uint32_t epoch) const { return give_back(serial, epoch, State::done); }
    // Instead of `done`: it has not been used after all. The owner may close it.
    bool decline(uint32_t serial, uint32_t epoch) const {
        count(Rare::declined);
        return give_back(serial, epoch, State::open);
    }
    // Acquire: after `done`, before this rank reads or changes the storage.
    bool is_done(uint32_t serial, uint32_t epoch) const { return block_.state().load(std::memory_order_acquire) == word(serial, epoch, State::done); }
    // False: the peer is at it at this moment. Acquire: as in `is_done`, also after `decline`.
    bool close() const {
        uint64_t now = block_.state().load(std::memory_order_acquire);
        while (state_of(now) != State::claimed)
            if (block_.state().compare_exchange_weak(now, 0, std::memory_order_acq_rel)) return true;
        return false;
    }
    // False: the peer has ended just now; acquire: as in `is_done`. True: nothing is handed over.
    bool revoke() const {
        uint64_t now = block_.state().load(std::memory_order_acquire);
        while (state_of(now) == State::claimed)
            if (block_.state().compare_exchange_weak(now, word(static_cast<uint32_t>(now >> 32), no_epoch, State::claimed),
                                                     std::memory_order_acq_rel)) {
                count(Rare::revoked);
                return true;
            }
        return false;
    }

private:
    enum class State : uint64_t { closed, open, claimed, done };
    static constexpr uint32_t no_epoch = 0; // of a turn that was revoked
    static State state_of(uint64_t word) { return static_cast<State>(word & 3u); }
    static uint64_t word(uint32_t serial, uint32_t epoch, State state) {
        return static_cast<uint64_t>(serial) << 32 | (static_cast<uint64_t>(epoch) << 2 & 0xfffffffcu) | static_cast<uint64_t>(state);
    }
    bool give_back(uint32_t serial, uint32_t epoch, State next) const {
        uint64_t expected = word(serial, epoch, State::claimed);
        if (block_.state().compare_exchange_strong(expected, word(serial, epoch, next), std::memory_order_acq_rel)) return true;
        block_.state().store(word(serial, no_epoch, State::done), std::memory_order_release); // to `close`, when the lease ends
        count(Rare::taken_from_reader);
        return false;
    }

    SharedBlock block_;
};

} // namespace halo
