// SPDX-License-Identifier: BSD-3-Clause
// Random forests that p4est (p8est where P4_TO_P8 is defined) balances and deals to its ranks: ranks must have the peers and the neighbours that
// p4est finds, and ghosts the values that p4est brings and that lie where its transformations lead. usage, under p4est's MPI: p4est_ghosts [cases]
// [first seed]
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "p4est_given.h"

namespace {

constexpr int64_t n_cells = 4; // of a leaf per direction: a cell is an element two levels below
constexpr int n_ghosts = 2;
constexpr int64_t n_values = P4EST_DIM == 3 ? 64 : 16;
constexpr double untouched = -1e30;

using Index = std::array<int64_t, 3>;

int rank_of_process = 0, n_ranks = 1;

double value_of(int64_t gid, int64_t cell) {
    uint64_t hash = present_seed * 31 + static_cast<uint64_t>(gid * n_values + cell);
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
    return static_cast<double>(static_cast<int64_t>((hash >> 20) % 1025) - 512);
}

Index coordinates(const p4est_quadrant_t &element) {
#ifdef P4_TO_P8
    const Index at{ element.x, element.y, element.z };
#else
    const Index at{ element.x, element.y, 0 };
#endif
    return { at[0] >> (P4EST_MAXLEVEL - element.level), at[1] >> (P4EST_MAXLEVEL - element.level), at[2] >> (P4EST_MAXLEVEL - element.level) };
}

p4est_quadrant_t element_at(int level, const Index &at) {
    p4est_quadrant_t element;
    P4EST_QUADRANT_INIT(&element);
    element.level = static_cast<int8_t>(level);
    element.x = static_cast<p4est_qcoord_t>(at[0] << (P4EST_MAXLEVEL - level));
    element.y = static_cast<p4est_qcoord_t>(at[1] << (P4EST_MAXLEVEL - level));
#ifdef P4_TO_P8
    element.z = static_cast<p4est_qcoord_t>(at[2] << (P4EST_MAXLEVEL - level));
#endif
    return element;
}

// ---- what p4est says

struct Located {
    p4est_topidx_t tree = -1; // none: outside of the domain
    p4est_quadrant_t element{};
};

// A forest on its ranks with one layer of ghosts, and the values of all leaves that a rank knows.
class Theirs {
public:
    explicit Theirs(const Kind &kind) : connectivity(kind.make()) {
        forest = p4est_new_ext(MPI_COMM_WORLD, connectivity, 0, 0, 1, 0, nullptr, nullptr);
        p4est_refine(forest, 1, refines, nullptr);
        p4est_balance(forest, P4EST_CONNECT_FULL, nullptr);
        p4est_partition(forest, 0, present_seed % 2 == 0 ? weight : nullptr);
        ghosts = p4est_ghost_new(forest, P4EST_CONNECT_FULL);
        leaves = leaves_of(*forest);
        for (int64_t i = 0; i < std::ssize(leaves); ++i)
            for (int64_t cell = 0; cell < n_values; ++cell) local_.push_back(value_of(first() + i, cell));
        bring_values();
    }
    ~Theirs() {
        p4est_ghost_destroy(ghosts);
        p4est_destroy(forest);
        p4est_connectivity_destroy(connectivity);
    }
    Theirs(const Theirs &) = delete;
    Theirs &operator=(const Theirs &) = delete;

    int64_t first() const { return forest->global_first_quadrant[rank_of_process]; }
    // Leaves of other ranks that touch own ones, and these ranks.
    std::set<int64_t> gids(p4est_ghost_t &of) const {
        std::set<int64_t> all;
        for (int rank = 0; rank < n_ranks; ++rank)
            for (p4est_locidx_t i = of.proc_offsets[rank]; i < of.proc_offsets[rank + 1]; ++i)
                all.insert(forest->global_first_quadrant[rank] + p4est_quadrant_array_index(&of.ghosts, static_cast<size_t>(i))->p.piggy3.local_num);
        return all;
    }
    static std::vector<int32_t> ranks(const p4est_ghost_t &of) {
        std::vector<int32_t> all;
        for (int rank = 0; rank < n_ranks; ++rank)
            if (of.proc_offsets[rank + 1] > of.proc_offsets[rank]) all.push_back(rank);
        return all;
    }
    // What a block of that level has in a cell, which is an element two levels below: a leaf's value, the mean of those of a finer one, or that of a
    // coarser one around it.
    double value(const Located &cell, int level) const {
        const Index at = coordinates(cell.element);
        for (int up = 0; up <= cell.element.level; ++up) {
            const int of_leaf = cell.element.level - up;
            const auto leaf = known_.find(key(cell.tree, of_leaf, { at[0] >> up, at[1] >> up, at[2] >> up }));
            if (leaf == known_.end()) continue;
            if (of_leaf == level) return leaf->second[place(at)];
            if (of_leaf == level - 1) return leaf->second[place({ at[0] >> 1, at[1] >> 1, at[2] >> 1 })];
            if (of_leaf != level + 1) break;
            double sum = 0;
            for (int part = 0; part < P4EST_CHILDREN; ++part)
                sum += leaf->second[place({ 2 * at[0] + (part & 1), 2 * at[1] + (part >> 1 & 1), 2 * at[2] + (part >> 2) })];
            return sum / P4EST_CHILDREN;
        }
        stop("p4est has no leaf behind a block that is one level finer or coarser at most");
    }

    p4est_connectivity_t *connectivity;
    p4est_t *forest = nullptr;
    p4est_ghost_t *ghosts = nullptr;
    std::vector<halo_leaf> leaves; // of this rank

private:
    using Key = std::array<int64_t, 5>;
    static int weight(p4est_t *, p4est_topidx_t tree, p4est_quadrant_t *element) { return static_cast<int>(hash_of(tree, *element) % 7); }
    static Key key(p4est_topidx_t tree, int level, const Index &at) { return { tree, level, at[0], at[1], P4EST_DIM == 3 ? at[2] : 0 }; }
    // Of a cell in its leaf.
    static int64_t place(const Index &cell) {
        const Index in_leaf{ cell[0] % n_cells, cell[1] % n_cells, P4EST_DIM == 3 ? cell[2] % n_cells : 0 };
        return (in_leaf[2] * n_cells + in_leaf[1]) * n_cells + in_leaf[0];
    }
    void bring_values() {
        std::vector<void *> sent;
        for (size_t i = 0; i < ghosts->mirrors.elem_count; ++i)
            sent.push_back(local_.data() + n_values * p4est_quadrant_array_index(&ghosts->mirrors, i)->p.piggy3.local_num);
        brought_.resize(ghosts->ghosts.elem_count * static_cast<size_t>(n_values));
        p4est_ghost_exchange_custom(forest, ghosts, n_values * sizeof(double), sent.data(), brought_.data());
        for (size_t i = 0; i < leaves.size(); ++i) {
            const halo_leaf &leaf = leaves[i];
            known_[key(leaf.tree, leaf.level, { leaf.at[0], leaf.at[1], leaf.at[2] })] = local_.data() + n_values * static_cast<int64_t>(i);
        }
        for (size_t i = 0; i < ghosts->ghosts.elem_count; ++i) {
            const p4est_quadrant_t &element = *p4est_quadrant_array_index(&ghosts->ghosts, i);
            known_[key(element.p.piggy3.which_tree, element.level, coordinates(element))] = brought_.data() + n_values * static_cast<int64_t>(i);
        }
    }

    std::vector<double> local_, brought_; // n_values for each leaf
    std::map<Key, const double *> known_;
};

p4est_quadrant_t cell_of(const halo_leaf &leaf, const Index &in_leaf) {
    return element_at(leaf.level + 2, { leaf.at[0] * n_cells + in_leaf[0], leaf.at[1] * n_cells + in_leaf[1],
                                        P4EST_DIM == 3 ? leaf.at[2] * n_cells + in_leaf[2] : 0 });
}

// What lies behind a face of an element, and by which face one would go on.
Located across_face(p4est_connectivity_t *connectivity, const Located &from, int &face) {
    Located to;
    int entered = 0;
    p4est_quadrant_t element = from.element;
    to.tree = p4est_quadrant_face_neighbor_extra(&element, from.tree, face, &to.element, &entered, connectivity);
    face = (entered % P4EST_FACES) ^ 1;
    return to;
}

// What lies behind an edge or a corner, which is one element at most in a regular grid of trees. `find` fills both arrays.
template <class Find>
Located across_other(Find &&find) {
    sc_array_t elements, trees;
    sc_array_init(&elements, sizeof(p4est_quadrant_t));
    sc_array_init(&trees, sizeof(p4est_topidx_t));
    find(&elements, &trees);
    if (elements.elem_count > 1) stop("a regular grid of trees has two elements behind a corner");
    Located to;
    if (elements.elem_count == 1)
        to = { *static_cast<p4est_topidx_t *>(sc_array_index(&trees, 0)), *static_cast<p4est_quadrant_t *>(sc_array_index(&elements, 0)) };
    sc_array_reset(&elements);
    sc_array_reset(&trees);
    return to;
}

// ---- the library

// A field on the forest, its ghosts filled.
class Mine {
public:
    Mine(halo_context *context, const halo_forest_desc &desc) {
        need(halo_topology_create_forest(context, &desc, &topology));
        halo_field_desc of = HALO_FIELD_DESC_INIT;
        of.name = "u";
        for (int d = 0; d < P4EST_DIM; ++d) of.ghost_low[d] = of.ghost_high[d] = n_ghosts;
        need(halo_field_create(topology, &of, &field_));
        need(halo_field_set_prolongation(field_, HALO_PROLONG_CONSTANT));
        need(halo_field_allocate(field_, -1));
        const int64_t *local = nullptr;
        int64_t n = 0;
        need(halo_topology_local_parts(topology, &local, &n));
        gids.assign(local, local + n);
        need(halo_exchange_create(&field_, 1, nullptr, &exchange_));
        for (const int64_t gid : gids) fill(gid);
        need(halo_exchange_start(exchange_, nullptr, HALO_STREAM_NONE));
        need(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
    }
    ~Mine() {
        halo_exchange_destroy(&exchange_);
        halo_field_destroy(&field_);
        halo_topology_destroy(&topology);
    }
    Mine(const Mine &) = delete;
    Mine &operator=(const Mine &) = delete;

    double value(int64_t gid, const Index &cell) const { return *at(gid, cell); }
    std::vector<int32_t> peers() const {
        std::vector<int32_t> ranks(static_cast<size_t>(n_ranks));
        int64_t n = 0;
        need(halo_topology_peers(topology, ranks.data(), n_ranks, &n));
        ranks.resize(static_cast<size_t>(n));
        return ranks;
    }
    // Of own leaves, across faces or any element; those of other ranks alone.
    std::set<int64_t> neighbours(bool faces_alone) const {
        std::set<int64_t> found;
        for (const int64_t gid : gids) {
            halo_neighbour rows[400];
            int64_t n = 0;
            need(halo_topology_neighbours(topology, gid, sizeof rows[0], rows, 400, &n));
            for (int64_t i = 0; i < n; ++i) {
                const int32_t element = rows[i].element;
                const int directions = (element % 3 != 1) + (element / 3 % 3 != 1) + (element / 9 != 1);
                if (rows[i].rank != rank_of_process && (directions == 1 || !faces_alone)) found.insert(rows[i].gid);
            }
        }
        return found;
    }

    halo_topology *topology = nullptr;
    std::vector<int64_t> gids; // of this rank

private:
    double *at(int64_t gid, const Index &cell) const {
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data = nullptr;
        need(halo_field_layout(field_, gid, &layout));
        need(halo_field_data(field_, gid, 0, &data));
        return static_cast<double *>(data) + layout.first_owned + cell[0] * layout.stride[0] + cell[1] * layout.stride[1] +
               cell[2] * layout.stride[2];
    }
    void fill(int64_t gid) {
        const int64_t end = P4EST_DIM == 3 ? n_cells : 1, around = P4EST_DIM == 3 ? n_ghosts : 0;
        for (int64_t z = -around; z < end + around; ++z)
            for (int64_t y = -n_ghosts; y < n_cells + n_ghosts; ++y)
                for (int64_t x = -n_ghosts; x < n_cells + n_ghosts; ++x) {
                    const bool owned = x >= 0 && x < n_cells && y >= 0 && y < n_cells && z >= 0 && z < end;
                    *at(gid, { x, y, z }) = owned ? value_of(gid, (z * n_cells + y) * n_cells + x) : untouched;
                }
    }

    halo_field *field_ = nullptr;
    halo_exchange *exchange_ = nullptr;
};

// ---- both

struct Comparison {
    const Theirs &theirs;
    const Mine &mine;
    int64_t n_ghosts_compared = 0;

    void compare(int64_t gid, const halo_leaf &leaf, const Index &ghost, const Located &cell) {
        const double wanted = cell.tree < 0 ? untouched : theirs.value(cell, leaf.level);
        if (mine.value(gid, ghost) != wanted) {
            std::fprintf(stderr, "leaf %lld, ghost (%lld, %lld, %lld) is %g, wanted %g\n", static_cast<long long>(gid),
                         static_cast<long long>(ghost[0]), static_cast<long long>(ghost[1]), static_cast<long long>(ghost[2]), mine.value(gid, ghost),
                         wanted);
            stop("a ghost has another value than the cell that p4est has there");
        }
        ++n_ghosts_compared;
    }
    // All layers behind the faces.
    void behind_faces(int64_t gid, const halo_leaf &leaf) {
        for (int face = 0; face < P4EST_FACES; ++face)
            for (int64_t i = 0; i < n_values / n_cells; ++i) {
                const auto along = static_cast<size_t>(face / 2);
                const bool upper = face % 2 != 0;
                Index in_leaf{};
                int64_t rest = i;
                for (size_t d = 0; d < P4EST_DIM; ++d)
                    if (d == along)
                        in_leaf[d] = upper ? n_cells - 1 : 0;
                    else
                        in_leaf[d] = rest % n_cells, rest /= n_cells;
                Located cell{ leaf.tree, cell_of(leaf, in_leaf) };
                int through = face;
                for (int64_t layer = 1; layer <= n_ghosts; ++layer) {
                    if (cell.tree >= 0) cell = across_face(theirs.connectivity, cell, through);
                    Index ghost = in_leaf;
                    ghost[along] = upper ? n_cells - 1 + layer : -layer;
                    compare(gid, leaf, ghost, cell);
                }
            }
    }
    // The ghost next to a corner.
    void behind_corners(int64_t gid, const halo_leaf &leaf) {
        for (int corner = 0; corner < P4EST_CHILDREN; ++corner) {
            Index in_leaf{}, ghost{};
            for (size_t d = 0; d < P4EST_DIM; ++d) {
                in_leaf[d] = (corner >> d & 1) != 0 ? n_cells - 1 : 0;
                ghost[d] = (corner >> d & 1) != 0 ? n_cells : -1;
            }
            const p4est_quadrant_t cell = cell_of(leaf, in_leaf);
            compare(gid, leaf, ghost, across_other([&](sc_array_t *elements, sc_array_t *trees) {
                        p4est_quadrant_corner_neighbor_extra(&cell, leaf.tree, corner, elements, trees, nullptr, theirs.connectivity);
                    }));
        }
    }
#ifdef P4_TO_P8
    // The ghosts next to an edge.
    void behind_edges(int64_t gid, const halo_leaf &leaf) {
        for (int edge = 0; edge < P8EST_EDGES; ++edge)
            for (int64_t i = 0; i < n_cells; ++i) {
                Index in_leaf{ i, i, i }, ghost{ i, i, i };
                for (const int face : p8est_edge_faces[edge]) {
                    in_leaf[static_cast<size_t>(face / 2)] = face % 2 != 0 ? n_cells - 1 : 0;
                    ghost[static_cast<size_t>(face / 2)] = face % 2 != 0 ? n_cells : -1;
                }
                const p4est_quadrant_t cell = cell_of(leaf, in_leaf);
                compare(gid, leaf, ghost, across_other([&](sc_array_t *elements, sc_array_t *trees) {
                            p8est_quadrant_edge_neighbor_extra(&cell, leaf.tree, edge, elements, trees, nullptr, theirs.connectivity);
                        }));
            }
    }
#endif
};

// Around irregular edges and corners of trees nothing lies for libhalo: there faces alone are compared.
int64_t compare(const Kind &kind, const Theirs &theirs, const Mine &mine) {
    const std::vector<int32_t> peers = mine.peers(), all_ranks = Theirs::ranks(*theirs.ghosts);
    p4est_ghost_t *behind_faces = p4est_ghost_new(theirs.forest, P4EST_CONNECT_FACE);
    const std::vector<int32_t> face_ranks = Theirs::ranks(*behind_faces);
    const bool same_across_faces = mine.neighbours(true) == theirs.gids(*behind_faces);
    p4est_ghost_destroy(behind_faces);
    if (!same_across_faces) stop("other neighbours across faces than p4est's");
    if (kind.regular ? peers != all_ranks
                     : !std::includes(all_ranks.begin(), all_ranks.end(), peers.begin(), peers.end()) ||
                           !std::includes(peers.begin(), peers.end(), face_ranks.begin(), face_ranks.end()))
        stop("other peers than p4est's");
    if (kind.regular && mine.neighbours(false) != theirs.gids(*theirs.ghosts)) stop("other neighbours than p4est's");
    if (std::ssize(mine.gids) != std::ssize(theirs.leaves)) stop("other leaves than p4est's");
    Comparison comparison{ theirs, mine };
    for (size_t i = 0; i < theirs.leaves.size(); ++i) {
        const int64_t gid = theirs.first() + static_cast<int64_t>(i);
        if (mine.gids[i] != gid) stop("other numbers of leaves than p4est's");
        comparison.behind_faces(gid, theirs.leaves[i]);
        if (!kind.regular) continue;
        comparison.behind_corners(gid, theirs.leaves[i]);
#ifdef P4_TO_P8
        comparison.behind_edges(gid, theirs.leaves[i]);
#endif
    }
    return comparison.n_ghosts_compared;
}

// With own leaves alone, then with a list of all.
int64_t run_case(halo_context *context, const Kind &kind) {
    const Theirs theirs(kind);
    Trees given(*theirs.connectivity, n_cells);
    given.desc.leaves = theirs.leaves.data(), given.desc.n_leaves = std::ssize(theirs.leaves), given.desc.distributed = 1;
    int64_t n = compare(kind, theirs, Mine(context, given.desc));

    std::vector<halo_leaf> all(static_cast<size_t>(theirs.forest->global_num_quadrants));
    std::vector<int32_t> owners(all.size());
    std::vector<int> bytes, offsets;
    for (int rank = 0; rank < n_ranks; ++rank) {
        const int64_t begin = theirs.forest->global_first_quadrant[rank], end = theirs.forest->global_first_quadrant[rank + 1];
        std::fill(owners.begin() + begin, owners.begin() + end, rank);
        bytes.push_back(static_cast<int>((end - begin) * static_cast<int64_t>(sizeof(halo_leaf))));
        offsets.push_back(static_cast<int>(begin * static_cast<int64_t>(sizeof(halo_leaf))));
    }
    MPI_Allgatherv(theirs.leaves.data(), bytes[static_cast<size_t>(rank_of_process)], MPI_BYTE, all.data(), bytes.data(), offsets.data(), MPI_BYTE,
                   MPI_COMM_WORLD);
    given.desc.leaves = all.data(), given.desc.n_leaves = std::ssize(all), given.desc.owner = owners.data(), given.desc.distributed = 0;
    return n + compare(kind, theirs, Mine(context, given.desc));
}

} // namespace

int main(int argc, char **argv) {
    const int64_t n_cases = argc > 1 ? std::atoll(argv[1]) : 5;
    const int64_t first = argc > 2 ? std::atoll(argv[2]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_process);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    sc_init(MPI_COMM_WORLD, 0, 0, nullptr, SC_LP_ERROR);
    p4est_init(nullptr, SC_LP_ERROR);
    halo_context *context = nullptr;
    need(halo_context_create(nullptr, &context));
    int64_t n = 0;
    for (int64_t i = 0; i < n_cases; ++i)
        for (const Kind &kind : kinds) {
            present_seed = static_cast<uint64_t>(first + i);
            present_kind = kind.name;
            n += run_case(context, kind);
        }
    need(halo_context_allreduce(context, &n, &n, 1, HALO_INT64, HALO_SUM));
    need(halo_context_destroy(&context));
    sc_finalize();
    MPI_Finalize();
    if (rank_of_process == 0)
        std::printf("%lld forests of each kind in %d dimensions on %d ranks: peers, neighbours and %lld ghosts equal p4est's\n",
                    static_cast<long long>(n_cases), P4EST_DIM, n_ranks, static_cast<long long>(n));
    return n > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
