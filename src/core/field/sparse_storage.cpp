// SPDX-License-Identifier: BSD-3-Clause
// Which parts of sparse fields have storage: those of a controller and what it controls together; those that have been small for long enough lose it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "base/types.h"
#include "field/field.h"

namespace halo {

namespace {

double half_value(halo_type type, uint16_t bits) {
    if (type == HALO_BFLOAT16) return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
    const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    if (exponent == 0x1f) return fraction == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
    return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(0x400 + fraction, exponent - 25); // of its size
}

// As null regions are found (halo_null_test): NaN is not.
template <class Number>
bool is_below(Number value, double bound) {
    if constexpr (std::is_integral_v<Number>) {
        if (bound == 0) return value == 0;
        const auto size = value < 0 ? -static_cast<long double>(value) : static_cast<long double>(value); // all integers are exact
        return size < static_cast<long double>(bound);
    } else if constexpr (std::is_floating_point_v<Number>) {
        return bound == 0 ? value == 0 : std::fabs(static_cast<double>(value)) < bound;
    } else {
        return is_below(value.real(), bound) && is_below(value.imag(), bound);
    }
}

} // namespace

void Field::check_sparse(const halo_field_desc &desc, const char *name) const {
    if (!desc.sparse) {
        if (desc.release_after != 0 || desc.controller)
            fail(HALO_ERR_ARGUMENT, "field %s: %s is for sparse fields", name, desc.controller ? "a controller" : "release_after");
        return;
    }
    if (desc.type == HALO_BYTES) fail(HALO_ERR_ARGUMENT, "field %s: a sparse field needs a type with values, not HALO_BYTES", name);
    if (!(desc.threshold >= 0)) fail(HALO_ERR_ARGUMENT, "field %s: threshold %g must be 0 or more", name, desc.threshold);
    if (desc.release_after < 0)
        fail(HALO_ERR_ARGUMENT, "field %s: release_after is %lld, it must be 0 or more", name, static_cast<long long>(desc.release_after));
    if (!(desc.release_below >= 0)) fail(HALO_ERR_ARGUMENT, "field %s: release_below %g must be 0 or more", name, desc.release_below);
    if (desc.controller && desc.release_after > 0)
        fail(HALO_ERR_ARGUMENT, "field %s: release_after %lld, but its storage goes back with that of its controller %s", name,
             static_cast<long long>(desc.release_after), desc.controller);
}

// Null: it has none.
Field *Field::find_controller(const halo_field_desc &desc) const {
    if (!desc.controller) return nullptr;
    const char *const name = desc.name ? desc.name : "(no name)";
    const auto found = topology_.fields.find(desc.controller);
    if (found == topology_.fields.end())
        fail(HALO_ERR_NOT_FOUND, "field %s: its topology has no field %s to be its controller", name, desc.controller);
    Field &controller = *found->second;
    if (!controller.spec().sparse) fail(HALO_ERR_ARGUMENT, "field %s: its controller %s is not sparse", name, desc.controller);
    if (controller.controller_)
        fail(HALO_ERR_ARGUMENT, "field %s: its controller %s has itself a controller, %s", name, desc.controller,
             controller.controller_->spec().name.c_str());
    return &controller;
}

// As this field is made: it gets storage where that one has some. Then nothing that may fail is left to do for its being controlled.
void Field::join_storage_of(Field &controller) {
    for (int64_t part = 0; part < std::ssize(layouts_); ++part)
        if (controller.has_storage(part)) allocate_part(part, 0, spec_.n_sets);
    controller.controlled_.reserve(controller.controlled_.size() + 1);
}

void Field::require_own_storage() const {
    if (controller_)
        fail(HALO_ERR_STATE, "field %s: it has storage where its controller %s has: allocate or bind that one", spec_.name.c_str(),
             controller_->spec().name.c_str());
}

std::string Field::names_of_controlled() const {
    std::string names;
    for (const Field *one : controlled_) names += (names.empty() ? "" : ", ") + one->spec().name;
    return names;
}

bool Field::has_storage(int64_t local_index) const {
    return std::any_of(data_.begin(), data_.end(), [&](const std::vector<void *> &set) { return set[static_cast<size_t>(local_index)] != nullptr; });
}

void Field::release(int64_t local_index) {
    for (int32_t set = 0; set < spec_.n_sets; ++set)
        if (allocated(local_index, set)) bind_part(local_index, set, nullptr, nullptr);
}

// Before a part of this field loses storage, theirs perhaps with it.
void Field::require_controlled_free(int64_t local_index) const {
    for (const Field *one : controlled_)
        for (int32_t set = 0; set < one->spec_.n_sets; ++set) {
            one->require_free(local_index, set);
            one->require_unleased(local_index, set, nullptr, one->layouts_[local_index]);
        }
}

// Before a part of this field is given storage. Returns those that had none.
std::vector<Field *> Field::give_to_controlled(int64_t local_index) {
    std::vector<Field *> given;
    given.reserve(controlled_.size());
    try {
        for (Field *one : controlled_) {
            if (one->has_storage(local_index)) continue;
            given.push_back(one); // some of its sets may get storage before another fails
            one->allocate_part(local_index, 0, one->spec_.n_sets);
        }
    } catch (...) {
        for (Field *one : given) one->take_back(local_index);
        throw;
    }
    return given;
}

// Storage in all sets that a controller gave, whatever a run of another field does.
void Field::take_back(int64_t local_index) noexcept {
    for (int32_t set = 0; set < spec_.n_sets; ++set) hold(local_index, set, nullptr);
}

// Owned values, or those of all points where they are no cells.
bool Field::are_small(int64_t local_index, const std::byte *data) const {
    const PartLayout &layout = layouts_[local_index];
    const Extent cells = this->cells(local_index);
    const auto all_below = [&](auto &&is_below_at) {
        for (size_t place = 0; place < spec_.places.size(); ++place) {
            const Centring centring = point_map(local_index) ? HALO_CENTRE_CELL : spec_.places[place]; // positions are as many as all have
            for (int64_t c = 0; c < spec_.n_components; ++c)
                for (int64_t z = 0; z < points(cells[2], centring, 2); ++z)
                    for (int64_t y = 0; y < points(cells[1], centring, 1); ++y) {
                        const int64_t row = layout.first_owned + static_cast<int64_t>(place) * layout.place_stride + c * layout.component_stride +
                                            z * layout.stride[2] + y * layout.stride[1];
                        for (int64_t x = 0; x < points(cells[0], centring, 0); ++x)
                            if (!is_below_at(data + (row + x * layout.stride[0]) * spec_.element_bytes)) return false;
                    }
        }
        return true;
    };
    const double bound = release_below_;
    if (is_half(spec_.type))
        return all_below([&](const std::byte *at) {
            uint16_t bits;
            std::memcpy(&bits, at, sizeof bits);
            return is_below(half_value(spec_.type, bits & 0x7fff), bound);
        });
    bool small = false;
    with_type(spec_.type, [&](auto value) {
        small = all_below([&](const std::byte *at) {
            std::memcpy(&value, at, sizeof value);
            return is_below(value, bound);
        });
    });
    return small;
}

bool Field::is_small(int64_t local_index) const {
    return std::all_of(data_.begin(), data_.end(), [&](const std::vector<void *> &set) {
        const void *const data = set[static_cast<size_t>(local_index)];
        return !data || are_small(local_index, static_cast<const std::byte *>(data));
    });
}

// Storage that a peer was using when it stopped stays until that is over.
bool Field::begin_run_by_age() {
    if (in_flight > 0 || std::any_of(controlled_.begin(), controlled_.end(), [](const Field *one) { return one->in_flight > 0; })) return false;
    for (int64_t part = 0; part < std::ssize(ages_); ++part) {
        Age &age = ages_[static_cast<size_t>(part)];
        age.is_small = has_storage(part) && is_small(part);
        if (age.is_small && !age.has_heard && age.runs >= release_after_ && topology_.context().leases().empty()) release(part);
    }
    return true;
}

void Field::end_run_by_age() {
    for (Age &age : ages_) {
        age.runs = age.is_small && !age.has_heard ? age.runs + 1 : 0;
        age.has_heard = false;
    }
}

} // namespace halo
