// SPDX-License-Identifier: BSD-3-Clause
// Loops that have run before allocate nothing, whichever of their fields are stale; nor do reductions.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "heap_of_library.h"
#include "world.h"

namespace {

using namespace access_test;
using conformance::stop;

// One by each way that items are combined.
struct Several {
    double sum, greatest;
    int64_t where, by_function;
};

halo_status add(void *, void *values, const void *contributions, int64_t, halo_type, int64_t) {
    *static_cast<int64_t *>(values) += *static_cast<const int64_t *>(contributions);
    return HALO_SUCCESS;
}

halo_reduction *reduce_several(const Rank &rank) {
    std::vector<halo_reduction_item> items(3, HALO_REDUCTION_ITEM_INIT);
    items[1].op = HALO_MAXLOC, items[1].offset = offsetof(Several, greatest), items[1].index_offset = offsetof(Several, where);
    items[2].type = HALO_INT64, items[2].op = HALO_USER, items[2].combine = add, items[2].offset = offsetof(Several, by_function);
    halo_reduction *reduction = nullptr;
    OK(halo_reduction_create_items(rank.context, items.data(), sizeof(halo_reduction_item), 3, &reduction));
    return reduction;
}

void loops(const World &world, halo_field *old_and_new, halo_reduction *sum, halo_reduction *several, int64_t step, bool on_device) {
    const int32_t where = on_device && step % 2 ? HALO_ON_DEVICE : HALO_ON_HOST;
    const int32_t style = step % 3 ? HALO_STYLE_REVERSE : HALO_STYLE_REDUNDANT;
    static const auto accesses = [](const World &of, int which) -> std::vector<halo_access> {
        if (which == 0) return { direct(of.w, HALO_READ), via_map(of.x, HALO_READ), via_map(of.res, HALO_INC), via_map(of.low, HALO_ACCESS_MIN) };
        return { direct(of.x, HALO_RW), direct(of.res, HALO_RW), direct(of.low, HALO_RW) };
    };
    const auto now = static_cast<int32_t>(step % 2);
    const std::vector<halo_access> flux = accesses(world, 0), update = accesses(world, 1);
    const std::vector<halo_access> swap{ via_map(old_and_new, HALO_READ, 0, now), via_map(old_and_new, HALO_INC, 0, 1 - now) };
    int64_t value = step;
    Several values{ 1, static_cast<double>(step), step, step };
    heap::start_counting();
    world.touch(flux, style, where);
    if (step % 4) OK(halo_reduction_begin(sum, &value));
    OK(halo_reduction_begin(several, &values));
    world.touch(update, style, where);
    world.touch(swap, style, where);
    OK(halo_reduction_end(several, &values));
    if (step % 4) OK(halo_reduction_end(sum, &value));
}

void run_on(const conformance::Settings &settings, bool on_device) {
    conformance::run(3, settings, [&](Rank &rank) {
        Random random(5);
        World world(rank, random_mesh(random, rank.size));
        halo_reduction *sum = nullptr, *several = reduce_several(rank);
        halo_field *old_and_new = World::make_field(world.nodes, "old and new", 2);
        OK(halo_reduction_create(rank.context, 1, HALO_INT64, HALO_SUM, &sum));
        for (int64_t step = 0; step < 48; ++step) {
            loops(world, old_and_new, sum, several, step, on_device);
            heap::stop_counting();
        }
        int64_t library = 0;
        for (int64_t step = 48; step < 120; ++step) {
            loops(world, old_and_new, sum, several, step, on_device);
            library += heap::stop_counting().library;
        }
        if (library != 0) stop("%lld heap calls of the library, the first at %s", static_cast<long long>(library), heap::first_caller());
        OK(halo_reduction_destroy(&several));
        OK(halo_reduction_destroy(&sum));
        OK(halo_field_destroy(&old_and_new));
    });
}

TEST(SteadyLoops, AllocateNothingOnTheHost) { run_on({}, false); }

TEST(SteadyLoops, AllocateNothingOnTheDevice) { run_on(with_device(), true); }

} // namespace
