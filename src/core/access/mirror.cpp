// SPDX-License-Identifier: BSD-3-Clause
#include "access/mirror.h"

#include <algorithm>
#include <cstring>

namespace halo {

Mirror::Mirror(Field &field, int32_t set)
    : field_(field),
      set_(set),
      context_(field.topology().context()),
      device_(field.topology().local_parts().size()) {}

// The device may still work on it.
Mirror::~Mirror() {
    const auto n = std::count_if(device_.begin(), device_.end(), [](const Buffer &memory) { return static_cast<bool>(memory); });
    if (n == 0) return;
    field_.on_devices -= n;
    context_.keep_for_device(the_device(), stream_, std::move(device_));
}

Residency Mirror::first_state() const {
    bool bound = device_.empty();
    for (int64_t i = 0; i < std::ssize(device_); ++i) bound = bound || field_.allocated(i, set_) || field_.cells(i)[0] == 0;
    return bound ? Residency::device_unallocated : Residency::host_unallocated;
}

// The device's storage has the layout that the host's had when it was made.
void Mirror::note_layout() {
    if (layout_ == field_.layout_hash()) return;
    for (size_t i = 0; i < device_.size(); ++i)
        if (device_[i])
            fail(HALO_ERR_STATE, "field %s: its layout has changed since it was used on the device, where part %lld has storage of the old one",
                 field_.spec().name.c_str(), static_cast<long long>(field_.topology().local_parts()[i]));
    layout_ = field_.layout_hash();
    runs_.clear();
}

void Mirror::find_runs() {
    for (int64_t i = std::ssize(runs_); i < std::ssize(device_); ++i) runs_.push_back(section_runs(field_, i));
}

std::span<const ByteRun> Mirror::runs(int64_t local_index, Section section) {
    find_runs();
    const SectionRuns &runs = runs_[static_cast<size_t>(local_index)];
    return section == Section::owned ? runs.owned : runs.ghosts;
}

void Mirror::allocate(int32_t where) {
    if (where == HALO_ON_HOST) {
        for (int64_t i = 0; i < std::ssize(device_); ++i)
            if (!field_.allocated(i, set_)) field_.allocate_part(i, set_, 1);
        return;
    }
    if (!context_.devices().has_memory())
        fail(HALO_ERR_DEVICE, "field %s: access on the device, but device %s has no memory of its own", field_.spec().name.c_str(),
             context_.devices().name());
    the_device(); // its pools
    Pool &pool = context_.pools().pool(HALO_MEMORY_DEVICE, device_of(context_));
    for (size_t i = 0; i < device_.size(); ++i) {
        const auto bytes = static_cast<size_t>(field_.layout(static_cast<int64_t>(i)).elements * field_.spec().element_bytes);
        if (device_[i] || bytes == 0) continue;
        device_[i] = pool.get(bytes);
        ++field_.on_devices;
    }
}

void Mirror::copy(Section section, int32_t to, halo_stream stream) {
    int64_t bytes = 0;
    for (int64_t i = 0; i < std::ssize(device_); ++i) {
        const auto *from_bytes = static_cast<const std::byte *>(data(i, to == HALO_ON_HOST ? HALO_ON_DEVICE : HALO_ON_HOST));
        auto *to_bytes = static_cast<std::byte *>(data(i, to));
        if (!from_bytes || !to_bytes) continue; // a part without points, or never written there
        for (const ByteRun &run : runs(i, section)) {
            the_device().copy(to_bytes + run.offset, from_bytes + run.offset, static_cast<size_t>(run.bytes), put_on(stream));
            bytes += run.bytes;
        }
    }
    (to == HALO_ON_HOST ? bytes_down : bytes_up) += bytes;
}

ResidencyStep Mirror::make_room(Section section, int32_t where, bool writes, bool whole) {
    field_.require_present_layouts(set_);
    note_layout();
    if (field_.space(set_).on_device())
        fail(HALO_ERR_DEVICE,
             "field %s: access in set %d, which is bound to memory of a device: batches want the host's, and have their own on the device",
             field_.spec().name.c_str(), set_);
    if (!accessed_) state_[0] = state_[1] = first_state();
    const Residency now = state_[static_cast<int>(section)];
    const ResidencyStep step = access_section(now, where, writes, whole);
    if (step.allocate || (where == HALO_ON_DEVICE && now == Residency::host_unallocated)) allocate(where);
    return step;
}

void Mirror::reserve(int32_t where, bool fills_ghosts) {
    make_room(Section::owned, where, false, false);
    if (fills_ghosts) find_runs();
}

void Mirror::access(Section section, int32_t where, bool writes, bool whole, halo_stream stream) {
    const ResidencyStep step = make_room(section, where, writes, whole);
    if (where == HALO_ON_DEVICE) put_on(stream); // where the loop, and what is exchanged for it, will be
    if (step.copy) copy(section, where, stream);
    state_[static_cast<int>(section)] = step.next;
    accessed_ = true;
}

int32_t Mirror::exchange_side() const {
    return valid_at(state(Section::owned), HALO_ON_DEVICE) && context_.devices().has_memory() ? HALO_ON_DEVICE : HALO_ON_HOST;
}

void Mirror::fill_ghosts(int32_t where, const void *value, halo_stream stream) {
    const auto unit = static_cast<size_t>(field_.spec().element_bytes);
    for (int64_t i = 0; i < std::ssize(device_); ++i) {
        auto *bytes = static_cast<std::byte *>(data(i, where));
        if (!bytes) continue;
        for (const ByteRun &run : runs(i, Section::ghosts))
            device_at(where).fill(bytes + run.offset, value, unit, run.bytes / static_cast<int64_t>(unit), put_on(stream));
    }
}

} // namespace halo
