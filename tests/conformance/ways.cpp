// SPDX-License-Identifier: BSD-3-Clause
// Each way that values may take between ranks, and each way in which a run may go wrong: the others hear of it, and the next run goes the same way
// again and brings the right values.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "left_out.h"
#include "placed.h"
#include "ranks.h"

namespace conformance {

namespace {

const conformance::LeftOutOnDevices left_out[] = {
    { "*Ways.*/put_*", "of storage that ranks of a host share" },
    { "*Ways.*/get_*", "of storage that ranks of a host share" },
};

struct Way {
    const char *name; // as counted by halo_exchange_describe, if it is
    const char *path; // setting
    int32_t messages = HALO_MESSAGES_AGGREGATE;
    int32_t kind = HALO_KIND_GHOSTS;
    bool together = false; // in a neighbourhood collective, where the transport has them
};
constexpr std::array<Way, 7> ways{ { { "message", "message" },
                                     { "slot", "slot" },
                                     { "put", "put" },
                                     { "get", "get", HALO_MESSAGES_AGGREGATE, HALO_KIND_REVERSE },
                                     { "parts", "auto", HALO_MESSAGES_PER_CHANNEL },
                                     { "together", "auto", HALO_MESSAGES_AGGREGATE, HALO_KIND_GHOSTS, true },
                                     { "together_back", "auto", HALO_MESSAGES_AGGREGATE, HALO_KIND_REVERSE, true } } };

constexpr int32_t n_owned = 5, n_shared = 3, n_points = n_owned + 2 * n_shared, n_fields = 2;

// Each rank has copies of the first points of the ranks above and below it: they get the owner's values, or are added to them.
class Cycle {
public:
    Cycle(const Rank &self, const Way &way, double timeout) : self_(self), way_(way), timeout_(timeout) {
        std::vector<int32_t> ranks;
        std::vector<uint32_t> indices;
        for (uint32_t i = 0; i < n_shared; ++i)
            for (const int32_t from : { above(), below() }) ranks.push_back(from), indices.push_back(i);
        halo_star_desc star = HALO_STAR_DESC_INIT;
        star.n_points = n_points, star.n_leaves = static_cast<int64_t>(ranks.size()), star.ranks = ranks.data(), star.indices = indices.data();
        OK(halo_topology_create_star(self.context, &star, &topology_));
        for (size_t f = 0; f < n_fields; ++f) {
            halo_field_desc field = HALO_FIELD_DESC_INIT;
            field.name = f == 0 ? "mass" : "load";
            OK(halo_field_create(topology_, &field, &fields_[f]));
            allocate_storage(topology_, fields_[f]);
        }
        create();
    }
    ~Cycle() {
        halo_exchange_destroy(&exchange_);
        for (halo_field *&field : fields_) halo_field_destroy(&field);
        halo_topology_destroy(&topology_);
    }
    Cycle(const Cycle &) = delete;
    Cycle &operator=(const Cycle &) = delete;

    void create() {
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.messages = way_.messages, desc.kind = way_.kind, desc.source_stable = way_.kind == HALO_KIND_REVERSE;
        desc.timeout_seconds = timeout_;
        OK(halo_exchange_create(fields_.data(), n_fields, &desc, &exchange_));
        if (way_.together) OK(prepare_however_long_it_takes());
    }
    void destroy() { OK(halo_exchange_destroy(&exchange_)); }
    void abandon() const { OK(halo_exchange_abandon(exchange_)); }

    halo_status start(const halo_run *run = nullptr) {
        fill(++time_);
        return halo_exchange_start(exchange_, run, stream());
    }
    halo_status prepare_however_long_it_takes() const {
        halo_status status = HALO_TIMEOUT;
        while (status == HALO_TIMEOUT) status = halo_exchange_prepare(exchange_);
        return status;
    }
    halo_status finish() const { return halo_exchange_finish(exchange_, finish_stream()); }
    halo_status finish_however_long_it_takes() const {
        halo_status status = HALO_TIMEOUT;
        while (status == HALO_TIMEOUT) status = finish();
        return status;
    }
    halo_status run(const halo_run *how) {
        const halo_status status = start(how);
        return status == HALO_SUCCESS ? finish_however_long_it_takes() : status;
    }
    void barrier() const { OK(halo_context_barrier(self_.context)); }
    // Rank 0 starts before all others, and finishes after them: so they find its ghosts open, and it has not packed anything when they read.
    void run_around_rank_0() {
        if (self_.rank == 0) OK(start());
        barrier();
        if (self_.rank != 0) OK(start());
        barrier();
        if (self_.rank != 0) OK(finish_however_long_it_takes());
        barrier();
        if (self_.rank == 0) OK(finish_however_long_it_takes());
        expect();
        barrier();
    }
    // Values go the way that is meant as soon as ranks know each other.
    void expect_way() {
        constexpr int n_runs = 8;
        const int64_t before = n_by_way(), sent_before = stats().messages_sent;
        for (int i = 0; i < n_runs; ++i) run_around_rank_0();
        const bool one_way = way_.kind == HALO_KIND_REVERSE ? self_.rank == 0 : is_beside_rank_0();
        if (way_.together) {
            expect_together();
        } else if (way_.messages == HALO_MESSAGES_PER_CHANNEL) {
            const int64_t sent = stats().messages_sent - sent_before, in_parts = n_runs * (stats().n_peers + stats().channels_send);
            EXPECT_GE(sent, in_parts) << described();
            EXPECT_LE(sent, in_parts + stats().n_peers) << described(); // which may be in their first run
        } else if (one_way) {
            EXPECT_GT(n_by_way(), before) << described();
        }
    }
    void expect() const {
        for (const halo_field *field : fields_) download(field);
        for (int f = 0; f < n_fields; ++f)
            for (int32_t i = 0; i < n_points; ++i)
                if (data(f)[i] != wanted(f, i))
                    stop("rank %d, time %d, field %d, point %d: %g, wanted %g", self_.rank, time_, f, i, data(f)[i], wanted(f, i));
    }
    bool is_beside_rank_0() const { return self_.rank != 0 && (above() == 0 || below() == 0); }
    std::string described() const { return description_of(exchange_); }

private:
    int32_t above() const { return (self_.rank + 1) % self_.size; }
    int32_t below() const { return (self_.rank + self_.size - 1) % self_.size; }
    double *data(int field) const { return static_cast<double *>(storage_of(fields_[static_cast<size_t>(field)], self_.rank)); }
    static double value(int32_t rank, int field, int32_t point, int time) { return time * 10000 + rank * 1000 + field * 100 + point; }
    void fill(int time) const {
        for (int f = 0; f < n_fields; ++f)
            for (int32_t i = 0; i < n_points; ++i) data(f)[i] = value(self_.rank, f, i, time);
        for (const halo_field *field : fields_) upload(field);
    }
    double wanted(int field, int32_t point) const {
        const double own = value(self_.rank, field, point, time_);
        const int32_t copy = point - n_owned;
        if (way_.kind == HALO_KIND_GHOSTS) return copy < 0 ? own : value(copy % 2 == 0 ? above() : below(), field, copy / 2, time_);
        if (point >= n_shared) return own;
        return own + value(below(), field, n_owned + 2 * point, time_) + value(above(), field, n_owned + 2 * point + 1, time_);
    }
    void expect_together() const {
        std::string modules(4096, '\0');
        OK(halo_info(self_.context, HALO_INFO_MODULES, modules.data(), modules.size(), nullptr));
        const bool has_them = modules.starts_with("transport mpi_") && modules.find("device host") != std::string::npos;
        const std::string text = described();
        EXPECT_EQ(text.find("; in one neighbourhood collective with ") != std::string::npos, has_them) << modules << text;
        EXPECT_EQ(text.find("; no neighbourhood collective: ") != std::string::npos, !has_them) << modules << text;
    }
    halo_exchange_stats stats() const {
        halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
        OK(halo_exchange_get_stats(exchange_, &stats));
        return stats;
    }
    // Of what this rank has sent.
    int64_t n_by_way() const {
        const std::string text = described();
        int64_t sum = 0;
        for (size_t at = text.find("  to rank "); at != std::string::npos; at = text.find("  to rank ", at + 1)) {
            std::array<int, 4> n{};
            if (std::sscanf(text.c_str() + text.find("message", at), "message %d, slot %d, put %d, get %d", &n[0], &n[1], &n[2], &n[3]) != 4)
                continue;
            for (size_t i = 0; i < n.size(); ++i) sum += std::string(ways[i].name) == way_.name ? n[i] : 0;
        }
        return sum;
    }

    const Rank &self_;
    const Way &way_;
    double timeout_;
    halo_topology *topology_ = nullptr;
    std::array<halo_field *, n_fields> fields_{};
    halo_exchange *exchange_ = nullptr;
    int time_ = 0;
};

} // namespace

class Ways : public testing::TestWithParam<std::tuple<size_t, int32_t>> {
protected:
    void on_each_rank(double timeout, const std::function<void(Rank &, Cycle &)> &body) const {
        const Way &way = ways[std::get<0>(GetParam())];
        const Settings settings{
            { "path", way.path }, { "shared_memory.least", "0" }, { "check", "no" }, { "messages", way.together ? "neighbourhood" : "aggregate" }
        };
        conformance::run(std::get<1>(GetParam()), settings, [&](Rank &self) {
            if (self.size == 1) return;
            begin_case(std::get<0>(GetParam()) + static_cast<size_t>(self.size));
            Cycle cycle(self, way, timeout);
            cycle.expect_way();
            body(self, cycle);
            cycle.expect_way();
        });
    }
};

// Two ranks, who are each other's neighbours twice; four, where not all are neighbours.
std::vector<int32_t> some_rank_counts() { return threads() ? std::vector<int32_t>{ 2, 4 } : std::vector<int32_t>{ 0 }; }
INSTANTIATE_TEST_SUITE_P(Each, Ways, testing::Combine(testing::Range<size_t>(0, ways.size()), testing::ValuesIn(some_rank_counts())),
                         [](const auto &one) { return text_of("%s_%d", ways[std::get<0>(one.param)].name, std::get<1>(one.param)); });

void expect_text(std::initializer_list<const char *> parts) {
    const std::string text = halo_last_error();
    for (const char *part : parts) EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST_P(Ways, ARankThatIsLate) {
    on_each_rank(0.05, [](Rank &self, Cycle &cycle) {
        for (int again = 0; again < 2; ++again) {
            if (self.rank != 0) OK(cycle.start());
            if (cycle.is_beside_rank_0()) {
                EXPECT_EQ(cycle.finish(), HALO_TIMEOUT);
                expect_text({ "timed out", "rank 0" });
            }
            cycle.barrier();
            if (self.rank == 0) OK(cycle.start());
            OK(cycle.finish_however_long_it_takes());
            cycle.expect();
            cycle.barrier();
        }
    });
}

// What it had for the others has left before; it takes part in nothing more.
TEST_P(Ways, ARankThatGivesItsRunUp) {
    on_each_rank(0.05, [](Rank &self, Cycle &cycle) {
        if (self.rank == 0) {
            OK(cycle.start());
            let_messages_leave(self.context);
            cycle.abandon();
            EXPECT_EQ(cycle.start(), HALO_ERR_STATE);
        }
        cycle.barrier();
        if (self.rank != 0) {
            OK(cycle.run(nullptr));
            cycle.expect();
            OK(cycle.start());
            if (cycle.is_beside_rank_0()) {
                EXPECT_EQ(cycle.finish(), HALO_TIMEOUT);
                cycle.abandon();
            } else {
                OK(cycle.finish_however_long_it_takes());
            }
        }
        cycle.barrier();
        cycle.destroy();
        cycle.create();
    });
}

TEST_P(Ways, ARankThatCannotTakePart) {
    on_each_rank(60, [](Rank &self, Cycle &cycle) {
        for (int again = 0; again < 3; ++again) {
            std::array<void *, n_fields> nothing{};
            halo_run run = HALO_RUN_INIT;
            if (self.rank == 0) run.data = nothing.data(), run.n_data = n_fields;
            const halo_status status = cycle.run(&run);
            if (self.rank == 0) {
                EXPECT_EQ(status, HALO_ERR_UNBOUND);
            } else if (cycle.is_beside_rank_0()) {
                EXPECT_EQ(status, HALO_ERR_PEER);
                expect_text({ "first cause, on rank 0: HALO_ERR_UNBOUND: ", "field mass, part 0 on rank 0 has no storage" });
            }
        }
    });
}

TEST_P(Ways, ARankThatRunsOtherFields) {
    on_each_rank(60, [](Rank &self, Cycle &cycle) {
        for (int again = 0; again < 3; ++again) {
            const std::array<int32_t, n_fields> mask{ 0, 1 };
            halo_run run = HALO_RUN_INIT;
            run.n_fields = n_fields, run.field_mask = self.rank == 0 ? mask.data() : nullptr;
            const halo_status status = cycle.run(&run);
            if (self.rank == 0 || cycle.is_beside_rank_0()) {
                EXPECT_TRUE(status == HALO_ERR_MISMATCH || status == HALO_ERR_PEER) << halo_status_name(status);
                expect_text({ "narrowed differently: rank 0 runs load, rank" });
            }
        }
    });
}

} // namespace conformance
