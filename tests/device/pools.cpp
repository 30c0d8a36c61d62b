// SPDX-License-Identifier: BSD-3-Clause
// Pools of what devices have: their cap, and memory of the program's own.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>

#include "late/ring.h"

namespace {

using namespace conformance;
using late::Array;
using late::pool_of;
using late::Ring;
using late::RingExchange;
using late::RingField;

constexpr int64_t cap = 65536;

void expect_no_memory(halo_status status, const char *kind) {
    const char *text = halo_last_error();
    if (status != HALO_ERR_MEMORY || !std::strstr(text, kind) || !std::strstr(text, "the cap is 65536 (setting pool.cap)"))
        stop("status %d: %s", status, text);
}

TEST(DevicePools, EachDeviceHasTheCap) {
    run(1, late::settings({ { "pool.cap", std::to_string(cap) } }), [](Rank &rank) {
        constexpr int64_t size = 40960; // one that pools have
        std::array<void *, 4> blocks{};
        OK(halo_memory_allocate_on(rank.context, HALO_MEMORY_DEVICE, 0, size, &blocks[0]));
        halo_device *const device = late_of_memory(blocks[0]);
        expect_no_memory(halo_memory_allocate_on(rank.context, HALO_MEMORY_DEVICE, 0, size, &blocks[1]), "device memory: 40960 bytes wanted");
        OK(halo_memory_allocate_on(rank.context, HALO_MEMORY_DEVICE, 1, size, &blocks[1]));
        OK(halo_memory_allocate_on(rank.context, HALO_MEMORY_PINNED, 0, size, &blocks[2]));
        expect_no_memory(halo_memory_allocate_on(rank.context, HALO_MEMORY_PINNED, 0, size, &blocks[3]), "pinned memory: 40960 bytes wanted");
        const halo_pool_stats both = pool_of(rank.context, HALO_MEMORY_DEVICE);
        if (both.in_use_bytes != 2 * size || both.held_bytes != 2 * size || both.peak_bytes != 2 * size || both.allocations != 2)
            stop("%lld bytes in use on two devices, %lld held", static_cast<long long>(both.in_use_bytes), static_cast<long long>(both.held_bytes));
        OK(halo_memory_release(rank.context, &blocks[0]));
        if (late_count(device).bytes != size) stop("what nobody uses is not kept");
        OK(halo_memory_allocate_on(rank.context, HALO_MEMORY_DEVICE, 0, 2 * size - cap / 2, &blocks[0])); // in place of what nobody uses
        if (late_count(device).bytes != 2 * size - cap / 2) stop("%lld bytes of the device", static_cast<long long>(late_count(device).bytes));
        for (void *&block : blocks)
            if (block) OK(halo_memory_release(rank.context, &block));
    });
}

// All that is left of a device's.
class Rest {
public:
    explicit Rest(const Rank &rank) : context_(rank.context) {
        for (int64_t bytes = cap; bytes >= 256;) {
            void *block = nullptr;
            const halo_status status = halo_memory_allocate_on(context_, HALO_MEMORY_DEVICE, 0, bytes, &block);
            if (status == HALO_SUCCESS)
                blocks_.push_back(block);
            else
                expect_no_memory(status, "device memory"), bytes /= 2;
        }
    }
    ~Rest() {
        for (void *&block : blocks_) halo_memory_release(context_, &block);
    }
    Rest(const Rest &) = delete;
    Rest &operator=(const Rest &) = delete;

private:
    halo_context *context_;
    std::deque<void *> blocks_;
};

TEST(DevicePools, AnExchangeBeyondTheCap) {
    run(2, late::settings({ { "pool.cap", std::to_string(cap) }, { "timeout", "20" } }), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.kind = HALO_KIND_REVERSE, desc.op = HALO_SUM;
        const RingExchange exchange({ u.handle() }, &desc);
        const late::Stream stream(u.device());
        u.write_with_ghosts(1, stream);
        {
            const Rest rest(rank);
            halo_status status = halo_exchange_start(exchange, nullptr, stream);
            if (status == HALO_SUCCESS) status = halo_exchange_finish(exchange, stream);
            if (status != HALO_ERR_PEER) expect_no_memory(status, "device memory");
        }
        for (int turn = 0; turn < 3; ++turn) {
            u.write_with_ghosts(turn, stream);
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
            u.expect_sums(turn, stream, "with room");
        }
    });
}

// A program's memory of one kind, from where its kernels get theirs.
struct Own {
    int32_t memory;
    halo_device *&device;
    int64_t n_given = 0, n_out = 0;

    halo_allocator allocator() {
        halo_allocator allocator{};
        allocator.memory = memory, allocator.user = this;
        allocator.allocate = [](void *user, size_t bytes) -> void * {
            auto *self = static_cast<Own *>(user);
            void *block = nullptr;
            if (!self->device) self->device = late_opened_here();
            if (halo_device_late.ops->allocate(self->device, self->memory, bytes, &block) != HALO_SUCCESS) return nullptr;
            ++self->n_given, ++self->n_out;
            return block;
        };
        allocator.release = [](void *user, void *block, size_t bytes) {
            auto *self = static_cast<Own *>(user);
            --self->n_out;
            halo_device_late.ops->release(self->device, self->memory, block, bytes);
        };
        return allocator;
    }
};

TEST(DevicePools, MemoryIsTheProgramsOwn) {
    run_raw(2, [](halo_inproc *group, int32_t number) {
        halo_device *first = nullptr;
        Own own{ HALO_MEMORY_DEVICE, first }, pinned{ HALO_MEMORY_PINNED, first };
        const std::array<halo_allocator, 2> allocators{ own.allocator(), pinned.allocator() };
        const std::array<halo_setting, 3> settings{ { { "device", "late" }, { "plugin_path", LATE_DIRECTORY }, { "timeout", "20" } } };
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.allocators = allocators.data(), options.n_allocators = std::ssize(allocators);
        options.settings = settings.data(), options.n_settings = std::ssize(settings);
        Rank rank{ nullptr, number, 2 };
        OK(halo_context_create_inproc(group, number, &options, &rank.context));
        {
            const Ring ring(rank, 2);
            const RingField u(ring, "u"), other(ring, "v", 1); // on the second device, which has no allocator of the program's
            const RingExchange ghosts({ u.handle() }), both({ u.handle(), other.handle() });
            halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
            desc.kind = HALO_KIND_REVERSE, desc.op = HALO_SUM;
            const RingExchange sums({ u.handle() }, &desc);
            const late::Stream stream(u.device());
            const auto exchange = [&](halo_exchange *one) {
                OK(halo_exchange_start(one, nullptr, stream));
                OK(halo_exchange_finish(one, stream));
            };
            for (int turn = 0; turn < 5; ++turn) {
                u.write(turn, stream);
                exchange(ghosts);
                u.expect(turn, stream, "ghosts");
                exchange(sums);
                u.expect_sums(turn, stream, "sums");
                u.write(turn + 10, stream);
                other.write(turn + 10, nullptr);
                exchange(both);
                u.expect(turn + 10, stream, "on both devices");
            }
            const halo_pool_stats stats = pool_of(rank.context, HALO_MEMORY_PINNED);
            if (pinned.n_given == 0 || stats.allocations < pinned.n_given || own.n_given < 3)
                stop("%lld of device memory and %lld of %lld of pinned memory are the program's", static_cast<long long>(own.n_given),
                     static_cast<long long>(pinned.n_given), static_cast<long long>(stats.allocations));
        }
        OK(halo_context_destroy(&rank.context));
        if (own.n_out != 0 || pinned.n_out != 0)
            stop("not given back: %lld, %lld", static_cast<long long>(own.n_out), static_cast<long long>(pinned.n_out));
    });
}

} // namespace
