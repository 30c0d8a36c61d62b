// SPDX-License-Identifier: BSD-3-Clause
// Contexts, channels, reductions and sections.
#include <span>

#include "descriptions.h"

namespace fuzz {

namespace {

// A run of an aggregated group, or of channels of their own.
void run(Input &in, halo_group *group, std::span<halo_channel *const> all) {
    const std::array<uint8_t, 2> null_flags{ static_cast<uint8_t>(in.flip()), static_cast<uint8_t>(in.flip()) };
    const halo_group_row *rows = nullptr;
    int64_t n = 0;
    int32_t done = 0;
    if (made(halo_group_send(group, in.flip() ? null_flags.data() : nullptr, HALO_STREAM_NONE)) && made(halo_group_try_receive(group, &done))) {
        made(halo_group_table(group, in.flip() ? sizeof *rows : static_cast<size_t>(in.size(80)), &rows, &n));
        made(halo_group_stale(group, HALO_STREAM_NONE));
    }
    for (halo_channel *channel : all) {
        Newer<halo_buffer> buffer{ HALO_BUFFER_INIT, {} };
        in.version(buffer);
        made(halo_channel_buffer(channel, &buffer));
        if (in.flip()) made(halo_channel_allocate(channel));
        if (made(halo_channel_send(channel, HALO_STREAM_NONE)) && made(halo_channel_try_receive(channel, &done, nullptr)) && done)
            made(halo_channel_stale(channel, HALO_STREAM_NONE));
    }
}

} // namespace

void channels(Input &in) {
    static double memory[8];
    std::array<halo_channel *, 2> all{};
    size_t n = 0;
    for (int i = 0; i < 2; ++i) {
        const halo_channel_key key{ in.size(), in.size(), in.choice(3), in.choice(27), i };
        Newer<halo_channel_desc> desc{ HALO_CHANNEL_DESC_INIT, {} };
        desc.send_rank = in.choice(1), desc.receive_rank = in.choice(1), desc.type = in.choice(HALO_BFLOAT16, 1), desc.count = in.size(4);
        desc.element_bytes = in.size(), desc.sparse = in.choice(2), desc.buffer_kind = in.choice(3);
        if (desc.count * in.pick(0, 1) <= 4 && desc.type != HALO_BYTES && desc.type != HALO_COMPLEX128) desc.buffer = memory;
        in.version(desc);
        if (in.flip())
            n += made(halo_channel_register(the_context(), &key, &desc, &all[n])) ? 1 : 0;
        else if (const int64_t many = in.length(1); made(halo_channel_register_many(
                     the_context(), &key, &desc, in.flip() ? sizeof desc : static_cast<size_t>(in.size(4100)), many, &all[n])))
            n += static_cast<size_t>(many);
    }
    Newer<halo_group_desc> desc{ HALO_GROUP_DESC_INIT, {} };
    desc.messages = in.choice(3), desc.timeout_seconds = in.pick(-1, 1);
    in.version(desc);
    halo_group *group = nullptr;
    if (made(halo_group_create(the_context(), all.data(), static_cast<int64_t>(n), &desc, &group))) run(in, group, std::span(all).first(n));
    destroy(halo_group_destroy, group);
    for (size_t i = 0; i < n; ++i) destroy(halo_channel_destroy, all[i]);
}

void context(Input &in) {
    static constexpr std::array<const char *, 7> keys{ "timeout", "check", "messages", "pool.cap", "strict", "no such key", "log_level" };
    static constexpr std::array<const char *, 7> values{ "1s", "yes", "aggregate", "64MiB", "-1", "", "info" };
    std::array<halo_setting, 2> settings;
    for (halo_setting &setting : settings) setting = { keys[static_cast<size_t>(in.pick(0, 6))], values[static_cast<size_t>(in.pick(0, 6))] };
    Newer<halo_context_options> options{ HALO_CONTEXT_OPTIONS_INIT, {} };
    options.settings = settings.data(), options.n_settings = in.narrow(in.length(2)), options.log = [](void *, int32_t, const char *) {};
    halo_allocator allocator{ in.choice(4), in.choice(2), nullptr,
                              [](void *, size_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); },
                              [](void *, void *pointer, size_t) { std::free(pointer); } };
    options.allocators = &allocator, options.n_allocators = in.narrow(in.length(1));
    in.version(options);
    halo_inproc *group = nullptr;
    if (!made(halo_inproc_create(in.pick(0, 15) == 0 ? in.width(0) : 1, &group))) return;
    halo_context *opened = nullptr;
    made(halo_context_create_inproc(group, in.choice(1), &options, &opened));
    destroy(halo_context_destroy, opened);
    destroy(halo_inproc_destroy, group);
}

// Few values, or more than can be reduced.
static int64_t reduced(Input &in) {
    const int64_t n = in.size(4);
    return n > 4 && n < int64_t{ 1 } << 61 ? 4 : n;
}

static void reduction_of_items(Input &in) {
    std::array<halo_reduction_item, 3> items;
    bool fits = true;
    for (halo_reduction_item &item : items) {
        item = { reduced(in), in.choice(7, 1), in.choice(13, 1), in.pick(-1, 24), in.size(200), in.size(200), nullptr, nullptr };
        if (in.flip())
            item.combine = [](void *, void *, const void *, int64_t, halo_type, int64_t) { return HALO_ERR_CHECK; }; // of one rank: not called
        fits = fits && item.offset <= 200 && item.index_offset <= 200;
    }
    std::array<std::byte, 400> values{};
    halo_reduction *reduction = nullptr;
    const size_t bytes = in.flip() ? sizeof items[0] : static_cast<size_t>(in.size(4100));
    const int32_t n = in.narrow(in.length(bytes == sizeof items[0] ? 3 : 0));
    if (made(halo_reduction_create_items(the_context(), items.data(), bytes, n, &reduction)) && fits &&
        made(halo_reduction_begin(reduction, values.data())))
        made(halo_reduction_end(reduction, values.data()));
    destroy(halo_reduction_destroy, reduction);
}

void reductions(Input &in) {
    std::array<double, 8> values{};
    made(halo_context_allreduce(the_context(), values.data(), values.data(), reduced(in), in.choice(7, 1), in.choice(11, 1)));
    halo_reduction *reduction = nullptr;
    if (made(halo_reduction_create(the_context(), reduced(in), in.choice(7, 1), in.choice(11, 1), &reduction)) &&
        made(halo_reduction_begin(reduction, values.data())))
        made(halo_reduction_end(reduction, values.data()));
    destroy(halo_reduction_destroy, reduction);
    reduction_of_items(in);
    Newer<halo_pool_stats> stats{ HALO_POOL_STATS_INIT, {} };
    in.version(stats);
    made(halo_context_pool_stats(the_context(), in.choice(4), &stats));
    void *memory = nullptr;
    int64_t bytes = in.size(1000);
    if (made(halo_memory_allocate(the_context(), in.choice(4), bytes, &memory))) check(halo_memory_release(the_context(), &memory) == HALO_SUCCESS);
}

void sections(Input &in) {
    const auto owners = in.values<int32_t, 4>(0, 1);
    const auto to = in.values<uint32_t, 8>(0, 3);
    const auto given = in.values<int32_t, 4>(0, 3);
    halo_map map{ to.data(), owners.data(), in.pick(0, 4), in.narrow(in.length(2)), 0 };
    std::array<int32_t, 4> found;
    std::array<uint32_t, 4> order, groups{};
    Newer<halo_section_sizes> sizes{ HALO_SECTION_SIZES_INIT, {} };
    in.version(sizes);
    made(halo_sections_classify(0, owners.data(), in.length(4), &map, in.pick(0, 1), found.data(), order.data(), &sizes));
    made(halo_sections_reach(&map, given.data(), in.length(4), static_cast<uint32_t>(in.choice(16)), 1, groups.data()));
}

} // namespace fuzz
