// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/check_mode.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/config.h"
#include "base/error.h"
#include "base/setting_value.h"
#include "exchange/checked_values.h"
#include "exchange/poison.h"
#include "exchange/round_spec.h"
#include "field/value_name.h"
#include "stream/wire_edge.h"
#include "topology/topology.h"

namespace halo {

namespace {

// ---- edges of a run

// Dense, and moved as they are: ghosts hold exactly what was sent.
bool is_hashed(const Piece &piece) { return !piece.combining().combines() && !piece.destination().sparse; }

// Beside what check mode itself does.
bool writes_in_finish(const Run &run) { return !run.plan->links().empty() || run.plan->combines() || run.plan->any_sparse(); }

// What is on a device is not.
bool is_looked_at(const PieceRun &piece) { return piece.takes_part && !piece.work; }

// " what came from rank 3, 5": where ranks send anything.
std::string name_senders(const Plan &plan) {
    std::string text;
    for (const PlanLink &link : plan.links())
        if (link.n_receive > 0) text += (text.empty() ? " what came from rank " : ", ") + std::to_string(link.peer);
    return text;
}

Extent received_point(const PlacedEdge &edge, int64_t number) {
    return { edge.low[0] + number % edge.n[0], edge.low[1] + number / edge.n[0] % edge.n[1], edge.low[2] + number / edge.n[0] / edge.n[1] };
}

} // namespace

CheckMode::CheckMode(const RoundSpec &spec, const Config &config)
    : fields_(spec.fields),
      what_(spec.what),
      source_stable_(spec.source_stable),
      full_(parse_value(*find_setting("check"), *config.value("check")) == 2),
      peers_write_(config.word("path") == "put" || config.word("path") == "direct"),
      seed_(config.integer("check.seed")) {}

template <class Visit>
void CheckMode::for_each_hashed(const Run &run, const PlanLink &link, bool sending, Visit &&visit) {
    run.for_each(link, sending, [&](const PieceRun &piece, const LinkPiece &at, const LoweredDirection &) {
        if (!is_hashed(run.plan->piece(at.piece))) return;
        const PlacedEdges::Link &edges = piece.rows->edges(run.plan->piece(at.piece)).links[at.link];
        for (const PlacedEdge &edge : sending ? edges.send : edges.receive) visit(Checked{ at.piece, &edge });
    });
}

// Values that are where they are to be.
bool CheckMode::is_in_place(const Run &run, const Checked &checked) {
    const PlanPiece &planned = run.plan->pieces()[checked.piece];
    const PlacedEdge &edge = *checked.edge;
    return planned.source != planned.destination && target(run, checked) && source(run, checked) == target(run, checked) && edge.low == edge.from &&
           edge.turn == 0 && edge.place == edge.send_place;
}

template <class Visit>
void CheckMode::for_each_local(const Run &run, Visit &&visit) {
    for (size_t p = 0; p < run.pieces.size() && run.plan->scope().local; ++p)
        if (is_looked_at(run.pieces[p]))
            for (const PlacedEdge &edge : run.pieces[p].rows->edges(run.plan->piece(p)).local)
                if (!is_in_place(run, { p, &edge })) visit(Checked{ p, &edge });
}

// All that may be written, hashed or not.
template <class Visit>
void CheckMode::for_each_receiving(const Run &run, Visit &&visit) {
    for_each_local(run, [&](const Checked &checked) { visit(checked, true); });
    for (const PlanLink &link : run.plan->links())
        for (const LinkPiece &at : link.pieces)
            if (const PieceRun &piece = run.pieces[at.piece]; is_looked_at(piece))
                for (const PlacedEdge &edge : piece.rows->edges(run.plan->piece(at.piece)).links[at.link].receive)
                    visit(Checked{ at.piece, &edge }, false);
}

EdgeBoxes CheckMode::boxes_of(const Run &run, const Checked &checked) const {
    return run.pieces[checked.piece].rows->boxes(run.plan->piece(checked.piece));
}

// Where the edge receives: one box, whose source does not matter.
BoxValues CheckMode::target_of(const Run &run, const Checked &checked) const {
    return BoxValues::of_target(boxes_of(run, checked).repeat(*checked.edge, 0));
}

std::string CheckMode::name_point(const Run &run, const Checked &checked, int64_t point) const {
    const Field &field = field_of(run, checked);
    const PlacedEdge &edge = *checked.edge;
    const std::string name = field.topology().has_cells()
                                 ? halo::name_point(field, edge.recv_part, received_point(edge, point))
                                 : name_point_at(field, edge.recv_part, target_of(run, checked).offset(point, 0) / field.spec().element_bytes);
    return format("field %s, part %lld, %s, which part %lld on rank %d fills (channel %s)", field.spec().name.c_str(),
                  static_cast<long long>(edge.receive_gid), name.c_str(), static_cast<long long>(edge.send_gid), peer_of(run, checked),
                  run.plan->describe(run.plan->pieces()[checked.piece].key(edge)).c_str());
}

// At the other end; this rank, if no link has the edge.
int32_t CheckMode::peer_of(const Run &run, const Checked &checked) const {
    const auto has = [&](const std::vector<PlacedEdge> &edges) {
        return !edges.empty() && checked.edge >= &edges.front() && checked.edge <= &edges.back();
    };
    for (const PlacedEdges::Link &link : run.pieces[checked.piece].rows->edges(run.plan->piece(checked.piece)).links)
        if (has(link.send) || has(link.receive)) return link.peer;
    return run.plan->pieces()[checked.piece].field->topology().context().rank();
}

CheckMode::Hashes CheckMode::source_hashes(const Run &run, const Checked &checked) const {
    Hashes hashes(static_cast<size_t>(checked.edge->n_points()), unknown_hash);
    if (!is_looked_at(run.pieces[checked.piece])) return hashes;
    const std::byte *const storage = source(run, checked);
    std::vector<BoxCopy> boxes;
    boxes_of(run, checked).pack(*checked.edge, {}, boxes);
    for (const BoxCopy &box : boxes)
        if (box.negate != 0)
            add_negated(box, storage, hashes);
        else
            add_hashes(BoxValues::of_source(box), storage, hashes);
    return hashes;
}

// What the ghosts are to hold, in the order of target_of.
void CheckMode::gather_source(const Run &run, const Checked &checked, std::byte *into) {
    boxes_.clear();
    boxes_of(run, checked).pack(*checked.edge, {}, boxes_);
    for (const BoxCopy &box : boxes_) {
        const BoxValues values = BoxValues::of_source(box);
        gather(values, source(run, checked), into);
        for (int64_t done = 0; box.negate != 0 && done < values.bytes(); done += box.element_bytes)
            negate(box.negate, into + done, box.element_bytes);
        into += values.bytes();
    }
}

// ---- start

void CheckMode::start(const Run &run) {
    local_.clear();
    sent_.clear();
    received_.clear();
    passes_ = {};
    refuse_poison_in_owned(run);
    size_t end = 0;
    for_each_local(run, [&](const Checked &checked) {
        if (!is_hashed(run.plan->piece(checked.piece))) return;
        local_.push_back({ checked, end });
        end += static_cast<size_t>(boxes_of(run, checked).bytes(*checked.edge));
    });
    if (end > withheld_.size()) withheld_.resize(end);
    if (source_stable_)
        for (const PlanLink &link : run.plan->links())
            for_each_hashed(run, link, true, [&](const Checked &checked) { sent_.push_back({ checked, source_hashes(run, checked) }); });
    for_each_receiving(run, [&](const Checked &checked, bool local) {
        if (is_hashed(run.plan->piece(checked.piece)) && (full_ || !local || is_new(run, checked.piece))) poison(run, checked);
    });
    if (full_ && !peers_write_) keep_storage(run);
}

bool CheckMode::is_new(const Run &run, size_t piece) const { return piece >= known_.size() || known_[piece].rows != run.pieces[piece].rows; }

// Each part once in eight runs, and not always in an even one: a program may have two sets by turns.
bool CheckMode::compares(const Run &run, size_t piece, int64_t part) const {
    constexpr uint64_t turns = 8;
    if (full_ || is_new(run, piece)) return true;
    const uint64_t n = known_[piece].n_runs;
    return (n + n / turns + static_cast<uint64_t>(part)) % turns == 0;
}

void CheckMode::refuse_poison_in_owned(const Run &run) {
    for (size_t p = 0; p < run.pieces.size(); ++p) {
        const PieceRun &piece = run.pieces[p];
        const Plan &plan = *run.plan;
        if (!is_looked_at(piece)) continue;
        const auto refuse = [&](int32_t field, const ValueShape &values, auto &&storage) {
            if (run.beside && run.beside->own(field) != field) return; // made from those of the field beside which it stands
            for (int64_t part = 0; part < values.n_parts(); ++part)
                if (storage(part)) refuse_poison_in_part(run, *fields_[static_cast<size_t>(field)], part, storage(part));
        };
        const PlanPiece &planned = plan.pieces()[p];
        refuse(planned.destination, planned.piece->destination(), [&](int64_t part) { return piece.part(part); });
        if (planned.source != planned.destination)
            refuse(planned.source, planned.piece->source(), [&](int64_t part) { return piece.source_part(part); });
    }
}

void CheckMode::refuse_poison_in_part(const Run &run, const Field &field, int64_t part, const void *memory) {
    const PartLayout &layout = field.layout(part);
    const FieldSpec &spec = field.spec();
    const auto *storage = static_cast<const std::byte *>(memory);
    if (!can_be_poison(spec)) return;
    const bool has_cells = field.topology().has_cells();
    const Poison poison = poison_of(field, part);
    const auto look = [&](int64_t first, int64_t step, int64_t n) { // at elements
        const auto next = [&](int64_t i) {
            return i + find_poison(spec, storage + (first + i * step) * spec.element_bytes, step * spec.element_bytes, n - i);
        };
        for (int64_t i = next(0); i < n; i = next(i + 1)) {
            const int64_t element = first + i * step;
            const std::byte *const value = storage + element * spec.element_bytes;
            if (has_cells || !poison.is_at(element, value, spec.element_bytes)) // else a copy that a failed run has not filled
                refuse_poison(run, field, part, element, value);
        }
    };
    const bool in_rows = !has_cells || !field.point_map(part);
    const Extent cells = in_rows ? field.cells(part) : field.topology().cells(part);
    const auto for_each_row = [&](auto &&visit) {
        for (int64_t c = 0; c < spec.n_components; ++c)
            for (int64_t z = 0; z < cells[2]; ++z)
                for (int64_t y = 0; y < cells[1]; ++y) visit(y, z, c * layout.component_stride);
    };
    passes_.searched += cells[0] * cells[1] * cells[2] * spec.n_components * spec.element_bytes;
    if (PoisonSearch search(spec); in_rows && layout.stride[0] == 1 && search.can()) { // all of it, before it is looked at more closely
        for_each_row([&](int64_t y, int64_t z, int64_t component) {
            search.look(storage + (layout.offset(0, y, z) + component) * spec.element_bytes, cells[0] * spec.element_bytes);
        });
        if (!search.has_found()) return;
    }
    for_each_row([&](int64_t y, int64_t z, int64_t component) {
        if (in_rows) look(layout.offset(0, y, z) + component, layout.stride[0], cells[0]);
        for (int64_t x = 0; x < cells[0] && !in_rows; ++x)
            if (const auto element = field.element(part, { x, y, z })) look(*element + component, 1, 1);
    });
}

void CheckMode::refuse_poison(const Run &run, const Field &field, int64_t part, int64_t element, const std::byte *value) const {
    const std::string from = name_origin(field.topology().context(), poison_origin(field.spec(), value));
    fail(HALO_ERR_CHECK, "%s: run %u: %s, was computed from %s, and read between start and finish", what_.c_str(), run.epoch,
         name_element(field, part, element).c_str(), from.c_str());
}

void CheckMode::poison(const Run &run, const Checked &checked) const {
    const Poison poison = poison_of(run, checked);
    std::byte *const storage = target(run, checked);
    target_of(run, checked).for_each_row(storage, [storage, poison](int64_t, auto n, auto bytes, auto at) {
        poison.store_row(storage, n, bytes, at);
    });
}

size_t CheckMode::hash_bytes(const Plan &plan, const PlanLink &link, bool sending) {
    int64_t points = 0;
    for (const LinkPiece &at : link.pieces)
        if (is_hashed(plan.piece(at.piece)))
            for (const PlacedEdge &edge : plan.edges(at, sending)) points += edge.n_points();
    return static_cast<size_t>(points) * sizeof(uint32_t);
}

size_t CheckMode::hash_bytes(const Run &run, const PlanLink &link, bool sending) {
    int64_t points = 0;
    for_each_hashed(run, link, sending, [&](const Checked &checked) { points += checked.edge->n_points(); });
    return static_cast<size_t>(points) * sizeof(uint32_t);
}

size_t CheckMode::write_hashes(const Run &run, const PlanLink &link, std::byte *at) const {
    const std::byte *const begin = at;
    for_each_hashed(run, link, true, [&](const Checked &checked) {
        const Hashes hashes = source_hashes(run, checked);
        if (hashes.empty()) return;
        std::memcpy(at, hashes.data(), hashes.size() * sizeof(uint32_t));
        at += hashes.size() * sizeof(uint32_t);
    });
    return static_cast<size_t>(at - begin);
}

void CheckMode::take_hashes(const Run &run, const PlanLink &link, const std::byte *end) {
    const size_t first = received_.size();
    size_t n = 0;
    for_each_hashed(run, link, false, [&](const Checked &checked) {
        received_.push_back({ checked, Hashes(static_cast<size_t>(checked.edge->n_points())) });
        n += received_.back().hashes.size();
    });
    const std::byte *at = end - n * sizeof(uint32_t);
    for (size_t i = first; i < received_.size(); ++i) {
        Hashes &hashes = received_[i].hashes;
        if (hashes.empty()) continue;
        std::memcpy(hashes.data(), at, hashes.size() * sizeof(uint32_t));
        at += hashes.size() * sizeof(uint32_t);
    }
}

// ---- finish

void CheckMode::require_poison(const Run &run, const Checked &checked) const {
    const Poison poison = poison_of(run, checked);
    const std::byte *const storage = target(run, checked);
    target_of(run, checked).for_each_row(storage, [&, poison](int64_t point, auto n, auto bytes, auto at) {
        if (!poison.is_in_row(storage, n, bytes, at)) [[unlikely]]
            refuse_written(run, checked, point + poison.first_other(storage, n, bytes, at));
    });
}

void CheckMode::refuse_written(const Run &run, const Checked &checked, int64_t point) const {
    fail(HALO_ERR_CHECK, "%s: run %u: %s, was written between start and finish", what_.c_str(), run.epoch, name_point(run, checked, point).c_str());
}

void CheckMode::require_source(const Run &run, const Received &sent) const {
    const Hashes now = source_hashes(run, sent);
    const auto differs = std::mismatch(now.begin(), now.end(), sent.hashes.begin()).first;
    if (differs != now.end()) refuse_source(run, sent, differs - now.begin());
}

void CheckMode::require_source(const Run &run, const Withheld &local) {
    now_values_.resize(static_cast<size_t>(boxes_of(run, local).bytes(*local.edge)));
    if (now_values_.empty()) return;
    gather_source(run, local, now_values_.data());
    if (std::memcmp(now_values_.data(), withheld_.data() + local.first, now_values_.size()) == 0) return;
    const auto differs = std::mismatch(now_values_.begin(), now_values_.end(), withheld_.begin() + static_cast<std::ptrdiff_t>(local.first)).first;
    refuse_source(run, local, (differs - now_values_.begin()) / field_of(run, local).spec().element_bytes % local.edge->n_points());
}

void CheckMode::refuse_source(const Run &run, const Checked &checked, int64_t point) const {
    const PlanPiece &planned = run.plan->pieces()[checked.piece];
    const PlacedEdge &edge = *checked.edge;
    const Field &field = *fields_[static_cast<size_t>(planned.source)];
    std::vector<BoxCopy> boxes;
    boxes_of(run, checked).pack(edge, {}, boxes);
    const int64_t element = BoxValues::of_source(boxes.front()).offset(point, 0) / field.spec().element_bytes;
    fail(HALO_ERR_CHECK,
         "%s: run %u: %s, which goes to part %lld on rank %d, was overwritten before finish (channel %s), though source_stable was promised",
         what_.c_str(), run.epoch, name_element(field, edge.send_part, element).c_str(), static_cast<long long>(edge.receive_gid),
         peer_of(run, checked), run.plan->describe(planned.key(edge)).c_str());
}

void CheckMode::require_source_in_ghosts(const Run &run, const Withheld &local) {
    now_values_.resize(static_cast<size_t>(boxes_of(run, local).bytes(*local.edge)));
    gather_source(run, local, now_values_.data());
    const std::byte *const storage = target(run, local);
    const BoxValues values = target_of(run, local);
    values.for_each_row(storage, [&, storage, value = now_values_.data()](int64_t point, auto n, auto bytes, auto at) mutable {
        if (!is_row(value, storage, n, bytes, at)) [[unlikely]]
            refuse_point(run, local, values, point + first_different(value, storage, n, bytes, at), "does not hold what it was given");
        value += n * bytes;
    });
}

// Ghosts that this rank has filled itself are kept beside and poisoned until finish, so that reading them is found wherever parts are placed. No row
// has written over what another one reads, for they run in any order.
void CheckMode::after_start(const Run &run) {
    for (const Withheld &local : local_) {
        if (source_stable_ || compares(run, local.piece, local.edge->recv_part)) require_source_in_ghosts(run, local);
        std::byte *const storage = target(run, local);
        const Poison poison = poison_of(run, local);
        target_of(run, local)
            .for_each_row(storage, [storage, poison, kept = withheld_.data() + local.first](int64_t, auto n, auto bytes, auto at) mutable {
                gather_row(storage, kept, n, bytes, at);
                poison.store_row(storage, n, bytes, at);
                kept += n * bytes;
            });
    }
    if (full_ && !peers_write_) require_untouched(run, [] { return std::string("the copies within the rank"); });
}

void CheckMode::give_back_withheld(const Run &run) {
    for (const Withheld &local : local_) {
        std::byte *const storage = target(run, local);
        const Poison poison = poison_of(run, local);
        const std::byte *value = withheld_.data() + local.first;
        target_of(run, local).for_each_row(storage, [&, storage, poison, value](int64_t point, auto n, auto bytes, auto at) mutable {
            if (!poison.is_in_row(storage, n, bytes, at)) [[unlikely]]
                refuse_written(run, local, point + poison.first_other(storage, n, bytes, at));
            scatter_row(value, storage, n, bytes, at);
            value += n * bytes;
        });
    }
}

void CheckMode::before_unpack(const Run &run, FunctionRef<bool(size_t link)> has_landed) {
    for (size_t i = 0; i < run.plan->links().size(); ++i)
        if (!has_landed(i))
            for_each_hashed(run, run.plan->links()[i], false, [&](const Checked &checked) {
                if (is_looked_at(run.pieces[checked.piece])) require_poison(run, checked);
            });
    if (source_stable_) {
        for (const Withheld &local : local_) require_source(run, local);
        for (const Received &sent : sent_) require_source(run, sent);
    }
    give_back_withheld(run);
    if (full_ || writes_in_finish(run)) keep_storage(run);
}

// Several pieces may fill one field.
size_t CheckMode::first_into_same(const Run &run, size_t piece) {
    const auto &pieces = run.plan->pieces();
    size_t first = 0;
    while (pieces[first].destination != pieces[piece].destination) ++first;
    return first;
}

// Calls visit(piece, part, storage) for all that is.
template <class Visit>
void CheckMode::for_each_compared(const Run &run, Visit &&visit) const {
    for (size_t p = 0; p < run.pieces.size(); ++p) {
        if (!is_looked_at(run.pieces[p]) || first_into_same(run, p) != p) continue;
        const ValueShape &values = run.plan->piece(p).destination();
        for (int64_t part = 0; part < values.n_parts(); ++part) {
            const auto *storage = static_cast<const std::byte *>(run.pieces[p].part(part));
            const auto bytes = static_cast<size_t>(values.layout(part).elements * values.element_bytes);
            if (storage && compares(run, p, part)) visit(p, static_cast<size_t>(part), std::span(storage, bytes));
        }
    }
}

void CheckMode::keep_storage(const Run &run) {
    before_.assign(run.pieces.size(), {});
    size_t end = 0;
    for_each_compared(run, [&](size_t, size_t, std::span<const std::byte> storage) { end += storage.size(); });
    if (end > kept_.size()) kept_.resize(end);
    std::byte *at = kept_.data();
    for_each_compared(run, [&](size_t piece, size_t part, std::span<const std::byte> storage) {
        before_[piece].resize(part + 1);
        before_[piece][part] = { at, storage.size() };
        at = std::ranges::copy(storage, at).out;
        passes_.kept += std::ssize(storage);
    });
}

void CheckMode::require_hashes(const Run &run, const Received &received) {
    const BoxValues values = target_of(run, received);
    now_.assign(received.hashes.size(), 0);
    add_hashes(values, target(run, received), now_);
    for (int64_t point = 0; point < values.n_points(); ++point) {
        const uint32_t sent = received.hashes[static_cast<size_t>(point)];
        if (now_[static_cast<size_t>(point)] != sent && sent != unknown_hash)
            refuse_point(run, received, values, point, "does not hold what was sent");
    }
}

void CheckMode::refuse_point(const Run &run, const Checked &checked, const BoxValues &values, int64_t point, const char *blame) const {
    const Field &field = field_of(run, checked);
    const int64_t bytes = field.spec().element_bytes;
    const Poison poison = poison_of(run, checked);
    bool all_poison = true;
    for (int64_t c = 0; c < values.n_components(); ++c) {
        const int64_t offset = values.offset(point, c);
        all_poison = all_poison && poison.is_at(offset / bytes, target(run, checked) + offset, bytes);
    }
    fail(HALO_ERR_CHECK, "%s: run %u: %s, %s", what_.c_str(), run.epoch, name_point(run, checked, point).c_str(),
         all_poison ? "was not filled" : blame);
}

// What may have been written becomes equal on both sides; then nothing may differ. What the rank has given itself is compared otherwise, and done.
void CheckMode::require_untouched(const Run &run, FunctionRef<std::string()> by) {
    for_each_receiving(run, [&](const Checked &checked, bool local) {
        const auto &kept = before_[first_into_same(run, checked.piece)];
        const auto part = static_cast<size_t>(checked.edge->recv_part);
        const std::span<std::byte> copy = part < kept.size() ? kept[part] : std::span<std::byte>();
        if (copy.empty() || (local && is_hashed(run.plan->piece(checked.piece)))) return;
        const std::byte *const storage = target(run, checked);
        target_of(run, checked).for_each_row(storage, [&](int64_t, auto n, auto bytes, auto at) {
            for (int64_t i = 0; i < n; ++i) std::memcpy(copy.data() + at(i), storage + at(i), static_cast<size_t>(bytes));
        });
    });
    for (size_t p = 0; p < run.pieces.size(); ++p) {
        const Field &field = *run.plan->pieces()[p].field;
        for (size_t part = 0; part < before_[p].size(); ++part) {
            const std::span<const std::byte> copy = before_[p][part];
            const auto *storage = static_cast<const std::byte *>(run.pieces[p].part(static_cast<int64_t>(part)));
            passes_.compared += std::ssize(copy);
            if (copy.empty() || std::memcmp(copy.data(), storage, copy.size()) == 0) continue;
            const auto differs = std::mismatch(copy.begin(), copy.end(), storage).first;
            fail(HALO_ERR_CHECK, "%s: run %u: %s, was changed by %s, though no part fills it", what_.c_str(), run.epoch,
                 name_element(field, static_cast<int64_t>(part), (differs - copy.begin()) / field.spec().element_bytes).c_str(), by().c_str());
        }
    }
}

void CheckMode::after_unpack(const Run &run) {
    for (const Received &received : received_)
        if (is_looked_at(run.pieces[received.piece])) require_hashes(run, received);
    if (full_ || writes_in_finish(run)) require_untouched(run, [&] { return "unpacking" + name_senders(*run.plan); });
    known_.resize(run.pieces.size());
    for (size_t p = 0; p < known_.size(); ++p) {
        if (!is_looked_at(run.pieces[p])) continue;
        if (is_new(run, p)) known_[p] = { run.pieces[p].rows };
        ++known_[p].n_runs;
    }
}

} // namespace halo
