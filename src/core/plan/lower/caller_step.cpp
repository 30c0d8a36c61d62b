// SPDX-License-Identifier: BSD-3-Clause
#include "plan/lower/caller_step.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

#include "plan/message_order.h"

namespace halo {

namespace {

// Of one component, in the caller's storage or beside it.
struct Points {
    std::byte *first;
    std::array<int64_t, 4> stride;
    const uint32_t *list;
};

// Lines along x that need not be brought together.
bool is_in_lines(const BoxCopy &box) {
    constexpr uint32_t long_line = 16;
    const bool side_by_side = !box.src_list && !box.dst_list && box.src_stride[0] == box.element_bytes && box.dst_stride[0] == box.element_bytes;
    return side_by_side && (box.n[0] >= long_line || (box.n[1] == 1 && box.n[2] == 1));
}

int64_t n_together(const BoxCopy &box) { return int64_t{ box.n[0] } * box.n[1] * box.n[2]; }

// Calls visit(point) for all, x fastest.
template <class Visit>
void for_each(const BoxCopy &box, const Points &points, Visit &&visit) {
    for (int64_t z = 0; z < box.n[2]; ++z)
        for (int64_t y = 0; y < box.n[1]; ++y)
            for (int64_t x = 0; x < box.n[0]; ++x)
                visit(points.first + (points.list ? points.list[x] : x) * points.stride[0] + y * points.stride[1] + z * points.stride[2]);
}

void bring_together(const BoxCopy &box, const Points &points, std::byte *into) {
    for_each(box, points, [&, to = into](const std::byte *point) mutable {
        std::memcpy(to, point, box.element_bytes);
        to += box.element_bytes;
    });
}

void bring_back(const BoxCopy &box, const std::byte *from, const Points &points) {
    for_each(box, points, [&, next = from](std::byte *point) mutable {
        std::memcpy(point, next, box.element_bytes);
        next += box.element_bytes;
    });
}

} // namespace

std::vector<uint32_t> ends_before_repeats(std::span<const uint32_t> points) {
    std::vector<uint32_t> ends;
    std::unordered_map<uint32_t, uint32_t> run_of; // the last one, of each point
    for (uint32_t i = 0; i < points.size(); ++i) {
        const auto run = static_cast<uint32_t>(ends.size());
        const auto [known, is_new] = run_of.try_emplace(points[i], run);
        if (!is_new && known->second == run) ends.push_back(i);
        known->second = static_cast<uint32_t>(ends.size());
    }
    ends.push_back(static_cast<uint32_t>(points.size()));
    return ends;
}

void CallerStep::add(const BoxCopy &box) {
    const std::vector<uint32_t> ends = box.dst_list ? ends_before_repeats({ box.dst_list, box.n[0] }) : std::vector<uint32_t>{ box.n[0] };
    uint32_t begin = 0;
    for (const uint32_t end : ends) {
        BoxCopy some = box;
        some.n[0] = end - begin;
        if (box.dst_list)
            some.dst_list += begin;
        else
            some.dst_offset += begin * box.dst_stride[0];
        if (box.src_list)
            some.src_list += begin;
        else
            some.src_offset += begin * box.src_stride[0];
        begin = end;
        if (n_together(some) == 0) continue;
        if (!is_in_lines(some)) most_bytes_ = std::max(most_bytes_, align_up(n_together(some) * some.element_bytes, 16));
        boxes_.push_back(some);
    }
}

CallerStep::Outcome CallerStep::run(halo_combine_fn combine, void *user, halo_type type, std::span<void *const> bases,
                                    std::span<std::byte> scratch) const {
    std::byte *const values = scratch.data(), *const contributions = values + most_bytes_;
    for (const BoxCopy &box : boxes_)
        for (int64_t c = 0; c < box.n[3]; ++c) {
            const Points to{ static_cast<std::byte *>(bases[box.dst_base]) + box.dst_offset + c * box.dst_stride[3], box.dst_stride, box.dst_list };
            const Points from{ static_cast<std::byte *>(bases[box.src_base]) + box.src_offset + c * box.src_stride[3], box.src_stride, box.src_list };
            halo_status status = HALO_SUCCESS;
            if (is_in_lines(box)) {
                for (int64_t z = 0; z < box.n[2]; ++z)
                    for (int64_t y = 0; y < box.n[1] && status == HALO_SUCCESS; ++y)
                        status = combine(user, to.first + y * to.stride[1] + z * to.stride[2], from.first + y * from.stride[1] + z * from.stride[2],
                                         box.n[0], type, box.element_bytes);
            } else {
                bring_together(box, to, values);
                bring_together(box, from, contributions);
                status = combine(user, values, contributions, n_together(box), type, box.element_bytes);
                bring_back(box, values, to);
            }
            if (status != HALO_SUCCESS) return { status, box.dst_base };
        }
    return {};
}

} // namespace halo
