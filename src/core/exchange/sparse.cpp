// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/sparse.h"

#include <algorithm>

namespace halo {

namespace {

halo_null_test null_test(const Field &field) { return { field.spec().type, 0, field.spec().threshold }; }

constexpr int most_rows = 4; // of a single edge: three components of a turned vector, and the rest

bool any(const uint8_t (&non_null)[most_rows]) { return non_null[0] || non_null[1] || non_null[2] || non_null[3]; }

} // namespace

EdgeState pack_single(Run &run, const Field &field, const SingleEdge &edge, void *into) {
    if (!run.part(edge.source_field, edge.send_part)) return EdgeState::null;
    run.bases[run.plan->scratch_base()] = into;
    if (!field.spec().sparse) {
        run.run_rows(edge.copy);
        return EdgeState::data;
    }
    uint8_t non_null[most_rows] = {};
    run.plan->table().run_tested(edge.copy.first, edge.copy.n, run.bases, null_test(field), non_null, run.stream);
    return any(non_null) ? EdgeState::data : EdgeState::null;
}

void unpack_single(Run &run, const SingleEdge &edge, EdgeState state, const void *from) {
    if (!run.part(edge.field, edge.receive_part)) return;
    if (state != EdgeState::data) return run.run_row(edge.fill_row);
    run.bases[run.plan->scratch_base()] = const_cast<void *>(from);
    run.run_rows(edge.copy);
}

void Arrivals::note(const Run &run, const SingleEdge &edge) {
    const Part part{ edge.field, edge.receive_part };
    if (!run.part(part.field, part.part) && std::find(wanted_.begin(), wanted_.end(), part) == wanted_.end()) wanted_.push_back(part);
}

int64_t Arrivals::copy_local(Run &run, Context &context, const std::vector<Field *> &fields, int64_t &nulls) {
    int64_t bytes = 0;
    for (const SingleEdge &edge : run.plan->local_singles()) {
        const Field &field = *fields[edge.field];
        const bool has_source = run.part(edge.source_field, edge.send_part) != nullptr;
        const bool has_destination = run.part(edge.field, edge.receive_part) != nullptr;
        uint8_t non_null[most_rows] = {};
        if (has_source) run.plan->table().test(edge.copy.first, edge.copy.n, run.bases, null_test(field), non_null, run.stream);
        const bool data = any(non_null);
        nulls += !data;
        bytes += data ? edge.bytes : 0;
        if (has_destination) {
            run.run_rows(data ? edge.copy : RowRange{ edge.fill_row, 1 });
        } else if (data) {
            staged_.push_back({ &edge, context.host_buffer(static_cast<size_t>(edge.bytes)) });
            run.bases[run.plan->scratch_base()] = staged_.back().buffer.data();
            run.run_rows(edge.stage);
            note(run, edge);
        }
    }
    return bytes;
}

void Arrivals::adopt(Run &run, const std::vector<Field *> &fields) {
    for (const Part &part : wanted_) {
        const Field &field = *fields[part.field];
        void *data = field.data(part.part, run.sets[part.field]);
        void *&base = run.bases[run.plan->part_base(part.field, part.part)];
        if (!data || base) continue;
        base = data;
        field.fill(part.part, data);
    }
}

void Arrivals::unpack_staged(Run &run) {
    for (const Staged &staged : staged_) {
        if (!run.part(staged.edge->field, staged.edge->receive_part)) continue;
        run.bases[run.plan->scratch_base()] = staged.buffer.data();
        run.run_row(staged.edge->unstage_row);
    }
    staged_.clear();
}

} // namespace halo
