// SPDX-License-Identifier: BSD-3-Clause
// Exchanges over fields on devices that do more than move: sparse fields with arrivals, sums, channels of their own, several rounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "halo_levels.h"
#include "late/ring.h"

namespace {

using namespace conformance;
using late::HostRingField;
using late::Ring;
using late::RingExchange;
using late::RingField;

// Which blocks have storage in a turn, and which of those have values.
struct Occupied {
    int64_t n_blocks;
    bool stored(int64_t gid, int turn) const { return (gid * 7 + turn * 3) % 5 < 3; }
    bool has_values(int64_t gid, int turn) const { return stored(gid, turn) && (gid + turn) % 4 != 0; }
    int64_t left(int64_t gid) const { return (gid + n_blocks - 1) % n_blocks; }
    int64_t right(int64_t gid) const { return (gid + 1) % n_blocks; }
    bool gets_values(int64_t gid, int turn) const { return has_values(left(gid), turn) || has_values(right(gid), turn); }
};

struct Binder {
    const Ring &ring;
    const RingField &field;
    std::vector<int64_t> bound;

    static halo_status arrive(void *self, const halo_arrival *arrival) {
        auto *binder = static_cast<Binder *>(self);
        binder->bound.push_back(arrival->gid);
        late::bind(arrival->field, arrival->gid, binder->field.array(arrival->gid - binder->ring.first_gid()).data(), HALO_MEMORY_DEVICE, 0);
        return HALO_SUCCESS;
    }
};

void run_sparse(Rank &rank, int32_t messages) {
    const Ring ring(rank, 3);
    const Occupied occupied{ 3 * rank.size };
    const RingField s(ring, "s", 0, true);
    Binder binder{ ring, s, {} };
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.messages = messages;
    desc.arrival = Binder::arrive;
    desc.arrival_user = &binder;
    const RingExchange exchange({ s.handle() }, &desc);
    const late::Stream stream(s.device());
    for (int turn = 0; turn < 20; ++turn) {
        std::vector<std::vector<double>> expected(3);
        const halo_binding nothing = HALO_BINDING_INIT;
        binder.bound.clear();
        for (int64_t b = 0; b < 3; ++b) {
            const int64_t gid = ring.first_gid() + b;
            OK(halo_field_bind(s.handle(), gid, &nothing));
            std::vector<double> values(Ring::size, occupied.stored(gid, turn) ? Ring::unset : -7);
            for (int64_t i = Ring::ghosts; occupied.stored(gid, turn) && i < Ring::ghosts + Ring::n_cells; ++i)
                values[static_cast<size_t>(i)] = occupied.has_values(gid, turn) ? ring.filled(gid, turn + 1)[static_cast<size_t>(i)] : 0;
            s.array(b).write(values, stream);
            if (occupied.stored(gid, turn)) late::bind(s.handle(), gid, s.array(b).data(), HALO_MEMORY_DEVICE, 0);
            const std::vector<double> all = ring.filled(gid, turn + 1);
            for (size_t g = 0; g < Ring::ghosts; ++g) {
                values[g] = occupied.has_values(occupied.left(gid), turn) ? all[g] : -7;
                const size_t high = Ring::size - 1 - g;
                values[high] = occupied.has_values(occupied.right(gid), turn) ? all[high] : -7;
            }
            expected[static_cast<size_t>(b)] = values;
        }
        stream.synchronize(); // arrays of unbound blocks are written no more
        OK(halo_exchange_start(exchange, nullptr, stream));
        OK(halo_exchange_finish(exchange, stream));
        for (int64_t b = 0; b < 3; ++b) {
            const int64_t gid = ring.first_gid() + b;
            const bool arrived = std::find(binder.bound.begin(), binder.bound.end(), gid) != binder.bound.end();
            if (arrived != (!occupied.stored(gid, turn) && occupied.gets_values(gid, turn)))
                stop("turn %d: block %lld %s", turn, static_cast<long long>(gid), arrived ? "got storage for nothing" : "got no storage");
            if ((arrived || occupied.stored(gid, turn)) && s.array(b).read(stream) != expected[static_cast<size_t>(b)])
                stop("turn %d: block %lld differs", turn, static_cast<long long>(gid));
        }
    }
    const halo_exchange_stats stats = exchange.stats();
    if (stats.sparse_null == 0 || stats.sparse_null >= stats.sparse_sent)
        stop("%lld of %lld were null", static_cast<long long>(stats.sparse_null), static_cast<long long>(stats.sparse_sent));
}

TEST(KindsOnDevices, SparseFieldsWithArrivals) {
    run(1, late::settings(), [](Rank &rank) { run_sparse(rank, HALO_MESSAGES_AGGREGATE); });
    run(2, late::settings(), [](Rank &rank) { run_sparse(rank, HALO_MESSAGES_AGGREGATE); });
}

// A rank without storage gets some on a device, where other work is queued.
TEST(KindsOnDevices, StorageThatComesIsFilledInTheCallersStream) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 1);
        const RingField s(ring, "s", 0, true), busy(ring, "busy");
        Binder binder{ ring, s, {} };
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.arrival = Binder::arrive;
        desc.arrival_user = &binder;
        const RingExchange exchange({ s.handle() }, &desc), elsewhere({ busy.handle() });
        const late::Stream stream(s.device());
        s.write(1, stream);
        stream.synchronize();
        if (rank.rank == 0) late::bind(s.handle(), 0, s.array(0).data(), HALO_MEMORY_DEVICE, 0);
        if (rank.rank == 1) late_delay_launch(s.device(), 0, 300000);
        OK(halo_exchange_start(elsewhere, nullptr, HALO_STREAM_DEFAULT));
        OK(halo_exchange_start(exchange, nullptr, stream));
        OK(halo_exchange_finish(exchange, stream));
        if (rank.rank == 1 && s.array(0).read(stream)[0] != ring.filled(1, 1)[0]) stop("ghosts are not there");
        OK(halo_exchange_finish(elsewhere, HALO_STREAM_DEFAULT));
    });
}

// In the next run all is on the host.
TEST(KindsOnDevices, StorageThatComesAndGoes) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 1);
        const RingField s(ring, "s", 0, true);
        Binder binder{ ring, s, {} };
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.arrival = Binder::arrive;
        desc.arrival_user = &binder;
        const RingExchange exchange({ s.handle() }, &desc);
        const late::Stream stream(s.device());
        const halo_binding nothing = HALO_BINDING_INIT;
        for (int turn = 0; turn < 4; ++turn) {
            s.write(turn, stream);
            stream.synchronize();
            OK(halo_field_bind(s.handle(), rank.rank, &nothing));
            if (rank.rank == turn % 2) late::bind(s.handle(), rank.rank, s.array(0).data(), HALO_MEMORY_DEVICE, 0);
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
            if (rank.rank != turn % 2 && s.array(0).read(stream)[0] != ring.filled(rank.rank, turn)[0])
                stop("turn %d: no ghosts on the device", turn);
            std::vector<double> values = ring.owned(rank.rank, turn);
            OK(halo_field_bind(s.handle(), rank.rank, &nothing));
            late::bind(s.handle(), rank.rank, values.data(), HALO_MEMORY_HOST, 0);
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
            if (values != ring.filled(rank.rank, turn)) stop("turn %d: no ghosts on the host", turn);
        }
    });
}

TEST(KindsOnDevices, SparseFieldsInMessagesOfTheirOwn) {
    run(3, late::settings(), [](Rank &rank) { run_sparse(rank, HALO_MESSAGES_PER_CHANNEL); });
}

TEST(KindsOnDevices, DenseFieldsInMessagesOfTheirOwn) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.messages = HALO_MESSAGES_PER_CHANNEL;
        const RingExchange exchange({ u.handle() }, &desc);
        const late::Stream stream(u.device());
        for (int turn = 0; turn < 10; ++turn) {
            u.write(turn, stream);
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
            u.expect(turn, stream, "per channel");
        }
    });
}

// Ghosts are added to the cells they stand for, once more in each run.
TEST(KindsOnDevices, Sums) {
    for (const int32_t messages : { HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL })
        run(2, late::settings(), [&](Rank &rank) {
            const Ring ring(rank, 2);
            const RingField u(ring, "u");
            halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
            desc.kind = HALO_KIND_REVERSE;
            desc.op = HALO_SUM;
            desc.messages = messages;
            const RingExchange exchange({ u.handle() }, &desc);
            const late::Stream stream(u.device()), other(u.device());
            for (int turn = 0; turn < 10; ++turn) {
                u.write_with_ghosts(turn, stream);
                OK(halo_exchange_start(exchange, nullptr, stream));
                OK(halo_exchange_finish(exchange, other));
                u.expect_sums(turn, other, "sums");
            }
        });
}

// Who waits in one exchange lets the messages of another leave.
TEST(KindsOnDevices, AWaitLetsOtherMessagesLeave) {
    late_configure(3, 3000);
    run(2, late::settings({ { "timeout", "20" } }), [](Rank &rank) {
        const Ring ring(rank, 1);
        const RingField u(ring, "u");
        halo_field *h = nullptr;
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.ghost_low[0] = desc.ghost_high[0] = Ring::ghosts;
        OK(halo_field_create(ring.topology(), &desc, &h));
        OK(halo_field_allocate(h, -1));
        {
            const RingExchange on_device({ u.handle() }), on_host({ h });
            const late::Stream stream(u.device());
            for (int turn = 0; turn < 3; ++turn) {
                u.write(turn, stream);
                OK(halo_exchange_start(on_device, nullptr, stream));
                if (rank.rank == 1) OK(halo_exchange_finish(on_device, stream)); // before it takes part in the other one
                OK(halo_exchange_start(on_host, nullptr, HALO_STREAM_NONE));
                OK(halo_exchange_finish(on_host, HALO_STREAM_NONE));
                if (rank.rank == 0) OK(halo_exchange_finish(on_device, stream));
                u.expect(turn, stream, "ghosts");
            }
        }
        OK(halo_field_destroy(&h));
    });
    late_configure(1, 50);
}

// What is packed in several launches leaves, and is unpacked, peer by peer.
TEST(KindsOnDevices, InChunks) {
    run(4, late::settings({ { "device.chunk", "1" } }), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u"), s(ring, "s", 0, true);
        for (int64_t b = 0; b < 2; ++b) late::bind(s.handle(), ring.first_gid() + b, s.array(b).data(), HALO_MEMORY_DEVICE, 0);
        const RingExchange exchange({ u.handle(), s.handle() }), dense({ u.handle() });
        const late::Stream stream(u.device()), other(u.device());
        for (int turn = 0; turn < 20; ++turn) {
            u.write(turn, stream);
            s.write(turn, stream);
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, other));
            u.expect(turn, other, "dense");
            s.expect(turn, other, "sparse");
            other.synchronize();
            u.write(turn + 100, stream);
            OK(halo_exchange_start(dense, nullptr, stream));
            OK(halo_exchange_finish(dense, other));
            u.expect(turn + 100, other, "dense alone");
            other.synchronize();
        }
        if (exchange.stats().device_launches != 20 * 5)
            stop("%lld launches: not test, pack for each of 2 peers, direct, unpack", static_cast<long long>(exchange.stats().device_launches));
    });
}

// Two peers' values make a chunk, and not one's alone: what the first brings waits for what the other does.
TEST(KindsOnDevices, PeersThatBringLittleAreUnpackedTogether) {
    run(3, late::settings({ { "device.chunk", std::to_string(Ring::ghosts * sizeof(double) + 1) } }), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        constexpr int n_turns = 3;
        for (int turn = 0; turn < n_turns; ++turn) {
            u.write(turn, stream);
            OK(halo_context_barrier(rank.context));
            if (rank.rank == 2) std::this_thread::sleep_for(std::chrono::milliseconds(30));
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
            u.expect(turn, stream, "together");
        }
        if (exchange.stats().device_launches != n_turns * 3)
            stop("%lld launches: not pack, direct, unpack", static_cast<long long>(exchange.stats().device_launches));
    });
}

// The roots of a tree in a circle, the first of them in two halves.
halo_topology *circle(const Rank &rank, int64_t n_roots, bool refined = false) {
    const halo_tree tree{ { n_roots, 1, 1 } };
    const halo_tree_join join = HALO_TREE_JOIN_INIT;
    std::vector<halo_leaf> leaves;
    for (int64_t half = 0; refined && half < 2; ++half) leaves.push_back({ 0, 1, { half, 0, 0 } });
    for (int64_t root = refined ? 1 : 0; root < n_roots; ++root) leaves.push_back({ 0, 0, { root, 0, 0 } });
    halo_forest_desc desc = HALO_FOREST_DESC_INIT;
    desc.n_dims = 1, desc.n_cells[0] = Ring::n_cells;
    desc.trees = &tree, desc.n_trees = 1, desc.joins = &join, desc.n_joins = 1;
    desc.leaves = leaves.data(), desc.n_leaves = std::ssize(leaves);
    halo_topology *topology = nullptr;
    OK(halo_topology_create_forest(rank.context, &desc, &topology));
    return topology;
}

// An exchange like that of other blocks.
TEST(KindsOnDevices, AForestOfOneLevel) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 3, circle(rank, int64_t{ 3 } * rank.size));
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        for (int turn = 0; turn < 10; ++turn) {
            u.write(turn, stream);
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
            u.expect(turn, stream, "a forest");
        }
        if (exchange.stats().device_launches != 10 * 3)
            stop("%lld launches: not pack, direct, unpack", static_cast<long long>(exchange.stats().device_launches));
    });
}

// A module of before plugin ABI 1.10 has no operations between levels, be it that of the host.
void expect_all_refused(halo_exchange *exchange, const char *what, const char *module) {
    const std::string text = text_of("exchange: field u: %s where it is, and device %s has no operations", what, module);
    const auto expect_refused = [&](halo_status status) {
        if (status != HALO_ERR_DEVICE || !std::strstr(halo_last_error(), text.c_str())) stop("status %d: %s", status, halo_last_error());
    };
    expect_refused(halo_exchange_prepare(exchange));
    expect_refused(halo_exchange_start(exchange, nullptr, HALO_STREAM_DEFAULT));
    expect_refused(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
}

TEST(KindsOnDevices, AForestOfTwoLevelsIsRefusedByAnOlderModule) {
    run(1, late::settings({}, "seven"), [](Rank &rank) {
        const Ring ring(rank, 3, circle(rank, 2, true)), other_blocks(rank, 2, circle(rank, 2));
        const RingField u(ring, "u"), to(other_blocks, "to");
        expect_all_refused(RingExchange({ u.handle() }), "ghosts between levels are made", "seven");
        halo_field *from = u.handle(), *destination = to.handle();
        halo_exchange *remesh = nullptr;
        OK(halo_exchange_create_transfer(&from, &destination, 1, nullptr, &remesh));
        expect_all_refused(remesh, "blocks of another list are filled", "seven");
        OK(halo_exchange_destroy(&remesh));
    });
    run(1, late::settings({}, "older"), [](Rank &rank) {
        const Ring ring(rank, 3, circle(rank, 2, true));
        const HostRingField u(ring, "u");
        expect_all_refused(RingExchange({ u.handle() }), "ghosts between levels are made", "older");
    });
}

TEST(KindsOnDevices, FluxesOfTwoLevelsAreRefusedByAnOlderModule) {
    run(1, late::settings({}, "seven"), [](Rank &rank) {
        const Ring ring(rank, 3, circle(rank, 2, true));
        halo_field_desc faces = HALO_FIELD_DESC_INIT;
        faces.name = "u", faces.centring = HALO_CENTRE_FACES;
        halo_field *u = nullptr;
        OK(halo_field_create(ring.topology(), &faces, &u));
        const late::Array<double> storage(rank.context, static_cast<size_t>(ring.n_blocks() * (Ring::n_cells + 1)));
        for (int64_t gid = 0; gid < ring.n_blocks(); ++gid) late::bind(u, gid, storage.data() + gid * (Ring::n_cells + 1), HALO_MEMORY_DEVICE, 0);
        {
            halo_exchange_desc fluxes = HALO_EXCHANGE_DESC_INIT;
            fluxes.kind = HALO_KIND_FLUXES;
            const RingExchange exchange({ u }, &fluxes);
            expect_all_refused(exchange, "fluxes of finer blocks are averaged", "seven");
        }
        OK(halo_field_destroy(&u));
    });
}

// Of a sparse field they are there while their part has storage: memory of the device, which goes back to the pool.
TEST(KindsOnDevices, CoarseCellsOfSparseFieldsFollowTheirParts) {
    run(1, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 3, circle(rank, 2, true));
        const RingField u(ring, "u", 0, true);
        const RingExchange exchange({ u.handle() });
        int64_t without = 0;
        const auto more_in_use = [&] {
            OK(halo_context_progress(rank.context));
            return late::pool_of(rank.context, HALO_MEMORY_DEVICE).in_use_bytes - without;
        };
        for (int turn = 0; turn < 8; ++turn) {
            const bool has_storage = turn % 2 == 1;
            for (int64_t block = 0; block < ring.n_blocks(); ++block)
                late::bind(u.handle(), block, has_storage ? u.array(block).data() : nullptr, HALO_MEMORY_DEVICE, 0);
            OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_DEFAULT));
            OK(halo_exchange_finish(exchange, HALO_STREAM_DEFAULT));
            if (turn == 2) { // tables are there now
                u.array(0).read(nullptr);
                without = more_in_use();
            }
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
            while (!has_storage && more_in_use() != 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
            if (turn >= 2 && (has_storage ? more_in_use() <= 0 : more_in_use() != 0))
                stop("turn %d: %lld bytes more are in use", turn, static_cast<long long>(more_in_use()));
            for (int64_t block = 0; block < 2; ++block) { // the fine ones
                void *coarse = nullptr;
                halo_layout layout = HALO_LAYOUT_INIT;
                OK(halo_exchange_coarse_data(exchange, 0, block, &coarse, &layout));
                if ((coarse != nullptr) != has_storage) stop("turn %d: coarse cells of block %lld", turn, static_cast<long long>(block));
            }
        }
    });
}

std::vector<std::vector<double>> all_values(const Ring &ring, const RingField &u, halo_stream stream) {
    std::vector<std::vector<double>> all;
    for (int64_t block = 0; block < ring.n_blocks(); ++block) all.push_back(u.array(block).read(stream));
    return all;
}

// Restriction, packing, copies within the rank, unpacking, prolongation. Any of them may be refused by the device, or fail when the call has
// returned: it is told, once, and a run later all is as it was.
constexpr int64_t n_launches = 5;
class FailsBetweenLevels : public testing::TestWithParam<std::tuple<int64_t, bool, const char *>> {};

TEST_P(FailsBetweenLevels, AndTheNextRunWorks) {
    run(2, late::settings({ { "timeout", "20" }, { "device.graphs", std::get<2>(GetParam()) } }), [](Rank &rank) {
        const int64_t after = std::get<0>(GetParam());
        const bool is_accepted = std::get<1>(GetParam());
        halo_topology *const blocks = circle(rank, 2 * int64_t{ rank.size } - 1, true);
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(blocks, &gids, &n));
        const Ring ring(rank, n, blocks);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        const auto run_once = [&] {
            u.write(1, stream);
            const halo_status status = halo_exchange_start(exchange, nullptr, stream);
            return status == HALO_SUCCESS ? halo_exchange_finish(exchange, stream) : status;
        };
        OK(run_once());
        const auto wanted = all_values(ring, u, stream);
        if (rank.rank == 0 && exchange.stats().device_launches != n_launches)
            stop("%lld launches, not one for each step", static_cast<long long>(exchange.stats().device_launches));
        if (rank.rank == 0 && is_accepted) late_fail_work(u.device(), after);
        if (rank.rank == 0 && !is_accepted) late_fail_launch(u.device(), after);
        int n_told = 0;
        for (int turn = 0; turn < 3; ++turn) {
            const halo_status status = run_once();
            stream.synchronize();
            if (status == HALO_SUCCESS) continue;
            if (status != (rank.rank == 0 ? HALO_ERR_DEVICE : HALO_ERR_PEER) || !std::strstr(halo_last_error(), "as ordered"))
                stop("status %d: %s", status, halo_last_error());
            ++n_told;
        }
        if (rank.rank == 0 ? n_told != 1 : n_told > 1) stop("told %d times", n_told);
        OK(run_once());
        if (all_values(ring, u, stream) != wanted) stop("other values after the failure");
    });
}

INSTANTIATE_TEST_SUITE_P(KindsOnDevices, FailsBetweenLevels,
                         testing::Combine(testing::Range<int64_t>(0, n_launches), testing::Bool(), testing::Values("no", "auto", "yes")),
                         [](const auto &one) {
                             return std::string(std::get<1>(one.param) ? "Accepted" : "Refused") + std::to_string(std::get<0>(one.param)) + "With" +
                                    std::get<2>(one.param);
                         });

TEST(KindsOnDevices, InPhases) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        for (int turn = 0; turn < 10; ++turn) {
            u.write(turn, stream);
            OK(halo_exchange_post(exchange, nullptr));
            halo_status status = HALO_BUSY;
            while (status == HALO_BUSY) status = halo_exchange_send(exchange, stream);
            OK(status);
            for (int32_t done = 0; !done;) OK(halo_exchange_test(exchange, &done));
            OK(halo_exchange_unpack(exchange, stream));
            OK(halo_exchange_refine(exchange, stream));
            u.expect(turn, stream, "phases");
        }
    });
}

} // namespace
