// SPDX-License-Identifier: BSD-3-Clause
// A collective call that has timed out, and the same call on another object. Rank 0 brings the same to both, so that nothing but the object tells its
// calls apart.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "halo_access.h"
#include "solver.h"
#include "wrapped.h"

namespace conformance {

namespace {

constexpr int32_t n_ranks = 3;

using CallOn = std::function<halo_status(int object)>;
// Makes the calls on the first of two objects and the second. False: they have ended.
using CallOnBoth = std::function<bool(const char *name, const CallOn &)>;

// Rank 0 makes the first call in vain. Where it comes back to it, all make both.
bool call_on_both(const Rank &rank, bool comes_back, std::atomic<bool> &has_waited, const char *name, const CallOn &call) {
    OK(halo_context_barrier(rank.context));
    if (rank.rank == 0) {
        OK(halo_context_set(rank.context, "timeout", "100ms"));
        expect_failure(call(0), HALO_TIMEOUT, { "timed out", "rank" });
        has_waited = true;
    }
    while (!has_waited) std::this_thread::yield();
    OK(halo_context_set(rank.context, "timeout", "60s"));
    if (comes_back) {
        for (const int object : { 0, 1 }) OK(call(object));
        return true;
    }
    const std::string gave_up = std::string("rank 0 gave up '") + name + "', which had not ended, and went on to '" + name + "' of another object";
    if (rank.rank == 0)
        expect_failure(call(1), HALO_ERR_STATE, { gave_up });
    else
        expect_failure(call(0), HALO_ERR_PEER, { "rank 0 has ended", gave_up });
    for (const int object : { 0, 1 }) expect_failure(call(object), HALO_ERR_STATE, { name, "have ended", gave_up });
    return false;
}

halo_topology *points_with(const Rank &rank, const std::vector<uint64_t> &keys) {
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.keys = keys.data();
    desc.n_keys = std::ssize(keys);
    desc.numbering = HALO_NUMBERING_AS_GIVEN;
    desc.editable = 1;
    halo_topology *topology = nullptr;
    OK(halo_topology_create_keys(rank.context, &desc, &topology));
    return topology;
}

// A point's value is its key. Ghosts of no group that is asked for stay as they are.
void exchange_keys(const Rank &rank, halo_topology *topology, const std::vector<uint64_t> &keys, const std::vector<uint32_t> &groups,
                   uint32_t sections) {
    std::vector<int32_t> owners(keys.size());
    int64_t n = 0;
    OK(halo_topology_owners(topology, owners.data(), std::ssize(owners), &n));
    std::vector<double> values(keys.size(), -1);
    for (size_t i = 0; i < keys.size(); ++i)
        if (owners[i] == rank.rank) values[i] = static_cast<double>(keys[i]);
    halo_field_desc of = HALO_FIELD_DESC_INIT;
    of.name = "u";
    halo_field *field = nullptr;
    OK(halo_field_create(topology, &of, &field));
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = values.data();
    OK(halo_field_bind(field, rank.rank, &binding));
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.sections = &sections;
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(&field, 1, &desc, &exchange));
    OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    for (size_t i = 0; i < keys.size(); ++i) {
        const bool is_here = owners[i] == rank.rank || sections == 0 || (groups[i] & sections) != 0;
        const double expected = is_here ? static_cast<double>(keys[i]) : -1;
        if (values[i] != expected) stop("the value of key %llu is %g, not %g", static_cast<unsigned long long>(keys[i]), values[i], expected);
    }
    OK(halo_exchange_destroy(&exchange));
    OK(halo_field_destroy(&field));
}

// Rank 0 owns all; what is a ghost of which group, the others tell.
void sections_of_two(const Rank &rank, const CallOnBoth &both) {
    const std::vector<uint64_t> keys{ 1, 2, 3, 4 };
    std::vector<uint32_t> groups[] = { { 1, 2, 1, 2 }, { 2, 1, 1, 2 } };
    if (rank.rank == 0) groups[0] = groups[1] = { 0, 0, 0, 0 };
    halo_topology *topologies[] = { points_with(rank, keys), points_with(rank, keys) };
    const bool done = both("sections", [&](int object) { return halo_topology_set_sections(topologies[object], groups[object].data(), 4); });
    for (const int object : { 0, 1 }) {
        exchange_keys(rank, topologies[object], keys, groups[object], done ? 1 : 0);
        OK(halo_topology_destroy(&topologies[object]));
    }
}

// The others add a key of rank 0's.
void edits_of_two(const Rank &rank, const CallOnBoth &both) {
    const auto own = static_cast<uint64_t>(10 * rank.rank);
    const std::vector<uint64_t> keys{ own + 1, own + 2, own + 3 };
    halo_topology *topologies[] = { points_with(rank, keys), points_with(rank, keys) }, *edited[2] = {};
    const uint64_t added[] = { 2, 3 };
    const bool done = both("edit", [&](int object) {
        halo_keys_edit edit = HALO_KEYS_EDIT_INIT;
        edit.n_add = rank.rank == 0 ? 0 : 1;
        edit.add = &added[object];
        return halo_topology_edit_keys(topologies[object], &edit, &edited[object]);
    });
    for (const int object : { 0, 1 }) {
        if (!done && edited[object]) stop("an edited topology was made");
        std::vector<uint64_t> then = keys;
        if (rank.rank > 0) then.push_back(added[object]);
        if (done) exchange_keys(rank, edited[object], then, {}, 0);
        if (done) OK(halo_topology_destroy(&edited[object]));
        OK(halo_topology_destroy(&topologies[object]));
    }
}

halo_status start(halo_exchange *exchange) { return halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE); }

// Rank 0 fills the same box from both sources, the others do not.
void transfers_of_two(const Rank &rank, const CallOnBoth &both, halo_status (*call)(halo_exchange *)) {
    double from[2][8], to[2][8] = {};
    halo_topology *topologies[4] = {};
    halo_field *fields[4] = {};
    halo_exchange *exchanges[2] = {};
    const int32_t shifts[] = { 1, (rank.rank + 1) % n_ranks };
    for (int object = 0; object < 2; ++object) {
        for (int i = 0; i < 8; ++i) from[object][i] = 100 * object + 8 * rank.rank + i;
        fields[object] = field_on_box(rank, 0, "from", from[object], topologies[object]);
        fields[2 + object] = field_on_box(rank, shifts[object], "to", to[object], topologies[2 + object]);
        OK(halo_exchange_create_transfer(&fields[object], &fields[2 + object], 1, nullptr, &exchanges[object]));
    }
    const bool done = both("prepare", [&](int object) { return call(exchanges[object]); });
    for (int object = 0; object < 2; ++object) {
        if (done && call != start) OK(start(exchanges[object]));
        if (done) OK(halo_exchange_finish(exchanges[object], HALO_STREAM_NONE));
        for (int i = 0; i < 8; ++i)
            if (const double expected = done ? 100 * object + 8 * ((rank.rank + shifts[object]) % n_ranks) + i : 0; to[object][i] != expected)
                stop("value %d of transfer %d is %g, not %g", i, object, to[object][i], expected);
        OK(halo_exchange_destroy(&exchanges[object]));
    }
    for (int i = 0; i < 4; ++i) {
        OK(halo_field_destroy(&fields[i]));
        OK(halo_topology_destroy(&topologies[i]));
    }
}

void call_on_two_objects(bool comes_back) {
    const std::function<void(const Rank &, const CallOnBoth &)> kinds[] = {
        sections_of_two,
        edits_of_two,
        [](const Rank &rank, const CallOnBoth &both) { transfers_of_two(rank, both, halo_exchange_prepare); },
        [](const Rank &rank, const CallOnBoth &both) { transfers_of_two(rank, both, start); },
    };
    choose_wrapper();
    for (const auto &kind : kinds) {
        std::atomic<bool> has_waited = false;
        run_wrapped(n_ranks, {}, [&](Rank &rank) {
            kind(rank, [&](const char *name, const CallOn &call) { return call_on_both(rank, comes_back, has_waited, name, call); });
        });
    }
}

TEST(ContinuedCollectives, OneOnAnotherObjectIsRefused) { call_on_two_objects(false); }

TEST(ContinuedCollectives, OneOnTheSameObjectGoesOn) { call_on_two_objects(true); }

} // namespace

} // namespace conformance
