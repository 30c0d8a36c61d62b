// SPDX-License-Identifier: BSD-3-Clause
// Check mode: loops that do with their fields what they have not declared. Each is found at the end of the loop, on the rank whose loop it was, and
// refused on all until the program says what the values are.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "left_out.h"
#include "world.h"

namespace {

using namespace access_test;
using conformance::stop;
const conformance::LeftOutOnDevices left_out[] = { { "Declared.*", "of the host's loops" } };

void expect(halo_status wanted, const std::vector<const char *> &words, halo_status got) {
    for (const char *word : words)
        if (wanted != got || !std::strstr(halo_last_error(), word))
            stop("wanted %s with '%s', got %s: %s", halo_status_name(wanted), word, halo_status_name(got), halo_last_error());
}

constexpr int64_t n_own = 4, n_points = n_own + 2, previous = n_own, next = n_own + 1; // local indices of the two ghosts
constexpr uint32_t below = 1u << 4, above = 1u << 5;                                   // their groups

// Points of a ring, as many on each rank, and two ghosts.
struct Ring {
    halo_context *context;
    int32_t rank, size;
    halo_topology *topology = nullptr;
    halo_field *u = nullptr, *v = nullptr, *count = nullptr;

    explicit Ring(Rank &here) : context(here.context), rank(here.rank), size(here.size) {
        const int64_t n = n_own * size, first = n_own * rank;
        std::vector<int64_t> numbers;
        for (int64_t i = 0; i < n_own; ++i) numbers.push_back(first + i);
        numbers.push_back((first + n - 1) % n);
        numbers.push_back((first + n_own) % n);
        std::vector<int32_t> owners;
        for (const int64_t number : numbers) owners.push_back(static_cast<int32_t>(number / n_own));
        topology = World::make_topology(here, numbers, owners);
        const uint32_t groups[n_points] = { 0, 0, 0, 0, below, above };
        OK(halo_topology_set_sections(topology, groups, n_points));
        u = doubles("u", 1), v = doubles("v", 2);
        count = World::make_field(topology, "count");
    }
    ~Ring() {
        for (halo_field **field : { &u, &v, &count }) halo_field_destroy(field);
        halo_topology_destroy(&topology);
    }
    Ring(const Ring &) = delete;
    Ring &operator=(const Ring &) = delete;

    halo_field *doubles(const char *name, int32_t n_sets, bool allocates = true) const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name, desc.n_sets = n_sets;
        halo_field *field = nullptr;
        OK(halo_field_create(topology, &desc, &field));
        if (allocates) OK(halo_field_allocate(field, -1));
        return field;
    }
    double *at(const halo_field *field, int32_t set = 0) const { return static_cast<double *>(values_at(field, rank, set, HALO_ON_HOST)); }
    int64_t *counts() const { return static_cast<int64_t *>(values_at(count, rank, 0, HALO_ON_HOST)); }

    halo_status begin(const std::vector<halo_access> &accesses, halo_batch **batch, int32_t style = HALO_STYLE_REVERSE) const {
        return halo_access_begin(context, accesses.data(), static_cast<int32_t>(accesses.size()), sizeof(halo_access), style, HALO_ON_HOST,
                                 HALO_STREAM_NONE, batch);
    }
    // Up to the end, whose status it gives.
    halo_status loop(const std::vector<halo_access> &accesses, const std::function<void()> &body, int32_t style = HALO_STYLE_REVERSE) const {
        halo_batch *batch = nullptr;
        OK(begin(accesses, &batch, style));
        OK(halo_access_ready(batch));
        body();
        return halo_access_end(batch);
    }
    // There may be one rank alone.
    bool is_last() const { return rank == size - 1; }
    std::string part_of_last() const { return "field u, part " + std::to_string(size - 1); }
    // All values again, as the program says.
    void set_again() const {
        for (halo_field *field : { u, v })
            for (int64_t i = 0; i < n_own; ++i) at(field)[i] = static_cast<double>(rank * n_own + i);
        for (int64_t i = 0; i < n_points; ++i) counts()[i] = i;
        for (halo_field *field : { u, v, count }) OK(halo_access_mark_dirty(field, 0, HALO_ON_HOST));
    }
    // In v, of the ghosts of u.
    void require_sum(int64_t i) const {
        const int64_t n = n_own * size, first = n_own * rank;
        if (at(v)[i] != static_cast<double>((first + n - 1) % n + (first + n_own) % n)) stop("point %lld: %g", static_cast<long long>(i), at(v)[i]);
    }
    // Ghosts of u are exchanged, and right.
    void works() const {
        set_again();
        OK(loop({ via_map(u, HALO_READ), direct(v, HALO_WRITE, 1) }, [&] {
            for (int64_t i = 0; i < n_own; ++i) at(v)[i] = at(u)[i == 0 ? previous : i - 1] + at(u)[i + 1 == n_own ? next : i + 1];
        }));
        const int64_t n = n_own * size;
        for (int64_t i = 0; i < n_own; ++i) {
            const int64_t number = rank * n_own + i;
            const auto wanted = static_cast<double>((number + n - 1) % n + (number + 1) % n);
            if (at(v)[i] != wanted) stop("point %lld: %g instead of %g", static_cast<long long>(number), at(v)[i], wanted);
        }
    }
};

// The case on each rank; afterwards the fields are as good as new.
void on_ranks(const std::function<void(Ring &ring)> &body) {
    for (const char *level : { "yes", "full" })
        conformance::run(3, { { "check", level } }, [&](Rank &rank) {
            Ring ring(rank);
            ring.works();
            ring.set_again();
            body(ring);
            ring.works();
            ring.works();
        });
}

TEST(Declared, WhatIsOnlyReadIsNotChanged) {
    on_ranks([](Ring &ring) {
        expect(HALO_ERR_CHECK, { "field u, part ", "point 2", "was changed by a loop that does not say so" },
               ring.loop({ direct(ring.u, HALO_READ) }, [&] { ring.at(ring.u)[2] = 7; }));
        ring.set_again();
        expect(HALO_ERR_CHECK,
               { "field u, part ", "point 5, key ", "component 0, which part ", " fills, a ghost, was changed by a loop that only reads it" },
               ring.loop({ via_map(ring.u, HALO_READ) }, [&] { ring.at(ring.u)[next] = 7; }));
        ring.set_again();
        expect(HALO_ERR_CHECK, { "field count, part ", "point 0" }, ring.loop({ direct(ring.count, HALO_READ) }, [&] { ++ring.counts()[0]; }));
    });
}

// A direct loop over own points; one through a map that reaches some ghosts alone.
TEST(Declared, GhostsThatALoopDoesNotReachAreNotChanged) {
    on_ranks([](Ring &ring) {
        expect(HALO_ERR_CHECK,
               { "field v, part ", "point 4, key ", "component 0, set 0, which part ",
                 " fills, a ghost that the loop does not reach, was changed by it" },
               ring.loop({ direct(ring.v, HALO_RW) }, [&] { ring.at(ring.v)[previous] = 7; }));
        ring.set_again();
        OK(ring.loop({ via_map(ring.v, HALO_INC, below) }, [&] { ring.at(ring.v)[previous] += 1; }));
        OK(ring.loop({ direct(ring.v, HALO_READ) }, [] {}));
        if (ring.at(ring.v)[n_own - 1] != ring.rank * n_own + n_own) stop("%g", ring.at(ring.v)[n_own - 1]);
        expect(HALO_ERR_CHECK, { "field v, part ", "point 5", "a ghost that the loop does not reach" },
               ring.loop({ via_map(ring.v, HALO_INC, below) }, [&] { ring.at(ring.v)[next] += 1; }));
        OK(halo_access_mark_fresh(ring.v, 0, HALO_ON_HOST));
    });
}

// Whether the ghosts would have been fresh or not, and whichever field holds the result.
TEST(Declared, GhostsThatALoopDoesNotReachAreNotRead) {
    on_ranks([](Ring &ring) {
        const auto sum = [&] { ring.at(ring.v)[0] = ring.at(ring.u)[0] + ring.at(ring.u)[previous]; };
        const std::vector<const char *> words{ "field v, part ", "point 0", "was computed from field u, part ", "point 4, key ",
                                               " fills, which the loop may not read" };
        expect(HALO_ERR_CHECK, words, ring.loop({ direct(ring.u, HALO_READ), direct(ring.v, HALO_RW) }, sum));
        ring.set_again();
        OK(ring.loop({ via_map(ring.u, HALO_READ) }, [] {}));
        expect(HALO_ERR_CHECK, words, ring.loop({ direct(ring.u, HALO_READ), direct(ring.v, HALO_RW) }, sum));
        ring.set_again();
        OK(ring.loop({ via_map(ring.u, HALO_READ, below), direct(ring.v, HALO_RW) }, sum));
        expect(HALO_ERR_CHECK, words, ring.loop({ via_map(ring.u, HALO_READ, above), direct(ring.v, HALO_RW) }, sum));
    });
}

// In a later loop that does not name the field at all: its ghosts are stale.
TEST(Declared, StaleGhostsAreNotRead) {
    on_ranks([](Ring &ring) {
        OK(ring.loop({ direct(ring.u, HALO_RW) }, [&] { ring.at(ring.u)[1] += 1; }));
        expect(HALO_ERR_CHECK,
               { "field v, part ", "point 3", "was computed from field u, part ", "point 5, key ", ", component 0, which part ",
                 " fills, which the loop may not read" },
               ring.loop({ direct(ring.v, HALO_RW) }, [&] { ring.at(ring.v)[3] *= ring.at(ring.u)[next]; }));
        ring.set_again();
        expect(HALO_ERR_CHECK, { "field v, part ", "point 4", "was computed from field u, part ", "point 5, key " }, // before it is sent to its owner
               ring.loop({ via_map(ring.v, HALO_INC) }, [&] { ring.at(ring.v)[previous] += ring.at(ring.u)[next]; }));
        OK(halo_access_mark_fresh(ring.v, 0, HALO_ON_HOST));
    });
}

TEST(Declared, WhatIsWrittenIsNotRead) {
    on_ranks([](Ring &ring) {
        expect(HALO_ERR_CHECK, { "field v, part ", "point 1", "was computed from field v, part ", "point 2" },
               ring.loop({ direct(ring.v, HALO_WRITE) }, [&] { ring.at(ring.v)[1] = ring.at(ring.v)[2] + 1; }));
        ring.set_again();
        OK(ring.loop({ direct(ring.v, HALO_WRITE) }, [&] { ring.at(ring.v)[1] = 5; })); // the others keep their values
        for (int64_t i = 0; i < n_own; ++i)
            if (ring.at(ring.v)[i] != (i == 1 ? 5 : static_cast<double>(ring.rank * n_own + i))) stop("%g", ring.at(ring.v)[i]);
        expect(HALO_ERR_CHECK, { "field v, part ", "point 0", "was not written by a loop that writes `whole`" },
               ring.loop({ direct(ring.v, HALO_WRITE, 1) }, [&] {
                   for (int64_t i = 1; i < n_own; ++i) ring.at(ring.v)[i] = 5;
               }));
    });
}

// The other set is another field, which the text says.
TEST(Declared, SetsAreApart) {
    on_ranks([](Ring &ring) {
        std::fill_n(ring.at(ring.v, 1), n_own, 3.0);
        OK(halo_access_mark_dirty(ring.v, 1, HALO_ON_HOST));
        OK(ring.loop({ direct(ring.v, HALO_WRITE, 1, 0), direct(ring.v, HALO_READ, 0, 1) },
                     [&] { std::copy_n(ring.at(ring.v, 1), n_own, ring.at(ring.v)); }));
        expect(HALO_ERR_CHECK, { "field v, part ", "point 3, key ", ", component 0, set 1, was changed" },
               ring.loop({ direct(ring.v, HALO_RW, 0, 0), direct(ring.v, HALO_READ, 0, 1) }, [&] { ring.at(ring.v, 1)[3] = 4; }));
        OK(halo_access_mark_dirty(ring.v, 1, HALO_ON_HOST));
    });
}

// All ranks hear of it at the next begin, and again, until the field is marked.
TEST(Declared, WhatWasChangedOutsideOfLoopsIsMarked) {
    on_ranks([](Ring &ring) {
        const std::string key = std::to_string((ring.size - 1) * n_own + 3);
        const std::string changed =
            "point 3, key " + key + ", component 0, was changed since the last loop, from " + key + " to 9, and not marked dirty";
        OK(ring.loop({ direct(ring.u, HALO_READ) }, [] {}));
        if (ring.is_last()) ring.at(ring.u)[3] = 9;
        halo_batch *batch = nullptr;
        for (int time = 0; time < 2; ++time) {
            expect(ring.is_last() ? HALO_ERR_CHECK : HALO_ERR_PEER, { ring.part_of_last().c_str(), changed.c_str() },
                   ring.begin({ via_map(ring.u, HALO_READ) }, &batch));
            OK(ring.loop({ direct(ring.v, HALO_RW) }, [] {})); // other fields may be used
        }
        OK(halo_access_mark_dirty(ring.u, 0, HALO_ON_HOST));
        OK(ring.loop({ via_map(ring.u, HALO_READ) }, [] {}));
    });
}

TEST(Declared, AFieldThatWasFoundIsRefusedOnAllRanks) {
    on_ranks([](Ring &ring) {
        const halo_status ended =
            ring.loop({ direct(ring.u, HALO_READ), direct(ring.v, HALO_RW) }, [&] { ring.at(ring.u)[0] += ring.is_last() ? 1 : 0; });
        if (ring.is_last())
            expect(HALO_ERR_CHECK, { ring.part_of_last().c_str(), "point 0" }, ended);
        else
            OK(ended);
        halo_batch *batch = nullptr;
        expect(ring.is_last() ? HALO_ERR_CHECK : HALO_ERR_PEER, { ring.part_of_last().c_str(), "point 0", "was changed by a loop" },
               ring.begin({ via_map(ring.u, HALO_READ) }, &batch));
        OK(ring.loop({ via_map(ring.v, HALO_READ) }, [] {}));
    });
}

// Loops that are open at once and read the same field, in any order; one that is given up; storage that moves.
TEST(Declared, NoFalseAlarm) {
    on_ranks([](Ring &ring) {
        halo_batch *one = nullptr, *other = nullptr;
        for (const int turn : { 0, 1, 2, 3 }) {
            ring.set_again();
            if (turn % 2 == 1) { // they are fresh, and stay so behind the back of a loop that does not reach them
                OK(ring.loop({ via_map(ring.u, HALO_READ) }, [] {}));
                OK(ring.loop({ direct(ring.u, HALO_READ) }, [] {}));
            }
            OK(ring.begin({ direct(ring.u, HALO_READ) }, &one));
            OK(ring.begin({ via_map(ring.u, HALO_READ), direct(ring.v, HALO_RW) }, &other));
            OK(halo_access_ready(one));
            OK(halo_access_ready(other));
            ring.at(ring.v)[0] = ring.at(ring.u)[previous] + ring.at(ring.u)[next];
            OK(halo_access_end(turn < 2 ? one : other));
            OK(halo_access_end(turn < 2 ? other : one));
            ring.require_sum(0);
            OK(ring.loop({ direct(ring.u, HALO_READ) }, [] {}));
            OK(ring.loop({ via_map(ring.u, HALO_READ), direct(ring.v, HALO_RW) },
                         [&] { ring.at(ring.v)[1] = ring.at(ring.u)[previous] + ring.at(ring.u)[next]; }));
            ring.require_sum(1);
        }
        ring.set_again();
        OK(ring.loop({ via_map(ring.u, HALO_READ) }, [] {}));
        OK(ring.loop({ { ring.u, HALO_RW, HALO_DIRECT, below, 0, 0, 0, 0, 0 } }, [] {}));
        OK(ring.loop({ via_map(ring.u, HALO_READ, below) }, [] {})); // while others are fresh, and hidden
        OK(ring.loop({ via_map(ring.u, HALO_READ), direct(ring.v, HALO_RW) },
                     [&] { ring.at(ring.v)[2] = ring.at(ring.u)[previous] + ring.at(ring.u)[next]; }));
        ring.require_sum(2);

        ring.set_again();
        const double before = ring.at(ring.v)[3];
        OK(ring.begin({ direct(ring.v, HALO_WRITE) }, &one));
        ring.at(ring.v)[0] = 1;
        OK(halo_access_abandon(one));
        if (ring.at(ring.v)[0] != 1 || ring.at(ring.v)[3] != before) stop("what was given up: %g, %g", ring.at(ring.v)[0], ring.at(ring.v)[3]);
        OK(ring.loop({ via_map(ring.v, HALO_READ) }, [] {}));

        std::vector<double> memory(n_points, 1.5), elsewhere = memory;
        halo_field *w = ring.doubles("w", 1, false);
        for (double *storage : { memory.data(), elsewhere.data() }) {
            halo_binding binding = HALO_BINDING_INIT;
            binding.data = storage;
            OK(halo_field_bind(w, ring.rank, &binding));
            OK(ring.loop({ direct(w, HALO_RW) }, [] {}));
        }
        OK(halo_field_destroy(&w));
    });
}

// What a loop adds to ghosts is its own; owners that get it have not been changed outside of loops.
TEST(Declared, SumsThatComeBackAreNoChange) {
    for (const bool sends : { false, true })
        on_ranks([&](Ring &ring) {
            for (int time = 0; time < 3; ++time) {
                halo_batch *batch = nullptr;
                OK(ring.begin({ via_map(ring.v, HALO_INC), via_map(ring.count, HALO_INC), direct(ring.u, HALO_READ) }, &batch));
                OK(halo_access_ready(batch));
                for (const int64_t ghost : { previous, next }) ring.at(ring.v)[ghost] += 1, ++ring.counts()[ghost];
                OK(sends ? halo_access_end_and_send(batch) : halo_access_end(batch));
                OK(ring.loop({ direct(ring.u, HALO_RW) }, [] {}));
                OK(ring.loop({ via_map(ring.v, HALO_READ) }, [] {})); // others may come with it
                OK(ring.loop({ via_map(ring.count, HALO_READ) }, [] {}));
            }
            for (const int64_t i : { int64_t{ 0 }, n_own - 1 })
                if (ring.at(ring.v)[i] != static_cast<double>(ring.rank * n_own + i + 3)) stop("%g", ring.at(ring.v)[i]);
        });
}

// What it does there is not looked at; what comes from there covers nothing that is hidden from loops on the host.
TEST(Declared, LoopsOnADeviceAreLeftAlone) {
    conformance::Settings settings = with_device();
    settings.push_back({ "check", "yes" });
    conformance::run(3, settings, [](Rank &here) {
        Ring ring(here);
        ring.works();
        for (int time = 0; time < 3; ++time) {
            halo_batch *batch = nullptr;
            const std::vector<halo_access> accesses{ direct(ring.u, HALO_RW), direct(ring.v, HALO_READ) };
            OK(halo_access_begin(ring.context, accesses.data(), 2, sizeof(halo_access), HALO_STYLE_REVERSE, HALO_ON_DEVICE, conformance::stream(),
                                 &batch));
            OK(halo_access_ready(batch));
            for (halo_field *field : { ring.u, ring.v })
                static_cast<double *>(values_at(field, ring.rank, 0, HALO_ON_DEVICE))[n_own - 1] = 100 + time;
            put_back();
            OK(halo_access_end(batch));
            OK(ring.loop({ via_map(ring.u, HALO_READ, below), direct(ring.v, HALO_WRITE) }, [&] { ring.at(ring.v)[0] = ring.at(ring.u)[previous]; }));
            if (ring.at(ring.v)[0] != 100 + time) stop("%g", ring.at(ring.v)[0]);
            OK(ring.loop({ via_map(ring.u, HALO_READ) }, [] {}));
        }
    });
}

TEST(Declared, GhostsThatALoopDoesNotReachAreSentAsTheyAre) {
    on_ranks([](Ring &ring) {
        std::fill_n(ring.counts(), n_own, 0);
        OK(halo_access_mark_dirty(ring.count, 0, HALO_ON_HOST));
        OK(ring.loop({ via_map(ring.count, HALO_INC) }, [&] { ++ring.counts()[previous], ++ring.counts()[next]; }));
        halo_batch *batch = nullptr;
        OK(ring.begin({ via_map(ring.count, HALO_INC, above) }, &batch));
        OK(halo_access_ready(batch));
        ++ring.counts()[next];
        OK(halo_access_end_and_send(batch));
        OK(ring.loop({ direct(ring.count, HALO_READ) }, [&] {
            const auto first = static_cast<long long>(ring.counts()[0]), last = static_cast<long long>(ring.counts()[n_own - 1]);
            if (first != 2 || last != 1) stop("%lld and %lld", first, last);
        }));
    });
}

// Ghosts that no exchange fills belong to the program, during loops too.
TEST(Declared, GhostsBeyondTheDomainAreLeftAlone) {
    conformance::run(3, { { "check", "yes" } }, [](Rank &rank) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1, blocks.n_blocks[0] = rank.size, blocks.n_cells[0] = n_own;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.ghost_low[0] = desc.ghost_high[0] = 1;
        halo_field *field = nullptr;
        OK(halo_field_create(topology, &desc, &field));
        OK(halo_field_allocate(field, -1));
        auto *const cells = static_cast<double *>(values_at(field, rank.rank, 0, HALO_ON_HOST));
        std::fill_n(cells, n_own + 2, 5.0);
        OK(halo_access_mark_dirty(field, 0, HALO_ON_HOST));
        for (double wall = 6; wall < 9; ++wall) {
            const halo_access access = direct(field, HALO_RW);
            halo_batch *batch = nullptr;
            OK(halo_access_begin(rank.context, &access, 1, sizeof access, HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch));
            OK(halo_access_ready(batch));
            if (rank.rank == 0) cells[0] = wall;
            OK(halo_access_end(batch));
            if (rank.rank == 0 ? cells[0] != wall : cells[0] == cells[0]) stop("the ghost holds %g", cells[0]);
        }
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    });
}

} // namespace
