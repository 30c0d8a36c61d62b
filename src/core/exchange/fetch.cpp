// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/fetch.h"

#include <algorithm>
#include <cstring>

#include "base/types.h"

namespace halo {

Fetch::Fetch(PlanCache &plans, std::vector<Field *> fields, const halo_exchange_desc &desc) : desc_(desc) {
    check(fields);
    for (Field *field : fields) add_item(*field);
    halo_exchange_desc way = desc;
    way.kind = HALO_KIND_GHOSTS;
    way.arrival = nullptr;
    way.sections = desc_.sections = nullptr;
    std::vector<Field *> there, back;
    for (const Item &item : items_) {
        there.push_back(item.there.get());
        back.push_back(item.back.get());
    }
    there_ = std::make_unique<Exchange>(plans, there, way);
    back_ = std::make_unique<Exchange>(plans, back, way);
    mask_.resize(items_.size());
    data_.resize(2 * items_.size());
    for (const Item &item : items_) ++item.field->exchanges;
}

Fetch::~Fetch() {
    for (const Item &item : items_) --item.field->exchanges;
}

void Fetch::check(const std::vector<Field *> &fields) const {
    if (desc_.shared != HALO_SHARED_KEEP || desc_.edges != HALO_EDGES_ALL)
        fail(HALO_ERR_ARGUMENT, "exchange: HALO_KIND_FETCH goes over all edges of points, not shared %d, edges %d", desc_.shared, desc_.edges);
    if (desc_.combine_order != HALO_COMBINE_BY_GID)
        fail(HALO_ERR_ARGUMENT, "exchange: HALO_KIND_FETCH tells each copy what came before it: there is no combine_order %d", desc_.combine_order);
    if (desc_.op == HALO_USER && !desc_.combine) fail(HALO_ERR_ARGUMENT, "exchange: HALO_USER without a function `combine`");
    for (size_t i = 0; i < fields.size(); ++i) {
        const FieldSpec &spec = fields[i]->spec();
        if (!dynamic_cast<PointsTopology *>(&fields[i]->topology()))
            fail(HALO_ERR_ARGUMENT, "exchange: field %s is not on a topology of points: HALO_KIND_FETCH wants one", spec.name.c_str());
        if (fields[i]->topology().n_parts() != fields[i]->topology().context().size())
            fail(HALO_ERR_ARGUMENT, "exchange: field %s has several parts on a rank: HALO_KIND_FETCH wants one", spec.name.c_str());
        if (desc_.sections && desc_.sections[i] != 0)
            fail(HALO_ERR_ARGUMENT, "exchange: sections %#x of field %s: HALO_KIND_FETCH is of all points", desc_.sections[i], spec.name.c_str());
        if (spec.sparse) fail(HALO_ERR_ARGUMENT, "exchange: field %s is sparse: its ghosts cannot be combined", spec.name.c_str());
        if (desc_.op != HALO_USER && !combines(spec.type, desc_.op))
            fail(HALO_ERR_ARGUMENT, "exchange: field %s of type %d cannot be combined by op %d", spec.name.c_str(), spec.type, desc_.op);
        if (std::find(fields.begin(), fields.begin() + static_cast<int64_t>(i), fields[i]) != fields.begin() + static_cast<int64_t>(i))
            fail(HALO_ERR_ARGUMENT, "exchange: field %s is given twice", spec.name.c_str());
    }
}

void Fetch::add_item(Field &field) {
    const auto &points = static_cast<const PointsTopology &>(field.topology());
    auto ground = std::find_if(grounds_.begin(), grounds_.end(), [&](const auto &one) { return &one->slots.points == &points; });
    if (ground == grounds_.end()) ground = grounds_.insert(grounds_.end(), std::make_unique<Ground>(points));
    const FieldSpec &spec = field.spec();
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.type = spec.type;
    desc.name = spec.name.c_str();
    desc.element_bytes = spec.type == HALO_BYTES ? spec.element_bytes : 0;
    desc.n_components = spec.n_components;
    Item item{ &field, &(*ground)->slots, std::make_unique<Field>((*ground)->there, desc), std::make_unique<Field>((*ground)->back, desc), {} };
    const int64_t bytes = item.slots->size() * spec.n_components * spec.element_bytes;
    item.storage = points.context().host_buffer(static_cast<size_t>(std::max<int64_t>(bytes, 1)));
    old_.resize(std::max(old_.size(), static_cast<size_t>(spec.element_bytes)));
    items_.push_back(std::move(item));
    follow_layout(items_.back());
}

// The points lie as the caller's field has them.
void Fetch::follow_layout(const Item &item) const {
    const PartLayout &layout = item.field->layout(0);
    if (layout == item.there->layout(0)) return;
    halo_layout wanted = HALO_LAYOUT_INIT;
    wanted.elements = layout.elements;
    wanted.first_owned = layout.first_owned;
    std::copy(layout.stride.begin(), layout.stride.end(), wanted.stride);
    wanted.component_stride = layout.component_stride;
    wanted.place_stride = layout.place_stride;
    halo_binding binding = HALO_BINDING_INIT;
    binding.layout = &wanted;
    for (Field *field : { item.there.get(), item.back.get() }) field->bind(field->topology().local_parts()[0], binding);
}

void Fetch::prepare(const halo_run &run) {
    if (running_) fail(HALO_ERR_STATE, "exchange that fetches: post or start is illegal: a run is in flight");
    for (size_t f = 0; f < items_.size(); ++f) {
        const Item &item = items_[f];
        if (run.sets) item.field->check_set(run.sets[f]);
        follow_layout(item);
        mask_[f] = run.field_mask ? run.field_mask[f] : 1;
        data_[2 * f] = run.data ? run.data[f] : item.field->data(0, run.sets ? run.sets[f] : 0);
        data_[2 * f + 1] = item.storage.data();
    }
    run_ = run;
    run_.field_mask = run.field_mask ? mask_.data() : nullptr;
    run_.sets = nullptr;
    run_.data = data_.data();
    is_back_ = sent_ = false;
}

void Fetch::begin() {
    running_ = true;
    for (const Item &item : items_) ++item.field->in_flight;
}

void Fetch::end() {
    if (running_)
        for (const Item &item : items_) --item.field->in_flight;
    running_ = false;
}

template <class Step>
void Fetch::step(Step &&step) {
    try {
        step();
    } catch (const Error &error) {
        if (error.status() != HALO_TIMEOUT && !present().in_flight()) end();
        throw;
    }
}

void Fetch::combine() {
    for (size_t f = 0; f < items_.size(); ++f)
        if (mask_[f]) combine(items_[f], static_cast<std::byte *>(data_[2 * f]));
    is_back_ = true;
    sent_ = false;
}

void Fetch::combine(const Item &item, std::byte *points) {
    const FieldSpec &spec = item.field->spec();
    const PartLayout &layout = item.field->layout(0);
    const auto unit = static_cast<size_t>(spec.element_bytes);
    const int32_t end = run_.n_components > 0 ? run_.first_component + run_.n_components : spec.n_components;
    for (int32_t c = run_.first_component; c < end; ++c) {
        std::byte *slot = static_cast<std::byte *>(item.storage.data()) + c * item.slots->size() * spec.element_bytes;
        for (const uint32_t owned : item.slots->owned) {
            std::byte *value = points + (layout.offset(owned, 0, 0) + c * layout.component_stride) * spec.element_bytes;
            std::memcpy(old_.data(), value, unit);
            if (desc_.op == HALO_USER)
                desc_.combine(desc_.combine_user, value, slot, 1, spec.type, spec.element_bytes);
            else
                halo::combine(value, slot, 1, spec.type, desc_.op);
            std::memcpy(slot, old_.data(), unit);
            slot += unit;
        }
    }
}

void Fetch::post(const halo_run &run) {
    prepare(run);
    there_->post(run_);
    begin();
}

bool Fetch::send(halo_stream stream) {
    stream_ = stream;
    step([&] { sent_ = present().send(stream); });
    return sent_;
}

// What has been gathered is combined, and goes back.
bool Fetch::test() {
    bool here = false;
    step([&] {
        while (true) {
            if (!sent_ && !(sent_ = present().send(stream_))) return;
            if (!present().test()) return;
            if ((here = is_back_)) return;
            there_->unpack(stream_);
            there_->refine();
            combine();
            back_->post(run_);
        }
    });
    return here;
}

void Fetch::unpack(halo_stream stream) {
    if (!test()) fail(HALO_ERR_STATE, "exchange that fetches: unpack is illegal before test says done");
    step([&] { back_->unpack(stream); });
}

void Fetch::refine() {
    if (!is_back_) fail(HALO_ERR_STATE, "exchange that fetches: refine is illegal before unpack");
    back_->refine();
    end();
}

void Fetch::start(const halo_run &run, halo_stream stream) {
    prepare(run);
    stream_ = stream;
    begin();
    step([&] { there_->start(run_, stream); });
    sent_ = true;
}

// Goes on where a call that timed out has stopped.
void Fetch::finish(halo_stream stream) {
    if (!running_ || !sent_) fail(HALO_ERR_STATE, "exchange that fetches: finish is illegal: nothing has been sent");
    step([&] {
        if (!is_back_) {
            there_->finish(stream);
            combine();
            back_->start(run_, stream);
            sent_ = true;
        }
        back_->finish(stream);
    });
    end();
}

void Fetch::abandon() {
    present().abandon();
    end();
}

void Fetch::count(halo_exchange_stats &stats) const {
    there_->count(stats);
    back_->count(stats);
    stats.runs = back_->runs();
}

} // namespace halo
