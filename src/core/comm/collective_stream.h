// SPDX-License-Identifier: BSD-3-Clause
// The messages of a context's collective operations, from barrier to the set-up of topologies and groups.
//
// All ranks begin the same collectives in the same order, so a number tells them apart. Each message carries number, kind, size and what else all
// ranks must give alike; all of it is checked. What came and what has left is kept until the program's call is over. So a call that ended early
// (HALO_TIMEOUT, HALO_ERR_MEMORY, a transport's error) continues where it was when the program makes it again: the same algorithm runs once more, is
// given what came before, and nothing is sent twice. Where memory failed and others have not been told, this is so even when all collectives were
// over. Where the program goes on to another collective, another object or other values, or ranks differ in what they call, the context's collectives
// end: this and every later one fails on every rank, with a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "comm/context.h"
#include "comm/incoming.h"
#include "comm/wait.h"

namespace halo {

enum class CollectiveKind : uint16_t { ended, barrier, broadcast, allreduce, sum, route, discovery, answer, commit, lanes, gather };

// The detail of an allreduce.
struct AllreduceDetail {
    uint64_t n;
    halo_type type;
    halo_op op;

    uint64_t packed() const { return n << 16 | static_cast<uint64_t>(type) << 8 | static_cast<uint64_t>(op); }
    static AllreduceDetail from(uint64_t packed) {
        return { packed >> 16, static_cast<halo_type>(packed >> 8 & 0xff), static_cast<halo_op>(packed & 0xff) };
    }
};

inline constexpr uint32_t collective_magic = 0x4c434c48; // "HLCL"
inline constexpr uint16_t collective_version = 1;

struct CollectiveHeader {
    uint32_t magic;
    uint16_t version;
    uint16_t kind; // CollectiveKind
    uint64_t number;
    uint64_t detail; // what else all ranks give alike, by kind
    uint64_t payload_bytes;
    int32_t from;
    int32_t part; // which message of the collective between two ranks
    char call[16];
};
static_assert(sizeof(CollectiveHeader) == 56, "the header is part of the wire format");

class CollectiveStream {
public:
    explicit CollectiveStream(Context &context);

    // Before the transport is closed: what is on its way is the context's from now on.
    void hand_over() noexcept;
    // The present call is made again, and the attempt before it had such a collective here.
    bool repeats(CollectiveKind kind) const { return next_ - first_ < begun_.size() && begun_[next_ - first_].kind == kind; }
    // With what this rank refuses the collective that comes next: an earlier attempt at the call did, and others may know it.
    const Error *refusal() const { return refusal_ && refused_ == next_ ? &*refusal_ : nullptr; }
    void refuse(const Error &error) {
        refusal_ = error;
        refused_ = next_;
    }
    // All ranks have heard that the present call fails: made again, it begins anew.
    void tell_all() { told_ = true; }
    // The context is given up, for want of memory, while it is made: others that do not know and wait for this rank are told.
    void give_up() noexcept;
    // A call of the program has failed. If it is the one that has been left last, and not for want of memory: made again, it begins anew.
    void call_failed(bool for_want_of_memory) noexcept {
        if (std::exchange(left_failed_, false) && !for_want_of_memory && resumable_ && !pending_) conclude();
    }

private:
    friend class Collective;
    friend class CollectiveCall;

    // Of a message: number, part, the other rank.
    using Key = std::tuple<uint64_t, int32_t, int32_t>;
    // Of the program. Its subject may have another number on another rank.
    struct Call {
        std::string name;
        uint64_t subject = 0;
        bool operator==(const Call &) const = default;
    };
    struct Begun {
        CollectiveKind kind;
        uint64_t detail;
        uint64_t input; // checksum of what this rank brings
    };
    struct Held {
        std::vector<std::byte> message; // with its header
        bool taken = false;             // by the present attempt
    };

    // The program's calls.
    void enter(const char *call, double timeout_seconds, uint64_t subject);
    void leave(bool failed) noexcept;
    void conclude() noexcept;
    uint64_t begin(CollectiveKind kind, uint64_t detail, std::span<const std::byte> input);

    void send(const CollectiveHeader &header, int32_t to, std::span<const std::byte> payload);
    void transmit(CollectiveHeader header, int32_t to, std::span<const std::byte> payload);
    // Takes what has come; false: nothing.
    bool poll();
    void file(std::vector<std::byte> &message);
    void compare(const CollectiveHeader &theirs);
    bool all_left();
    // Fails where a message of a later collective has come from the rank.
    void require_present(int32_t rank, uint64_t number);
    CollectiveHeader header(CollectiveKind kind, uint64_t number, uint64_t detail, int32_t part) const;
    [[noreturn]] void refuse_other_values();
    [[noreturn]] void end(halo_status status, const std::string &text);
    [[noreturn]] void fail_by_peer();
    void give_up_rest() noexcept;
    void tell_the_end() noexcept;

    static constexpr size_t room_for_end = 40; // bytes of a text that needs no memory

    Context &context_;
    Call entered_;                 // the program's call that is under way
    double timeout_seconds_ = 0;   // of each of its waits; 0: none
    Call call_;                    // the one that the collectives begun belong to
    int depth_ = 0;                // calls within calls
    bool stopped_ = false;         // the present attempt ended in the middle of a collective
    bool pending_ = false;         // an earlier attempt did: the call can be continued
    bool resumable_ = false;       // one failed between collectives, or behind them, and others do not know
    bool told_ = false;            // all ranks know of the present attempt's failure
    bool left_failed_ = false;     // the last attempt, of which the program has not been told yet
    uint64_t first_ = 1;           // number of the call's first collective
    uint64_t next_ = 1;            // of the one that begins next
    std::vector<Begun> begun_;     // by the call, from first_
    std::optional<Error> refusal_; // of the call
    uint64_t refused_ = 0;         // the collective's number
    std::map<Key, uint64_t> sent_; // checksums
    std::map<Key, Held> held_;
    Incoming incoming_;
    std::optional<std::vector<std::byte>> unfiled_; // has come
    std::deque<std::unique_ptr<Parcel>> leaving_;
    std::string ended_; // why; empty: they have not
    halo_status ended_status_ = HALO_ERR_STATE;
    int32_t ended_by_ = -1; // the peer that did, until the program is told
};

// One call of the program that may consist of several collectives. Calls within it belong to it.
class CollectiveCall {
public:
    // `name`: at most 15 characters, for messages and texts. The limit is that of each wait; of calls within calls the outermost one's holds.
    // `subject`: number of the object that the call is made on; 0 where it makes one, or is the context's.
    CollectiveCall(Context &context, const char *name, double timeout_seconds = HALO_TIMEOUT_CONFIGURED, uint64_t subject = 0)
        : stream_(context.collectives()),
          n_exceptions_(std::uncaught_exceptions()) {
        stream_.enter(name, context.timeout(timeout_seconds), subject);
    }
    ~CollectiveCall() { stream_.leave(std::uncaught_exceptions() > n_exceptions_); }
    CollectiveCall(const CollectiveCall &) = delete;
    CollectiveCall &operator=(const CollectiveCall &) = delete;

private:
    CollectiveStream &stream_;
    int n_exceptions_; // on their way when the call began
};

// One collective operation. Between two ranks each part is sent once at most in each direction.
class Collective {
public:
    // `detail` must be the same on all ranks, `input` when the call is made again: what this rank brings and does not send at once.
    Collective(Context &context, CollectiveKind kind, uint64_t detail, std::span<const std::byte> input = {});

    void send(int32_t to, int32_t part, std::span<const std::byte> payload);
    void send(int32_t to, int32_t part, const void *data, size_t bytes) { send(to, part, { static_cast<const std::byte *>(data), bytes }); }

    // What rank `from` has sent; stays until the call is over.
    std::span<const std::byte> receive(int32_t from, int32_t part);
    // `missing` returns the text of what is waited for.
    template <class Missing>
    std::span<const std::byte> receive(int32_t from, int32_t part, Missing &&missing) {
        const CollectiveStream::Held *held = nullptr;
        wait([&] { return (held = find(from, part)) != nullptr; }, missing);
        return payload(*held);
    }
    // The same of a message that must have this size.
    void receive(int32_t from, int32_t part, void *data, size_t bytes);
    bool has_come(int32_t from, int32_t part) { return find(from, part) != nullptr; }
    // One of those that have come from whomever, each once.
    struct Arrival {
        int32_t from;
        std::span<const std::byte> payload;
    };
    std::optional<Arrival> take_any(int32_t part);

    template <class Done, class Missing>
    void wait(Done &&done, Missing &&missing) {
        stream_.stopped_ = true; // unless this ends well
        Waiter waiter(context_, stream_.timeout_seconds_);
        while (!done()) {
            if (stream_.poll()) continue;
            if (!waiter.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.1f s: %s", waiter.seconds(), missing().c_str());
        }
        stream_.stopped_ = false;
    }
    // Until what this rank has sent has left.
    void finish();

private:
    const CollectiveStream::Held *find(int32_t from, int32_t part);
    static std::span<const std::byte> payload(const CollectiveStream::Held &held) {
        return std::span(held.message).subspan(sizeof(CollectiveHeader));
    }

    Context &context_;
    CollectiveStream &stream_;
    CollectiveCall call_; // where the program's call has not opened one
    CollectiveKind kind_;
    uint64_t detail_;
    uint64_t number_;
};

} // namespace halo
