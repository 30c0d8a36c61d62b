// SPDX-License-Identifier: BSD-3-Clause
#include "field/field.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/checked.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/types.h"

namespace halo {

namespace {

// Without its fraction. False for NaN.
template <class Integer>
bool is_within(double value) {
    const double end = std::ldexp(1.0, std::numeric_limits<Integer>::digits), whole = std::trunc(value);
    return whole < end && whole >= (std::is_signed_v<Integer> ? -end : 0.0);
}

// False: no value of the type is near.
bool store_value(std::byte *into, halo_type type, double value) {
    if (is_half(type)) {
        const uint16_t bits = half_bits(type, value);
        std::memcpy(into, &bits, sizeof bits);
        return true;
    }
    bool fits = true;
    with_type(type, [&](auto number) {
        using Number = decltype(number);
        if constexpr (std::is_integral_v<Number>) {
            fits = is_within<Number>(value);
            if (fits) number = static_cast<Number>(value);
        } else if constexpr (std::is_floating_point_v<Number>) {
            number = static_cast<Number>(value);
        } else {
            number.real(static_cast<typename Number::value_type>(value));
        }
        std::memcpy(into, &number, sizeof number);
    });
    return fits;
}

std::vector<Centring> places_of(int32_t centring, int32_t n_dims) {
    const Centring used = (1 << n_dims) - 1;
    if (centring == HALO_CENTRE_EDGES && n_dims == 2) return { HALO_CENTRE_EDGE_Z };
    if (centring == HALO_CENTRE_EDGES) return { HALO_CENTRE_EDGE_X, HALO_CENTRE_EDGE_Y, HALO_CENTRE_EDGE_Z };
    if (centring != HALO_CENTRE_FACES) return { centring & used };
    std::vector<Centring> faces(static_cast<size_t>(n_dims));
    for (int32_t d = 0; d < n_dims; ++d) faces[static_cast<size_t>(d)] = 1 << d;
    return faces;
}

} // namespace

Field::Field(Topology &topology, const halo_field_desc &desc) : topology_(topology) {
    check_desc(desc);
    ordinal_ = topology.context().next_field();
    spec_.name = desc.name && *desc.name ? desc.name : format("field %d", ordinal_);
    spec_.type = desc.type;
    spec_.element_bytes = element_size(desc.type, desc.element_bytes, "field");
    spec_.n_components = desc.n_components;
    spec_.centring = desc.centring;
    spec_.places = places_of(desc.centring, topology.n_dims());
    spec_.vector = desc.vector;
    spec_.sparse = desc.sparse != 0;
    spec_.n_sets = desc.n_sets;
    spec_.threshold = desc.threshold;
    spec_.fill = desc.fill;
    release_after_ = desc.release_after;
    release_below_ = desc.release_below;
    Field *const controller = find_controller(desc);
    for (int d = 0; d < topology.n_dims(); ++d) {
        spec_.ghosts.low[d] = desc.ghost_low[d];
        spec_.ghosts.high[d] = desc.ghost_high[d];
    }
    if (spec_.sparse && !store_value(fill_value_, spec_.type, spec_.fill))
        fail(HALO_ERR_ARGUMENT, "field %s: fill %g is no value of %s", spec_.name.c_str(), spec_.fill, type_name(spec_.type));
    layouts_ = layouts_by(layout_rule_);
    data_.assign(spec_.n_sets, std::vector<void *>(layouts_.size(), nullptr));
    spaces_.resize(static_cast<size_t>(spec_.n_sets));
    n_bound_.resize(static_cast<size_t>(spec_.n_sets));
    if (release_after_ > 0) ages_.resize(layouts_.size());
    if (controller) join_storage_of(*controller);
    if (!topology.fields.emplace(spec_.name, this).second)
        fail(HALO_ERR_EXISTS, "field %s: topology %llu of this context%s has a field of this name already", spec_.name.c_str(),
             static_cast<unsigned long long>(topology.id()), topology.text().empty() ? "" : (" (" + topology.text() + ")").c_str());
    if (topology.context().check_mode()) try {
            topology.context().fields[ordinal_] = this;
        } catch (...) {
            topology.fields.erase(spec_.name);
            throw;
        }
    controller_ = controller;
    if (controller) controller->controlled_.push_back(this);
}

halo_field_desc Field::desc() const {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.type = spec_.type;
    desc.name = spec_.name.c_str();
    desc.element_bytes = spec_.element_bytes;
    desc.n_components = spec_.n_components;
    desc.centring = spec_.centring;
    std::ranges::copy(spec_.ghosts.low, desc.ghost_low);
    std::ranges::copy(spec_.ghosts.high, desc.ghost_high);
    desc.sparse = spec_.sparse;
    desc.n_sets = spec_.n_sets;
    desc.threshold = spec_.threshold;
    desc.fill = spec_.fill;
    desc.vector = spec_.vector;
    desc.release_after = release_after_;
    desc.release_below = release_below_;
    desc.controller = controller_ ? controller_->spec().name.c_str() : nullptr;
    return desc;
}

void Field::set_prolongation(int32_t prolongation) {
    const char *const name = spec_.name.c_str();
    if (prolongation < HALO_PROLONG_MINMOD || prolongation > HALO_PROLONG_OWN)
        fail(HALO_ERR_ARGUMENT, "field %s: prolongation %d is none of HALO_PROLONG_...", name, prolongation);
    if (prolongation == HALO_PROLONG_DIVERGENCE && spec_.centring != HALO_CENTRE_FACES)
        fail(HALO_ERR_ARGUMENT, "field %s: HALO_PROLONG_DIVERGENCE is of values on the faces of all directions, HALO_CENTRE_FACES", name);
    if (exchanges > 0) fail(HALO_BUSY, "field %s: exchanges use it: its prolongation must be set before", name);
    prolongation_ = prolongation;
}

void Field::set_restriction(int32_t restriction) {
    const char *const name = spec_.name.c_str();
    if (restriction != HALO_RESTRICT_MEAN && restriction != HALO_RESTRICT_OWN)
        fail(HALO_ERR_ARGUMENT, "field %s: restriction %d is none of HALO_RESTRICT_...", name, restriction);
    if (exchanges > 0) fail(HALO_BUSY, "field %s: exchanges use it: its restriction must be set before", name);
    restriction_ = restriction;
}

Field::~Field() {
    if (controller_) controller_->controlled_.erase(std::find(controller_->controlled_.begin(), controller_->controlled_.end(), this));
    for (Field *one : controlled_) one->controller_ = nullptr;
    for (const std::vector<Buffer> &of_part : owned_)
        for (const Buffer &memory : of_part) topology_.context().leases().keep(memory);
    topology_.fields.erase(spec_.name);
    topology_.context().fields.erase(ordinal_);
}

void Field::check_desc(const halo_field_desc &desc) const {
    const char *name = desc.name ? desc.name : "(no name)";
    if (desc.n_components < 1) fail(HALO_ERR_ARGUMENT, "field %s: n_components is %d, it must be 1 or more", name, desc.n_components);
    if (desc.n_sets < 1) fail(HALO_ERR_ARGUMENT, "field %s: n_sets is %d, it must be 1 or more", name, desc.n_sets);
    check_limit(format("field %s: n_sets", name).c_str(), desc.n_sets, limits::sets);
    check_centring(desc, name);
    check_sparse(desc, name);
    const Extent widest = topology_.widest_ghosts();
    for (int d = 0; d < topology_.n_dims(); ++d)
        if (desc.ghost_low[d] < 0 || desc.ghost_high[d] < 0 || desc.ghost_low[d] > widest[d] || desc.ghost_high[d] > widest[d])
            fail(HALO_ERR_ARGUMENT, "field %s: ghost widths %d and %d of direction %d must be 0 to %lld, the most that the topology has", name,
                 desc.ghost_low[d], desc.ghost_high[d], d, static_cast<long long>(widest[d]));
    for (int d = topology_.n_dims(); d < 3; ++d)
        if (desc.ghost_low[d] != 0 || desc.ghost_high[d] != 0)
            fail(HALO_ERR_ARGUMENT, "field %s: ghost widths %d and %d of direction %d: its topology has directions 0 to %d", name, desc.ghost_low[d],
                 desc.ghost_high[d], d, topology_.n_dims() - 1);
}

void Field::check_centring(const halo_field_desc &desc, const char *name) const {
    const int32_t n_dims = topology_.n_dims();
    if (desc.centring < HALO_CENTRE_CELL || desc.centring > HALO_CENTRE_EDGES)
        fail(HALO_ERR_ARGUMENT, "field %s: centring %d is none of HALO_CENTRE_...", name, desc.centring);
    if (desc.centring == HALO_CENTRE_EDGES && n_dims < 2) fail(HALO_ERR_ARGUMENT, "field %s: one dimension has no edges", name);
    if (desc.centring != HALO_CENTRE_CELL && !topology_.has_cells())
        fail(HALO_ERR_ARGUMENT, "field %s: centring %d, but the topology's parts are lists of points", name, desc.centring);
    if (desc.centring < HALO_CENTRE_NODE && desc.centring >> n_dims != 0)
        fail(HALO_ERR_ARGUMENT, "field %s: centring %d, with faces or edges that %d dimension%s not have", name, desc.centring, n_dims,
             n_dims == 1 ? " does" : "s do");
    if (desc.vector < HALO_VECTOR_NONE || desc.vector > HALO_VECTOR_ALONG)
        fail(HALO_ERR_ARGUMENT, "field %s: vector %d is none of HALO_VECTOR_...", name, desc.vector);
    const int32_t n_needed = desc.vector == HALO_VECTOR_COMPONENTS ? n_dims : 1;
    if (desc.vector != HALO_VECTOR_NONE && (!has_sign(desc.type) || desc.n_components < n_needed))
        fail(HALO_ERR_ARGUMENT, "field %s: a vector field needs numbers with a sign in at least %d components, not %d of %s", name, n_needed,
             desc.n_components, type_name(desc.type));
    if (desc.vector == HALO_VECTOR_ALONG && desc.centring != HALO_CENTRE_FACES && (desc.centring != HALO_CENTRE_EDGES || n_dims < 3))
        fail(HALO_ERR_ARGUMENT, "field %s: HALO_VECTOR_ALONG is for HALO_CENTRE_FACES, and in three dimensions for HALO_CENTRE_EDGES", name);
}

const std::shared_ptr<PointMap> &Field::point_map(int64_t local_index) const {
    static const std::shared_ptr<PointMap> none;
    return maps_.empty() ? none : maps_[static_cast<size_t>(local_index)];
}

Extent Field::cells(int64_t local_index) const {
    if (const auto &map = point_map(local_index)) return { map->n_positions(), 1, 1 };
    return topology_.cells(local_index);
}

std::optional<int64_t> Field::element(int64_t local_index, const Extent &point) const {
    const PartLayout &layout = layouts_[local_index];
    const auto &map = point_map(local_index);
    if (!map) return layout.offset(point[0], point[1], point[2]);
    const int64_t position = map->position(point);
    return position < 0 ? std::nullopt : std::optional(layout.offset(position, 0, 0));
}

Extent Field::most_points(int64_t local_index) const {
    Extent most = topology_.cells(local_index);
    Centring any = 0;
    for (const Centring place : spec_.places) any |= place;
    for (int d = 0; d < 3; ++d) most[d] = points(most[d], any, d);
    return most;
}

halo_box Field::points_with_ghosts(int64_t local_index) const {
    const Extent most = most_points(local_index);
    halo_box points;
    for (size_t d = 0; d < 3; ++d) {
        points.low[d] = -spec_.ghosts.low[d];
        points.high[d] = most[d] + spec_.ghosts.high[d];
    }
    return points;
}

// Parts that are mapped alike share a map, and so what is made from it.
void Field::map_points(int64_t gid, std::span<const int64_t> positions) {
    const int64_t index = topology_.require_local(gid);
    const std::string what = format("field %s, part %lld", spec_.name.c_str(), static_cast<long long>(gid));
    const halo_box points = points_with_ghosts(index);
    if (std::ssize(positions) != volume(points))
        fail(HALO_ERR_ARGUMENT, "%s: a map of %zu points, the part has %lld%s", what.c_str(), positions.size(),
             static_cast<long long>(volume(points)), topology_.has_cells() ? " with its ghosts" : "");
    if (exchanges > 0) fail(HALO_BUSY, "%s: exchanges use the field", what.c_str());
    require_unbound(index, "its layout does not know the map");
    auto map = std::make_shared<PointMap>(points, positions, what);
    maps_.resize(layouts_.size());
    if (index > 0 && maps_[index - 1] && *maps_[index - 1] == *map) map = maps_[index - 1];
    std::swap(maps_[index], map);
    try {
        layouts_[index] = layout_by(layout_rule_, index);
    } catch (...) {
        std::swap(maps_[index], map);
        if (std::none_of(maps_.begin(), maps_.end(), [](const auto &one) { return one != nullptr; })) maps_.clear();
        throw;
    }
    layout_hash_ = 0;
}

PartLayout Field::layout_by(const LayoutRule &rule, int64_t local_index) const {
    LayoutRule of_part = rule;
    if (point_map(local_index)) of_part.ghosts = {}; // they lie where the map says
    const std::optional<PartLayout> layout =
        of_part.layout({ stored_points(local_index), stored_ghosts(local_index), spec_.n_components, std::ssize(spec_.places), spec_.element_bytes });
    if (!layout) fail_as_too_large(topology_.local_parts()[local_index]);
    return *layout;
}

std::vector<PartLayout> Field::layouts_by(const LayoutRule &rule) const {
    const auto n_parts = static_cast<int64_t>(topology_.local_parts().size());
    std::vector<PartLayout> layouts;
    layouts.reserve(n_parts);
    for (int64_t i = 0; i < n_parts; ++i) {
        const bool is_like_last = i > 0 && cells(i) == cells(i - 1) && !point_map(i) == !point_map(i - 1);
        layouts.push_back(is_like_last ? layouts.back() : layout_by(rule, i));
    }
    return layouts;
}

void Field::set_layout(const halo_layout_desc &desc) {
    const LayoutRule rule(desc);
    for (int d = topology_.has_cells() ? topology_.n_dims() : 0; d < 3; ++d)
        if (rule.ghosts.low[d] > 0 || rule.ghosts.high[d] > 0)
            fail(HALO_ERR_ARGUMENT, "field %s: a layout with ghosts of widths %d and %d in direction %d, where its topology has none",
                 spec_.name.c_str(), rule.ghosts.low[d], rule.ghosts.high[d], d);
    if (on_devices > 0) fail(HALO_BUSY, "field %s: parts have storage on a device: it lies as it did", spec_.name.c_str());
    if (in_flight > 0) fail(HALO_BUSY, "field %s: an exchange is in flight", spec_.name.c_str());
    for (int64_t i = 0; i < std::ssize(layouts_); ++i) require_unbound(i, "it lies as it did");
    layouts_ = layouts_by(rule);
    layout_rule_ = rule;
    layout_hash_ = 0;
}

void Field::require_unbound(int64_t local_index, const char *why) const {
    for (const auto &set : data_)
        if (set[local_index])
            fail(HALO_BUSY, "field %s, part %lld: storage is bound already: %s", spec_.name.c_str(),
                 static_cast<long long>(topology_.local_parts()[local_index]), why);
}

void Field::fail_as_too_large(int64_t gid) const {
    fail(HALO_ERR_LIMIT, "field %s, part %lld: its storage, of elements of %lld bytes, exceeds the %lld bytes that a part may have",
         spec_.name.c_str(), static_cast<long long>(gid), static_cast<long long>(spec_.element_bytes), static_cast<long long>(limits::storage_bytes));
}

// By which nothing is reached too: those of directions with one point, and of parts without any.
void Field::check_steps(int64_t gid, const PartLayout &layout) const {
    for (const int64_t step :
         { layout.first_owned, layout.stride[0], layout.stride[1], layout.stride[2], layout.component_stride, layout.place_stride }) {
        const __int128 bytes = static_cast<__int128>(step) * spec_.element_bytes;
        if (bytes > limits::storage_bytes || bytes < -limits::storage_bytes)
            fail(HALO_ERR_LIMIT,
                 "field %s, part %lld: a stride or first_owned of %lld elements of %lld bytes exceeds the %lld bytes that a part may have",
                 spec_.name.c_str(), static_cast<long long>(gid), static_cast<long long>(step), static_cast<long long>(spec_.element_bytes),
                 static_cast<long long>(limits::storage_bytes));
    }
}

// May a part have it now? Every cell and ghost of every component must lie inside the storage.
void Field::check_layout(int64_t gid, int64_t local_index, const PartLayout &layout) const {
    if (layout == layouts_[local_index]) return; // has been checked
    if (in_flight > 0)
        fail(HALO_BUSY, "field %s, part %lld: the layout cannot change while an exchange is in flight", spec_.name.c_str(),
             static_cast<long long>(gid));
    if (layout.elements < 0)
        fail(HALO_ERR_ARGUMENT, "field %s, part %lld: a layout of %lld elements", spec_.name.c_str(), static_cast<long long>(gid),
             static_cast<long long>(layout.elements));
    if (layout.elements > limits::storage_bytes / spec_.element_bytes) fail_as_too_large(gid);
    check_steps(gid, layout);
    const Extent stored = stored_points(local_index);
    const GhostWidths ghosts = stored_ghosts(local_index);
    if (stored[0] == 0) return; // a rank without points, or a part without values
    __int128 low = layout.first_owned;
    __int128 high = layout.first_owned;
    const auto reach = [&](int64_t stride, int64_t first, int64_t last) {
        const __int128 a = static_cast<__int128>(stride) * first;
        const __int128 b = static_cast<__int128>(stride) * last;
        low += a < b ? a : b;
        high += a < b ? b : a;
    };
    for (int d = 0; d < 3; ++d) reach(layout.stride[d], -ghosts.low[d], stored[d] - 1 + ghosts.high[d]);
    reach(layout.component_stride, 0, spec_.n_components - 1);
    reach(layout.place_stride, 0, std::ssize(spec_.places) - 1);
    if (low < 0 || high >= layout.elements)
        fail(HALO_ERR_BOUNDS, "field %s, part %lld: the layout reaches from element %lld to %lld, the storage has elements 0 to %lld",
             spec_.name.c_str(), static_cast<long long>(gid), static_cast<long long>(low), static_cast<long long>(high),
             static_cast<long long>(layout.elements - 1));
}

void Field::check_set(int32_t set) const {
    if (set < 0 || set >= spec_.n_sets)
        fail(HALO_ERR_ARGUMENT, "field %s: binding set %d does not exist; it has sets 0 to %d", spec_.name.c_str(), set, spec_.n_sets - 1);
}

// Storage may not change under a run; a part without storage may get some (arrivals).
void Field::require_free(int64_t local_index, int32_t set) const {
    if (in_flight > 0 && data_[set][local_index])
        fail(HALO_BUSY, "field %s, part %lld: an exchange is in flight", spec_.name.c_str(),
             static_cast<long long>(topology_.local_parts()[local_index]));
}

// Nor that which a peer uses, what is bound now or will be.
void Field::require_unleased(int64_t local_index, int32_t set, const void *data, const PartLayout &layout) const {
    OutstandingLeases &leases = topology_.context().leases();
    if (leases.empty()) return;
    const std::string what = format("field %s, part %lld", spec_.name.c_str(), static_cast<long long>(topology_.local_parts()[local_index]));
    leases.require_free(data_[set][local_index], storage_bytes(local_index), what);
    leases.require_free(data, bytes_of(layout), what);
}

void Field::require_one_space(int64_t local_index, int32_t set, Space space) const {
    const Space now = spaces_[static_cast<size_t>(set)];
    const int64_t n_others = n_bound_[static_cast<size_t>(set)] - (allocated(local_index, set) ? 1 : 0);
    if (space == now || n_others == 0) return;
    fail(HALO_ERR_ARGUMENT,
         "field %s, part %lld: storage in %s memory of device %d, but other parts of binding set %d have theirs in %s memory of device %d",
         spec_.name.c_str(), static_cast<long long>(topology_.local_parts()[local_index]), memory_name(space.memory), space.device, set,
         memory_name(now.memory), now.device);
}

void Field::bind_part(int64_t local_index, int32_t set, void *data, const PartLayout *layout, Space space) {
    require_free(local_index, set);
    const int64_t gid = topology_.local_parts()[local_index];
    if (layout) check_layout(gid, local_index, *layout);
    require_unleased(local_index, set, data, layout ? *layout : layouts_[local_index]);
    if (!data && !spec_.sparse && in_flight > 0)
        fail(HALO_BUSY, "field %s, part %lld: an exchange is in flight", spec_.name.c_str(), static_cast<long long>(gid));
    if (!data) require_controlled_free(local_index);
    const std::vector<Field *> given = data ? give_to_controlled(local_index) : std::vector<Field *>();
    try {
        if (layout) take_layout(local_index, set, *layout);
    } catch (...) {
        for (Field *one : given) one->take_back(local_index);
        throw;
    }
    hold(local_index, set, data);
    if (data) spaces_[static_cast<size_t>(set)] = space;
}

// A part has this storage from now on, in a set; null: none. Nothing forbids it.
void Field::hold(int64_t local_index, int32_t set, void *data) noexcept {
    of_another_layout_.erase({ set, local_index });
    n_bound_[static_cast<size_t>(set)] += (data ? 1 : 0) - (allocated(local_index, set) ? 1 : 0);
    data_[set][local_index] = data;
    if (!owned_.empty() && !owned_[local_index].empty()) owned_[local_index][set] = Buffer();
    if (!ages_.empty()) ages_[static_cast<size_t>(local_index)] = {};
    if (!data && !has_storage(local_index))
        for (Field *one : controlled_) one->take_back(local_index);
}

void Field::take_layout(int64_t local_index, int32_t set, const PartLayout &layout) {
    if (layout == layouts_[local_index]) return;
    for (int32_t other = 0; other < spec_.n_sets; ++other)
        if (other != set && allocated(local_index, other)) of_another_layout_.emplace(other, local_index);
    layouts_[local_index] = layout;
    layout_hash_ = 0;
}

void Field::refuse_another_layout(int32_t set) const {
    const auto first = of_another_layout_.lower_bound({ set, 0 });
    if (first == of_another_layout_.end() || first->first != set) return;
    fail(HALO_ERR_STATE, "field %s, part %lld: its layout was changed after its storage in set %d was bound: bind that again", spec_.name.c_str(),
         static_cast<long long>(topology_.local_parts()[first->second]), set);
}

// HALO_ERR_DEVICE: there is no such device. That of pinned memory is looked for if a binding names another than the first: a program may have pinned
// memory, and ordinals of 0, without a device of the library's.
Space Field::known_space(const halo_binding &binding) const {
    const Space space = space_of(binding.memory, binding.device);
    if (!binding.data) return space;
    Context &context = topology_.context();
    context.device_of(space);
    if (release_after_ > 0 && space.on_device())
        fail(HALO_ERR_ARGUMENT, "field %s: storage in %s memory, but the host alone looks at the values of fields with release_after",
             spec_.name.c_str(), memory_name(space.memory));
    if (binding.memory == HALO_MEMORY_PINNED && binding.device > 0 && !context.pools().has(HALO_MEMORY_PINNED, binding.device))
        context.devices().open(binding.device, context.pools());
    return space;
}

// Else it would be found out by a fault, or by values that are not there.
void Field::require_kind(int64_t local_index, const halo_binding &binding, const void *data, const PartLayout &layout) const {
    Context &context = topology_.context();
    if (!data || layout.elements == 0 || !context.devices().has_memory()) return;
    const std::string otherwise = context.devices().known_otherwise(data, binding.memory, binding.device, context.pools());
    if (otherwise.empty()) return;
    fail(HALO_ERR_ARGUMENT, "field %s, part %lld: %p is bound as %s, but device %s knows it as %s", spec_.name.c_str(),
         static_cast<long long>(topology_.local_parts()[local_index]), data, memory_text(binding.memory, binding.device).c_str(),
         context.devices().name(), otherwise.c_str());
}

void Field::bind(int64_t gid, const halo_binding &binding) {
    check_set(binding.set);
    require_own_storage();
    const int64_t index = topology_.require_local(gid);
    const Space space = known_space(binding);
    if (binding.data) require_one_space(index, binding.set, space);
    require_kind(index, binding, binding.data, binding.layout ? as_part_layout(*binding.layout) : layouts_[index]);
    const PartLayout layout = binding.layout ? as_part_layout(*binding.layout) : PartLayout();
    bind_part(index, binding.set, binding.data, binding.layout ? &layout : nullptr, space);
    if (binding.data) is_allocated_ = false;
}

void Field::bind_many(int64_t part_stride, const halo_binding &binding) {
    check_set(binding.set);
    if (!binding.data) fail(HALO_ERR_ARGUMENT, "field %s: bind_many wants storage", spec_.name.c_str());
    require_own_storage();
    const Space space = known_space(binding);
    const auto n_parts = static_cast<int64_t>(layouts_.size());
    if (part_stride < 0) fail(HALO_ERR_ARGUMENT, "field %s: part_stride is %lld", spec_.name.c_str(), static_cast<long long>(part_stride));
    const Checked last = Checked(part_stride) * std::max<int64_t>(n_parts - 1, 0);
    if (!(last * spec_.element_bytes).fits(limits::storage_bytes))
        fail(HALO_ERR_LIMIT, "field %s: part_stride %lld, of %lld parts, exceeds %lld bytes", spec_.name.c_str(), static_cast<long long>(part_stride),
             static_cast<long long>(n_parts), static_cast<long long>(limits::storage_bytes));
    for (int64_t i = 0; i < n_parts; ++i) {
        const PartLayout layout = binding.layout ? as_part_layout(*binding.layout) : layouts_[i];
        const int64_t gid = topology_.local_parts()[i];
        require_free(i, binding.set);
        check_layout(gid, i, layout);
        if (i + 1 < n_parts && part_stride < layout.elements)
            fail(HALO_ERR_BOUNDS, "field %s, part %lld: the part has %lld elements, part_stride is %lld: parts overlap", spec_.name.c_str(),
                 static_cast<long long>(gid), static_cast<long long>(layout.elements), static_cast<long long>(part_stride));
        const std::byte *const data = static_cast<const std::byte *>(binding.data) + i * part_stride * spec_.element_bytes;
        require_unleased(i, binding.set, data, layout);
        if (i == 0 || i + 1 == n_parts) require_kind(i, binding, data, layout); // both ends of one allocation
    }
    std::byte *base = static_cast<std::byte *>(binding.data);
    for (int64_t i = 0; i < n_parts; ++i) {
        const PartLayout layout = binding.layout ? as_part_layout(*binding.layout) : layouts_[i];
        bind_part(i, binding.set, base + i * part_stride * spec_.element_bytes, &layout, space);
    }
    is_allocated_ = false;
}

void Field::allocate(int64_t gid) {
    require_own_storage();
    if (gid >= 0) {
        allocate_part(topology_.require_local(gid), 0, spec_.n_sets);
    } else if (gid == -1) {
        for (size_t i = 0; i < layouts_.size(); ++i) allocate_part(static_cast<int64_t>(i), 0, spec_.n_sets);
        is_allocated_ = true;
    } else {
        fail(HALO_ERR_ARGUMENT, "field %s: gid %lld is no part; -1 means all", spec_.name.c_str(), static_cast<long long>(gid));
    }
}

// The storage begins where the first owned cell lies on as many bytes as the layout's rule says, 64 at least.
void Field::allocate_part(int64_t local_index, int32_t first_set, int32_t n_sets) {
    const PartLayout &layout = layouts_[local_index];
    const auto alignment = static_cast<size_t>(std::max<int64_t>(layout_rule_.alignment, Pool::alignment));
    const auto owned_at = static_cast<size_t>(layout.first_owned * spec_.element_bytes);
    const auto shift = [&](const Buffer &buffer) { return -(reinterpret_cast<uintptr_t>(buffer.data()) + owned_at) % alignment; };
    std::vector<Buffer> buffers;
    for (int32_t i = 0; i < n_sets; ++i) {
        require_free(local_index, first_set + i);
        require_unleased(local_index, first_set + i, nullptr, layout);
        require_one_space(local_index, first_set + i, host_space);
        buffers.push_back(topology_.context().storage(bytes_of(layout) + alignment - Pool::alignment + -owned_at % Pool::alignment));
    }
    owned_.resize(layouts_.size());
    owned_[local_index].resize(static_cast<size_t>(spec_.n_sets));
    for (int32_t i = 0; i < n_sets; ++i) {
        const int32_t set = first_set + i;
        bind_part(local_index, set, buffers[i].data() + shift(buffers[i]), nullptr);
        fill(local_index, data_[set][local_index], topology_.context().device(), HALO_STREAM_NONE);
        owned_[local_index][set] = std::move(buffers[i]);
    }
}

void Field::share_storage(int64_t local_index, const Field &other, int64_t of) {
    for (int32_t set = 0; set < spec_.n_sets; ++set) {
        void *const data = other.data(of, set);
        if (!data) continue;
        Buffer owned = other.owned_.empty() || other.owned_[of].empty() ? Buffer() : other.owned_[of][set];
        if (owned) {
            owned_.resize(layouts_.size());
            owned_[local_index].resize(static_cast<size_t>(spec_.n_sets));
        }
        require_one_space(local_index, set, other.space(set));
        bind_part(local_index, set, data, &other.layouts_[of], other.space(set));
        if (owned) owned_[local_index][set] = std::move(owned);
    }
    if (!ages_.empty() && !other.ages_.empty()) ages_[static_cast<size_t>(local_index)] = other.ages_[static_cast<size_t>(of)];
}

void Field::fill(int64_t local_index, void *data, const Device &device, halo_stream stream) const {
    const size_t unit = spec_.type == HALO_BYTES ? 1 : static_cast<size_t>(spec_.element_bytes);
    const int64_t n = layouts_[local_index].elements * (spec_.element_bytes / static_cast<int64_t>(unit));
    device.fill(data, fill_value_, unit, n, stream);
}

uint64_t Field::layout_hash() {
    if (layout_hash_ != 0) return layout_hash_;
    uint64_t hash = layouts_.size();
    const auto add = [&](int64_t value) { hash = Digest::mix(hash ^ static_cast<uint64_t>(value)) + 1; };
    for (const PartLayout &layout : layouts_) {
        add(layout.first_owned);
        add(layout.component_stride);
        add(layout.place_stride);
        for (const int64_t stride : layout.stride) add(stride);
    }
    for (const auto &map : maps_) add(map ? static_cast<int64_t>(map->hash()) : 0);
    return layout_hash_ = hash | 1;
}

namespace {

int64_t n_points(const Extent &cells, Centring place) { return points(cells[0], place, 0) * points(cells[1], place, 1) * points(cells[2], place, 2); }

} // namespace

int64_t Field::n_owned_points(int64_t local_index) const {
    int64_t n = 0;
    for (const Centring place : spec_.places) n += n_points(topology_.cells(local_index), place);
    return n;
}

void Field::mark_owned(int64_t local_index, uint8_t *mask) const {
    for (const Centring place : spec_.places) {
        const int64_t n = n_points(topology_.cells(local_index), place);
        topology_.mark_owned(local_index, place, { mask, static_cast<size_t>(n) });
        mask += n;
    }
}

std::vector<halo_boundary> Field::boundaries(int64_t gid) const {
    std::vector<halo_boundary> all;
    for (int32_t place = 0; place < std::ssize(spec_.places); ++place)
        for (halo_boundary boundary : topology_.boundaries(gid, spec_.ghosts, spec_.places[place])) {
            boundary.place = place;
            all.push_back(boundary);
        }
    return all;
}

} // namespace halo
