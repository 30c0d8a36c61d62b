// SPDX-License-Identifier: BSD-3-Clause
#include "access/batch.h"

#include <algorithm>
#include <utility>

#include "access/use.h"
#include "base/digest.h"
#include "comm/agree.h"
#include "comm/collective_stream.h"

namespace halo {

size_t BatchShape::hash() const {
    uint64_t value = Digest::mix(static_cast<uint64_t>(style) << 32 ^ static_cast<uint64_t>(where));
    for (const Argument &argument : arguments) {
        const auto how = static_cast<uint64_t>(argument.mode) ^ static_cast<uint64_t>(argument.through) << 8 ^
                         static_cast<uint64_t>(argument.whole) << 9 ^ static_cast<uint64_t>(argument.may_lose) << 10 ^
                         static_cast<uint64_t>(argument.combine_order) << 11 ^ static_cast<uint64_t>(argument.sections) << 16 ^
                         static_cast<uint64_t>(argument.set) << 48;
        value = Digest::mix(value ^ reinterpret_cast<uintptr_t>(argument.field)) + how;
    }
    return static_cast<size_t>(Digest::mix(value));
}

namespace {

// Sections as exchanges are told of them.
uint32_t of_exchange(uint32_t sections) { return sections == all_sections ? 0 : sections; }

} // namespace

Batch::Batch(Context &context, const BatchShape &shape, const std::vector<TrackedField *> &fields)
    : context_(context),
      shape_(shape),
      needs_exec_(shape.style == HALO_STYLE_REDUNDANT && writes_through_maps(shape)) {
    add_slots(fields);
    make_groups();
}

void Batch::add_slots(const std::vector<TrackedField *> &fields) {
    for (size_t i = 0; i < fields.size(); ++i) {
        const Use use = use_of(shape_.arguments[i], shape_.style, needs_exec_);
        const auto known = std::find_if(slots_.begin(), slots_.end(), [&](const Slot &slot) { return slot.field == fields[i]; });
        if (known == slots_.end())
            slots_.push_back({ fields[i], use, {}, nullptr });
        else
            known->use = both(known->use, use, fields[i]->name());
    }
}

void Batch::make_groups() {
    std::vector<TrackedField *> reading;
    std::vector<uint32_t> sections;
    for (const Slot &slot : slots_) {
        if (slot.use.ghosts == 0) continue;
        reading.push_back(slot.field);
        sections.push_back(of_exchange(slot.use.ghosts));
    }
    if (!reading.empty()) forward_ = std::make_shared<ForwardGroup>(reading, sections, Adding{});
    for (const Adding how : { Adding{ HALO_SUM, false }, { HALO_SUM, true }, { HALO_MIN, false }, { HALO_MAX, false } }) {
        std::vector<TrackedField *> adding;
        std::vector<uint32_t> added;
        for (const Slot &slot : slots_) {
            if (!slot.use.to_ghosts || slot.use.adds != how.op || slot.use.canonical != how.canonical) continue;
            adding.push_back(slot.field);
            added.push_back(of_exchange(slot.use.added));
        }
        if (adding.empty()) continue;
        const auto group = std::make_shared<ReverseGroup>(adding, added, how);
        for (Slot &slot : slots_)
            if (group->has(*slot.field)) slot.reverse = group;
    }
    due_.reserve(slots_.size());
}

bool Batch::uses(const Field &field) const {
    return std::any_of(slots_.begin(), slots_.end(), [&](const Slot &slot) { return &slot.field->field == &field; });
}

void Batch::require(Phase phase, const char *call) const {
    static constexpr const char *names[] = { "not open", "not ready", "running", "failed: it can only be abandoned" };
    if (phase_ == phase) return;
    const std::string what = slots_.empty() ? "batch without fields" : format("batch with field %s", slots_[0].field->name());
    fail(HALO_ERR_STATE, "%s: %s is illegal: the batch is %s", what.c_str(), call, names[static_cast<int>(phase_)]);
}

void Batch::find_needs() {
    std::optional<Error> lost = not_as_left();
    for (Slot &slot : slots_)
        if (slot.field->pending_in && std::find(due_.begin(), due_.end(), slot.field->pending_in) == due_.end())
            due_.push_back(slot.field->pending_in);
    if (const std::optional<Error> not_brought = let_pending_come(); !lost) lost = not_brought;
    if (const std::optional<Error> not_arrived = let_arrive(); !lost) lost = not_arrived;
    if (context_.check_mode()) return find_alike(lost);
    try {
        look_at_needs(lost);
    } catch (const Error &error) {
        if (lost) choose_pending();
        refuse(error, !lost || any_stale());
        throw;
    }
}

// What is on its way to owners already: since a loop has ended, or since a begin that has timed out. Returns why it has not come: then what was
// pending here is lost, while other ranks, which need not know, go on to what this batch needs.
std::optional<Error> Batch::let_pending_come() {
    std::optional<Error> lost;
    const bool told_before = told_;
    for (const auto &group : due_) {
        told_ = told_ || group->in_flight();
        try {
            group->settle(stream_);
        } catch (const Error &error) {
            if (error.status() == HALO_TIMEOUT) throw;
            lost = error;
            group->forget_run();
        }
    }
    std::erase_if(due_, [](const auto &group) { return !group->is_pending(); });
    if (!lost) told_ = told_before;
    return lost;
}

// What is on its way for other batches is waited for where this one needs more of the same ghosts. Returns why it has not arrived.
std::optional<Error> Batch::let_arrive() {
    try {
        for (const Slot &slot : slots_)
            if (slot.field->freshness.must_arrive_before(slot.use)) std::shared_ptr(slot.field->arriving_in)->settle(stream_);
    } catch (const Error &error) {
        if (error.status() == HALO_TIMEOUT) throw;
        return error;
    }
    return std::nullopt;
}

void Batch::look_at_needs(const std::optional<Error> &lost) {
    for (Slot &slot : slots_) {
        slot.field->field.require_present_layouts(slot.field->set);
        slot.needs = slot.field->freshness.needs(slot.use, slot.field->name());
    }
    if (lost) throw Error(*lost);
}

// In check mode ranks compare what they need, and hear there of one that must not use a field.
void Batch::find_alike(const std::optional<Error> &lost) {
    const CollectiveCall call(context_, "batch");
    const auto needs = [&] {
        look_at_needs(lost);
        return terms().hash();
    };
    agree_on(context_, "what a batch needs", needs, [&] { return terms(); });
}

// Other ranks may be about to wait for this one.
void Batch::refuse(const Error &error, bool forward) {
    const auto refuse = [&](GroupRun &group) {
        const uint32_t before = group.n_runs();
        group.refuse(error);
        told_ = told_ || group.n_runs() != before;
    };
    if (forward_ && forward) refuse(*forward_);
    for (const auto &group : due_) refuse(*group);
}

// A run that could not even begin is told of in its place, unless nobody knows of this batch yet and it can be begun again.
void Batch::start(GroupRun &group, uint32_t number) {
    const uint32_t before = group.n_runs();
    try {
        group.start(number, stream_);
    } catch (...) {
        const Error error = present_error();
        group.abandon();
        const bool may_begin_again = !told_ && (error.status() == HALO_ERR_MEMORY || error.status() == HALO_BUSY);
        if (group.n_runs() == before && !may_begin_again) group.refuse(error);
        told_ = told_ || group.n_runs() != before;
        throw error;
    }
    told_ = true;
}

Terms Batch::terms() const {
    Terms needs;
    for (const Slot &slot : slots_) {
        std::string state = slot.needs.exchange != 0 ? format("stale (groups %#x)", slot.needs.exchange) : "fresh";
        if (slot.needs.joins) state += ", others on their way";
        if (slot.needs.reverse) state += ", values pending";
        if (slot.needs.identity) state += ", ghosts to be added to";
        needs.add(format("field %s", slot.field->name()), state);
    }
    return needs;
}

void Batch::begin(uint32_t number, halo_stream stream) {
    require(Phase::closed, "begin");
    stream_ = stream;
    told_ = std::exchange(timed_out_, false); // by the attempt before
    try {
        try_begin(number);
    } catch (...) {
        due_.clear(); // they live on with the fields whose values are pending
        timed_out_ = told_ && present_error().status() == HALO_TIMEOUT;
        throw;
    }
    phase_ = Phase::open;
    told_ = false;
}

void Batch::try_begin(uint32_t number) {
    find_needs();
    for (const Slot &slot : slots_) {
        slot.field->mirror.reserve(shape_.where, slot.needs.identity);
        if (slot.field->declared) slot.field->declared->prepare(shape_.where == HALO_ON_HOST);
    }
    finish_pending(number);
    try {
        start_exchange(number);
        for (Slot &slot : slots_) place(slot);
    } catch (...) {
        if (forward_) forward_->abandon();
        throw;
    }
    for (Slot &slot : slots_) {
        slot.field->freshness.open(slot.use);
        if (slot.use.to_ghosts && slot.field->freshness.adds_all_that_is_pending(slot.use)) slot.field->pending_in = slot.reverse;
        if (slot.needs.exchange != 0) {
            slot.field->freshness.exchange_started(slot.use.ghosts);
            slot.field->arriving_in = forward_;
        }
        if (slot.use.ghosts != 0 && slot.needs.exchange == 0) ++slot.field->counters.skipped;
        if (slot.field->declared) slot.field->declared->open(slot.use, shape_.where == HALO_ON_HOST);
    }
}

// After a failure those are left that no rank has been told of.
void Batch::start_due(uint32_t number) {
    size_t n_started = 0;
    try {
        while (n_started < due_.size()) start(*due_[n_started++], number);
    } catch (...) {
        due_.erase(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(n_started));
        throw;
    }
}

// All runs first, then the waiting. Ranks that have been spared a failure go on to the exchange.
void Batch::finish_pending(uint32_t number) {
    choose_pending();
    bool all_told = false;
    try {
        start_due(number);
        all_told = true;
        for (const auto &group : due_) group->settle(stream_);
    } catch (...) {
        const Error error = present_error();
        if (all_told) due_.clear();
        if (error.status() != HALO_TIMEOUT && told_) refuse(error, any_stale());
        throw error;
    }
    due_.clear();
}

void Batch::choose_pending() {
    for (const auto &group : due_) {
        group->choose_none();
        for (const Slot &slot : slots_)
            if (slot.needs.reverse && slot.field->pending_in == group) group->choose(*slot.field);
    }
    std::erase_if(due_, [](const auto &group) { return !group->any_chosen(); });
}

bool Batch::any_stale() const {
    return std::any_of(slots_.begin(), slots_.end(), [](const Slot &slot) { return slot.needs.exchange != 0; });
}

void Batch::start_exchange(uint32_t number) {
    if (!forward_) return;
    forward_->choose_none();
    for (const Slot &slot : slots_)
        if (slot.needs.exchange != 0) forward_->choose(*slot.field);
    if (forward_->any_chosen()) start(*forward_, number);
}

void Batch::place(Slot &slot) {
    TrackedField &field = *slot.field;
    const Use &use = slot.use;
    field.access(Section::owned, shape_.where, use.changes(), use.whole, stream_);
    if (use.to_ghosts) field.access(Section::ghosts, shape_.where, true, slot.needs.identity, stream_);
    if (slot.needs.identity) {
        alignas(16) std::byte value[16];
        identity_of(use.adds, field.field.spec().type, field.name(), value);
        field.mirror.fill_ghosts(shape_.where, value, stream_);
    }
    if (use.ghosts != 0 && !waits_for(slot)) field.access(Section::ghosts, shape_.where, false, false, stream_);
    if (use.scratch && use.ghosts == 0) field.access(Section::ghosts, shape_.where, true, true, stream_);
}

void Batch::ready() {
    require(Phase::open, "ready");
    try {
        wait_for_ghosts();
    } catch (const Error &error) {
        if (error.status() != HALO_TIMEOUT) phase_ = Phase::failed;
        throw;
    }
    for (Slot &slot : slots_) {
        if (!waits_for(slot)) continue;
        if (slot.field->declared) slot.field->declared->arriving(slot.use);
        slot.field->access(Section::ghosts, shape_.where, slot.use.scratch, false, stream_);
        if (slot.field->declared) slot.field->declared->arrived(slot.use);
    }
    phase_ = Phase::running;
}

// Its own, and those that other batches have begun to exchange.
void Batch::wait_for_ghosts() {
    if (forward_) forward_->settle(stream_);
    for (const Slot &slot : slots_)
        if (const std::shared_ptr<ForwardGroup> group = slot.field->arriving_in; slot.needs.joins && group) group->settle(stream_);
    for (const Slot &slot : slots_)
        if (waits_for(slot)) require_arrived(slot);
}

void Batch::require_arrived(const Slot &slot) const {
    if ((slot.use.ghosts & ~slot.field->freshness.fresh()) != 0)
        fail(HALO_ERR_STATE, "field %s: its ghosts have not arrived: the batch that had begun to exchange them has failed, or was abandoned",
             slot.field->name());
}

void Batch::end() {
    require(Phase::running, "end");
    close();
    look_at_loop();
}

// After a failure that peers do not know of it may be called again.
void Batch::end_and_send(uint32_t number) {
    require(Phase::running, "end_and_send");
    try {
        send_added(number);
    } catch (...) {
        const Error error = present_error();
        if (told_) refuse(error, false);
        due_.clear();
        if (std::exchange(told_, false)) phase_ = Phase::failed;
        throw error;
    }
    due_.clear();
    told_ = false;
    close();
    look_at_loop();
}

// In check mode: an earlier loop may have added to ghosts that are hidden from this one.
class Batch::ShownGhosts {
public:
    explicit ShownGhosts(const std::vector<Slot> &slots) : slots_(slots) {
        for (const Slot &slot : slots_)
            if (slot.use.to_ghosts && slot.field->declared) slot.field->declared->arriving(slot.use);
    }
    ~ShownGhosts() {
        for (const Slot &slot : slots_)
            if (slot.use.to_ghosts && slot.field->declared) slot.field->declared->arrived(slot.use);
    }
    ShownGhosts(const ShownGhosts &) = delete;
    ShownGhosts &operator=(const ShownGhosts &) = delete;

private:
    const std::vector<Slot> &slots_;
};

void Batch::send_added(uint32_t number) {
    for (const Slot &slot : slots_) {
        const std::shared_ptr<ReverseGroup> &group = slot.field->pending_in;
        if (slot.use.to_ghosts && group && std::find(due_.begin(), due_.end(), group) == due_.end()) due_.push_back(group);
    }
    for (const auto &group : due_) group->choose_none();
    for (const Slot &slot : slots_)
        if (slot.use.to_ghosts && slot.field->pending_in) slot.field->pending_in->choose(*slot.field);
    const ShownGhosts shown(slots_);
    start_due(number);
}

bool Batch::abandon() {
    if (phase_ == Phase::closed && std::exchange(timed_out_, false)) {
        told_ = false;
        for (const Slot &slot : slots_)
            if (const std::shared_ptr<ReverseGroup> group = slot.field->pending_in) group->lose();
        return true;
    }
    if (phase_ == Phase::closed && std::exchange(told_, false)) return false; // begin has failed
    if (phase_ == Phase::closed) require(Phase::open, "abandon");
    if (forward_) forward_->lose();
    for (const Slot &slot : slots_)
        if (slot.field->declared) slot.field->declared->give_up(slot.use);
    close();
    return false;
}

void Batch::close() {
    for (Slot &slot : slots_) slot.field->freshness.close(slot.use);
    phase_ = Phase::closed;
}

void Batch::forget_storage() noexcept {
    for (const Slot &slot : slots_)
        if (slot.field->declared) slot.field->declared->drop();
}

// ---- check mode

std::optional<Error> Batch::not_as_left() const {
    for (const Slot &slot : slots_) {
        if (!slot.field->declared) continue;
        if (slot.field->declared->found()) return slot.field->declared->found();
        if (const std::optional<Error> changed = slot.field->declared->changed_outside()) return changed;
    }
    return std::nullopt;
}

// All fields, before the first finding is told.
void Batch::look_at_loop() {
    for (const Slot &slot : slots_)
        if (slot.field->declared) slot.field->declared->close(slot.use, slot.field->freshness.fresh());
    for (const Slot &slot : slots_)
        if (slot.field->declared && slot.field->declared->found()) throw Error(*slot.field->declared->found());
}

} // namespace halo
