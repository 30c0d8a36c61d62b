// SPDX-License-Identifier: BSD-3-Clause
// Messages that peers still owe to objects that are gone, such as the credits for the last runs of an exchange that only sends. Nobody else asks for
// them: they are taken as they come, so that none is left to the transport.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "comm/pending.h"

namespace halo {

class Context;

struct Owed {
    int32_t peer = -1;
    int32_t tag = 0;      // of lane 0
    bool certain = false; // the peer sends it unless it fails; else it may have no reason to
    // Is this message the last one? What came with the tag before is of the same object, or of an earlier one.
    std::function<bool(std::span<const std::byte> message)> is_last;
};

class OwedMessages {
public:
    explicit OwedMessages(Context &context) : context_(context) {}

    void expect(Owed owed);
    // Takes what has come; returns how many messages of failed runs that were.
    int64_t take();
    // A new object asks for what comes with this tag.
    void leave(int32_t tag);
    // A rank that certainly owes something, and may still send it; -1: none.
    int32_t debtor() const;
    // Before the transport is closed: what is coming in is the context's from now on.
    void hand_over() noexcept;

private:
    struct Entry : PendingMessage {
        Owed owed;
        size_t bytes = 0;
        bool left = false; // what comes after this message is another object's
        bool lost = false; // the peer is gone, or what it has sent is
    };

    bool take(Entry &entry, int64_t &n_dropped);
    bool take_unless_lost(Entry &entry, int64_t &n_dropped);

    Context &context_;
    std::vector<std::unique_ptr<Entry>> entries_;
};

} // namespace halo
