// SPDX-License-Identifier: BSD-3-Clause
// A rank that cannot begin, is late, differs, gives up; rooms that are too small. Afterwards runs bring what the model says.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <thread>

#include "store.h"

namespace {

using namespace particles;
using conformance::Rank;

constexpr uint64_t number = 7; // blocks

void expect(halo_status status, halo_status wanted, const char *part) {
    const std::string text = halo_last_error();
    if (status != wanted || text.find(part) == std::string::npos)
        conformance::stop("%s: %s; wanted %s with '%s'", halo_status_name(status), text.c_str(), halo_status_name(wanted), part);
}

struct Played {
    explicit Played(const Rank &rank) : world(number, rank.size), serial(world, number), topology(world.make(rank.context)) {
        if (serial.n() < 20) conformance::stop("%lld particles are too few", static_cast<long long>(serial.n()));
    }
    ~Played() { halo_topology_destroy(&topology); }
    Played(const Played &) = delete;
    Played &operator=(const Played &) = delete;

    void step(Store &store, uint64_t seed) {
        serial.jump(seed);
        store.fill(serial);
        OK(halo_particles_start(store.get(), store.arrays()));
        store.finish();
        serial.migrate();
        store.check(serial, number);
    }

    World world;
    Serial serial;
    halo_topology *topology;
};

// On as many ranks as there are under a launcher, else on three.
void on_ranks(const std::function<void(Rank &)> &body, const conformance::Settings &settings = {}) { conformance::run(3, settings, body); }

TEST(Failures, OfARankThatCannotBegin) {
    on_ranks([](Rank &rank) {
        Played played(rank);
        Store store(played.world, Form::structs, played.topology);
        const int32_t culprit = rank.size - 1;
        for (uint64_t round = 0; round < 4; ++round) {
            played.step(store, 2 * round);
            store.fill(played.serial);
            halo_particles_arrays arrays = *store.arrays();
            halo_status started = HALO_SUCCESS;
            if (rank.rank == culprit) {
                if (round % 2 == 0) arrays.n_parts += 1;
                if (round % 2 == 1) arrays.struct_version = 9;
                started = halo_particles_start(store.get(), &arrays);
                expect(started, round % 2 == 0 ? HALO_ERR_ARGUMENT : HALO_ERR_VERSION, round % 2 == 0 ? "arrays of" : "halo_particles_arrays");
                continue;
            }
            OK(halo_particles_start(store.get(), &arrays));
            int32_t done = 0;
            std::vector<int64_t> counts(static_cast<size_t>(store.n_parts()) + 1);
            int64_t n = 0;
            if (round < 2) {
                halo_status status = HALO_SUCCESS;
                while (status == HALO_SUCCESS) status = halo_particles_test(store.get(), &done);
                expect(status, HALO_ERR_PEER, "rank");
            } else {
                expect(halo_particles_counts(store.get(), counts.data(), std::max<int64_t>(store.n_parts(), 1), &n), HALO_ERR_PEER, "rank");
            }
            expect(halo_particles_test(store.get(), &done), HALO_ERR_STATE, "no run is in flight");
        }
        played.step(store, 77);
    });
}

// In a row of blocks ranks know of their neighbours alone. Who has failed does something else at once.
TEST(Failures, AreHeardByRanksThatShareNoBorder) {
    on_ranks([](Rank &rank) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1, blocks.n_blocks[0] = rank.size;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology));
        const int64_t bytes = 8;
        halo_particles_desc desc = HALO_PARTICLES_DESC_INIT;
        desc.column_bytes = &bytes;
        halo_particles *made = nullptr;
        OK(halo_particles_create(topology, &desc, &made));
        for (int32_t culprit = 0; culprit < rank.size; ++culprit) {
            const int64_t target = rank.rank == culprit ? rank.size : rank.rank, one = 1;
            const int64_t *const targets = &target;
            double value[2] = { 1, 2 };
            void *const data = value;
            halo_particles_arrays arrays = HALO_PARTICLES_ARRAYS_INIT;
            arrays.n_parts = arrays.n_data = 1, arrays.counts = &one, arrays.data = &data, arrays.targets = &targets;
            halo_status status = halo_particles_start(made, &arrays);
            if (rank.rank == culprit)
                expect(status, HALO_ERR_NOT_FOUND, "particle 0 goes to part");
            else
                OK(status), expect(halo_particles_finish(made, &arrays), HALO_ERR_PEER, "rank");
            OK(halo_context_barrier(rank.context));
        }
        OK(halo_particles_destroy(&made));
        OK(halo_topology_destroy(&topology));
    });
}

// Found while particles are looked at.
TEST(Failures, OfAPositionThatIsNone) {
    on_ranks([](Rank &rank) {
        Played played(rank);
        Store store(played.world, Form::structs, played.topology);
        store.fill(played.serial);
        halo_particles_arrays arrays = *store.arrays();
        int64_t gid = 0;
        while (played.serial.part(gid).empty()) ++gid;
        bool mine = false;
        for (int64_t part = 0; part < store.n_parts(); ++part)
            if (store.gid(part) == gid) {
                const double nan = std::nan("");
                std::memcpy(static_cast<char *>(arrays.data[part]) + 8, &nan, sizeof nan);
                mine = true;
            }
        const halo_status started = halo_particles_start(store.get(), &arrays);
        if (mine) {
            expect(started, HALO_ERR_ARGUMENT, ", particle 0: its position along direction 0 is nan");
        } else {
            std::vector<int64_t> counts(static_cast<size_t>(store.n_parts()) + 1);
            int64_t n = 0;
            expect(halo_particles_counts(store.get(), counts.data(), std::max<int64_t>(store.n_parts(), 1), &n), HALO_ERR_PEER, "");
        }
        played.step(store, 5);
    });
}

TEST(Failures, OfRoomThatIsTooSmall) {
    on_ranks([](Rank &rank) {
        Played played(rank);
        Store store(played.world, Form::columns, played.topology);
        played.serial.jump(3);
        store.fill(played.serial);
        OK(halo_particles_start(store.get(), store.arrays()));
        std::vector<int64_t> counts(static_cast<size_t>(store.n_parts())), less;
        int64_t n = 0;
        if (store.n_parts() > 0) OK(halo_particles_counts(store.get(), counts.data(), store.n_parts(), &n));
        halo_particles_arrays arrays = *store.arrays();
        less = counts;
        for (auto &one : less) one = std::max<int64_t>(one - 1, 0);
        arrays.counts = less.data();
        if (less != counts) expect(halo_particles_finish(store.get(), &arrays), HALO_ERR_LIMIT, "has room for");
        store.finish();
        played.serial.migrate();
        store.check(played.serial, number);
    });
}

TEST(Failures, OfARankThatIsLate) {
    on_ranks(
        [](Rank &rank) {
            Played played(rank);
            Store store(played.world, Form::structs, played.topology);
            played.step(store, 1);
            played.serial.jump(2);
            store.fill(played.serial);
            if (rank.size > 1 && rank.rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(600));
            OK(halo_particles_start(store.get(), store.arrays()));
            if (rank.rank > 0) {
                halo_particles_arrays arrays = *store.arrays();
                halo_status status = halo_particles_finish(store.get(), &arrays);
                expect(status, HALO_TIMEOUT, "particles");
                while (status == HALO_TIMEOUT) {
                    std::vector<int64_t> counts(static_cast<size_t>(store.n_parts()) + 1);
                    int64_t n = 0;
                    status = halo_particles_counts(store.get(), counts.data(), std::max<int64_t>(store.n_parts(), 1), &n);
                }
                OK(status);
            }
            OK(halo_context_set(rank.context, "timeout", "60s"));
            store.finish();
            played.serial.migrate();
            store.check(played.serial, number);
        },
        { { "timeout", "0.2s" } });
}

TEST(Failures, OfDescriptionsThatDiffer) {
    on_ranks([](Rank &rank) {
        Played played(rank);
        const int64_t bytes[] = { 8, rank.rank == 0 ? 8 : 4 };
        halo_particles_desc desc = HALO_PARTICLES_DESC_INIT;
        desc.n_columns = 2, desc.column_bytes = bytes;
        halo_particles *made = nullptr;
        const halo_status status = halo_particles_create(played.topology, &desc, &made);
        if (rank.size > 1)
            expect(status, HALO_ERR_MISMATCH, "particles must agree on all ranks: column 1: 8 bytes on rank 0, 4 on rank");
        else
            OK(status), OK(halo_particles_destroy(&made));
        Store store(played.world, Form::structs, played.topology);
        played.step(store, 1);
    });
}

TEST(Failures, OfADescriptionThatIsRefused) {
    on_ranks([](Rank &rank) {
        Played played(rank);
        const int64_t bytes = rank.rank == 0 ? 0 : 8;
        halo_particles_desc desc = HALO_PARTICLES_DESC_INIT;
        desc.column_bytes = &bytes;
        halo_particles *made = nullptr;
        expect(halo_particles_create(played.topology, &desc, &made), rank.rank == 0 ? HALO_ERR_ARGUMENT : HALO_ERR_PEER, "column 0 has 0 bytes");
        Store store(played.world, Form::structs, played.topology);
        played.step(store, 1);
    });
}

TEST(Failures, OfARunThatIsGivenUp) {
    on_ranks([](Rank &rank) {
        Played played(rank);
        {
            Store store(played.world, Form::structs, played.topology);
            played.step(store, 1);
            store.fill(played.serial);
            OK(halo_particles_start(store.get(), store.arrays()));
            halo_particles *handle = store.get();
            expect(halo_particles_destroy(&handle), HALO_BUSY, "a run is in flight");
            expect(halo_topology_destroy(&played.topology), HALO_BUSY, "particles on it still exist: particles");
            expect(halo_particles_start(store.get(), store.arrays()), HALO_ERR_STATE, "a run is in flight");
            OK(halo_particles_abandon(store.get()));
            expect(halo_particles_start(store.get(), store.arrays()), HALO_ERR_STATE, "has been abandoned");
        }
        Store again(played.world, Form::columns, played.topology);
        for (uint64_t step = 0; step < 3; ++step) played.step(again, 10 + step);
    });
}

TEST(Failures, OfAContextThatGoesWithAll) {
    if (!conformance::threads()) GTEST_SKIP();
    conformance::run_raw(2, [](halo_inproc *group, int32_t rank) {
        halo_context *context = nullptr;
        OK(conformance::make_context(group, rank, { { "log_level", "error" } }, &context));
        const World world(number, 2);
        halo_topology *topology = world.make(context);
        const int64_t *gids = nullptr, bytes = 8;
        int64_t n_parts = 0;
        OK(halo_topology_local_parts(topology, &gids, &n_parts));
        const std::vector<int64_t> counts(static_cast<size_t>(n_parts));
        const std::vector<void *> data(counts.size());
        const std::vector<const int64_t *> targets(counts.size());
        halo_particles_desc desc = HALO_PARTICLES_DESC_INIT;
        desc.column_bytes = &bytes;
        halo_particles *particles = nullptr;
        OK(halo_particles_create(topology, &desc, &particles));
        halo_particles_arrays arrays = HALO_PARTICLES_ARRAYS_INIT;
        arrays.n_parts = arrays.n_data = n_parts, arrays.counts = counts.data(), arrays.data = data.data(), arrays.targets = targets.data();
        OK(halo_particles_start(particles, &arrays));
        expect(halo_context_destroy(&context), HALO_BUSY, "particles 2 of 1 columns, 8 bytes");
        OK(halo_context_destroy_with_all(&context));
    });
}

} // namespace
