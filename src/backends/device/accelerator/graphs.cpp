// SPDX-License-Identifier: BSD-3-Clause
#include "graphs.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace halo::accelerator {

namespace {

// Of the launches without what they are told.
uint64_t hash_of(const std::vector<Launch> &launches) {
    Hash hash;
    for (const Launch &one : launches) {
        hash.mix(static_cast<uint64_t>(one.kernel));
        hash.mix(static_cast<uint64_t>(one.n_groups));
        hash.mix(one.end);
    }
    return hash.value();
}

} // namespace

void FormerGraphs::reap() {
    for (auto one = all_.begin(); one != all_.end();) {
        if (!arguments_.is_idle(one->told.front())) {
            ++one;
            continue;
        }
        arguments_.give_back(std::move(one->told));
        one = all_.erase(one);
    }
}

FormerGraphs::~FormerGraphs() {
    for (const RecordedLaunches &one : all_) Arguments::wait_for(one.told);
}

Graphs::Outcome Graphs::run(const Launches &launches, halo_stream stream) {
    if (!runtime_.replays_in(stream)) return Outcome::none;
    const uint64_t told = Arguments::hash_of(launches.bytes), form = hash_of(launches.all);
    if (const auto same = find_same(launches, told); same != recorded_.end()) {
        arguments_.use(same->told.front(), stream);
        replay(same, stream);
        return Outcome::replayed;
    }
    size_t n_alike = 0;
    const auto alike = find_alike(launches, n_alike);
    const bool may_be_told_otherwise = runtime_.graphs_reach_all();
    const bool is_new_form = n_alike == 0 && may_be_told_otherwise; // then what they are told does not matter
    if (n_alike < most_alike && has_come_before(is_new_form ? form : form ^ told)) {
        if (record(launches, told, stream)) return Outcome::recorded;
    } else if (alike != recorded_.end() && may_be_told_otherwise) {
        arguments_.write(alike->told.front(), launches.bytes, told, stream);
        replay(alike, stream);
        return Outcome::replayed;
    }
    return Outcome::none;
}

Graphs::Recorded::iterator Graphs::find_same(const Launches &launches, uint64_t hash) {
    return std::find_if(recorded_.begin(), recorded_.end(), [&](const RecordedLaunches &one) {
        return one.launches == launches.all && Arguments::is_told(one.told.front(), launches.bytes, hash);
    });
}

// The one replayed longest ago that the device is done with; and how many there are.
Graphs::Recorded::iterator Graphs::find_alike(const Launches &launches, size_t &n) {
    auto found = recorded_.end();
    for (auto one = recorded_.begin(); one != recorded_.end(); ++one) {
        if (one->launches != launches.all) continue;
        ++n;
        if (arguments_.is_idle(one->told.front())) found = one;
    }
    return found;
}

bool Graphs::has_come_before(uint64_t hash) {
    if (std::find(came_.begin(), came_.end(), hash) != came_.end()) return true;
    came_[next_] = hash;
    next_ = (next_ + 1) % came_.size();
    return false;
}

// False: the device works on all that there may be.
bool Graphs::make_room() {
    former_.reap();
    if (recorded_.size() < most) return true;
    for (auto one = recorded_.end(); one != recorded_.begin();) {
        --one;
        if (!arguments_.is_idle(one->told.front())) continue;
        arguments_.give_back(std::move(one->told));
        recorded_.erase(one);
        return true;
    }
    return false;
}

// False: it has not been.
bool Graphs::record(const Launches &launches, uint64_t hash, halo_stream stream) {
    if (refusal_.status != HALO_SUCCESS || !make_room()) return false;
    Recorded made(1);
    RecordedLaunches &one = made.front();
    one.launches = launches.all;
    one.told = arguments_.lend(launches.bytes.size());
    try {
        one.graph = runtime_.record(launches.all, one.told.front().address(), launches.reached);
    } catch (const Failure &failure) {
        refusal_ = failure;
        is_told_ = false;
    }
    if (!one.graph) {
        arguments_.give_back(std::move(one.told));
        return false;
    }
    recorded_.splice(recorded_.begin(), made);
    arguments_.write(one.told.front(), launches.bytes, hash, stream);
    replay(recorded_.begin(), stream);
    return true;
}

void Graphs::replay(Recorded::iterator one, halo_stream stream) {
    recorded_.splice(recorded_.begin(), recorded_, one);
    Arguments::Placed &told = one->told.front();
    try {
        runtime_.replay(*one->graph, stream);
    } catch (const Failure &) {
        arguments_.used(told); // a copy may be under way all the same
        throw;
    }
    arguments_.used(told);
}

} // namespace halo::accelerator
