// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/placement.h"

#include <algorithm>

namespace halo {

namespace {

// The last stage that writes a field or uses its ghosts; -1: none.
struct FieldUse {
    int64_t last_write = -1, last = -1;
};

FieldUse use_of(const Program &program, const Needs &needs, size_t field) {
    FieldUse use;
    for (size_t s = 0; s < program.stages().size(); ++s) {
        const bool writes = program.stages()[s].writes(field);
        if (writes) use.last_write = static_cast<int64_t>(s);
        if (writes || needs.touches_ghosts(program, s, field)) use.last = static_cast<int64_t>(s);
    }
    return use;
}

// A window in one turn or the next, such that it holds `place` or comes after it.
Window after(Window window, int64_t place, int64_t turn) {
    while (turn > 0 && window.finish < place) window.start += turn, window.finish += turn;
    while (turn > 0 && window.finish - turn >= place) window.start -= turn, window.finish -= turn;
    return window;
}

// Windows with a place in common.
struct Pierced {
    int64_t place;
    std::vector<size_t> members;
};

// Of which the first is made at `first`; each later one is made where the window that ends first does.
std::vector<Pierced> pierce(const std::vector<Window> &windows, const std::vector<size_t> &open, int64_t first, int64_t turn) {
    std::vector<std::pair<Window, size_t>> order;
    for (const size_t i : open) order.emplace_back(after(windows[i], first, turn), i);
    std::ranges::stable_sort(order, {}, [](const auto &one) { return one.first.finish; });
    std::vector<Pierced> groups{ { first, {} } };
    for (const auto &[window, i] : order)
        if (window.start <= first) groups[0].members.push_back(i);
    for (const auto &[window, i] : order) {
        if (window.start <= first) continue;
        if (groups.size() == 1 || window.start > groups.back().place) groups.push_back({ window.finish, {} });
        groups.back().members.push_back(i);
    }
    return groups;
}

void append(Groups &groups, const std::vector<Window> &windows, const Pierced &pierced, int64_t turn) {
    Window all = after(windows[pierced.members[0]], pierced.place, turn);
    for (const size_t i : pierced.members) {
        const Window one = after(windows[i], pierced.place, turn);
        all.start = std::max(all.start, one.start);
        all.finish = std::min(all.finish, one.finish);
        groups.of[i] = static_cast<int32_t>(groups.common.size());
    }
    all = after(all, 0, turn); // of the turn in which it ends
    groups.common.push_back(all);
}

} // namespace

std::vector<Window> windows(const Program &program, const Needs &needs) {
    const auto n = static_cast<int64_t>(program.stages().size());
    std::vector<Window> windows;
    for (const FilledGhosts &filled : needs.filled) {
        Window window{ filled.writer + 1, filled.writer + 1, false };
        while (window.finish < n && !needs.touches_ghosts(program, static_cast<size_t>(window.finish), filled.field)) ++window.finish;
        if (filled.writer < 0 && program.desc().repeats) {
            const FieldUse use = use_of(program, needs, filled.field);
            window.once = use.last_write < 0;
            if (!window.once) window.start = use.last + 1 - n;
        }
        windows.push_back(window);
    }
    return windows;
}

Groups group(const std::vector<Window> &windows, int64_t turn) {
    Groups groups{ std::vector<int32_t>(windows.size()), {} };
    std::vector<size_t> open, once;
    for (size_t i = 0; i < windows.size(); ++i) (windows[i].once ? once : open).push_back(i);
    int64_t earliest = INT64_MAX;
    for (const size_t i : open) earliest = std::min(earliest, windows[i].finish);
    std::vector<Pierced> best;
    for (const size_t i : open) {
        if (turn == 0 && windows[i].finish != earliest) continue; // on a line, the one that ends first is best
        std::vector<Pierced> tried = pierce(windows, open, windows[i].finish, turn);
        if (best.empty() || tried.size() < best.size()) best = std::move(tried);
    }
    if (!once.empty()) append(groups, windows, { 0, once }, 0);
    for (const Pierced &pierced : best) append(groups, windows, pierced, turn);
    return groups;
}

} // namespace halo
