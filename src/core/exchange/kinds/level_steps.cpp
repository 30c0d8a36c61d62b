// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/kinds/level_steps.h"

#include <algorithm>

#include "topology/boxes/box_calculus.h"

namespace halo {

const char *prolongation_of(const Field &field) {
    static constexpr const char *names[] = { "minmod", "constant", "divergence", "own" };
    return names[field.prolongation()];
}

std::string text_of_prolongation(const Field &field) { return format(", %s prolongation of %s", prolongation_of(field), field.spec().name.c_str()); }

std::string text_of_restriction(const Field &field) {
    return field.restriction() == HALO_RESTRICT_OWN ? format(", own restriction of %s", field.spec().name.c_str()) : std::string();
}

// None twice.
void LevelSteps::Work::send(int32_t place, const halo_box &box) {
    std::vector<halo_box> rest{ box };
    for (const auto &[other, known] : sent)
        if (other == place) subtract(rest, known);
    for (const halo_box &one : rest) sent.emplace_back(place, one);
}

void LevelSteps::add(Field &field, BesideField beside) {
    const Topology &topology = field.topology();
    Item item{ &field, std::move(beside), nullptr, n_beside_, std::vector<Work>(topology.local_parts().size()), 0, 0 };
    if (item.beside.parts) {
        const std::string name = format("coarse %s of exchange %u", field.spec().name.c_str(), topology.context().newest_run() + 1);
        halo_field_desc desc = field.desc();
        desc.name = name.c_str();
        desc.element_bytes = 0;
        desc.n_sets = 1;
        desc.release_after = 0, desc.controller = nullptr; // it follows the field
        std::ranges::copy(item.beside.widths.low, desc.ghost_low);
        std::ranges::copy(item.beside.widths.high, desc.ghost_high);
        item.values = std::make_unique<Field>(*item.beside.parts, desc);
        if (!desc.sparse) item.values->allocate(-1);
        own_.push_back(static_cast<int32_t>(items_.size()));
        ++n_beside_;
    }
    items_.push_back(std::move(item));
    size_t n_pointers = 0;
    for (Item &one : items_) one.first_pointer = std::exchange(n_pointers, n_pointers + one.work.size());
    for (Item &one : items_) one.first_beside = std::exchange(n_pointers, n_pointers + (one.values ? one.work.size() : 0));
    data_.resize(n_pointers);
    const size_t n = items_.size() + static_cast<size_t>(n_beside_);
    mask_.resize(n);
    sets_.assign(n, 0);
    devices_.assign(n, HALO_DEVICE_HOST);
}

std::vector<Field *> LevelSteps::fields() const {
    std::vector<Field *> all;
    for (const Item &item : items_) all.push_back(item.field);
    for (const Item &item : items_)
        if (item.values) all.push_back(item.values.get());
    return all;
}

bool LevelSteps::set_fraction(double fraction) {
    if (std::ranges::none_of(items_, [](const Item &item) { return item.beside.newer.has_value(); })) return false;
    fraction_ = fraction;
    return true;
}

std::vector<halo_level_region> LevelSteps::level_regions(size_t field, int64_t part) {
    const Work &work = this->work(field, part);
    std::vector<halo_level_region> regions;
    for (const auto &[place, box] : work.sent) regions.push_back({ box, HALO_REGION_RESTRICT, place });
    for (const halo_box &box : work.halved_ghosts) regions.push_back({ box, HALO_REGION_RESTRICT_GHOSTS, 0 });
    for (const auto &[place, box] : work.made) regions.push_back({ box, HALO_REGION_PROLONGATE, place });
    return regions;
}

// Storage of the values beside a part: while the part has some.
void *LevelSteps::follow_storage(Item &item, int64_t part, const void *data) {
    Field &values = *item.values;
    if (data && !values.allocated(part, 0)) values.allocate_part(part, 0, 1);
    if (!data && values.allocated(part, 0)) values.bind(values.topology().local_parts()[static_cast<size_t>(part)], HALO_BINDING_INIT);
    return values.data(part, 0);
}

void *LevelSteps::adopt(int32_t field, int64_t part, void *data) {
    Item &item = items_[static_cast<size_t>(field)];
    data_[item.first_pointer + static_cast<size_t>(part)] = data;
    if (!item.values) return nullptr;
    return data_[item.first_beside + static_cast<size_t>(part)] = follow_storage(item, part, data);
}

// Of fields that the round itself does not know, too.
void LevelSteps::require_storage(const halo_run &run, size_t field) const {
    const Item &item = items_[field];
    if (item.field->spec().sparse) return;
    const Topology &topology = item.field->topology();
    for (size_t part = 0; part < item.work.size(); ++part)
        if (!(run.data ? run.data[item.first_pointer + part] : item.field->data(static_cast<int64_t>(part), sets_[field])))
            fail(HALO_ERR_UNBOUND, "levels: field %s: rank %d has given part %lld no storage, set %d", item.field->spec().name.c_str(),
                 topology.context().rank(), static_cast<long long>(topology.local_parts()[part]), sets_[field]);
}

// The caller's lists, and behind them those of the values beside his fields.
void LevelSteps::begin(halo_run &run) {
    for (size_t f = 0; f < items_.size(); ++f) {
        Item &item = items_[f];
        mask_[f] = takes_part(run, f) ? 1 : 0;
        sets_[f] = run.sets ? run.sets[f] : 0;
        devices_[f] = run.devices ? run.devices[f] : HALO_DEVICE_HOST;
        if (item.values) mask_[static_cast<size_t>(place_beside(f))] = mask_[f];
        if (mask_[f]) {
            item.field->check_set(sets_[f]);
            if (space_in(run, f, *item.field).on_device())
                fail(HALO_ERR_DEVICE, "exchange: field %s is on a device: %s on the host alone", item.field->spec().name.c_str(), what_);
            require_storage(run, f);
            check_run(run, f);
        }
        if (item.beside.newer && takes_part(run, f) != takes_part(run, *item.beside.newer))
            fail(HALO_ERR_ARGUMENT, "exchange: the field mask parts field %s from field %s of a later time", item.field->spec().name.c_str(),
                 items_[*item.beside.newer].field->spec().name.c_str());
        for (size_t part = 0; part < item.work.size(); ++part) {
            const auto number = static_cast<int64_t>(part);
            const size_t at = item.first_pointer + part;
            data_[at] = run.data ? run.data[at] : mask_[f] ? item.field->data(number, sets_[f]) : nullptr;
            if (item.values && mask_[f]) data_[item.first_beside + part] = follow_storage(item, number, data_[at]);
        }
    }
    run.n_fields = static_cast<int32_t>(mask_.size());
    run.field_mask = mask_.data();
    run.sets = sets_.data();
    run.devices = devices_.data();
    run.data = data_.data();
    run.n_data = std::ssize(data_);
}

// Of one part in a run.
struct LevelSteps::Values {
    const Item &item;
    LevelValues what;
    int64_t part;
    void *own;
    void *beside;
    const Field *later_field; // null: none
    void *later;

    PartValues at(void *data, const PartLayout &layout, int32_t place) const {
        const int64_t first = layout.first_owned + place * layout.place_stride;
        return { static_cast<std::byte *>(data) + first * item.field->spec().element_bytes, layout.stride, layout.component_stride };
    }
    PartValues own_at(int32_t place) const { return at(own, item.field->layout(part), place); }
    PartValues beside_at(int32_t place) const { return at(beside, item.values->layout(part), place); }
    void send_box(int32_t place, const halo_box &box, double fraction) const {
        if (!later) return restrict_box(place, box);
        mix_values(what, fraction, own_at(place), at(later, later_field->layout(part), place), beside_at(place), box);
    }
    void restrict_box(int32_t place, const halo_box &box) const {
        if (item.field->restriction() == HALO_RESTRICT_OWN) return;
        restrict_values(what, item.field->spec().places[static_cast<size_t>(place)], own_at(place), beside_at(place), box);
    }
    void prolongate_box(int32_t place, const halo_box &box, const GhostWidths &most) const {
        if (item.field->prolongation() == HALO_PROLONG_OWN) return;
        const Extent cells = item.field->topology().cells(part);
        const Centring centring = item.field->spec().places[static_cast<size_t>(place)];
        const halo_box owned = points_of({ { 0, 0, 0 }, { cells[0], cells[1], cells[2] } }, centring);
        const halo_box reached = intersection(box, grown(owned, item.beside.made.clipped(most)));
        prolongate_values(what, centring, item.beside.reach > 0, beside_at(place), own_at(place), reached);
    }
    // Of all directions, whose places are one after the other.
    void divide_box(const halo_box &box, const GhostWidths &most) const {
        const Extent cells = item.values->topology().cells(part);
        const halo_box reached = grown({ { 0, 0, 0 }, { cells[0], cells[1], cells[2] } }, item.beside.made.clipped(most).halved());
        std::array<PartValues, 3> faces{};
        const size_t n_dims = item.field->spec().places.size();
        for (size_t d = 0; d < n_dims; ++d) faces[d] = own_at(static_cast<int32_t>(d));
        divide_cells(what, { faces.data(), n_dims }, intersection(box, reached));
    }
};

template <class Step>
void LevelSteps::for_each_part(const halo_run &run, Step &&step) const {
    for (size_t f = 0; f < items_.size(); ++f) {
        const Item &item = items_[f];
        if (!item.values || !takes_part(run, f)) continue;
        const Item *const later = item.beside.newer ? &items_[*item.beside.newer] : nullptr;
        const FieldSpec &spec = item.field->spec();
        const LevelValues what{ spec.type, item.beside.ratio, run.first_component,
                                run.n_components > 0 ? run.n_components : spec.n_components - run.first_component };
        for (size_t part = 0; part < item.work.size(); ++part) {
            void *const own = data_[item.first_pointer + part];
            if (!own) continue; // of a sparse field
            step(Values{ item, what, static_cast<int64_t>(part), own, data_[item.first_beside + part], later ? later->field : nullptr,
                         later ? data_[later->first_pointer + part] : nullptr },
                 item.work[part]);
        }
    }
}

void LevelSteps::before_send(const halo_run &run) {
    for_each_part(run, [&](const Values &values, const Work &work) {
        for (const auto &[place, box] : work.sent) values.send_box(place, box, fraction_);
    });
}

void LevelSteps::after_unpack(const halo_run &run) {
    for_each_part(run, [](const Values &values, const Work &work) {
        for (const halo_box &box : work.halved_ghosts) values.restrict_box(0, box);
    });
}

void LevelSteps::refine(const halo_run &run) {
    for_each_part(run, [&](const Values &values, const Work &work) {
        for (const auto &[place, box] : work.made) values.prolongate_box(place, box, widths_of(run));
        for (const halo_box &box : work.divided) values.divide_box(box, widths_of(run));
    });
}

} // namespace halo
