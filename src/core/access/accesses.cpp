// SPDX-License-Identifier: BSD-3-Clause
#include "access/accesses.h"

#include <algorithm>

#include "access/use.h"

namespace halo {

TrackedField &Accesses::tracked(Field &field, int32_t set) {
    for (const auto &known : fields_)
        if (&known->field == &field && known->set == set) return *known;
    field.check_set(set);
    fields_.push_back(std::make_unique<TrackedField>(field, set, counters_[field.spec().name]));
    return *fields_.back();
}

void Accesses::freeze(Field &field, bool frozen) {
    for (int32_t set = 0; frozen && set < field.spec().n_sets; ++set) {
        const TrackedField &known = tracked(field, set);
        known.freshness.require_unused(known.name(), "frozen");
    }
    for (int32_t set = 0; set < field.spec().n_sets; ++set) tracked(field, set).freshness.freeze(frozen);
}

const AccessCounters *Accesses::counters(const std::string &name) const {
    const auto found = counters_.find(name);
    return found == counters_.end() ? nullptr : &found->second;
}

Batch &Accesses::find(const BatchShape &shape) {
    if (const auto known = by_shape_.find(shape); known != by_shape_.end()) return **known;
    if (shape.style != HALO_STYLE_REDUNDANT && shape.style != HALO_STYLE_REVERSE)
        fail(HALO_ERR_ARGUMENT, "batch: style %d is none of HALO_STYLE_...", shape.style);
    if (shape.where != HALO_ON_HOST && shape.where != HALO_ON_DEVICE)
        fail(HALO_ERR_ARGUMENT, "batch: %d is neither HALO_ON_HOST nor HALO_ON_DEVICE", shape.where);
    std::vector<TrackedField *> fields;
    for (const Argument &argument : shape.arguments) {
        if (&argument.field->topology().context() != &context_)
            fail(HALO_ERR_ARGUMENT, "batch: field %s lives in another context", argument.field->spec().name.c_str());
        check_argument(argument, shape.style, fields.size());
        fields.push_back(&tracked(*argument.field, argument.set));
    }
    Context::KeepsNumbers numbers(context_);
    batches_.push_back(std::make_unique<Batch>(context_, shape, fields));
    try {
        by_shape_.insert(batches_.back().get());
    } catch (...) {
        batches_.pop_back();
        throw;
    }
    numbers.succeed();
    return *batches_.back();
}

void Accesses::begin(Batch &batch, halo_stream stream) {
    try {
        batch.begin(n_begun_ + 1, stream);
    } catch (...) {
        if (batch.told() && present_error().status() != HALO_TIMEOUT) ++n_begun_;
        throw;
    }
    ++n_begun_;
}

int64_t Accesses::n_open_without_fields() const {
    return std::count_if(batches_.begin(), batches_.end(), [](const auto &batch) { return batch->open() && batch->shape().arguments.empty(); });
}

int64_t Accesses::give_up_open() {
    int64_t n = 0;
    for (const auto &batch : batches_) {
        if (!batch->open()) continue;
        batch->forget_storage();
        abandon(*batch);
        ++n;
    }
    return n;
}

void Accesses::drop_all() noexcept {
    for (const auto &batch : batches_)
        if (on_drop && batch->handle) on_drop(batch->handle);
    by_shape_.clear();
    batches_.clear();
    fields_.clear();
}

void Accesses::forget(const Field &field) {
    const char *name = field.spec().name.c_str();
    for (const auto &batch : batches_)
        if (batch->uses(field) && batch->open()) fail(HALO_BUSY, "field %s: a batch uses it", name);
    for (const auto &other : fields_)
        if (&other->field != &field && other->pending_in && other->pending_in->uses(field))
            fail(HALO_BUSY, "field %s: field %s has values pending that came from the same loop: read it before", name, other->name());
    std::erase_if(batches_, [&](const auto &batch) {
        if (!batch->uses(field)) return false;
        if (on_drop && batch->handle) on_drop(batch->handle);
        by_shape_.erase(batch.get());
        return true;
    });
    std::erase_if(fields_, [&](const auto &known) { return &known->field == &field; });
}

} // namespace halo
