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

#include "memory/shared_block.h"

namespace halo {

class StorageGate {
public:
    StorageGate() = default;
    explicit StorageGate(const SharedBlock &block) : block_(block) {}

    // Release: to `claim`, what this rank has read in the storage before, and written into the notice.
    void open(uint32_t serial, uint32_t epoch) const;
    // True: the peer may use the storage, and must say when it has. Acquire: after `open`.
    bool claim(uint32_t serial, uint32_t epoch) const;
    // False: the owner has not waited. What was read may have been changed by then. Release: what was written, and that all has been read, to
    // `is_done` and `close`.
    bool done(uint32_t serial, uint32_t epoch) const;
    // Instead of `done`: it has not been used after all. The owner may close it.
    bool decline(uint32_t serial, uint32_t epoch) const;
    // Acquire: after `done`, before this rank reads or changes the storage.
    bool is_done(uint32_t serial, uint32_t epoch) const;
    // False: the peer is at it at this moment. Acquire: as in `is_done`, also after `decline`. `unused`: it was open.
    bool close(bool *unused = nullptr) const;
    // False: the peer has ended just now; acquire: as in `is_done`. True: nothing is handed over.
    bool revoke() const;

private:
    enum class State : uint64_t { closed, open, claimed, done };
    static State state_of(uint64_t word) { return static_cast<State>(word & 3u); }
    // 30 bits, never 0.
    static uint64_t bits_of(uint32_t epoch) { return epoch % 0x3fffffffu + 1; }
    static uint64_t word(uint32_t serial, uint32_t epoch, State state) {
        return static_cast<uint64_t>(serial) << 32 | bits_of(epoch) << 2 | static_cast<uint64_t>(state);
    }
    // Of a turn that was revoked: of no epoch.
    static uint64_t revoked_word(uint32_t serial, State state) { return static_cast<uint64_t>(serial) << 32 | static_cast<uint64_t>(state); }
    bool give_back(uint32_t serial, uint32_t epoch, State next) const;

    SharedBlock block_;
};

} // namespace halo
