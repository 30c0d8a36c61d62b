// SPDX-License-Identifier: BSD-3-Clause
// An exchange over the fields of a batch, of which each run takes those that need it, wherever their values are.
#pragma once

#include <memory>
#include <vector>

#include "access/tracked_field.h"
#include "exchange/kinds/kinds.h"

namespace halo {

// How a run combines ghosts into owners.
struct Adding {
    halo_op op = 0; // 0: it does not, owners go to ghosts
    bool canonical = false;
};

class GroupRun {
public:
    // `sections`: per field, 0: all.
    GroupRun(std::vector<TrackedField *> fields, std::vector<uint32_t> sections, Adding adding);

    ~GroupRun() { abandon(); }
    GroupRun(const GroupRun &) = delete;
    GroupRun &operator=(const GroupRun &) = delete;

    const std::vector<TrackedField *> &fields() const { return fields_; }
    bool has(const TrackedField &field) const;
    bool uses(const Field &field) const; // in any set

    // Which fields the next run takes.
    void choose_none();
    void choose(const TrackedField &field);
    bool any_chosen() const;
    bool chosen(size_t i) const { return mask_[i] != 0; }

    // `batch`: number of the batch of accesses that runs it, the same on all ranks.
    void start(uint32_t batch, halo_stream stream);
    void finish(halo_stream stream) { exchange_->finish(stream_of(stream)); }
    uint32_t n_runs() const { return exchange_->n_runs(); }
    bool in_flight() const { return exchange_->in_flight(); }
    void abandon() noexcept;
    void refuse(const Error &error) noexcept;

private:
    // Accesses without a stream, on a device, are in its own.
    static halo_stream stream_of(halo_stream stream) { return stream == HALO_STREAM_NONE ? HALO_STREAM_DEFAULT : stream; }
    void place(size_t i, halo_stream stream);

    std::vector<TrackedField *> fields_;
    std::vector<uint32_t> sections_;
    std::vector<int32_t> sets_;
    Adding adding_;
    std::unique_ptr<Exchange> exchange_;
    std::vector<int64_t> bytes_;     // per field and run
    std::vector<int32_t> mask_;      // per field
    std::vector<int32_t> devices_;   // per field
    std::vector<void *> pointers_;   // field-major, parts in order
    std::vector<size_t> first_part_; // per field, in `pointers_`
};

// Ghosts on their way, for the batch that has begun it and for those that have joined.
class ForwardGroup : public GroupRun {
public:
    using GroupRun::GroupRun;
    // Wait for the run under way, if there is one: then the ghosts of its fields are fresh.
    void settle(halo_stream stream);
    // Give up the run under way: these ghosts stay stale.
    void lose() noexcept;

private:
    template <class Then>
    void let_go(Then &&then) noexcept;
};

// Values that a batch has added to ghosts, on their way to the owners.
class ReverseGroup : public GroupRun {
public:
    using GroupRun::GroupRun;
    // Wait for the run under way, if there is one: then its fields are no longer pending, and hold the group no more.
    void settle(halo_stream stream);
    // Give up the run under way: what is pending is lost.
    void lose() noexcept;
    // What the last run was to bring is no longer pending, whether it has come or not.
    void forget_run() noexcept;
    bool is_pending() const;
};

} // namespace halo
