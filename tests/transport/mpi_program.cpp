// SPDX-License-Identifier: BSD-3-Clause
// `mpi_program MODULE OTHER_MODULE`: the MPI modules in a program that uses MPI itself. OTHER_MODULE is that of another MPI, or "".
#include <dlfcn.h>
#include <mpi.h>

#include <memory>

#include "harness.h"

namespace {

int n_neighbourhoods = 0; // communicators of some that there are
bool duplicating_fails = false;

int one_less(MPI_Comm, int, void *, void *) {
    --n_neighbourhoods;
    return MPI_SUCCESS;
}

} // namespace

#define BETWEEN extern "C" __attribute__((visibility("default")))

BETWEEN int MPI_Dist_graph_create_adjacent(MPI_Comm among, int n_from, const int from[], const int from_weights[], int n_to, const int to[],
                                           const int to_weights[], MPI_Info info, int reorder, MPI_Comm *created) {
    const int code = PMPI_Dist_graph_create_adjacent(among, n_from, from, from_weights, n_to, to, to_weights, info, reorder, created);
    if (code != MPI_SUCCESS) return code;
    ++n_neighbourhoods;
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, one_less, &key, nullptr);
    MPI_Comm_set_attr(*created, key, nullptr);
    return MPI_Comm_free_keyval(&key);
}

BETWEEN int MPI_Comm_dup(MPI_Comm original, MPI_Comm *copy) { return duplicating_fails ? MPI_ERR_OTHER : PMPI_Comm_dup(original, copy); }

namespace transport_tests {
namespace {

const char *own_module = "";
const char *other_module = "";

const halo_transport_plugin *load(const char *path) {
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return module != nullptr ? static_cast<const halo_transport_plugin *>(dlsym(module, "halo_transport_plugin_v1")) : nullptr;
}

halo_transport_params params_of(const MPI_Comm *communicator, size_t handle_bytes = sizeof(MPI_Comm)) {
    return { sizeof(halo_transport_params), communicator, handle_bytes, nullptr, -1, 0, nullptr };
}

struct Attempt {
    halo_status status;
    std::string text;
};

// An open that is expected to fail.
Attempt try_open(const halo_transport_plugin &plugin, const halo_transport_params &params) {
    Attempt attempt{};
    auto take = [](void *self, const char *text) { static_cast<Attempt *>(self)->text = text; };
    halo_host host = { sizeof(halo_host), &attempt, take, nullptr, nullptr };
    halo_transport *transport = nullptr;
    attempt.status = plugin.ops->open(&host, &params, &transport);
    if (attempt.status == HALO_SUCCESS) plugin.ops->close(transport);
    return attempt;
}

void expect_failure(const Attempt &attempt, halo_status status, const char *word) {
    EXPECT_EQ(attempt.status, status) << attempt.text;
    EXPECT_NE(attempt.text.find(word), std::string::npos) << attempt.text;
}

TEST(MpiProgram, ItsMpiIsFound) {
    char why[512] = "";
    EXPECT_EQ(load(own_module)->query(nullptr, why, sizeof why), 300) << why;
    EXPECT_NE(std::string(why).find("initialised"), std::string::npos) << why;
}

TEST(MpiProgram, RanksAreThoseOfTheCommunicator) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed);
    {
        Rank r(*load(own_module), params_of(&reversed));
        EXPECT_EQ(r.rank, size - 1 - rank);
        EXPECT_EQ(r.size, size);
        for (int32_t peer : r.peers()) r.meet(peer);
        MPI_Comm_free(&reversed); // the transport has its own
        r.barrier();
    }
    EXPECT_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

TEST(MpiProgram, BadHandlesAreErrors) {
    const halo_transport_plugin &plugin = *load(own_module);
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm null = MPI_COMM_NULL;
    expect_failure(try_open(plugin, params_of(&world, sizeof world + 4)), HALO_ERR_PLUGIN, "another MPI");
    expect_failure(try_open(plugin, params_of(&null)), HALO_ERR_ARGUMENT, "MPI_COMM_NULL");
}

TEST(MpiProgram, TheModuleOfAnotherMpiSaysSo) {
    if (*other_module == '\0') GTEST_SKIP() << "there is only one MPI";
    const halo_transport_plugin *plugin = load(other_module);
    ASSERT_NE(plugin, nullptr) << dlerror();
    char why[512] = "";
    EXPECT_EQ(plugin->query(nullptr, why, sizeof why), 0) << why;
    MPI_Comm world = MPI_COMM_WORLD;
    expect_failure(try_open(*plugin, params_of(&world, 8)), HALO_ERR_PLUGIN, "two MPIs");
    expect_failure(try_open(*plugin, params_of(nullptr, 0)), HALO_ERR_PLUGIN, "libmp");
}

int n_errors = 0;
void count_error(MPI_Comm *, int *, ...) { ++n_errors; }

// The program's own error handler goes on working; the transport's errors do not reach it.
TEST(MpiProgram, ItsErrorHandlerIsKept) {
    MPI_Errhandler counter = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(count_error, &counter);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, counter);
    auto provoke = [] { MPI_Send(nullptr, 0, MPI_BYTE, 1000, 0, MPI_COMM_WORLD); };
    {
        Rank r(*load(own_module), params_of(nullptr, 0));
        provoke();
        EXPECT_EQ(n_errors, 1);
        for (int32_t peer : r.peers()) {
            Bytes out(100);
            Bytes in(99);
            halo_request sending;
            halo_request receiving;
            size_t bytes = 0;
            r.send(peer, 1, out, sending);
            r.receive(peer, 1, in, receiving);
            EXPECT_EQ(r.outcome(receiving, bytes), HALO_ERR_WIRE) << r.error;
            r.wait(sending);
        }
        EXPECT_EQ(n_errors, 1);
        provoke();
        EXPECT_EQ(n_errors, 2);
    }
    provoke();
    EXPECT_EQ(n_errors, 3);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&counter);
}

TEST(MpiProgram, ManyContextsOneAfterTheOther) {
    const halo_transport_plugin &plugin = *load(own_module);
    for (int i = 0; i < 2500; ++i) { // more than there are communicators
        Rank r(plugin, params_of(nullptr, 0));
        if (i % 500 == 0) r.barrier();
    }
}

TEST(MpiProgram, ANeighbourhoodThatCannotBeMadeLeavesNothing) {
    const halo_transport_plugin &plugin = *load(own_module);
    Rank r(plugin, params_of(nullptr, 0));
    if (r.size != 2 || r.ops.neighbourhood_create == nullptr) GTEST_SKIP() << "no neighbourhood of two ranks";
    const halo_neighbour_message message{ 1 - r.rank, 0, 8 };
    halo_neighbourhood *made = nullptr;
    duplicating_fails = true;
    const halo_status status = r.ops.neighbourhood_create(r.transport, &message, 1, &message, 1, &made);
    duplicating_fails = false;
    EXPECT_EQ(status, HALO_ERR_TRANSPORT);
    EXPECT_NE(r.error.find("MPI_Comm_dup"), std::string::npos) << r.error;
    for (int i = 0; i < 20; ++i) Rank(plugin, params_of(nullptr, 0)).barrier(); // what all have given up ends with the next calls
    EXPECT_EQ(n_neighbourhoods, 0);
}

// Last: afterwards there is no MPI. One rank leaves another endpoint open; finalising must not wait for it.
TEST(MpiProgram, EndpointsMayOutliveMpi) {
    const halo_transport_plugin &plugin = *load(own_module);
    auto late = std::make_unique<Rank>(plugin, params_of(nullptr, 0));
    auto uneven = std::make_unique<Rank>(plugin, params_of(nullptr, 0));
    if (uneven->rank == 0) uneven.reset();
    MPI_Finalize();
    late.reset();
    uneven.reset();
    expect_failure(try_open(plugin, params_of(nullptr, 0)), HALO_ERR_PLUGIN, "finalised");
    char why[512] = "";
    EXPECT_EQ(plugin.query(nullptr, why, sizeof why), 0);
}

} // namespace
} // namespace transport_tests

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    if (argc != 3) return 2;
    transport_tests::own_module = argv[1];
    transport_tests::other_module = argv[2];
    MPI_Init(nullptr, nullptr);
    int result = RUN_ALL_TESTS();
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Abort(MPI_COMM_WORLD, 1);
    return result;
}
