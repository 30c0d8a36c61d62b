// SPDX-License-Identifier: BSD-3-Clause
// Messages that peers still owe to objects that are gone, such as the credits for the last runs of an exchange that only sends. Nobody else asks for
// them: they are taken as they come, so that none is left to the transport.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/transport.h"
#include "memory/pool.h"

namespace halo {

struct Owed {
    int32_t peer = -1;
    int32_t tag = 0;      // of lane 0
    bool certain = false; // the peer sends it unless it fails; else it may have no reason to
    // Is this message the last one? What came with the tag before is of the same object, or of an earlier one.
    std::function<bool(std::span<const std::byte> message)> is_last;
};

class OwedMessages {
public:
    OwedMessages(Transport &transport, Pools &pools) : transport_(transport), pools_(pools) {}

    void expect(Owed owed);
    // Takes what has come; returns how many messages of failed runs that were.
    int64_t take();
    // A new object asks for what comes with this tag.
    void leave(int32_t tag);
    // A rank that certainly owes something; -1: none.
    int32_t debtor() const;

private:
    struct Entry {
        Owed owed;
        Buffer buffer;
        size_t bytes = 0;
        halo_request request{};
        bool receiving = false;
    };

    bool take(Entry &entry, int64_t &n_dropped);

    Transport &transport_;
    Pools &pools_;
    std::vector<std::unique_ptr<Entry>> entries_;
};

} // namespace halo
