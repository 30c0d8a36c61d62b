// SPDX-License-Identifier: BSD-3-Clause
// What launches are told, in memory of the device. A launch like one of the last, as the runs of an exchange may be, finds what it is told there
// already, and nothing is sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "memory.h"

namespace halo::accelerator {

// FNV-1a over words.
class Hash {
public:
    void mix(uint64_t word) { value_ = (value_ ^ word) * 1099511628211U; }
    uint64_t value() const { return value_; }

private:
    uint64_t value_ = 14695981039346656037U;
};

class Arguments {
public:
    explicit Arguments(Runtime &runtime) : runtime_(runtime) {}
    // Waits for launches that read them.
    ~Arguments();
    Arguments(const Arguments &) = delete;
    Arguments &operator=(const Arguments &) = delete;

    // Where something of this size and content lies for launches in one stream.
    class Placed {
        friend class Arguments;
        Placed(Runtime &runtime, char *pinned, char *on_device, size_t capacity)
            : pinned_(pinned),
              on_device_(on_device),
              capacity_(capacity),
              last_use_(runtime) {}

        char *pinned_, *on_device_;
        size_t capacity_;
        size_t n_ = 0; // bytes
        uint64_t hash_ = 0;
        halo_stream stream_ = nullptr;
        Event last_use_;        // behind the launch, and so behind the copy
        bool is_there_ = false; // and the event need not be asked any more
        bool in_use_ = false;   // by what no event tells of yet

    public:
        char *address() const { return on_device_; }
    };
    // `bytes` in memory of the device, for a launch that comes next in `stream`, and is told of by `used`, also if it fails.
    Placed &place(std::span<const std::byte> bytes, halo_stream stream);
    void used(Placed &placed);

    // A place for who says himself what lies there: one with room for so much, until it is given back.
    std::list<Placed> lend(size_t bytes);
    void give_back(std::list<Placed> &&places) noexcept { all_.splice(all_.end(), places); }
    static uint64_t hash_of(std::span<const std::byte> bytes);
    static bool is_told(const Placed &placed, std::span<const std::byte> bytes, uint64_t hash);
    // No launch uses it any more.
    bool is_idle(const Placed &placed) const { return !placed.in_use_ && placed.last_use_.has_fired(); }
    // Of a place that is idle. As after `use`.
    void write(Placed &placed, std::span<const std::byte> bytes, uint64_t hash, halo_stream stream);
    // A launch that reads it comes next in `stream`, and is told of by `used`.
    void use(Placed &placed, halo_stream stream);
    // The host waits for launches that read them.
    static void wait_for(const std::list<Placed> &places) noexcept;

private:
    Placed &take(size_t n);
    void add(size_t capacity);

    Runtime &runtime_;
    std::vector<Block> memory_;
    std::list<Placed> all_; // the one used last in front
};

} // namespace halo::accelerator
