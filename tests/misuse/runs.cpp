// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of runs that are wrong, or not those of the peer, and functions of the program that fail in one: texts name what and where, the peer
// hears of it instead of waiting, and the next run works.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "halo.h"

namespace {

// Rank's share of four blocks in a square. Of two ranks each has a diagonal: they are neighbours along x and along y.
struct Rank {
    halo_context *context = nullptr;
    halo_topology *square = nullptr;
    halo_field *u = nullptr;
    halo_exchange *x = nullptr;

    Rank(halo_inproc *group, int32_t rank, const halo_exchange_desc &desc, int32_t n_components = 1) {
        EXPECT_EQ(halo_context_create_inproc(group, rank, nullptr, &context), HALO_SUCCESS) << halo_last_error();
        static const int32_t owner[] = { 0, 1, 1, 0 };
        int32_t n_ranks = 0;
        EXPECT_EQ(halo_context_rank(context, &rank, &n_ranks), HALO_SUCCESS);
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 2, blocks.order = HALO_ORDER_ROWS, blocks.owner = n_ranks == 1 ? nullptr : owner, blocks.n_owner = n_ranks == 1 ? 0 : 4;
        for (int d = 0; d < 2; ++d) blocks.n_blocks[d] = 2, blocks.n_cells[d] = 4, blocks.periodic[d] = 1;
        EXPECT_EQ(halo_topology_create_blocks(context, &blocks, &square), HALO_SUCCESS) << halo_last_error();
        halo_field_desc field = HALO_FIELD_DESC_INIT;
        field.name = "u", field.n_components = n_components;
        for (int d = 0; d < 2; ++d) field.ghost_low[d] = field.ghost_high[d] = 1;
        EXPECT_EQ(halo_field_create(square, &field, &u), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(halo_field_allocate(u, -1), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(halo_exchange_create(&u, 1, &desc, &x), HALO_SUCCESS) << halo_last_error();
    }
    ~Rank() {
        EXPECT_EQ(halo_exchange_destroy(&x), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(halo_field_destroy(&u), HALO_SUCCESS);
        EXPECT_EQ(halo_topology_destroy(&square), HALO_SUCCESS);
        EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
    }
    halo_status start(const halo_run *run = nullptr) const { return halo_exchange_start(x, run, HALO_STREAM_NONE); }
    halo_status finish() const { return halo_exchange_finish(x, HALO_STREAM_NONE); }
    halo_status exchange(const halo_run *run = nullptr) const {
        const halo_status status = start(run);
        return status == HALO_SUCCESS ? finish() : status;
    }
};

void expect_text(std::initializer_list<const char *> parts) {
    const std::string text = halo_last_error();
    for (const char *part : parts) EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

void on_ranks(int32_t n, const std::function<void(halo_inproc *, int32_t)> &body) {
    halo_inproc *group = nullptr;
    ASSERT_EQ(halo_inproc_create(n, &group), HALO_SUCCESS);
    std::vector<std::thread> others;
    for (int32_t rank = 1; rank < n; ++rank) others.emplace_back([&body, group, rank] { body(group, rank); });
    body(group, 0);
    for (std::thread &other : others) other.join();
    EXPECT_EQ(halo_inproc_destroy(&group), HALO_SUCCESS) << halo_last_error();
}

halo_exchange_desc described(int32_t messages, int32_t kind = HALO_KIND_GHOSTS) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.messages = messages, desc.kind = kind, desc.timeout_seconds = 10;
    return desc;
}

halo_status add(void *status, void *values, const void *contributions, int64_t n, halo_type, int64_t) {
    for (int64_t i = 0; i < n; ++i) static_cast<double *>(values)[i] += static_cast<const double *>(contributions)[i];
    return status ? *static_cast<halo_status *>(status) : HALO_SUCCESS;
}

constexpr int32_t ones[] = { 1, 1 };
void *const nowhere[4] = {};

struct Wrong {
    const char *text;
    halo_status status;
    void (*spoil)(halo_run &);
};

// Of exchanges that fill ghosts; two parts on each of two ranks.
const Wrong wrong_runs[] = {
    { "halo_run", HALO_ERR_VERSION, [](halo_run &run) { run.struct_size = 8; } },
    { "halo_run", HALO_ERR_VERSION, [](halo_run &run) { run.struct_version = 2; } },
    { "run with lists of n_fields 0, but the exchange has 1 fields", HALO_ERR_ARGUMENT, [](halo_run &run) { run.field_mask = ones; } },
    { "run with lists of n_fields 2, but the exchange has 1 fields", HALO_ERR_ARGUMENT, [](halo_run &run) { run.n_fields = 2, run.sets = ones; } },
    { "run with lists of n_fields 0, but the exchange has 1 fields", HALO_ERR_ARGUMENT, [](halo_run &run) { run.devices = ones; } },
    { "run with lists of n_fields -1, but the exchange has 1 fields", HALO_ERR_ARGUMENT, [](halo_run &run) { run.n_fields = -1; } },
    { "run with n_data 0, but its fields have 2 parts on this rank", HALO_ERR_ARGUMENT, [](halo_run &run) { run.data = nowhere; } },
    { "run with n_data 3, but its fields have 2 parts on this rank", HALO_ERR_ARGUMENT, [](halo_run &run) { run.data = nowhere, run.n_data = 3; } },
    { "run with n_data 2, but data is NULL", HALO_ERR_ARGUMENT, [](halo_run &run) { run.n_data = 2; } },
    { "run with components 0+2, but field u has 1", HALO_ERR_ARGUMENT, [](halo_run &run) { run.n_components = 2; } },
    { "run with op 2, but values are moved, not combined", HALO_ERR_ARGUMENT, [](halo_run &run) { run.op = HALO_MIN; } },
};

class RunsOfTwoRanks : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Messages, RunsOfTwoRanks, testing::Values(HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL));

// The first time the peer knows nothing of this rank yet.
TEST_P(RunsOfTwoRanks, WhatCannotBeReadIsTold) {
    for (const bool in_phases : { false, true })
        on_ranks(2, [&](halo_inproc *group, int32_t rank) {
            const Rank end(group, rank, described(GetParam()));
            for (const Wrong &wrong : wrong_runs) {
                SCOPED_TRACE(wrong.text);
                halo_run run = HALO_RUN_INIT;
                wrong.spoil(run);
                if (rank == 0) {
                    EXPECT_EQ(in_phases ? halo_exchange_post(end.x, &run) : end.start(&run), wrong.status);
                    expect_text({ wrong.text });
                } else {
                    EXPECT_EQ(end.exchange(), HALO_ERR_PEER);
                    expect_text({ "first cause, on rank 0", halo_status_name(wrong.status), wrong.text });
                }
                EXPECT_EQ(end.exchange(), HALO_SUCCESS) << halo_last_error();
            }
        });
}

// Rounds that have not begun are called off, too.
TEST_P(RunsOfTwoRanks, WhatCannotBeReadIsToldInAllRounds) {
    on_ranks(2, [&](halo_inproc *group, int32_t rank) {
        halo_exchange_desc desc = described(GetParam());
        desc.pattern = HALO_PATTERN_SWEEPS, desc.source_stable = 1;
        const Rank end(group, rank, desc);
        for (const Wrong &wrong : wrong_runs) {
            SCOPED_TRACE(wrong.text);
            halo_run run = HALO_RUN_INIT;
            wrong.spoil(run);
            EXPECT_EQ(end.exchange(rank == 1 ? &run : nullptr), rank == 1 ? wrong.status : HALO_ERR_PEER);
            expect_text({ wrong.text });
            EXPECT_EQ(end.exchange(), HALO_SUCCESS) << halo_last_error();
        }
    });
}

// The run that is in flight is none of its business, nor are those of its rounds that have ended or not begun.
TEST_P(RunsOfTwoRanks, WhatCannotBeReadWhileARunIsInFlight) {
    for (const int32_t pattern : { HALO_PATTERN_DIRECT, HALO_PATTERN_SWEEPS })
        on_ranks(2, [&](halo_inproc *group, int32_t rank) {
            halo_exchange_desc desc = described(GetParam());
            desc.pattern = pattern, desc.source_stable = 1;
            const Rank end(group, rank, desc);
            for (int turn = 0; turn < 3; ++turn) {
                EXPECT_EQ(end.start(), HALO_SUCCESS) << halo_last_error();
                halo_run run = HALO_RUN_INIT;
                run.struct_size = 8;
                if (rank == 0) {
                    EXPECT_EQ(end.start(&run), HALO_ERR_VERSION);
                }
                EXPECT_EQ(end.finish(), HALO_SUCCESS) << halo_last_error();
            }
        });
}

// All of it, said in numbers: no other tables are made, and it is the same run as one that says nothing.
TEST_P(RunsOfTwoRanks, AllInNumbersIsAll) {
    on_ranks(2, [&](halo_inproc *group, int32_t rank) {
        const Rank end(group, rank, described(GetParam()));
        EXPECT_EQ(end.exchange(), HALO_SUCCESS) << halo_last_error();
        halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
        EXPECT_EQ(halo_exchange_get_stats(end.x, &stats), HALO_SUCCESS);
        const int64_t compiled = stats.tables_compiled;
        for (int which = 0; which < 4; ++which) {
            halo_run run = HALO_RUN_INIT;
            if (which == 0) run.n_components = 1;
            if (which == 1) run.depth = 1;
            if (which == 2) run.depth = 7;
            if (which == 3) {
                run.has_ghosts = 1;
                for (int d = 0; d < 2; ++d) run.ghost_low[d] = run.ghost_high[d] = 1;
            }
            EXPECT_EQ(end.exchange(rank == 0 ? &run : nullptr), HALO_SUCCESS) << which << ": " << halo_last_error();
        }
        EXPECT_EQ(halo_exchange_get_stats(end.x, &stats), HALO_SUCCESS);
        EXPECT_EQ(stats.tables_compiled, compiled);
    });
}

// By turns, as a loop over them does: tables are made in the first turn alone.
TEST_P(RunsOfTwoRanks, ComponentsOneByOneHaveTheirTables) {
    on_ranks(2, [&](halo_inproc *group, int32_t rank) {
        const Rank end(group, rank, described(GetParam()), 40);
        halo_exchange_stats stats[] = { HALO_EXCHANGE_STATS_INIT, HALO_EXCHANGE_STATS_INIT };
        halo_run run = HALO_RUN_INIT;
        run.n_components = 1;
        for (halo_exchange_stats &after : stats) {
            for (run.first_component = 0; run.first_component < 40; ++run.first_component)
                EXPECT_EQ(end.exchange(&run), HALO_SUCCESS) << halo_last_error();
            EXPECT_EQ(halo_exchange_get_stats(end.x, &after), HALO_SUCCESS);
        }
        EXPECT_GE(stats[0].tables_compiled, 40);
        EXPECT_EQ(stats[0].tables_compiled, stats[1].tables_compiled);
    });
}

// In the wrong order, whether the exchange has one round or several: the text names the exchange, the call and the state, and nothing has happened.
class Phases {
public:
    explicit Phases(const Rank &end) : x_(end.x) {}

    void expect_illegal(const std::string &state, std::initializer_list<const char *> legal) const {
        for (const auto &[name, call] : calls()) {
            if (std::find(legal.begin(), legal.end(), std::string(name)) != legal.end()) continue;
            EXPECT_EQ(call(), HALO_ERR_STATE) << name << " while " << state;
            const std::string text = halo_last_error(), wanted = std::string(": ") + name + " is illegal: the exchange is " + state;
            const size_t at = text.find(wanted);
            ASSERT_NE(at, std::string::npos) << "'" << wanted << "' is not in: " << text;
            if (who_.empty()) who_ = text.substr(0, at);
            EXPECT_EQ(text.substr(0, at), who_);
        }
    }

private:
    std::vector<std::pair<const char *, std::function<halo_status()>>> calls() const {
        return { { "post or start", [this] { return halo_exchange_post(x_, nullptr); } },
                 { "post or start", [this] { return halo_exchange_start(x_, nullptr, HALO_STREAM_NONE); } },
                 { "prepare", [this] { return halo_exchange_prepare(x_); } },
                 { "send", [this] { return halo_exchange_send(x_, HALO_STREAM_NONE); } },
                 { "test", [this] { return halo_exchange_test(x_, &done_); } },
                 { "unpack", [this] { return halo_exchange_unpack(x_, HALO_STREAM_NONE); } },
                 { "refine", [this] { return halo_exchange_refine(x_, HALO_STREAM_NONE); } },
                 { "finish", [this] { return halo_exchange_finish(x_, HALO_STREAM_NONE); } } };
    }

    halo_exchange *x_;
    mutable int32_t done_ = 0;
    mutable std::string who_;
};

TEST_P(RunsOfTwoRanks, PhasesOutOfOrderAreNamed) {
    for (const int32_t pattern : { HALO_PATTERN_DIRECT, HALO_PATTERN_SWEEPS })
        on_ranks(2, [&](halo_inproc *group, int32_t rank) {
            halo_exchange_desc desc = described(GetParam());
            desc.pattern = pattern, desc.source_stable = 1;
            const Rank end(group, rank, desc);
            const Phases phases(end);
            for (int turn = 0; turn < 3; ++turn) {
                phases.expect_illegal("idle", { "post or start", "prepare" });
                EXPECT_EQ(halo_exchange_post(end.x, nullptr), HALO_SUCCESS) << halo_last_error();
                phases.expect_illegal("posted", { "send" });
                halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
                EXPECT_EQ(halo_exchange_get_stats(end.x, &stats), HALO_SUCCESS);
                EXPECT_EQ(stats.runs, turn) << "something has been sent";
                EXPECT_EQ(halo_exchange_send(end.x, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
                phases.expect_illegal("sent", { "test", "unpack", "finish" });
                if (turn == 1) {
                    EXPECT_EQ(end.finish(), HALO_SUCCESS) << halo_last_error();
                    continue;
                }
                for (int32_t done = 0; done == 0;) ASSERT_EQ(halo_exchange_test(end.x, &done), HALO_SUCCESS) << halo_last_error();
                EXPECT_EQ(halo_exchange_unpack(end.x, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
                phases.expect_illegal("unpacked", { "refine" });
                EXPECT_EQ(halo_exchange_refine(end.x, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
            }
            EXPECT_EQ(halo_context_barrier(end.context), HALO_SUCCESS) << halo_last_error();
            EXPECT_EQ(halo_exchange_post(end.x, nullptr), HALO_SUCCESS) << halo_last_error();
            EXPECT_EQ(halo_exchange_abandon(end.x), HALO_SUCCESS) << halo_last_error();
            phases.expect_illegal("dead (abandoned or failed: it can only be destroyed)", {});
        });
}

// Boxes that only a first run looks up, among all ranks.
TEST(RunsOfTransfers, WhatCannotBeReadIsToldOnceBoxesAreLookedUp) {
    on_ranks(2, [&](halo_inproc *group, int32_t rank) {
        halo_context *context = nullptr;
        EXPECT_EQ(halo_context_create_inproc(group, rank, nullptr, &context), HALO_SUCCESS) << halo_last_error();
        halo_topology *topologies[2] = {};
        halo_field *fields[2] = {};
        for (int side = 0; side < 2; ++side) {
            const int64_t first = (side == 0) == (rank == 0) ? 0 : 4;
            const halo_box box = { { first, 0, 0 }, { first + 4, 1, 1 } };
            halo_boxes_desc boxes = HALO_BOXES_DESC_INIT;
            boxes.n_dims = 1, boxes.domain.high[0] = 8, boxes.distributed = 1, boxes.reach = 1, boxes.boxes = &box, boxes.n_boxes = 1;
            EXPECT_EQ(halo_topology_create_boxes(context, &boxes, &topologies[side]), HALO_SUCCESS) << halo_last_error();
            halo_field_desc field = HALO_FIELD_DESC_INIT;
            field.name = side == 0 ? "from" : "to";
            EXPECT_EQ(halo_field_create(topologies[side], &field, &fields[side]), HALO_SUCCESS) << halo_last_error();
            EXPECT_EQ(halo_field_allocate(fields[side], -1), HALO_SUCCESS) << halo_last_error();
        }
        halo_transfer_desc desc = HALO_TRANSFER_DESC_INIT;
        desc.timeout_seconds = 10;
        halo_exchange *transfer = nullptr;
        EXPECT_EQ(halo_exchange_create_transfer(&fields[0], &fields[1], 1, &desc, &transfer), HALO_SUCCESS) << halo_last_error();
        halo_run run = HALO_RUN_INIT;
        if (rank == 0) run.struct_size = 8;
        for (int turn = 0; turn < 2; ++turn) {
            halo_status status = halo_exchange_start(transfer, &run, HALO_STREAM_NONE);
            if (status == HALO_SUCCESS) status = halo_exchange_finish(transfer, HALO_STREAM_NONE);
            EXPECT_EQ(status, turn == 1 ? HALO_SUCCESS : rank == 0 ? HALO_ERR_VERSION : HALO_ERR_PEER) << halo_last_error();
            run.struct_size = sizeof run;
        }
        EXPECT_EQ(halo_exchange_destroy(&transfer), HALO_SUCCESS);
        for (int side = 0; side < 2; ++side) {
            EXPECT_EQ(halo_field_destroy(&fields[side]), HALO_SUCCESS);
            EXPECT_EQ(halo_topology_destroy(&topologies[side]), HALO_SUCCESS);
        }
        EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
    });
}

TEST_P(RunsOfTwoRanks, OtherOperationsAreNamed) {
    for (const int32_t order : { HALO_COMBINE_BY_GID, HALO_COMBINE_CANONICAL })
        on_ranks(2, [&](halo_inproc *group, int32_t rank) {
            halo_exchange_desc desc = described(GetParam(), HALO_KIND_REVERSE);
            desc.combine_order = order;
            const Rank end(group, rank, desc);
            halo_run run = HALO_RUN_INIT;
            run.op = rank == 0 ? HALO_PROD : HALO_MAX;
            EXPECT_EQ(end.exchange(&run), HALO_ERR_MISMATCH);
            expect_text({ "run 1 is narrowed differently: rank 0 runs u, by product, rank 1 u, by max" });
            EXPECT_EQ(end.exchange(rank == 0 ? nullptr : &run), HALO_ERR_MISMATCH);
            expect_text({ "run 2 is narrowed differently: rank 0 runs u, by sum, rank 1 u, by max" });
            run.op = HALO_SUM;
            EXPECT_EQ(end.exchange(rank == 0 ? nullptr : &run), HALO_SUCCESS) << halo_last_error(); // said, or as the exchange says
        });
}

struct WrongOperation {
    halo_op op;
    bool canonical;
    const char *text;
};

// A part has one layout: what other sets had under the one before is not read by the present one.
TEST(RunsOfSets, StorageBoundUnderAnotherLayoutIsRefused) {
    on_ranks(1, [](halo_inproc *group, int32_t number) {
        const Rank rank(group, number, described(HALO_MESSAGES_AGGREGATE));
        halo_field *v = nullptr;
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "v", desc.n_sets = 2;
        for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 1;
        ASSERT_EQ(halo_field_create(rank.square, &desc, &v), HALO_SUCCESS) << halo_last_error();
        halo_layout wide = HALO_LAYOUT_INIT;
        ASSERT_EQ(halo_field_layout(v, 2, &wide), HALO_SUCCESS);
        wide.elements = wide.component_stride = 48, wide.first_owned = 9, wide.stride[1] = 8;
        std::vector<double> natural(4 * 36), of_set_1(4 * 36), wider(48);
        halo_binding binding = HALO_BINDING_INIT;
        for (binding.set = 0; binding.set < 2; ++binding.set) {
            binding.data = binding.set == 0 ? natural.data() : of_set_1.data();
            ASSERT_EQ(halo_field_bind_many(v, 36, &binding), HALO_SUCCESS) << halo_last_error();
        }
        halo_exchange *exchange = nullptr;
        ASSERT_EQ(halo_exchange_create(&v, 1, nullptr, &exchange), HALO_SUCCESS) << halo_last_error();
        const auto run_of = [&](int32_t set) {
            halo_run run = HALO_RUN_INIT;
            run.n_fields = 1, run.sets = &set;
            const halo_status status = halo_exchange_start(exchange, &run, HALO_STREAM_NONE);
            return status == HALO_SUCCESS ? halo_exchange_finish(exchange, HALO_STREAM_NONE) : status;
        };
        EXPECT_EQ(run_of(0), HALO_SUCCESS) << halo_last_error();
        binding.set = 1, binding.data = wider.data(), binding.layout = &wide;
        ASSERT_EQ(halo_field_bind(v, 2, &binding), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(run_of(0), HALO_ERR_STATE);
        expect_text({ "field v, part 2", "set 0", "bind that again" });
        EXPECT_EQ(run_of(1), HALO_SUCCESS) << halo_last_error();
        binding.set = 0, binding.layout = nullptr;
        ASSERT_EQ(halo_field_bind(v, 2, &binding), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(run_of(0), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(halo_exchange_destroy(&exchange), HALO_SUCCESS);
        EXPECT_EQ(halo_field_destroy(&v), HALO_SUCCESS);
    });
}

TEST(RunsByOperations, ThatThereAreNot) {
    const WrongOperation operations[] = { { 12, false, "exchange: op 12 is none of HALO_SUM ... HALO_BXOR" },
                                          { -1, false, "exchange: op -1 is none of HALO_SUM ... HALO_BXOR" },
                                          { HALO_USER, false, "exchange: HALO_USER without a function `combine`" },
                                          { HALO_BAND, false, "exchange: field u: values of float64 cannot be combined by operation 9" },
                                          { HALO_USER, true, "exchange: HALO_COMBINE_CANONICAL, but which values of HALO_USER count is not known" } };
    for (const int32_t kind : { HALO_KIND_REVERSE, HALO_KIND_SHARED_REDUCE })
        for (const WrongOperation &wrong : operations)
            on_ranks(1, [&](halo_inproc *group, int32_t rank) {
                halo_exchange_desc desc = described(HALO_MESSAGES_AGGREGATE, kind);
                if (wrong.canonical) desc.combine_order = HALO_COMBINE_CANONICAL, desc.combine = add;
                const Rank end(group, rank, desc);
                halo_run run = HALO_RUN_INIT;
                run.op = wrong.op;
                EXPECT_EQ(end.start(&run), HALO_ERR_ARGUMENT);
                expect_text({ wrong.text });
                EXPECT_EQ(end.exchange(), HALO_SUCCESS) << halo_last_error();
            });
}

// The other rank has all that it needs.
TEST_P(RunsOfTwoRanks, AFunctionFails) {
    on_ranks(2, [&](halo_inproc *group, int32_t rank) {
        halo_status returned = HALO_SUCCESS;
        halo_exchange_desc desc = described(GetParam(), HALO_KIND_REVERSE);
        desc.op = HALO_USER, desc.combine = add, desc.combine_user = &returned;
        const Rank end(group, rank, desc);
        for (const halo_status wrong : { HALO_ERR_LIMIT, HALO_BUSY, HALO_TIMEOUT, -5 }) {
            returned = rank == 1 ? wrong : HALO_SUCCESS;
            const halo_status wanted = wrong == HALO_ERR_LIMIT ? HALO_ERR_LIMIT : HALO_ERR_ARGUMENT;
            EXPECT_EQ(end.exchange(), rank == 1 ? wanted : HALO_SUCCESS) << halo_last_error();
            if (rank == 1) expect_text({ "the combine callback returned", halo_status_name(wrong), "for field u, part " });
            returned = HALO_SUCCESS;
            EXPECT_EQ(end.exchange(), HALO_SUCCESS) << halo_last_error();
        }
    });
}

} // namespace
