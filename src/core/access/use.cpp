// SPDX-License-Identifier: BSD-3-Clause
#include "access/use.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/types.h"

namespace halo {

namespace {

halo_op op_of(int32_t mode) {
    if (mode == HALO_INC) return HALO_SUM;
    if (mode == HALO_ACCESS_MIN) return HALO_MIN;
    return mode == HALO_ACCESS_MAX ? HALO_MAX : 0;
}

template <class T>
T identity(halo_op op) {
    using Limits = std::numeric_limits<T>;
    if constexpr (Limits::is_specialized) { // others have sums alone
        if (op == HALO_MIN) return Limits::has_infinity ? Limits::infinity() : Limits::max();
        if (op == HALO_MAX) return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    }
    return T{};
}

} // namespace

void check_argument(const Argument &argument, int32_t style, size_t number) {
    const char *name = argument.field->spec().name.c_str();
    if (argument.mode < HALO_READ || argument.mode > HALO_ACCESS_MAX)
        fail(HALO_ERR_ARGUMENT, "access to field %s: mode %d is none of HALO_READ ... HALO_ACCESS_MAX", name, argument.mode);
    if (argument.through != HALO_DIRECT && argument.through != HALO_VIA_MAP)
        fail(HALO_ERR_ARGUMENT, "access to field %s: %d is neither HALO_DIRECT nor HALO_VIA_MAP", name, argument.through);
    if (argument.sections != 0 && !argument.field->topology().has_sections())
        fail(HALO_ERR_ARGUMENT, "access: sections %#x of field %s: its topology has none", argument.sections, name);
    if (argument.whole && argument.mode != HALO_WRITE)
        fail(HALO_ERR_ARGUMENT, "access to field %s: `whole` says that all is written and nothing read: only with HALO_WRITE", name);
    const bool sets_via_map = argument.through == HALO_VIA_MAP && (argument.mode == HALO_WRITE || argument.mode == HALO_RW);
    if (argument.may_lose != 0 && (argument.may_lose != 1 || !sets_via_map))
        fail(HALO_ERR_ARGUMENT, "access to field %s: may_lose is %d: 1 is for HALO_WRITE and HALO_RW through a map alone, all else has 0", name,
             argument.may_lose);
    if (sets_via_map && style == HALO_STYLE_REVERSE && !argument.may_lose)
        fail(HALO_ERR_ARGUMENT,
             "access %zu, to field %s: %s through a map in HALO_STYLE_REVERSE: what it sets in ghosts does not reach their owners. Use "
             "HALO_STYLE_REDUNDANT, or say `may_lose`",
             number, name, argument.mode == HALO_RW ? "HALO_RW" : "HALO_WRITE");
    if (argument.combine_order != HALO_COMBINE_BY_GID && argument.combine_order != HALO_COMBINE_CANONICAL)
        fail(HALO_ERR_ARGUMENT, "access %zu, to field %s: combine_order %d is neither HALO_COMBINE_BY_GID nor HALO_COMBINE_CANONICAL", number, name,
             argument.combine_order);
    if (argument.combine_order != HALO_COMBINE_BY_GID && (style != HALO_STYLE_REVERSE || argument.through != HALO_VIA_MAP || !op_of(argument.mode)))
        fail(HALO_ERR_ARGUMENT,
             "access %zu, to field %s: HALO_COMBINE_CANONICAL is for what is added through a map in HALO_STYLE_REVERSE: all else is combined by no "
             "exchange",
             number, name);
    if (argument.field->spec().sparse)
        fail(HALO_ERR_ARGUMENT,
             "access to field %s: it is sparse: who gives storage to its parts while ghosts arrive? Exchange it with halo_exchange_start and "
             "halo_exchange_arrivals",
             name);
}

bool writes_through_maps(const BatchShape &shape) {
    return std::any_of(shape.arguments.begin(), shape.arguments.end(),
                       [](const Argument &argument) { return argument.through == HALO_VIA_MAP && argument.mode != HALO_READ; });
}

Use use_of(const Argument &argument, int32_t style, bool needs_exec) {
    const bool via_map = argument.through == HALO_VIA_MAP;
    Use use;
    use.reads = argument.mode == HALO_READ || argument.mode == HALO_RW;
    use.writes = argument.mode == HALO_WRITE || argument.mode == HALO_RW;
    use.adds = op_of(argument.mode);
    use.whole = argument.whole != 0;
    use.to_ghosts = via_map && use.adds != 0 && style == HALO_STYLE_REVERSE;
    use.scratch = use.changes() && !use.to_ghosts && (via_map || needs_exec);
    const uint32_t sections = argument.sections != 0 ? argument.sections : all_sections;
    // Entities of others are executed with their own direct values.
    if (use.reads && (via_map || needs_exec)) use.ghosts = sections;
    if (use.to_ghosts) use.added = sections;
    use.canonical = argument.combine_order == HALO_COMBINE_CANONICAL && use.adds == HALO_SUM; // which shows in sums alone
    if (use.changes()) use.stale = via_map || needs_exec ? all_sections : sections;
    return use;
}

Use both(const Use &a, const Use &b, const char *name) {
    if (a.adds != b.adds) fail(HALO_ERR_ARGUMENT, "access to field %s: one loop cannot add to it by two operations, or add and read or write", name);
    if (a.to_ghosts && b.to_ghosts && a.canonical != b.canonical)
        fail(HALO_ERR_ARGUMENT, "access to field %s: one loop cannot add to it by gid and in canonical order", name);
    Use use = a;
    use.canonical = a.canonical || b.canonical;
    use.reads = a.reads || b.reads;
    use.writes = a.writes || b.writes;
    use.whole = (a.whole || b.whole) && !use.reads;
    use.to_ghosts = a.to_ghosts || b.to_ghosts;
    use.scratch = a.scratch || b.scratch;
    use.ghosts = a.ghosts | b.ghosts;
    use.added = a.added | b.added;
    use.stale = a.stale | b.stale;
    return use;
}

void identity_of(halo_op op, halo_type type, const char *name, void *into) {
    const auto store = [&](auto zero) {
        const auto value = identity<decltype(zero)>(op);
        std::memcpy(into, &value, sizeof value);
    };
    if (!with_type(type, store)) check_combines(type, op, format("access to field %s", name).c_str());
}

} // namespace halo
