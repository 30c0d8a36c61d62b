// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/sparse.h"

#include <algorithm>

#include "exchange/device_work.h"
#include "exchange/round_spec.h"

namespace halo {

namespace {

constexpr int most_rows = 4; // of a single edge: three components of a turned vector, and the rest

bool any(const uint8_t (&non_null)[most_rows]) { return non_null[0] || non_null[1] || non_null[2] || non_null[3]; }

} // namespace

int32_t own_field(const Run &run, size_t piece) {
    const int32_t field = run.plan->pieces()[piece].destination;
    return run.beside ? run.beside->own(field) : field;
}

bool is_always_data(const PlanPiece &planned) { return !planned.field->spec().sparse || planned.sparse != SparseRule::ghosts; }

halo_null_test null_test(const Field &field) { return { field.spec().type, 0, field.spec().threshold }; }

EdgeState pack_single(PieceRun &piece, const PlanPiece &planned, const SingleEdge &single, void *into) {
    if (!piece.source_part(single.edge.send_part)) return EdgeState::null;
    piece.bases[single.base] = into;
    if (is_always_data(planned)) {
        piece.run_rows(single.copy);
        if (planned.aged) Ages::write(static_cast<std::byte *>(into) + single.bytes - Ages::bytes, planned.aged->age(single.edge.send_part));
        return EdgeState::data;
    }
    uint8_t non_null[most_rows] = {};
    piece.rows->table.run_tested(single.copy.first, single.copy.n, piece.bases, null_test(*planned.field), non_null, HALO_STREAM_NONE);
    return any(non_null) ? EdgeState::data : EdgeState::null;
}

void unpack_single(PieceRun &piece, const PlanPiece &planned, const SingleEdge &single, EdgeState state, const void *from) {
    if (!piece.part(single.edge.recv_part)) return;
    if (state != EdgeState::data) {
        if (planned.sparse != SparseRule::corrected) piece.run_row(single.fill_row);
        return;
    }
    piece.bases[single.base] = const_cast<void *>(from);
    piece.run_rows(single.copy);
}

void Arrivals::note(const Run &run, const std::vector<Field *> &fields, size_t piece, const SingleEdge &single) {
    const SparseRule rule = run.plan->pieces()[piece].sparse;
    if (rule == SparseRule::corrected) return;
    const Part part{ own_field(run, piece), single.edge.recv_part };
    Field &field = *fields[static_cast<size_t>(part.field)];
    if (rule == SparseRule::ghosts) field.hear(part.part);
    if (run.pieces[piece].part(part.part)) return;
    want(part);
    if (!field.controller()) return;
    const auto controller = std::find(fields.begin(), fields.end(), field.controller());
    if (controller != fields.end()) want({ static_cast<int32_t>(controller - fields.begin()), part.part });
}

void Arrivals::want(Part part) {
    if (std::find(wanted_.begin(), wanted_.end(), part) == wanted_.end()) wanted_.push_back(part);
}

Arrivals::Copied Arrivals::copy_local(Run &run, const std::vector<Field *> &fields, Context &context) {
    Copied copied;
    for (size_t p = 0; p < run.pieces.size(); ++p) {
        PieceRun &piece = run.pieces[p];
        if (!piece.takes_part || piece.work) continue;
        const PlanPiece &planned = run.plan->pieces()[p];
        const bool corrects = planned.sparse == SparseRule::corrected;
        copied.edges += std::ssize(piece.rows->local_singles);
        for (const SingleEdge &single : piece.rows->local_singles) {
            uint8_t non_null[most_rows] = {};
            const bool has_storage = piece.source_part(single.edge.send_part) != nullptr;
            if (has_storage && !is_always_data(planned))
                piece.rows->table.test(single.copy.first, single.copy.n, piece.bases, null_test(*planned.field), non_null, HALO_STREAM_NONE);
            const bool data = is_always_data(planned) ? has_storage : any(non_null);
            copied.nulls += !data;
            copied.bytes += data ? single.bytes : 0;
            if (data) note(run, fields, p, single);
            if (data && planned.aged) run.ages.note(own_field(run, p), single.edge.recv_part, planned.aged->age(single.edge.send_part));
            if (piece.part(single.edge.recv_part)) {
                if (data || !corrects) piece.run_rows(data ? single.copy : RowRange{ single.fill_row, 1 });
            } else if (data && !corrects) {
                staged_.push_back({ p, &single, context.host_buffer(static_cast<size_t>(single.bytes)) });
                piece.bases[single.base] = staged_.back().buffer.data();
                piece.run_rows(single.stage);
            }
        }
    }
    return copied;
}

void Arrivals::put_local_on_devices(Run &run) {
    for (size_t p = 0; p < run.pieces.size(); ++p) {
        PieceRun &piece = run.pieces[p];
        if (!piece.takes_part || !piece.work) continue;
        const bool corrects = run.plan->pieces()[p].sparse == SparseRule::corrected;
        const std::vector<SingleEdge> &singles = piece.rows->local_singles;
        const auto has_source = [&](const SingleEdge &one) { return piece.source_part(one.edge.send_part) != nullptr; };
        const auto has_storage = [&](const SingleEdge &one) { return piece.part(one.edge.recv_part) != nullptr; };
        const auto is_set_aside = [&](const SingleEdge &one) { return has_source(one) && !has_storage(one) && !corrects; };
        place_singles(piece, singles, is_set_aside, [&](size_t bytes) { return piece.work->pinned(bytes); });
        for (const SingleEdge &one : singles)
            if (has_source(one) && has_storage(one)) piece.work->add(piece, one.copy, HALO_ROWS_FLAGGED);
        for (const SingleEdge &one : singles)
            if (has_storage(one) && !corrects) piece.work->add_row(piece, one.fill_row, HALO_ROWS_UNFLAGGED);
        for (const SingleEdge &one : singles)
            if (is_set_aside(one)) piece.work->add(piece, one.stage, HALO_ROWS_FLAGGED);
    }
}

Arrivals::Copied Arrivals::note_local_on_devices(Run &run, const std::vector<Field *> &fields) {
    Copied copied;
    for (size_t p = 0; p < run.pieces.size(); ++p) {
        const PieceRun &piece = run.pieces[p];
        if (!piece.takes_part || !piece.work) continue;
        copied.edges += std::ssize(piece.rows->local_singles);
        for (const SingleEdge &single : piece.rows->local_singles) {
            const bool data = piece.flags[single.flag] != 0;
            copied.nulls += !data;
            copied.bytes += data ? single.bytes : 0;
            if (data) note(run, fields, p, single);
            const PlanPiece &planned = run.plan->pieces()[p];
            const bool corrects = planned.sparse == SparseRule::corrected;
            if (data && planned.aged) run.ages.note(own_field(run, p), single.edge.recv_part, planned.aged->age(single.edge.send_part));
            if (data && !corrects && !piece.part(single.edge.recv_part)) staged_.push_back({ p, &single, {} });
        }
    }
    return copied;
}

void Arrivals::adopt(Run &run, const std::vector<Field *> &fields, Context &context) {
    for (const Part &wanted : wanted_) {
        const Field &field = *fields[static_cast<size_t>(wanted.field)];
        const int32_t set = run.sets[static_cast<size_t>(wanted.field)];
        void *data = field.data(wanted.part, set);
        if (!data) continue;
        DeviceWork *work = nullptr;
        bool is_new = false;
        for (size_t p = 0; p < run.pieces.size(); ++p) {
            if (run.plan->pieces()[p].destination != wanted.field) continue;
            is_new = is_new || !run.pieces[p].part(wanted.part);
            work = run.pieces[p].work;
        }
        if (!is_new) continue;
        if (work)
            field.fill(wanted.part, data, work->device(), work->stream());
        else
            field.fill(wanted.part, data, context.device(), HALO_STREAM_NONE);
        void *const beside = run.beside ? run.beside->adopt(wanted.field, wanted.part, data) : nullptr;
        for (size_t p = 0; p < run.pieces.size(); ++p) {
            if (own_field(run, p) != wanted.field) continue;
            run.pieces[p].part(wanted.part) = run.plan->pieces()[p].destination == wanted.field ? data : beside;
        }
    }
}

void Arrivals::unpack_staged(Run &run) {
    for (const Staged &staged : staged_) {
        PieceRun &piece = run.pieces[staged.piece];
        if (!piece.part(staged.single->edge.recv_part)) continue;
        if (piece.work) {
            piece.work->add_row(piece, staged.single->unstage_row);
            continue;
        }
        piece.run_row(staged.single->unstage_row);
    }
    staged_.clear();
}

} // namespace halo
