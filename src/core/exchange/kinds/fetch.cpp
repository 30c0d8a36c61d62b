// SPDX-License-Identifier: BSD-3-Clause
// HALO_KIND_FETCH: copies are gathered into slots beside their owner's point, combined there one after the other, each slot keeping the value that
// was there before; then the slots go back to the copies.
#include "exchange/kinds/kinds.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "base/checked.h"
#include "base/combine.h"
#include "base/limits.h"
#include "plan/lower/caller_step.h"
#include "topology/points/slots.h"

namespace halo {

namespace {

constexpr uint32_t values_at_once = 512; // of those without a list that the caller's function is given

void check_fetch(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    if (desc.shared != HALO_SHARED_KEEP || desc.edges != HALO_EDGES_ALL)
        fail(HALO_ERR_ARGUMENT, "exchange: HALO_KIND_FETCH goes over all edges of points, not shared %d, edges %d", desc.shared, desc.edges);
    if (desc.combine_order != HALO_COMBINE_BY_GID)
        fail(HALO_ERR_ARGUMENT, "exchange: HALO_KIND_FETCH tells each copy what came before it: there is no combine_order %d", desc.combine_order);
    check_fields(fields);
    for (size_t i = 0; i < fields.size(); ++i) {
        const char *name = fields[i]->spec().name.c_str();
        if (!dynamic_cast<PointsTopology *>(&fields[i]->topology()))
            fail(HALO_ERR_ARGUMENT, "exchange: field %s is not on a topology of points: HALO_KIND_FETCH wants one", name);
        if (fields[i]->is_mapped())
            fail(HALO_ERR_ARGUMENT, "exchange: field %s has a map of points: HALO_KIND_FETCH wants a value at every point", name);
        if (desc.sections && desc.sections[i] != 0)
            fail(HALO_ERR_ARGUMENT, "exchange: sections %#x of field %s: HALO_KIND_FETCH is of all points", desc.sections[i], name);
    }
    check_combining(fields, desc);
}

// Between the round that brings copies to slots and the one that brings them back.
class FetchSteps final : public RoundSteps {
public:
    FetchSteps(const std::vector<Field *> &fields, const halo_exchange_desc &desc) : context_(fields[0]->topology().context()), desc_(desc) {
        for (Field *field : fields) add_item(*field);
        place_storage();
    }
    // Peers write into slots: a peer that is at it still may go on. The rounds, whose leases say so, have gone.
    ~FetchSteps() override {
        for (Item &item : items_) context_.leases().keep(std::move(item.storage));
    }
    FetchSteps(const FetchSteps &) = delete;
    FetchSteps &operator=(const FetchSteps &) = delete;
    // The caller's, then those of their slots.
    std::vector<Field *> fields() const {
        std::vector<Field *> all;
        for (const Item &item : items_) all.push_back(item.field);
        for (const Item &item : items_) all.push_back(item.copies.get());
        return all;
    }
    const SlotsTopology &ground(size_t field) const { return items_[field].ground; }

    void begin(halo_run &run) override;
    void after(size_t, const halo_run &run) override {
        for (size_t f = 0; f < items_.size(); ++f)
            for (size_t part = 0; takes_field(run, f) && part < items_[f].slots().parts.size(); ++part) combine(run, items_[f], part);
    }

private:
    // A field of the caller's, and the copies of its values.
    struct Item {
        Field *field;
        SlotsTopology &ground;
        std::unique_ptr<Field> copies;
        Buffer storage;     // of the copies, part by part: components slowest
        size_t first_point; // in data_: of each part
        size_t first_copy;  // likewise
        const Slots &slots() const { return ground.slots(); }
    };

    using Stretch = PartSlots::Stretch;

    void add_item(Field &field);
    void divide_stretches(const Slots &slots);
    void place_storage();
    void combine(const halo_run &run, const Item &item, size_t part);
    void combine_by_caller(const Item &item, size_t part, const Stretch &stretch, const ValuesAt &points, const ValuesAt &copies);

    Context &context_;
    halo_exchange_desc desc_;
    std::vector<Item> items_;
    std::vector<void *> data_; // of a run: the parts of the caller's fields, then those of their copies
    std::vector<int32_t> mask_;
    std::vector<int32_t> devices_;
    std::unordered_map<const Stretch *, std::vector<uint32_t>> ends_; // of its points that the caller's function is given at a time
    size_t most_at_once_ = 0;
    std::vector<std::byte> scratch_[2]; // values and contributions for the caller's function
};

void FetchSteps::add_item(Field &field) {
    const auto &points = static_cast<const PointsTopology &>(field.topology());
    const bool may_stay = desc_.source_stable && !points.context().check_mode(); // copies beside their owner's point, until they are combined
    auto &ground = kept_by<SlotsTopology>(points, may_stay);
    if (desc_.combine) divide_stretches(ground.slots());
    const FieldSpec &spec = field.spec();
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.type = spec.type;
    const std::string name = format("copies of %s of exchange %u", spec.name.c_str(), context_.newest_run() + 1);
    desc.name = name.c_str();
    desc.element_bytes = spec.type == HALO_BYTES ? spec.element_bytes : 0;
    desc.n_components = spec.n_components;
    Item item{ &field, ground, std::make_unique<Field>(ground, desc), {}, 0, 0 };
    Checked bytes = 1;
    for (const PartSlots &part : item.slots().parts) bytes = bytes + Checked(part.size) * spec.n_components * spec.element_bytes;
    item.storage = points.context().storage(static_cast<size_t>(
        bytes.value(format("field %s: the bytes of its copies on this rank", spec.name.c_str()).c_str(), limits::exchanged_bytes)));
    for (auto &scratch : scratch_) scratch.resize(std::max(scratch.size(), most_at_once_ * static_cast<size_t>(spec.element_bytes)));
    items_.push_back(std::move(item));
}

void FetchSteps::place_storage() {
    size_t n_points = 0;
    for (Item &item : items_) item.first_point = std::exchange(n_points, n_points + item.slots().parts.size());
    data_.resize(n_points);
    for (Item &item : items_) {
        item.first_copy = data_.size();
        const FieldSpec &spec = item.field->spec();
        auto *copy = static_cast<std::byte *>(item.storage.data());
        for (const PartSlots &part : item.slots().parts) {
            data_.push_back(copy);
            copy += part.size * spec.n_components * spec.element_bytes;
        }
    }
    mask_.resize(2 * items_.size());
    devices_.assign(2 * items_.size(), HALO_DEVICE_HOST);
}

// No point comes twice in a call: each copy is to find what the one before it has left.
void FetchSteps::divide_stretches(const Slots &slots) {
    for (const PartSlots &part : slots.parts)
        for (const Stretch &stretch : part.stretches) {
            std::vector<uint32_t> &ends = ends_[&stretch];
            if (!ends.empty()) continue; // of a field on the same topology
            const auto n = static_cast<uint32_t>(stretch.points.size());
            if (stretch.points.listed)
                ends = ends_before_repeats(stretch.points.points);
            else
                for (uint32_t begin = 0; begin < n; begin = ends.back()) ends.push_back(std::min(n, begin + values_at_once));
            for (uint32_t begin = 0; const uint32_t end : ends) most_at_once_ = std::max(most_at_once_, size_t{ end } - std::exchange(begin, end));
        }
}

void FetchSteps::begin(halo_run &run) {
    void *const *given = run.data;
    for (size_t f = 0; f < items_.size(); ++f) {
        const Item &item = items_[f];
        const int32_t set = run.sets && takes_field(run, f) ? run.sets[f] : 0;
        if (takes_field(run, f) && space_in(run, f, *item.field).on_device())
            fail(HALO_ERR_DEVICE, "fetch: field %s is on a device: copies are fetched on the host alone", item.field->spec().name.c_str());
        mask_[f] = mask_[items_.size() + f] = takes_field(run, f) ? 1 : 0;
        for (size_t part = 0; part < item.slots().parts.size(); ++part)
            data_[item.first_point + part] = given ? *given++ : item.field->data(static_cast<int64_t>(part), set);
    }
    run.n_fields = static_cast<int32_t>(mask_.size());
    run.field_mask = mask_.data();
    run.sets = nullptr;
    run.devices = devices_.data();
    run.data = data_.data();
    run.n_data = std::ssize(data_);
}

ValuesAt named(ValuesAt values, const Region &region) {
    values.first += region.box.low[0] * values.step;
    values.list = region.listed ? region.points.data() : nullptr;
    return values;
}

void FetchSteps::combine(const halo_run &run, const Item &item, size_t part) {
    const FieldSpec &spec = item.field->spec();
    const PartSlots &slots = item.slots().parts[part];
    auto *const points = static_cast<std::byte *>(data_[item.first_point + part]);
    auto *const slot = static_cast<std::byte *>(data_[item.first_copy + part]);
    const int64_t unit = spec.element_bytes;
    const halo_op op = run.op != 0 ? run.op : desc_.op;
    const ComponentRange taken = components_of(run, spec);
    for (const Stretch &stretch : slots.stretches)
        for (int32_t c = taken.first; c < taken.first + taken.n; ++c) {
            const ValuesAt here = values_of(points, *item.field, static_cast<int64_t>(part), c);
            const ValuesAt values = named(here, stretch.points);
            const ValuesAt copies = named(stretch.here ? here : ValuesAt{ slot + c * slots.size * unit, unit }, stretch.copies);
            if (op == HALO_USER)
                combine_by_caller(item, part, stretch, values, copies);
            else
                fetch_and_combine(values, copies, stretch.points.size(), spec.type, op);
        }
}

void FetchSteps::combine_by_caller(const Item &item, size_t part, const Stretch &stretch, const ValuesAt &points, const ValuesAt &copies) {
    const FieldSpec &spec = item.field->spec();
    const auto unit = static_cast<size_t>(spec.element_bytes);
    const auto scratch = [&](int which, int64_t i) { return scratch_[which].data() + i * spec.element_bytes; };
    int64_t begin = 0;
    for (const int64_t end : ends_.at(&stretch)) {
        const int64_t some = end - begin;
        for (int64_t i = 0; i < some; ++i) {
            std::memcpy(scratch(0, i), points[begin + i], unit);
            std::memcpy(scratch(1, i), copies[begin + i], unit);
        }
        const halo_status status = desc_.combine(desc_.combine_user, scratch(0, 0), scratch(1, 0), some, spec.type, spec.element_bytes);
        if (status != HALO_SUCCESS) fail_combining(status, *item.field, static_cast<int64_t>(part));
        for (int64_t i = 0; i < some; ++i) {
            std::memcpy(copies[begin + i], points[begin + i], unit);
            std::memcpy(points[begin + i], scratch(0, i), unit);
        }
        begin = end;
    }
}

} // namespace

std::unique_ptr<Exchange> make_fetch(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    check_fetch(fields, desc);
    auto steps = std::make_unique<FetchSteps>(fields, desc);
    const auto n = static_cast<int32_t>(fields.size());
    std::vector<RoundSpec> rounds;
    for (const bool back : { false, true }) {
        RoundSpec &round = rounds.emplace_back(round_of(fields, desc));
        round.fields = steps->fields();
        round.kind = back ? "copies go back" : "copies are fetched";
        round.op = desc.op;
        for (int32_t f = 0; f < n; ++f)
            round.pieces.push_back({ back ? n + f : f,
                                     back ? f : n + f,
                                     edges_of_slots(steps->ground(static_cast<size_t>(f)), back),
                                     {},
                                     meaning_of(HALO_KIND_FETCH, {}, desc.shared) });
    }
    return std::make_unique<Exchange>(fields, std::move(rounds), std::move(steps), "exchange that fetches");
}

} // namespace halo
