// SPDX-License-Identifier: BSD-3-Clause
// All kinds of ghosts between blocks of two levels, each value against the definitions, and how many of each kind there were: where a value comes
// from (blocks of the same level, coarser, finer), behind which element it lies, its centring, how the trees on both sides are turned against each
// other, and whether ranks know all leaves or their own alone. A kind that can be and of which there was none fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "truth.h"

namespace {

using namespace levels;
using Relation = Truth::Relation;

constexpr int64_t n_cells = 4; // of a block per direction
constexpr const char *relations[] = { "same level", "coarser", "finer" };
constexpr int32_t n_relations = 3, n_lists = 2;

// ---- the table

struct Column {
    int32_t centring;
    const char *name;
};

std::vector<Column> columns_of(int32_t n_dims) {
    std::vector<Column> columns{ { HALO_CENTRE_CELL, "cell" }, { HALO_CENTRE_NODE, "node" }, { HALO_CENTRE_FACES, "faces" } };
    if (n_dims > 1) columns.push_back({ HALO_CENTRE_EDGES, "edges" });
    columns.push_back({ HALO_CENTRE_FACE_X, "face x" });
    if (n_dims > 1) columns.insert(columns.end(), { { HALO_CENTRE_FACE_Y, "face y" }, { HALO_CENTRE_EDGE_Z, "edge z" } });
    if (n_dims > 2)
        columns.insert(columns.end(), { { HALO_CENTRE_FACE_Z, "face z" }, { HALO_CENTRE_EDGE_X, "edge x" }, { HALO_CENTRE_EDGE_Y, "edge y" } });
    return columns;
}

// By how many directions lead out of the block.
const char *element_name(int32_t n_dims, int32_t n_out) { return n_out == 1 ? "face" : n_out == n_dims ? "corner" : "edge"; }

std::string rotation_name(int32_t n_dims, const Rotation &rotation) {
    std::string name;
    for (size_t d = 0; d < static_cast<size_t>(n_dims); ++d)
        name += conformance::text_of(" %c%c", rotation.sign[d] > 0 ? '+' : '-', "xyz"[rotation.axis[d]]);
    return name;
}

// Are values in these directions alone the same ones on both sides of a join that turns index spaces so?
bool can_cross(int32_t centring, int32_t n_dims, const Rotation &rotation) {
    if (centring == HALO_CENTRE_FACES || centring == HALO_CENTRE_EDGES) return true;
    const int32_t here = centring & ((1 << n_dims) - 1);
    int32_t there = 0;
    for (size_t d = 0; d < static_cast<size_t>(n_dims); ++d) there |= (here >> d & 1) << rotation.axis[d];
    return here == there;
}

class Table {
public:
    explicit Table(int32_t n_dims)
        : n_dims_(n_dims),
          columns_(columns_of(n_dims)),
          rotations_(all_rotations(n_dims)),
          counts_(n_lists * n_rows() * static_cast<size_t>(n_relations * n_dims) * columns_.size()) {}

    const std::vector<Column> &columns() const { return columns_; }
    // Row 0 is that of ghosts whose values come from the same tree, then one for each rotation.
    size_t n_rows() const { return rotations_.size() + 1; }
    size_t row_of(const Rotation &rotation) const {
        return static_cast<size_t>(std::find(rotations_.begin(), rotations_.end(), rotation) - rotations_.begin()) + 1;
    }
    void count(bool own_leaves, size_t row, Relation relation, int32_t n_out, size_t column) {
        ++counts_[place(own_leaves, row, static_cast<int32_t>(relation), n_out, column)];
    }
    void sum_over_ranks(halo_context *context) {
        OK(halo_context_allreduce(context, counts_.data(), counts_.data(), std::ssize(counts_), HALO_INT64, HALO_SUM));
    }
    void add(const Table &more) {
        for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += more.counts_[i];
    }
    // Of kinds that can be in forests with these joins.
    int64_t n_empty(const std::vector<int32_t> &joins) const {
        int64_t n = n_empty_in(0);
        for (const int32_t rotation : joins) n += n_empty_in(static_cast<size_t>(rotation) + 1);
        return n;
    }
    void print() const {
        std::printf("ghosts checked in %d dimensions: with a list of all leaves / with own leaves alone\n", n_dims_);
        print_head("value from, ghost behind, beyond");
        for (int32_t relation = 0; relation < n_relations; ++relation)
            for (int32_t n_out = 1; n_out <= n_dims_; ++n_out)
                for (const auto &[name, first, end] :
                     { std::tuple("no join", size_t{ 0 }, size_t{ 1 }), std::tuple("a straight join", size_t{ 1 }, size_t{ 2 }),
                       std::tuple("a turned join", size_t{ 2 }, n_rows()) }) {
                    std::printf("  %-36s", conformance::text_of("%s, %s, %s", relations[relation], element_name(n_dims_, n_out), name).c_str());
                    for (size_t column = 0; column < columns_.size(); ++column) {
                        int64_t sums[n_lists] = {};
                        for (const bool own : { false, true })
                            for (size_t row = first; row < end; ++row) sums[own ? 1 : 0] += counts_[place(own, row, relation, n_out, column)];
                        print_cell(sums);
                    }
                    std::printf("\n");
                }
        print_head("join, the least of its kinds");
        for (size_t row = 1; row < n_rows(); ++row) {
            std::printf("  %-36s", rotation_name(n_dims_, rotations_[row - 1]).c_str());
            for (size_t column = 0; column < columns_.size(); ++column) {
                const int64_t least[n_lists] = { least_in(false, row, column), least_in(true, row, column) };
                if (can_be(row, column))
                    print_cell(least);
                else
                    std::printf(" %15s", "-");
            }
            std::printf("\n");
        }
        std::printf("  -: beyond such a join these values are those of another direction: fields have all faces or all edges there\n");
        if (n_dims_ == 1) std::printf("  one dimension has no edges; behind its blocks there are faces alone\n");
    }

private:
    bool can_be(size_t row, size_t column) const { return row == 0 || can_cross(columns_[column].centring, n_dims_, rotations_[row - 1]); }
    size_t place(bool own_leaves, size_t row, int32_t relation, int32_t n_out, size_t column) const {
        const size_t kind = static_cast<size_t>(relation * n_dims_ + n_out - 1);
        return (((own_leaves ? 1 : 0) * n_rows() + row) * static_cast<size_t>(n_relations * n_dims_) + kind) * columns_.size() + column;
    }
    template <class Visit>
    void for_each_kind(bool own_leaves, size_t row, size_t column, Visit &&visit) const {
        for (int32_t relation = 0; relation < n_relations; ++relation)
            for (int32_t n_out = 1; n_out <= n_dims_; ++n_out) visit(counts_[place(own_leaves, row, relation, n_out, column)]);
    }
    int64_t least_in(bool own_leaves, size_t row, size_t column) const {
        int64_t least = INT64_MAX;
        for_each_kind(own_leaves, row, column, [&](int64_t n) { least = std::min(least, n); });
        return least;
    }
    int64_t n_empty_in(size_t row) const {
        int64_t n_empty = 0;
        for (size_t column = 0; column < columns_.size(); ++column)
            for (const bool own_leaves : { false, true })
                for_each_kind(own_leaves, row, column, [&](int64_t n) { n_empty += can_be(row, column) && n == 0 ? 1 : 0; });
        return n_empty;
    }
    void print_head(const char *what) const {
        std::printf("  %-36s", what);
        for (const Column &column : columns_) std::printf(" %15s", column.name);
        std::printf("\n");
    }
    static void print_cell(const int64_t (&counts)[n_lists]) {
        std::printf(" %15s", conformance::text_of("%lld/%lld", static_cast<long long>(counts[0]), static_cast<long long>(counts[1])).c_str());
    }

    int32_t n_dims_;
    std::vector<Column> columns_;
    std::vector<Rotation> rotations_;
    std::vector<int64_t> counts_;
};

// ---- forests

// Two trees, each of blocks of level 1, of which one is refined again.
std::vector<halo_leaf> leaves_of(int32_t n_dims, int32_t refined_tree, int32_t refined_part) {
    const int32_t n_parts = 1 << n_dims;
    std::vector<halo_leaf> leaves;
    for (int32_t i = 0; i < 2 * n_parts; ++i) {
        halo_leaf leaf = HALO_LEAF_INIT;
        leaf.tree = i / n_parts, leaf.level = 1;
        for (int d = 0; d < n_dims; ++d) leaf.at[d] = i % n_parts >> d & 1;
        if (leaf.tree != refined_tree || i % n_parts != refined_part) {
            leaves.push_back(leaf);
            continue;
        }
        for (int32_t part = 0; part < n_parts; ++part) {
            halo_leaf finer = leaf;
            finer.level = 2;
            for (int d = 0; d < n_dims; ++d) finer.at[d] = 2 * leaf.at[d] + (part >> d & 1);
            leaves.push_back(finer);
        }
    }
    return leaves;
}

// A field with one layer of ghosts, each of which lies inside the domain.
class Covered {
public:
    Covered(const Model &model, halo_topology *topology, int32_t centring, int32_t number, int32_t shared)
        : model_(model),
          number_(number),
          shared_(shared),
          values_(topology, model.shape(), desc(centring, ("u" + std::to_string(number)).c_str()), HALO_PROLONG_MINMOD) {
        for (const int32_t place : values_.places()) truth_.emplace(place, Truth(model, place, HALO_PROLONG_MINMOD, along(centring)));
    }
    halo_field *field() const { return values_.field(); }
    void fill() {
        values_.for_each([&](const At &at) { values_.store(at, at.is_owned ? truth(at).copy(at.gid, at.point, component()) : untouched); });
    }
    void check(Table &table, bool own_leaves, size_t column) const {
        values_.for_each([&](const At &at) {
            const bool stays = at.is_owned && shared_ == HALO_SHARED_KEEP;
            const double wanted = stays ? truth(at).copy(at.gid, at.point, component()) : truth(at).value(at.gid, at.point, component()).value;
            if (values_.load(at) != wanted)
                stop("centring %d, shared %d: part %lld, %s (%lld, %lld, %lld) at place %d is %.17g, wanted %.17g", values_.places()[at.place],
                     shared_, static_cast<long long>(at.gid), at.is_owned ? "own point" : "ghost", static_cast<long long>(at.point[0]),
                     static_cast<long long>(at.point[1]), static_cast<long long>(at.point[2]), static_cast<int>(at.place), values_.load(at), wanted);
            if (!at.is_owned) count(table, own_leaves, column, at);
        });
    }

private:
    int32_t n_dims() const { return model_.shape().n_dims; }
    int32_t component() const { return 8 * number_; } // in the model
    // Faces with a list of all leaves, edges with own ones.
    bool along(int32_t centring) const {
        const bool can_be = centring == HALO_CENTRE_FACES || (centring == HALO_CENTRE_EDGES && n_dims() == 3);
        return can_be && (centring == HALO_CENTRE_FACES) == (shared_ == HALO_SHARED_OWNER);
    }
    halo_field_desc desc(int32_t centring, const char *name) const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name, desc.centring = centring, desc.vector = along(centring) ? HALO_VECTOR_ALONG : HALO_VECTOR_NONE;
        for (int d = 0; d < n_dims(); ++d) desc.ghost_low[d] = desc.ghost_high[d] = 1;
        return desc;
    }
    const Truth &truth(const At &at) const { return truth_.at(model_.centring_in_space(at.gid, values_.places()[at.place])); }
    int32_t tree_of(int64_t gid) const { return model_.desc().leaves[gid].tree; }
    void count(Table &table, bool own_leaves, size_t column, const At &at) const {
        const Truth::Source from = truth(at).source(at.gid, at.point);
        if (from.gid < 0) stop("part %lld has a ghost outside of a periodic domain", static_cast<long long>(at.gid));
        int32_t n_out = 0;
        for (size_t d = 0; d < static_cast<size_t>(n_dims()); ++d)
            n_out += at.point[d] < 0 || at.point[d] >= n_cells + (values_.places()[at.place] >> d & 1) ? 1 : 0;
        const size_t row = tree_of(from.gid) == tree_of(at.gid) ? 0 : table.row_of(model_.rotation(at.gid, from.gid));
        table.count(own_leaves, row, from.relation, n_out, column);
    }

    const Model &model_;
    int32_t number_;
    int32_t shared_;
    Stored values_;
    std::map<int32_t, Truth> truth_; // by places in space
};

// Fields of all centrings that can be there, in one exchange.
void check_forest(const Rank &rank, int32_t n_dims, int32_t rotation, int32_t refined_tree, bool own_leaves, Table &table) {
    Shape shape;
    shape.n_dims = n_dims, shape.n_cells = n_cells, shape.n_trees = 2, shape.rotation = rotation, shape.deepest = 0;
    for (size_t d = 0; d < static_cast<size_t>(n_dims); ++d) shape.periodic[d] = true;
    const auto seed = static_cast<uint64_t>(rotation);
    const Model roots(shape, seed, rank.size);
    const Model model(roots, leaves_of(n_dims, refined_tree, rotation % (1 << n_dims)), seed, rank.size, own_leaves);
    const Forest forest(model, rank);
    halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
    how.shared = own_leaves ? HALO_SHARED_KEEP : HALO_SHARED_OWNER;
    std::vector<std::unique_ptr<Covered>> fields;
    std::vector<size_t> columns;
    std::vector<halo_field *> handles;
    for (size_t column = 0; column < table.columns().size(); ++column) {
        const int32_t centring = table.columns()[column].centring;
        if (!can_cross(centring, n_dims, all_rotations(n_dims)[static_cast<size_t>(rotation)])) continue;
        fields.push_back(std::make_unique<Covered>(model, forest.topology(), centring, static_cast<int32_t>(column), how.shared));
        columns.push_back(column);
        handles.push_back(fields.back()->field());
    }
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(handles.data(), static_cast<int32_t>(handles.size()), &how, &exchange));
    for (const auto &field : fields) field->fill();
    OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    for (size_t f = 0; f < fields.size(); ++f) fields[f]->check(table, own_leaves, columns[f]);
    OK(halo_exchange_destroy(&exchange));
}

// Of fewer cases than by default some joins are left out, and the table is not printed. From the other tree come values of coarser blocks to that
// which is refined, and of finer ones to the other, across the join the other way round: which is another case's, where all joins are there.
TEST(LevelsCoverage, NoKindOfGhostIsLeftOut) {
    const bool all = conformance::number_from("LEVELS_CASES", 40) >= 40;
    for (int32_t n_dims = 1; n_dims <= 3; ++n_dims) {
        Table total(n_dims);
        bool speaks = false;
        std::vector<int32_t> joins;
        for (int32_t rotation = 0; rotation < static_cast<int32_t>(all_rotations(n_dims).size()); rotation += all ? 1 : 7) {
            joins.push_back(rotation);
            conformance::run(1 + rotation % 4, {}, [&](Rank &rank) {
                Table counted(n_dims);
                for (int32_t refined_tree = 0; refined_tree < (all ? 1 : 2); ++refined_tree)
                    for (const bool own_leaves : { false, true }) check_forest(rank, n_dims, rotation, refined_tree, own_leaves, counted);
                counted.sum_over_ranks(rank.context);
                if (conformance::threads() && rank.rank > 0) return;
                total.add(counted);
                speaks = conformance::prints(rank);
            });
            if (HasFailure()) return;
        }
        if (all && speaks) total.print();
        EXPECT_EQ(total.n_empty(joins), 0) << "kinds of ghosts in " << n_dims << " dimensions";
    }
}

} // namespace
