// SPDX-License-Identifier: BSD-3-Clause
// Random programs under random schedules with faults. Each call of each rank ends in a right result, or in a clear error, and afterwards all can be
// destroyed and nothing is left. SIMULATION_SEED and SIMULATION_FIRST run one again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fibers.h"
#include "storage.h"

namespace conformance {

namespace {

using simulation::Event;
using simulation::Fault;
using simulation::InLibrary;

// The same on all ranks.
struct Step {
    enum class What : uint8_t { run, run_all, recreate } what = What::run;
    size_t exchange = 0;
};
const char *const step_names[] = { "run", "run all at once", "recreate" };
const char *const paths[] = { "auto", "message", "slot", "put", "get", "direct" };

struct Program {
    uint64_t seed = 0;
    int32_t n_ranks = 2;
    Grid grid;
    std::vector<FieldCase> fields; // one exchange each
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    std::string path = "auto";
    std::vector<Step> steps;
    std::vector<Event> events;
    double switches = 0.1, delays = 0;

    std::string describe() const;
};

std::string Program::describe() const {
    std::string text = text_of("%d ranks, %s\npath %s, messages %d, receive %d, stable %d, switches %g, delays %g\n", n_ranks,
                               grid.describe().c_str(), path.c_str(), desc.messages, desc.receive, desc.source_stable, switches, delays);
    for (const FieldCase &field : fields) text += "exchange of " + field.describe() + "\n";
    for (const Step &step : steps) text += text_of("  %s %zu\n", step_names[static_cast<size_t>(step.what)], step.exchange);
    for (const Event &event : events)
        text +=
            text_of("  %s of rank %d at %lld, %g s\n", simulation::name_of(event.fault), event.rank, static_cast<long long>(event.at), event.seconds);
    return text;
}

Event make_event(const Program &made, Random &random) {
    const auto fault = static_cast<Fault>(pick(random, 0, simulation::n_faults - 1));
    const double longest = chance(random, 0.5) ? 1e-4 : 30;
    return { fault, static_cast<int32_t>(pick(random, 0, made.n_ranks - 1)), pick(random, 0, chance(random, 0.5) ? 200 : 2000), longest };
}

Program make_program(uint64_t seed) {
    Program made;
    made.seed = seed;
    Random random(seed);
    made.n_ranks = static_cast<int32_t>(pick(random, 2, 4));
    Grid &grid = made.grid;
    grid.n_dims = static_cast<int32_t>(pick(random, 1, 2));
    for (int d = 0; d < grid.n_dims; ++d) {
        grid.blocks[d] = pick(random, 1, 3);
        grid.cells[d] = pick(random, 2, 4);
        grid.periodic[d] = chance(random, 0.5);
    }
    grid.blocks[0] = std::max<int64_t>(2, grid.blocks[0]);
    grid.number();
    grid.place_at_random(made.n_ranks, random);
    made.fields.resize(static_cast<size_t>(pick(random, 1, 3)));
    for (size_t i = 0; i < made.fields.size(); ++i) {
        FieldCase &field = made.fields[i];
        field.name = text_of("u%zu", i);
        field.n_components = static_cast<int32_t>(pick(random, 1, 2));
        field.bind = chance(random, 0.7) ? BindKind::allocate : BindKind::bind;
        for (int d = 0; d < grid.n_dims; ++d) {
            field.ghosts.low[d] = static_cast<int32_t>(pick(random, 0, grid.cells[d]));
            field.ghosts.high[d] = static_cast<int32_t>(pick(random, 1, grid.cells[d]));
        }
    }
    made.desc.messages = static_cast<int32_t>(pick(random, HALO_MESSAGES_AUTO, HALO_MESSAGES_PER_CHANNEL));
    made.desc.receive = static_cast<int32_t>(pick(random, HALO_RECEIVE_AUTO, HALO_RECEIVE_PROBED));
    made.desc.source_stable = chance(random, 0.5);
    made.desc.timeout_seconds = 2;
    made.path = paths[pick(random, 0, std::ssize(paths) - 1)];
    for (int64_t i = pick(random, 2, 8); i > 0; --i)
        made.steps.push_back({ static_cast<Step::What>(pick(random, 0, 2)), static_cast<size_t>(pick(random, 0, std::ssize(made.fields) - 1)) });
    if (const Event event = make_event(made, random); event.fault != Fault::none) made.events.push_back(event);
    made.switches = chance(random, 0.5) ? 0.5 : 0.05;
    made.delays = chance(random, 0.3) ? 0 : chance(random, 0.5) ? 0.1 : 0.3;
    return made;
}

bool may_end_in(const Program &program, halo_status status) {
    const auto has = [&](Fault fault) {
        return std::any_of(program.events.begin(), program.events.end(), [&](const Event &e) { return e.fault == fault; });
    };
    if (status == HALO_ERR_MEMORY) return has(Fault::memory);
    const bool of_peers = status == HALO_TIMEOUT || status == HALO_ERR_PEER || status == HALO_ERR_TRANSPORT; // a peer has closed
    return !program.events.empty() && of_peers;
}

// One rank's run of a program.
class Player {
public:
    Player(const Program &program, halo_context *context, int32_t rank)
        : program_(program),
          context_(context),
          rank_(rank),
          random_(program.seed + 977 * static_cast<uint64_t>(rank)) {}

    halo_status play() {
        const halo_blocks_desc desc = program_.grid.desc();
        OK(halo_topology_create_blocks(context_, &desc, &topology_));
        for (const FieldCase &field : program_.fields)
            stores_.push_back(std::make_unique<FieldStores>(topology_, program_.grid, rank_, field, Random(program_.seed)));
        exchanges_.resize(stores_.size());
        for (size_t i = 0; i < stores_.size(); ++i) create(i);
        OK(halo_barrier(context_));
        simulation::begin_faults();
        for (size_t i = 0; i < program_.steps.size() && status_ == HALO_SUCCESS; ++i) take(program_.steps[i], static_cast<int64_t>(i));
        return status_;
    }

    void destroy() {
        for (halo_exchange *&exchange : exchanges_)
            if (exchange && status_ != HALO_SUCCESS) halo_exchange_abandon(exchange); // refused where none is in flight
        for (halo_exchange *&exchange : exchanges_)
            if (exchange) until_free([&] { return halo_exchange_destroy(&exchange); });
        for (auto &store : stores_) store->destroy();
        until_free([&] { return halo_topology_destroy(&topology_); });
    }

private:
    template <class Call>
    bool works(Call &&call) {
        {
            const InLibrary inside;
            status_ = call();
        }
        if (status_ == HALO_SUCCESS) return true;
        const std::string text = halo_last_error();
        if (!may_end_in(program_, status_) || (status_ != HALO_ERR_MEMORY && text.find("rank ") == std::string::npos))
            stop("not a clear error: %s: %s", halo_status_name(status_), text.c_str());
        return false;
    }
    // Storage that a peer may still use is not free yet.
    template <class Call>
    static void until_free(Call &&call) {
        for (int i = 0; i < 1000; ++i) {
            const halo_status status = call();
            if (status == HALO_SUCCESS) return;
            if (status != HALO_BUSY) stop("destroy: %s: %s", halo_status_name(status), halo_last_error());
            simulation::sleep_for(0.1);
        }
        stop("still in use: %s", halo_last_error());
    }

    bool create(size_t i) {
        halo_field *field = stores_[i]->handle();
        return works([&] { return halo_exchange_create(&field, 1, &program_.desc, &exchanges_[i]); });
    }
    bool start(size_t i, int64_t time) {
        stores_[i]->fill(0, time);
        return works([&] { return halo_exchange_start(exchanges_[i], nullptr, HALO_STREAM_NONE); }) || give_up(i);
    }
    bool finish(size_t i, int64_t time) {
        if (!works([&] { return halo_exchange_finish(exchanges_[i], HALO_STREAM_NONE); })) return give_up(i);
        stores_[i]->expect_ghosts(0, time, [](int64_t, const Triple &, int32_t) { return true; });
        if (const std::string difference = stores_[i]->first_difference(); !difference.empty()) stop("a result is wrong: %s", difference.c_str());
        return true;
    }
    bool give_up(size_t i) {
        const halo_status status = status_;
        if (status == HALO_TIMEOUT) OK(halo_exchange_abandon(exchanges_[i]));
        status_ = status;
        return false;
    }

    void take(const Step &step, int64_t time) {
        const size_t i = step.exchange;
        switch (step.what) {
        case Step::What::run:
            if (start(i, time)) finish(i, time);
            return;
        case Step::What::run_all: return take_all(time);
        case Step::What::recreate:
            if (works([&] { return halo_exchange_destroy(&exchanges_[i]); })) create(i);
            return;
        }
    }
    // They finish in an order of this rank's own.
    void take_all(int64_t time) {
        std::vector<size_t> order(exchanges_.size());
        for (size_t i = 0; i < order.size(); ++i) {
            order[i] = i;
            if (!start(i, time)) return;
        }
        std::shuffle(order.begin(), order.end(), random_);
        for (const size_t i : order)
            if (!finish(i, time)) return;
    }

    const Program &program_;
    halo_context *context_;
    int32_t rank_;
    Random random_;
    halo_topology *topology_ = nullptr;
    std::vector<std::unique_ptr<FieldStores>> stores_;
    std::vector<halo_exchange *> exchanges_;
    halo_status status_ = HALO_SUCCESS;
};

struct Result {
    std::string failure; // empty: none
    simulation::Outcome outcome;
    std::map<std::string, int64_t> ends;
};

void play(const Program &program, halo_inproc *group, int32_t rank, Result &result) {
    const Settings settings{
        { "timeout", "5s" }, { "wait.spin", "0" }, { "path", program.path }, { "shared_memory.least", "0" }, { "log_level", "error" }
    };
    try {
        halo_context *context = nullptr;
        OK(make_context(group, rank, settings, &context));
        {
            Player player(program, context, rank);
            const halo_status status = player.play();
            ++result.ends[halo_status_name(status)];
            player.destroy();
        }
        for (int i = 0; i < 1000 && halo_context_destroy(&context) == HALO_BUSY; ++i) simulation::sleep_for(0.1);
        if (context) stop("the context is left: %s", halo_last_error());
    } catch (const Stop &reason) {
        if (result.failure.empty() && !simulation::has_died()) result.failure = text_of("rank %d: %s", rank, reason.text.c_str());
    }
}

Result run_once(const Program &program) {
    Result result;
    const int64_t before = simulation::n_live();
    halo_inproc *group = nullptr;
    if (halo_inproc_create(program.n_ranks, &group) != HALO_SUCCESS) return { halo_last_error(), {}, {} };
    simulation::RandomScheduler scheduler(program.seed, program.switches, program.delays);
    result.outcome = simulation::run(program.n_ranks, scheduler, program.events, [&](int32_t rank) { play(program, group, rank, result); });
    if (halo_inproc_destroy(&group) != HALO_SUCCESS && result.failure.empty()) result.failure = halo_last_error();
    if (const int64_t left = simulation::n_live() - before - std::ssize(result.ends); left != 0 && result.failure.empty() && program.events.empty())
        result.failure = text_of("%lld allocations are left", static_cast<long long>(left));
    return result;
}

// What is made once and kept is not left again.
Result run_program(const Program &program) {
    Result result = run_once(program);
    return result.failure.empty() ? result : run_once(program);
}

// With fewer steps and faults, as long as it fails.
Program shrink(Program program) {
    for (bool smaller = true; smaller;) {
        smaller = false;
        const auto keep_if_it_fails = [&](const Program &less) {
            if (run_program(less).failure.empty()) return false;
            program = less;
            return smaller = true;
        };
        for (size_t i = program.steps.size(); i-- > 0;) {
            Program less = program;
            less.steps.erase(less.steps.begin() + static_cast<std::ptrdiff_t>(i));
            keep_if_it_fails(less);
        }
        Program calm = program;
        calm.events.clear();
        if (!program.events.empty()) keep_if_it_fails(calm);
        Program fast = program;
        fast.delays = 0;
        if (program.delays > 0) keep_if_it_fails(fast);
    }
    return program;
}

uint64_t seed_of(int64_t number) {
    return static_cast<uint64_t>(number_from("SIMULATION_SEED", 20250)) + static_cast<uint64_t>(number) * 0x9e3779b97f4a7c15u;
}

TEST(Simulation, ASeedReplaysExactly) {
    for (int64_t number = 0; number < 20; ++number) {
        const Program program = make_program(seed_of(number));
        const Result one = run_program(program), two = run_program(program);
        EXPECT_EQ(one.outcome.points, two.outcome.points) << number;
        EXPECT_EQ(one.ends, two.ends) << number;
    }
}

TEST(Simulation, EndsRightOrInAClearError) {
    std::map<std::string, int64_t> ends, paths_taken;
    std::array<int64_t, simulation::n_faults> faults{};
    int64_t points = 0;
    const int64_t first = number_from("SIMULATION_FIRST", 0), end = first + number_from("SIMULATION_SCHEDULES", 2000);
    for (int64_t number = first; number < end; ++number) {
        const Program program = make_program(seed_of(number));
        const Result result = run_program(program);
        if (!result.failure.empty()) {
            const Program least = shrink(program);
            FAIL() << "SIMULATION_FIRST=" << number << ": " << result.failure << "\nshrunk: " << run_program(least).failure << "\n"
                   << least.describe();
        }
        points += result.outcome.points;
        for (const auto &[status, n] : result.ends) ends[status] += n;
        for (size_t fault = 0; fault < faults.size(); ++fault) faults[fault] += result.outcome.faults[fault];
        ++paths_taken[program.path];
    }
    std::printf("  %lld schedules, %lld points\n", static_cast<long long>(end - first), static_cast<long long>(points));
    for (const auto &[status, n] : ends) std::printf("  ranks that end in %-20s %8lld\n", status.c_str(), static_cast<long long>(n));
    for (size_t fault = 1; fault < faults.size(); ++fault)
        std::printf("  %-10s %8lld\n", simulation::name_of(static_cast<Fault>(fault)), static_cast<long long>(faults[fault]));
    for (const auto &[path, n] : paths_taken) std::printf("  path %-10s %8lld\n", path.c_str(), static_cast<long long>(n));
}

} // namespace

} // namespace conformance
