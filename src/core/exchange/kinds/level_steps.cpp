// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/kinds/level_steps.h"

#include <algorithm>
#include <initializer_list>

#include "base/digest.h"
#include "comm/first_values.h"
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

void LevelSteps::add(Field &field, BesideField beside) {
    const Topology &topology = field.topology();
    Item item{ &field, std::move(beside), nullptr, n_beside_, std::make_shared<LevelWorks>(topology.local_parts().size()) };
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
        own_.push_back(static_cast<int32_t>(items_.size()));
        ++n_beside_;
    }
    items_.push_back(std::move(item));
    size_t n_pointers = 0;
    for (Item &one : items_) one.first_pointer = std::exchange(n_pointers, n_pointers + one.n_parts());
    for (Item &one : items_) one.first_beside = std::exchange(n_pointers, n_pointers + (one.values ? one.n_parts() : 0));
    data_.resize(n_pointers);
    const size_t n = items_.size() + static_cast<size_t>(n_beside_);
    mask_.resize(n);
    sets_.assign(n, 0);
    devices_.assign(n, HALO_DEVICE_HOST);
}

void LevelSteps::allocate() {
    for (Item &item : items_)
        if (knows_work() && !item.field->spec().sparse) place_as_bound(item);
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
    ++version_;
    return true;
}

std::vector<halo_level_region> LevelSteps::level_regions(size_t field, int64_t part) {
    const LevelWork &work = items_[field].work(static_cast<size_t>(part));
    std::vector<halo_level_region> regions;
    for (const auto &[place, box] : work.sent) regions.push_back({ box, HALO_REGION_RESTRICT, place });
    for (const halo_box &box : work.halved_ghosts) regions.push_back({ box, HALO_REGION_RESTRICT_GHOSTS, 0 });
    for (const auto &[place, box] : work.made) regions.push_back({ box, HALO_REGION_PROLONGATE, place });
    return regions;
}

bool LevelSteps::holds_any(const Item &item) {
    for (int64_t part = 0; part < std::ssize(*item.works); ++part)
        if (item.values->allocated(part, 0)) return true;
    return false;
}

void LevelSteps::take_away(Item &item, int64_t part) {
    item.values->bind(item.values->topology().local_parts()[static_cast<size_t>(part)], HALO_BINDING_INIT);
    if (!item.by_part.empty()) item.by_part[static_cast<size_t>(part)] = {};
}

// The values' storage goes where that of the field is, or will be.
void LevelSteps::place(Item &item, Space space) {
    if (!item.values || item.space == space) return;
    item.space.reset();
    for (int64_t part = 0; part < std::ssize(*item.works); ++part)
        if (item.values->allocated(part, 0)) take_away(item, part);
    item.memory = {};
    if (space.on_device() && !item.field->spec().sparse) allocate_on_device(item, space);
    item.space = space;
}

// The fill value, on a device too.
void LevelSteps::give(Item &item, int64_t part) { item.space->on_device() ? give_on_device(item, part) : item.values->allocate_part(part, 0, 1); }

void LevelSteps::give_on_device(Item &item, int64_t part) {
    Field &values = *item.values;
    Context &context = values.topology().context();
    const Device &device = context.device_of(*item.space);
    item.by_part.resize(item.n_parts());
    Buffer memory = context.pools().pool(HALO_MEMORY_DEVICE, item.space->device).get(std::max<size_t>(values.storage_bytes(part), 1));
    try {
        write_first_values(context, device, [&] { values.fill(part, memory.data(), device, HALO_STREAM_NONE); });
    } catch (const Error &error) { // a run that is in flight ends with it
        if (error.status() != HALO_TIMEOUT) throw;
        context.lose(std::move(memory));
        fail(HALO_ERR_DEVICE, "exchange: field %s: %s", item.field->spec().name.c_str(), error.what());
    }
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = memory.data();
    binding.memory = item.space->memory;
    binding.device = item.space->device;
    values.bind(values.topology().local_parts()[static_cast<size_t>(part)], binding);
    item.by_part[static_cast<size_t>(part)] = std::move(memory);
}

// Zeros, as on the host.
void LevelSteps::allocate_on_device(Item &item, Space space) {
    Field &values = *item.values;
    Context &context = values.topology().context();
    Device &device = context.device_of(space);
    const std::vector<int64_t> &gids = values.topology().local_parts();
    std::vector<size_t> begins{ 0 };
    for (int64_t part = 0; part < std::ssize(gids); ++part) {
        const size_t bytes = needs_beside(item, part) ? values.storage_bytes(part) : 0;
        begins.push_back(begins.back() + static_cast<size_t>(align_up(static_cast<int64_t>(bytes), static_cast<int64_t>(Pool::alignment))));
    }
    if (begins.back() == 0) return;
    item.memory = context.pools().pool(HALO_MEMORY_DEVICE, space.device).get(begins.back());
    write_zeros(context, device, item.memory.data(), static_cast<int64_t>(begins.back()));
    for (size_t part = 0; part < gids.size(); ++part) {
        if (begins[part] == begins[part + 1]) continue;
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = item.memory.data() + begins[part];
        binding.memory = space.memory;
        binding.device = space.device;
        values.bind(gids[part], binding);
    }
}

void LevelSteps::prepare() {
    for (Item &item : items_) {
        require_operators(item, item.field->space(0));
        place_as_bound(item);
    }
}

// As set 0 is bound. What stands beside parts of another set stays until the next run.
void LevelSteps::place_as_bound(Item &item) {
    if (!item.values) return;
    place(item, space_beside(item));
    for (int64_t part = 0; part < std::ssize(*item.works); ++part)
        if (const void *const data = item.field->data(part, 0); wants_beside(item, part, data)) follow_storage(item, part, data);
}

bool LevelSteps::is_placed_as_bound(const Item &item) const {
    if (item.space != space_beside(item)) return false;
    for (int64_t part = 0; part < std::ssize(*item.works); ++part)
        if (!item.values->allocated(part, 0) && wants_beside(item, part, item.field->data(part, 0))) return false;
    return true;
}

const Field *LevelSteps::coarse_field(size_t field) const {
    const Item &item = items_[field];
    return item.beside.newer ? nullptr : item.values.get();
}

// In a run they lie where that has them.
bool LevelSteps::coarse_follows(size_t field) const {
    const Item &item = items_[field];
    return item.values->in_flight > 0 || is_placed_as_bound(item);
}

void LevelSteps::require_operators(const Item &item, Space space) const {
    const char *const name = item.field->spec().name.c_str();
    const Device &device = item.field->topology().context().device_of(space);
    if (!device.ops().levels_run)
        fail(HALO_ERR_DEVICE, "exchange: field %s: %s where it is, and device %s has no operations between levels", name, what_, device.name());
}

// Storage of the values beside a part: while the part has some.
void *LevelSteps::follow_storage(Item &item, int64_t part, const void *data) {
    Field &values = *item.values;
    if (!item.memory) {
        const bool is_wanted = wants_beside(item, part, data);
        if (is_wanted && !values.allocated(part, 0)) give(item, part);
        if (!is_wanted && !data && values.allocated(part, 0)) take_away(item, part);
    }
    return values.data(part, 0);
}

void *LevelSteps::adopt(int32_t field, int64_t part, void *data) {
    Item &item = items_[static_cast<size_t>(field)];
    ++version_;
    data_[item.first_pointer + static_cast<size_t>(part)] = data;
    if (!item.values) return nullptr;
    place(item, item.field->space(sets_[static_cast<size_t>(field)])); // the first on this rank may be elsewhere than none
    return data_[item.first_beside + static_cast<size_t>(part)] = follow_storage(item, part, data);
}

// Of fields that the round itself does not know, too.
void LevelSteps::require_storage(const halo_run &run, size_t field) const {
    const Item &item = items_[field];
    if (item.field->spec().sparse) return;
    const Topology &topology = item.field->topology();
    for (size_t part = 0; part < item.n_parts(); ++part)
        if (!(run.data ? run.data[item.first_pointer + part] : item.field->data(static_cast<int64_t>(part), sets_[field])))
            fail(HALO_ERR_UNBOUND, "levels: field %s: rank %d has given part %lld no storage, set %d", item.field->spec().name.c_str(),
                 topology.context().rank(), static_cast<long long>(topology.local_parts()[part]), sets_[field]);
}

// What a program has made itself, it has made where the values were.
void LevelSteps::go_to(Item &item, Space space) {
    if (item.values && item.field->restriction() == HALO_RESTRICT_OWN && item.space && item.space != space && holds_any(item))
        fail(HALO_ERR_DEVICE,
             "exchange: field %s is in %s memory of device %d, but the coarse points that its own restriction makes in %s memory of device "
             "%d, as its set 0 is",
             item.field->spec().name.c_str(), memory_name(space.memory), space.device, memory_name(item.space->memory), item.space->device);
    place(item, space);
}

// The caller's lists, and behind them those of the values beside his fields.
void LevelSteps::begin(halo_run &run) {
    const auto put = [&](auto &place, const auto &value) {
        if (place == value) return;
        place = value;
        ++version_;
    };
    for (size_t f = 0; f < items_.size(); ++f) {
        Item &item = items_[f];
        put(mask_[f], takes_field(run, f) ? 1 : 0);
        sets_[f] = run.sets ? run.sets[f] : 0;
        if (item.values) mask_[static_cast<size_t>(place_beside(f))] = mask_[f];
        if (mask_[f]) {
            const Space space = space_in(run, f, *item.field);
            require_operators(item, space);
            require_storage(run, f);
            check_run(run, f);
            go_to(item, space);
            put(devices_[f], space.on_device() ? space.device : HALO_DEVICE_HOST);
            if (item.values) devices_[static_cast<size_t>(place_beside(f))] = devices_[f];
        }
        if (item.beside.newer && takes_field(run, f) != takes_field(run, *item.beside.newer))
            fail(HALO_ERR_ARGUMENT, "exchange: the field mask parts field %s from field %s of a later time", item.field->spec().name.c_str(),
                 items_[*item.beside.newer].field->spec().name.c_str());
        if (item.beside.newer && mask_[f] && space_in(run, f, *item.field) != space_in(run, *item.beside.newer, *items_[*item.beside.newer].field))
            fail(HALO_ERR_DEVICE, "exchange: field %s and field %s of a later time are in memory of different devices",
                 item.field->spec().name.c_str(), items_[*item.beside.newer].field->spec().name.c_str());
        for (size_t part = 0; part < item.n_parts(); ++part) {
            const auto number = static_cast<int64_t>(part);
            const size_t at = item.first_pointer + part;
            put(data_[at], run.data ? run.data[at] : mask_[f] ? item.field->data(number, sets_[f]) : nullptr);
            if (item.values && mask_[f]) put(data_[item.first_beside + part], follow_storage(item, number, data_[at]));
        }
    }
    put(narrowing_, narrowing_of(run));
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
    int32_t first_component;
    int32_t n_components;
    int64_t part;
    void *own;
    void *beside;
    const Field *later_field; // null: none
    void *later;
    std::vector<halo_level_operation> &operations;

    halo_level_values at(void *data, const PartLayout &layout, int32_t place) const {
        const int64_t bytes = item.field->spec().element_bytes;
        const int64_t first = layout.first_owned + place * layout.place_stride + first_component * layout.component_stride;
        return { static_cast<std::byte *>(data) + first * bytes,
                 { layout.stride[0] * bytes, layout.stride[1] * bytes, layout.stride[2] * bytes },
                 layout.component_stride * bytes };
    }
    // Blocks whose index spaces are turned take other components of a vector than they fill.
    Values of_whole_vectors() const {
        Values whole = *this;
        const int32_t n_dims = item.field->topology().n_dims();
        if (item.field->spec().vector != HALO_VECTOR_COMPONENTS || first_component >= n_dims) return whole;
        whole.n_components = std::max(first_component + n_components, n_dims);
        whole.first_component = 0;
        return whole;
    }
    halo_level_values own_at(int32_t place) const { return at(own, item.field->layout(part), place); }
    halo_level_values beside_at(int32_t place) const { return at(beside, item.values->layout(part), place); }
    void add(int32_t what, int32_t place, const halo_box &points, std::initializer_list<halo_level_values> values, bool linear = false,
             double fraction = 0) const {
        if (empty(points)) return;
        halo_level_operation one{};
        one.what = what;
        one.type = item.field->spec().type;
        for (size_t d = 0; d < 3; ++d) one.ratio[d] = static_cast<int32_t>(item.beside.ratio[d]);
        one.centring = item.field->spec().places[static_cast<size_t>(place)];
        one.linear = linear ? 1 : 0;
        one.n_components = n_components;
        one.fraction = fraction;
        one.points = points;
        std::copy(values.begin(), values.end(), one.values);
        operations.push_back(one);
    }
    void send_box(int32_t place, const halo_box &box, double fraction) const {
        if (!later) return restrict_box(place, box);
        add(HALO_LEVEL_MIX, place, box, { own_at(place), at(later, later_field->layout(part), place), beside_at(place) }, false, fraction);
    }
    void restrict_box(int32_t place, const halo_box &box) const {
        if (item.field->restriction() == HALO_RESTRICT_OWN) return;
        add(HALO_LEVEL_RESTRICT, place, box, { own_at(place), beside_at(place) });
    }
    void prolongate_box(int32_t place, const halo_box &box, const GhostWidths &most) const {
        if (item.field->prolongation() == HALO_PROLONG_OWN) return;
        const Extent cells = item.field->topology().cells(part);
        const Centring centring = item.field->spec().places[static_cast<size_t>(place)];
        const halo_box owned = points_of({ { 0, 0, 0 }, { cells[0], cells[1], cells[2] } }, centring);
        const halo_box reached = intersection(box, grown(owned, item.beside.made.clipped(most)));
        add(HALO_LEVEL_PROLONGATE, place, reached, { beside_at(place), own_at(place) }, item.beside.reach > 0);
    }
    // Of all directions, whose places are one after the other.
    void divide_box(const halo_box &box, const GhostWidths &most) const {
        const Extent cells = item.values->topology().cells(part);
        const halo_box reached = grown({ { 0, 0, 0 }, { cells[0], cells[1], cells[2] } }, item.beside.made.clipped(most).halved());
        const halo_box cut = intersection(box, reached);
        const auto last = static_cast<int32_t>(item.field->spec().places.size()) - 1;
        add(HALO_LEVEL_DIVIDE, 0, cut, { own_at(0), own_at(std::min(1, last)), own_at(last) });
    }
};

// A peer that has been stopped may still be at it.
LevelSteps::~LevelSteps() {
    for (Item &item : items_) {
        OutstandingLeases &leases = item.field->topology().context().leases();
        leases.keep(std::move(item.memory));
        for (Buffer &memory : item.by_part) leases.keep(std::move(memory));
    }
}

std::vector<halo_level_operation> &LevelSteps::Step::operations_in(Space space) {
    const auto known = std::find_if(batches.begin(), batches.end(), [&](const Batch &one) { return one.space == space; });
    return known != batches.end() ? known->operations : batches.emplace_back(Batch{ space }).operations;
}

void LevelSteps::Step::forget() {
    for (Batch &batch : batches) batch.operations.clear();
}

LevelSteps::Narrowing LevelSteps::narrowing_of(const halo_run &run) const {
    uint64_t layouts = 0;
    for (const Item &item : items_) layouts = Digest::mix(layouts ^ item.field->layout_hash());
    return { run.first_component, run.n_components, widths_of(run), layouts };
}

template <class Add>
void LevelSteps::for_each_part(Step &step, const halo_run &run, Add &&add) {
    for (size_t f = 0; f < items_.size(); ++f) {
        const Item &item = items_[f];
        if (!item.values || !takes_field(run, f)) continue;
        const Item *const later = item.beside.newer ? &items_[*item.beside.newer] : nullptr;
        const ComponentRange taken = components_of(run, item.field->spec());
        std::vector<halo_level_operation> &operations = step.operations_in(item.space.value_or(host_space));
        for (size_t part = 0; part < item.n_parts(); ++part) {
            void *const own = data_[item.first_pointer + part];
            if (!own) continue; // of a sparse field
            add(Values{ item, taken.first, taken.n, static_cast<int64_t>(part), own, data_[item.first_beside + part], later ? later->field : nullptr,
                        later ? data_[later->first_pointer + part] : nullptr, operations },
                item.work(part));
        }
    }
}

template <class Add>
void LevelSteps::operate(Step &step, const halo_run &run, Round &round, Add &&add) {
    if (step.version != version_) {
        step.forget();
        for_each_part(step, run, add);
        step.version = version_;
    }
    for (const Batch &batch : step.batches) round.operate(batch.space, batch.operations);
}

// Until the device is done with the run.
void LevelSteps::use_memory(const Item &item, Round &round) {
    if (item.memory) round.use_on_device(*item.space, item.memory);
    for (const Buffer &memory : item.by_part)
        if (memory) round.use_on_device(*item.space, memory);
}

void LevelSteps::before_send(const halo_run &run, Round &round) {
    for (size_t f = 0; f < items_.size(); ++f)
        if (takes_field(run, f)) use_memory(items_[f], round);
    operate(sent_, run, round, [&](const Values &taken, const LevelWork &work) {
        const Values values = taken.of_whole_vectors();
        for (const auto &[place, box] : work.sent) values.send_box(place, box, fraction_);
    });
}

void LevelSteps::after_unpack(const halo_run &run, Round &round) {
    for (size_t f = 0; f < items_.size(); ++f)
        if (takes_field(run, f) && !items_[f].by_part.empty()) use_memory(items_[f], round); // some parts may just have got theirs
    operate(halved_, run, round, [](const Values &values, const LevelWork &work) {
        for (const halo_box &box : work.halved_ghosts) values.restrict_box(0, box);
    });
}

void LevelSteps::refine(const halo_run &run, Round &round) {
    operate(made_, run, round, [&](const Values &values, const LevelWork &work) {
        for (const auto &[place, box] : work.made) values.prolongate_box(place, box, widths_of(run));
    });
    operate(divided_, run, round, [&](const Values &values, const LevelWork &work) {
        for (const halo_box &box : work.divided) values.divide_box(box, widths_of(run));
    });
}

} // namespace halo
