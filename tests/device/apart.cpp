// SPDX-License-Identifier: BSD-3-Clause
// Dense values in messages of their own, from a device's memory and to it: over a transport that takes memory of the late device, or says that it
// does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "late/ring.h"
#include "wrapped.h"

namespace {

using namespace conformance;
using late::Ring;
using late::RingExchange;

constexpr int32_t n_components = 200; // so that a message has 3,200 bytes

Settings settings(Settings more = {}) {
    more.insert(more.end(), { { "device", "late" }, { "plugin_path", LATE_DIRECTORY ":" WRAP_DIRECTORY }, { "transport", "wrap" } });
    more.emplace_back("device.messages_least", "1KiB");
    return more;
}

// Ranks whose transport takes such memory or not.
void run_taking(int32_t which, int32_t n_ranks, const Settings &more, const std::function<void(Rank &)> &body) {
    setenv("WRAP_TAKES_LATE", std::to_string(which).c_str(), 1);
    run_wrapped(n_ranks, settings(more), body);
}
void run_taking_all(int32_t n_ranks, const Settings &more, const std::function<void(Rank &)> &body) {
    run_taking(WRAP_TAKES_ALL, n_ranks, more, body);
}

// A field with many components on a ring, one block on each rank, on the device or the host.
class Wide {
public:
    Wide(const Ring &ring, const char *name, bool on_device = true) : ring_(ring) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name;
        desc.type = HALO_FLOAT64;
        desc.n_components = n_components;
        desc.ghost_low[0] = desc.ghost_high[0] = Ring::ghosts;
        OK(halo_field_create(ring.topology(), &desc, &handle_));
        if (on_device) array_ = std::make_unique<late::Array<double>>(ring.rank().context, n_values);
        if (on_device)
            late::bind(handle_, gid(), array_->data(), HALO_MEMORY_DEVICE, 0);
        else
            late::bind(handle_, gid(), (host_ = std::vector<double>(n_values)).data(), HALO_MEMORY_HOST, 0);
    }
    ~Wide() { halo_field_destroy(&handle_); }
    Wide(const Wide &) = delete;
    Wide &operator=(const Wide &) = delete;

    halo_field *handle() const { return handle_; }
    halo_device *device() const { return array_->device(); }
    double *host() { return host_.data(); }
    void write(double shift, halo_stream stream) {
        if (array_)
            array_->write(values(shift, false), stream);
        else
            std::ranges::copy(values(shift, false), host_.begin()); // they are bound where they are
    }
    // Waits for the stream.
    void expect(double shift, halo_stream stream, const char *when) const {
        const std::vector<double> is = array_ ? array_->read(stream) : host_, wanted = values(shift, true);
        const auto [at, other] = std::ranges::mismatch(is, wanted);
        if (at != is.end()) stop("%s: value %td is %g, not %g", when, at - is.begin(), *at, *other);
    }

private:
    static constexpr size_t n_values = Ring::size * n_components;

    int64_t gid() const { return ring_.first_gid(); }
    std::vector<double> values(double shift, bool filled) const {
        std::vector<double> all;
        for (int32_t c = 0; c < n_components; ++c) {
            const std::vector<double> one = filled ? ring_.filled(gid(), shift + 1000 * c) : ring_.owned(gid(), shift + 1000 * c);
            all.insert(all.end(), one.begin(), one.end());
        }
        return all;
    }

    const Ring &ring_;
    halo_field *handle_ = nullptr;
    std::unique_ptr<late::Array<double>> array_;
    std::vector<double> host_;
};

// Of this rank so far.
struct Moved {
    int64_t from_device = wrapper().counts().from_device;
    int64_t to_device = wrapper().counts().to_device;
};

void run_once(const RingExchange &exchange, Wide &u, double shift, halo_stream stream, const halo_run *run = nullptr) {
    u.write(shift, stream);
    OK(halo_exchange_start(exchange, run, stream));
    OK(halo_exchange_finish(exchange, stream));
    u.expect(shift, stream, "ghosts");
}

// On the device of each rank, and what exchanges it in a stream of its own.
struct OneField {
    explicit OneField(Rank &rank) : ring(rank, 1) {}
    void run(double shift) { run_once(exchange, u, shift, stream); }

    Ring ring;
    Wide u{ ring, "u" };
    RingExchange exchange{ { u.handle() } };
    late::Stream stream{ u.device() };
};

void require(int64_t is, int64_t wanted, const char *what) {
    if (is != wanted) stop("%lld %s, not %lld", static_cast<long long>(is), what, static_cast<long long>(wanted));
}

void require_told(const RingExchange &exchange, const char *text) {
    const std::string told = description_of(exchange);
    if (told.find(text) == std::string::npos) stop("'%s' is not in: %s", text, told.c_str());
}

// Both neighbours of a ring of three.
TEST(Apart, ValuesGoFromDeviceToDevice) {
    run_taking_all(3, {}, [](Rank &rank) {
        OneField one(rank);
        constexpr int n_turns = 20;
        for (int turn = 0; turn < n_turns; ++turn) one.run(turn);
        const Moved moved;
        require(moved.from_device, 2 * n_turns, "messages from the device's memory");
        require(moved.to_device, 2 * n_turns, "messages to the device's memory");
        require_told(one.exchange, "dense values from the device's memory: wrap takes memory of late: as it was told");
        require(one.exchange.stats().payload_bytes, int64_t{ 2 } * n_turns * Ring::ghosts * n_components * 8, "bytes of payload");
    });
}

// Then messages lie in memory that both ranks see, where those of the runs before have left nothing.
TEST(Apart, RunsOnTheHostAreBetween) {
    setenv("WRAP_SENDS_ALONE", "1", 1);
    run_taking_all(2, { { "shared_memory.least", "0" } }, [](Rank &rank) {
        const Ring ring(rank, 1);
        Wide u(ring, "u"), v(ring, "v", false);
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        void *storage = v.host();
        const int32_t device = HALO_DEVICE_HOST;
        halo_run on_host = HALO_RUN_INIT;
        on_host.n_fields = on_host.n_data = 1;
        on_host.data = &storage, on_host.devices = &device;
        for (int turn = 0; turn < 12; ++turn) {
            if (turn % 3 == 0)
                run_once(exchange, u, turn, stream);
            else
                run_once(exchange, v, turn, HALO_STREAM_NONE, &on_host);
        }
        if (Moved().from_device == 0) stop("none went apart");
    });
    unsetenv("WRAP_SENDS_ALONE");
}

// Launches are those of messages in memory that both reach, and nobody waits.
TEST(Apart, CostsNoLaunch) {
    int64_t launches[2] = {};
    for (const bool apart : { false, true })
        run_taking_all(2, { { "device.messages", apart ? "auto" : "no" } }, [&](Rank &rank) {
            const Ring ring(rank, 1);
            Wide u(ring, "u");
            const RingExchange exchange({ u.handle() });
            const late::Stream stream(u.device());
            run_once(exchange, u, 0, stream);
            u.write(1, stream);
            stream.synchronize();
            const late_counts before = late_count(u.device());
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
            stream.synchronize();
            const late_counts after = late_count(u.device());
            require(after.host_waits, before.host_waits, "times the host has waited");
            require(after.copies, before.copies, "copies");
            if (rank.rank == 0) launches[apart] = after.launches - before.launches;
            u.expect(1, stream, "ghosts");
        });
    EXPECT_EQ(launches[0], launches[1]);
}

TEST(Apart, SteadyRunsTakeNoMemory) {
    run_taking_all(2, {}, [](Rank &rank) {
        OneField one(rank);
        const auto allocations = [&] {
            return late::pool_of(rank.context, HALO_MEMORY_DEVICE).allocations + late::pool_of(rank.context, HALO_MEMORY_PINNED).allocations;
        };
        for (int turn = 0; turn < 20; ++turn) one.run(turn);
        const int64_t before = allocations();
        for (int turn = 0; turn < 100; ++turn) one.run(turn);
        require(allocations(), before, "allocations of the pools");
    });
}

// What this rank sends and receives is its own affair.
TEST(Apart, EachEndDecidesForItself) {
    setenv("WRAP_TAKES_LATE", std::to_string(WRAP_TAKES_ALL).c_str(), 1);
    const auto of_rank = [](int32_t rank) { return settings({ { "device.messages", rank == 0 ? "auto" : "no" } }); };
    run_wrapped_each(2, of_rank, [](Rank &rank) {
        OneField one(rank);
        for (int turn = 0; turn < 10; ++turn) one.run(turn);
        const Moved moved;
        require(moved.from_device, rank.rank == 0 ? 10 : 0, "messages from the device's memory");
        require(moved.to_device, 0, "messages to the device's memory");
        if (rank.rank == 1) require_told(one.exchange, "by memory of the host: setting device.messages = no");
    });
}

TEST(Apart, APeerMayBeOnTheHost) {
    run_taking_all(2, {}, [](Rank &rank) {
        const Ring ring(rank, 1);
        Wide u(ring, "u", rank.rank == 0);
        const RingExchange exchange({ u.handle() });
        std::unique_ptr<late::Stream> stream;
        if (rank.rank == 0) stream = std::make_unique<late::Stream>(u.device());
        for (int turn = 0; turn < 10; ++turn) run_once(exchange, u, turn, stream ? halo_stream(*stream) : HALO_STREAM_NONE);
        require(Moved().from_device, rank.rank == 0 ? 10 : 0, "messages from the device's memory");
    });
}

TEST(Apart, OnlyWhereTheTransportSaysSo) {
    run_taking(WRAP_TAKES_NONE, 2, {}, [](Rank &rank) {
        OneField one(rank);
        for (int turn = 0; turn < 5; ++turn) one.run(turn);
        require(Moved().from_device, 0, "messages from the device's memory");
        require_told(one.exchange, "by memory of the host: wrap takes no memory of late: it was not told to");
    });
}

TEST(Apart, OrWhereItsUserKnowsBetter) {
    run_taking(WRAP_TAKES_SILENTLY, 2, { { "device.messages", "yes" } }, [](Rank &rank) {
        OneField one(rank);
        for (int turn = 0; turn < 5; ++turn) one.run(turn);
        require(Moved().from_device, 5, "messages from the device's memory");
        require_told(one.exchange, "dense values from the device's memory: setting device.messages = yes");
    });
}

TEST(Apart, LittleGoesInTheMessage) {
    run_taking_all(2, {}, [](Rank &rank) {
        OneField one(rank);
        halo_run few = HALO_RUN_INIT;
        few.n_components = 10;
        for (int turn = 0; turn < 5; ++turn) {
            one.u.write(turn, one.stream);
            OK(halo_exchange_start(one.exchange, &few, one.stream));
            OK(halo_exchange_finish(one.exchange, one.stream));
        }
        require(Moved().from_device, 0, "messages from the device's memory");
        require_told(one.exchange, "by memory of the host, as it is less than device.messages_least");
        one.run(7);
        require(Moved().from_device, 1, "messages from the device's memory");
    });
}

// Sparse values go in the message, beside the hashes of check mode.
TEST(Apart, SparseValuesAndHashesGoBesides) {
    for (const char *check : { "no", "yes" })
        run_taking_all(2, { { "check", check } }, [](Rank &rank) {
            const Ring ring(rank, 1);
            Wide u(ring, "u");
            const late::RingField s(ring, "s", 0, true);
            late::bind(s.handle(), ring.first_gid(), s.array(0).data(), HALO_MEMORY_DEVICE, 0);
            const RingExchange exchange({ s.handle(), u.handle() });
            const late::Stream stream(u.device());
            for (int turn = 1; turn <= 10; ++turn) {
                s.write(turn, stream);
                run_once(exchange, u, turn, stream);
                s.expect(turn, stream, "sparse");
            }
            require(Moved().from_device, 10, "messages from the device's memory");
        });
}

// The peer's part of a run that has failed here comes later, and is dropped.
TEST(Apart, RunsThatFailLeaveNothingBehind) {
    run_taking_all(2, {}, [](Rank &rank) {
        OneField one(rank);
        one.run(1);
        for (int turn = 0; turn < 6; ++turn) {
            if (turn % 2 == rank.rank) late_fail_launch(one.u.device(), turn / 2 % 2);
            one.u.write(turn, one.stream);
            const halo_status started = halo_exchange_start(one.exchange, nullptr, one.stream);
            const halo_status finished = started == HALO_SUCCESS ? halo_exchange_finish(one.exchange, one.stream) : started;
            late_fail_launch(one.u.device(), -1);
            if (finished == HALO_SUCCESS && turn / 2 % 2 == 0) stop("turn %d: the failure was not told", turn);
            OK(halo_context_barrier(rank.context));
            one.run(100 + turn);
        }
    });
}

TEST(Apart, RunsThatDifferAreRefusedAndTheNextOneWorks) {
    run_taking_all(2, {}, [](Rank &rank) {
        OneField one(rank);
        for (int turn = 0; turn < 4; ++turn) {
            halo_run run = HALO_RUN_INIT;
            run.n_components = rank.rank == turn % 2 ? n_components : n_components / 2;
            one.u.write(turn, one.stream);
            halo_status status = halo_exchange_start(one.exchange, &run, one.stream);
            if (status == HALO_SUCCESS) status = halo_exchange_finish(one.exchange, one.stream);
            if (status == HALO_SUCCESS) stop("runs that differ have worked");
            OK(halo_context_barrier(rank.context));
            one.run(100 + turn);
        }
    });
}

// One that is given up in the middle of a run, and others like it.
TEST(Apart, ObjectsComeAndGo) {
    run_taking_all(2, { { "timeout", "20s" } }, [](Rank &rank) {
        const Ring ring(rank, 1);
        Wide u(ring, "u");
        const late::Stream stream(u.device());
        for (int turn = 0; turn < 30; ++turn) {
            const RingExchange exchange({ u.handle() });
            run_once(exchange, u, turn, stream);
            if (turn % 3 != 0) continue;
            u.write(turn, stream);
            OK(halo_exchange_start(exchange, nullptr, stream));
            if (rank.rank == turn / 3 % 2) stream.synchronize();
            OK(halo_exchange_abandon(exchange));
        }
        const RingExchange exchange({ u.handle() });
        run_once(exchange, u, 1, stream);
    });
}

TEST(Apart, WhatHasComeIsReadBeforeMoreComesThere) {
    run_taking_all(2, {}, [](Rank &rank) {
        const Ring ring(rank, 1);
        Wide u(ring, "u"), v(ring, "v");
        const RingExchange exchange({ u.handle(), v.handle() });
        const late::Stream stream(u.device());
        for (int turn = 0; turn < 5; ++turn) {
            u.write(turn, stream), v.write(turn + 1e6, stream);
            for (const auto &mask : { std::array<int32_t, 2>{ 1, 0 }, std::array<int32_t, 2>{ 0, 1 } }) {
                halo_run of_one = HALO_RUN_INIT;
                of_one.n_fields = 2, of_one.field_mask = mask.data();
                if (rank.rank == 0) late_delay_launch(u.device(), 1, 5000); // the unpacking
                OK(halo_exchange_start(exchange, &of_one, stream));
                OK(halo_exchange_finish(exchange, stream));
            }
            u.expect(turn, stream, "first run"), v.expect(turn + 1e6, stream, "second run");
        }
        require(Moved().to_device, 10, "messages to the device's memory");
    });
}

// It would be unmapped under the device, which ends the process.
TEST(Apart, WhatIsPackedIsKeptUntilTheDeviceHasDone) {
    run_taking_all(2, {}, [](Rank &rank) {
        const Ring ring(rank, 1);
        Wide u(ring, "u");
        const late::Stream stream(u.device());
        u.write(1, stream);
        {
            const RingExchange exchange({ u.handle() });
            late_delay_launch(u.device(), 0, 20000);
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_abandon(exchange));
        }
        for (int turn = 0; turn < 50; ++turn) OK(halo_context_trim(rank.context));
        stream.synchronize();
        OK(halo_context_barrier(rank.context));
        const RingExchange exchange({ u.handle() });
        run_once(exchange, u, 2, stream);
    });
}

// In whatever order messages come, and however late.
TEST(Apart, UnderDelays) {
    for (uint64_t seed = 1; seed <= 20; ++seed)
        run_taking_all(3, {}, [seed](Rank &rank) {
            wrap_faults faults{};
            faults.seed = seed * 64 + static_cast<uint64_t>(rank.rank);
            faults.delay = 0.5;
            faults.slow_test = 0.5;
            wrapper().set_faults(&faults);
            const Ring ring(rank, 1);
            Wide u(ring, "u"), v(ring, "v");
            const RingExchange first({ u.handle() }), second({ v.handle() });
            const late::Stream stream(u.device());
            for (int turn = 0; turn < 5; ++turn) {
                u.write(turn, stream), v.write(-turn, stream);
                OK(halo_exchange_start(first, nullptr, stream));
                OK(halo_exchange_start(second, nullptr, stream));
                OK(halo_exchange_finish(second, stream));
                OK(halo_exchange_finish(first, stream));
                u.expect(turn, stream, "first"), v.expect(-turn, stream, "second");
            }
        });
}

} // namespace
