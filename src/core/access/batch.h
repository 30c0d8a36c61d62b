// SPDX-License-Identifier: BSD-3-Clause
// What one loop does, compiled once: the fields it uses, and the exchanges that this may take.
//
// closed --begin--> open --ready--> running --end--> closed
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "access/group_run.h"

namespace halo {

// One argument of a loop, as halo_access.
struct Argument {
    Field *field = nullptr;
    int32_t mode = 0;
    int32_t through = HALO_DIRECT;
    uint32_t sections = 0;
    int32_t whole = 0;
    int32_t set = 0;
    int32_t may_lose = 0;
    int32_t combine_order = HALO_COMBINE_BY_GID;
    bool operator==(const Argument &) const = default;
};

struct BatchShape {
    std::vector<Argument> arguments;
    int32_t style = 0;
    int32_t where = 0;
    bool operator==(const BatchShape &) const = default;
    size_t hash() const;
};

class Batch {
public:
    // `fields`: of each argument. Collective.
    Batch(Context &context, const BatchShape &shape, const std::vector<TrackedField *> &fields);

    const BatchShape &shape() const { return shape_; }
    bool needs_exec() const { return needs_exec_; }
    bool open() const { return phase_ != Phase::closed; }
    bool uses(const Field &field) const;

    // `number`: of batches begun in this context. A begin that has timed out with something under way is called again, or abandoned.
    void begin(uint32_t number, halo_stream stream);
    // Of a begin that has failed: peers know of it, or have what this rank has sent.
    bool told() const { return told_; }
    void ready();
    void end();
    // What is pending of the fields that the loop adds to leaves for their owners. `number`: of batches begun so far.
    void end_and_send(uint32_t number);
    // True: of a begin that has timed out.
    bool abandon();
    // Storage may be gone: check mode no longer looks at it.
    void forget_storage() noexcept;

    void *handle = nullptr; // the caller's; owned by who made it

private:
    enum class Phase : uint8_t { closed, open, running, failed };
    struct Slot {
        TrackedField *field;
        Use use;
        Freshness::Needs needs;
        std::shared_ptr<ReverseGroup> reverse; // where the batch adds to ghosts
    };

    class ShownGhosts;

    void require(Phase phase, const char *call) const;
    void add_slots(const std::vector<TrackedField *> &fields);
    void make_groups();
    void find_needs();
    void look_at_needs(const std::optional<Error> &lost);
    void try_begin(uint32_t number);
    void refuse(const Error &error, bool forward);
    void start(GroupRun &group, uint32_t number);
    void find_alike(const std::optional<Error> &lost);
    Terms terms() const;
    void start_due(uint32_t number);
    void finish_pending(uint32_t number);
    void choose_pending();
    void send_added(uint32_t number);
    bool any_stale() const;
    bool waits_for(const Slot &slot) const { return slot.needs.exchange != 0 || slot.needs.joins; }
    std::optional<Error> let_pending_come();
    std::optional<Error> let_arrive();
    void wait_for_ghosts();
    void require_arrived(const Slot &slot) const;
    void start_exchange(uint32_t number);
    void place(Slot &slot);
    void close();
    std::optional<Error> not_as_left() const;
    void look_at_loop();

    Context &context_;
    BatchShape shape_;
    bool needs_exec_ = false;
    std::vector<Slot> slots_;
    std::shared_ptr<ForwardGroup> forward_;
    std::vector<std::shared_ptr<ReverseGroup>> due_; // scratch of begin and end: of other batches too
    bool told_ = false;
    bool timed_out_ = false; // in begin, with something under way
    Phase phase_ = Phase::closed;
    halo_stream stream_ = HALO_STREAM_NONE;
};

} // namespace halo
