// SPDX-License-Identifier: BSD-3-Clause
// Two ranks of this process, both driven by one thread, so that every step is where the test wants it.
#pragma once

#include <memory>
#include <thread>

#include "channel/mailbox.h"
#include "inproc_context.h"

namespace test {

class Pair {
public:
    explicit Pair(bool check_mode = false) : group_(halo::create_inproc_group(2)) {
        const halo_setting check = { "check", "yes" };
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.settings = &check;
        options.n_settings = check_mode ? 1 : 0;
        on_both([&](int rank) {
            contexts_[rank] = halo::open_context(group_, rank, options);
            contexts_[rank]->reserve_channel_tags(16);
            rooms_[rank] = std::make_unique<halo::MailRoom>(*contexts_[rank]);
        });
    }
    ~Pair() {
        for (int rank = 0; rank < 2; ++rank) {
            rooms_[rank].reset();
            contexts_[rank].reset();
        }
        halo::destroy_inproc_group(group_);
    }
    Pair(const Pair &) = delete;
    Pair &operator=(const Pair &) = delete;

    halo::Context &context(int rank) { return *contexts_[rank]; }
    halo::MailRoom &room(int rank) { return *rooms_[rank]; }

    template <class Body>
    static void on_both(Body &&body) {
        std::thread other([&] { body(1); });
        body(0);
        other.join();
    }

private:
    halo_inproc *group_;
    std::unique_ptr<halo::Context> contexts_[2];
    std::unique_ptr<halo::MailRoom> rooms_[2];
};

// Both ends of one channel from rank 0 to rank 1.
struct Ends {
    halo::MailAddress address;
    halo::Mailbox sender;
    halo::Mailbox receiver;

    Ends(Pair &pair, int64_t bytes, bool sparse, bool bare = false)
        : address{ 7, pair.context(0).channel_tags().tag(3), bare },
          sender(pair.room(0), spec(bytes, sparse)),
          receiver(pair.room(1), spec(bytes, sparse)) {
        sender.open(address);
        receiver.open(address);
    }
    static halo::MailboxSpec spec(int64_t bytes, bool sparse) {
        halo::MailboxSpec spec;
        spec.key = { 3, 7, 2, 14, 0 };
        spec.send_rank = 0;
        spec.receive_rank = 1;
        spec.bytes = bytes;
        spec.sparse = sparse;
        return spec;
    }
};

} // namespace test
