// SPDX-License-Identifier: BSD-3-Clause
#include "plan/lower/copy_rows.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace halo {

namespace {

// Boxes may share rows when they fill the same (y, z, component) range of one destination in the same way.
auto row_group(const BoxCopy &box) {
    return std::tie(box.dst_base, box.group, box.negate, box.src_list, box.dst_list, box.place[3], box.place[2], box.n[2], box.place[1], box.n[1],
                    box.n[3], box.element_bytes, box.dst_stride);
}

// As sorted, boxes that may share rows follow each other, and rows go up in memory. Boxes of one part in the order of messages are sorted.
bool in_row_order(const BoxCopy &a, const BoxCopy &b) {
    const auto left = row_group(a);
    const auto right = row_group(b);
    return left != right ? left < right : a.place[0] < b.place[0];
}

uint64_t hash_of(const halo_copy_shape &shape) {
    static_assert(sizeof shape % sizeof(uint64_t) == 0);
    std::array<uint64_t, sizeof shape / sizeof(uint64_t)> words;
    std::memcpy(words.data(), &shape, sizeof shape);
    uint64_t hash = 14695981039346656037u;
    for (const uint64_t word : words) {
        hash = (hash ^ word) * 1099511628211u;
        hash ^= hash >> 32;
    }
    return hash;
}

} // namespace

int64_t CopyRows::add(const BoxCopy &box) {
    add_row(&box, 1);
    return size() - 1;
}

void CopyRows::add_runs(const BoxCopy &box) {
    constexpr size_t long_run = 32; // points, on average: then no list is read
    if (box.n[0] == 0) return;
    std::vector<uint32_t> begins;
    for (uint32_t i = 0; i < box.n[0]; ++i)
        if (i == 0 || (box.src_list && box.src_list[i] != box.src_list[i - 1] + 1) || (box.dst_list && box.dst_list[i] != box.dst_list[i - 1] + 1))
            begins.push_back(i);
    if ((!box.src_list && !box.dst_list) || begins.size() * long_run > box.n[0]) return add_row(&box, 1);
    for (size_t r = 0; r < begins.size(); ++r) {
        const uint32_t begin = begins[r];
        BoxCopy run = box;
        run.n[0] = (r + 1 < begins.size() ? begins[r + 1] : box.n[0]) - begin;
        run.src_list = run.dst_list = nullptr;
        run.src_offset += box.src_stride[0] * (box.src_list ? box.src_list[begin] : begin);
        run.dst_offset += box.dst_stride[0] * (box.dst_list ? box.dst_list[begin] : begin);
        add_row(&run, 1);
    }
}

int64_t CopyRows::add_fused(std::vector<BoxCopy> boxes) {
    const int64_t first = size();
    std::erase_if(boxes, [](const BoxCopy &box) { return box.n[0] == 0; });
    if (!std::is_sorted(boxes.begin(), boxes.end(), in_row_order)) std::sort(boxes.begin(), boxes.end(), in_row_order);
    for (size_t i = 0; i < boxes.size();) {
        size_t end = i + 1;
        const bool listed = boxes[i].src_list || boxes[i].dst_list;
        while (!listed && end < boxes.size() && end - i < HALO_COPY_PIECES && row_group(boxes[end]) == row_group(boxes[i])) ++end;
        if (listed)
            add_runs(boxes[i]);
        else
            add_row(&boxes[i], static_cast<uint32_t>(end - i));
        i = end;
    }
    return first;
}

void CopyRows::repeat(int64_t first, int64_t n, uint32_t dst_base, const std::vector<uint32_t> &src_bases) {
    auto src_base = src_bases.begin();
    for (int64_t i = first; i < first + n; ++i) {
        halo_copy_row row = rows_[static_cast<size_t>(i)];
        row.dst_base = dst_base;
        for (uint32_t p = 0; p < shapes_[row.shape].n_pieces; ++p) row.src_base[p] = *src_base++;
        rows_.push_back(row);
    }
}

void CopyRows::add_row(const BoxCopy *boxes, uint32_t n) {
    halo_copy_shape shape{};
    halo_copy_row row{};
    const BoxCopy &first = boxes[0];
    shape.n_pieces = n;
    shape.element_bytes = first.element_bytes;
    shape.dst_step = first.dst_stride[0];
    for (int d = 0; d < 3; ++d) {
        shape.n[d] = first.n[d + 1];
        shape.dst_stride[d] = first.dst_stride[d + 1];
    }
    shape.negate = first.negate;
    if (first.src_list) {
        shape.lists |= HALO_LIST_SOURCE;
        row.src_offset[1] = list_start(first.src_list, first.n[0]);
    }
    if (first.dst_list) {
        shape.lists |= HALO_LIST_DESTINATION;
        row.src_offset[2] = list_start(first.dst_list, first.n[0]);
    }
    row.dst_base = first.dst_base;
    row.dst_offset = first.dst_offset;
    for (uint32_t i = 0; i < n; ++i) {
        shape.run[i] = boxes[i].n[0];
        shape.dst_shift[i] = boxes[i].dst_offset - first.dst_offset;
        shape.src_step[i] = boxes[i].src_stride[0];
        std::copy_n(boxes[i].src_stride.begin() + 1, 3, shape.src_stride[i]);
        row.src_base[i] = boxes[i].src_base;
        row.src_offset[i] = boxes[i].src_offset;
    }
    row.shape = shape_number(shape);
    rows_.push_back(row);
}

// Parts that are alike have the same shapes in the same order, so the one that came after the last one before is looked at first.
uint32_t CopyRows::shape_number(const halo_copy_shape &shape) {
    if (!shapes_.empty() && is_shape(following_[last_], shape)) return last_ = following_[last_];
    const uint32_t number = known_or_new(shape);
    following_[last_] = number;
    return last_ = number;
}

bool CopyRows::is_shape(uint32_t number, const halo_copy_shape &shape) const { return std::memcmp(&shapes_[number], &shape, sizeof shape) == 0; }

uint32_t CopyRows::known_or_new(const halo_copy_shape &shape) {
    const uint64_t hash = hash_of(shape);
    const auto [begin, end] = numbers_.equal_range(hash);
    for (auto known = begin; known != end; ++known)
        if (is_shape(known->second, shape)) return known->second;
    const auto number = static_cast<uint32_t>(shapes_.size());
    shapes_.push_back(shape);
    following_.push_back(number);
    numbers_.emplace(hash, number);
    return number;
}

int64_t CopyRows::list_start(const uint32_t *list, uint32_t n) {
    List &known = lists_[list];
    if (known.n < n) {
        known = { std::ssize(indices_), n };
        indices_.insert(indices_.end(), list, list + n);
    }
    return known.start;
}

halo_copy_program CopyRows::program() const {
    return { sizeof(halo_copy_program), shapes_.data(), std::ssize(shapes_), rows_.data(), std::ssize(rows_), indices_.data(), std::ssize(indices_) };
}

} // namespace halo
