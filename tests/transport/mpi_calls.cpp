// SPDX-License-Identifier: BSD-3-Clause
// `mpi_calls`, two ranks under a launcher of an MPI: how often the library sends and receives by MPI, counted where MPI lets programs stand between.
// With shm beside it no message of the library's is one of MPI's.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "halo.h"
#include "level_objects.h"

namespace {

int64_t n_messages = 0; // sent or received
int64_t n_looks = 0;    // for one, or whether one has arrived

} // namespace

#define BETWEEN extern "C" __attribute__((visibility("default")))

BETWEEN int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator, MPI_Request *request) {
    ++n_messages;
    return PMPI_Isend(data, count, type, to, tag, communicator, request);
}

BETWEEN int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator, MPI_Request *request) {
    ++n_messages;
    return PMPI_Irecv(data, count, type, from, tag, communicator, request);
}

BETWEEN int MPI_Imrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
    ++n_messages;
    return PMPI_Imrecv(data, count, type, message, request);
}

BETWEEN int MPI_Iprobe(int from, int tag, MPI_Comm communicator, int *found, MPI_Status *status) {
    ++n_looks;
    return PMPI_Iprobe(from, tag, communicator, found, status);
}

BETWEEN int MPI_Improbe(int from, int tag, MPI_Comm communicator, int *found, MPI_Message *message, MPI_Status *status) {
    ++n_looks;
    return PMPI_Improbe(from, tag, communicator, found, message, status);
}

BETWEEN int MPI_Test(MPI_Request *request, int *done, MPI_Status *status) {
    ++n_looks;
    return PMPI_Test(request, done, status);
}

namespace {

constexpr int n_turns = 200;

[[noreturn]] void stop(const char *text) {
    std::fprintf(stderr, "%s\n", text);
    std::_Exit(EXIT_FAILURE); // the launcher ends the other rank
}

void require(halo_status status) {
    if (status != HALO_SUCCESS) stop(halo_last_error());
}

// Messages of MPI's in exchanges, groups, a batch and a reduction.
int64_t count_messages(const char *transport) {
    const halo_setting settings[] = { { "transport", transport }, { "shared_memory", "no" }, { "timeout", "60s" } };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings;
    options.n_settings = static_cast<int32_t>(std::size(settings));
    halo_context *context = nullptr;
    int32_t rank = 0;
    require(halo_context_create(&options, &context));
    require(halo_context_rank(context, &rank, nullptr));
    int64_t messages = 0;
    {
        mpi_levels::Objects objects(context);
        const int64_t messages_before = n_messages, looks_before = n_looks;
        for (int turn = 0; turn < n_turns; ++turn) objects.use();
        messages = n_messages - messages_before;
        std::printf("%s, rank %d: %lld messages by MPI in %d turns, %lld looks for some\n", transport, rank, static_cast<long long>(messages),
                    n_turns, static_cast<long long>(n_looks - looks_before));
        objects.destroy();
    }
    require(halo_context_destroy(&context));
    return messages;
}

} // namespace

int main() {
    if (count_messages("mpi") < n_turns) stop("MPI carries the messages, and they are not seen");
    if (count_messages("shm,mpi") != 0) stop("shm carries the messages, and MPI was given some");
    return EXIT_SUCCESS;
}
