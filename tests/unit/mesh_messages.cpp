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
    std::vector<uint64_t> packed() const {
        RowLists lists;
        list_for(lists, mesh, 0, 0) = { 0, 1 };
        return from_bytes<uint64_t>(pack_rows(mesh, known, lists).at(0).bytes);
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
    void take(const std::vector<uint64_t> &words) { take_rows(mesh, known, { sender, to_bytes(words) }, n_ranks); }
};

TEST(MeshRows, AreTakenWhole) {
    Taker taker;
    taker.take(Chain().packed());
    EXPECT_EQ(taker.known.sets[0].index.keys(), (LargeVector<uint64_t>{ 10, 11 }));
    EXPECT_EQ(taker.known.sets[1].index.keys(), (LargeVector<uint64_t>{ 5, 6, 7 }));
    EXPECT_EQ(taker.known.sets[1].owners, (std::vector<int32_t>{ 0, 1, 1 }));
    EXPECT_EQ(taker.known.rows[0], (std::vector<uint32_t>{ 0, 1, 1, 2 }));
    taker.take(Chain().packed());
    EXPECT_EQ(taker.known.rows[0].size(), 4u) << "rows that are here already are taken again";
}

TEST(MeshRows, AreRefusedWhereverTheyEnd) {
    const std::vector<uint64_t> whole = Chain().packed();
    for (size_t n = 0; n < whole.size(); ++n) {
        Taker taker;
        expect_failure(HALO_ERR_WIRE, { "of rank 2" }, [&] { taker.take({ whole.begin(), whole.begin() + static_cast<int64_t>(n) }); });
    }
    std::vector<uint64_t> longer = whole;
    longer.push_back(0);
    expect_failure(HALO_ERR_WIRE, { "rank 2 goes on after" }, [&] { Taker().take(longer); });
}

TEST(MeshRows, NameRanksThatThereAreAndOneOwner) {
    std::vector<uint64_t> words = Chain().packed(); // a count, then key and owner of the edge, then of its two ends
    words[2] = n_ranks;
    expect_failure(HALO_ERR_WIRE, { "rank 2 names rank 3" }, [&] { Taker().take(words); });
    words = Chain().packed();
    words[10] = 0; // node 6 as the second edge has it
    expect_failure(HALO_ERR_WIRE, { "rank 2 says that rank 0 owns entity 6, which rank 1 does" }, [&] { Taker().take(words); });
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
