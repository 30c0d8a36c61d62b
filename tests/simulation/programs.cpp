// SPDX-License-Identifier: BSD-3-Clause
// Random programs under random schedules with faults. Each call of each rank ends in a right result, or in a clear error; after an error all ranks
// make what has failed anew and go on; in the end all can be destroyed and nothing is left. SIMULATION_SEED and SIMULATION_FIRST run one again.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/schedule_point.h"
#include "given_back.h"
#include "objects.h"
#include "printed.h"

namespace programs {

namespace {

using conformance::number_from;
using conformance::stop;
using conformance::Stop;
using conformance::text_of;
using simulation::Fault;

// One rank's run of a program.
class Player {
public:
    Player(const Program &program, Calls &calls)
        : program_(program),
          calls_(calls),
          given_back_(calls),
          random_(program.seed + 977 * static_cast<uint64_t>(calls.rank)) {}

    void play() {
        simulation::begin_faults();
        open();
        for (size_t i = 0; i < program_.steps.size(); ++i) try {
                take(program_.steps[i], static_cast<int64_t>(i));
            } catch (const Lost &) {
                ++calls_.features["collectives ended"];
                reopen();
            }
        calls_.all(true);
    }
    void close() {
        for (auto &object : objects_) object->destroy();
        objects_.clear();
        given_back_.release();
        if (calls_.context) calls_.free("context", [&] { return halo_context_destroy(&calls_.context); });
    }

private:
    void open() {
        const halo_setting settings[] = {
            { "timeout", "5s" }, { "wait.spin", "0" }, { "path", program_.path.c_str() }, { "shared_memory.least", "0" }, { "log_level", "error" }
        };
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.settings = settings, options.n_settings = std::size(settings);
        calls_.together(
            "context", [&] { return ++calls_.n_contexts, halo_context_create_inproc(calls_.group, calls_.rank, &options, &calls_.context); },
            [&] { close(); }); // the others have lost patience with a rank that has stopped
        for (const ObjectCase &made : program_.objects) {
            objects_.push_back(make(made));
            objects_.back()->create();
        }
    }
    std::unique_ptr<Object> make(const ObjectCase &made) {
        switch (made.what) {
        case What::blocks: return make_blocks(calls_, made, program_.seed);
        case What::batch: return make_batch(calls_, made, program_.seed);
        case What::points: return make_points(calls_, made);
        case What::transfer: return make_transfer(calls_, made);
        case What::reduction: return make_reduction(calls_, made, program_.n_ranks);
        case What::sparse: return make_sparse(calls_, made, program_.seed);
        case What::boxes:
        case What::regions: return make_cells(calls_, made);
        case What::channels: return make_channels(calls_, made);
        case What::loops: return make_loops(calls_, made);
        case What::strays: return make_strays(calls_, made);
        default: return make_sums(calls_, made, program_.n_ranks);
        }
    }

    void take(const Step &step, int64_t time) {
        switch (step.does) {
        case Step::Does::run: run({ step.object }, time); break;
        case Step::Does::run_all: run(all_that_overlap(), time); break;
        case Step::Does::give_up:
            if (program_.objects[step.object].may_overlap()) calls_.start_in_vain([&] { objects_[step.object]->start(time); });
            recreate({ step.object });
            break;
        case Step::Does::recreate: recreate({ step.object }); break;
        case Step::Does::reopen: reopen();
        }
        ++calls_.features[name_of(step.does)];
    }
    void reopen() {
        close();
        calls_.all(true);
        open();
    }
    std::vector<size_t> all_that_overlap() const {
        std::vector<size_t> all;
        for (size_t i = 0; i < objects_.size(); ++i)
            if (program_.objects[i].may_overlap()) all.push_back(i);
        return all;
    }

    // An order of this rank's own. Those of several rounds keep theirs: a rank that waits in one of them does not go on with another.
    void mix(std::vector<size_t> &order) {
        std::vector<size_t> fixed;
        for (const size_t i : order)
            if (program_.objects[i].has_rounds()) fixed.push_back(i);
        std::shuffle(order.begin(), order.end(), random_);
        auto next = fixed.begin();
        for (size_t &i : order)
            if (program_.objects[i].has_rounds()) i = *next++;
    }
    void run(const std::vector<size_t> &which, int64_t time) {
        std::vector<size_t> started;
        bool works = true;
        for (const size_t i : which) { // all are, as the first batch over a field makes an exchange
            const bool begun = objects_[i]->start(time);
            if (begun) started.push_back(i);
            works = works && begun;
        }
        mix(started);
        for (const size_t i : started) {
            const bool right = objects_[i]->finish();
            if (right) ++calls_.features[name_of(program_.objects[i].what)];
            works = works && right;
        }
        if (!works) destroy(which); // others may still be at it, or have stopped
        if (calls_.all(works)) return;
        ++calls_.features["begun anew after a failure"];
        recreate(which);
    }
    void recreate(const std::vector<size_t> &which) {
        destroy(which);
        for (const size_t i : which) objects_[i]->create();
        given_back_.check();
    }
    void destroy(const std::vector<size_t> &which) {
        for (const size_t i : which) objects_[i]->destroy();
        if (random_() % 2 == 0) given_back_.take(); // else it is what is made next that gets it
    }

    const Program &program_;
    Calls &calls_;
    GivenBack given_back_;
    Random random_;
    std::vector<std::unique_ptr<Object>> objects_;
};

struct Result {
    std::string failure; // empty: none
    simulation::Outcome outcome;
    std::map<std::string, int64_t> ends, features;
    int64_t n_contexts = 0;
    int64_t left = 0; // allocations
};

void add(std::map<std::string, int64_t> &to, const std::map<std::string, int64_t> &from) {
    for (const auto &[name, n] : from) to[name] += n;
}

void play(const Program &program, Meeting &meeting, halo_inproc *group, int32_t rank, Result &result) {
    Calls calls(program, meeting, group, rank);
    Player player(program, calls);
    try {
        try {
            player.play();
        } catch (const Ended &) {}
        if (!program.events.empty()) meeting.leave();
        player.close();
    } catch (const Stop &reason) {
        meeting.leave();
        if (result.failure.empty() && !simulation::has_died()) result.failure = text_of("rank %d: %s", rank, reason.text.c_str());
    }
    result.n_contexts += calls.n_contexts;
    add(result.ends, calls.ends);
    add(result.features, calls.features);
}

Result run_program(const Program &program) {
    const int64_t before = simulation::n_live();
    Result result;
    halo_inproc *group = nullptr;
    if (halo_inproc_create(program.n_ranks, &group) != HALO_SUCCESS) return { halo_last_error(), {}, {}, {}, 0, 0 };
    {
        Meeting meeting(program.n_ranks);
        simulation::RandomScheduler scheduler(program.seed, program.switches, program.delays);
        result.outcome =
            simulation::run(program.n_ranks, scheduler, program.events, [&](int32_t rank) { play(program, meeting, group, rank, result); });
    }
    // What the dead do when all others are gone ends as it may.
    if (halo_inproc_destroy(&group) != HALO_SUCCESS && result.failure.empty() && !program.has(Fault::death)) result.failure = halo_last_error();
    const int64_t live = simulation::n_live();
    const Result copy = result;
    result.left = live - before - (simulation::n_live() - live);
    return result;
}

// Handles of destroyed contexts are kept, many to an allocation, so not each run of a program leaves one; the dead leave what they have.
Result check_program(const Program &program) {
    Result result = run_program(program);
    const int64_t n_kept = result.n_contexts / 8;
    for (int time = 0; time < 4 && result.left > 0; ++time) result.left = std::min(result.left, run_program(program).left);
    const bool gives_up = std::any_of(program.steps.begin(), program.steps.end(), [](const Step &step) { return step.does == Step::Does::give_up; });
    if (result.failure.empty() && result.outcome.unread != 0 && program.events.empty() && !gives_up)
        result.failure = text_of("%lld messages have not been read", static_cast<long long>(result.outcome.unread));
    if (result.failure.empty() && result.left > n_kept && !program.has(Fault::death))
        result.failure = text_of("%lld allocations are left", static_cast<long long>(result.left));
    return result;
}

// With fewer objects, steps and faults, as long as it fails.
Program shrink(Program program) {
    for (bool smaller = true; smaller;) {
        smaller = false;
        const auto keep_if_it_fails = [&](const Program &less) {
            if (check_program(less).failure.empty()) return false;
            program = less;
            return smaller = true;
        };
        for (size_t i = program.steps.size(); i-- > 0;) {
            Program less = program;
            less.steps.erase(less.steps.begin() + static_cast<std::ptrdiff_t>(i));
            keep_if_it_fails(less);
        }
        for (size_t i = program.events.size(); i-- > 0;) {
            Program less = program;
            less.events.erase(less.events.begin() + static_cast<std::ptrdiff_t>(i));
            keep_if_it_fails(less);
        }
        for (size_t i = program.objects.size(); i-- > 0 && program.objects.size() > 1;) {
            Program less = program;
            less.objects.erase(less.objects.begin() + static_cast<std::ptrdiff_t>(i));
            std::erase_if(less.steps, [&](const Step &step) { return step.object == i; });
            for (Step &step : less.steps) step.object -= step.object > i;
            keep_if_it_fails(less);
        }
        Program fast = program;
        fast.delays = 0;
        if (program.delays > 0) keep_if_it_fails(fast);
        Program without_looks = program;
        without_looks.looks = 0;
        if (program.looks > 0) keep_if_it_fails(without_looks);
    }
    return program;
}

// What a process makes once and keeps changes the numbers of allocations: it is there before a seed is tried.
void warm_up() {
    constexpr uint64_t n = 10;
    for (uint64_t seed = 0; seed < n; ++seed) run_program(make_program(seed));
}

uint64_t seed_of(int64_t number) {
    return static_cast<uint64_t>(number_from("SIMULATION_SEED", 20250)) + static_cast<uint64_t>(number) * 0x9e3779b97f4a7c15u;
}

TEST(Simulation, ASeedReplaysExactly) {
    warm_up();
    for (int64_t number = 0; number < 20; ++number) {
        const Program program = make_program(seed_of(number));
        const Result one = run_program(program), two = run_program(program);
        EXPECT_EQ(one.outcome.points, two.outcome.points) << number;
        EXPECT_EQ(one.ends, two.ends) << number;
        EXPECT_EQ(one.features, two.features) << number;
    }
}

TEST(Simulation, EndsRightOrInAClearError) {
    warm_up();
    std::map<std::string, int64_t> ends, features, paths_taken;
    std::array<int64_t, simulation::n_faults> faults{};
    std::array<int64_t, simulation::n_rare> rare{};
    int64_t points = 0;
    const int64_t first = number_from("SIMULATION_FIRST", 0), n = number_from("SIMULATION_SCHEDULES", 10000), end = first + n;
    for (int64_t number = first; number < end; ++number) {
        const Program program = make_program(seed_of(number));
        const Result result = check_program(program);
        if (!result.failure.empty()) {
            const Program least = shrink(program);
            FAIL() << "SIMULATION_FIRST=" << number << ": " << result.failure << "\nshrunk: " << check_program(least).failure << "\n"
                   << printed(least);
        }
        points += result.outcome.points;
        add(ends, result.ends);
        add(features, result.features);
        for (size_t fault = 0; fault < faults.size(); ++fault) faults[fault] += result.outcome.faults[fault];
        for (size_t what = 0; what < rare.size(); ++what) rare[what] += result.outcome.rare[what];
        ++paths_taken[program.path];
    }
    const auto print = [](const char *what, const std::map<std::string, int64_t> &counts) {
        for (const auto &[name, count] : counts) std::printf("  %-6s %-28s %10lld\n", what, name.c_str(), static_cast<long long>(count));
    };
    std::printf("  %lld schedules, %lld points\n", static_cast<long long>(n), static_cast<long long>(points));
    print("call", ends);
    print("done", features);
    print("path", paths_taken);
    for (size_t fault = 1; fault < faults.size(); ++fault) {
        std::printf("  fault  %-28s %10lld\n", simulation::name_of(static_cast<Fault>(fault)), static_cast<long long>(faults[fault]));
        EXPECT_TRUE(faults[fault] > 0 || n < 1000);
    }
    for (size_t what = 0; what < rare.size(); ++what) {
        std::printf("  rare   %-28s %10lld\n", simulation::name_of_rare(static_cast<int>(what)), static_cast<long long>(rare[what]));
    }
    EXPECT_TRUE(rare[static_cast<size_t>(halo::Rare::not_open)] > 0 || n < 10000);
    EXPECT_TRUE(rare[static_cast<size_t>(halo::Rare::taken_back)] > 0 || n < 10000);
    for (const char *name : { "blocks",
                              "batch",
                              "points",
                              "transfer",
                              "reduction",
                              "sums",
                              "keys",
                              "keys by hash",
                              "star",
                              "ghosts of points",
                              "reverse of points",
                              "shared reduce of points",
                              "fetch of points",
                              "narrowed components",
                              "narrowed depth",
                              "phases",
                              "begun anew after a failure",
                              "run all at once",
                              "recreate",
                              "give up",
                              "reopen",
                              "memory given back",
                              "sweeps",
                              "several fields",
                              "field mask",
                              "lists",
                              "graph",
                              "boxes",
                              "distributed boxes",
                              "regions",
                              "joins",
                              "ghosts of cells",
                              "reverse of cells",
                              "sparse",
                              "sparse parts made",
                              "arrivals",
                              "arrivals by list",
                              "dense and sparse",
                              "channels",
                              "aggregated channels",
                              "channels alone",
                              "null of channels",
                              "data of channels",
                              "loops",
                              "added by loops",
                              "lowered by loops",
                              "raised by loops",
                              "strays",
                              "calls on another object",
                              "collectives ended" })
        EXPECT_TRUE(features[name] > 0 || n < 1000) << name;
}

} // namespace

} // namespace programs
