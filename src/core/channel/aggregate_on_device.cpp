// SPDX-License-Identifier: BSD-3-Clause
// Runs of groups whose slices are on a device.
#include <cstring>

#include "channel/aggregate.h"

namespace halo {

void AggregateRun::place_on_device(Space space) {
    device_ = std::make_unique<DeviceSlices>(context(), context().device_of(space));
    for (Link &link : links_) {
        link.send_place = device_->add(link.all_bytes);
        link.receive_place = device_->add(link.received_ends.empty() ? 0 : link.received_ends.back());
    }
    device_->set_local(static_cast<size_t>(local_bytes_));
    if (flags_on_device_) device_->set_flags(2 * slots_.size()); // by rows: in the order in which they are given, then those of the table
}

// What has failed is gone on with after it has been told.
bool AggregateRun::settled() {
    if (!device_) return true;
    if (leaving_ || staling_ || rows_leave_) context().departures().add(*this);
    if (!failed_departing_) return !staling_;
    const Error error(*failed_departing_);
    failed_departing_.reset();
    throw Error(error);
}

bool AggregateRun::send_from_device(const uint8_t *null_flags, halo_stream stream) {
    const bool flags_come = null_flags && flags_on_device_;
    if (!flags_come) note_flags(null_flags);
    if (flags_come) device_->fetch_flags(0, null_flags, slots_.size(), stream);
    for (const Link &link : links_) {
        const size_t bytes = !link.peer->sends() ? 0 : flags_come ? link.all_bytes : end_of_data(link);
        if (bytes > 0) device_->fetch(link.send_place, bytes, stream);
    }
    device_->fetched.record(stream);
    flags_come_ = flags_come;
    sent_all_ = sent_all_ && !flags_come;
    leaving_ = sent_ = true;
    context().departures().add(*this);
    return true;
}

bool AggregateRun::depart() noexcept {
    try {
        if (rows_leave_)
            send_fetched_rows();
        else if (leaving_ && device_->fetched.has_fired())
            send_fetched();
        if (!leaving_ && staling_ && device_->staled.has_fired()) end_run();
        return !leaving_ && !staling_ && !rows_leave_;
    } catch (...) {
        failed_departing_ = present_error();
        return true;
    }
}

void AggregateRun::send_fetched() {
    if (flags_come_) note_flags(device_->flags());
    flags_come_ = false;
    for (Link &link : links_) {
        if (!link.peer->sends() || link.peer->has_sent()) continue; // by a call that failed for another peer
        const size_t bytes = end_of_data(link);
        if (bytes > 0) std::memcpy(link.peer->send_payload(), device_->passed(link.send_place), bytes);
        link.peer->send(bytes);
    }
    leaving_ = false;
}

// Has all that is here been copied to the device?
bool AggregateRun::receive_on_device() {
    device_->allocate();
    for (uint32_t i = 0; i < links_.size(); ++i) {
        Link &link = links_[i];
        if (!link.peer->receives() || !link.peer->arrived() || link.landed_epoch == epoch_) continue;
        device_->land(link.receive_place, link.peer->received_payload(), received_bytes(i, link.peer->received()));
        link.landed_epoch = epoch_;
    }
    return device_->landed.has_fired();
}

void AggregateRun::end_run() {
    for (Link &link : links_) link.peer->consume();
    staling_ = false;
}

} // namespace halo
