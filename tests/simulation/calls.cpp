// SPDX-License-Identifier: BSD-3-Clause
#include "calls.h"

#include <algorithm>
#include <random>
#include <utility>

#include "capi/handle.h"

namespace programs {

using conformance::stop;

namespace {

constexpr int most_trials = 40;
constexpr double pause_seconds = 0.05;
constexpr halo_status lost = HALO_ERR_INTERNAL; // worse than what calls may end in

} // namespace

halo_status Meeting::worst(halo_status mine) {
    worst_so_far_ = std::max(worst_so_far_, mine);
    if (++n_here_ == n_ranks_) {
        worst_ = std::exchange(worst_so_far_, HALO_SUCCESS);
        n_here_ = 0;
        ++round_;
        return worst_;
    }
    for (const int64_t round = round_; round_ == round; simulation::sleep_for(pause_seconds))
        if (left_ || simulation::any_has_died()) throw Ended{};
    return worst_;
}

halo_status poll(const Call &call) {
    constexpr int most_looks = 400;
    halo_status status = HALO_BUSY;
    for (int look = 0; look < most_looks && (status = call()) == HALO_BUSY; ++look) simulation::sleep_for(5e-3);
    return status;
}

// What a progress thread does between the program's calls: never in one, for it does not enter then. One that fails ends, and tells nobody.
void Calls::look() {
    if (!context || std::uniform_real_distribution<double>(0, 1)(of_looks_) >= program_.looks) return;
    bool works = true;
    try {
        const simulation::InLibrary inside;
        halo::object_of<halo::ContextObject>(context).context.progress_alone(1);
    } catch (const std::exception &) {
        works = false;
    }
    ++features[works ? "looks of a progress thread" : "looks that fail"];
}

halo_status Calls::judge(const char *what, const Call &call) {
    halo_status status = HALO_SUCCESS;
    {
        const simulation::InLibrary inside;
        status = call();
    }
    look();
    ++ends[halo_status_name(status)];
    lost_ = false;
    if (status == HALO_SUCCESS) return status;
    const std::string text = halo_last_error();
    lost_ = context && program_.may_stray() && text.find("the collectives of this context") != std::string::npos;
    if (lost_) return status;
    const bool allowed = program_.allows(status) || (in_vain_ && status == HALO_ERR_TRANSPORT);
    if (!allowed || (status != HALO_ERR_MEMORY && text.find("rank ") == std::string::npos))
        stop("%s: not a clear error: %s: %s", what, halo_status_name(status), text.c_str());
    return status;
}

void Calls::start_in_vain(const std::function<void()> &start) {
    in_vain_ = true;
    start();
    in_vain_ = false;
}

bool Calls::all(bool mine) {
    if (program_.events.empty()) return mine;
    const halo_status worst = meeting_.worst(mine ? HALO_SUCCESS : HALO_ERR_PEER);
    if (worst == lost) throw Lost{};
    return worst == HALO_SUCCESS;
}

void Calls::lose() {
    meeting_.worst(lost);
    throw Lost{};
}

void Calls::alone(const char *what, const Call &call) {
    for (int trial = 0; trial < most_trials; ++trial) {
        const halo_status status = judge(what, call);
        if (status == HALO_SUCCESS) return;
        if (status != HALO_ERR_MEMORY) stop("%s concerns this rank alone: %s: %s", what, halo_status_name(status), halo_last_error());
    }
    stop("%s fails again and again: %s", what, halo_last_error());
}

void Calls::talk(const char *what, const Call &call) {
    for (int trial = 0; trial < most_trials; ++trial) {
        if (works(what, call)) return;
        if (simulation::any_has_died()) throw Ended{};
        if (lost_) lose();
    }
    stop("%s fails again and again: %s", what, halo_last_error());
}

void Calls::together(const char *what, const Call &call, const std::function<void()> &undo) {
    for (int trial = 0; trial < most_trials; ++trial) {
        const bool works_here = works(what, call);
        if (lost_) lose();
        if (all(works_here)) return;
        if (works_here) undo();
    }
    stop("%s fails again and again: %s", what, halo_last_error());
}

void Calls::free(const char *what, const Call &call) {
    for (int i = 0; i < 1000; ++i) {
        const halo_status status = call();
        if (status == HALO_SUCCESS) return;
        if (status != HALO_BUSY) stop("%s: %s: %s", what, halo_status_name(status), halo_last_error());
        simulation::sleep_for(0.1);
    }
    stop("%s: still in use: %s", what, halo_last_error());
}

} // namespace programs
