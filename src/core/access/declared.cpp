// SPDX-License-Identifier: BSD-3-Clause
#include "access/declared.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/config.h"
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
      seed_(field.topology().context().config().integer("check.seed")) {}

std::string DeclaredAccess::name(const Part &part, int64_t element) const {
    return name_element(field_, index(part), element) + (field_.spec().n_sets > 1 ? format(", set %d", set_) : "") +
           name_source(field_, index(part), element);
}

std::byte *DeclaredAccess::storage(const Part &part) const { return static_cast<std::byte *>(mirror_.data(index(part), HALO_ON_HOST)); }

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
        if (storage(part)) part.kept.resize(field_.storage_bytes(index(part)));
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
    const FieldSpec &spec = field_.spec();
    for (const Part &part : parts_) {
        const std::byte *const now = storage(part);
        if (!now || part.kept.empty()) continue;
        if (const auto at = first_changed(part.owned, part, now))
            return Error(HALO_ERR_CHECK, name(part, *at / spec.element_bytes) +
                                             format(", was changed since the last loop, from %s to %s, and not marked dirty (halo_access_mark_dirty)",
                                                    name_value(spec, part.kept.data() + *at).c_str(), name_value(spec, now + *at).c_str()));
    }
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
        std::copy_n(part.storage, part.kept.size(), part.kept.data());
        if (overwrites(use)) poison(part.owned, part);
        hide(use, part);
    }
}

void DeclaredAccess::hide(const Use &use, const Part &part) const {
    for (const auto &[groups, runs] : part.ghosts)
        if (!is_hidden(use, groups))
            continue;
        else if (use.adds == 0)
            poison(runs, part);
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

void DeclaredAccess::poison(const ByteRuns &runs, const Part &part) const {
    const int64_t unit = field_.spec().element_bytes;
    const Poison poison = poison_of(part);
    for (const ByteRun &run : runs)
        for (int64_t at = run.offset; at < run.offset + run.bytes; at += unit) poison.store(at / unit, part.storage + at, unit);
}

// ---- end

void DeclaredAccess::close(const Use &use, uint32_t fresh) {
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
        require_clean(part.owned, part);
        for (const auto &[groups, runs] : part.ghosts)
            if (use.to_ghosts && belong_to(groups, use.added)) require_clean(runs, part);
    });
    if (n_open_ > 0) return;
    for_each_part([&](Part &part) {
        for (const auto &[groups, runs] : part.ghosts)
            if (use.changes() && !use.to_ghosts && !belong_to(groups, fresh)) poison(runs, part);
        for (const ByteRun &run : part.owned)
            if (use.changes()) std::memcpy(part.kept.data() + run.offset, part.storage + run.offset, static_cast<size_t>(run.bytes));
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
    const Poison poison = poison_of(part);
    for (const ByteRun &run : part.owned)
        for (int64_t at = run.offset; at < run.offset + run.bytes; at += unit) {
            if (!poison.is_at(at / unit, part.storage + at, unit)) continue;
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
    if (const auto at = first_changed(runs, part, part.storage)) find(part, *at / field_.spec().element_bytes, why);
}

// In bytes, where the first changed value begins.
std::optional<int64_t> DeclaredAccess::first_changed(const ByteRuns &runs, const Part &part, const std::byte *storage) const {
    for (const ByteRun &run : runs) {
        const std::byte *const now = storage + run.offset, *const before = part.kept.data() + run.offset;
        if (std::memcmp(now, before, static_cast<size_t>(run.bytes)) == 0) continue;
        const int64_t at = run.offset + (std::mismatch(now, now + run.bytes, before).first - now);
        return at - at % field_.spec().element_bytes;
    }
    return std::nullopt;
}

void DeclaredAccess::require_hidden(const Use &use, const ByteRuns &runs, const Part &part) {
    const int64_t unit = field_.spec().element_bytes;
    const Poison poison = poison_of(part);
    const auto is_as_hidden = [&](int64_t at) {
        const std::byte *const value = part.storage + at;
        if (use.adds == 0) return poison.is_at(at / unit, value, unit);
        return std::all_of(value, value + unit, [](std::byte byte) { return byte == std::byte{ added_to }; });
    };
    for (const ByteRun &run : runs)
        for (int64_t at = run.offset; at < run.offset + run.bytes; at += unit)
            if (!is_as_hidden(at)) return find(part, at / unit, "a ghost that the loop does not reach, was changed by it");
}

void DeclaredAccess::require_clean(const ByteRuns &runs, const Part &part) {
    const FieldSpec &spec = field_.spec();
    for (const ByteRun &run : runs) {
        const int64_t n = run.bytes / spec.element_bytes;
        const std::byte *const values = part.storage + run.offset;
        const int64_t i = find_poison(spec, values, spec.element_bytes, n);
        if (i == n) continue;
        const std::string from = name_origin(field_.topology().context(), poison_origin(spec, values + i * spec.element_bytes));
        return find(part, run.offset / spec.element_bytes + i, "was computed from " + from + ", which the loop may not read");
    }
}

void DeclaredAccess::find(const Part &part, int64_t element, const std::string &why) {
    if (!found_) found_ = Error(HALO_ERR_CHECK, name(part, element) + ", " + why);
}

} // namespace halo
