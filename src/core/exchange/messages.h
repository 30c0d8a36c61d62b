// SPDX-License-Identifier: BSD-3-Clause
// How the edges between ranks travel: a message per peer, or, one of each edge, a message in parts; and the paths beside messages.
//
// A message has the dense edges at fixed offsets, then the sparse ones that are not null, back to back. In parts every edge has a state in the
// message, and each that is not null a part.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exchange/device_messages.h"
#include "exchange/links.h"
#include "exchange/neighbourhood.h"
#include "exchange/paths/path.h"
#include "exchange/paths/pause.h"
#include "exchange/paths/trial.h"
#include "exchange/sparse.h"

namespace halo {

class Messages {
public:
    explicit Messages(const MessageSetup &setup);
    Messages(const Messages &) = delete;
    Messages &operator=(const Messages &) = delete;

    // From the first run on messages go in one operation, if the exchange asks for it and can. Collective then, before `allocate`.
    void join_neighbourhood();
    // What messages of a run that is not narrowed lie in.
    void allocate(const Run &run);
    void post(Run &run);
    // Plans that runs were seen with may be gone.
    void forget_plans();
    // May everything be packed now? Never blocks.
    bool writable();
    // Who has kept it from being writable when that was last asked: " rank 3 rank 5". Never polls: else it might find nobody any more.
    std::string blocking_ranks() const { return halo::blocking_ranks(links_); }
    // Ranks whose part has not come, who have kept it from being writable, or have not taken this rank's part.
    std::vector<int32_t> awaited() const { return awaited_ranks(links_); }
    // Pack and send everything, copy what stays on this rank. With storage on devices: what they are to pack and copy is put on their streams.
    void send(Run &run);
    // Polls: sends what devices have packed. True: all has been sent.
    bool depart(Run &run);
    // So much comes that a device should not wait for the last of it.
    bool unpacks_as_they_come(const Run &run) const;
    // Since the last time that it said so.
    bool unpacked_a_chunk();
    // Polls; true when everything is here, and nothing of this rank's waits for its calls to leave.
    bool test();
    // While something is missing: has a peer, whose part is here, told of a failure that lasts? Throws.
    void look_ahead();
    // All is here: has the peer of this link of the plan written the dense values where they belong?
    bool has_landed(size_t plan_link) const;
    // Note parts that got data but have no storage. Only when everything is here.
    void note_arrivals(const Run &run, const std::vector<Field *> &fields, Arrivals &arrivals);
    // Write into the ghosts what is here and has not been written yet; on devices, collect the rows that will.
    void unpack(Run &run);
    // Combine what is here, and all of it is.
    void combine(Run &run, const CombineBy &by);
    // The run is over: all has been used.
    void consume();

    // The run has failed: peers that have not got this rank's part of it are told. False: no other run can follow.
    bool end_failed_run(uint32_t epoch, const Error &error) noexcept;
    void abandon() noexcept;

    // See Progressing.
    bool progress_alone();
    void take_what_has_come();

    // Which channels have not come: key, ranks, states, bytes, epoch. The first few by name.
    std::string missing(const Run &run) const;
    void count(halo_exchange_stats &stats) const;
    // A line for each peer and direction: what goes that way, by which paths it has gone, and why.
    std::string describe_paths();

private:
    const PlanLink &planned(const Run &run, size_t i) const { return run.plan->links()[plan_link_[i]]; }
    double timeout() const { return setup_.context.timeout(setup_.spec.timeout_seconds); }
    size_t most_sent(const Run &run, size_t i);
    bool in_parts() const { return setup_.spec.per_channel; }
    LinkContent link_content();
    PathSetup path_setup();
    // Does anything travel but dense values?
    bool has_besides() const { return run_->check || run_->plan->any_sparse(); }
    void send_and_copy(Run &run);
    bool take_path(const Run &run, size_t i);
    Path::Sent send_by_path(const Run &run, size_t i, bool wanted);
    void send_late(Run &run);
    bool all_here();
    bool receive_by_paths();
    void wait_for_paths();
    void give_up_paths() noexcept;
    void unpack_arrived(Run &run);
    size_t pack(Run &run, size_t i, bool dense);
    int64_t pack_singles(Run &run, size_t i, std::byte *payload, int64_t end);
    // messages_on_devices.cpp
    void put_on_devices(Run &run);
    void make_flags(Run &run);
    void make_outgoing(Run &run);
    void gather(const Run &run);
    void put_tests(Run &run);
    size_t put_packing(Run &run);
    void choose_paths(const Run &run);
    void put_paths(Run &run, size_t mark);
    void launch_packing(Run &run);
    void put_local(Run &run);
    void pack_on_host(Run &run);
    size_t assemble(const Run &run, size_t i);
    int64_t assemble_singles(const Run &run, size_t i, std::byte *payload, int64_t end);
    struct Outgoing;
    Pool *memory_apart(const Run &run, size_t i, size_t bytes);
    const Buffer *message_put(size_t i) const;
    const Part *pack_apart(const Run &run, size_t i);
    void place(Outgoing &one, PieceRun &piece, std::byte *in_message, bool apart) const;
    Pool *memory_on_devices(const Run &run, size_t i) const;
    Pool &pinned_by(const PieceRun &piece) const;
    void land(PieceRun &piece, uint32_t base, const LoweredDirection &way, bool reached, std::byte *from);
    bool is_reached(const PieceRun &piece, size_t i) const;
    void keep_received(const Run &run, size_t i);
    void land_single(PieceRun &piece, SparseRule rule, const SingleEdge &single, EdgeState state, const Stream &link, std::byte *from);
    static std::byte *copied(const PieceRun &piece, const std::byte *from, int64_t bytes);
    void unpack_link(Run &run, size_t i);
    void unpack_singles(Run &run, size_t i, std::byte *payload, int64_t end);
    template <class Visit>
    void for_each_that_came(size_t plan_link, const std::byte *message, Visit &&visit) const;
    size_t received_bytes(size_t plan_link, const std::byte *message) const;
    std::string describe_missing(const Run &run, size_t i) const;
    std::string describe_missing_parts(size_t i) const;
    std::string why_no_path() const;
    std::string why_not_on_devices() const;
    std::string why_this_path(size_t i) const;
    std::string describe_memory(size_t i);

    MessageSetup setup_;
    size_t chunk_;              // bytes that one launch of a device packs or unpacks, at least
    size_t unpacked_bytes_ = 0; // since the last such launch
    Links links_;
    std::vector<size_t> plan_link_; // number of each link in the plan
    std::vector<uint8_t> unpacked_;
    std::vector<std::unique_ptr<Path>> paths_; // that this exchange may take
    PathTrial trial_;
    Run *run_ = nullptr;         // the last one
    std::vector<size_t> unsent_; // links of this run
    std::vector<Path *> taken_;  // in runs with devices: of each link, which path; null: a message
    std::vector<Pause> waits_;   // likewise: for its peer
    DeviceMessages device_messages_;
    // What of a piece goes to a peer, packed ahead of its message: in runs with devices.
    struct Outgoing {
        size_t link;
        size_t piece;
        const LoweredDirection *way;
        std::byte *packed; // dense values
        size_t bytes;
        bool in_place; // in its message, or a part of it
        Buffer memory; // of pieces on the host, else
    };
    std::vector<Outgoing> outgoing_;             // by link
    std::vector<Buffer> host_flags_;             // of pieces on the host
    std::vector<std::vector<std::byte>> hashes_; // of check mode, by link
    std::vector<size_t> marks_;                  // of each link: the device's mark behind what it packs for it
    size_t first_packing_mark_ = 0;              // 1: mark 0 is behind tests of edges of this rank
    size_t next_departure_ = SIZE_MAX;           // links from here on have not left: by message, then by a path
    uint32_t epoch_ = 0;
    int64_t states_sent_ = 0;
    int64_t nulls_sent_ = 0;
    int64_t hash_bytes_sent_ = 0;
    Neighbourhood neighbourhood_;
};

} // namespace halo
