// SPDX-License-Identifier: BSD-3-Clause
// Owners that callers give and that contradict each other: within a rank always found, between ranks in check mode.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "ranks.h"

namespace {

using conformance::Rank;

constexpr uint64_t disputed = 42;

// This rank's own key, the disputed one, and whom it says to own them.
struct Said {
    uint64_t keys[3];
    int32_t owners[3];
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;

    Said(const Rank &rank, int32_t owner) : keys{ 100 + static_cast<uint64_t>(rank.rank), disputed, disputed }, owners{ rank.rank, owner, owner } {
        desc.n_keys = 2, desc.keys = keys, desc.owners = owners, desc.editable = 1;
    }
};

void require(halo_status status, halo_status wanted, const char *text) {
    if (status != wanted) conformance::stop("%s instead of %s: %s", halo_status_name(status), halo_status_name(wanted), halo_last_error());
    if (wanted != HALO_SUCCESS && !std::strstr(halo_last_error(), text)) conformance::stop("'%s' is not in: %s", text, halo_last_error());
}

// Topologies can be made after it, on all ranks.
void require_refusal(Rank &rank, const halo_keys_desc &desc, halo_status wanted, const char *text) {
    halo_topology *topology = nullptr;
    require(halo_topology_create_keys(rank.context, &desc, &topology), wanted, text);
    Said good(rank, 0);
    OK(halo_topology_create_keys(rank.context, &good.desc, &topology));
    OK(halo_topology_destroy(&topology));
}

class SaidOwners : public testing::TestWithParam<std::tuple<int32_t, const char *>> {
protected:
    void run(const char *check, const std::function<void(Rank &)> &body) const {
        const auto &[n_ranks, discovery] = GetParam();
        conformance::run(n_ranks, { { "discovery", discovery }, { "check", check } }, body);
    }
};
INSTANTIATE_TEST_SUITE_P(Ranks, SaidOwners,
                         testing::Combine(testing::ValuesIn(conformance::rank_counts()), testing::Values("alltoall", "consensus")));

TEST_P(SaidOwners, EntriesOfARank) {
    run("0", [](Rank &rank) {
        const bool differs = rank.rank == rank.size - 1;
        Said said(rank, 0);
        if (rank.size == 1) return; // there is one to name
        said.desc.n_keys = 3;
        if (differs) said.owners[2] = 1;
        const char *text = "keys: owner 0 of key 42 at position 1, owner 1 at position 2; a key has one";
        require_refusal(rank, said.desc, differs ? HALO_ERR_ARGUMENT : HALO_ERR_PEER, text);

        const int32_t ignored[3] = { 0, 0, HALO_KEY_IGNORE };
        said.desc.flags = ignored;
        halo_topology *topology = nullptr, *edited = nullptr;
        OK(halo_topology_create_keys(rank.context, &said.desc, &topology));
        halo_keys_edit edit = HALO_KEYS_EDIT_INIT;
        edit.n_add = 1, edit.add = &disputed, edit.owners = said.owners + 2;
        require(halo_topology_edit_keys(topology, &edit, &edited), differs ? HALO_ERR_ARGUMENT : HALO_ERR_PEER,
                "keys: owner 0 of key 42 at position 1, owner 1 at position 3; a key has one");
        OK(halo_topology_destroy(&topology));

        const int64_t offsets[3] = { 0, 2, 3 };
        said.desc.flags = nullptr, said.desc.editable = 0, said.desc.numbering = HALO_NUMBERING_AS_GIVEN;
        said.desc.n_parts = 2, said.desc.part_offsets = offsets;
        require_refusal(rank, said.desc, differs ? HALO_ERR_ARGUMENT : HALO_ERR_PEER, text);
    });
}

// Each of two ranks takes the key for its own. Check mode tells all; else both own it.
TEST_P(SaidOwners, TwoRanksThatOwnAKey) {
    run("1", [](Rank &rank) {
        if (rank.size == 1) return;
        const Said said(rank, rank.rank == 1 ? 1 : 0);
        require_refusal(rank, said.desc, HALO_ERR_CHECK,
                        "keys: key 42 is owned by rank 0 as rank 0 says, by rank 1 as rank 1 says; there are 1 such keys");
    });
    run("0", [](Rank &rank) {
        Said said(rank, rank.rank == 1 ? 1 : 0);
        halo_topology *topology = nullptr;
        OK(halo_topology_create_keys(rank.context, &said.desc, &topology));
        halo_keys_report report = HALO_KEYS_REPORT_INIT;
        OK(halo_topology_keys_report(topology, &report));
        if (report.n_unclaimed != 0 || report.n_global != rank.size + std::min(rank.size, 2))
            conformance::stop("%lld points are owned", static_cast<long long>(report.n_global));
        OK(halo_topology_destroy(&topology));
    });
}

// Who is named has the key, and says that another owns it: nobody's for the one that has named it, unless check mode looks.
TEST_P(SaidOwners, AnOwnerWhoKnowsBetter) {
    for (const bool checks : { true, false })
        run(checks ? "1" : "0", [&](Rank &rank) {
            if (rank.size < 3) return;
            Said said(rank, rank.rank == 0 ? 1 : 2);
            if (checks) return require_refusal(rank, said.desc, HALO_ERR_CHECK, "key 42 is owned by rank 1 as rank 0 says, by rank 2 as rank 1 says");
            halo_topology *topology = nullptr;
            OK(halo_topology_create_keys(rank.context, &said.desc, &topology));
            halo_keys_report report = HALO_KEYS_REPORT_INIT;
            OK(halo_topology_keys_report(topology, &report));
            if (report.n_unclaimed != 1 || report.n_unclaimed_here != (rank.rank == 0 ? 1 : 0))
                conformance::stop("%lld keys of nobody", static_cast<long long>(report.n_unclaimed));
            OK(halo_topology_destroy(&topology));
        });
}

TEST_P(SaidOwners, AfterAnEdit) {
    run("1", [](Rank &rank) {
        Said said(rank, rank.rank == 1 ? 1 : 0);
        said.desc.n_keys = rank.rank == 0 ? 0 : 1; // a list without keys takes part
        if (rank.size == 1) return;
        halo_topology *topology = nullptr, *edited = nullptr;
        OK(halo_topology_create_keys(rank.context, &said.desc, &topology));
        halo_keys_edit edit = HALO_KEYS_EDIT_INIT;
        if (rank.rank == 1) edit.n_add = 1, edit.add = &disputed, edit.owners = said.owners + 1;
        OK(halo_topology_edit_keys(topology, &edit, &edited));
        OK(halo_topology_destroy(&topology));
        edit.n_add = rank.rank == 0 ? 1 : 0, edit.add = &disputed, edit.owners = said.owners + 1;
        require(halo_topology_edit_keys(edited, &edit, &topology), HALO_ERR_CHECK, "keys: key 42 is owned by rank 0 as rank 0 says, by rank 1");
        OK(halo_topology_destroy(&edited));
    });
}

// All that differ are counted, wherever they are found.
TEST_P(SaidOwners, AreCounted) {
    run("1", [](Rank &rank) {
        if (rank.size == 1) return;
        std::vector<uint64_t> keys(100);
        std::vector<int32_t> owners(100, 0);
        for (uint64_t i = 0; i < keys.size(); ++i) keys[i] = i * i;
        if (rank.rank == 1) owners.assign(100, 1);
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = 100, desc.keys = keys.data(), desc.owners = owners.data();
        require_refusal(rank, desc, HALO_ERR_CHECK, "there are 100 such keys");
    });
}

// Of a point and its neighbours; a rank owns what it lists.
struct SaidAround {
    uint64_t keys[2], neighbours[4];
    int32_t owners[4];
    halo_graph_desc desc = HALO_GRAPH_DESC_INIT;

    SaidAround(const Rank &rank, int32_t owner) : keys{ static_cast<uint64_t>(rank.rank), disputed } {
        for (int i = 0; i < 4; ++i) neighbours[i] = disputed, owners[i] = owner;
        desc.n_owned = 1, desc.width = 2, desc.keys = keys, desc.neighbours = neighbours, desc.owners = owners;
    }
};

TEST_P(SaidOwners, EntriesOfAGraph) {
    run("0", [](Rank &rank) {
        if (rank.size == 1) return;
        const int32_t other = rank.rank == 0 ? 1 : 0;
        halo_topology *topology = nullptr;
        const auto refused = [&](const SaidAround &said, const std::string &text) {
            require(halo_topology_create_graph(rank.context, &said.desc, &topology), HALO_ERR_ARGUMENT, text.c_str());
        };
        const auto differing = [&](int32_t first, int32_t second) {
            SaidAround said(rank, first);
            said.owners[1] = second;
            refused(said, "graph: owner " + std::to_string(second) + " of neighbour 42, which another entry gives to rank " + std::to_string(first));
        };
        differing(rank.rank, other);
        differing(other, rank.rank);
        if (rank.size > 2) differing(other, 3 - std::min(rank.rank, 2) - other);
        SaidAround said(rank, other);
        said.desc.n_owned = 2;
        refused(said, "graph: owner " + std::to_string(other) + " of neighbour 42, which this rank owns; a key has one");
    });
}

TEST_P(SaidOwners, TwoRanksThatOwnAPoint) {
    for (const int32_t by_function : { 0, 1 })
        run("1", [&](Rank &rank) {
            if (rank.size == 1) return;
            const bool owns = rank.rank < 2;
            SaidAround said(rank, owns ? rank.rank : 1);
            said.desc.n_owned = owns ? 2 : 1;
            said.desc.rings = 1 + by_function;
            if (by_function) said.desc.owners = nullptr, said.desc.owner_of = [](void *, uint64_t) { return int32_t{ 1 }; };
            halo_topology *topology = nullptr;
            require(halo_topology_create_graph(rank.context, &said.desc, &topology), HALO_ERR_CHECK,
                    "graph: key 42 is owned by rank 0 as rank 0 says, by rank 1 as rank 1 says; there are 1 such keys");
        });
}

// To be said of nobody contradicts who owns the point.
TEST_P(SaidOwners, NobodyAndSomebody) {
    run("1", [](Rank &rank) {
        if (rank.size == 1) return;
        SaidAround said(rank, 0);
        said.desc.n_owned = rank.rank == 1 ? 2 : 1;
        said.desc.owners = nullptr, said.desc.owner_of = [](void *, uint64_t) { return int32_t{ -1 }; };
        halo_topology *topology = nullptr;
        require(halo_topology_create_graph(rank.context, &said.desc, &topology), HALO_ERR_CHECK,
                "graph: key 42 is owned by nobody as rank 0 says, by rank 1 as rank 1 says");
    });
}

} // namespace
