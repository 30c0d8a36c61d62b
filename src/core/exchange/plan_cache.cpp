// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/plan_cache.h"

namespace halo {

namespace {

// A field stays while an exchange uses it, so its address names it for as long as the plan lives.
std::vector<uint64_t> key_of(const PlanShape &shape) {
    std::vector<uint64_t> key;
    for (const int32_t choice : { shape.kind, shape.op, shape.shared, shape.stencil, shape.edges, shape.sweep })
        key.push_back(static_cast<uint64_t>(choice));
    for (const GhostWidths &ghosts : { shape.transfer.source, shape.transfer.destination })
        for (int d = 0; d < 3; ++d) key.push_back(static_cast<uint64_t>(ghosts.low[d]) << 32 | static_cast<uint32_t>(ghosts.high[d]));
    for (const uint32_t sections : shape.sections) key.push_back(sections);
    key.push_back(shape.per_channel);
    key.push_back(shape.check);
    key.push_back(shape.canonical);
    key.push_back(shape.stable);
    for (const FieldPair &pair : shape.pairs) key.push_back(static_cast<uint64_t>(pair.source) << 32 | static_cast<uint64_t>(pair.destination));
    for (Field *field : shape.fields) {
        key.push_back(reinterpret_cast<uintptr_t>(field));
        key.push_back(field->layout_hash());
    }
    return key;
}

} // namespace

std::shared_ptr<const Plan> PlanCache::get(const PlanShape &shape, int64_t &compiled) {
    std::erase_if(entries_, [](const Entry &entry) { return entry.plan.expired(); });
    std::vector<uint64_t> key = key_of(shape);
    for (const Entry &entry : entries_)
        if (entry.key == key) return entry.plan.lock();
    auto plan = std::make_shared<const Plan>(shape, PlanNarrowing{}, nullptr);
    entries_.push_back({ std::move(key), plan });
    ++compiled;
    return plan;
}

} // namespace halo
