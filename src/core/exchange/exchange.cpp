// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/exchange.h"

#include <algorithm>

#include "comm/wait.h"
#include "exchange/caller_combine.h"
#include "exchange/checks.h"
#include "topology/boxes/placed_box.h"

namespace halo {

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

constexpr int64_t first_looks = 64; // for what comes through shared memory, before the transport is asked to go on

size_t sparse_edges(const Plan &plan) {
    size_t edges = plan.local_singles().size();
    for (const PlanLink &link : plan.links()) edges += link.receive.singles.size();
    return edges;
}

bool choose(int32_t asked, int32_t no, int32_t yes, bool configured, const char *what) {
    if (asked != 0 && asked != no && asked != yes) fail(HALO_ERR_ARGUMENT, "exchange: %s %d is not known", what, asked);
    return asked == yes || (asked == 0 && configured);
}

} // namespace

Exchange::Exchange(PlanCache &plans, std::vector<Field *> fields, const halo_exchange_desc &desc, const halo_transfer_desc *transfer, int32_t sweep)
    : context_(fields[0]->topology().context()),
      plans_(plans),
      shape_{ std::move(fields) },
      desc_(desc) {
    check_fields(shape_.fields);
    if (desc.stencil < HALO_STENCIL_FULL || desc.stencil > HALO_STENCIL_EDGES)
        fail(HALO_ERR_ARGUMENT, "exchange: stencil %d is none of HALO_STENCIL_...", desc.stencil);
    if (desc.edges < HALO_EDGES_ALL || desc.edges > HALO_EDGES_REMOTE)
        fail(HALO_ERR_ARGUMENT, "exchange: edges %d is none of HALO_EDGES_...", desc.edges);
    const Config &config = context_.config();
    if (transfer) {
        set_transfer(*transfer);
    } else {
        for (int32_t f = 0; f < std::ssize(shape_.fields); ++f) shape_.pairs.push_back({ f, f });
        shape_.kind = desc.kind;
        shape_.shared = desc.shared;
        if (shape_.combines()) shape_.op = desc.op;
        shape_.canonical = desc.combine_order == HALO_COMBINE_CANONICAL && shape_.combines() && (desc.op == HALO_SUM || desc.op == HALO_PROD);
        check_kind();
    }
    shape_.stencil = desc.stencil;
    shape_.edges = desc.edges;
    set_sections();
    shape_.sweep = sweep;
    shape_.check = context_.check_mode();
    shape_.stable = desc.source_stable != 0;
    shape_.per_channel =
        choose(desc.messages, HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL, config.word("messages") == "per_channel", "message policy");
    choose(desc.receive, HALO_RECEIVE_POSTED, HALO_RECEIVE_PROBED, false, "receive policy");
    serial_ = context_.next_serial();
    what_ = format("exchange %u over", serial_);
    for (const Field *field : shape_.fields) what_ += " " + field->spec().name;
    if (shape_.check) check_ = std::make_unique<CheckMode>(shape_.fields, what_, desc.source_stable != 0, config.integer("check.seed"));
    run_.check = check_.get();
    context_.reap();
    refresh_plan();
    for (Field *field : shape_.fields) ++field->exchanges;
}

// Copied; the caller's list goes.
void Exchange::set_sections() {
    shape_.sections.assign(shape_.fields.size(), 0);
    for (size_t f = 0; desc_.sections && f < shape_.fields.size(); ++f) {
        shape_.sections[f] = desc_.sections[f];
        if (shape_.sections[f] != 0 && !shape_.fields[f]->topology().has_sections())
            fail(HALO_ERR_ARGUMENT, "exchange: sections %#x of field %s: its topology has none", shape_.sections[f],
                 shape_.fields[f]->spec().name.c_str());
    }
    desc_.sections = nullptr;
}

Exchange::~Exchange() {
    for (Field *field : shape_.fields) --field->exchanges;
}

void Exchange::check_kind() const {
    if (desc_.kind < HALO_KIND_GHOSTS || desc_.kind > HALO_KIND_SHARED_REDUCE)
        fail(HALO_ERR_ARGUMENT, "exchange: kind %d is none of HALO_KIND_...", desc_.kind);
    if (desc_.shared < HALO_SHARED_KEEP || desc_.shared > HALO_SHARED_ONLY)
        fail(HALO_ERR_ARGUMENT, "exchange: shared %d is none of HALO_SHARED_...", desc_.shared);
    if (desc_.combine_order != HALO_COMBINE_BY_GID && desc_.combine_order != HALO_COMBINE_CANONICAL)
        fail(HALO_ERR_ARGUMENT, "exchange: combine_order %d is none of HALO_COMBINE_...", desc_.combine_order);
    if (!shape_.combines()) return;
    check_combining(shape_.fields, desc_);
    if (desc_.op == HALO_USER && desc_.combine_order == HALO_COMBINE_CANONICAL)
        fail(HALO_ERR_ARGUMENT, "exchange: HALO_COMBINE_CANONICAL, but which values of HALO_USER count is not known");
}

namespace {

// Low x, y, z, high x, y, z; at most what the field has.
GhostWidths read_widths(const int32_t (&given)[6], const Field &field, const char *what) {
    GhostWidths widths;
    const GhostWidths &most = field.spec().ghosts;
    for (int d = 0; d < field.topology().n_dims(); ++d) {
        widths.low[d] = given[d];
        widths.high[d] = given[3 + d];
        if (given[d] < 0 || given[3 + d] < 0 || given[d] > most.low[d] || given[3 + d] > most.high[d])
            fail(HALO_ERR_ARGUMENT, "transfer: %s_ghosts %d and %d along direction %d, but field %s has %d and %d", what, given[d], given[3 + d], d,
                 field.spec().name.c_str(), most.low[d], most.high[d]);
    }
    return widths;
}

} // namespace

void Exchange::set_transfer(const halo_transfer_desc &transfer) {
    const auto n = static_cast<int32_t>(shape_.fields.size() / 2);
    if (transfer.op != HALO_TRANSFER_COPY && transfer.op != HALO_TRANSFER_ADD)
        fail(HALO_ERR_ARGUMENT, "transfer: op %d is none of HALO_TRANSFER_...", transfer.op);
    shape_.kind = kind_transfer;
    shape_.op = transfer.op == HALO_TRANSFER_ADD ? HALO_SUM : op_copy;
    for (int32_t i = 0; i < n; ++i) {
        const Field &source = *shape_.fields[i];
        const Field &destination = *shape_.fields[n + i];
        check_transfer_pair(source, destination);
        shape_.transfer = { read_widths(transfer.source_ghosts, source, "source"),
                            read_widths(transfer.destination_ghosts, destination, "destination") };
        shape_.pairs.push_back({ i, n + i });
    }
    know_transfer_boxes();
}

void Exchange::know_transfer_boxes() {
    int64_t widest[2] = { 0, 0 };
    for (int d = 0; d < 3; ++d) {
        widest[0] = std::max<int64_t>({ widest[0], shape_.transfer.source.low[d], shape_.transfer.source.high[d] });
        widest[1] = std::max<int64_t>({ widest[1], shape_.transfer.destination.low[d], shape_.transfer.destination.high[d] });
    }
    const int64_t range = 2 * (widest[0] + widest[1]) + 2; // between cells whose parts have a point in common, ghosts included
    for (const FieldPair &pair : shape_.pairs) {
        const Topology &source = shape_.fields[pair.source]->topology();
        const Topology &destination = shape_.fields[pair.destination]->topology();
        shape_.transfer_boxes.emplace_back();
        if (source.knows_all_boxes() && destination.knows_all_boxes()) continue;
        shape_.transfer_boxes.back() = std::make_shared<const TransferBoxes>(find_transfer_boxes(context_, source, destination, range));
    }
}

void Exchange::check_transfer_pair(const Field &source, const Field &destination) const {
    const FieldSpec &from = source.spec();
    const FieldSpec &to = destination.spec();
    const auto refuse = [&](const char *why) {
        fail(HALO_ERR_ARGUMENT, "transfer from field %s to field %s: %s", from.name.c_str(), to.name.c_str(), why);
    };
    if (from.type != to.type || from.element_bytes != to.element_bytes) refuse("their types differ");
    if (from.n_components != to.n_components) refuse("their numbers of components differ");
    if (from.places != to.places) refuse("their centrings differ");
    if (from.sparse || to.sparse) refuse("sparse fields cannot be transferred");
    const BoxSource *source_boxes = source.topology().boxes();
    const BoxSource *destination_boxes = destination.topology().boxes();
    if (!source_boxes || !destination_boxes) refuse("a topology is not made of boxes of one index space");
    if (source.topology().n_dims() != destination.topology().n_dims()) refuse("their topologies have different dimensions");
    if (source_boxes->period() != destination_boxes->period()) refuse("their topologies have different periods");
    if (shape_.combines()) check_op(from, shape_.op);
}

// Compile again if layouts have changed since. What travels between ranks stays the same.
void Exchange::refresh_plan() {
    uint64_t layouts = 0;
    for (Field *field : shape_.fields) layouts = Digest::mix(layouts ^ field->layout_hash());
    if (plan_ && layouts == layouts_) return;
    variants_.clear();
    const int64_t before = compiled_;
    plan_ = plans_.get(shape_, compiled_);
    compiled_rows_ += compiled_ > before ? plan_->table().rows() : 0;
    layouts_ = layouts;
    if (messages_) {
        messages_->forget_plans();
        return;
    }
    first_plan_ = plan_;
    make_messages();
    if (plan_->any_sparse()) arrivals_.reserve(sparse_edges(*plan_));
}

void Exchange::make_messages() {
    const bool probed =
        choose(desc_.receive, HALO_RECEIVE_POSTED, HALO_RECEIVE_PROBED, context_.config().word("receive") == "probed", "receive policy");
    const MessageSetup setup{ context_, shape_, *plan_, serial_, probed, what_, desc_.timeout_seconds };
    messages_ = shape_.per_channel ? make_per_channel(setup) : make_aggregated(setup);
}

int64_t Exchange::payload_bytes(size_t field) const {
    int64_t bytes = 0;
    for (const PlanLink &link : plan_->links())
        for (const PlanEdge &edge : link.send.edges)
            if (edge.field == static_cast<int32_t>(field)) bytes += edge.bytes;
    return bytes;
}

void Exchange::require(Phase phase, const char *call) const {
    static constexpr const char *names[] = { "idle", "posted", "sent", "unpacked", "dead (abandoned or failed: it can only be destroyed)" };
    if (phase_ != phase) fail(HALO_ERR_STATE, "%s: %s is illegal: the exchange is %s", what_.c_str(), call, names[static_cast<int>(phase_)]);
}

void Exchange::check_narrowing(const halo_run &run) const {
    if (run.first_component < 0 || run.n_components < 0 || run.depth < 0)
        fail(HALO_ERR_ARGUMENT, "%s: run with first_component %d, n_components %d, depth %d: none may be negative", what_.c_str(),
             run.first_component, run.n_components, run.depth);
    for (const FieldPair &pair : shape_.pairs)
        if (run.field_mask && (run.field_mask[pair.source] != 0) != (run.field_mask[pair.destination] != 0))
            fail(HALO_ERR_ARGUMENT, "%s: the field mask parts source %s from destination %s", what_.c_str(),
                 shape_.fields[pair.source]->spec().name.c_str(), shape_.fields[pair.destination]->spec().name.c_str());
    bool any = false;
    if (run.depth > 0)
        for (const Field *field : shape_.fields)
            if (!field->topology().has_cells())
                fail(HALO_ERR_ARGUMENT, "%s: run with depth %d: the points of field %s have no layers", what_.c_str(), run.depth,
                     field->spec().name.c_str());
    for (size_t f = 0; f < shape_.fields.size(); ++f) {
        if (run.field_mask && !run.field_mask[f]) continue;
        any = true;
        const FieldSpec &spec = shape_.fields[f]->spec();
        if (run.first_component >= spec.n_components || run.n_components > spec.n_components - run.first_component)
            fail(HALO_ERR_ARGUMENT, "%s: run with components %d+%d, but field %s has %d", what_.c_str(), run.first_component, run.n_components,
                 spec.name.c_str(), spec.n_components);
        if (run.sets) shape_.fields[f]->check_set(run.sets[f]);
    }
    if (!any) fail(HALO_ERR_ARGUMENT, "%s: the field mask leaves no field", what_.c_str());
}

// The plan that a run works on: the full one, or the variant for its narrowing, compiled at its first use.
const Plan *Exchange::variant(const halo_run &run) {
    wanted_.field.assign(run.field_mask ? shape_.fields.size() : 0, false);
    bool all = true;
    for (size_t f = 0; f < wanted_.field.size(); ++f) {
        wanted_.field[f] = run.field_mask[f] != 0;
        all = all && wanted_.field[f];
    }
    if (all) wanted_.field.clear();
    wanted_.first_component = run.first_component;
    wanted_.n_components = run.n_components;
    wanted_.depth = run.depth;
    if (wanted_ == plan_->narrowing()) return plan_.get();
    for (const auto &known : variants_)
        if (known->narrowing() == wanted_) return known.get();
    variants_.push_back(std::make_unique<Plan>(shape_, wanted_, plan_.get()));
    ++compiled_;
    compiled_rows_ += variants_.back()->table().rows();
    return variants_.back().get();
}

void Exchange::fill_bases(const halo_run &run) {
    run_.bases.resize(static_cast<size_t>(plan_->n_bases()));
    run_.sets.resize(shape_.fields.size());
    for (size_t f = 0; f < shape_.fields.size(); ++f) {
        const Field &field = *shape_.fields[f];
        run_.sets[f] = run.sets ? run.sets[f] : 0;
        const bool takes_part = !run.field_mask || run.field_mask[f];
        const int64_t first = plan_->part_base(static_cast<int64_t>(f), 0);
        const int64_t n_parts = plan_->n_parts(static_cast<int64_t>(f));
        void **bases = run_.bases.data() + first;
        for (int64_t part = 0; takes_part && part < n_parts; ++part) {
            bases[part] = run.data ? run.data[first + part] : field.data(part, run_.sets[f]);
            if (!bases[part] && !field.spec().sparse && field.cells(part)[0] > 0)
                fail(HALO_ERR_UNBOUND, "%s: field %s, part %lld on rank %d has no storage in binding set %d", what_.c_str(),
                     field.spec().name.c_str(), static_cast<long long>(field.topology().local_parts()[part]), context_.rank(), run_.sets[f]);
        }
        run_.bases[plan_->fill_base(static_cast<int64_t>(f))] = const_cast<void *>(field.fill_value());
    }
    if (run_.plan->staging_bytes() > static_cast<int64_t>(staging_.bytes()))
        staging_ = context_.host_buffer(static_cast<size_t>(run_.plan->staging_bytes()));
    run_.bases[plan_->staging_base()] = staging_.data();
    if (run_.plan->canonical_scratch_bytes() > static_cast<int64_t>(canonical_scratch_.bytes()))
        canonical_scratch_ = context_.host_buffer(static_cast<size_t>(run_.plan->canonical_scratch_bytes()));
}

void Exchange::prepare(const halo_run &run) {
    check_narrowing(run);
    refresh_plan();
    run_.full = plan_.get();
    run_.plan = variant(run);
    run_.narrowing = {};
    run_.narrowing.mask_hash = agreement_;
    for (const bool takes_part : run_.plan->narrowing().field)
        run_.narrowing.mask_hash = Digest::mix(run_.narrowing.mask_hash + (takes_part ? 2 : 1));
    run_.narrowing.first_component = run.first_component;
    run_.narrowing.n_components = run.n_components;
    run_.narrowing.depth = run.depth;
    fill_bases(run);
}

void Exchange::mark_in_flight(int32_t change) {
    for (Field *field : shape_.fields) field->in_flight += change;
}

void Exchange::end_run(Phase phase) {
    phase_ = phase;
    arrivals_.clear();
    arrivals_noted_ = false;
    mark_in_flight(-1);
}

template <class Step>
void Exchange::step(Step &&step) {
    try {
        step();
    } catch (const Error &error) {
        if (error.status() == HALO_TIMEOUT) throw;
        bool goes_on = error.status() == HALO_ERR_PEER && messages_->survives_failure();
        if (goes_on) try {
                messages_->end_failed_run();
            } catch (const Error &) { // the transport has failed too
                goes_on = false;
            }
        if (!goes_on) messages_->abandon();
        end_run(goes_on ? Phase::idle : Phase::dead);
        throw;
    }
}

void Exchange::refuse(const Error &error) {
    require(Phase::idle, "refuse");
    ++run_.epoch;
    messages_->send_failure(run_.epoch, error.status(), error.what());
    if (!messages_->survives_failure()) phase_ = Phase::dead;
}

void Exchange::post(const halo_run &run) {
    require(Phase::idle, "post or start");
    try {
        prepare(run);
    } catch (const Error &error) {
        refuse(error);
        throw;
    }
    ++run_.epoch;
    phase_ = Phase::posted;
    mark_in_flight(1);
    step([&] { messages_->post(run_); });
}

void Exchange::check_before_send() {
    if (!check_) return;
    try {
        check_->start(run_);
    } catch (const Error &error) {
        messages_->send_failure(run_.epoch, error.status(), error.what());
        throw;
    }
}

void Exchange::do_send() {
    check_before_send();
    messages_->send(run_);
    if (check_) check_->after_start(run_);
    local_bytes_ += run_.plan->local_bytes();
    if (!run_.plan->local_singles().empty()) {
        local_states_ += std::ssize(run_.plan->local_singles());
        local_bytes_ += arrivals_.copy_local(run_, context_, shape_.fields, local_nulls_);
    }
    phase_ = Phase::sent;
    ++runs_;
}

bool Exchange::send(halo_stream stream) {
    require(Phase::posted, "send");
    run_.stream = stream;
    bool sent = false;
    step([&] {
        if ((sent = messages_->writable())) do_send();
    });
    return sent;
}

bool Exchange::test() {
    require(Phase::sent, "test");
    bool here = false;
    step([&] {
        here = messages_->test(run_);
        if (here) note_arrivals();
    });
    return here;
}

void Exchange::note_arrivals() {
    if (arrivals_noted_ || !run_.plan->any_sparse()) return;
    messages_->note_arrivals(run_, arrivals_);
    arrivals_noted_ = true;
}

std::vector<Arrivals::Part> Exchange::arrivals() {
    require(Phase::sent, "arrivals");
    if (!test()) fail(HALO_ERR_STATE, "%s: arrivals are known when test says done", what_.c_str());
    return arrivals_.wanted();
}

void Exchange::unpack(halo_stream stream) {
    require(Phase::sent, "unpack");
    if (!test()) fail(HALO_ERR_STATE, "%s: unpack is illegal before test says done: %s", what_.c_str(), messages_->missing(run_).c_str());
    run_.stream = stream;
    step([&] {
        if (check_) check_->before_unpack(run_);
        if (on_arrival)
            for (const Arrivals::Part &part : arrivals_.wanted()) on_arrival(part);
        arrivals_.adopt(run_, shape_.fields);
        messages_->unpack(run_);
        arrivals_.unpack_staged(run_);
        combine();
        if (check_) check_->after_unpack(run_);
        messages_->consume(run_);
    });
    phase_ = Phase::unpacked;
}

void Exchange::combine() {
    if (!run_.plan->combines()) return;
    messages_->combine(run_, [this](const Plan &plan, const std::vector<void *> &bases) { combine_by(plan, bases); });
}

void Exchange::combine_by(const Plan &plan, const std::vector<void *> &bases) const {
    for (const CombineStep &step : plan.combine_steps())
        if (step.op != HALO_USER)
            plan.table().run(step.rows.first, step.rows.n, bases, run_.stream, step.op, step.type);
        else
            combine_by_caller(desc_, plan, step, bases);
    for (const CanonicalStep &step : plan.canonical_steps())
        step.run(bases, { static_cast<std::byte *>(canonical_scratch_.data()), canonical_scratch_.bytes() });
}

void Exchange::refine() {
    require(Phase::unpacked, "refine");
    end_run(Phase::idle);
}

void Exchange::wait_until_writable() {
    Waiter waiter(context_, timeout());
    const auto waiting = [&] {
        return format("%s, run %u: the last two runs have not been taken by", what_.c_str(), run_.epoch) + messages_->blocking_ranks();
    };
    while (!messages_->writable())
        if (!waiter.pause(waiting)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), waiting().c_str());
}

void Exchange::start(const halo_run &run, halo_stream stream) {
    const auto begin = Clock::now();
    post(run);
    run_.stream = stream;
    step([&] {
        wait_until_writable();
        do_send();
    });
    total_seconds_ += seconds_since(begin);
}

// Without sparse fields, each message is unpacked as it comes: the regions are disjoint, so the order does not show.
void Exchange::wait_until_here() {
    Waiter waiter(context_, timeout());
    const auto missing = [&] { return messages_->missing(run_); };
    bool here = false;
    step([&] {
        for (int64_t look = 0; !here && look < std::min(first_looks, context_.waiting().spins); ++look) here = messages_->test(run_);
        while (!here) {
            if (!run_.plan->any_sparse() && !run_.plan->combines() && !check_) messages_->unpack(run_);
            if (!waiter.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), missing().c_str());
            here = messages_->test(run_);
        }
        note_arrivals();
    });
}

void Exchange::finish(halo_stream stream) {
    require(Phase::sent, "finish");
    const auto begin = Clock::now();
    run_.stream = stream;
    wait_until_here();
    wait_seconds_ += seconds_since(begin);
    unpack(stream);
    refine();
    total_seconds_ += seconds_since(begin);
}

void Exchange::abandon() {
    if (phase_ == Phase::dead) return;
    if (phase_ == Phase::idle) fail(HALO_ERR_STATE, "%s: nothing is in flight to be abandoned", what_.c_str());
    messages_->abandon();
    end_run(Phase::dead);
}

void Exchange::count(halo_exchange_stats &stats) const {
    stats.runs += runs_;
    stats.n_peers = std::max(stats.n_peers, static_cast<int32_t>(plan_->links().size()));
    stats.local_bytes += local_bytes_;
    stats.channels_local += plan_->local_channels();
    for (const PlanLink &link : plan_->links()) {
        stats.channels_send += std::ssize(link.send.edges);
        stats.channels_receive += std::ssize(link.receive.edges);
    }
    stats.sparse_sent += local_states_;
    stats.sparse_null += local_nulls_;
    stats.tables_compiled += compiled_;
    stats.rows_compiled += compiled_rows_;
    stats.dropped = context_.dropped;
    stats.wait_seconds += wait_seconds_;
    stats.total_seconds += total_seconds_;
    if (messages_) messages_->count(stats);
}

} // namespace halo
