// SPDX-License-Identifier: BSD-3-Clause
// The slices of an aggregated group in the memory of a device, and the memory through which host and device pass them on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/context.h"

namespace halo {

class DeviceSlices {
public:
    DeviceSlices(Context &context, Device &device);
    ~DeviceSlices() { give_up(); }
    DeviceSlices(const DeviceSlices &) = delete;
    DeviceSlices &operator=(const DeviceSlices &) = delete;

    // Before `allocate`: where so many bytes begin, of messages, then of what stays on the device, and of null flags on the host's side.
    size_t add(size_t bytes) { return place(passed_bytes_, bytes); }
    void set_local(size_t bytes) { local_bytes_ = bytes; }
    void set_flags(size_t n) { n_flags_ = n; }
    // HALO_ERR_MEMORY. Nothing where there is some.
    void allocate();

    std::byte *at(size_t place) const { return own_.data() + place; }
    std::byte *passed(size_t place) const { return passed_.data() + place; }
    std::byte *local() const { return own_ ? own_.data() + passed_bytes_ : nullptr; }
    const uint8_t *flags() const { return reinterpret_cast<const uint8_t *>(passed_.data() + passed_bytes_); }

    // HALO_ERR_ARGUMENT: there is none.
    halo_stream require(halo_stream stream, const char *call) const;
    // Into memory that the host reaches, in the stream; all of it has come when `fetched.has_fired()`.
    void fetch(size_t place, size_t bytes, halo_stream stream) { device_.copy(passed(place), at(place), bytes, stream); }
    void fetch_flags(size_t first, const uint8_t *flags, size_t n, halo_stream stream) {
        device_.copy(passed(passed_bytes_ + first), flags, n, stream);
    }
    // From there, in the device's own stream; `landed`.
    void land(size_t place, const std::byte *from, size_t bytes);
    Event fetched;
    Event landed;
    Event staled;
    // Of each part of a run that is fetched in parts; made when there first are so many.
    Event &fetched_part(size_t i);

    // What the device still uses stays as long as it does.
    void give_up() noexcept;

private:
    static constexpr size_t alignment = 64;
    static size_t place(size_t &end, size_t bytes) {
        const size_t begin = end;
        end = (begin + bytes + alignment - 1) / alignment * alignment;
        return begin;
    }

    void keep_until(Event &event) noexcept;

    Context &context_;
    Device &device_;
    std::vector<Event> fetched_parts_;
    size_t passed_bytes_ = 0;
    size_t local_bytes_ = 0;
    size_t n_flags_ = 0;
    Buffer own_;    // messages, then what is within the rank
    Buffer passed_; // messages, then flags
};

} // namespace halo
