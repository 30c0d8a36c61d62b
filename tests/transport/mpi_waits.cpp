// SPDX-License-Identifier: BSD-3-Clause
// `mpi_waits`, two ranks under a launcher of an MPI: a program that waits at a barrier of MPI's after each of its exchanges and channels, whatever
// the library carries them by. By itself that is shm, where the two may read each other's memory.
#include <mpi.h>

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "halo.h"
#include "halo_channel.h"

namespace {

int rank = 0;

[[noreturn]] void stop(const char *what) {
    std::fprintf(stderr, "mpi_waits, rank %d: %s\n", rank, what);
    std::_Exit(EXIT_FAILURE);
}

void require(halo_status status) {
    if (status != HALO_SUCCESS) stop(halo_last_error());
}

// One block of each rank with a ghost at either side, or below alone, of as many values as a message that is never sent before it is expected.
class Blocks {
public:
    Blocks(halo_context *context, int32_t messages, int32_t ghost_high) : ghost_high_(ghost_high) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1, blocks.n_blocks[0] = 2, blocks.n_cells[0] = 2;
        require(halo_topology_create_blocks(context, &blocks, &topology_));
        halo_field_desc field = HALO_FIELD_DESC_INIT;
        field.n_components = n_components, field.ghost_low[0] = 1, field.ghost_high[0] = ghost_high;
        require(halo_field_create(topology_, &field, &field_));
        data_.resize(static_cast<size_t>((3 + ghost_high) * n_components));
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = data_.data();
        require(halo_field_bind(field_, rank, &binding));
        halo_exchange_desc exchange = HALO_EXCHANGE_DESC_INIT;
        exchange.messages = messages;
        require(halo_exchange_create(&field_, 1, &exchange, &exchange_));
        require(halo_field_layout(field_, rank, &layout_));
    }
    ~Blocks() {
        require(halo_exchange_destroy(&exchange_));
        require(halo_field_destroy(&field_));
        require(halo_topology_destroy(&topology_));
    }
    Blocks(const Blocks &) = delete;
    Blocks &operator=(const Blocks &) = delete;

    void run(int turn) {
        for (int64_t x = 0; x < 2; ++x)
            for (int64_t c = 0; c < n_components; ++c) at(x, c) = value(rank, x, c, turn);
        require(halo_exchange_start(exchange_, nullptr, HALO_STREAM_NONE));
        require(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
        MPI_Barrier(MPI_COMM_WORLD);
        for (int64_t c = 0; c < n_components; ++c) {
            if (rank == 1 && at(-1, c) != value(0, 1, c, turn)) stop("a ghost from below is wrong");
            if (rank == 0 && ghost_high_ > 0 && at(2, c) != value(1, 0, c, turn)) stop("a ghost from above is wrong");
        }
    }

private:
    static constexpr int64_t n_components = 100'000;
    static double value(int of, int64_t x, int64_t c, int turn) { return 1e6 * turn + 1e5 * of + static_cast<double>(10 * x + c % 7); }
    double &at(int64_t x, int64_t c) {
        return data_[static_cast<size_t>(layout_.first_owned + x * layout_.stride[0] + c * layout_.component_stride)];
    }

    int32_t ghost_high_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    halo_exchange *exchange_ = nullptr;
    halo_layout layout_ = HALO_LAYOUT_INIT;
    std::vector<double> data_;
};

// Many small ones, and some that are too large to be sent before they are expected: polled, as the program's own tasks would.
class Channels {
public:
    // `until_gone`: what this rank has sent goes on only while it makes calls.
    Channels(halo_context *context, bool until_gone) : until_gone_(until_gone) {
        std::vector<halo_channel *> all;
        for (int i = 0; i < n_channels; ++i)
            for (const int32_t from : { 0, 1 }) {
                const halo_channel_key key{ from, 1 - from, i, 0, 0 };
                halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
                desc.send_rank = from, desc.receive_rank = 1 - from, desc.count = count_of(i);
                halo_channel *channel = nullptr;
                require(halo_channel_register(context, &key, &desc, &channel));
                (from == rank ? sent_ : received_).push_back(channel);
                all.push_back(channel);
            }
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        desc.messages = HALO_MESSAGES_PER_CHANNEL;
        require(halo_group_create(context, all.data(), static_cast<int64_t>(all.size()), &desc, &group_));
        for (halo_channel *channel : all) require(halo_channel_allocate(channel));
    }
    ~Channels() {
        require(halo_group_drain(group_, HALO_TIMEOUT_CONFIGURED));
        require(halo_group_destroy(&group_));
        for (auto *channels : { &sent_, &received_ })
            for (halo_channel *&channel : *channels) require(halo_channel_destroy(&channel));
    }
    Channels(const Channels &) = delete;
    Channels &operator=(const Channels &) = delete;

    void run(int turn) {
        int64_t n = 0;
        wait_until_writable();
        for (int i = 0; i < n_channels; ++i) std::fill_n(buffer(sent_[static_cast<size_t>(i)]), count_of(i), 1000.0 * turn + i + 0.5 * rank);
        require(halo_channel_send_many(sent_.data(), n_channels, HALO_STREAM_NONE));
        require(halo_channel_start_receive_many(received_.data(), n_channels));
        do require(halo_channel_try_receive_many(received_.data(), n_channels, &n, nullptr));
        while (n < n_channels);
        if (until_gone_) wait_until_writable();
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < n_channels; ++i) {
            const double *values = buffer(received_[static_cast<size_t>(i)]);
            for (int64_t v = 0; v < count_of(i); ++v)
                if (values[v] != 1000.0 * turn + i + 0.5 * (1 - rank)) stop("a value of a channel is wrong");
        }
        require(halo_channel_stale_many(received_.data(), n_channels, HALO_STREAM_NONE));
    }

private:
    static constexpr int n_channels = 800;
    void wait_until_writable() {
        int64_t n = 0;
        do require(halo_channel_writable_many(sent_.data(), n_channels, &n, nullptr));
        while (n < n_channels);
    }
    static int64_t count_of(int i) { return i % 100 == 0 ? 40'000 : i % 7 == 0 ? 1000 : 1; }
    static double *buffer(halo_channel *channel) {
        halo_buffer buffer = HALO_BUFFER_INIT;
        require(halo_channel_buffer(channel, &buffer));
        return static_cast<double *>(buffer.data);
    }

    bool until_gone_;
    std::vector<halo_channel *> sent_, received_;
    halo_group *group_ = nullptr;
};

// May this rank read memory of the other one?
bool reads_other() {
    static uint64_t word = 0x68616c6f;
    const std::array<int64_t, 2> own{ getpid(), static_cast<int64_t>(reinterpret_cast<uintptr_t>(&word)) };
    std::array<int64_t, 2> other{};
    MPI_Sendrecv(own.data(), 2, MPI_INT64_T, 1 - rank, 1, other.data(), 2, MPI_INT64_T, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    uint64_t copy = 0;
    const iovec here{ &copy, sizeof copy }, there{ reinterpret_cast<void *>(static_cast<uintptr_t>(other[1])), sizeof copy };
    int reads = process_vm_readv(static_cast<pid_t>(other[0]), &here, 1, &there, 1, 0) == sizeof copy && copy == word, all = 0;
    MPI_Allreduce(&reads, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
}

// `by_itself`: nobody has said by what.
void check_transports(const halo_context *context, bool by_itself) {
    char text[4096];
    require(halo_info(context, HALO_INFO_MODULES, text, sizeof text, nullptr));
    if (rank == 0) std::printf("%.*s\n", static_cast<int>(std::strcspn(text, "\n")), text);
    if (by_itself && reads_other() != (std::string(text).find("shm to 1 ranks") != std::string::npos)) stop(text);
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    constexpr int n_turns = 12;
    halo_context *context = nullptr;
    require(halo_context_create(nullptr, &context));
    require(halo_context_set(context, "timeout", "30s"));
    check_transports(context, std::getenv("HALO_TRANSPORT") == nullptr);
    for (const int32_t ghost_high : { 1, 0 })
        for (const int32_t messages : { HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL }) {
            Blocks blocks(context, messages, ghost_high);
            for (int turn = 0; turn < n_turns; ++turn) blocks.run(turn);
        }
    {
        Channels channels(context, argc > 1 && std::string(argv[1]) == "until_gone");
        for (int turn = 0; turn < n_turns; ++turn) channels.run(turn);
    }
    require(halo_context_destroy(&context));
    for (int i = 0; i < 50; ++i) MPI_Barrier(MPI_COMM_WORLD); // over TCP MPICH 4.0 may hang in the next call if its ranks have hardly spoken
    MPI_Finalize();
    return EXIT_SUCCESS;
}
