// SPDX-License-Identifier: BSD-3-Clause
#include "channel/device_slices.h"

#include <algorithm>
#include <cstring>

namespace halo {

DeviceSlices::DeviceSlices(Context &context, Device &device) : fetched(device), landed(device), staled(device), context_(context), device_(device) {}

void DeviceSlices::allocate() {
    if (!own_) own_ = context_.pools().pool(HALO_MEMORY_DEVICE, device_.ordinal()).get(std::max<size_t>(passed_bytes_ + local_bytes_, 1));
    if (!passed_) passed_ = context_.pinned_buffer(device_, std::max<size_t>(passed_bytes_ + n_flags_, 1));
}

halo_stream DeviceSlices::require(halo_stream stream, const char *call) const {
    if (stream == HALO_STREAM_NONE)
        fail(HALO_ERR_ARGUMENT, "%s: memory on device %d, and HALO_STREAM_NONE: the device's own stream is HALO_STREAM_DEFAULT", call,
             device_.ordinal());
    return stream == HALO_STREAM_DEFAULT ? nullptr : stream;
}

void DeviceSlices::land(size_t place, const std::byte *from, size_t bytes) {
    if (bytes == 0) return;
    std::memcpy(passed(place), from, bytes);
    device_.copy(at(place), passed(place), bytes, nullptr);
    landed.record(nullptr);
}

Event &DeviceSlices::fetched_part(size_t i) {
    while (fetched_parts_.size() <= i) fetched_parts_.emplace_back(device_);
    return fetched_parts_[i];
}

// Each event stands for work that may use both.
void DeviceSlices::give_up() noexcept {
    for (Event *event : { &fetched, &landed, &staled }) keep_until(*event);
    for (Event &event : fetched_parts_) keep_until(event);
    own_.reset();
    passed_.reset();
}

void DeviceSlices::keep_until(Event &event) noexcept {
    try {
        if (event.has_fired()) return;
        Buffer own = own_;
        Buffer passed = passed_;
        context_.devices().uses(device_).keep(event, { &own, &passed });
    } catch (...) {
        context_.devices().uses(device_).note(present_error());
        if (own_) context_.lose(own_);
        if (passed_) context_.lose(passed_);
    }
}

} // namespace halo
