// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include <halo_channel.hpp>

namespace {

constexpr int64_t n_parts = 8;

bool speaks(int64_t gid) { return gid % 2 == 0; } // the others send null

} // namespace

int main() try {
    const halo::Context context;
    const int32_t rank = context.rank(), n_ranks = context.n_ranks();
    const auto owner = [n_ranks](int64_t gid) { return static_cast<int32_t>(gid % n_ranks); };

    std::vector<halo::Channel> channels; // channel i goes from part i to part i + 1
    for (int64_t i = 0; i < n_parts; ++i) {
        const halo_channel_key key = { i, (i + 1) % n_parts, 0, HALO_ELEMENT(1, 0, 0), 0 };
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        desc.send_rank = owner(key.send_gid), desc.receive_rank = owner(key.receive_gid);
        desc.count = 1, desc.sparse = 1;
        if (desc.send_rank == rank || desc.receive_rank == rank) channels.emplace_back(context, key, desc);
    }
    const std::vector<halo_channel *> ends(channels.begin(), channels.end());
    halo_group_desc separate = HALO_GROUP_DESC_INIT;
    separate.messages = HALO_MESSAGES_PER_CHANNEL;
    const halo::Group group(context, ends, separate);

    for (halo::Channel &channel : channels) {
        const int64_t gid = channel.key().send_gid;
        if (owner(gid) != rank) continue;
        if (speaks(gid)) {
            channel.allocate();
            *static_cast<double *>(channel.buffer().data) = static_cast<double>(gid);
        }
        channel.send();
    }
    int wrong = 0;
    for (halo::Channel &channel : channels) {
        const halo_channel_key key = channel.key();
        if (owner(key.receive_gid) != rank) continue;
        while (!channel.try_receive()) {}
        const halo_buffer buffer = channel.buffer();
        wrong += buffer.state != (speaks(key.send_gid) ? HALO_RECEIVED : HALO_RECEIVED_NULL);
        wrong += buffer.state == HALO_RECEIVED && *static_cast<double *>(buffer.data) != static_cast<double>(key.send_gid);
        channel.stale();
    }
    for (halo::Channel &channel : channels) // until my messages have left
        while (owner(channel.key().send_gid) == rank && !channel.writable()) {}
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
} catch (const halo::error &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
