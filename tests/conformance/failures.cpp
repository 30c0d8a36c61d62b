// SPDX-License-Identifier: BSD-3-Clause
// Ranks fail in runs as chance has it. Their peers hear of it, nobody waits for ever, and whichever run succeeds has brought the right values: of
// that run, not of one before it.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "placed.h"
#include "ranks.h"

namespace conformance {

namespace {

constexpr int n_fields = 3;
constexpr std::array<int32_t, n_fields> n_components{
    1, 40, 3000
};                                            // messages of a few bytes, of some hundred, and too long to be sent before they are awaited
constexpr int64_t cells = 2, row = cells + 2; // one layer of ghosts

// What each rank does in a run: its part, or it has no storage, or it leaves out other fields than the rest.
struct Chances {
    static constexpr uint32_t all = (1U << n_fields) - 1;
    uint32_t mask = all; // of fields
    bool calm = true;
    std::vector<bool> fail;
    std::vector<bool> differ;

    explicit Chances(int32_t n_ranks) : fail(static_cast<size_t>(n_ranks)), differ(static_cast<size_t>(n_ranks)) {} // nobody fails
    Chances(std::mt19937 &random, int32_t n_ranks) {
        mask = random() % 2 == 0 ? all : random() % all + 1;
        calm = random() % 3 == 0;
        for (int32_t rank = 0; rank < n_ranks; ++rank) {
            fail.push_back(random() % 6 == 0 && !calm);
            differ.push_back(random() % 12 == 0 && !calm);
        }
    }
};

double value(int32_t rank, int field, int32_t component, int run) { return run * 1e6 + rank * 1e5 + field * 1e4 + component; }

// A part on each rank, around a ring.
class Ring {
public:
    Ring(const Rank &self, const halo_exchange_desc &desc) : self_(self) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1, blocks.n_blocks[0] = self.size, blocks.n_cells[0] = cells, blocks.periodic[0] = 1;
        OK(halo_topology_create_blocks(self.context, &blocks, &topology_));
        for (size_t f = 0; f < n_fields; ++f) {
            halo_field_desc field = HALO_FIELD_DESC_INIT;
            field.n_components = n_components[f], field.ghost_low[0] = field.ghost_high[0] = 1;
            OK(halo_field_create(topology_, &field, &fields_[f]));
            storage_[f].resize(static_cast<size_t>(row * n_components[f]));
        }
        OK(halo_exchange_create(fields_.data(), n_fields, &desc, &exchange_));
        prepare_if_asked(exchange_);
    }
    ~Ring() {
        halo_exchange_destroy(&exchange_);
        for (halo_field *&field : fields_) halo_field_destroy(&field);
        halo_topology_destroy(&topology_);
    }
    Ring(const Ring &) = delete;
    Ring &operator=(const Ring &) = delete;

    // True: it has succeeded.
    bool run(int number, const Chances &chances) {
        std::array<int32_t, n_fields> mask{};
        std::array<void *, n_fields> data{};
        const bool fails = chances.fail[static_cast<size_t>(self_.rank)], differs = chances.differ[static_cast<size_t>(self_.rank)];
        const uint32_t taken = differs ? chances.mask % Chances::all + 1 : chances.mask;
        for (size_t f = 0; f < n_fields; ++f) mask[f] = static_cast<int32_t>(taken >> f & 1U), data[f] = placed(storage_[f].data());
        if (fails) data.fill(nullptr);
        fill(number);
        halo_run run = HALO_RUN_INIT;
        run.n_fields = n_fields, run.field_mask = mask.data(), run.data = data.data(), run.n_data = n_fields;
        run.devices = devices(n_fields);
        halo_status status = start_when_free(run);
        if (status == HALO_SUCCESS) status = halo_exchange_finish(exchange_, finish_stream());
        const bool allowed = fails ? status == HALO_ERR_UNBOUND
                                   : status == HALO_SUCCESS || (!chances.calm && (status == HALO_ERR_PEER || status == HALO_ERR_MISMATCH));
        if (!allowed) stop("rank %d, run %d: %s: %s", self_.rank, number, halo_status_name(status), halo_last_error());
        if (status == HALO_SUCCESS) expect_ghosts(number, mask);
        return status == HALO_SUCCESS;
    }

private:
    // A peer's device may still be at storage in a run that has failed here.
    halo_status start_when_free(const halo_run &run) {
        halo_status status = HALO_BUSY;
        for (int n = 0; n < 10000 && (status = halo_exchange_start(exchange_, &run, stream())) == HALO_BUSY; ++n)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return status;
    }
    double &at(size_t field, int64_t cell, int32_t component) { return storage_[field][static_cast<size_t>(component * row + cell)]; }
    void fill(int number) {
        for (size_t f = 0; f < n_fields; ++f)
            for (int32_t c = 0; c < n_components[f]; ++c)
                for (int64_t cell = 0; cell < row; ++cell)
                    at(f, cell, c) = cell == 0 || cell == row - 1 ? -1 : value(self_.rank, static_cast<int>(f), c, number);
        for (const auto &values : storage_) upload(values.data(), values.size() * sizeof(double));
    }
    void expect_ghosts(int number, const std::array<int32_t, n_fields> &mask) {
        const int32_t below = (self_.rank + self_.size - 1) % self_.size, above = (self_.rank + 1) % self_.size;
        for (auto &values : storage_) download(values.data(), values.size() * sizeof(double));
        for (size_t f = 0; f < n_fields; ++f)
            for (int32_t c = 0; c < n_components[f]; ++c) {
                const auto wanted = [&](int32_t rank) { return mask[f] ? value(rank, static_cast<int>(f), c, number) : -1; };
                if (at(f, 0, c) != wanted(below) || at(f, row - 1, c) != wanted(above))
                    stop("rank %d, run %d, field %zu, component %d: ghosts %g and %g, wanted %g and %g", self_.rank, number, f, c, at(f, 0, c),
                         at(f, row - 1, c), wanted(below), wanted(above));
            }
    }

    const Rank &self_;
    halo_topology *topology_ = nullptr;
    std::array<halo_field *, n_fields> fields_{};
    std::array<std::vector<double, StorageAllocator<double>>, n_fields> storage_;
    halo_exchange *exchange_ = nullptr;
};

class Failures : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Failures, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

void run_with_chances(Rank &self, int32_t messages, int32_t receive) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.messages = messages, desc.receive = receive;
    begin_case(static_cast<uint64_t>(messages * 10 + receive));
    Ring ring(self, desc);
    std::mt19937 random(static_cast<uint32_t>(messages * 10 + receive));
    const int64_t n_runs = number_from("CONFORMANCE_FAILURES", 150);
    for (int number = 1; number <= n_runs; ++number) ring.run(number, Chances(random, self.size));
    if (!ring.run(static_cast<int>(n_runs) + 1, Chances(self.size)))
        stop("rank %d: a run in which nobody fails failed: %s", self.rank, halo_last_error());
    OK(halo_context_barrier(self.context));
}

} // namespace

TEST_P(Failures, ReachPeersAndEndWithTheirRun) {
    run(GetParam(), {}, [](Rank &self) {
        for (const int32_t messages : { HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL })
            for (const int32_t receive : { HALO_RECEIVE_POSTED, HALO_RECEIVE_PROBED }) run_with_chances(self, messages, receive);
    });
}

} // namespace conformance
