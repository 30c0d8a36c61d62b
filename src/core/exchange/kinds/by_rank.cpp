// SPDX-License-Identifier: BSD-3-Clause
// HALO_COMBINE_BY_RANK: the copies that a rank has are combined into one value each, these go through a shared reduction, and the results back to all
// copies.
#include <algorithm>

#include "base/checked.h"
#include "base/combine.h"
#include "base/limits.h"
#include "exchange/kinds/kinds.h"
#include "topology/points/condensed.h"

namespace halo {

namespace {

void check_by_rank(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    if (desc.kind != HALO_KIND_SHARED_REDUCE || desc.edges != HALO_EDGES_ALL)
        fail(HALO_ERR_ARGUMENT, "exchange: HALO_COMBINE_BY_RANK is an order of HALO_KIND_SHARED_REDUCE over all edges, not of kind %d, edges %d",
             desc.kind, desc.edges);
    if (desc.op == HALO_USER || desc.combine)
        fail(HALO_ERR_ARGUMENT, "exchange: HALO_COMBINE_BY_RANK combines by the library's operations, not by `combine`");
    check_fields(fields);
    for (size_t i = 0; i < fields.size(); ++i) {
        const char *name = fields[i]->spec().name.c_str();
        const auto *points = dynamic_cast<PointsTopology *>(&fields[i]->topology());
        if (!points || points->has_parts())
            fail(HALO_ERR_ARGUMENT, "exchange: field %s is not on a topology of points with one part for each rank: HALO_COMBINE_BY_RANK wants one",
                 name);
        if (fields[i]->is_mapped())
            fail(HALO_ERR_ARGUMENT, "exchange: field %s has a map of points: HALO_COMBINE_BY_RANK wants a value at every point", name);
        if (desc.sections && desc.sections[i] != 0)
            fail(HALO_ERR_ARGUMENT, "exchange: sections %#x of field %s: HALO_COMBINE_BY_RANK is of all points", desc.sections[i], name);
        points->require_holders();
    }
    check_combining(fields, desc);
}

class RankSteps final : public RoundSteps {
public:
    RankSteps(const std::vector<Field *> &fields, halo_op op) : context_(fields[0]->topology().context()), op_(op) {
        for (Field *field : fields) add_item(*field);
    }
    ~RankSteps() override {
        for (Item &item : items_) context_.leases().keep(std::move(item.storage));
    }
    RankSteps(const RankSteps &) = delete;
    RankSteps &operator=(const RankSteps &) = delete;

    std::vector<Field *> fields() const {
        std::vector<Field *> all;
        for (const Item &item : items_) all.push_back(item.condensed.get());
        return all;
    }

    void begin(halo_run &run) override;
    void before_send(const halo_run &run, Round &) override {
        for_each_component(run, [&](const Item &item, const ValuesAt &values, void *results, halo_type type) {
            combine_groups(values, item.points.groups(), results, type, run.op != 0 ? run.op : op_);
        });
    }
    void after_unpack(const halo_run &run, Round &) override {
        for_each_component(run, [&](const Item &item, const ValuesAt &values, void *results, halo_type type) {
            spread_to_groups(results, item.points.groups(), values, type);
        });
    }

private:
    struct Item {
        Field *field;
        const CondensedPoints &points;
        std::unique_ptr<Field> condensed;
        Buffer storage; // components slowest
    };

    void add_item(Field &field);
    template <class Visit>
    void for_each_component(const halo_run &run, Visit &&visit) const;

    Context &context_;
    halo_op op_;
    std::vector<Item> items_;
    std::vector<std::byte *> given_; // storage of the run, by field
    std::vector<void *> data_;       // and what stands for it
};

void RankSteps::add_item(Field &field) {
    auto &points = kept_by<CondensedPoints>(static_cast<const PointsTopology &>(field.topology()));
    const FieldSpec &spec = field.spec();
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.type = spec.type;
    const std::string name = format("%s of exchange %u", spec.name.c_str(), context_.newest_run() + 1);
    desc.name = name.c_str();
    desc.n_components = spec.n_components;
    const Checked bytes = Checked(points.n_points()) * spec.n_components * spec.element_bytes;
    Item item{ &field, points, std::make_unique<Field>(points, desc), {} };
    item.storage = context_.storage(static_cast<size_t>(
        bytes.value(format("field %s: the bytes of its copies on this rank", spec.name.c_str()).c_str(), limits::exchanged_bytes)));
    data_.push_back(item.storage.data());
    given_.push_back(nullptr);
    items_.push_back(std::move(item));
}

void RankSteps::begin(halo_run &run) {
    for (size_t f = 0; f < items_.size(); ++f) {
        if (!takes_field(run, f)) continue;
        const Field &field = *items_[f].field;
        const char *name = field.spec().name.c_str();
        const int32_t set = run.sets ? run.sets[f] : 0;
        if (space_in(run, f, field).on_device())
            fail(HALO_ERR_DEVICE, "exchange by rank: field %s is on a device: copies of a rank are combined on the host alone", name);
        given_[f] = static_cast<std::byte *>(run.data ? run.data[f] : field.data(0, set));
        if (!given_[f] && field.cells(0)[0] > 0)
            fail(HALO_ERR_UNBOUND, "exchange by rank: field %s: rank %d has given its part no storage, set %d", name, context_.rank(), set);
        context_.leases().require_free(given_[f], field.storage_bytes(0), format("exchange by rank: field %s", name));
    }
    run.sets = nullptr;
    run.devices = nullptr;
    run.data = data_.data();
    run.n_data = std::ssize(data_);
}

template <class Visit>
void RankSteps::for_each_component(const halo_run &run, Visit &&visit) const {
    for (size_t f = 0; f < items_.size(); ++f) {
        if (!takes_field(run, f)) continue;
        const Item &item = items_[f];
        const FieldSpec &spec = item.field->spec();
        const ComponentRange taken = components_of(run, spec);
        for (int32_t c = taken.first; c < taken.first + taken.n; ++c)
            visit(item, values_of(given_[f], *item.field, 0, c), values_of(item.storage.data(), *item.condensed, 0, c).first, spec.type);
    }
}

} // namespace

std::unique_ptr<Exchange> make_by_rank(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    check_by_rank(fields, desc);
    auto steps = std::make_unique<RankSteps>(fields, desc.op);
    halo_exchange_desc way = desc;
    way.combine_order = HALO_COMBINE_BY_GID;
    std::vector<RoundSpec> rounds;
    rounds.push_back(topology_round(steps->fields(), way));
    rounds.back().kind += ", copies of a rank first";
    return std::make_unique<Exchange>(fields, std::move(rounds), std::move(steps), "exchange by rank");
}

} // namespace halo
