// SPDX-License-Identifier: BSD-3-Clause
// How the edges between ranks travel: one message per peer, or one per channel.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exchange/paths/policy.h"
#include "exchange/round_spec.h"
#include "exchange/run.h"
#include "exchange/sparse.h"
#include "stream/stream.h"

namespace halo {

struct MessageSetup {
    Context &context;
    const RoundSpec &spec;
    const Plan &plan; // of the round's first run: names edges; all outlive the messages
    const RunId &id;  // outlives the messages
    const Run &run;   // the present one, or the last; outlives the messages
    PathPolicy paths;
};

// Combines contributions to one piece as its tables say.
using CombineBy = std::function<void(size_t piece, const Lowered &rows, const std::vector<void *> &bases)>;

class Messages {
public:
    virtual ~Messages() = default;

    // What messages of a run that is not narrowed lie in.
    virtual void allocate() = 0;
    virtual void post(Run &run) = 0;
    // Plans that runs were seen with may be gone.
    virtual void forget_plans() {}
    // May everything be packed now? Never blocks.
    virtual bool writable() = 0;
    // Who has kept it from being writable when that was last asked: " rank 3 rank 5". Never polls: else it might find nobody any more.
    virtual std::string blocking_ranks() const = 0;
    // Ranks whose part has not come, or who have kept it from being writable.
    virtual std::vector<int32_t> awaited() const = 0;
    // Pack and send everything, copy what stays on this rank.
    virtual void send(Run &run) = 0;
    // Polls; true when everything is here.
    virtual bool test(Run &run) = 0;
    // While something is missing: has a peer, whose part is here, told of a failure that lasts? Throws.
    virtual void look_ahead() = 0;
    // All is here: has the peer of this link of the plan written the dense values where they belong?
    virtual bool has_landed(size_t) const { return false; }
    // Note parts that got data but have no storage. Only when everything is here.
    virtual void note_arrivals(const Run &run, Arrivals &arrivals) = 0;
    // Write into the ghosts what is here and has not been written yet.
    virtual void unpack(Run &run) = 0;
    // Combine what is here, and all of it is.
    virtual void combine(Run &run, const CombineBy &by) {
        for (size_t p = 0; p < run.pieces.size(); ++p)
            if (run.pieces[p].takes_part) by(p, *run.pieces[p].rows, run.pieces[p].bases);
    }
    // The run is over: all has been used.
    virtual void consume(Run &run) = 0;

    // To peers that have not got this rank's part of the run.
    virtual void send_failure(uint32_t epoch, const Error &error) = 0;
    // Throws where no other run can follow.
    virtual void end_failed_run() = 0;
    virtual void abandon() noexcept = 0;

    // Which channels have not come: key, ranks, states, bytes, epoch. The first few by name.
    virtual std::string missing(const Run &run) const = 0;
    virtual void count(halo_exchange_stats &stats) const = 0;
    // A line for each peer and direction: what goes that way, by which paths it has gone, and why.
    virtual std::string describe_paths() const = 0;
};

std::unique_ptr<Messages> make_aggregated(const MessageSetup &setup);
std::unique_ptr<Messages> make_per_channel(const MessageSetup &setup);

// Of a link whose peer has another plan, until the edge that differs is known.
inline constexpr const char *differs_text = "its plan is not this rank's, and which edge differs is being found out; ";

std::string blocking_ranks(const std::vector<std::unique_ptr<Stream>> &links);
std::vector<int32_t> awaited_ranks(const std::vector<std::unique_ptr<Stream>> &links);

// What the message of a link of the plan must carry in the present run, by the states in it.
using PayloadOfLink = std::function<size_t(size_t plan_link, const std::byte *message)>;

// Data of a run that has failed here have come after all.
using LateOnLink = std::function<void(size_t plan_link, const MessageHeader &header, const std::byte *payload)>;

// Begins the payload where values have messages of their own: how many follow.
using ChannelCount = int64_t;

// A link for every peer of the plan; `with_payload` false: what goes with messages of values alone. By distance above this rank, so that not all
// begin with rank 0.
std::vector<std::unique_ptr<Stream>> make_links(const MessageSetup &setup, bool with_payload, const PayloadOfLink &payload,
                                                const LateOnLink &late = {});
// Numbers of those links in the plan.
std::vector<size_t> plan_links_of(const Plan &plan, const std::vector<std::unique_ptr<Stream>> &links);

} // namespace halo
