// SPDX-License-Identifier: BSD-3-Clause
// Thousands of schedules with faults in the transport: every one ends in a right result, or in a clear error within the time limit, after
// which everything can be given up and destroyed. As threads, or with --processes under a launcher: WRAP_MODULE then names what is inside of the
// wrapper.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "storage.h"
#include "wrapped.h"

namespace conformance {

namespace {

enum class Fault : uint8_t { none, delay, duplicate, drop, truncate, corrupt, refuse, fail, mixed };
constexpr int n_faults = 9;
const char *const fault_names[n_faults] = { "slow tests",    "delays, reordered", "duplicates",   "drops",       "cut messages",
                                            "damaged bytes", "refused calls",     "failed tests", "all together" };

// Nothing is lost: the result must be right.
bool harmless(Fault fault) { return fault <= Fault::delay; }

wrap_faults make_faults(Fault fault, Random &random) {
    wrap_faults faults{};
    faults.seed = random();
    faults.slow_test = chance(random, 0.5) ? 0.3 : 0;
    faults.spare = pick(random, 0, 30);
    faults.most = pick(random, 1, 2);
    const double often = chance(random, 0.5) ? 1 : 0.2;
    const auto has = [&](Fault wanted) { return fault == wanted || fault == Fault::mixed; };
    faults.delay = has(Fault::delay) ? 0.4 : 0;
    faults.duplicate = has(Fault::duplicate) ? often : 0;
    faults.drop = fault == Fault::drop ? often : fault == Fault::mixed ? 0.1 : 0;
    faults.truncate = has(Fault::truncate) ? often : 0;
    faults.corrupt = has(Fault::corrupt) ? often : 0;
    faults.refuse = fault == Fault::refuse ? often : fault == Fault::mixed ? 0.1 : 0;
    faults.fail = fault == Fault::fail ? often : fault == Fault::mixed ? 0.1 : 0;
    return faults;
}

// What a schedule is, the same on all ranks.
struct Schedule {
    uint64_t seed = 0;
    Fault fault = Fault::none;
    int32_t n_ranks = 2;
    Grid grid;
    FieldCase field;
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    int64_t n_runs = 5;
    bool check = false;
    bool faulty_rank_only = false;
};

Schedule make_schedule(uint64_t seed, int64_t number, int32_t n_processes) {
    Schedule made;
    made.seed = seed + static_cast<uint64_t>(number) * 0x9e3779b97f4a7c15u;
    Random random(made.seed);
    made.fault = static_cast<Fault>(number % n_faults);
    made.n_ranks = static_cast<int32_t>(pick(random, 2, 4));
    if (!threads()) made.n_ranks = n_processes;
    Grid &grid = made.grid;
    grid.n_dims = static_cast<int32_t>(pick(random, 1, 3));
    for (int d = 0; d < grid.n_dims; ++d) {
        grid.blocks[d] = pick(random, 1, 3);
        grid.cells[d] = pick(random, 1, 4);
        grid.periodic[d] = chance(random, 0.5);
        made.field.ghosts.low[d] = static_cast<int32_t>(pick(random, 0, grid.cells[d]));
        made.field.ghosts.high[d] = static_cast<int32_t>(pick(random, 1, grid.cells[d]));
    }
    grid.blocks[0] = std::max<int64_t>(2, grid.blocks[0]);
    grid.number();
    grid.place_at_random(made.n_ranks, random);
    made.field.name = std::string("u");
    made.field.n_components = static_cast<int32_t>(pick(random, 1, 2));
    made.desc.messages = static_cast<int32_t>(pick(random, HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL));
    made.desc.receive = static_cast<int32_t>(pick(random, HALO_RECEIVE_POSTED, HALO_RECEIVE_PROBED));
    made.desc.timeout_seconds = harmless(made.fault) ? 20 : 0.2;
    // Nothing but check mode looks at payload.
    made.check = made.fault == Fault::corrupt || made.fault == Fault::mixed || chance(random, 0.2);
    made.faulty_rank_only = chance(random, 0.5);
    return made;
}

// How schedules ended, for the table.
struct Ends {
    std::mutex mutex;
    std::map<std::string, int64_t> counts; // "fault|status"
    std::map<std::string, std::string> examples;

    void add(Fault fault, halo_status status, const std::string &text) {
        const std::lock_guard lock(mutex);
        const std::string key = text_of("%s|%s", fault_names[static_cast<int>(fault)], halo_status_name(status));
        if (counts[key]++ == 0) examples[key] = text;
    }
};

bool clear_error(Fault fault, halo_status status, const std::string &text) {
    static constexpr halo_status allowed[] = { HALO_TIMEOUT, HALO_ERR_WIRE, HALO_ERR_MISMATCH, HALO_ERR_PEER, HALO_ERR_TRANSPORT, HALO_ERR_CHECK };
    const bool known = std::find(std::begin(allowed), std::end(allowed), status) != std::end(allowed);
    return !harmless(fault) && known && text.find("rank ") != std::string::npos;
}

// One run; a failed one is given up. The status, and in `text` why.
halo_status one_run(halo_exchange *exchange, std::string &text) {
    halo_status status = halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE);
    if (status == HALO_SUCCESS) status = halo_exchange_finish(exchange, HALO_STREAM_NONE);
    if (status == HALO_SUCCESS) return status;
    text = halo_last_error();
    if (status == HALO_TIMEOUT) OK(halo_exchange_abandon(exchange));
    return status;
}

void run_schedule(const Rank &rank, const Schedule &made, Ends &ends) {
    const halo_blocks_desc desc = made.grid.desc();
    halo_topology *topology = nullptr;
    OK(halo_topology_create_blocks(rank.context, &desc, &topology));
    FieldStores stores(topology, made.grid, rank.rank, made.field, Random(made.seed));
    halo_field *handle = stores.handle();
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(&handle, 1, &made.desc, &exchange));
    Random random(made.seed + static_cast<uint64_t>(rank.rank) * 17);
    if (!made.faulty_rank_only || rank.rank == 0) {
        const wrap_faults faults = make_faults(made.fault, random);
        wrapper().set_faults(&faults);
    }
    halo_status status = HALO_SUCCESS;
    std::string text;
    for (int64_t time = 0; time < made.n_runs && status == HALO_SUCCESS; ++time) {
        stores.fill(0, time);
        status = one_run(exchange, text);
        if (status != HALO_SUCCESS) break;
        stores.expect_ghosts(0, time, [](int64_t, const Triple &, int32_t) { return true; });
        if (const std::string difference = stores.first_difference(); !difference.empty())
            stop("run %lld is wrong: %s", static_cast<long long>(time), difference.c_str());
    }
    if (status != HALO_SUCCESS && !clear_error(made.fault, status, text)) stop("not a clear error: %s: %s", halo_status_name(status), text.c_str());
    ends.add(made.fault, status, text);
    OK(halo_exchange_destroy(&exchange));
    stores.destroy();
    OK(halo_topology_destroy(&topology));
    // A process whose context waits for what was lost would keep the others from the next schedule.
    if (!threads()) OK(halo_context_set(rank.context, "timeout", "1s"));
}

void print(const Ends &ends) {
    for (const auto &[key, n] : ends.counts)
        std::printf("  %-52s %6lld  %s\n", key.c_str(), static_cast<long long>(n), ends.examples.at(key).substr(0, 220).c_str());
}

int32_t count_processes() {
    int32_t n = 0;
    run_wrapped(0, {}, [&](Rank &rank) { n = rank.size; });
    return n;
}

// Each kind of fault has shown itself.
std::vector<std::string> kinds_to_be_seen() {
    std::vector<std::string> kinds{ "drops|HALO_TIMEOUT", "cut messages|HALO_ERR_WIRE", "damaged bytes|HALO_ERR_CHECK",
                                    "refused calls|HALO_ERR_TRANSPORT", "failed tests|HALO_ERR_TRANSPORT" };
    for (const char *fault : fault_names) kinds.push_back(text_of("%s|HALO_SUCCESS", fault));
    return kinds;
}

// A process knows how its own rank's schedules have ended.
std::vector<int64_t> counts_on_all(Ends &ends, const std::vector<std::string> &kinds) {
    std::vector<int64_t> counts;
    for (const std::string &kind : kinds) counts.push_back(ends.counts[kind]);
    if (threads()) return counts;
    run_wrapped(0, {}, [&](Rank &rank) {
        OK(halo_context_allreduce(rank.context, counts.data(), counts.data(), static_cast<int64_t>(counts.size()), HALO_INT64, HALO_SUM));
    });
    return counts;
}

TEST(Schedules, EndRightOrInAClearError) {
    choose_wrapper();
    const int64_t n_schedules = number_from("FAULTS_SCHEDULES", 1600);
    const auto first_seed = static_cast<uint64_t>(number_from("FAULTS_SEED", 31337));
    const int32_t n_processes = threads() ? 0 : count_processes();
    Ends ends;
    for (int64_t number = number_from("FAULTS_FIRST", 0); number < n_schedules && !HasFailure(); ++number) {
        const Schedule made = make_schedule(first_seed, number, n_processes);
        const Settings settings{ { "timeout", "20s" }, { "check", made.check ? "yes" : "no" }, { "log_level", "error" } };
        const auto begin = std::chrono::steady_clock::now();
        run_wrapped(made.n_ranks, settings, [&](Rank &rank) {
            try {
                run_schedule(rank, made, ends);
            } catch (const Stop &reason) {
                stop("schedule %lld, first seed %llu, %s, messages %d, receive %d, check %d, %s: %s", static_cast<long long>(number),
                     static_cast<unsigned long long>(first_seed), fault_names[static_cast<int>(made.fault)], made.desc.messages, made.desc.receive,
                     made.check, made.grid.describe().c_str(), reason.text.c_str());
            }
        });
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        EXPECT_LT(seconds.count(), 60) << "schedule " << number;
    }
    print(ends);
    if (HasFailure()) return;
    const std::vector<std::string> kinds = kinds_to_be_seen();
    const std::vector<int64_t> counts = counts_on_all(ends, kinds);
    for (size_t i = 0; i < kinds.size(); ++i) EXPECT_GT(counts[i], 0) << kinds[i];
}

} // namespace

} // namespace conformance
