// SPDX-License-Identifier: BSD-3-Clause
// Random cases against a serial gather over global indices. Whole buffers are compared, so that cells that must not be touched are too.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>

#include "case.h"
#include "coverage.h"
#include "placed.h"
#include "ranks.h"

namespace conformance {

namespace {

// One exchange of a case on one rank.
struct Running {
    const ExchangeCase *made = nullptr;
    halo_exchange *handle = nullptr;
    Narrow narrow;
    std::vector<void *> data;
    std::vector<int32_t> devices;
    bool in_flight = false;
    int64_t expected_sends = 0; // channels to other ranks, over all runs
};

class CaseRun {
public:
    CaseRun(const Rank &rank, const Case &made) : rank_(rank), made_(made), order_(made.seed * 31 + static_cast<uint64_t>(rank.rank)) {
        const halo_blocks_desc desc = made.grid.desc();
        OK(halo_topology_create_blocks(rank.context, &desc, &topology_));
        begin_case(made.seed);
        for (size_t i = 0; i < made.fields.size(); ++i) {
            FieldCase field = made.fields[i];
            field.some_on_host = true;
            fields_.emplace_back(topology_, made.grid, rank.rank, field, Random(made.seed + i * 77 + static_cast<uint64_t>(rank.rank)));
        }
        for (const ExchangeCase &exchange : made.exchanges) create(exchange);
    }

    void round(int64_t time, const std::vector<Narrow> &narrows);
    void check_counters();
    void destroy();

private:
    void create(const ExchangeCase &made);
    void give_pointers(Running &running, halo_run &run);
    void start(Running &running, int64_t time);
    void send_when_possible(Running &running);
    void finish(Running &running);
    void expect(const Running &running, int64_t time);

    const Rank &rank_;
    const Case &made_;
    Random order_; // of finishing: each rank's own
    halo_topology *topology_ = nullptr;
    std::deque<FieldStores> fields_;
    std::deque<Running> runnings_;
};

void CaseRun::create(const ExchangeCase &made) {
    Running &running = runnings_.emplace_back();
    running.made = &made;
    std::vector<halo_field *> handles;
    for (const int32_t field : made.fields) handles.push_back(fields_[field].handle());
    OK(halo_exchange_create(handles.data(), static_cast<int32_t>(handles.size()), &made.desc, &running.handle));
    prepare_if_asked(running.handle);
}

// Where it goes without saying, nothing is said of devices.
void CaseRun::give_pointers(Running &running, halo_run &run) {
    const Narrow &narrow = running.narrow;
    running.data.clear();
    running.devices.clear();
    bool as_bound = true;
    for (size_t i = 0; i < narrow.mask.size(); ++i) {
        FieldStores &field = fields_[running.made->fields[i]];
        for (size_t part = 0; part < field.n_parts(); ++part) running.data.push_back(narrow.mask[i] ? field.address(narrow.sets[i], part) : nullptr);
        running.devices.push_back(field.is_on_device(narrow.sets[i]) ? 0 : HALO_DEVICE_HOST);
        as_bound = as_bound && field.is_on_device(0) == field.is_on_device(narrow.sets[i]);
    }
    run.data = running.data.data(), run.n_data = std::ssize(running.data);
    run.devices = as_bound ? nullptr : running.devices.data();
}

void CaseRun::start(Running &running, int64_t time) {
    const Narrow &narrow = running.narrow;
    halo_run run = HALO_RUN_INIT;
    run.first_component = narrow.first_component;
    run.n_components = narrow.n_components;
    run.depth = narrow.depth;
    run.n_fields = static_cast<int32_t>(narrow.mask.size()), run.field_mask = narrow.mask.data();
    if (narrow.pointers) {
        give_pointers(running, run);
    } else {
        run.sets = narrow.sets.data();
    }
    for (size_t i = 0; i < narrow.mask.size(); ++i)
        if (narrow.mask[i]) fields_[running.made->fields[i]].fill(narrow.sets[i], time);
    if (running.made->phases) {
        OK(halo_exchange_post(running.handle, &run));
        send_when_possible(running);
    } else {
        OK(halo_exchange_start(running.handle, &run, stream()));
    }
    running.in_flight = true;
}

void CaseRun::send_when_possible(Running &running) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    halo_status status;
    while ((status = halo_exchange_send(running.handle, stream())) == HALO_BUSY) {
        std::this_thread::yield();
        if (std::chrono::steady_clock::now() > end) stop("send stayed busy for a minute");
    }
    succeed(status, "halo_exchange_send", __FILE__, __LINE__);
}

void CaseRun::finish(Running &running) {
    running.in_flight = false;
    if (!running.made->phases) return OK(halo_exchange_finish(running.handle, finish_stream()));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (int32_t done = 0; !done;) {
        OK(halo_exchange_test(running.handle, &done));
        std::this_thread::yield();
        if (std::chrono::steady_clock::now() > end) stop("a run was not here after a minute");
    }
    OK(halo_exchange_unpack(running.handle, finish_stream()));
    OK(halo_exchange_refine(running.handle, finish_stream()));
}

// The oracle: which ghosts this run fills.
void CaseRun::expect(const Running &running, int64_t time) {
    const Narrow &narrow = running.narrow;
    const Grid &grid = made_.grid;
    for (size_t i = 0; i < narrow.mask.size(); ++i) {
        if (!narrow.mask[i]) continue;
        fields_[running.made->fields[i]].expect_ghosts(narrow.sets[i], time, [&](int64_t gid, const Triple &cell, int32_t component) {
            const Triple side = side_of(grid, cell);
            for (int d = 0; d < 3; ++d) {
                const int64_t outside = side[d] < 0 ? -cell[d] : side[d] > 0 ? cell[d] - grid.cells[d] + 1 : 0;
                if (narrow.depth > 0 && outside > narrow.depth) return false;
            }
            const bool local = grid.owner[grid.neighbour(gid, side)] == rank_.rank;
            const int32_t edges = running.made->desc.edges;
            return in_stencil(side, running.made->desc.stencil) && narrow.has_component(component) &&
                   (edges == HALO_EDGES_ALL || (edges == HALO_EDGES_LOCAL) == local);
        });
    }
}

void CaseRun::round(int64_t time, const std::vector<Narrow> &narrows) {
    std::vector<Running *> in_flight;
    for (size_t i = 0; i < runnings_.size(); ++i) {
        runnings_[i].narrow = narrows[i];
        if (narrows[i].takes_part) in_flight.push_back(&runnings_[i]);
    }
    for (Running *running : in_flight) {
        start(*running, time);
        expect(*running, time);
    }
    for (const Running *running : in_flight)
        for (size_t i = 0; i < running->narrow.mask.size(); ++i)
            if (running->narrow.mask[i]) fields_[running->made->fields[i]].overwrite_owned(running->narrow.sets[i]);
    std::shuffle(in_flight.begin(), in_flight.end(), order_);
    for (Running *running : in_flight) finish(*running);
    for (FieldStores &field : fields_)
        if (const std::string difference = field.first_difference(); !difference.empty())
            stop("round %lld: %s", static_cast<long long>(time), difference.c_str());
}

// Channels of the plan as the grid has them.
void CaseRun::check_counters() {
    const Grid &grid = made_.grid;
    for (const Running &running : runnings_) {
        halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
        OK(halo_exchange_get_stats(running.handle, &stats));
        int64_t local = 0;
        int64_t receive = 0;
        for (const int32_t field : running.made->fields)
            for (const int64_t gid : grid.local(rank_.rank))
                for_each_offset(grid.n_dims, [&](const Triple &offset) {
                    const int64_t other = in_stencil(offset, running.made->desc.stencil) ? grid.neighbour(gid, offset) : -1;
                    bool empty = other < 0;
                    for (int d = 0; d < 3; ++d)
                        empty = empty || (offset[d] < 0 && made_.fields[field].ghosts.low[d] == 0) ||
                                (offset[d] > 0 && made_.fields[field].ghosts.high[d] == 0);
                    if (!empty) ++(grid.owner[other] == rank_.rank ? local : receive);
                });
        local = running.made->desc.edges == HALO_EDGES_REMOTE ? 0 : local;
        receive = running.made->desc.edges == HALO_EDGES_LOCAL ? 0 : receive;
        if (stats.channels_local != local || stats.channels_receive != receive)
            stop("the plan has %lld local channels and receives %lld, it should have %lld and %lld", static_cast<long long>(stats.channels_local),
                 static_cast<long long>(stats.channels_receive), static_cast<long long>(local), static_cast<long long>(receive));
    }
}

void CaseRun::destroy() {
    for (Running &running : runnings_) OK(halo_exchange_destroy(&running.handle));
    for (FieldStores &field : fields_) field.destroy();
    OK(halo_topology_destroy(&topology_));
}

void run_case(const Rank &rank, const Case &made) {
    try {
        CaseRun run(rank, made);
        Random random(made.seed ^ 0x5eed);
        for (int32_t round = 0; round < made.rounds; ++round) run.round(round + 1, make_round(made, random));
        run.check_counters();
        run.destroy();
    } catch (const Stop &reason) {
        stop("%s\n%s", reason.text.c_str(), made.describe().c_str());
    }
}

class RandomCases : public testing::TestWithParam<int32_t> {};

TEST_P(RandomCases, EqualASerialGather) {
    const auto first_seed = static_cast<uint64_t>(number_from("CONFORMANCE_SEED", 20240229));
    const int64_t n_cases = number_from("CONFORMANCE_CASES", default_cases);
    run(GetParam(), {}, [&](Rank &rank) {
        for (int64_t number = 0; number < n_cases; ++number) {
            const Case made = make_case(first_seed, number, rank.size);
            run_case(rank, made);
            if (rank.rank == 0) coverage().count(made);
        }
        if (prints(rank))
            std::printf("%lld cases over %d ranks, first seed %llu\n", static_cast<long long>(n_cases), rank.size,
                        static_cast<unsigned long long>(first_seed));
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, RandomCases, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

} // namespace

} // namespace conformance
