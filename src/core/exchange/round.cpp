// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/round.h"

#include <algorithm>

#include "base/types.h"
#include "comm/collective_stream.h"
#include "comm/wait.h"
#include "plan/piece_cache.h"

namespace halo {

namespace {

constexpr int64_t first_looks = 64; // for what comes through shared memory, before the transport is asked to go on

constexpr uint32_t looks_for_one_ahead = 1024;

bool narrows_ghosts(const halo_run &run) { return run.depth > 0 || run.has_ghosts != 0; }

} // namespace

Round::Round(RoundSpec spec)
    : context_(spec.fields[0]->topology().context()),
      spec_(std::move(spec)),
      id_(context_.next_run()),
      patience_(context_, timeout(), id_.serial()) {
    spec_.what = format("exchange %u over", id_.serial());
    for (const Field *field : spec_.fields) spec_.what += " " + field->spec().name;
    first_pointer_.push_back(0);
    for (const Field *field : spec_.fields) first_pointer_.push_back(first_pointer_.back() + field->topology().local_parts().size());
    if (context_.check_mode()) check_ = std::make_unique<CheckMode>(spec_, context_.config());
    run_.check = check_.get();
    run_.beside = spec_.beside;
    run_.sets.resize(spec_.fields.size());
    context_.reap();
    if (std::all_of(spec_.pieces.begin(), spec_.pieces.end(), [](const RoundPiece &piece) { return piece.edges->is_known(); })) make_plan();
    context_.inquiries().add(id_.serial(), *this);
    context_.progressing().add(*this);
}

Round::~Round() {
    context_.progressing().remove(*this);
    if (device_owner_) context_.devices().leave(*device_owner_);
    context_.departures().remove(*this);
    context_.inquiries().remove(id_.serial());
}

void Round::prepare() {
    find_plan();
    messages_->join_neighbourhood();
    choose_spaces(HALO_RUN_INIT);
    for (size_t p = 0; p < run_.pieces.size(); ++p) allocate_scratch(p);
    messages_->allocate(run_);
}

void Round::find_plan() {
    if (is_planned()) return;
    for (size_t p = 0; p < spec_.pieces.size(); ++p) { // each a call of its own: those done are left out when this is called again
        const CollectiveCall call(context_, "prepare", spec_.timeout_seconds, uint64_t{ id_.serial() } << 32 | p);
        spec_.pieces[p].edges->look_up();
    }
    make_plan();
}

std::shared_ptr<Plan> Round::compiled_plan() {
    std::vector<PlanPiece> pieces;
    for (const RoundPiece &wanted : spec_.pieces) {
        PieceSpec piece;
        piece.source = spec_.fields[static_cast<size_t>(wanted.source)];
        piece.destination = spec_.fields[static_cast<size_t>(wanted.destination)];
        piece.edges = wanted.edges;
        piece.combining = wanted.combining;
        piece.meaning = wanted.meaning;
        piece.bytes_behind = wanted.aged ? Ages::bytes : 0;
        const auto copy = std::count_if(pieces.begin(), pieces.end(), [&](const PlanPiece &one) { return one.field == piece.destination; });
        pieces.push_back(
            { piece_for(piece), wanted.source, wanted.destination, piece.destination, static_cast<int32_t>(copy), wanted.sparse, wanted.aged });
    }
    return std::make_shared<Plan>(std::move(pieces), spec_.scope);
}

void Round::make_plan() {
    follow_layouts();
    first_plan_ = plan_;
    const PathPolicy paths(context_.shared_arena(SIZE_MAX) ? context_.config().word("path") : "message");
    const MessageSetup setup{ context_, spec_, *plan_, id_, run_, paths };
    size_t sparse_edges = 0;
    for (const PlanPiece &one : plan_->pieces()) {
        if (!one.piece->destination().sparse) continue;
        sparse_edges += one.piece->edges().local.size();
        for (const PlacedEdges::Link &link : one.piece->edges().links) sparse_edges += link.receive.size();
    }
    arrivals_.reserve(sparse_edges);
    messages_ = std::make_unique<Messages>(setup);
}

// Other pieces if layouts have changed since. What travels between ranks stays the same.
void Round::follow_layouts() {
    uint64_t layouts = 0;
    for (Field *field : spec_.fields) layouts = Digest::mix(layouts ^ field->layout_hash());
    if (plan_ && layouts == layouts_) return;
    std::shared_ptr<Plan> plan = compiled_plan();
    std::vector<PieceRun> pieces(plan->pieces().size());
    for (size_t p = 0; p < pieces.size(); ++p) {
        const BaseNumbers &bases = plan->piece(p).bases();
        pieces[p].first_destination = bases.first_destination;
        pieces[p].bases.assign(bases.n(), nullptr);
        pieces[p].take_rows(lowered(*plan, p, context_.device_of(plan->pieces()[p].field->space(0)), {}));
    }
    staging_.resize(pieces.size());
    fill_values_.resize(pieces.size());
    plan_ = std::move(plan); // from here on nothing can fail
    layouts_ = layouts;
    run_.plan = plan_.get();
    run_.pieces = std::move(pieces);
    took_all_ = false;
    if (messages_) messages_->forget_plans();
}

void Round::check_run(const halo_run &run) const {
    if (takes_all(run)) {
        for (const Field *field : spec_.fields) field->require_present_layouts(0);
        return;
    }
    const char *what = spec_.what.c_str();
    check_lists(run, spec_.fields.size(), first_pointer_.back(), spec_.what);
    if (run.op != 0 && spec_.op == op_move) fail(HALO_ERR_ARGUMENT, "%s: run with op %d, but values are moved, not combined", what, run.op);
    if (run.op != 0) check_op(run.op, spec_.combine, spec_.canonical);
    if (run.first_component < 0 || run.n_components < 0 || run.depth < 0)
        fail(HALO_ERR_ARGUMENT, "%s: run with first_component %d, n_components %d, depth %d: none may be negative", what, run.first_component,
             run.n_components, run.depth);
    if (run.has_ghosts != 0 && run.has_ghosts != 1) fail(HALO_ERR_ARGUMENT, "%s: run with has_ghosts %d: it is 0 or 1", what, run.has_ghosts);
    for (int d = 0; run.has_ghosts && d < 3; ++d)
        if (run.ghost_low[d] < 0 || run.ghost_high[d] < 0)
            fail(HALO_ERR_ARGUMENT, "%s: run with ghost_low %d and ghost_high %d along direction %d: none may be negative", what, run.ghost_low[d],
                 run.ghost_high[d], d);
    for (const RoundPiece &piece : spec_.pieces)
        if (takes_field(run, static_cast<size_t>(piece.source)) != takes_field(run, static_cast<size_t>(piece.destination)))
            fail(HALO_ERR_ARGUMENT, "%s: the field mask parts source %s from destination %s", what,
                 spec_.fields[static_cast<size_t>(piece.source)]->spec().name.c_str(),
                 spec_.fields[static_cast<size_t>(piece.destination)]->spec().name.c_str());
    for (size_t f = 0; f < spec_.fields.size(); ++f) {
        const Field &field = *spec_.fields[f];
        const FieldSpec &spec = field.spec();
        if (narrows_ghosts(run) && !field.topology().has_cells())
            fail(HALO_ERR_ARGUMENT, "%s: run with %s: the points of field %s have no layers", what,
                 run.has_ghosts ? "has_ghosts" : format("depth %d", run.depth).c_str(), spec.name.c_str());
        if (!takes_field(run, f)) continue;
        if (run.first_component >= spec.n_components || run.n_components > spec.n_components - run.first_component)
            fail(HALO_ERR_ARGUMENT, "%s: run with components %d+%d, but field %s has %d", what, run.first_component, run.n_components,
                 spec.name.c_str(), spec.n_components);
        if (run.op != 0) check_op(spec, run.op);
        if (run.sets) field.check_set(run.sets[f]);
        if (!run.data) field.require_present_layouts(run.sets ? run.sets[f] : 0);
    }
}

bool Round::takes(const halo_run &run) const noexcept {
    try {
        check_run(run);
        return phase_ == Phase::idle;
    } catch (...) { // start says why
        return false;
    }
}

// Moving takes no knowledge of values.
void Round::require_known_values(const PlanPiece &piece, const Device &device) const {
    const FieldSpec &field = piece.field->spec();
    if (device.knows(field.type)) return;
    const Combining &combining = piece.piece->combining();
    if (field.sparse || (combining.combines() && !combining.has_own_rows(run_.op)))
        fail(HALO_ERR_DEVICE, "%s: field %s: device %s does not know values of %s, it can only move them", spec_.what.c_str(), field.name.c_str(),
             device.name(), type_name(field.type));
}

std::shared_ptr<const Lowered> Round::lowered(const Plan &plan, size_t number, const Device &device, const Narrowed &narrowed) {
    const int64_t before = compiled_;
    std::shared_ptr<const Lowered> rows = plan.pieces()[number].piece->lowered(device, narrowed, spec_.per_channel, compiled_);
    if (compiled_ > before) compiled_rows_ += rows->table.rows();
    return rows;
}

// What takes all is no narrower for saying so in numbers.
Narrowed Round::narrowed_by(const halo_run &run) const {
    Narrowed wanted{ { run.first_component, run.n_components }, widths_of(run), spec_.pieces.front().combining.op_of_rows(op_of(run)) };
    const auto all = [&](auto &&holds) {
        return std::ranges::all_of(plan_->pieces(), [&](const PlanPiece &planned) {
            return !takes_field(run, static_cast<size_t>(planned.destination)) || holds(planned.field->spec());
        });
    };
    if (run.n_components > 0 && run.first_component == 0 && all([&](const FieldSpec &field) { return run.n_components == field.n_components; }))
        wanted.components = {};
    if (narrows_ghosts(run) && all([&](const FieldSpec &field) { return field.ghosts.clipped(wanted.ghosts) == field.ghosts; }))
        wanted.ghosts = GhostWidths::all();
    return wanted;
}

// Which tables the run works on; those of another narrowing are made at its first use.
void Round::narrow(const halo_run &run) {
    const bool all_on_host = takes_all(run) && run_.on_host();
    if (all_on_host && took_all_ && run_.narrowing.batch == batch_) return; // as the run before
    took_all_ = false;
    run_.op = op_of(run);
    const Narrowed wanted = narrowed_by(run);
    run_.ghosts = wanted.ghosts;
    Narrowing last = run_.narrowing;
    run_.whole = wanted == Narrowed{};
    bool any = run_.pieces.empty();
    const uint32_t ghosts_and_op = WireGhosts::word_of(layers_of(run_.ghosts)) | static_cast<uint32_t>(run_.op == spec_.op ? 0 : run_.op)
                                                                                     << Narrowing::op_shift;
    run_.narrowing = { 0, batch_, wanted.components.first, wanted.components.n, ghosts_and_op };
    for (size_t p = 0; p < run_.pieces.size(); ++p) {
        PieceRun &piece = run_.pieces[p];
        const PlanPiece &planned = plan_->pieces()[p];
        piece.takes_part = takes_field(run, static_cast<size_t>(planned.destination));
        run_.whole = run_.whole && piece.takes_part;
        any = any || piece.takes_part;
        if (piece.takes_part) run_.narrowing.add(p, run_.pieces.size());
        if (piece.takes_part) require_known_values(planned, device_of(piece));
        if (piece.takes_part && (!(piece.rows->narrowed == wanted) || piece.rows->device != &device_of(piece)))
            piece.take_rows(lowered(*plan_, p, device_of(piece), wanted));
    }
    if (run_.whole) run_.narrowing.pieces = 0;
    if (!any) run_.narrowing = { 0, batch_, 0, Narrowing::of_none, 0 }; // whatever the operation
    last.batch = batch_;
    if (last != run_.narrowing) times_.measure_after_all();
    took_all_ = all_on_host;
}

void Round::fill_parts(const halo_run &run, int32_t number, void **bases) const {
    const auto f = static_cast<size_t>(number);
    const Field &field = *spec_.fields[f];
    const bool may_lack = field.spec().sparse || (spec_.beside && spec_.beside->own(number) != number);
    const int64_t n_parts = std::ssize(field.topology().local_parts());
    for (int64_t part = 0; part < n_parts; ++part) {
        bases[part] = run.data ? run.data[first_pointer_[f] + static_cast<size_t>(part)] : field.data(part, run_.sets[f]);
        if (!bases[part] && !may_lack && field.cells(part)[0] > 0)
            fail(HALO_ERR_UNBOUND, "%s: field %s, part %lld on rank %d has no storage in binding set %d", spec_.what.c_str(),
                 field.spec().name.c_str(), static_cast<long long>(field.topology().local_parts()[static_cast<size_t>(part)]), context_.rank(),
                 run_.sets[f]);
        if (context_.leases().empty()) continue;
        context_.leases().require_free(bases[part], field.storage_bytes(part),
                                       format("%s: field %s, part %lld", spec_.what.c_str(), field.spec().name.c_str(),
                                              static_cast<long long>(field.topology().local_parts()[static_cast<size_t>(part)])));
    }
}

void Round::allocate_scratch(size_t number) {
    const auto grow = [](Buffer &buffer, int64_t bytes, Pool &pool) {
        if (bytes > static_cast<int64_t>(buffer.bytes()) || (bytes > 0 && !buffer.is_of(pool))) buffer = pool.get(static_cast<size_t>(bytes));
    };
    const PieceRun &piece = run_.pieces[number];
    if (piece.rows->staging_bytes == 0 && piece.rows->scratch_bytes() == 0) return;
    Pool &host = context_.pools().pool(HALO_MEMORY_HOST);
    grow(staging_[number], piece.rows->staging_bytes, piece.work ? context_.pools().pool(HALO_MEMORY_DEVICE, piece.work->device().ordinal()) : host);
    grow(scratch_, piece.rows->scratch_bytes(), host);
    if (piece.work && staging_[number]) piece.work->keep(staging_[number]);
}

void Round::fill_bases(const halo_run &run) {
    for (size_t f = 0; f < spec_.fields.size(); ++f) run_.sets[f] = run.sets ? run.sets[f] : 0;
    for (size_t p = 0; p < run_.pieces.size(); ++p) {
        PieceRun &piece = run_.pieces[p];
        if (!piece.takes_part) continue;
        const PlanPiece &planned = plan_->pieces()[p];
        const BaseNumbers &bases = planned.piece->bases();
        fill_parts(run, planned.destination, piece.bases.data() + bases.first_destination);
        if (planned.source != planned.destination) fill_parts(run, planned.source, piece.bases.data());
        piece.bases[bases.fill()] = fill_value(p);
        allocate_scratch(p);
        piece.bases[bases.staging()] = staging_[p].data();
    }
}

void Round::begin(const halo_run &run) {
    find_plan();
    check_run(run);
    follow_layouts();
    choose_spaces(run);
    narrow(run);
    fill_bases(run);
}

// Who has no peers in a run would not hear that others take him for one.
void Round::hear_others() {
    constexpr int64_t runs_per_look = 16;
    if (runs_ % runs_per_look == 0 && is_planned() && plan_->links().empty()) context_.inquiries().read();
    context_.inquiries().refuse();
}

void Round::mark_in_flight(int32_t change) {
    for (Field *field : spec_.fields) field->in_flight += change;
}

void Round::end_run(Phase phase) {
    phase_ = phase;
    arrivals_.clear();
    run_.ages.clear();
    arrivals_noted_ = false;
    patience_.end();
    end_on_devices();
    mark_in_flight(-1);
}

// Messages know which peers have got this rank's part. What follows: another run, or none where the transport has failed, or a peer could not be
// told.
Phase Round::tell_failure(const Error &error) noexcept {
    if (error.status() != HALO_ERR_TRANSPORT && messages_->end_failed_run(run_.epoch, error)) return Phase::idle;
    messages_->abandon();
    return Phase::dead;
}

// Peers may wait for storage of theirs that the devices use.
void Round::fail_run(const Error &error) noexcept {
    end_on_devices();
    end_run(tell_failure(error));
}

template <class Step>
void Round::step(Step &&step) {
    const AtWork at_work(*this);
    try {
        raise_failed_progress();
        step();
    } catch (...) {
        const Error error = named(present_error(), run_.epoch);
        note_failed_call();
        if (error.status() != HALO_TIMEOUT) fail_run(error);
        throw error;
    }
}

void Round::refuse(const Error &error) {
    require(Phase::idle, "refuse");
    if (!is_planned()) return; // nobody knows its peers
    ++run_.epoch;
    phase_ = tell_failure(error);
}

void Round::refuse_unread(const Error &error) {
    require(Phase::idle, "start");
    find_plan();
    refuse(error);
}

void Round::do_post(const halo_run &run) {
    require(Phase::idle, "post or start");
    try {
        hear_others();
        raise_device_failure();
        begin(run);
    } catch (...) {
        const Error error = named(present_error(), run_.epoch + 1);
        if (error.status() != HALO_BUSY) refuse(error);
        throw error;
    }
    ++run_.epoch;
    looks_in_vain_ = 0;
    waiting_since_ = -1;
    phase_ = Phase::posted;
    mark_in_flight(1);
    step([&] { messages_->post(run_); });
}

void Round::do_send() {
    if (check_) check_->start(run_);
    if (!run_.on_host()) keep_tables();
    messages_->send(run_);
    if (!run_.on_host()) leave_when_packed();
    if (check_) check_->after_start(run_);
    if (plan_->scope().local) {
        for (const PieceRun &piece : run_.pieces) local_bytes_ += piece.takes_part ? piece.rows->local_bytes : 0;
        if (plan_->any_sparse()) count_local(arrivals_.copy_local(run_, spec_.fields, context_));
    }
    phase_ = Phase::sent;
    ++runs_;
}

void Round::count_local(const Arrivals::Copied &copied) {
    local_states_ += copied.edges;
    local_nulls_ += copied.nulls;
    local_bytes_ += copied.bytes;
}

bool Round::send(halo_stream stream, Around before_send) {
    require(Phase::posted, "send");
    require_stream(stream);
    bool sent = false;
    step([&] {
        put_on(stream);
        if (!(sent = messages_->writable())) return;
        before_send();
        do_send();
    });
    return sent;
}

bool Round::test() {
    require(Phase::sent, "test");
    bool here = false;
    step([&] {
        here = look();
        if (here) {
            patience_.end();
            note_arrivals();
        } else if (looks_in_vain_ % looks_for_one_ahead == 0)
            be_patient();
    });
    return here;
}

void Round::be_patient() {
    const double now = context_.clock();
    if (waiting_since_ < 0) {
        patience_.begin();
        waiting_since_ = now;
    }
    patience_.waited(now - waiting_since_);
}

bool Round::look() {
    const bool left = try_depart();
    const bool here = messages_->test() && left;
    if (!here && ++looks_in_vain_ % looks_for_one_ahead == 0) messages_->look_ahead();
    return here;
}

void Round::note_arrivals() {
    if (arrivals_noted_ || !plan_->any_sparse()) return;
    messages_->note_arrivals(run_, spec_.fields, arrivals_);
    arrivals_noted_ = true;
    if (!run_.on_host() && plan_->scope().local) count_local(arrivals_.note_local_on_devices(run_, spec_.fields));
}

std::vector<Arrivals::Part> Round::arrivals() {
    require(Phase::sent, "arrivals");
    if (!test()) fail(HALO_ERR_STATE, "%s: arrivals are known when test says done", spec_.what.c_str());
    return arrivals_.wanted();
}

void Round::unpack(halo_stream stream, Around after) {
    require(Phase::sent, "unpack");
    require_stream(stream);
    if (!test()) fail(HALO_ERR_STATE, "%s: unpack is illegal before test says done: %s", spec_.what.c_str(), messages_->missing(run_).c_str());
    step([&] {
        if (!run_.on_host()) require_sound_devices();
        put_on(stream);
        if (check_) check_->before_unpack(run_, [&](size_t link) { return messages_->has_landed(link); });
        if (on_arrival && !arrivals_.wanted().empty()) on_arrival(arrivals_.wanted());
        if (!arrivals_.wanted().empty()) follow_adopted();
        arrivals_.adopt(run_, spec_.fields, context_);
        if (!run_.on_host()) gather_unpacking();
        messages_->unpack(run_);
        arrivals_.unpack_staged(run_);
        run_.ages.set(spec_.fields);
        if (!run_.on_host()) launch_unpacking();
        if (plan_->combines()) combine();
        if (check_) check_->after_unpack(run_);
        after();
        for (DeviceWork *work : run_.works) {
            work->go();
            work->leave_stream();
        }
        messages_->consume();
    });
    phase_ = Phase::unpacked;
}

void Round::combine() {
    messages_->combine(run_, [this](size_t number, const Lowered &rows, const std::vector<void *> &bases) { combine_piece(number, rows, bases); });
    for (DeviceWork *work : run_.works) work->combine();
}

void Round::combine_piece(size_t number, const Lowered &rows, const std::vector<void *> &bases) const {
    const halo_type type = plan_->piece(number).destination().type;
    if (const PieceRun &piece = run_.pieces[number]; piece.work) return piece.work->add_combining(piece, run_.op, type);
    for (const CombineStep &step : rows.combine_steps)
        rows.table.run(step.rows.first, step.rows.n, bases, HALO_STREAM_NONE, step.moves ? HALO_COPY_MOVE : run_.op, type);
    if (run_.op == HALO_USER) combine_by_caller(number, rows, bases);
    for (const CanonicalStep &step : rows.canonical_steps) step.run(bases, { static_cast<std::byte *>(scratch_.data()), scratch_.bytes() });
}

void Round::combine_by_caller(size_t number, const Lowered &rows, const std::vector<void *> &bases) const {
    const PlanPiece &planned = plan_->pieces()[number];
    const CallerStep::Outcome outcome = rows.caller_step.run(spec_.combine, spec_.combine_user, planned.piece->destination().type, bases,
                                                             { static_cast<std::byte *>(scratch_.data()), scratch_.bytes() });
    if (outcome.status != HALO_SUCCESS) fail_combining(outcome.status, *planned.field, outcome.base - planned.piece->bases().first_destination);
}

void Round::end() {
    require(Phase::unpacked, "refine");
    end_run(Phase::idle);
    raise_device_failure();
}

void Round::wait_until_writable() {
    Waiter waiter(context_, timeout(), id_.serial());
    const auto waiting = [&] {
        return format("%s, run %u: the last two runs have not been taken by", spec_.what.c_str(), run_.epoch) + messages_->blocking_ranks() +
               context_.inquiries().known_of_peers(id_.serial());
    };
    while (!messages_->writable()) {
        if (context_.sends_by_calls()) messages_->take_what_has_come(); // else who is waited for may wait for that
        if (!waiter.pause(waiting)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), waiting().c_str());
    }
}

void Round::post(const halo_run &run) {
    times_.pass_run();
    do_post(run);
}

void Round::start(const halo_run &run, halo_stream stream, Around before_send) {
    times_.begin_run();
    times_.work([&] {
        do_post(run);
        send_when_writable(stream, before_send);
    });
}

void Round::send_when_writable(halo_stream stream, Around before_send) {
    require(Phase::posted, "send");
    step([&] {
        put_on(stream);
        wait_until_writable();
        before_send();
        do_send();
    });
}

void Round::unpack_what_is_here() {
    messages_->unpack(run_);
    if (!run_.on_host() && messages_->unpacked_a_chunk()) launch_unpacking();
}

// Without sparse fields, each message is unpacked as it comes: the regions are disjoint, so the order does not show.
void Round::wait_until_here() {
    Waiter waiter(context_, timeout(), id_.serial());
    const auto missing = [&] { return messages_->missing(run_) + context_.inquiries().known_of_peers(id_.serial()); };
    const bool as_they_come = !plan_->any_sparse() && !plan_->combines() && !check_ && messages_->unpacks_as_they_come(run_);
    bool here = false;
    step([&] {
        for (int64_t time = 0; !here && time < std::min(first_looks, context_.waiting().spins); ++time) here = look();
        while (!here) {
            if (as_they_come) unpack_what_is_here();
            if (!waiter.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), missing().c_str());
            here = look();
        }
        times_.add_long_wait(waiter.seconds());
        note_arrivals();
    });
}

void Round::do_finish(halo_stream stream, Around end_of_run) {
    require(Phase::sent, "finish");
    require_stream(stream);
    if (!run_.on_host()) step([&] { put_works_on(stream); });
    times_.work([&] {
        times_.wait([&] { wait_until_here(); });
        end_of_run();
    });
}

void Round::abandon() {
    const AtWork at_work(*this);
    if (phase_ == Phase::dead) return;
    if (phase_ == Phase::idle) fail(HALO_ERR_STATE, "%s: nothing is in flight to be abandoned", spec_.what.c_str());
    end_on_devices();
    messages_->abandon();
    end_run(Phase::dead);
}

} // namespace halo
