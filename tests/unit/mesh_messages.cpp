// SPDX-License-Identifier: BSD-3-Clause
// Messages of ranks that make a mesh local: what is whole is taken, what is cut, goes on, or cannot be true is refused with the rank's name.
#include <algorithm>

#include "base/bytes.h"
#include "expect_failure.h"
#include "mesh/register.h"
#include "mesh/rows.h"

namespace halo {
namespace {

constexpr int32_t n_ranks = 3, sender = 2;

// Edges 10 and 11 of rank 1, which lead to nodes 5, 6 and 6, 7; 5 is rank 0's.
struct Chain {
    uint64_t edges[2] = { 10, 11 }, ends[4] = { 5, 6, 6, 7 };
    MeshDescription mesh;
    KnownMesh known;

    Chain() {
        mesh.sets.resize(2);
        mesh.sets[0].name = "edges", mesh.sets[0].keys = edges, mesh.sets[0].maps_from = { 0 };
        mesh.sets[1].name = "nodes", mesh.sets[1].owner_rule = HALO_MESH_OWNER_OF_SOURCES, mesh.sets[1].maps_to = { 0 };
        mesh.maps = { { "ends", 0, 1, 2, ends, std::nullopt } };
        known.add_brought(mesh);
        std::ranges::fill(known.sets[0].owners, 1);
        known.sets[1].owners = { 0, 1, 1 };
    }
    std::vector<std::byte> packed() const {
        RowLists lists;
        list_for(lists, mesh, 0, 0) = { 0, 1 };
        return pack_rows(mesh, known, lists).at(0).bytes;
    }
};

// A rank that brings nothing.
struct Taker {
    MeshDescription mesh = Chain().mesh;
    KnownMesh known;

    Taker() {
        mesh.sets[0].keys = {};
        mesh.maps[0].keys = {};
        known.add_brought(mesh);
    }
    void take(const std::vector<std::byte> &bytes, int32_t rank = 0, bool takes_own = false) {
        const Delivery came{ sender, bytes };
        take_rows(mesh, known, came, { rank, n_ranks, takes_own });
    }
};

// Where a message of two edges and three nodes has what: a count of edges, their keys and owners, the same of nodes, two counts of rows, the rows.
constexpr size_t owner_of_first_edge = 16, first_row = 8 + 2 * 12 + 8 + 3 * 12 + 16;

std::vector<std::byte> with(std::vector<std::byte> bytes, size_t at, int32_t value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return bytes;
}

TEST(MeshRows, AreTakenWhole) {
    Taker taker;
    taker.take(Chain().packed());
    EXPECT_EQ(taker.known.sets[0].index.keys(), (LargeVector<uint64_t>{ 10, 11 }));
    EXPECT_EQ(taker.known.sets[1].index.keys(), (LargeVector<uint64_t>{ 5, 6, 7 }));
    EXPECT_EQ(taker.known.sets[1].owners, (std::vector<int32_t>{ 0, 1, 1 }));
    EXPECT_EQ(taker.known.rows[0], (LargeVector<uint32_t>{ 0, 1, 1, 2 }));
    taker.take(Chain().packed());
    EXPECT_EQ(taker.known.rows[0].size(), 4u) << "rows that are here already are taken again";
}

TEST(MeshRows, AreRefusedWhereverTheyEnd) {
    const std::vector<std::byte> whole = Chain().packed();
    for (size_t n = 0; n < whole.size(); ++n) {
        Taker taker;
        expect_failure(HALO_ERR_WIRE, { "of rank 2" }, [&] { taker.take({ whole.begin(), whole.begin() + static_cast<int64_t>(n) }); });
    }
    std::vector<std::byte> longer = whole;
    longer.push_back(std::byte{ 0 });
    expect_failure(HALO_ERR_WIRE, { "rank 2 goes on after" }, [&] { Taker().take(longer); });
}

// Whatever has changed on the way: it is taken or refused, and touches nothing else.
TEST(MeshRows, AreTakenOrRefusedWithAnyOtherByte) {
    const std::vector<std::byte> whole = Chain().packed();
    int n_refused = 0;
    for (size_t at = 0; at < whole.size(); ++at)
        for (const int other : { 0x01, 0x02, 0x10, 0x80, 0xff }) {
            std::vector<std::byte> bytes = whole;
            bytes[at] ^= static_cast<std::byte>(other);
            Taker taker;
            try {
                taker.take(bytes);
                EXPECT_EQ(taker.known.rows[0].size() % 2, 0u) << "byte " << at;
            } catch (const Error &error) {
                EXPECT_EQ(error.status(), HALO_ERR_WIRE) << "byte " << at << ": " << error.what();
                ++n_refused;
            }
        }
    EXPECT_GT(n_refused, static_cast<int>(whole.size())); // of counts, ranks and places
}

TEST(MeshRows, NameRanksThatThereAreAndOneOwner) {
    for (const int32_t owner : { n_ranks, -1 })
        expect_failure(HALO_ERR_WIRE, { format("rank 2 names rank %d", owner).c_str() },
                       [&] { Taker().take(with(Chain().packed(), owner_of_first_edge, owner)); });
    Taker taker;
    taker.take(Chain().packed());
    expect_failure(HALO_ERR_WIRE, { "rank 2 says that rank 0 owns entity 10, which rank 1 does" },
                   [&] { taker.take(with(Chain().packed(), owner_of_first_edge, 0)); });
}

// To owners come their own, later those of others alone.
TEST(MeshRows, AreOfWhomTheyShould) {
    expect_failure(HALO_ERR_WIRE, { "rank 2 sends the row of entity 10 of set edges, which rank 1 owns" },
                   [&] { Taker().take(Chain().packed(), 1); });
    expect_failure(HALO_ERR_WIRE, { "entity 10 of set edges, which rank 1 owns" }, [&] { Taker().take(Chain().packed(), 0, true); });
    Taker taker;
    taker.take(Chain().packed(), 1, true);
    EXPECT_EQ(taker.known.rows[0].size(), 4u);
}

TEST(MeshRows, LeadToWhatIsNamed) {
    expect_failure(HALO_ERR_WIRE, { "rank 2 names entity 2 of 2" }, [&] { Taker().take(with(Chain().packed(), first_row, 2)); });
    expect_failure(HALO_ERR_WIRE, { "rank 2 names entity 3 of 3" }, [&] { Taker().take(with(Chain().packed(), first_row + 4, 3)); });
    Taker taker;
    taker.take(with(Chain().packed(), first_row + 4, -1));
    EXPECT_EQ(taker.known.rows[0], (LargeVector<uint32_t>{ KnownSet::none, 1, 1, 2 }));
}

class MeshRegister : public testing::Test {
protected:
    MeshRegister() {
        set_.name = "nodes";
        set_.owner_rule = HALO_MESH_OWNER_OF_SOURCES;
    }
    static Delivery claims(int32_t rank, const std::vector<Claim> &claims) { return { rank, to_bytes(claims) }; }

    MeshSet set_;
};

TEST_F(MeshRegister, MostVotesWinThenTheLowestRankThenWhoBringsIt) {
    Register entries(set_, n_ranks);
    const Delivery from_0 = claims(0, { { 5, 2, 2 }, { 5, 1, 1 }, { 6, 1, 1 }, { 7, 0, -1 } });
    const Delivery from_1 = claims(1, { { 5, 2, 0 }, { 6, 0, 0 }, { 8, 0, 1 } });
    entries.note(from_0);
    entries.note(from_1);
    EXPECT_EQ(entries.answers(from_0), (std::vector<int32_t>{ 0, 0, 1, -1 })); // of 5 ranks 0 and 2 have two votes each
    EXPECT_EQ(entries.answers(from_1), (std::vector<int32_t>{ 0, 1, 1 }));
}

TEST_F(MeshRegister, CountsVeryManyVotes) {
    Register entries(set_, n_ranks);
    constexpr int64_t many = int64_t{ 1 } << 32;
    const Delivery from_0 = claims(0, { { 5, many, 2 }, { 5, many - 1, 1 }, { 6, many - 2, 1 }, { 7, many - 1, 0 } });
    const Delivery from_1 = claims(1, { { 5, 2, 1 }, { 6, 3, 1 }, { 6, many, 0 }, { 7, many, 2 } });
    entries.note(from_0);
    entries.note(from_1);
    EXPECT_EQ(entries.answers(from_1), (std::vector<int32_t>{ 1, 1, 1, 2 })); // by one vote
}

TEST_F(MeshRegister, RowsStartAtWhatSomebodyBrings) {
    set_.maps_from = { 0 };
    Register entries(set_, n_ranks);
    const Delivery from_0 = claims(0, { { 5, 3, 1 }, { 6, 3, 1 }, { 6, 0, 2 } });
    entries.note(from_0);
    EXPECT_EQ(entries.answers(from_0), (std::vector<int32_t>{ -1, 1, 1 }));
}

TEST_F(MeshRegister, RefusesWhatCannotBe) {
    Register entries(set_, n_ranks);
    entries.note(claims(0, { { 5, 0, 0 } }));
    expect_failure(HALO_ERR_ARGUMENT, { "set nodes: entity 5 is brought by ranks 0 and 1" }, [&] { entries.note(claims(1, { { 5, 0, 1 } })); });
    for (const Claim &claim : { Claim{ 6, 0, n_ranks }, Claim{ 6, 1, -1 }, Claim{ 6, -1, 0 }, Claim{ 6, INT64_MAX, 0 }, Claim{ 6, 0, -2 } })
        expect_failure(HALO_ERR_WIRE, { "rank 1 claims a key for rank" }, [&] { entries.note(claims(1, { claim })); });
    Delivery cut = claims(1, { { 6, 1, 0 } });
    cut.bytes.pop_back();
    expect_failure(HALO_ERR_WIRE, { "does not hold whole records" }, [&] { entries.note(cut); });
}

} // namespace
} // namespace halo
