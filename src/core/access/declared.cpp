// SPDX-License-Identifier: BSD-3-Clause
#include "access/declared.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/config.h"
#include "base/digest.h"
#include "field/value_name.h"

namespace halo {

namespace {

bool belong_to(uint32_t groups, uint32_t sections) { return sections == all_sections || (groups & sections) != 0; }

// What a loop does with ghosts of these groups.
bool changes_ghosts(const Use &use, uint32_t groups) { return use.scratch || (use.to_ghosts && belong_to(groups, use.added)); }
bool reads_ghosts(const Use &use, uint32_t groups) { return belong_to(groups, use.ghosts); }
bool is_hidden(const Use &use, uint32_t groups) { return !reads_ghosts(use, groups) && !changes_ghosts(use, groups); }
// Poison to which something is added is the same poison: ghosts that are hidden from loops that add hold a number of these bytes.
constexpr unsigned char added_to = 0x3f;
bool overwrites(const Use &use) { return use.writes && !use.reads; }

} // namespace

DeclaredAccess::DeclaredAccess(Field &field, int32_t set, const Mirror &mirror)
    : field_(field),
      set_(set),
      mirror_(mirror),
      poison_(field.spec(), field.ordinal(), field.topology().context().config().integer("check.seed")) {}

std::string DeclaredAccess::name() const { return field_.spec().name + (field_.spec().n_sets > 1 ? format(" (set %d)", set_) : ""); }

std::byte *DeclaredAccess::storage(const Part &part) const { return static_cast<std::byte *>(mirror_.data(&part - parts_.data(), HALO_ON_HOST)); }

// Those that have been kept.
template <class Visit>
void DeclaredAccess::for_each_part(Visit &&visit) {
    for (Part &part : parts_)
        if (is_same(part)) visit(part);
}

void DeclaredAccess::prepare(bool here) {
    if (n_open_ > 0) { // both read
        if (std::exchange(alone_, false)) give_back_all(opened_);
        return;
    }
    if (!here) return;
    find_runs();
    for (Part &part : parts_)
        if (storage(part)) part.kept.resize(field_.storage_bytes(&part - parts_.data()));
}

void DeclaredAccess::find_runs() {
    const auto n_parts = static_cast<int64_t>(field_.topology().local_parts().size());
    const uint64_t layout = field_.layout_hash();
    if (layout == layout_) return;
    std::vector<Part> parts(static_cast<size_t>(n_parts));
    for (int64_t i = 0; i < n_parts; ++i) {
        Part &part = parts[static_cast<size_t>(i)];
        part.owned = section_runs(field_, i).owned;
        part.ghosts = filled_ghosts(field_, i);
    }
    parts_ = std::move(parts);
    layout_ = layout;
    knows_left_ = false;
}

// ---- begin

std::optional<Error> DeclaredAccess::changed_outside() const {
    if (!knows_left_ || n_open_ > 0 || field_.layout_hash() != layout_) return std::nullopt;
    for (const Part &part : parts_)
        if (storage(part) && hash_of_owned(part) != part.left)
            return Error(HALO_ERR_CHECK, format("field %s, part %lld: owned values have been changed since the last loop, and not been marked dirty "
                                                "(halo_access_mark_dirty)",
                                                name().c_str(), gid(part)));
    return std::nullopt;
}

void DeclaredAccess::open(const Use &use, bool here) noexcept {
    if (n_open_++ > 0) return;
    kept_ = alone_ = here;
    opened_ = use;
    if (!here && use.changes()) owned_change();
    if (!here) return;
    for (Part &part : parts_) {
        part.storage = storage(part);
        if (!part.storage) continue;
        std::memcpy(part.kept.data(), part.storage, part.kept.size());
        if (overwrites(use)) poison(part.owned, part.storage);
        hide(use, part);
    }
}

void DeclaredAccess::hide(const Use &use, const Part &part) const {
    for (const auto &[groups, runs] : part.ghosts)
        if (!is_hidden(use, groups))
            continue;
        else if (use.adds == 0)
            poison(runs, part.storage);
        else
            for (const ByteRun &run : runs) std::memset(part.storage + run.offset, added_to, static_cast<size_t>(run.bytes));
}

void DeclaredAccess::show(const Use &use, const Part &part) {
    for (const auto &[groups, runs] : part.ghosts) {
        if (!is_hidden(use, groups)) continue;
        require_hidden(use, runs, part);
        give_back(runs, part);
    }
}

void DeclaredAccess::arriving(const Use &use) {
    if (alone_) for_each_part([&](Part &part) { show(use, part); });
}

void DeclaredAccess::arrived(const Use &use) noexcept {
    if (!kept_) return;
    for_each_part([&](Part &part) {
        for (const auto &[groups, runs] : part.ghosts)
            if (!changes_ghosts(use, groups))
                for (const ByteRun &run : runs) std::memcpy(part.kept.data() + run.offset, part.storage + run.offset, static_cast<size_t>(run.bytes));
        if (alone_) hide(use, part);
    });
}

void DeclaredAccess::poison(const ByteRuns &runs, std::byte *storage) const {
    const int64_t unit = field_.spec().element_bytes;
    for (const ByteRun &run : runs)
        for (int64_t at = run.offset; at < run.offset + run.bytes; at += unit) poison_.store(at / unit, storage + at, unit);
}

// ---- end

void DeclaredAccess::close(const Use &use, uint32_t fresh, NameOrigin name_origin) {
    --n_open_;
    if (!kept_) return;
    for_each_part([&](Part &part) {
        if (!use.changes()) require_kept(part.owned, part, "was changed by a loop that does not say so");
        if (overwrites(use))
            give_back_poisoned(part, [&](int64_t element) {
                if (use.whole) find(part, element, "was not written by a loop that writes `whole`");
            });
        if (alone_) look_at_ghosts(use, part);
        if (!use.changes() || !can_be_poison(field_.spec())) return;
        require_clean(part.owned, part, name_origin);
        for (const auto &[groups, runs] : part.ghosts)
            if (use.to_ghosts && belong_to(groups, use.added)) require_clean(runs, part, name_origin);
    });
    if (n_open_ > 0) return;
    for_each_part([&](Part &part) {
        for (const auto &[groups, runs] : part.ghosts)
            if (use.changes() && !use.to_ghosts && !belong_to(groups, fresh)) poison(runs, part.storage);
        part.left = hash_of_owned(part);
    });
    knows_left_ = std::all_of(parts_.begin(), parts_.end(), [&](const Part &part) { return !storage(part) || is_same(part); });
}

void DeclaredAccess::look_at_ghosts(const Use &use, const Part &part) {
    show(use, part);
    for (const auto &[groups, runs] : part.ghosts)
        if (reads_ghosts(use, groups) && !changes_ghosts(use, groups)) require_kept(runs, part, "a ghost, was changed by a loop that only reads it");
}

void DeclaredAccess::give_back(const ByteRuns &runs, const Part &part) {
    for (const ByteRun &run : runs) std::memcpy(part.storage + run.offset, part.kept.data() + run.offset, static_cast<size_t>(run.bytes));
}

// Owned values that are as open has left them: visit(element).
template <class Visit>
void DeclaredAccess::give_back_poisoned(const Part &part, Visit &&visit) const {
    const int64_t unit = field_.spec().element_bytes;
    for (const ByteRun &run : part.owned)
        for (int64_t at = run.offset; at < run.offset + run.bytes; at += unit) {
            if (!poison_.is_at(at / unit, part.storage + at, unit)) continue;
            std::memcpy(part.storage + at, part.kept.data() + at, static_cast<size_t>(unit));
            visit(at / unit);
        }
}

// What open has done, of a loop that has not been looked at.
void DeclaredAccess::give_back_all(const Use &use) noexcept {
    for_each_part([&](Part &part) {
        if (overwrites(use)) give_back_poisoned(part, [](int64_t) {});
        for (const auto &[groups, runs] : part.ghosts)
            if (is_hidden(use, groups)) give_back(runs, part);
    });
}

void DeclaredAccess::give_up(const Use &use) noexcept {
    if (n_open_ > 0 && --n_open_ == 0 && alone_) give_back_all(use);
    owned_change();
}

void DeclaredAccess::forget() noexcept {
    knows_left_ = false;
    found_.reset();
}

void DeclaredAccess::require_kept(const ByteRuns &runs, const Part &part, const char *why) {
    for (const ByteRun &run : runs) {
        const std::byte *const now = part.storage + run.offset, *const before = part.kept.data() + run.offset;
        if (std::memcmp(now, before, static_cast<size_t>(run.bytes)) == 0) continue;
        const auto differs = std::mismatch(now, now + run.bytes, before).first - now;
        return find(part, (run.offset + differs) / field_.spec().element_bytes, why);
    }
}

void DeclaredAccess::require_hidden(const Use &use, const ByteRuns &runs, const Part &part) {
    const int64_t unit = field_.spec().element_bytes;
    const auto is_as_hidden = [&](int64_t at) {
        const std::byte *const value = part.storage + at;
        if (use.adds == 0) return poison_.is_at(at / unit, value, unit);
        return std::all_of(value, value + unit, [](std::byte byte) { return byte == std::byte{ added_to }; });
    };
    for (const ByteRun &run : runs)
        for (int64_t at = run.offset; at < run.offset + run.bytes; at += unit)
            if (!is_as_hidden(at)) return find(part, at / unit, "a ghost that the loop does not reach, was changed by it");
}

void DeclaredAccess::require_clean(const ByteRuns &runs, const Part &part, NameOrigin name_origin) {
    const FieldSpec &spec = field_.spec();
    for (const ByteRun &run : runs) {
        const int64_t n = run.bytes / spec.element_bytes;
        const std::byte *const values = part.storage + run.offset;
        const int64_t i = find_poison(spec, values, spec.element_bytes, n);
        if (i == n) continue;
        const std::string from = name_origin(poison_origin(spec, values + i * spec.element_bytes));
        return find(part, run.offset / spec.element_bytes + i, "was computed from " + from + ", which the loop may not read");
    }
}

uint64_t DeclaredAccess::hash_of_owned(const Part &part) const {
    uint64_t hash = 0;
    for (const ByteRun &run : part.owned) hash = Digest::mix(hash ^ checksum(storage(part) + run.offset, static_cast<size_t>(run.bytes)));
    return hash;
}

void DeclaredAccess::find(const Part &part, int64_t element, const std::string &why) {
    if (found_) return;
    std::string where = name_element(field_, &part - parts_.data(), element);
    if (field_.spec().n_sets > 1) where += format(", set %d", set_);
    found_ = Error(HALO_ERR_CHECK, where + ", " + why);
}

} // namespace halo
