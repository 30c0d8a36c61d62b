// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.h"

#include <chrono>
#include <cstdlib>
#include <thread>

namespace test {

namespace {

constexpr auto patience = std::chrono::seconds(60);

bool poll(const std::function<bool()> &done) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!done()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::yield();
    }
    return true;
}

void run_one(Rank rank, const std::function<void(Rank &)> &body) {
    EXPECT_OK(halo_context_rank(rank.context, &rank.rank, &rank.size));
    body(rank);
    EXPECT_OK(halo_context_destroy(&rank.context));
}

} // namespace

int launched_ranks() {
    for (const char *name : { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "HALO_RENDEZVOUS_RANKS" })
        if (const char *value = std::getenv(name)) return std::atoi(value);
    return 0;
}

void run_ranks(int n, const std::function<void(Rank &)> &body, const halo_context_options *options) {
    if (launched_ranks() != 0) {
        Rank rank;
        ASSERT_OK(halo_context_create(options, &rank.context));
        run_one(rank, body);
        return;
    }
    halo_inproc *group = nullptr;
    ASSERT_OK(halo_inproc_create(n, &group));
    std::vector<std::thread> threads;
    for (int i = 0; i < n; ++i)
        threads.emplace_back([&, i] {
            Rank rank;
            ASSERT_OK(halo_context_create_inproc(group, i, options, &rank.context));
            run_one(rank, body);
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_OK(halo_inproc_destroy(&group));
}

void expect_status(halo_status wanted, halo_status got, const char *what, const char *file, int line) {
    if (wanted != got)
        ADD_FAILURE_AT(file, line) << what << " returned " << halo_status_name(got) << ", not " << halo_status_name(wanted)
                                   << "; last text: " << halo_last_error();
}

void expect_text(std::initializer_list<std::string> parts, const char *file, int line) {
    const std::string text = halo_last_error();
    for (const std::string &part : parts)
        if (text.find(part) == std::string::npos) ADD_FAILURE_AT(file, line) << "'" << part << "' is not in: " << text;
}

halo_channel_key key_of(int64_t send_gid, int64_t receive_gid, int32_t element, int64_t extra) {
    return { send_gid, receive_gid, 2, element, extra };
}

halo_channel_desc desc_of(int32_t send_rank, int32_t receive_rank, int64_t count, halo_type type) {
    halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
    desc.send_rank = send_rank;
    desc.receive_rank = receive_rank;
    desc.count = count;
    desc.type = type;
    desc.element_bytes = type == HALO_BYTES ? 1 : 0;
    return desc;
}

Memory::Memory(int32_t kind, int64_t bytes) : kind_(kind), own_(static_cast<size_t>(bytes)) {
    allocator_.user = this;
    allocator_.allocate = allocate;
    allocator_.release = release;
}

void Memory::describe(halo_channel_desc &desc) {
    desc.buffer_kind = kind_;
    desc.buffer = kind_ == HALO_BUFFER_CALLER ? own_.data() : nullptr;
    desc.allocator = kind_ == HALO_BUFFER_ALLOCATOR ? &allocator_ : nullptr;
}

void *Memory::allocate(void *user, const halo_channel_key *, size_t bytes) {
    ++static_cast<Memory *>(user)->blocks_out_;
    return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
}

void Memory::release(void *user, const halo_channel_key *, void *pointer, size_t) {
    --static_cast<Memory *>(user)->blocks_out_;
    std::free(pointer);
}

halo_group *commit(Rank &rank, const std::vector<halo_channel *> &channels, int32_t messages) {
    halo_group_desc desc = HALO_GROUP_DESC_INIT;
    desc.messages = messages;
    desc.timeout_seconds = 60;
    halo_group *group = nullptr;
    EXPECT_OK(halo_group_create(rank.context, channels.data(), static_cast<int64_t>(channels.size()), &desc, &group));
    return group;
}

halo_buffer buffer_of(halo_channel *channel) {
    halo_buffer buffer = HALO_BUFFER_INIT;
    EXPECT_OK(halo_channel_buffer(channel, &buffer));
    return buffer;
}

int32_t state_of(halo_channel *channel) { return buffer_of(channel).state; }

bool wait_received(halo_channel *channel, int32_t *state) {
    halo_status status = HALO_SUCCESS;
    const bool came = poll([&] {
        int32_t done = 0;
        status = halo_channel_try_receive(channel, &done, state);
        return done || status != HALO_SUCCESS;
    });
    EXPECT_TRUE(came) << "nothing was received";
    EXPECT_STATUS(HALO_SUCCESS, status);
    return came && status == HALO_SUCCESS;
}

bool wait_writable(halo_channel *channel) {
    halo_status status = HALO_SUCCESS;
    const bool free = poll([&] {
        int32_t writable = 0;
        status = halo_channel_writable(channel, &writable);
        return writable || status != HALO_SUCCESS;
    });
    EXPECT_TRUE(free) << "the channel did not become writable";
    EXPECT_STATUS(HALO_SUCCESS, status);
    return free && status == HALO_SUCCESS;
}

} // namespace test
