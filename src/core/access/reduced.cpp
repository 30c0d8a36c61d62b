// SPDX-License-Identifier: BSD-3-Clause
#include "access/reduced.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "base/combine.h"
#include "base/digest.h"
#include "base/limits.h"

namespace halo {

namespace {

bool is_located(halo_op op) { return op == HALO_MINLOC || op == HALO_MAXLOC; }

bool can_be_reduced(halo_type type, halo_op op) { return combines(type, is_located(op) ? HALO_MIN : op); }

Reduced describe(const halo_reduction_item &given, const std::string &name) {
    if (given.n < 0) fail(HALO_ERR_ARGUMENT, "%s: n is %lld", name.c_str(), static_cast<long long>(given.n));
    if (given.op == HALO_USER) {
        if (!given.combine) fail(HALO_ERR_ARGUMENT, "%s: HALO_USER without a function `combine`", name.c_str());
    } else if (!can_be_reduced(given.type, given.op)) {
        check_combines(given.type, given.op, name.c_str());
    }
    return { given.n, element_size(given.type, given.element_bytes, name.c_str()), given.type, given.op };
}

} // namespace

std::string Reduced::text() const {
    const std::string of = type == HALO_BYTES ? format("%lld bytes", static_cast<long long>(element_bytes)) : type_name(type);
    return format("%lld values of %s by %s", static_cast<long long>(n), of.c_str(), op_name(op));
}

ReducedItems::ReducedItems(std::span<const halo_reduction_item> items) {
    for (size_t i = 0; i < items.size(); ++i) add(items[i], items.size() == 1 ? "reduction" : format("reduction, item %zu", i));
    require_apart();
    checksum_ = halo::checksum(described_.data(), described_bytes());
}

void ReducedItems::add(const halo_reduction_item &given, const std::string &name) {
    const Reduced what = describe(given, name);
    (Checked(given.n) * what.element_bytes).value((name + ": the bytes of n values").c_str(), limits::reduced_bytes);
    Item item{ end_, end_, given.combine, given.user };
    if (what.n > 0) {
        item.values = place(given.offset, what.bytes(), given.type == HALO_BYTES ? 16 : 8, name + ": offset");
        if (is_located(given.op)) item.indices = place(given.index_offset, static_cast<size_t>(what.n) * sizeof(int64_t), 8, name + ": index_offset");
    }
    check_bytes_limit((name + ": the bytes of the values so far,").c_str(), end_ - head_bytes, limits::reduced_bytes);
    described_.push_back(what);
    items_.push_back(item);
}

size_t ReducedItems::place(int64_t offset, size_t bytes, size_t alignment, const std::string &name) {
    if (offset < 0) fail(HALO_ERR_ARGUMENT, "%s is %lld", name.c_str(), static_cast<long long>(offset));
    check_limit(name.c_str(), offset, limits::storage_bytes);
    const size_t at = (end_ + alignment - 1) / alignment * alignment;
    blocks_.push_back({ offset, at, bytes, items_.size() });
    end_ = at + bytes;
    return at;
}

void ReducedItems::require_apart() {
    std::ranges::sort(blocks_, {}, &Block::offset);
    for (size_t i = 1; i < blocks_.size(); ++i) {
        const Block &before = blocks_[i - 1], &block = blocks_[i];
        if (block.offset < before.offset + static_cast<int64_t>(before.bytes))
            fail(HALO_ERR_ARGUMENT, "reduction: at byte %lld lie values or indices of item %zu, and of item %zu",
                 static_cast<long long>(block.offset), std::min(before.item, block.item), std::max(before.item, block.item));
    }
}

std::string ReducedItems::text() const { return described_.size() == 1 ? described_[0].text() : format("%zu items", described_.size()); }

void ReducedItems::read(const void *in, std::byte *message) const {
    for (const Block &block : blocks_) std::memcpy(message + block.at, static_cast<const std::byte *>(in) + block.offset, block.bytes);
}

void ReducedItems::write(const std::byte *message, void *out) const {
    for (const Block &block : blocks_) std::memcpy(static_cast<std::byte *>(out) + block.offset, message + block.at, block.bytes);
}

halo_status ReducedItems::combine(int64_t number, std::byte *message, const std::byte *more, CallRules &rules) const {
    const Reduced &what = described_[static_cast<size_t>(number)];
    const Item &item = items_[static_cast<size_t>(number)];
    if (what.n == 0) return HALO_SUCCESS;
    std::byte *values = message + item.values;
    const std::byte *more_values = more + item.values;
    if (what.op == HALO_USER) {
        const CallRules::Callback inside(rules, Inside::callback, "combine");
        return item.combine(item.user, values, more_values, what.n, what.type, what.element_bytes);
    }
    if (is_located(what.op))
        combine_located(values, message + item.indices, more_values, more + item.indices, what.n, what.type, what.op);
    else
        halo::combine(values, more_values, what.n, what.type, what.op);
    return HALO_SUCCESS;
}

} // namespace halo
