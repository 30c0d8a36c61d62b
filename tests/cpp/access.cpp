// SPDX-License-Identifier: BSD-3-Clause
// halo_access.hpp: what its classes own and throw, and a loop in both styles.
#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <utility>

#include "halo_access.hpp"

namespace {

// Two ranks, a line of nodes 0 - 1 | 2 - 3; each rank keeps its own and the nearest of the other. The edge between is rank 0's, and rank 1 keeps it
// too.
struct Line {
    halo::Context context;
    int64_t rank = context.rank();
    halo::Sections sections;
    std::vector<uint32_t> ends{ 0, 1, 1, 2 }; // two edges: the own one, and that between
    halo::Topology nodes, edges;
    halo::Field heat, change;

    explicit Line(const halo::Inproc &group, int32_t number)
        : context(group, number),
          nodes(make_nodes()),
          edges(make_edges()),
          heat(field("heat")),
          change(field("change")) {}

private:
    halo::Topology topology(std::vector<uint64_t> keys, std::vector<int32_t> owners) const {
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = static_cast<int64_t>(keys.size());
        desc.keys = keys.data();
        desc.owners = owners.data();
        desc.numbering = HALO_NUMBERING_AS_GIVEN;
        return { context, desc };
    }
    halo::Topology make_nodes() {
        const std::vector<int32_t> owners = rank == 0 ? std::vector<int32_t>{ 0, 0, 1 } : std::vector<int32_t>{ 1, 1, 0 };
        halo::Topology made = topology(rank == 0 ? std::vector<uint64_t>{ 0, 1, 2 } : std::vector<uint64_t>{ 3, 2, 1 }, owners);
        const halo_map map{ ends.data(), owners.data(), 3, 2, 0 };
        sections = halo::classify_sections(context.rank(), std::vector<int32_t>{ context.rank(), 0 }, { &map, 1 });
        std::vector<uint32_t> groups(3);
        halo::reach_sections(map, sections.of, 1u << HALO_SECTION_OWNED, 1u << 4, groups);
        EXPECT_EQ(groups, (rank == 0 ? std::vector<uint32_t>{ 0, 16, 16 } : std::vector<uint32_t>{ 0, 0, 0 }));
        EXPECT_THROW(halo::reach_sections(map, sections.of, 0, 0, std::span(groups).first(2)), halo::error);
        halo::set_sections(made, groups);
        return made;
    }
    halo::Topology make_edges() const { return rank == 0 ? topology({ 10, 11 }, { 0, 0 }) : topology({ 12, 11 }, { 1, 0 }); }
    halo::Field field(const char *name) const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name;
        desc.type = HALO_INT64;
        desc.n_sets = 2;
        halo::Field made(nodes, desc);
        made.allocate();
        return made;
    }
};

template <class Body>
void on_two_ranks(Body &&body) {
    const halo::Inproc group(2);
    const auto run = [&](int32_t rank) {
        Line line(group, rank);
        body(line);
    };
    std::thread other(run, 1);
    run(0);
    other.join();
}

// Adds to both ends of an edge what the other end has.
void add(Line &line, int64_t first, int64_t n) {
    const int64_t *heat = line.heat.data<int64_t>(line.rank);
    int64_t *change = line.change.data<int64_t>(line.rank, 1);
    for (int64_t e = first; e < first + n; ++e) {
        const uint32_t a = line.ends[static_cast<size_t>(2 * e)], b = line.ends[static_cast<size_t>(2 * e + 1)];
        change[a] += heat[b];
        change[b] += heat[a];
    }
}

TEST(AccessClasses, ALoopInBothStyles) {
    on_two_ranks([](Line &line) {
        EXPECT_EQ(line.sections.n_own(), line.rank == 0 ? 2 : 1);
        EXPECT_EQ(line.sections.order, (std::vector<uint32_t>{ 0, 1 }));
        int64_t *heat = line.heat.data<int64_t>(line.rank);
        for (int64_t i = 0; i < 2; ++i) heat[i] = 10 * (line.rank + 1) + i; // nodes 0 to 3: 10, 11, 21, 20
        halo::mark_dirty(line.heat);
        halo::mark_fresh(line.change, HALO_ON_HOST, 1);
        EXPECT_EQ(halo::access_state(line.change, 1).freshness, HALO_FRESHNESS_VALID);
        EXPECT_EQ(halo::access_state(line.change).freshness, HALO_FRESHNESS_STALE);
        const int64_t *n = line.sections.sizes.n;
        for (const int32_t style : { HALO_STYLE_REDUNDANT, HALO_STYLE_REVERSE }) {
            const halo_access adds =
                style == HALO_STYLE_REVERSE ? halo::add_canonically(line.change, 0, 1) : halo::via_map(line.change, HALO_INC, 0, 1);
            halo::Batch batch(line.context, { halo::via_map(line.heat, HALO_READ), adds }, style);
            add(line, 0, n[0]);
            batch.ready();
            add(line, n[0], n[1]);
            EXPECT_EQ(batch.needs_exec(), style == HALO_STYLE_REDUNDANT);
            if (batch.needs_exec()) add(line, n[0] + n[1], n[2]);
            batch.end();
            EXPECT_EQ(batch.get(), nullptr);
        }
        const halo::Accesses last{ halo::direct(line.change, HALO_READ, 1), halo::write_all(line.heat) };
        halo::Batch batch(line.context, last, HALO_STYLE_REVERSE);
        batch.ready();
        const int64_t *change = halo::access_data<int64_t>(line.change, line.rank, HALO_ON_HOST, 1);
        EXPECT_EQ(change[0], 2 * (line.rank == 0 ? 11 : 21));
        EXPECT_EQ(change[1], 2 * (line.rank == 0 ? 10 + 21 : 20 + 11));
        batch.end();
        EXPECT_EQ(halo::access_stats(line.context, "change").reversed, 1);
        EXPECT_EQ(halo::access_stats(line.context, "heat").started, 1);
        halo::mark_fresh(line.heat);
        halo::Batch some(line.context, { halo::direct_in(line.heat, HALO_RW, 1u << 4) }, HALO_STYLE_REVERSE);
        some.ready();
        some.end();
        EXPECT_EQ(halo::access_state(line.heat).fresh, ~(1u << 4));
    });
}

TEST(AccessClasses, ABatchThatGoesEarlyIsGivenUp) {
    on_two_ranks([](Line &line) {
        const auto fail_within = [&] {
            halo::Batch batch(line.context, { halo::direct(line.heat, HALO_RW) }, HALO_STYLE_REVERSE);
            batch.ready();
            throw std::runtime_error("in the loop");
        };
        EXPECT_THROW(fail_within(), std::runtime_error);
        halo::Batch again(line.context, { halo::direct(line.heat, HALO_RW) }, HALO_STYLE_REVERSE);
        again.ready();
        again.end();
    });
}

// The peer does not come.
TEST(AccessClasses, ABeginThatTimesOutCanBeGivenUp) {
    on_two_ranks([](Line &line) {
        {
            halo::Batch adds(line.context, { halo::via_map(line.change, HALO_INC) }, HALO_STYLE_REVERSE);
            adds.ready();
            adds.end();
        }
        line.context.barrier();
        if (line.rank == 0) {
            line.context.set("timeout", "0.1s");
            try {
                const halo::Batch reads(line.context, { halo::direct(line.change, HALO_READ) }, HALO_STYLE_REVERSE);
                ADD_FAILURE() << "there is nobody to wait for";
            } catch (const halo::batch_timeout &timeout) {
                EXPECT_EQ(timeout.status(), HALO_TIMEOUT);
                EXPECT_EQ(halo_access_abandon(timeout.batch()), HALO_SUCCESS);
            }
            EXPECT_EQ(halo::access_state(line.change).pending, 0);
            line.context.set("timeout", "none");
        } else {
            halo::mark_fresh(line.change);
        }
        line.context.barrier();
    });
}

TEST(AccessClasses, ErrorsAreThrown) {
    on_two_ranks([](Line &line) {
        halo::freeze(line.heat, true);
        try {
            const halo::Batch batch(line.context, { halo::direct(line.heat, HALO_READ) }, HALO_STYLE_REVERSE);
            FAIL();
        } catch (const halo::error &error) {
            EXPECT_EQ(error.status(), HALO_ERR_STATE);
            EXPECT_NE(std::string(error.what()).find("heat (set 0) is frozen"), std::string::npos) << error.what();
        }
        halo::freeze(line.heat, false);
        EXPECT_THROW(halo::access_stats(line.context, "nothing"), halo::error);
    });
}

TEST(AccessClasses, Reductions) {
    on_two_ranks([](Line &line) {
        halo::Reduction<double> sums(line.context, HALO_SUM, 2);
        halo::Reduction<int64_t> most(line.context, HALO_MAX);
        const double in[] = { 1, 2 };
        double out[2];
        sums.begin(in);
        most.begin(line.rank);
        EXPECT_EQ(most.end(), 1);
        while (!sums.test()) line.context.progress();
        sums.end(out);
        EXPECT_EQ(out[1], 4);
        EXPECT_THROW(sums.begin(1.0), halo::error);
        EXPECT_THROW(sums.end(), halo::error);
    });
}

struct Extent {
    int64_t first, last;
};
struct Norms {
    double sums[2];
    int32_t kept = 0; // of this rank alone
    std::array<float, 2> greatest;
    std::array<int64_t, 2> where;
    Extent extent;
    int32_t flags;
};

TEST(AccessClasses, MembersOfAStructAreReducedAtOnce) {
    on_two_ranks([](Line &line) {
        bool fails = false;
        halo::ReductionItems<Norms> items;
        items.add(&Norms::sums, HALO_SUM).add_located(&Norms::greatest, &Norms::where, HALO_MAXLOC).add(&Norms::flags, HALO_BOR);
        items.add(&Norms::extent, [&](const Extent &low, const Extent &high) {
            if (fails) throw halo::error(HALO_ERR_BOUNDS, "no extent");
            return Extent{ low.first, high.last };
        });
        halo::StructReduction<Norms> made(line.context, items);
        halo::StructReduction<Norms> norms = std::move(made);
        const auto r = static_cast<float>(line.rank);
        const Norms in{ { 1, 2.0 * r }, 5, { r, -r }, { 10 + line.rank, 20 + line.rank }, { line.rank, 7 + line.rank }, 1 << line.rank };
        norms.begin(in);
        while (!norms.test()) line.context.progress();
        Norms out{};
        out.kept = 11;
        norms.end(out);
        EXPECT_EQ(out.sums[0], 2);
        EXPECT_EQ(out.sums[1], 2);
        EXPECT_EQ(out.kept, 11);
        EXPECT_EQ(out.greatest, (std::array<float, 2>{ 1, 0 }));
        EXPECT_EQ(out.where, (std::array<int64_t, 2>{ 11, 20 }));
        EXPECT_EQ(out.extent.first, 0);
        EXPECT_EQ(out.extent.last, 8);
        EXPECT_EQ(out.flags, 3);
        fails = true; // on rank 0, which is told of all others, it is called
        try {
            norms.begin(in);
            norms.end();
            FAIL();
        } catch (const halo::error &error) {
            EXPECT_EQ(error.status(), line.rank == 0 ? HALO_ERR_BOUNDS : HALO_ERR_PEER) << error.what();
        }
    });
}

} // namespace
