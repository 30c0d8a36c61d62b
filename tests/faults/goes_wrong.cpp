// SPDX-License-Identifier: BSD-3-Clause
// A rank or a plan goes wrong: who is told what, within which time, and what works afterwards.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

#include "solver.h"
#include "wrapped.h"

namespace conformance {

namespace {

struct Policy {
    int32_t messages;
    int32_t receive;
};

std::string name_of_policy(const testing::TestParamInfo<Policy> &info) {
    return std::string(info.param.messages == HALO_MESSAGES_AGGREGATE ? "aggregate" : "per_channel") +
           (info.param.receive == HALO_RECEIVE_POSTED ? "_posted" : "_probed");
}

class GoesWrong : public testing::TestWithParam<Policy> {
protected:
    SolverShape shape() const {
        SolverShape made;
        made.messages = GetParam().messages;
        made.receive = GetParam().receive;
        return made;
    }
};

INSTANTIATE_TEST_SUITE_P(Policies, GoesWrong,
                         testing::Values(Policy{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED },
                                         Policy{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_PROBED },
                                         Policy{ HALO_MESSAGES_PER_CHANNEL, HALO_RECEIVE_POSTED },
                                         Policy{ HALO_MESSAGES_PER_CHANNEL, HALO_RECEIVE_PROBED }),
                         name_of_policy);

void wait_for(const std::atomic<bool> &flag) {
    while (!flag) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// The first run, then the start of a second, for which rank 1 waits.
void start_late(Solver &solver, const Rank &rank, const std::atomic<bool> &go) {
    solver.run();
    solver.fill();
    if (rank.rank == 1) wait_for(go);
    OK(solver.start());
}

// A time limit that passes leaves the run in flight; the text says what is missing. When the peer comes after all, the run ends well.
TEST_P(GoesWrong, ARankThatDoesNotStartIsNamed) {
    std::atomic<bool> go = false;
    run(2, {}, [&](Rank &rank) {
        SolverShape made = shape();
        made.timeout_seconds = rank.rank == 0 ? 0.3 : 20;
        Solver solver(rank, made);
        start_late(solver, rank, go);
        if (rank.rank == 0) {
            expect_failure(solver.finish(), HALO_TIMEOUT,
                           { "1 -> 0", "field density", "side x-", "rank 1", "rank 0", "run 2", "receiver stale", "sender", "8 bytes" });
            expect_failure(halo_exchange_destroy(&solver.exchange), HALO_BUSY, { "in flight" });
            go = true;
            OK(halo_context_set(rank.context, "timeout", "20s"));
            halo_status status = HALO_TIMEOUT;
            for (int turn = 0; turn < 60 && status == HALO_TIMEOUT; ++turn) status = solver.finish();
            OK(status);
        } else {
            OK(solver.finish());
        }
        solver.check();
        solver.run();
        solver.destroy();
    });
}

struct Log {
    std::mutex mutex;
    std::string text;
    static void write(void *user, int32_t, const char *line) {
        auto &self = *static_cast<Log *>(user);
        const std::lock_guard lock(self.mutex);
        self.text += std::string(line) + "\n";
    }
};

// After short runs, which are not all measured.
TEST(Times, OfWaitsThatLastAreMeasuredInEachRun) {
    constexpr auto pause = std::chrono::milliseconds(20);
    constexpr int n_short = 35, n_slow = 6;
    std::atomic<int> started = 0;
    run(2, {}, [&](Rank &rank) {
        Solver solver(rank, {});
        const auto wait_for_starts = [&](int n) {
            while (started < n) std::this_thread::yield();
        };
        for (int short_run = 0; short_run < n_short; ++short_run) {
            solver.fill();
            OK(solver.start());
            ++started;
            wait_for_starts(2 * (short_run + 1));
            OK(solver.finish());
            solver.check();
        }
        const double before = solver.stats().wait_seconds;
        for (int slow = 0; slow < n_slow; ++slow) {
            solver.fill();
            if (rank.rank == 1) {
                wait_for_starts(2 * n_short + slow + 1);
                std::this_thread::sleep_for(pause);
            }
            OK(solver.start());
            if (rank.rank == 0) ++started;
            OK(solver.finish());
            solver.check();
        }
        const double waited = solver.stats().wait_seconds - before;
        const double least = rank.rank == 0 ? 0.9 * n_slow * std::chrono::duration<double>(pause).count() : 0;
        EXPECT_GE(waited, least);
        EXPECT_GE(solver.stats().total_seconds, solver.stats().wait_seconds);
        solver.destroy();
    });
}

// A slow peer is legal: what is missing is logged while the wait goes on.
TEST_P(GoesWrong, ASlowRankIsWarnedAbout) {
    Log log;
    run_raw(2, [&](halo_inproc *group, int32_t number) {
        const halo_setting warn{ "warn_after", "50ms" };
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.settings = &warn;
        options.n_settings = 1;
        options.log = Log::write;
        options.log_user = &log;
        Rank rank{ nullptr, number, 2 };
        OK(halo_context_create_inproc(group, number, &options, &rank.context));
        SolverShape made = shape();
        made.timeout_seconds = 0;
        Solver solver(rank, made);
        solver.run();
        solver.fill();
        if (number == 1) std::this_thread::sleep_for(std::chrono::milliseconds(400));
        OK(solver.start());
        OK(solver.finish());
        solver.check();
        solver.destroy();
        OK(halo_context_destroy(&rank.context));
    });
    std::vector<std::string> words{ "waiting for", "rank 1" };
    if (GetParam().messages == HALO_MESSAGES_AGGREGATE) words.insert(words.end(), { "1 -> 0", "8 bytes" });
    for (const std::string &word : words) EXPECT_NE(log.text.find(word), std::string::npos) << word << " in " << log.text;
}

// Who only sends may be done with its last run before its peer has begun it. Its context waits for that, as long as it may.
TEST(OneWay, AContextThatGoesWaitsForRunsOfItsPeers) {
    Log log;
    std::atomic<bool> gone = false;
    run_raw(2, [&](halo_inproc *group, int32_t number) {
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.log = Log::write;
        options.log_user = &log;
        Rank rank{ nullptr, number, 2 };
        OK(halo_context_create_inproc(group, number, &options, &rank.context));
        SolverShape one_way;
        one_way.ghost_high = 0;
        Solver solver(rank, one_way);
        solver.run();
        solver.fill();
        OK(solver.start());
        if (number == 1) {
            wait_for(gone);
            OK(halo_exchange_abandon(solver.exchange));
        } else {
            OK(solver.finish());
            OK(halo_context_set(rank.context, "timeout", "100ms"));
        }
        solver.destroy();
        OK(halo_context_destroy(&rank.context));
        gone = true;
    });
    EXPECT_NE(log.text.find("gave up word that rank 1 has ended its last run"), std::string::npos) << log.text;
}

// That word is lost on its way, and so is all else: who is told so waits for it no longer.
TEST(OneWay, AContextThatGoesDoesNotWaitForWhatIsLost) {
    choose_wrapper();
    std::atomic<bool> loses = false;
    const auto begin = std::chrono::steady_clock::now();
    run_wrapped(2, { { "timeout", "40s" } }, [&](Rank &rank) {
        SolverShape one_way;
        one_way.ghost_high = 0;
        Solver solver(rank, one_way);
        solver.run();
        solver.fill();
        OK(solver.start());
        if (rank.rank == 1) wait_for(loses);
        OK(solver.finish());
        solver.destroy();
        if (rank.rank == 1) return;
        wrap_faults faults{};
        faults.fail = 1;
        faults.most = 1000;
        wrapper().set_faults(&faults);
        loses = true;
    });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(seconds.count(), 20);
}

// Its peers fail naming it and its reason, nobody waits, and the next run works. Rank 3 is no neighbour of the one that fails.
TEST_P(GoesWrong, ARankThatFailsInStartTellsItsPeers) {
    run(4, {}, [&](Rank &rank) {
        SolverShape made = shape();
        made.n_blocks = 4;
        Solver solver(rank, made);
        solver.run();
        solver.fill();
        if (rank.rank == 1) {
            solver.bind(false);
            expect_failure(solver.start(), HALO_ERR_UNBOUND, { "density", "part 1", "rank 1", "no storage" });
            solver.bind(true);
        } else {
            OK(solver.start());
            if (rank.rank == 3)
                OK(solver.finish());
            else
                expect_failure(solver.finish(), HALO_ERR_PEER, { "rank 1", "HALO_ERR_UNBOUND", "density", "part 1", "no storage" });
        }
        for (int more = 0; more < 4; ++more) solver.run();
        if (rank.rank == 1 && solver.stats().dropped < 1) stop("what the peers sent for the failed run was not counted as dropped");
        solver.destroy();
    });
}

// ---- plans that differ

struct Difference {
    const char *name;
    std::function<void(SolverShape &)> change; // on rank 1
    std::vector<std::string> words;
};

const std::vector<Difference> &differences() {
    static const std::vector<Difference> all{
        { "ghost width", [](SolverShape &s) { s.ghost_low = 2; }, { "1 ghost layers on rank 0, 2+1 on rank 1" } },
        { "no ghosts", [](SolverShape &s) { s.ghost_low = 0; }, { "1 ghost layers on rank 0, 0+1 on rank 1" } },
        { "components", [](SolverShape &s) { s.n_components = 3; }, { "1 components on rank 0, 3 on rank 1" } },
        { "type", [](SolverShape &s) { s.type = HALO_INT64; }, { "float64 values on rank 0, int64 on rank 1" } },
        { "name", [](SolverShape &s) { s.name = "pressure"; }, { "fields: ", "pressure on rank 1" } },
        { "periodic",
          [](SolverShape &s) { s.periodic = true; },
          { "topology of field density: ", " cells on rank 0", " cells, periodic along x on rank 1" } },
    };
    return all;
}

TEST_P(GoesWrong, PlansThatDifferAreNamedOnBothRanks) {
    for (const Difference &difference : differences()) {
        const auto begin = std::chrono::steady_clock::now();
        run(2, {}, [&](Rank &rank) {
            SolverShape made = shape();
            if (rank.rank == 1) difference.change(made);
            Solver solver(rank, made);
            solver.fill();
            halo_status status = solver.start();
            if (status == HALO_SUCCESS) status = solver.finish();
            try {
                std::vector<std::string> words = difference.words;
                words.insert(words.end(), { "the plans of rank", "rank 0", "rank 1" });
                expect_failure(status, HALO_ERR_MISMATCH, words);
            } catch (const Stop &reason) {
                stop("%s: %s", difference.name, reason.text.c_str());
            }
            solver.destroy();
        });
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        EXPECT_LT(seconds.count(), 8) << difference.name;
        if (HasFailure()) return;
    }
}

// In a grid of two directions, where stencils differ, and with two fields, of which one is missing or which come in another order.
struct TwoFields {
    halo_topology *topology = nullptr;
    halo_field *fields[2] = {};
    halo_exchange *exchange = nullptr;

    TwoFields(const Rank &rank, const halo_exchange_desc &desc, const std::vector<int> &order) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 2;
        blocks.n_blocks[0] = blocks.n_blocks[1] = 2;
        blocks.n_cells[0] = blocks.n_cells[1] = 4;
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology));
        std::vector<halo_field *> used;
        used.reserve(order.size());
        for (int i = 0; i < 2; ++i) {
            halo_field_desc field = HALO_FIELD_DESC_INIT;
            field.name = i == 0 ? "u" : "v";
            field.n_components = i + 1;
            for (int d = 0; d < 2; ++d) field.ghost_low[d] = field.ghost_high[d] = 2;
            OK(halo_field_create(topology, &field, &fields[i]));
            OK(halo_field_allocate(fields[i], -1));
        }
        for (const int i : order) used.push_back(fields[i]);
        OK(halo_exchange_create(used.data(), static_cast<int32_t>(used.size()), &desc, &exchange));
    }
    halo_status run(const halo_run *run = nullptr) {
        const halo_status status = halo_exchange_start(exchange, run, HALO_STREAM_NONE);
        return status == HALO_SUCCESS ? halo_exchange_finish(exchange, HALO_STREAM_NONE) : status;
    }
    void destroy() {
        OK(halo_exchange_destroy(&exchange));
        OK(halo_field_destroy(&fields[0]));
        OK(halo_field_destroy(&fields[1]));
        OK(halo_topology_destroy(&topology));
    }
};

TEST_P(GoesWrong, StencilsAndFieldsThatDifferAreNamed) {
    struct Variant {
        const char *name;
        int32_t stencil;
        std::vector<int> order;
        std::vector<std::string> words;
    };
    const Variant variants[] = {
        { "stencil", HALO_STENCIL_FACES, { 0, 1 }, { "kind: ghosts, full stencil on rank 0, ghosts, stencil of faces on rank 1" } },
        { "missing field", HALO_STENCIL_FULL, { 0 }, { "fields: u v on rank 0, u on rank 1" } },
        { "order of fields", HALO_STENCIL_FULL, { 1, 0 }, { "fields: u v on rank 0, v u on rank 1" } }
    };
    for (const Variant &variant : variants)
        run(2, {}, [&](Rank &rank) {
            halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
            desc.messages = GetParam().messages;
            desc.receive = GetParam().receive;
            desc.timeout_seconds = 10;
            desc.stencil = rank.rank == 1 ? variant.stencil : HALO_STENCIL_FULL;
            TwoFields fields(rank, desc, rank.rank == 1 ? variant.order : std::vector<int>{ 0, 1 });
            try {
                expect_failure(fields.run(), HALO_ERR_MISMATCH, { "the plans of rank", "rank 0", "rank 1" });
                if (rank.rank == 1) expect_failure(HALO_ERR_MISMATCH, HALO_ERR_MISMATCH, {});
                expect_failure(HALO_ERR_MISMATCH, HALO_ERR_MISMATCH, variant.words);
            } catch (const Stop &reason) {
                stop("%s: %s", variant.name, reason.text.c_str());
            }
            fields.destroy();
        });
}

TEST_P(GoesWrong, NarrowingThatDiffersIsNamed) {
    struct Variant {
        const char *name;
        std::function<void(halo_run &)> change; // on rank 1
        std::vector<std::string> words;
    };
    static const int32_t only_first[] = { 1, 0 };
    const Variant variants[] = {
        { "depth", [](halo_run &run) { run.depth = 1; }, { "rank 0 runs u, v, rank 1 u, v, depth 1" } },
        { "ghosts", [](halo_run &run) { run.has_ghosts = 1, run.ghost_low[0] = 1; }, { "rank 0 runs u, v, rank 1 u, v, ghosts 1 0 0, 0 0 0" } },
        { "components", [](halo_run &run) { run.n_components = 1; }, { "rank 0 runs u, v, rank 1 u, v, components 0+1" } },
        { "fields", [](halo_run &run) { run.n_fields = 2, run.field_mask = only_first; }, { "rank 0 runs u, v, rank 1 u" } }
    };
    for (const Variant &variant : variants)
        run(2, {}, [&](Rank &rank) {
            halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
            desc.messages = GetParam().messages;
            desc.receive = GetParam().receive;
            desc.timeout_seconds = 10;
            TwoFields fields(rank, desc, { 0, 1 });
            OK(fields.run());
            halo_run narrowed = HALO_RUN_INIT;
            if (rank.rank == 1) variant.change(narrowed);
            std::vector<std::string> words = variant.words;
            words.insert(words.end(), { "narrowed differently", "rank 0", "rank 1" });
            try {
                expect_failure(fields.run(&narrowed), HALO_ERR_MISMATCH, words);
            } catch (const Stop &reason) {
                stop("%s: %s", variant.name, reason.text.c_str());
            }
            fields.destroy();
        });
}

// ---- giving up

// The peer that was waited for in vain comes late, and must not be disturbed by what was given up; a new exchange works at once.
TEST_P(GoesWrong, AnAbandonedRunDisturbsNothing) {
    std::atomic<bool> go = false;
    run(2, {}, [&](Rank &rank) {
        SolverShape made = shape();
        made.timeout_seconds = rank.rank == 0 ? 0.1 : 20;
        Solver solver(rank, made);
        solver.run();
        solver.fill();
        if (rank.rank == 0) {
            OK(solver.start());
            expect_failure(solver.finish(), HALO_TIMEOUT, { "rank 1" });
            OK(halo_exchange_abandon(solver.exchange));
            expect_failure(solver.start(), HALO_ERR_STATE, { "abandoned" });
            go = true;
        } else {
            wait_for(go);
            OK(solver.start());
            OK(solver.finish());
            solver.check();
        }
        OK(halo_exchange_destroy(&solver.exchange));
        Solver second(rank, shape());
        for (int more = 0; more < 5; ++more) second.run();
        second.destroy();
        solver.destroy();
    });
}

// Tags go round: the late message of an abandoned run meets an exchange with the same tag, and is dropped and counted.
TEST(LateMessages, AreDroppedAndCounted) {
    std::atomic<bool> go = false;
    run(2, {}, [&](Rank &rank) {
        SolverShape made;
        made.timeout_seconds = rank.rank == 0 ? 0.1 : 20;
        Solver solver(rank, made);
        start_late(solver, rank, go);
        if (rank.rank == 0) {
            expect_failure(solver.finish(), HALO_TIMEOUT, { "rank 1" });
            OK(halo_exchange_abandon(solver.exchange));
            go = true;
        } else {
            OK(solver.finish());
        }
        OK(halo_exchange_destroy(&solver.exchange));
        constexpr int32_t tags = 32768 - 16; // of one lane, besides those of collectives
        for (int32_t i = 0; i + 1 < tags; ++i) {
            solver.make_exchange();
            OK(halo_exchange_destroy(&solver.exchange));
        }
        OK(halo_context_barrier(rank.context));
        Solver second(rank, SolverShape{});
        for (int more = 0; more < 3; ++more) second.run();
        if (rank.rank == 0 && second.stats().dropped != 1) stop("%lld messages were dropped", static_cast<long long>(second.stats().dropped));
        second.destroy();
        solver.destroy();
    });
}

// ---- arrivals

halo_status refuse_arrival(void *, const halo_arrival *) { return HALO_ERR_MEMORY; }

TEST_P(GoesWrong, AnArrivalThatCannotBeStoredEndsTheRun) {
    run(2, {}, [&](Rank &rank) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1;
        blocks.n_blocks[0] = 2;
        blocks.n_cells[0] = 4;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "tracer";
        desc.sparse = 1;
        desc.ghost_low[0] = desc.ghost_high[0] = 1;
        halo_field *field = nullptr;
        OK(halo_field_create(topology, &desc, &field));
        if (rank.rank == 0) {
            OK(halo_field_allocate(field, 0));
            void *data = nullptr;
            OK(halo_field_data(field, 0, 0, &data));
            for (int i = 1; i < 5; ++i) static_cast<double *>(data)[i] = 1;
        }
        halo_exchange_desc exchange_desc = HALO_EXCHANGE_DESC_INIT;
        exchange_desc.messages = GetParam().messages;
        exchange_desc.receive = GetParam().receive;
        exchange_desc.timeout_seconds = 10;
        exchange_desc.arrival = refuse_arrival;
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(&field, 1, &exchange_desc, &exchange));
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        const halo_status status = halo_exchange_finish(exchange, HALO_STREAM_NONE);
        if (rank.rank == 1)
            expect_failure(status, HALO_ERR_MEMORY, { "arrival callback", "HALO_ERR_MEMORY", "tracer", "part 1" });
        else
            OK(status);
        OK(halo_exchange_destroy(&exchange));
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    });
}

// ---- contexts

TEST(Contexts, SettingsThatMustAgreeAreCompared) {
    run_raw(3, [](halo_inproc *group, int32_t rank) {
        halo_context *context = nullptr;
        const Settings settings{ { "check", rank == 2 ? "yes" : "no" }, { "timeout", rank == 1 ? "21s" : "20s" } };
        const halo_status status = make_context(group, rank, settings, &context);
        expect_failure(status, HALO_ERR_MISMATCH, { "check", "no", "yes", "rank 0", "rank 2" });
        if (context) stop("a context was made");
    });
}

TEST(Contexts, ALauncherWithoutTransportIsAnError) {
    unsetenv("HALO_TRANSPORT");
    unsetenv("HALO_PLUGIN_PATH");
    setenv("SLURM_STEP_NUM_TASKS", "4", 1);
    halo_context *context = nullptr;
    const halo_status status = halo_context_create(nullptr, &context);
    const std::string text = halo_last_error();
    unsetenv("SLURM_STEP_NUM_TASKS");
    EXPECT_EQ(status, HALO_ERR_PLUGIN) << text;
    EXPECT_EQ(context, nullptr);
    EXPECT_NE(text.find("4 ranks"), std::string::npos) << text;
    EXPECT_NE(text.find("SLURM_STEP_NUM_TASKS"), std::string::npos) << text;
}

// ---- check mode

TEST_P(GoesWrong, CheckModePoisonsGhostsUntilFinish) {
    run(2, { { "check", "yes" } }, [&](Rank &rank) {
        Solver solver(rank, shape());
        for (int time = 0; time < 3; ++time) {
            solver.fill();
            OK(solver.start());
            const Store &store = solver.field->store(0, 0);
            const int64_t ghost = rank.rank == 0 ? 4 : -1; // towards the other rank; the outer one belongs to nobody
            double between;
            std::memcpy(&between, store.element(element_at(store.layout, { ghost, 0, 0 }, 0), 8), 8);
            if (!std::isnan(between)) stop("a ghost is not poisoned between start and finish, but %g", between);
            OK(solver.finish());
            solver.check();
        }
        solver.destroy();
    });
}

} // namespace

} // namespace conformance
