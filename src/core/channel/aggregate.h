// SPDX-License-Identifier: BSD-3-Clause
// The runs of an aggregated group: one message per peer, in which every channel has its slice.
//
// A run: (slices written) -> send -> try_receive until done -> (slices read) -> stale. It begins by itself with the first call that
// needs it. Slices are in the order of keys, aligned to 16 bytes, at the same place in every run; null ones leave a hole, except behind
// the last slice that carries data. Channels within this rank have their slices in local memory.
//
// Slices on a device (aggregate_on_device.cpp): each peer's message is fetched from there in the caller's stream, and leaves when that has been done,
// in whatever call of the rank comes then; what has come is copied there before the run is received. The next run begins when the stream given to
// `stale` has come there.
//
// Rows may be given in parts (aggregate_by_rows.cpp), which become ready in any order: a peer's message leaves when all of its rows have been given
// and, on a device, fetched, each part in its own stream.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "channel/channel_list.h"
#include "channel/device_slices.h"
#include "channel/long_waits.h"
#include "halo_channel.h"
#include "stream/stream.h"

namespace halo {

class AggregateRun final : public Departing, private Progressing {
public:
    // Slices of one message, and those within a rank, begin at multiples of this, which every type but complex128 wants, and that one accepts; none
    // beyond the last.
    static constexpr int64_t alignment = 8;
    static constexpr int64_t last_begin = int64_t{ UINT32_MAX } * alignment;
    // Where the next one begins.
    static constexpr int64_t slice_end(int64_t begin, int64_t bytes) { return (begin + bytes + alignment - 1) / alignment * alignment; }

    static constexpr uint32_t no_slot = UINT32_MAX;

    // `slots` of the channels in the order of rows; outlives this object. An entry turns to no_slot when its channel goes.
    AggregateRun(ChannelRegistry &registry, const RunId &id, const std::vector<uint32_t> &slots, const std::vector<PairList> &pairs,
                 const Space &space = host_space, int32_t flags_memory = HALO_MEMORY_HOST);
    ~AggregateRun() override {
        context().departures().remove(*this);
        context().progressing().remove(*this);
    }
    AggregateRun(const AggregateRun &) = delete;
    AggregateRun &operator=(const AggregateRun &) = delete;

    bool writable() { return answer(may_write(), false); }
    void start_receive();
    // False: a peer is two runs behind.
    [[nodiscard]] bool send(const uint8_t *null_flags, halo_stream stream = HALO_STREAM_NONE);
    // The slices of these rows are ready; flags are of these rows. The others follow, by this or by `send`. False: as `send`.
    [[nodiscard]] bool send_rows(std::span<const int64_t> rows, const uint8_t *null_flags, halo_stream stream = HALO_STREAM_NONE);
    bool try_receive() { return answer(has_come(), true); }
    void stale(halo_stream stream = HALO_STREAM_NONE);
    // On the way to where no run is under way and what has been sent has been taken: what comes is dropped. True: there. Illegal while this rank has
    // still to send.
    bool drain();
    // What it waits for.
    std::string undrained();

    // On a device: does the run before wait for no stream any more? Tells, once, what has failed since the last call.
    bool settled();
    bool busy() const { return started_ || sending_ || by_rows_ || sent_ || received_ || leaving_ || staling_; }
    void abandon() noexcept;
    bool depart() noexcept override;

    struct Slice {
        std::byte *data = nullptr;
        int64_t bytes = 0;
        int32_t state = HALO_STALE;
        uint32_t run = 0;
    };
    Slice slice(uint32_t row) const;

    // Where the slices of a link lie in this run, and what is known of them; nullptr: nothing yet.
    struct Memory {
        std::byte *send = nullptr;
        std::byte *received = nullptr;
        const std::byte *sent_states = nullptr;
        const std::byte *received_states = nullptr;
        bool operator==(const Memory &) const = default;
    };
    // All that changes in a table from run to run, as long as no channel is null.
    struct View {
        std::vector<Memory> links;
        std::byte *local = nullptr;
        int32_t local_state = HALO_STALE;
        bool any_null = false;
        // Do both give the same table?
        bool same_as(const View &other) const {
            return !any_null && !other.any_null && local == other.local && local_state == other.local_state && links == other.links;
        }
    };
    // Of the present moment; valid until the next call.
    const View &view() const;
    // The view's pointers and states into the rows of a table, `row_bytes` apart; rows of channels that are gone are left alone.
    void refresh(const View &view, std::byte *table, size_t row_bytes) const;
    // A channel goes: it is null from now on.
    void leave(uint32_t row);

private:
    struct Place {
        uint32_t link : 31; // into links_, or `local`
        uint32_t sender : 1;
        uint32_t index;  // of the state
        uint32_t offset; // in units of `alignment`
    };
    struct Link {
        std::unique_ptr<Stream> peer;
        uint32_t n_sent = 0, n_received = 0; // channels
        size_t all_bytes = 0;                // of their slices, if none is null
        std::vector<size_t> received_ends;   // of the slices of received channels
        uint32_t last_row = 0;               // the sent row furthest in the message that is not null
        uint32_t last_index = 0;
        bool any_data = false;
        int32_t n_gone = 0, n_left = 0;           // of the sent ones: destroyed; by rows: not ready yet
        size_t send_place = 0, receive_place = 0; // on a device
        uint32_t landed_epoch = 0;
    };
    static constexpr uint32_t local = INT32_MAX;
    // Some of the table, with the flags of each, or of all in the table; nullptr: none is null.
    struct Rows {
        std::span<const int64_t> list;
        const uint8_t *null_flags;
        bool of_table;
        bool null(size_t i) const { return null_flags && null_flags[of_table ? list[i] : static_cast<int64_t>(i)] != 0; }
    };
    // Rows on a device that were given in one call. They are ready when its event has fired.
    struct Part {
        size_t begin, end; // in order_
        bool flags_come, of_table;
        bool ready = false;
    };

    Context &context() const { return registry_.context(); }
    bool progress_alone() override;
    void take_what_has_come() override;
    // In a call that goes on with a run, or begins one. Tells, once, what has failed since the last call.
    bool ready() {
        raise_failed_progress();
        return settled();
    }
    Memory memory_of(const Link &link) const;
    std::byte *local_data() const { return device_ ? device_->local() : local_buffer_.data(); }
    size_t end_of_data(const Link &link) const;
    void note_flags(const uint8_t *null_flags);
    void begin_rows();
    bool send_rest(const uint8_t *null_flags, halo_stream stream);
    void give(const Rows &rows, halo_stream stream);
    void claim(std::span<const int64_t> rows);
    void claim(int64_t row);
    void give_up_claim(std::span<const int64_t> rows) noexcept;
    void mark_given(const Rows &rows);
    void count_ready(std::span<const int64_t> rows, int32_t by = 1);
    void send_ready_links();
    void fetch_rows(const Rows &rows, halo_stream stream);
    void fetch_slices(const Rows &rows, halo_stream stream);
    void send_fetched_rows();
    void place_on_device(Space space);
    bool send_from_device(const uint8_t *null_flags, halo_stream stream);
    void send_fetched();
    bool receive_on_device();
    void end_run();
    StreamDirection place_pair(const PairList &pair, uint32_t link, std::vector<size_t> *ends);
    size_t received_bytes(uint32_t link, const std::byte *message) const;
    void place_local();
    void add_links(const RunId &id, const std::vector<PairList> &pairs);
    std::vector<WireEdge> edges(uint32_t link, bool sending) const;
    int64_t bytes_of(uint32_t row) const;
    void begin();
    bool may_write();
    bool has_come();
    bool is_leaving();
    // What a poll is answered. Of those in vain every 256th looks how long the wait lasts.
    bool answer(bool yes, bool receives) {
        if (!yes && ++n_vain_ % polls_per_look == 0) [[unlikely]]
            look_at_wait(receives);
        return yes;
    }
    void look_at_wait(bool receives);
    std::string awaited(bool receives) const;
    void mark_all_data();
    void mark(const uint8_t *null_flags);
    void mark(uint32_t row, bool data);
    [[noreturn]] void illegal(const char *call) const;

    ChannelRegistry &registry_;
    const uint32_t serial_;
    const std::vector<uint32_t> &slots_;
    std::vector<Place> places_;       // per row
    std::vector<int64_t> wire_bytes_; // per row; empty where every receiver is exactly as large as its sender
    std::vector<Link> links_;
    mutable View view_;                 // the last one given
    std::vector<uint8_t> local_states_; // HALO_STALE ... of the channels within this rank
    int64_t local_bytes_ = 0;
    Buffer local_buffer_;
    uint32_t epoch_ = 0;
    bool sends_any_ = false;
    bool complete_ = true;   // no channel has gone
    bool sent_all_ = false;  // none was sent as null
    bool beginning_ = false; // of a run, of which the first `n_posted_` links know
    bool sending_ = false;   // some peers have theirs
    size_t n_posted_ = 0;
    bool begun_ = false;
    bool started_ = false; // the caller asked for the receives
    bool writable_ = false;
    bool sent_ = false;
    bool received_ = false;
    // A run that is sent by rows.
    bool by_rows_ = false;
    bool rest_sent_ = false; // `send` has been called
    bool any_null_ = false;
    uint32_t n_sent_rows_ = 0;       // of every run
    uint32_t n_gone_rows_ = 0;       // of these
    uint32_t n_left_ = 0;            // not given yet
    std::vector<uint32_t> given_in_; // run of each row; empty before the first such run
    std::vector<int64_t> rest_;
    bool abandoned_ = false;
    uint32_t n_vain_ = 0; // polls
    PolledWait wait_;     // the present one
    // On a device.
    std::unique_ptr<DeviceSlices> device_;
    bool flags_on_device_ = false; // or in memory that it writes
    bool flags_come_ = false;      // with the slices; until then nobody knows what is null
    bool leaving_ = false;
    bool staling_ = false;
    bool rows_leave_ = false;               // by rows: some are not ready, or have not left
    std::vector<Part> parts_;               // of the present run
    std::vector<int64_t> order_;            // in which rows were given
    std::optional<Error> failed_departing_; // to be told by the next call
};

} // namespace halo
