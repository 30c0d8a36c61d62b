// SPDX-License-Identifier: BSD-3-Clause
// HALO_KIND_FETCH: copies are gathered into slots beside their owner's point, combined there one after the other, each slot keeping the value that
// was there before; then the slots go back to the copies.
#pragma once

#include <memory>

#include "base/combine.h"
#include "exchange/staged.h"
#include "topology/points/slots.h"

namespace halo {

class Fetch final : public StagedExchange {
public:
    Fetch(PlanCache &plans, const std::vector<Field *> &fields, const halo_exchange_desc &desc);

private:
    // One topology's slots, and its two directions.
    struct Ground {
        Ground(const PointsTopology &points, bool here) : slots(points, here), there(slots, false), back(slots, true) {}
        Slots slots;
        SlotsTopology there;
        SlotsTopology back;
    };
    // A field of the caller's, and what stands for it on the way.
    struct Item {
        Field *field;
        const Slots *slots;
        std::unique_ptr<Field> there;
        std::unique_ptr<Field> back;
        Buffer storage;    // of the slots, part by part: components slowest
        size_t first_data; // in data_
    };

    void add_item(Field &field);
    void follow_layouts(const Item &item) const;
    void keep(const halo_run &run) override;
    void between() override;
    void combine(const Item &item, size_t part);
    void combine_by_caller(const FieldSpec &spec, const ValuesAt &points, const ValuesAt &copies, int64_t n);

    halo_exchange_desc desc_;
    std::vector<std::unique_ptr<Ground>> grounds_;
    std::vector<Item> items_;
    std::vector<void *> data_;          // of each field: the points of its parts, then their slots
    std::vector<std::byte> scratch_[2]; // values and contributions for the caller's function
    std::unique_ptr<Exchange> there_;
    std::unique_ptr<Exchange> back_;
};

} // namespace halo
