// SPDX-License-Identifier: BSD-3-Clause
// The C++ layer over columns and targets: wedges over a ring of edges, and sums far away.
#include <gtest/gtest.h>

#include <array>

#include "halo_mesh.hpp"
#include "placed.h"
#include "ranks.h"

namespace {

using conformance::Rank;
using conformance::stop;

class MeshClasses : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, MeshClasses, testing::ValuesIn(conformance::rank_counts()));

TEST_P(MeshClasses, ColumnsAndTargets) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        halo::Context context = halo::Context::adopt(rank.context);
        {
            const auto n = static_cast<uint64_t>(2 * rank.size), first = static_cast<uint64_t>(2 * rank.rank);
            const std::vector<uint64_t> keys{ first, first + 1 }, ends{ first, first + 1, first + 1, (first + 2) % n };
            halo::MeshSets sets;
            const int32_t edges = sets.add("edges", keys), nodes = sets.add("nodes", keys), map = sets.map("ends", edges, nodes, 2, ends);
            halo::Mesh mesh(context, sets);
            const std::vector<int32_t> layers{ 1, 2 };
            const int32_t above = mesh.add_columns(edges, layers), corners = mesh.add_columns(nodes, 3);
            if (mesh.columns(above)[2] != 3 || mesh.columns(corners).back() != 3 * mesh.local(nodes).n) stop("other columns");
            const std::array<halo_column_entry, 4> wedge{ { { 0, 0, 1 }, { 1, 0, 1 }, { 0, 1, 1 }, { 1, 1, 1 } } };
            const std::vector<uint32_t> lowest = mesh.column_map(map, above, corners, wedge);
            if (lowest.size() != 4 * static_cast<size_t>(mesh.local(edges).layer_ends[1])) stop("%zu entries", lowest.size());
            if (lowest[2] != lowest[0] + 1 || lowest[3] != lowest[1] + 1) stop("corners of a wedge do not lie above each other");
            const halo::Topology points = mesh.column_topology(above);
            try {
                mesh.add_columns(edges, std::vector<int32_t>{ 1 });
                stop("too few numbers of layers");
            } catch (const halo::error &wrong) {
                if (wrong.status() != HALO_ERR_ARGUMENT) stop("%s", wrong.what());
            }

            const std::vector<uint64_t> named{ 0, 1 % n, 2 % n, 3 % n, 0 };
            const halo::Topology targets = mesh.target_topology(nodes, named);
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            halo::Field field(targets, desc);
            std::vector<double> own{ 10, 20 }, values{ 1, 2, 3, 4, 5 };
            field.bind(2 * rank.rank, own.data());
            field.bind(2 * rank.rank + 1, values.data());
            halo_exchange_desc adding = HALO_EXCHANGE_DESC_INIT;
            adding.kind = HALO_KIND_REVERSE;
            halo::Exchange exchange({ field.get() }, adding);
            exchange.start();
            exchange.finish();
            std::vector<double> wanted{ 10, 20 };
            for (size_t i = 0; i < named.size(); ++i)
                if (named[i] / 2 == static_cast<uint64_t>(rank.rank)) wanted[named[i] % 2] += rank.size * values[i];
            if (own != wanted) stop("%g and %g", own[0], own[1]);
        }
        context.let_go();
    });
}

} // namespace
