// SPDX-License-Identifier: BSD-3-Clause
// What one round of an exchange is made from. The kinds of exchange (exchange/kinds) write these.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/terms.h"
#include "plan/plan.h"

namespace halo {

// One piece to be: between two of the round's fields.
struct RoundPiece {
    int32_t source = 0;
    int32_t destination = 0;
    std::shared_ptr<EdgeSource> edges{};
    Combining combining{};
    uint64_t meaning = 0;
    SparseRule sparse = SparseRule::ghosts;
    const Field *aged = nullptr; // as of PlanPiece
};

// Fields of a round that stand beside others: a part of one has storage as long as that of the other has, and as edges touch it.
class FieldsBeside {
public:
    virtual ~FieldsBeside() = default;
    // The field beside which one stands, by place among the round's; itself.
    virtual int32_t own(int32_t field) const = 0;
    // A part of a field has been given storage in the middle of a run. Storage of the one beside it, which holds the fill value; null: there is none.
    virtual void *adopt(int32_t field, int64_t part, void *data) = 0;
};

struct RoundSpec {
    std::vector<Field *> fields;
    std::vector<RoundPiece> pieces{};
    FieldsBeside *beside = nullptr; // null: none do
    PlanScope scope{};
    bool per_channel = false;   // every edge to another rank is a message of its own
    bool probed = false;        // receive policy
    bool source_stable = false; // what is sent stays unchanged until the run ends
    bool neighbourhood = false; // once prepared, the messages of a run are to go in one operation
    double timeout_seconds = HALO_TIMEOUT_CONFIGURED;
    halo_op op = op_move;              // of runs that name no other: in this round or, with that of others, between two; op_move: none can
    halo_combine_fn combine = nullptr; // HALO_USER
    void *combine_user = nullptr;
    bool canonical = false; // order of combining
    std::string kind{};     // in words, with all that peers must agree on: "ghosts, full stencil"
    std::string what{};     // "exchange 3 over u, v"
};

// Layers that a run fills, at most.
GhostWidths widths_of(const halo_run &run);

// Have the lists of a run the lengths that those of `what`, the exchange, must have?
void check_lists(const halo_run &run, size_t n_fields, size_t n_pointers, const std::string &what);

// All that is bound in set 0, whole, as the exchange says.
inline bool takes_all(const halo_run &run) {
    return !run.field_mask && !run.sets && !run.data && !run.devices && run.first_component == 0 && run.n_components == 0 && run.depth == 0 &&
           run.has_ghosts == 0 && run.op == 0 && run.n_fields == 0 && run.n_data == 0;
}

// Does a run take this field, by place in its mask? And which of its components?
inline bool takes_field(const halo_run &run, size_t field) { return !run.field_mask || run.field_mask[field] != 0; }
inline ComponentRange components_of(const halo_run &run, const FieldSpec &spec) {
    return { run.first_component, run.n_components > 0 ? run.n_components : spec.n_components - run.first_component };
}

// Is it one that an exchange can combine by, and values of a field can be? `combine`: function of the program.
void check_op(halo_op op, halo_combine_fn combine, bool canonical);
void check_op(const FieldSpec &spec, halo_op op);
[[noreturn]] void fail_combining(halo_status status, const Field &field, int64_t part);

// Where the storage of the f-th field of a run is.
Space space_in(const halo_run &run, size_t f, const Field &field);

// What its peers must have alike, in words.
Terms terms_of(const RoundSpec &spec);

} // namespace halo
