// SPDX-License-Identifier: BSD-3-Clause
// `mpi_calls`, two ranks under a launcher of an MPI: how often the library sends and receives by MPI, counted where MPI lets programs stand between.
// With shm beside it no message of the library's is one of MPI's. With persistent requests nothing but MPI_Start is called in a run, with messages in
// a neighbourhood collective one operation.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

#include "halo.h"
#include "level_objects.h"

namespace {

int64_t n_messages = 0; // sent or received
int64_t n_starts = 0;   // of persistent requests
int64_t n_makes = 0;    // of them
int64_t n_together = 0; // operations of neighbourhoods
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

BETWEEN int MPI_Send_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator, MPI_Request *request) {
    ++n_makes;
    return PMPI_Send_init(data, count, type, to, tag, communicator, request);
}

BETWEEN int MPI_Recv_init(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator, MPI_Request *request) {
    ++n_makes;
    return PMPI_Recv_init(data, count, type, from, tag, communicator, request);
}

BETWEEN int MPI_Start(MPI_Request *request) {
    ++n_starts;
    return PMPI_Start(request);
}

BETWEEN int MPI_Ineighbor_alltoallw(const void *sent, const int sent_counts[], const MPI_Aint sent_at[], const MPI_Datatype sent_types[],
                                    void *received, const int received_counts[], const MPI_Aint received_at[], const MPI_Datatype received_types[],
                                    MPI_Comm communicator, MPI_Request *request) {
    ++n_together;
    return PMPI_Ineighbor_alltoallw(sent, sent_counts, sent_at, sent_types, received, received_counts, received_at, received_types, communicator,
                                    request);
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

// How often an exchange of two ranks calls what, in runs after those in which memory and requests are made.
struct Calls {
    int64_t messages, starts, makes, together;
};

Calls calls_of_runs(const char *requests, const char *messages, const char *word, int n_runs) {
    const halo_setting settings[] = {
        { "transport", "mpi" }, { "shared_memory", "no" }, { "timeout", "60s" }, { "mpi.requests", requests }, { "messages", messages }
    };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings;
    options.n_settings = static_cast<int32_t>(std::size(settings));
    halo_context *context = nullptr;
    require(halo_context_create(&options, &context));
    Calls calls{};
    {
        mpi_levels::Objects objects(context);
        objects.prepare_aggregated();
        constexpr int n_before = 8;
        for (int run = 0; run < n_before; ++run) objects.exchange_aggregated();
        const Calls before{ n_messages, n_starts, n_makes, n_together };
        for (int run = 0; run < n_runs; ++run) objects.exchange_aggregated();
        calls = { n_messages - before.messages, n_starts - before.starts, n_makes - before.makes, n_together - before.together };
        std::printf("%s, %s: %lld messages, %lld starts, %lld requests made, %lld operations of all messages in %d runs\n", requests, messages,
                    static_cast<long long>(calls.messages), static_cast<long long>(calls.starts), static_cast<long long>(calls.makes),
                    static_cast<long long>(calls.together), n_runs);
        if (objects.description().find(word) == std::string::npos) stop(objects.description().c_str());
        objects.destroy();
    }
    require(halo_context_destroy(&context));
    return calls;
}

void count_variants() {
    constexpr int n_runs = 100;
    const Calls plain = calls_of_runs("plain", "aggregate", "messages over mpi_", n_runs);
    if (plain.messages != 2 * n_runs || plain.starts + plain.makes + plain.together != 0) stop("plain: one message there and one back are wanted");
    const Calls persistent = calls_of_runs("persistent", "aggregate", "(of the transport: persistent requests: ", n_runs);
    // A request that is still on its way is not started again, nor waited for: then another buffer has one, or a message goes without.
    constexpr int64_t few = n_runs / 10;
    if (persistent.starts + persistent.messages != 2 * n_runs || persistent.messages > few || persistent.makes > few || persistent.together != 0)
        stop("persistent: two requests are to be started in each run");
    const Calls together = calls_of_runs("plain", "neighbourhood", "in one neighbourhood collective with 1 ranks", n_runs);
    if (together.messages + together.makes + together.starts != 0 || together.together != n_runs)
        stop("neighbourhood: one operation is to be started in each run");
}

} // namespace

int main() {
    if (count_messages("mpi") < n_turns) stop("MPI carries the messages, and they are not seen");
    count_variants();
    if (count_messages("shm,mpi") != 0) stop("shm carries the messages, and MPI was given some");
    return EXIT_SUCCESS;
}
