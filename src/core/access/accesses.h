// SPDX-License-Identifier: BSD-3-Clause
// All that batches of one context know: its fields, and the batches compiled so far.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "access/batch.h"

namespace halo {

class Accesses {
public:
    Accesses(Context &context) : context_(context) {}

    // The context's, made where there is none yet. Collective.
    Batch &find(const BatchShape &shape);
    // Collective. It is open then.
    void begin(Batch &batch, halo_stream stream);
    // Collective.
    void end_and_send(Batch &batch) { batch.end_and_send(n_begun_); }
    // One whose begin has timed out counts: on other ranks it may have ended well.
    void abandon(Batch &batch) { n_begun_ += batch.abandon(); }

    TrackedField &tracked(Field &field, int32_t set);
    // All sets of a field.
    void freeze(Field &field, bool frozen);
    // nullptr: no batch has used a field of this name.
    const AccessCounters *counters(const std::string &name) const;

    // Open ones that use no field, and so stay with the context.
    int64_t n_open_without_fields() const;

    // Those that are open, whose number is returned. A begin that has timed out is none.
    int64_t give_up_open();
    // Before all fields go.
    void drop_all() noexcept;
    // Before the field goes: its batches go too. HALO_BUSY where that cannot be.
    void forget(const Field &field);

    // What becomes of the handle of a batch that goes.
    std::function<void(void *handle)> on_drop;

private:
    // Batches by their shape.
    struct HashOfShape {
        using is_transparent = void;
        size_t operator()(const BatchShape &shape) const { return shape.hash(); }
        size_t operator()(const Batch *batch) const { return batch->shape().hash(); }
    };
    struct SameShape {
        using is_transparent = void;
        bool operator()(const Batch *one, const Batch *other) const { return one == other; }
        bool operator()(const BatchShape &shape, const Batch *batch) const { return shape == batch->shape(); }
    };

    Context &context_;
    std::map<std::string, AccessCounters> counters_;
    std::vector<std::unique_ptr<TrackedField>> fields_;
    std::vector<std::unique_ptr<Batch>> batches_; // as they were made: so they go, on all ranks alike
    std::unordered_set<Batch *, HashOfShape, SameShape> by_shape_;
    uint32_t n_begun_ = 0; // one of which peers do not know that it has failed, or will be called again, is not counted
};

} // namespace halo
