// SPDX-License-Identifier: BSD-3-Clause
// A way for values to reach peers from storage to storage. Whatever it leaves goes by message, and the result is the same.
//
// A path serves all links of an exchange, for what is combined crosses peers, and both directions: its file has both halves. Peers take whatever way
// the sender chose, in every run anew: the header of its message names it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exchange/links.h"

namespace halo {

// What a copy of `bytes` more takes, about: so long may one wait to be spared it.
inline double seconds_to_copy(int64_t bytes) {
    constexpr double bytes_per_second = 8e9;
    return static_cast<double>(bytes) / bytes_per_second;
}

// Combines contributions to one piece as its tables say.
using CombineBy = std::function<void(size_t piece, const Lowered &rows, const std::vector<void *> &bases)>;

// What a path works on; all of it outlives the path.
struct PathSetup {
    const MessageSetup &messages;
    Links &links;
    const std::vector<size_t> &plan_links;           // of each link, its number in the plan
    std::function<size_t(size_t link)> pack;         // the message of a link of the present run; returns its bytes
    std::function<size_t(size_t link)> pack_besides; // the same without dense values
};

class Path {
public:
    enum class Sent : uint8_t {
        no,    // it is to go by message
        later, // the peer is not there yet: ask again
        yes    // it is there, or will be read here
    };

    virtual ~Path() = default;

    // A run begins. The first time before anything is sent.
    virtual void open(const Run &run) = 0;
    // What link `i` has for its peer. `wanted`: in this run values are to go from storage to storage.
    virtual Sent send(const Run &run, size_t i, bool wanted) = 0;
    // On devices: what `send` has said yes to is put on their streams.
    virtual void put_on(Run &) {}
    // It is done, with so much payload beside it for the peer of link `i`.
    virtual void leave(const Run &, size_t, size_t) {}
    // Where what has been put for this rank over link `i` lies, if that is to be combined: in a device's memory, as a message has it. nullptr: where
    // it belongs.
    virtual const Buffer *message_of(size_t) const { return nullptr; }
    // Is the storage of both ends of link `i` memory that both see, and does the peer take this path, as far as is known?
    virtual bool reaches_storage(size_t i) const = 0;

    // All messages are here: takes what lies in peers' storage. False: a message takes its place, which has not come yet.
    virtual bool receive() { return true; }
    // True: everything has been combined. False: the run's own tables do it, out of messages.
    virtual bool combine(Run &, const CombineBy &) { return false; }
    // Ends a run: storage is no more used by others. HALO_ERR_PEER: one goes on for `timeout` seconds.
    virtual void end(double) {}
    // The run has failed.
    virtual void give_up() noexcept {}
    // Layouts have changed: there is another plan.
    virtual void forget_plan() = 0;
};

struct PathKind {
    const char *name;
    // Why values of an exchange never go this way; null: they may.
    const char *(*why_not)(const MessageSetup &setup);
    std::unique_ptr<Path> (*make)(const PathSetup &setup);
};

// Every way but messages.
std::span<const PathKind> path_kinds();

extern const PathKind put_path; // the peer's storage is written
extern const PathKind get_path; // this rank's storage is read

} // namespace halo
