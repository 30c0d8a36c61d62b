// SPDX-License-Identifier: BSD-3-Clause
// Ghosts of points known by keys: libhalo against PetscSF on the same graph and storage, in alternating pairs of one run.
// usage: halo_bench_unstructured [cells along an edge, 100] [pairs, 21] [1: only the set-up, 2: only fetches, 0]
// Every rank has a cube of cells; cubes are stacked and periodic along z, two layers of ghosts. One field is one array for both, in memory from
// halo_memory_allocate. PetscSF has no message for several fields: all are begun, then all ended. Fetches: five layers of ghosts, and a star whose
// roots have ten leaves each. Times are the medians over pairs of the slowest rank's.
#include <malloc.h>
#include <petscsf.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "halo.h"

namespace {

[[noreturn]] void stop(const char *call, const char *why) {
    std::fprintf(stderr, "%s: %s\n", call, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

#define HALO(call) ((call) == HALO_SUCCESS ? void() : stop(#call, halo_last_error()))
#define PETSC(call) ((call) == 0 ? void() : stop(#call, "failed"))

int rank_of_process = 0, n_ranks = 1;

// By position in the storage.
struct Graph {
    std::vector<uint64_t> keys;
    std::vector<int32_t> flags; // HALO_KEY_WANT: a ghost
};

// Keys count cells along x, y, z. In random order, owned cells and ghosts are mixed.
Graph make_graph(int64_t n, bool random, int64_t layers) {
    const int64_t plane = n * n, all = plane * n * n_ranks, n_owned = plane * n;
    const int64_t begin = rank_of_process * n_owned;
    std::vector<int64_t> cells(static_cast<size_t>(n_owned + 2 * layers * plane)); // counted from the cube's first: those below and above are ghosts
    std::iota(cells.begin(), cells.begin() + n_owned, 0);
    std::iota(cells.begin() + n_owned, cells.end() - layers * plane, -layers * plane);
    std::iota(cells.end() - layers * plane, cells.end(), n_owned);
    std::mt19937_64 generator(static_cast<uint64_t>(rank_of_process) + 1);
    if (random) std::shuffle(cells.begin(), cells.end(), generator);
    Graph graph;
    for (const int64_t cell : cells) {
        graph.keys.push_back(static_cast<uint64_t>((begin + cell + all) % all));
        graph.flags.push_back(cell < 0 || cell >= n_owned ? HALO_KEY_WANT : 0);
    }
    return graph;
}

double slowest(double seconds) {
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

double time_of(const std::function<void()> &work) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    work();
    return slowest(MPI_Wtime() - begin);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void compare(const char *what, int unseen, int pairs, const std::function<void()> &mine, const std::function<void()> &theirs) {
    std::vector<double> first, second, ratio;
    for (int p = -unseen; p < pairs; ++p) {
        const bool mine_first = p % 2 == 0;
        double a = mine_first ? time_of(mine) : 0;
        const double b = time_of(theirs);
        if (!mine_first) a = time_of(mine);
        if (p < 0) continue;
        first.push_back(a);
        second.push_back(b);
        ratio.push_back(b / a);
    }
    if (rank_of_process == 0)
        std::printf("%-44s libhalo %9.0f us, PetscSF %9.0f us, ratio %.2f\n", what, median(first) * 1e6, median(second) * 1e6, median(ratio));
    std::fflush(stdout);
}

halo_topology *make_topology(halo_context *context, const Graph &graph, int32_t numbering) {
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = static_cast<int64_t>(graph.keys.size());
    desc.keys = graph.keys.data();
    desc.numbering = numbering;
    desc.flags = graph.flags.data();
    halo_topology *topology = nullptr;
    HALO(halo_topology_create_keys(context, &desc, &topology));
    return topology;
}

// Fields of one component, each an array by local index.
class Fields {
public:
    Fields(halo_context *context, halo_topology *topology, int n_fields, int64_t n_points) : context_(context), n_points_(n_points) {
        for (int f = 0; f < n_fields; ++f) {
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            halo_field *field = nullptr;
            HALO(halo_field_create(topology, &desc, &field));
            fields_.push_back(field);
            halo_binding binding = HALO_BINDING_INIT;
            HALO(halo_memory_allocate(context, HALO_MEMORY_SHARED, n_points * static_cast<int64_t>(sizeof(double)), &binding.data));
            data_.push_back(static_cast<double *>(binding.data));
            HALO(halo_field_bind(field, rank_of_process, &binding));
        }
    }
    ~Fields() {
        for (halo_field *&field : fields_) halo_field_destroy(&field);
        for (void *data : data_) halo_memory_release(context_, &data);
    }
    Fields(const Fields &) = delete;
    Fields &operator=(const Fields &) = delete;
    halo_exchange *exchange(int32_t kind) {
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.kind = kind;
        desc.source_stable = 1; // as between begin and end of PetscSF
        halo_exchange *made = nullptr;
        HALO(halo_exchange_create(fields_.data(), static_cast<int32_t>(fields_.size()), &desc, &made));
        return made;
    }
    const std::vector<double *> &data() const { return data_; }
    void fill(const std::function<double(int64_t)> &value) {
        for (double *data : data_)
            for (int64_t i = 0; i < n_points_; ++i) data[i] = value(i);
    }
    bool operator==(const Fields &other) const {
        return std::equal(data_.begin(), data_.end(), other.data_.begin(),
                          [&](const double *a, const double *b) { return std::equal(a, a + n_points_, b); });
    }

private:
    halo_context *context_;
    int64_t n_points_;
    std::vector<halo_field *> fields_;
    std::vector<double *> data_;
};

// The same graph as a star forest: each ghost's owner and index there, learnt by an exchange of the owners' indices.
PetscSF make_forest(halo_context *context, halo_topology *topology, int64_t n_points) {
    Fields places(context, topology, 1, n_points);
    places.fill([](int64_t i) { return static_cast<double>(i); });
    halo_exchange *exchange = places.exchange(HALO_KIND_GHOSTS);
    HALO(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    HALO(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    HALO(halo_exchange_destroy(&exchange));
    std::vector<int32_t> owners(static_cast<size_t>(n_points));
    int64_t n = 0;
    HALO(halo_topology_owners(topology, owners.data(), n_points, &n));
    std::vector<PetscInt> leaves;
    std::vector<PetscSFNode> roots;
    for (int64_t i = 0; i < n_points; ++i) {
        const auto there = static_cast<int64_t>(places.data()[0][i]);
        if (owners[static_cast<size_t>(i)] == rank_of_process && there == i) continue;
        leaves.push_back(static_cast<PetscInt>(i));
        roots.push_back({ owners[static_cast<size_t>(i)], static_cast<PetscInt>(there) });
    }
    PetscSF forest = nullptr;
    PETSC(PetscSFCreate(PETSC_COMM_WORLD, &forest));
    PETSC(PetscSFSetGraph(forest, static_cast<PetscInt>(n_points), static_cast<PetscInt>(leaves.size()), leaves.data(), PETSC_COPY_VALUES,
                          roots.data(), PETSC_COPY_VALUES));
    PETSC(PetscSFSetUp(forest));
    return forest;
}

void run_forest(PetscSF forest, const std::vector<double *> &data, bool forward) {
    for (double *one : data)
        if (forward)
            PETSC(PetscSFBcastBegin(forest, MPI_DOUBLE, one, one, MPI_REPLACE));
        else
            PETSC(PetscSFReduceBegin(forest, MPI_DOUBLE, one, one, MPI_SUM));
    for (double *one : data)
        if (forward)
            PETSC(PetscSFBcastEnd(forest, MPI_DOUBLE, one, one, MPI_REPLACE));
        else
            PETSC(PetscSFReduceEnd(forest, MPI_DOUBLE, one, one, MPI_SUM));
}

void run_exchange(halo_exchange *exchange) {
    HALO(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    HALO(halo_exchange_finish(exchange, HALO_STREAM_NONE));
}

// Both get the same input; what comes out must be equal, but for the order of sums.
void verify(Fields &mine, halo_exchange *exchange, Fields &theirs, PetscSF forest, bool forward) {
    for (Fields *side : { &mine, &theirs }) side->fill([](int64_t i) { return static_cast<double>((i * 7919 + rank_of_process) % 1000); });
    run_exchange(exchange);
    run_forest(forest, theirs.data(), forward);
    if (!(mine == theirs)) stop("verify", "libhalo and PetscSF differ");
    for (Fields *side : { &mine, &theirs }) side->fill([](int64_t) { return 0.0; });
}

void compare_exchanges(halo_context *context, const Graph &graph, bool random, int pairs) {
    halo_topology *topology = make_topology(context, graph, random ? HALO_NUMBERING_AS_GIVEN : HALO_NUMBERING_BY_OWNER);
    const auto n_points = static_cast<int64_t>(graph.keys.size());
    PetscSF forest = make_forest(context, topology, n_points);
    constexpr int unseen = 24; // in the first runs libhalo tries what is faster
    for (const bool forward : { true, false })
        for (const int n_fields : { 1, 4, 8 }) {
            Fields mine(context, topology, n_fields, n_points), theirs(context, topology, n_fields, n_points);
            halo_exchange *exchange = mine.exchange(forward ? HALO_KIND_GHOSTS : HALO_KIND_REVERSE);
            const auto check = [&] { verify(mine, exchange, theirs, forest, forward); };
            check();
            char what[80];
            std::snprintf(what, sizeof what, "%s order, %s, %d field%s", random ? "random" : "sorted", forward ? "forward" : "reverse", n_fields,
                          n_fields > 1 ? "s" : "");
            compare(
                what, unseen, pairs, [&] { run_exchange(exchange); }, [&] { run_forest(forest, theirs.data(), forward); });
            check(); // once more: by now libhalo may go another way
            HALO(halo_exchange_destroy(&exchange));
        }
    PETSC(PetscSFDestroy(&forest));
    HALO(halo_topology_destroy(&topology));
}

// PetscSF has an array of its own for what leaves get.
struct ForestFetch {
    PetscSF forest;
    const std::vector<double *> &data;
    std::vector<std::vector<double>> updates;

    ForestFetch(PetscSF of, const std::vector<double *> &given, int64_t n_points)
        : forest(of),
          data(given),
          updates(given.size(), std::vector<double>(static_cast<size_t>(n_points))) {}
    void operator()() {
        for (size_t f = 0; f < data.size(); ++f) PETSC(PetscSFFetchAndOpBegin(forest, MPI_DOUBLE, data[f], data[f], updates[f].data(), MPI_SUM));
        for (size_t f = 0; f < data.size(); ++f) PETSC(PetscSFFetchAndOpEnd(forest, MPI_DOUBLE, data[f], data[f], updates[f].data(), MPI_SUM));
    }
};

// Sums of what leaves get, and of roots, are the same in every order: they are whole numbers.
double sum_of(PetscSF forest, const double *roots, const double *updates, int64_t n_points) {
    PetscInt n = 0;
    const PetscInt *leaves = nullptr;
    PETSC(PetscSFGetGraph(forest, nullptr, &n, &leaves, nullptr));
    std::vector<bool> is_leaf(static_cast<size_t>(n_points), false);
    double sum = 0;
    for (PetscInt i = 0; i < n; ++i) is_leaf[static_cast<size_t>(leaves[i])] = true;
    for (int64_t i = 0; i < n_points; ++i) sum += is_leaf[static_cast<size_t>(i)] ? updates[i] : roots[i] * 3;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

void compare_fetch(halo_context *context, halo_topology *topology, PetscSF forest, int64_t n_points, const char *what, int pairs) {
    for (const int n_fields : { 1, 4 }) {
        Fields mine(context, topology, n_fields, n_points), theirs(context, topology, n_fields, n_points);
        halo_exchange *exchange = mine.exchange(HALO_KIND_FETCH);
        ForestFetch fetch(forest, theirs.data(), n_points);
        for (Fields *side : { &mine, &theirs }) side->fill([](int64_t) { return 1.0; });
        run_exchange(exchange);
        fetch();
        if (sum_of(forest, mine.data()[0], mine.data()[0], n_points) != sum_of(forest, theirs.data()[0], fetch.updates[0].data(), n_points))
            stop("verify", "libhalo and PetscSF differ");
        for (Fields *side : { &mine, &theirs }) side->fill([](int64_t) { return 0.0; });
        char line[80];
        std::snprintf(line, sizeof line, "%s, fetch, %d field%s", what, n_fields, n_fields > 1 ? "s" : "");
        compare(
            line, 24, pairs, [&] { run_exchange(exchange); }, fetch);
        HALO(halo_exchange_destroy(&exchange));
    }
}

void compare_fetches(halo_context *context, const Graph &graph, bool random, int pairs) {
    halo_topology *topology = make_topology(context, graph, random ? HALO_NUMBERING_AS_GIVEN : HALO_NUMBERING_BY_OWNER);
    const auto n_points = static_cast<int64_t>(graph.keys.size());
    PetscSF forest = make_forest(context, topology, n_points);
    compare_fetch(context, topology, forest, n_points, random ? "random order" : "sorted order", pairs);
    PETSC(PetscSFDestroy(&forest));
    HALO(halo_topology_destroy(&topology));
}

// Leaves draw their roots at random, on all ranks: ten for each root.
void compare_stars(halo_context *context, int64_t n_leaves, int pairs) {
    const int64_t n_roots = n_leaves / 10, n_points = n_roots + n_leaves;
    std::mt19937_64 generator(static_cast<uint64_t>(rank_of_process) + 1);
    std::vector<int32_t> ranks;
    std::vector<uint32_t> indices;
    std::vector<PetscInt> leaves;
    std::vector<PetscSFNode> roots;
    for (int64_t i = 0; i < n_leaves; ++i) {
        const uint64_t root = generator() % static_cast<uint64_t>(n_roots * n_ranks);
        ranks.push_back(static_cast<int32_t>(root / static_cast<uint64_t>(n_roots)));
        indices.push_back(static_cast<uint32_t>(root % static_cast<uint64_t>(n_roots)));
        leaves.push_back(static_cast<PetscInt>(n_roots + i));
        roots.push_back({ ranks.back(), static_cast<PetscInt>(indices.back()) });
    }
    halo_star_desc desc = HALO_STAR_DESC_INIT;
    desc.n_points = n_points;
    desc.n_leaves = n_leaves;
    desc.ranks = ranks.data();
    desc.indices = indices.data();
    halo_topology *topology = nullptr;
    HALO(halo_topology_create_star(context, &desc, &topology));
    PetscSF forest = nullptr;
    PETSC(PetscSFCreate(PETSC_COMM_WORLD, &forest));
    PETSC(PetscSFSetGraph(forest, static_cast<PetscInt>(n_roots), static_cast<PetscInt>(n_leaves), leaves.data(), PETSC_COPY_VALUES, roots.data(),
                          PETSC_COPY_VALUES));
    PETSC(PetscSFSetUp(forest));
    compare_fetch(context, topology, forest, n_points, "star, ten leaves", pairs);
    PETSC(PetscSFDestroy(&forest));
    HALO(halo_topology_destroy(&topology));
}

int64_t status_kilobytes(const char *name) {
    std::FILE *file = std::fopen("/proc/self/status", "r");
    char line[256];
    int64_t found = 0;
    while (file && std::fgets(line, sizeof line, file))
        if (std::strncmp(line, name, std::strlen(name)) == 0) found = std::atoll(line + std::strlen(name));
    if (file) std::fclose(file);
    return found;
}

// Resident memory of the process beyond what it had before, at most: the greatest of all ranks.
int64_t peak_kilobytes(const std::function<void()> &work) {
    malloc_trim(0);
    if (std::FILE *file = std::fopen("/proc/self/clear_refs", "w")) { // forget the peak until now
        std::fputs("5", file);
        std::fclose(file);
    }
    const int64_t before = status_kilobytes("VmRSS:");
    work();
    int64_t more = status_kilobytes("VmHWM:") - before;
    MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return more;
}

// The simple way: every rank gets all keys, and looks for its own.
void gather_all(const Graph &graph) {
    const int n = static_cast<int>(graph.keys.size());
    std::vector<int> counts(static_cast<size_t>(n_ranks)), first(static_cast<size_t>(n_ranks), 0);
    MPI_Allgather(&n, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::partial_sum(counts.begin(), counts.end() - 1, first.begin() + 1);
    std::vector<uint64_t> all(static_cast<size_t>(first.back() + counts.back()));
    MPI_Allgatherv(graph.keys.data(), n, MPI_UINT64_T, all.data(), counts.data(), first.data(), MPI_UINT64_T, MPI_COMM_WORLD);
    std::vector<std::pair<uint64_t, int32_t>> holders;
    holders.reserve(all.size());
    for (int r = 0; r < n_ranks; ++r)
        for (size_t i = 0; i < static_cast<size_t>(counts[static_cast<size_t>(r)]); ++i)
            holders.emplace_back(all[static_cast<size_t>(first[static_cast<size_t>(r)]) + i], r);
    std::sort(holders.begin(), holders.end());
    size_t shared = 0;
    for (const uint64_t key : graph.keys) {
        const auto at = std::lower_bound(holders.begin(), holders.end(), std::pair(key, 0));
        shared += at + 1 != holders.end() && (at + 1)->first == key;
    }
    if (shared == 0) stop("gather_all", "nothing is shared");
}

// From keys to who sends what to whom.
void compare_setup(halo_context *context, const Graph &graph, const char *what, int pairs) {
    std::vector<PetscInt> indices(graph.keys.begin(), graph.keys.end()), owned;
    for (size_t i = 0; i < graph.keys.size(); ++i)
        if (graph.flags[i] == 0) owned.push_back(indices[i]);
    const auto n = static_cast<PetscInt>(indices.size()), n_owned = static_cast<PetscInt>(owned.size());
    PetscLayout layout = nullptr;
    PETSC(PetscLayoutCreate(PETSC_COMM_WORLD, &layout));
    PETSC(PetscLayoutSetLocalSize(layout, n_owned));
    PETSC(PetscLayoutSetUp(layout));
    const auto mine = [&] {
        halo_topology *topology = make_topology(context, graph, HALO_NUMBERING_BY_OWNER);
        HALO(halo_topology_destroy(&topology));
    };
    const auto theirs = [&] {
        PetscSF forest = nullptr;
        PETSC(PetscSFCreateByMatchingIndices(layout, n_owned, owned.data(), nullptr, 0, n, indices.data(), nullptr, 0, nullptr, &forest));
        PETSC(PetscSFSetUp(forest));
        PETSC(PetscSFDestroy(&forest));
    };
    compare(what, 1, std::max(3, pairs / 4), mine, theirs);
    const auto gathered = [&] { gather_all(graph); };
    const double gather_seconds = time_of(gathered);
    const int64_t here = peak_kilobytes(mine), there = peak_kilobytes(theirs), all = peak_kilobytes(gathered);
    if (rank_of_process == 0)
        std::printf("%-44s libhalo %9.1f MB, PetscSF %9.1f MB, ratio %.2f; all keys gathered: %.0f us, %.1f MB\n", "  memory of it, at most",
                    static_cast<double>(here) / 1e3, static_cast<double>(there) / 1e3, static_cast<double>(there) / static_cast<double>(here),
                    gather_seconds * 1e6, static_cast<double>(all) / 1e3);
    PETSC(PetscLayoutDestroy(&layout));
}

} // namespace

int main(int argc, char **argv) {
    const int64_t n = argc > 1 ? std::atoll(argv[1]) : 100;
    const int pairs = argc > 2 ? std::atoi(argv[2]) : 21;
    const int only = argc > 3 ? std::atoi(argv[3]) : 0;
    PETSC(PetscInitializeNoArguments());
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_process);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    halo_context *context = nullptr;
    HALO(halo_context_create(nullptr, &context));
    for (const bool random : { false, true }) {
        const Graph graph = make_graph(n, random, 2);
        if (only != 2) compare_setup(context, graph, random ? "set-up, shuffled keys" : "set-up, keys in order", pairs);
        if (only == 0) compare_exchanges(context, graph, random, pairs);
        if (only != 1) compare_fetches(context, make_graph(n, random, 5), random, pairs);
    }
    if (only != 1) compare_stars(context, n * n * n / 10, pairs);
    HALO(halo_context_destroy(&context));
    PETSC(PetscFinalize());
}
