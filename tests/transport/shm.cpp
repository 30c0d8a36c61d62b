// SPDX-License-Identifier: BSD-3-Clause
// Rings, and what is special about messages in them.
#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <thread>

#include "shm/ring.h"
#include "shm_ranks.h"

namespace shm_tests {
namespace {

using halo::shm::Kind;
using halo::shm::Ring;
using halo::shm::RingReader;
using halo::shm::RingWriter;

std::unique_ptr<Ring> zeroed_ring() { return std::make_unique<Ring>(); }

// From every place in the byte ring where a piece can begin, pieces of sizes up to the largest come out as they went in.
void check_pieces(bool all, size_t bulk_bytes) {
    using halo::shm::piece_bytes;
    const std::vector<size_t> sizes = { 1, 63, 64, 65, 4000, piece_bytes - 1, piece_bytes, piece_bytes + 1, 3 * piece_bytes + 17 };
    const auto ring = zeroed_ring();
    RingWriter writer(ring.get());
    RingReader reader(ring.get());
    if (all) writer.grow();
    int64_t n_pieces = 0;
    std::set<size_t> begins;
    for (size_t begin = 0; begin < 2 * bulk_bytes; begin += 64) {
        for (const size_t size : sizes) {
            const Bytes in = payload(0, 1, static_cast<int64_t>(begin), size);
            Bytes out;
            for (size_t sent = 0; sent < size; ++n_pieces) {
                uint64_t place = 0;
                const size_t n = writer.put(in.data() + sent, size - sent, place);
                ASSERT_GT(n, 0u);
                ASSERT_LE(n, piece_bytes);
                ASSERT_EQ(RingReader::size_of_piece(place), n);
                const unsigned char *piece = reader.piece(place);
                begins.insert(static_cast<size_t>(piece - ring->bulk));
                ASSERT_GE(piece, ring->bulk);
                ASSERT_LE(piece + n, ring->bulk + bulk_bytes);
                out.insert(out.end(), piece, piece + n);
                reader.release_piece(place);
                sent += n;
            }
            ASSERT_EQ(out, in) << "from " << begin;
        }
        uint64_t place = 0; // one step on
        const unsigned char byte = 1;
        ASSERT_EQ(writer.put(&byte, 1, place), 1u);
        reader.release_piece(place);
    }
    EXPECT_GT(n_pieces, static_cast<int64_t>(2 * bulk_bytes / 64 * sizes.size()));
    EXPECT_EQ(begins.size(), bulk_bytes / 64);
}

TEST(ShmRing, PiecesComeOutFromEveryOffset) { check_pieces(false, halo::shm::modest_bytes); }
TEST(ShmRing, PiecesComeOutFromEveryOffsetOfAllOfIt) { check_pieces(true, halo::shm::bulk_bytes); }

// Only where nothing lies in what is in use.
TEST(ShmRing, AnEmptyRingGrows) {
    const auto ring = zeroed_ring();
    RingWriter writer(ring.get());
    RingReader reader(ring.get());
    const Bytes data(halo::shm::piece_bytes);
    uint64_t first = 0, place = 0;
    ASSERT_EQ(writer.put(data.data(), data.size(), first), data.size());
    writer.grow();
    size_t n = 1;
    while (writer.put(data.data(), data.size(), place) != 0) ++n;
    EXPECT_EQ(n, halo::shm::modest_bytes / halo::shm::piece_bytes);
    for (size_t i = 0; i < n; ++i) reader.release_piece(first);
    writer.grow();
    for (n = 0; writer.put(data.data(), data.size(), place) != 0;) ++n;
    EXPECT_EQ(n, halo::shm::bulk_bytes / halo::shm::piece_bytes);
}

TEST(ShmRing, AFullRingTakesNothingUntilItIsRead) {
    constexpr size_t n_free = halo::shm::cells_of(0) - 1; // one is kept
    const auto ring = zeroed_ring();
    RingWriter writer(ring.get());
    RingReader reader(ring.get());
    uint64_t stamp = 0;
    for (int lap = 0; lap < 3; ++lap) {
        EXPECT_EQ(reader.next(stamp), nullptr);
        for (size_t i = 0; i < n_free; ++i) {
            ASSERT_TRUE(writer.has_cell());
            writer.cell().word[0] = i;
            writer.publish(Kind::small, 8);
        }
        EXPECT_FALSE(writer.has_cell());
        for (size_t i = 0; i < n_free; ++i) {
            const halo::shm::Cell *cell = reader.next(stamp);
            ASSERT_NE(cell, nullptr);
            EXPECT_EQ(halo::shm::kind_of(stamp), Kind::small);
            EXPECT_EQ(halo::shm::small_size_of(stamp), 8u);
            EXPECT_EQ(cell->word[0], i);
            reader.release();
            EXPECT_TRUE(writer.has_cell());
        }
    }
    const Bytes data(halo::shm::piece_bytes);
    std::vector<uint64_t> places;
    for (uint64_t place = 0; writer.put(data.data(), data.size(), place) != 0;) places.push_back(place);
    EXPECT_EQ(places.size(), halo::shm::modest_bytes / halo::shm::piece_bytes);
    reader.release_piece(places.front());
    uint64_t place = 0;
    EXPECT_EQ(writer.put(data.data(), data.size(), place), data.size());
}

// Each is filled, a cell in each is read before it goes on, and the last one goes round.
TEST(ShmRing, GoesOnInLargerAreas) {
    const auto ring = zeroed_ring();
    RingWriter writer(ring.get());
    RingReader reader(ring.get());
    uint64_t stamp = 0;
    size_t n_written = 0, n_read = 0;
    const auto write = [&] {
        writer.cell().word[0] = n_written++;
        writer.publish(Kind::small, 8);
    };
    const auto read = [&] {
        const halo::shm::Cell *cell = reader.next(stamp);
        ASSERT_NE(cell, nullptr);
        ASSERT_EQ(cell->word[0], n_read++);
        reader.release();
    };
    for (int area = 0; area < halo::shm::n_areas; ++area) {
        if (area > 0) writer.go_on();
        EXPECT_EQ(writer.next_area(), area + 1);
        const size_t begun_with = n_written;
        for (; writer.has_cell(); write()) {}
        EXPECT_EQ(n_written - begun_with, halo::shm::cells_of(area) - 1);
        if (area > 0) continue;
        read(); // which leaves room
        ASSERT_TRUE(writer.has_cell());
        write();
        ASSERT_FALSE(writer.has_cell());
    }
    while (n_read < n_written) read();
    EXPECT_EQ(reader.next(stamp), nullptr);
    for (size_t i = 0; i < 2 * halo::shm::cells_of(halo::shm::n_areas - 1); ++i) {
        ASSERT_TRUE(writer.has_cell());
        write();
        read();
    }
}

// Where it says so a message goes in as a whole, wherever in the byte ring it begins.
TEST(ShmRing, KnowsWhetherAMessageHasRoom) {
    const auto ring = zeroed_ring();
    RingWriter writer(ring.get());
    RingReader reader(ring.get());
    std::mt19937_64 random(5);
    const Bytes data(64 << 10);
    std::vector<uint64_t> places; // not released
    int n_refused = 0;
    for (int i = 0; i < 20000; ++i) {
        const size_t bytes = 1 + random() % data.size();
        if (!writer.has_room(bytes)) {
            ++n_refused;
            ASSERT_FALSE(places.empty());
            for (const uint64_t place : places) reader.release_piece(place);
            places.clear();
            ASSERT_TRUE(writer.has_room(bytes));
        }
        for (size_t sent = 0; sent < bytes;) {
            uint64_t place = 0;
            const size_t n = writer.put(data.data() + sent, bytes - sent, place);
            ASSERT_GT(n, 0u) << "message " << i;
            places.push_back(place);
            sent += n;
        }
    }
    EXPECT_GT(n_refused, 100);
}

class Shm : public Copies {};
INSTANTIATE_TEST_SUITE_P(Copied, Shm, testing::Values("once", "twice"), name_of);

size_t size_of(int i) {
    const size_t bounds[] = { 0, 1, 111, 112, 113, 8191, 8192, 8193, 16383, 16384, 16385, 65535, 65536, 65537, 131072, 131073, 500000 };
    if (i % 5 == 0) return bounds[static_cast<size_t>(i / 5) % std::size(bounds)];
    return static_cast<size_t>(i) * 193 % 9001;
}

// All of a size's ways, one behind the other on one tag, many times around the ring.
TEST_P(Shm, EverySizeInOrderOnOneTag) {
    run_ranks(2, [](Rank &r) {
        const int32_t peer = 1 - r.rank;
        for (int i = 0; i < 3000; ++i) {
            Bytes out = payload(r.rank, peer, i, size_of(i));
            Bytes in(out.size() + 8, 0xa5);
            halo_request requests[2] = {};
            if (i % 3 != 0) r.receive(peer, 1, in, requests[0]);
            r.send(peer, 1, out, requests[1]);
            if (i % 3 == 0) r.receive(peer, 1, in, requests[0]);
            require(r.wait(requests[0]) == out.size(), "message %d has a wrong size", i);
            check_payload(in, out.size(), peer, r.rank, i);
            require(std::count(in.end() - 8, in.end(), 0xa5) == 8, "message %d wrote behind its end", i);
            r.wait(requests[1]);
        }
    });
}

struct Burst {
    std::vector<Bytes> out, in;
    std::vector<halo_request> sends, receives;
    explicit Burst(size_t n) : out(n), in(n), sends(n), receives(n) {}
};

// Both fill the ring to the other, and much more, before any of them reads: nobody waits for anybody.
TEST_P(Shm, BothRingsFull) {
    constexpr int n = 1500;
    run_unopened(2, [](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        Rank r(plugin, params);
        const int32_t peer = 1 - r.rank;
        Burst b(n);
        const auto bytes_of = [](int i) { return i % 2 == 0 ? size_t{ 40 } : static_cast<size_t>(3000 + i); };
        for (int i = 0; i < n; ++i) {
            const auto at = static_cast<size_t>(i);
            b.out[at] = payload(r.rank, peer, i, bytes_of(i));
            r.send(peer, i % 3, b.out[at], b.sends[at]);
        }
        int32_t done = 0;
        size_t bytes = 0;
        require(r.ops.test(r.transport, &b.sends[n - 1], &done, &bytes) == HALO_SUCCESS && done == 0, "a ring takes all that was sent: %s",
                r.error.c_str());
        meet_elsewhere(params);
        for (int tag = 2; tag >= 0; --tag) {
            for (int i = tag; i < n; i += 3) {
                const auto at = static_cast<size_t>(i);
                b.in[at].resize(bytes_of(i));
                r.receive(peer, tag, b.in[at], b.receives[at]);
                require(r.wait(b.receives[at]) == bytes_of(i), "message %d has a wrong size", i);
                check_payload(b.in[at], bytes_of(i), peer, r.rank, i);
            }
        }
        for (halo_request &request : b.sends) r.wait(request);
        r.barrier();
    });
}

// Large messages of several tags to several peers at once, received in another order, some found by a probe.
TEST_P(Shm, ManyLargeMessagesAtOnce) {
    constexpr int32_t n_tags = 10;
    run_ranks(3, [](Rank &r) {
        const auto bytes_of = [](int32_t tag) { return static_cast<size_t>(100000 + tag * 211111); };
        const std::vector<int32_t> peers = r.peers();
        Burst b(peers.size() * n_tags);
        for (size_t p = 0; p < peers.size(); ++p) {
            for (int32_t tag = 0; tag < n_tags; ++tag) {
                const size_t at = p * n_tags + static_cast<size_t>(tag);
                b.out[at] = payload(r.rank, peers[p], tag, bytes_of(tag));
                b.in[at].resize(bytes_of(tag));
                if (tag % 3 == 0) r.receive(peers[p], tag, b.in[at], b.receives[at]);
                r.send(peers[p], tag, b.out[at], b.sends[at]);
            }
        }
        for (size_t p = 0; p < peers.size(); ++p) {
            for (int32_t tag = n_tags - 1; tag >= 0; --tag) {
                const size_t at = p * n_tags + static_cast<size_t>(tag);
                if (tag % 3 == 1) r.receive(peers[p], tag, b.in[at], b.receives[at]);
                if (tag % 3 != 2) continue;
                size_t bytes = 0;
                halo_matched message;
                r.wait_for_message(peers[p], tag, bytes, message);
                require(bytes == bytes_of(tag), "the probe says %zu bytes", bytes);
                r.receive_matched(message, b.in[at], b.receives[at]);
            }
        }
        for (size_t at = 0; at < b.in.size(); ++at) {
            const auto tag = static_cast<int32_t>(at % n_tags);
            require(r.wait(b.receives[at]) == bytes_of(tag), "tag %d has a wrong size", tag);
            check_payload(b.in[at], bytes_of(tag), peers[at / n_tags], r.rank, tag);
            r.wait(b.sends[at]);
        }
    });
}

// A receiver that has gone over to waiting for the bell hears every message, whenever it comes.
TEST_P(Shm, SilentPeersAreHeardAgain) {
    constexpr int n = 4000;
    run_ranks(2, [](Rank &r) {
        std::mt19937 random(7);
        halo_request request;
        for (int i = 0; i < n; ++i) {
            const auto pause = static_cast<int>(random() % 700); // about as many turns as a silent peer is asked
            if (r.rank == 0) {
                for (volatile int turn = 0; turn < 20 * pause;) turn = turn + 1;
                const Bytes out = payload(0, 1, i, 30);
                r.send(1, 2, out, request);
                r.wait(request);
            } else {
                for (int turn = 0; turn < pause; ++turn) r.ops.progress(r.transport);
                size_t bytes = 0;
                halo_matched message;
                r.wait_for_message(-1, 2, bytes, message);
                Bytes in(bytes);
                r.receive_matched(message, in, request);
                require(r.wait(request) == 30, "message %d has a wrong size", i);
                check_payload(in, 30, 0, 1, i);
            }
            if (i % 50 == 49) r.barrier();
        }
    });
}

// From any rank: in the order of arrival, of the tag asked for.
TEST_P(Shm, ProbesOfAnyRankFindAll) {
    constexpr int n = 200;
    run_ranks(3, [](Rank &r) {
        halo_request request;
        if (r.rank > 0) {
            for (int i = 0; i < n; ++i) {
                const Bytes out = payload(r.rank, 0, i, 16 + static_cast<size_t>(i) * 50);
                r.send(0, 4, out, request);
                r.wait(request);
            }
            return r.barrier();
        }
        int next[3] = {};
        for (int i = 0; i < 2 * n; ++i) {
            size_t bytes = 0;
            halo_matched message;
            r.wait_for_message(-1, 4, bytes, message);
            Bytes in(bytes);
            r.receive_matched(message, in, request);
            r.wait(request);
            const auto is_next_of = [&](int32_t source) {
                return in == payload(source, 0, next[source], 16 + static_cast<size_t>(next[source]) * 50);
            };
            const int32_t source = is_next_of(1) ? 1 : 2;
            require(is_next_of(source), "message %d of %zu bytes is the next of no rank", i, bytes);
            ++next[source];
        }
        require(next[1] == n && next[2] == n, "%d from rank 1, %d from rank 2", next[1], next[2]);
        r.barrier();
    });
}

} // namespace
} // namespace shm_tests
