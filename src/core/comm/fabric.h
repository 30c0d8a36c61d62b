// SPDX-License-Identifier: BSD-3-Clause
// How this rank reaches the others: by one transport, or each of them by the first of several that does. Whoever waits lets all of them work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "comm/transport.h"

namespace halo {

// An operation in flight, or a message that has been found, and whose it is.
struct Request : halo_request {
    uint8_t transport = 0;
};
struct Matched : halo_matched {
    uint8_t transport = 0;
};

class Fabric {
public:
    // Must reach all ranks. `why` it was chosen, for those who ask.
    explicit Fabric(std::unique_ptr<Transport> transport, std::string why = {});
    // A transport between the same ranks, for which there must be room. From then on it serves those that it reaches and none before it did; what has
    // no order of its own may be on its way. All ranks must have it before any uses it.
    void make_room_for(const Transport &transport);
    void add(std::unique_ptr<Transport> transport, std::string why) noexcept;
    // Adds up to 0 over all ranks if the two ranks of each pair have chosen the same transport for it.
    int64_t sum_of_pairs() const;

    int32_t rank() const { return all_.front()->rank(); }
    int32_t size() const { return all_.front()->size(); }
    // The least of theirs.
    int32_t max_tag() const;
    bool ends_all_when_closed() const;
    bool for_this_thread_only() const;
    // "mpi_openmpi", or of several: "shm to 3 ranks, mpi_openmpi to 4".
    std::string describe() const;
    // Of several, a line for each: "  shm, which reaches them first: ranks 0, 2 to 3". And of each why it was chosen: "  why: ...".
    std::string describe_routes() const;
    // The transport that serves this rank, and of several why: "shm, which reaches it first".
    std::string describe_route(int32_t peer) const;
    size_t n_transports() const { return all_.size(); }
    // Of the transport that reaches all.
    const char *name_of_rest() const { return all_.front()->name(); }
    // Do messages between this rank and that one, or any, go on only while their sender makes calls?
    bool sends_by_calls(int32_t peer) const { return all_[serves_[static_cast<size_t>(peer)]]->sends_by_calls(peer); }
    bool any_sends_by_calls() const;
    // As Transport::takes_memory_of, of the one that serves the rank, whose name stands in front of `why`.
    bool takes_memory_of(const char *device, int32_t peer, std::string &why) const;

    void send(int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes, Request &request) {
        at(peer, request).send(peer, lane, tag, data, bytes, request);
    }
    // True: it gets a message that had been found.
    bool receive(int32_t peer, int32_t lane, int32_t tag, void *data, size_t capacity, Request &request) {
        Matched message{};
        size_t bytes = 0;
        const bool found = n_found_ > 0 && probe_found(peer, lane, tag, bytes, message);
        if (found) [[unlikely]]
            receive_matched(message, peer, data, capacity, request);
        else
            at(peer, request).receive(peer, lane, tag, data, capacity, request);
        return found;
    }
    // True when the operation is complete; `bytes` is then what a receive got. `peer` goes into the error text.
    bool test(Request &request, int32_t peer, size_t *bytes = nullptr) { return all_[request.transport]->test(request, peer, bytes); }
    bool cancel(Request &request, int32_t peer) { return all_[request.transport]->cancel(request, peer); }
    // Whether `probe` takes no memory for what it finds.
    bool has_room_to_find() const { return n_found_ < found_.size(); }
    // `peer` -1: from any rank, over whatever transport.
    bool probe(int32_t peer, int32_t lane, int32_t tag, size_t &bytes, Matched &message) {
        if (!has_room_to_find()) [[unlikely]]
            found_.resize(2 * n_found_ + 8);
        if (n_found_ > 0 && probe_found(peer, lane, tag, bytes, message)) [[unlikely]]
            return true;
        if (!(peer < 0 ? probe_all(lane, tag, bytes, message) : at(peer, message).probe(peer, lane, tag, bytes, message))) return false;
        found_[n_found_++] = { peer, lane, tag, bytes, message };
        return true;
    }
    void receive_matched(Matched &message, int32_t peer, void *data, size_t capacity, Request &request) {
        const Matched found = message;
        request.transport = message.transport;
        try {
            all_[message.transport]->receive_matched(message, peer, data, capacity, request);
        } catch (const Error &error) {
            if (error.status() != HALO_ERR_MEMORY) forget_found(found); // else it is still to be received
            throw;
        }
        forget_found(found);
    }
    void progress() {
        for (const auto &transport : all_) transport->progress();
    }

    // The transport by which all messages of a run can go in one operation; null, and why not.
    Transport *neighbourly(std::string &why_not) const;

    // Collective. False: not all ranks are here yet; to be called again.
    bool open_lanes(int32_t n_lanes);
    // That all of them have.
    int32_t lanes() const;

private:
    // Of a peer's transport, which `operation` is told.
    template <class Operation>
    Transport &at(int32_t peer, Operation &operation) {
        operation.transport = serves_[static_cast<size_t>(peer)];
        return *all_[operation.transport];
    }
    bool probe_all(int32_t lane, int32_t tag, size_t &bytes, Matched &message);
    bool probe_found(int32_t peer, int32_t lane, int32_t tag, size_t &bytes, Matched &message) const;
    void forget_found(const Matched &message);
    std::string ranks_served_by(size_t number) const;

    // Not received yet: whoever probes again, as there was no memory for it, is told of the same message.
    struct Found {
        int32_t peer, lane, tag;
        size_t bytes;
        Matched message;
    };

    std::vector<std::unique_ptr<Transport>> all_; // the first one reaches all
    std::vector<std::string> whys_;               // of each
    std::vector<uint8_t> serves_;                 // of each rank, its transport
    size_t first_probed_ = 0;                     // so that none is always asked last
    std::vector<Found> found_;                    // the first n_found_; there is room for one more before anything is probed
    size_t n_found_ = 0;
};

} // namespace halo
