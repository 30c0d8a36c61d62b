// SPDX-License-Identifier: BSD-3-Clause
#include "allocation_ranks.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include <signal.h>
#include <unistd.h>

#include "failing_heap.h"

namespace allocations {

using conformance::stop;
using conformance::Stop;

halo_status Meeting::worst(halo_status mine) {
    std::unique_lock lock(mutex_);
    worst_so_far_ = std::max(worst_so_far_, mine);
    if (++n_here_ == n_ranks_) {
        worst_ = std::exchange(worst_so_far_, HALO_SUCCESS);
        n_here_ = 0;
        ++round_;
        all_here_.notify_all();
        return worst_;
    }
    const int64_t round = round_;
    all_here_.wait(lock, [&] { return round_ != round || ended_; });
    if (round_ == round) stop("another rank has stopped");
    return worst_;
}

void Meeting::end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    all_here_.notify_all();
}

halo_status Member::judge(const char *what, const Call &call, bool may_hear_of_others) {
    const bool before = heap::has_failed();
    const halo_status status = call();
    const bool failed_here = heap::has_failed() && !before;
    if (failed_here) heap::recover();
    if (status == HALO_SUCCESS) return status;
    const bool fits = failed_here ? status == HALO_ERR_MEMORY : may_hear_of_others && status == HALO_ERR_PEER;
    const std::string text = halo_last_error();
    if (!fits) stop("%s: %s: %s", what, halo_status_name(status), text.c_str());
    if (text.find("memory") == std::string::npos && text.find("HALO_ERR_MEMORY") == std::string::npos)
        stop("%s: %s, and the text does not tell of memory: %s", what, halo_status_name(status), text.c_str());
    if (status == HALO_ERR_PEER && text.find("rank " + std::to_string(victim)) == std::string::npos)
        stop("%s: the text does not name rank %d: %s", what, victim, text.c_str());
    return status;
}

void Member::alone(const char *what, const Call &call) {
    if (judge(what, call, false) != HALO_SUCCESS) judge(what, call, false);
}

// Something else that fails before a call is made again changes nothing for it.
void Member::fail_otherwise() {
    void *foreign = &kept_;
    if (!context) return;
    const bool before = heap::has_failed();
    const halo_status status = halo_memory_release(context, &foreign);
    const bool failed_here = heap::has_failed() && !before;
    if (status != (failed_here ? HALO_ERR_MEMORY : HALO_ERR_NOT_FOUND)) stop("foreign memory: %s", halo_status_name(status));
}

void Member::talk(const char *what, const Call &call) {
    for (int time = 0; time < 3; ++time) {
        if (judge(what, call, true) == HALO_SUCCESS) return;
        fail_otherwise();
    }
    stop("%s: failed three times: %s", what, halo_last_error());
}

void Member::together(const char *what, const Call &call, const std::function<void()> &undo) {
    for (int time = 0; time < 3; ++time) {
        const halo_status mine = judge(what, call, true);
        const halo_status worst = meeting_.worst(mine);
        if (worst == HALO_SUCCESS) return;
        if (worst != HALO_ERR_MEMORY && worst != HALO_ERR_PEER) stop("%s: elsewhere %s", what, halo_status_name(worst));
        if (mine == HALO_SUCCESS && undo) undo();
    }
    stop("%s: failed three times: %s", what, halo_last_error());
}

halo_status Member::all_try(const char *what, const Call &call, const std::function<bool()> &again) {
    halo_status mine = judge(what, call, true);
    for (int time = 0; mine != HALO_SUCCESS && again() && time < 3; ++time) mine = judge(what, call, true);
    const halo_status worst = meeting_.worst(mine);
    if (worst != HALO_SUCCESS && worst != HALO_ERR_MEMORY && worst != HALO_ERR_PEER) stop("%s: elsewhere %s", what, halo_status_name(worst));
    return worst;
}

void Member::keep(const void *data, size_t bytes) {
    const auto *from = static_cast<const unsigned char *>(data);
    for (size_t i = 0; i < bytes; ++i) kept_ = (kept_ ^ from[i]) * 0x100000001b3u;
}

namespace {

struct Found {
    std::set<uint64_t> alone, with_peers;
};
std::map<std::string, Found> found;
int64_t n_tried = 0;

// For the message of a crash.
char now[256];

void say_where(int signal) {
    std::fprintf(stderr, "%s: signal %d\n", now, signal);
    if (heap::has_failed()) std::fprintf(stderr, "  memory failed on this thread at%s\n", heap::point_of_failure().places.c_str());
    std::_Exit(2);
}

struct Outcome {
    std::string wrong; // the first rank's that was not told by another
    std::vector<uint64_t> kept;
    int64_t n = 0; // allocations of the one that was watched
    bool failed = false;
    heap::Point point;
};

// Memory fails from there on, until the call has ended.
bool lasts() {
    static const bool is_so = conformance::number_from("ALLOCATIONS_LASTING", 0) != 0;
    return is_so;
}

void pass_rank(const Scenario &scenario, Member &member, int32_t victim, int64_t fails, Outcome &outcome) {
    const auto rank = static_cast<size_t>(member.rank);
    const bool watches_context = scenario.n_ranks == 1 || scenario.creation != Creation::works;
    const auto create = [&] { return conformance::make_context(member.group, member.rank, scenario.settings, &member.context); };
    if (member.rank == victim && watches_context) heap::watch(fails, lasts());
    std::string wrong;
    try {
        if (scenario.creation == Creation::fails_together)
            member.together("context", create, [] { stop("context: made, but not by all ranks"); });
        else
            member.talk("context", create);
        if (member.rank == victim && !watches_context) heap::watch(fails, lasts());
        scenario.body(member);
        member.talk("a barrier at the end", [&] { return halo_context_barrier(member.context); });
        member.alone("destroy", [&] { return halo_context_destroy(&member.context); });
    } catch (const Stop &reason) {
        wrong = conformance::text_of("rank %d: %s", member.rank, reason.text.c_str());
    }
    outcome.kept[rank] = member.kept();
    if (member.rank == victim) {
        outcome.n = heap::unwatch();
        outcome.failed = heap::has_failed();
        if (outcome.failed) outcome.point = heap::point_of_failure();
    }
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (!wrong.empty() && (outcome.wrong.empty() || outcome.wrong.find("another rank has stopped") != std::string::npos)) outcome.wrong = wrong;
}

Outcome pass(const Scenario &scenario, int32_t victim, int64_t fails) {
    Outcome outcome;
    outcome.kept.resize(static_cast<size_t>(scenario.n_ranks));
    halo_inproc *group = nullptr;
    if (scenario.n_ranks > 1) OK(halo_inproc_create(scenario.n_ranks, &group));
    Meeting meeting(scenario.n_ranks);
    std::vector<std::thread> threads;
    for (int32_t rank = 0; rank < scenario.n_ranks; ++rank)
        threads.emplace_back([&, rank] {
            Member member(meeting, group, rank, scenario.n_ranks, victim);
            pass_rank(scenario, member, victim, fails, outcome);
            if (!outcome.wrong.empty()) meeting.end();
        });
    for (std::thread &thread : threads) thread.join();
    if (group && halo_inproc_destroy(&group) != HALO_SUCCESS && outcome.wrong.empty()) outcome.wrong = halo_last_error();
    return outcome;
}

bool check(const Scenario &scenario, int32_t victim, int64_t k, const std::vector<uint64_t> &right) {
    std::snprintf(now, sizeof now, "%s, %d ranks, allocation %lld of rank %d", scenario.name.c_str(), scenario.n_ranks, static_cast<long long>(k),
                  victim);
    const int64_t before = heap::n_live();
    Outcome outcome = pass(scenario, victim, k);
    if (outcome.wrong.empty() && outcome.kept != right) outcome.wrong = "other values than without a failure";
    const int64_t left = heap::n_live() - before;
    if (outcome.wrong.empty() && left != 0)
        outcome.wrong =
            conformance::text_of("%lld allocations of the library are left:%s", static_cast<long long>(left), heap::describe_live().c_str());
    if (outcome.failed) {
        Found &of = found[outcome.point.function()];
        (scenario.n_ranks == 1 ? of.alone : of.with_peers).insert(outcome.point.chain);
        ++n_tried;
    }
    if (outcome.wrong.empty()) return true;
    std::printf("%s, in %s at%s: %s\n", now, outcome.point.function().c_str(), outcome.point.places.c_str(), outcome.wrong.c_str());
    std::fflush(stdout);
    return false;
}

// What the process keeps for ever, of which there is more the more contexts there have been.
void warm_up() {
    const Scenario nothing{ "nothing", 1, {}, [](Member &) {} };
    const Scenario pair{ "nothing", 2, {}, [](Member &) {} };
    for (int time = 0; time < 200; ++time) pass(nothing, 0, 0);
    for (int time = 0; time < 200; ++time) pass(pair, 0, 0);
    heap::keep_live_places();
}

} // namespace

void add_for_ranks(std::vector<Scenario> &all, const std::string &name, const std::function<void(Member &)> &body, const Settings &settings) {
    const char *timeout = std::getenv("ALLOCATIONS_TIMEOUT");
    Settings with = settings;
    with.emplace_back("timeout", timeout ? timeout : "5s");
    for (const int32_t n_ranks : { 1, 2, 3 }) all.push_back({ name, n_ranks, with, body });
}

bool sweep(const Scenario &scenario, const Sweep &which) {
    static std::once_flag once;
    std::call_once(once, [] {
        heap::watch(0);
        heap::unwatch();
        for (const int number : { SIGABRT, SIGSEGV, SIGALRM }) signal(number, say_where);
        warm_up();
    });
    std::snprintf(now, sizeof now, "%s, %d ranks, without a failure", scenario.name.c_str(), scenario.n_ranks);
    constexpr int64_t most_wrong = 4; // then the scenario is given up
    int64_t n_wrong = 0, n_all = 0;
    for (int32_t victim = 0; victim < scenario.n_ranks; ++victim) {
        alarm(300);
        const Outcome right = pass(scenario, victim, 0);
        if (!right.wrong.empty()) {
            std::printf("%s: %s\n", now, right.wrong.c_str());
            return false;
        }
        for (int64_t k = which.first; k <= right.n && n_wrong < most_wrong; k += which.stride) {
            alarm(60);
            n_wrong += !check(scenario, victim, k, right.kept);
        }
        n_all += right.n;
        const Outcome again = pass(scenario, victim, 0);
        if (again.wrong.empty() && again.kept == right.kept) continue;
        ++n_wrong;
        std::printf("%s: afterwards, without a failure: %s\n", scenario.name.c_str(), again.wrong.c_str());
    }
    alarm(0);
    std::printf("%-28s %d ranks: %5lld allocations, %lld wrong\n", scenario.name.c_str(), scenario.n_ranks, static_cast<long long>(n_all),
                static_cast<long long>(n_wrong));
    std::fflush(stdout);
    return n_wrong == 0;
}

int64_t print_points() {
    int64_t n = 0;
    for (const auto &[function, of] : found) {
        std::printf("%-40s %5zu alone, %5zu with peers\n", function.c_str(), of.alone.size(), of.with_peers.size());
        n += static_cast<int64_t>(of.alone.size() + of.with_peers.size());
    }
    std::printf("%lld allocations have failed, at %lld distinct points\n", static_cast<long long>(n_tried), static_cast<long long>(n));
    return n;
}

} // namespace allocations
