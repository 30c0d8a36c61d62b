// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <utility>

#include "allocation_scenarios.h"

namespace allocations {

namespace {

void texts(Member &member) {
    std::vector<char> text(1 << 16);
    size_t needed = 0;
    for (const int32_t what : { HALO_INFO_VERSION, HALO_INFO_MODULES, HALO_INFO_SETTINGS, HALO_INFO_MANUAL }) {
        ALONE(halo_info(member.context, what, text.data(), text.size(), &needed));
        ALONE(halo_info(nullptr, what, text.data(), text.size(), &needed));
    }
    const char *value = nullptr;
    ALONE(halo_context_set(member.context, "log_level", "error"));
    ALONE(halo_context_set(member.context, "warn_after", "77s"));
    ALONE(halo_context_setting(member.context, "warn_after", &value, nullptr));
    member.keep(value, 3);
    for (const int32_t memory : { HALO_MEMORY_HOST, HALO_MEMORY_SHARED }) {
        void *pointer = nullptr;
        ALONE(halo_memory_allocate(member.context, memory, 100000, &pointer));
        ALONE(halo_memory_release(member.context, &pointer));
    }
    void *on_device = nullptr;
    ALONE(halo_memory_allocate_on(member.context, HALO_MEMORY_HOST, 0, 100000, &on_device));
    ALONE(halo_memory_release(member.context, &on_device));
    halo_pool_stats stats = HALO_POOL_STATS_INIT;
    ALONE(halo_context_pool_stats(member.context, HALO_MEMORY_HOST, &stats));
    ALONE(halo_context_trim(member.context));
    ALONE(halo_context_progress(member.context));
    if (!halo_context_error(member.context)) conformance::stop("no text");
}

// One rank, by itself.
void over_bootstrap(Member &member) {
    halo_bootstrap bootstrap = HALO_BOOTSTRAP_INIT;
    bootstrap.n_ranks = 1;
    halo_context *made = nullptr;
    ALONE(halo_context_create_over(&bootstrap, nullptr, &made));
    ALONE(halo_context_destroy(&made));
}

void collectives(Member &member) {
    for (int time = 0; time < 2; ++time) {
        TALK(halo_context_barrier(member.context));
        std::vector<double> values(time == 0 ? 3 : 3000, member.rank), sums(values.size());
        TALK(halo_context_allreduce(member.context, values.data(), sums.data(), std::ssize(values), HALO_FLOAT64, HALO_SUM));
        member.keep(sums);
    }
    if (member.size > 1) ALONE(halo_context_rank_gone(member.context, (member.rank + 1) % member.size)); // of which nobody waits for anything
}

void reductions(Member &member) {
    halo_reduction *first = nullptr, *second = nullptr;
    TOGETHER(halo_reduction_create(member.context, 3, HALO_FLOAT64, HALO_SUM, &first), [&] { ALONE(halo_reduction_destroy(&first)); });
    TOGETHER(halo_reduction_create(member.context, 2000, HALO_FLOAT64, HALO_MAX, &second), [&] { ALONE(halo_reduction_destroy(&second)); });
    for (int time = 0; time < 3; ++time) {
        std::vector<double> values(2000, member.rank + time), sums(3), most(2000);
        int32_t done = 0;
        ALONE(halo_reduction_begin(first, values.data()));
        ALONE(halo_reduction_begin(second, values.data()));
        ALONE(halo_reduction_test(second, &done));
        ALONE(halo_reduction_end(second, most.data()));
        ALONE(halo_reduction_end(first, sums.data()));
        member.keep(sums);
        member.keep(most);
    }
    ALONE(halo_reduction_destroy(&first));
    ALONE(halo_reduction_destroy(&second));
}

halo_status add(void *, void *values, const void *contributions, int64_t n, halo_type, int64_t) {
    for (int64_t i = 0; i < n; ++i) static_cast<double *>(values)[i] += static_cast<const double *>(contributions)[i];
    return HALO_SUCCESS;
}

void reductions_of_items(Member &member) {
    std::vector<halo_reduction_item> items(3, HALO_REDUCTION_ITEM_INIT);
    items[0].n = 300, items[0].op = HALO_USER, items[0].combine = add;
    items[1].op = HALO_MINLOC, items[1].offset = 2400, items[1].index_offset = 2408;
    items[2].op = HALO_PROD, items[2].offset = 2416;
    halo_reduction *reduction = nullptr;
    TOGETHER(halo_reduction_create_items(member.context, items.data(), sizeof items[0], 3, &reduction),
             [&] { ALONE(halo_reduction_destroy(&reduction)); });
    for (int time = 0; time < 3; ++time) {
        std::vector<double> values(303, member.rank + time);
        ALONE(halo_reduction_begin(reduction, values.data()));
        ALONE(halo_reduction_end(reduction, values.data()));
        member.keep(values);
    }
    ALONE(halo_reduction_destroy(&reduction));
}

void classify(Member &member) {
    const uint32_t to[] = { 0, 1, 1, 2 };
    const int32_t to_owners[] = { 0, 0, 1 }, owners[] = { 0, 1 };
    const halo_map map{ to, to_owners, 3, 2, 0 };
    int32_t sections[2];
    uint32_t order[2], groups[3] = {};
    halo_section_sizes sizes = HALO_SECTION_SIZES_INIT;
    ALONE(halo_sections_classify(0, owners, 2, &map, 1, sections, order, &sizes));
    ALONE(halo_sections_reach(&map, sections, 2, 15, 1, groups));
    member.keep(sections, sizeof sections);
    member.keep(groups, sizeof groups);
}

// False: it has failed on some rank, and been abandoned on all. Who has begun waits for the ghosts, or hears what has failed, before it abandons.
bool pass_batch(Member &member, const halo_access (&accesses)[2]) {
    halo_batch *batch = nullptr;
    const auto begin_and_wait = [&] {
        halo_status status =
            halo_access_begin(member.context, accesses, 2, sizeof accesses[0], HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch);
        int32_t needs_exec = 0;
        if (status == HALO_SUCCESS) status = halo_access_needs_exec(batch, &needs_exec);
        return status == HALO_SUCCESS ? halo_access_ready(batch) : status;
    };
    if (member.all_try("batch", begin_and_wait, [&] { return !batch; }) != HALO_SUCCESS) {
        ALONE(halo_access_abandon(std::exchange(batch, nullptr)));
        return false;
    }
    if (accesses[1].mode != HALO_INC) {
        ALONE(halo_access_end(batch));
        return true;
    }
    bool ended = false;
    const auto send = [&] {
        const halo_status status = halo_access_end_and_send(batch);
        ended = status == HALO_SUCCESS;
        return status;
    };
    const auto may_again = [&] { return halo_access_ready(batch) == HALO_ERR_STATE && std::strstr(halo_last_error(), "the batch is running"); };
    const bool all_ended = member.all_try("what has been added", send, may_again) == HALO_SUCCESS;
    if (!ended) ALONE(halo_access_abandon(batch));
    return all_ended;
}

// What one adds to ghosts is fetched by the next.
bool pass_loops(Member &member, halo_field *u, halo_field *v) {
    for (const int32_t mode : { HALO_READ, HALO_INC, HALO_READ }) {
        halo_access accesses[2] = { HALO_ACCESS_INIT, HALO_ACCESS_INIT };
        accesses[0].field = u, accesses[0].mode = HALO_READ, accesses[0].through = HALO_VIA_MAP;
        accesses[1].field = v, accesses[1].mode = mode, accesses[1].through = HALO_VIA_MAP;
        if (!pass_batch(member, accesses)) return false;
    }
    return true;
}

// Loops over a row of points. Where one fails, all ranks begin anew with what they had before.
void batches(Member &member) {
    const std::vector<int32_t> ranks{ (member.rank + 1) % member.size };
    const uint32_t index = 0;
    halo_star_desc desc = HALO_STAR_DESC_INIT;
    desc.n_points = 4, desc.n_leaves = 1, desc.ranks = ranks.data(), desc.indices = &index;
    halo_topology *topology = nullptr;
    TALK(halo_topology_create_star(member.context, &desc, &topology));
    halo_field *u = make_field(member, topology, "u", 0, {}), *v = make_field(member, topology, "v", 0, {});
    for (halo_field *field : { u, v }) ALONE(halo_field_allocate(field, -1));
    for (int time = 0; time < 3; ++time) {
        bool done = false;
        for (int trial = 0; !done && trial < 3; ++trial) {
            for (halo_field *field : { u, v }) {
                fill(member, field, topology, time);
                ALONE(halo_access_mark_fresh(field, 0, HALO_ON_HOST)); // whatever was pending is no more
                ALONE(halo_access_mark_dirty(field, 0, HALO_ON_HOST));
            }
            done = pass_loops(member, u, v);
        }
        if (!done) conformance::stop("batches: failed three times: %s", halo_last_error());
        keep_values(member, v, topology);
    }
    halo_access_stats stats = HALO_ACCESS_STATS_INIT;
    halo_access_state state = HALO_ACCESS_STATE_INIT;
    ALONE(halo_access_get_stats(member.context, "u", &stats));
    ALONE(halo_access_get_state(u, 0, &state));
    void *data = nullptr;
    for (const int32_t frozen : { 1, 0 }) ALONE(halo_access_freeze(u, frozen));
    ALONE(halo_access_data(u, member.rank, 0, HALO_ON_HOST, &data));
    for (halo_field *field : { u, v }) ALONE(halo_field_destroy(&field));
    ALONE(halo_topology_destroy(&topology));
}

} // namespace

std::vector<Scenario> other_scenarios() {
    std::vector<Scenario> all;
    const auto use = [](Member &member) { TALK(halo_context_barrier(member.context)); };
    for (const int32_t n_ranks : { 2, 3 }) { // nobody waits for a rank that has failed
        all.push_back({ "creation", n_ranks, { { "timeout", "30s" } }, use, Creation::fails_together });
        all.push_back({ "creation again", n_ranks, { { "timeout", "30s" } }, use, Creation::fails_for_some });
        all.push_back({ "creation, no limit", n_ranks, { { "timeout", "0" } }, use, Creation::fails_together });
    }
    add_for_ranks(all, "context and texts", texts);
    add_for_ranks(all, "context over a bootstrap", over_bootstrap);
    add_for_ranks(all, "collectives", collectives);
    add_for_ranks(all, "reductions", reductions);
    add_for_ranks(all, "reductions of items", reductions_of_items);
    add_for_ranks(all, "sections of entities", classify);
    add_for_ranks(all, "batches", batches);
    add_for_ranks(all, "stencils", stencils);
    return all;
}

} // namespace allocations
