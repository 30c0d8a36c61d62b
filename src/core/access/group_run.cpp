// SPDX-License-Identifier: BSD-3-Clause
#include "access/group_run.h"

#include <algorithm>

namespace halo {

namespace {

std::vector<Field *> plain_fields(const std::vector<TrackedField *> &tracked) {
    std::vector<Field *> fields(tracked.size());
    std::transform(tracked.begin(), tracked.end(), fields.begin(), [](const TrackedField *one) { return &one->field; });
    return fields;
}

halo_exchange_desc describe(const std::vector<uint32_t> &sections, Adding adding) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    if (adding.op != 0) {
        desc.kind = HALO_KIND_REVERSE;
        desc.op = adding.op;
        desc.combine_order = adding.canonical ? HALO_COMBINE_CANONICAL : HALO_COMBINE_BY_GID;
    }
    desc.sections = sections.data();
    return desc;
}

} // namespace

GroupRun::GroupRun(std::vector<TrackedField *> fields, std::vector<uint32_t> sections, Adding adding)
    : fields_(std::move(fields)),
      sections_(std::move(sections)),
      adding_(adding),
      exchange_(make_exchange(plain_fields(fields_), describe(sections_, adding))),
      mask_(fields_.size(), 0),
      devices_(fields_.size(), HALO_DEVICE_HOST) {
    size_t n_parts = 0;
    for (size_t i = 0; i < fields_.size(); ++i) {
        sets_.push_back(fields_[i]->set);
        bytes_.push_back(exchange_->payload_bytes(i));
        first_part_.push_back(n_parts);
        n_parts += fields_[i]->field.topology().local_parts().size();
    }
    pointers_.resize(n_parts);
}

bool GroupRun::has(const TrackedField &field) const { return std::find(fields_.begin(), fields_.end(), &field) != fields_.end(); }

bool GroupRun::uses(const Field &field) const {
    return std::any_of(fields_.begin(), fields_.end(), [&](const TrackedField *one) { return &one->field == &field; });
}

void GroupRun::choose_none() { std::fill(mask_.begin(), mask_.end(), 0); }

void GroupRun::choose(const TrackedField &field) {
    mask_[static_cast<size_t>(std::find(fields_.begin(), fields_.end(), &field) - fields_.begin())] = 1;
}

bool GroupRun::any_chosen() const { return std::find(mask_.begin(), mask_.end(), 1) != mask_.end(); }

// The field's values where the run works on them: what it reads is valid there, what it writes no longer is elsewhere.
void GroupRun::place(size_t i, halo_stream stream) {
    TrackedField &field = *fields_[i];
    const int32_t side = adding_.canonical ? HALO_ON_HOST : field.mirror.exchange_side(); // devices do not sort
    if (adding_.op == 0) {
        field.access(Section::owned, side, false, false, stream);
        field.access(Section::ghosts, side, true, sections_[i] == 0, stream);
    } else {
        field.access(Section::ghosts, side, false, false, stream);
        field.access(Section::owned, side, true, false, stream);
    }
    devices_[i] = side == HALO_ON_HOST ? HALO_DEVICE_HOST : Mirror::device_of(field.field.topology().context());
    const size_t n_parts = field.field.topology().local_parts().size();
    for (size_t part = 0; part < n_parts; ++part) pointers_[first_part_[i] + part] = field.mirror.data(static_cast<int64_t>(part), side);
}

void GroupRun::start(uint32_t batch, halo_stream stream) {
    for (size_t i = 0; i < fields_.size(); ++i)
        if (mask_[i]) place(i, stream);
    halo_run run = HALO_RUN_INIT;
    run.n_fields = static_cast<int32_t>(fields_.size());
    run.n_data = std::ssize(pointers_);
    run.field_mask = mask_.data();
    run.sets = sets_.data();
    run.data = pointers_.data();
    run.devices = devices_.data();
    exchange_->run_for_batch(batch);
    exchange_->start(run, stream_of(stream));
    for (size_t i = 0; i < fields_.size(); ++i) {
        if (!mask_[i]) continue;
        AccessCounters &counters = fields_[i]->counters;
        ++(adding_.op == 0 ? counters.started : counters.reversed);
        counters.bytes_sent += bytes_[i];
    }
}

void GroupRun::abandon() noexcept {
    try {
        if (exchange_->in_flight()) exchange_->abandon();
    } catch (...) { // the transport has failed: nothing is left to give up
    }
}

void GroupRun::refuse(const Error &error) noexcept {
    try {
        if (!exchange_->in_flight()) exchange_->refuse(error);
    } catch (...) { // it is dead, or the transport has failed: peers find out by themselves
    }
}

void ForwardGroup::settle(halo_stream stream) {
    if (!in_flight()) return;
    try {
        finish(stream);
    } catch (const Error &error) {
        if (error.status() != HALO_TIMEOUT) lose();
        throw;
    }
    let_go([](Freshness &freshness) { freshness.exchange_arrived(); });
}

void ForwardGroup::lose() noexcept {
    abandon();
    let_go([](Freshness &freshness) { freshness.exchange_lost(); });
}

template <class Then>
void ForwardGroup::let_go(Then &&then) noexcept {
    for (TrackedField *field : fields()) {
        if (field->arriving_in.get() != this) continue;
        then(field->freshness);
        field->arriving_in.reset(); // its batch has it too
    }
}

void ReverseGroup::settle(halo_stream stream) {
    if (!in_flight()) return;
    finish(stream);
    forget_run();
}

void ReverseGroup::lose() noexcept {
    if (!in_flight()) return;
    abandon();
    for (TrackedField *field : fields()) field->reverse_finished();
}

void ReverseGroup::forget_run() noexcept {
    for (size_t i = 0; i < fields().size(); ++i)
        if (chosen(i)) fields()[i]->reverse_finished();
}

bool ReverseGroup::is_pending() const {
    return std::any_of(fields().begin(), fields().end(), [&](const TrackedField *field) { return field->pending_in.get() == this; });
}

} // namespace halo
