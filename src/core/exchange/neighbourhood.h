// SPDX-License-Identifier: BSD-3-Clause
// All messages of a run in one operation of the transport, a neighbourhood collective: `messages = neighbourhood`.
//
// It exists when the exchange has been prepared, on all ranks or none, and serves all runs from the first one on. Each rank that has peers starts one
// operation in every run, also where it fails: then there is its status in each message. So the operations of all ranks stay in step as epochs do.
// Messages are those of streams (stream/stream.h), each in memory of the most bytes that it can have.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/pending.h"
#include "exchange/links.h"

namespace halo {

class Neighbourhood {
public:
    Neighbourhood(const MessageSetup &setup, Links &links) : setup_(setup), links_(links) {}
    ~Neighbourhood();
    Neighbourhood(const Neighbourhood &) = delete;
    Neighbourhood &operator=(const Neighbourhood &) = delete;

    // Collective. Continues where it was when it has failed and is called again; does nothing once it is known whether it can be.
    void join();
    bool is_joined() const { return joined_; }
    std::string describe() const;

    // A run begins.
    void begin(uint32_t epoch);
    // Memory for its messages. False: those of the last two runs are still on their way.
    bool take_turn();
    // They are packed.
    void start();
    // Brings each link what has come.
    void test();
    // Run `epoch` has failed: who has not got this rank's part of it gets the error.
    void fail(uint32_t epoch, const Error &error);
    void abandon();
    // True: something is under way.
    bool progress_alone();

private:
    // The messages of one run, to and from all peers.
    struct Turn : PendingMessage {
        uint32_t epoch = 0;
    };
    // Of a link, in the memory of a turn.
    struct Place {
        Stream *link;
        size_t at;
    };

    std::string why_not_here(Transport *&transport) const;
    int64_t sum_of_messages() const;
    void place_messages();
    void create();
    Turn &add_turn();
    void take(Turn &turn);
    bool has_ended(Turn &turn) { return is_complete(turn, setup_.context.fabric()); }

    const MessageSetup setup_;
    Links &links_;
    bool joined_ = false;
    std::string why_not_; // all ranks know
    Transport *transport_ = nullptr;
    halo_neighbourhood *handle_ = nullptr;
    std::vector<Place> sends_, receives_;
    size_t turn_bytes_ = 0;
    std::vector<const void *> sent_;
    std::vector<void *> received_;
    std::vector<std::unique_ptr<Turn>> turns_; // two; more where runs have failed ahead of the peers
    uint32_t epoch_ = 0;
    Turn *present_ = nullptr; // of the present run
    bool started_ = false;
    bool brought_ = false;
};

} // namespace halo
