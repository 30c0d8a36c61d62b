// SPDX-License-Identifier: BSD-3-Clause
// Storage of a field over boxes on one rank, and what every byte of it should be.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "box_case.h"
#include "placed.h"
#include "ranks.h"

namespace conformance {

// What a copy of a point holds at a time: the same wherever it is asked.
struct BoxValue {
    int64_t field = 0;
    int64_t gid = 0;
    int32_t place = 0;
    int32_t component = 0;
    Triple at{};
    int64_t time = 0;
};
void make_value(const BoxField &field, const BoxValue &value, std::byte *into);

// into = into op other.
void combine_values(const BoxField &field, halo_op op, std::byte *into, const std::byte *other);
// HALO_COMBINE_CANONICAL: sorted by value, sums of complex values part by part. HALO_SUM or HALO_PROD.
using AnyValue = std::array<std::byte, 16>;
AnyValue combine_by_value(const BoxField &field, halo_op op, std::vector<AnyValue> values);
// HALO_USER in all tests: it tells the order of its operands.
halo_status combine_by_user(void *user, void *values, const void *contributions, int64_t n, halo_type type, int64_t element_bytes);

class BoxStores {
public:
    BoxStores(halo_topology *topology, const BoxModel &model, int32_t rank, const BoxField &field, int64_t number, bool vector = false);
    BoxStores(const BoxStores &) = delete;
    BoxStores &operator=(const BoxStores &) = delete;
    void destroy();

    halo_field *handle() const { return handle_; }
    const BoxField &field() const { return field_; }
    int64_t number() const { return number_; }
    const std::vector<int64_t> &gids() const { return gids_; }

    // Every point of every part gets the value of the time; that is then expected too.
    void fill(int64_t time);
    // Owned points alone, or ghosts alone, in storage and expectation.
    void overwrite(bool owned, int64_t time);
    std::byte *element(int64_t gid, int32_t place, int32_t component, const Triple &at) { return find(gid, place, component, at, false); }
    std::byte *expected(int64_t gid, int32_t place, int32_t component, const Triple &at) { return find(gid, place, component, at, true); }
    bool is_local(int64_t gid) const;
    // What `element` has written, and what it is to read: on the host the same memory.
    void upload();
    void download();

    // Empty, or the first byte that is not as it should be.
    std::string first_difference();

    template <class Visit>
    void for_each_element(Visit &&visit) const {
        const std::vector<int32_t> places = field_.places(model_.n_dims);
        for (const int64_t gid : gids_)
            for (int32_t place = 0; place < std::ssize(places); ++place)
                for (int32_t component = 0; component < field_.n_components; ++component)
                    for_each_point(model_.points(gid, places[static_cast<size_t>(place)]), field_.ghosts,
                                   [&](const Triple &at) { visit(gid, place, component, at); });
    }

private:
    struct Store {
        halo_layout layout = HALO_LAYOUT_INIT;
        std::vector<int64_t> positions; // of points that are mapped, with ghosts, x fastest
        Bytes memory;                   // with guard bytes on both sides
        std::vector<std::byte> expected;
    };
    Triple most_points(int64_t gid) const;
    std::vector<int64_t> make_map(int64_t gid) const;
    int64_t position(const Store &store, int64_t gid, const Triple &at) const;
    halo_layout make_layout(int64_t gid) const;
    halo_layout aligned_layout(int64_t gid) const;
    std::byte *find(int64_t gid, int32_t place, int32_t component, const Triple &at, bool expected);

    const BoxModel &model_;
    BoxField field_;
    int64_t number_;
    std::vector<int64_t> gids_;
    std::vector<Store> stores_;
    halo_field *handle_ = nullptr;
};

} // namespace conformance
