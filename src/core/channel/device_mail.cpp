// SPDX-License-Identifier: BSD-3-Clause
#include "channel/device_mail.h"

#include <utility>

#include "channel/mail_buffer.h"

namespace halo {

MailRoom::MailRoom(Context &context) : context_(context) {}

MailRoom::~MailRoom() {
    while (free_) delete take();
}

DeviceMails &MailRoom::on_device(int32_t ordinal) {
    for (const auto &one : devices_)
        if (one->device().ordinal() == ordinal) return *one;
    Device &device = context_.device_of({ HALO_MEMORY_DEVICE, ordinal });
    return *devices_.emplace_back(std::make_unique<DeviceMails>(context_, device));
}

std::byte *DeviceMail::payload() const { return buffer.data() + MailBuffer::lead_bytes; }

void MailQueue::add(DeviceMail &mail) noexcept {
    mail.next_in_queue = nullptr;
    mail.waits = true;
    (first_ ? last_->next_in_queue : first_) = &mail;
    last_ = &mail;
    context_.departures().add(*this);
}

bool MailQueue::remove(DeviceMail &mail) noexcept {
    DeviceMail *before = nullptr;
    DeviceMail *at = first_;
    while (at && at != &mail) before = std::exchange(at, at->next_in_queue);
    if (!at) return false;
    (before ? before->next_in_queue : first_) = mail.next_in_queue;
    if (last_ == &mail) last_ = before;
    mail.waits = false;
    return true;
}

bool MailQueue::depart() noexcept {
    while (first_ && go_on(*first_)) {
        first_->waits = false;
        first_ = first_->next_in_queue;
    }
    return !first_;
}

// A device that does not say when it is done may use the memory for ever.
bool MailQueue::go_on(DeviceMail &mail) noexcept {
    try {
        if (!mail.done.has_fired()) return false;
    } catch (...) {
        mail.error = present_error();
        if (mail.device_memory) context_.lose(std::move(mail.device_memory));
        if (mail.work == DeviceMail::Work::leaving) context_.lose(std::move(mail.buffer));
        return true;
    }
    mail.device_memory.reset();
    if (mail.work != DeviceMail::Work::leaving) return true;
    try {
        if (std::exchange(mail.summed, false)) mail.header_place()->seal ^= static_cast<uint32_t>(checksum(mail.payload(), mail.payload_bytes));
        context_.fabric().send(mail.peer, mail.lane, mail.tag, mail.message, mail.message_bytes, mail.request);
        mail.in_flight = true;
    } catch (...) {
        mail.error = present_error();
    }
    return true;
}

DeviceMails::~DeviceMails() {
    while (free_) delete std::exchange(free_, static_cast<DeviceMail *>(free_->next_free));
}

DeviceMail *DeviceMails::take() {
    if (!free_) return new DeviceMail(device_);
    return std::exchange(free_, static_cast<DeviceMail *>(free_->next_free));
}

void DeviceMails::put(DeviceMail *mail) noexcept {
    mail->buffer.reset();
    mail->device_memory.reset();
    mail->work = DeviceMail::Work::none;
    mail->arrived = mail->in_flight = false;
    mail->error.reset();
    mail->next_free = std::exchange(free_, mail);
}

void DeviceMails::make_room(DeviceMail &mail, size_t payload_bytes) const {
    mail.buffer = context_.pinned_buffer(device_, static_cast<size_t>(MailBuffer::lead_bytes) + payload_bytes);
}

void DeviceMails::await(DeviceMail &mail, DeviceMail::Work work, halo_stream stream) {
    MailQueue &queue = queue_of(stream);
    mail.done.record(stream);
    mail.work = work;
    queue.add(mail);
}

void DeviceMails::leave_again(DeviceMail &mail) {
    mail.work = DeviceMail::Work::leaving;
    queue_of(nullptr).add(mail);
}

MailQueue &DeviceMails::queue_of(halo_stream stream) {
    MailQueue *unused = nullptr;
    for (const auto &queue : queues_) {
        if (queue->stream() == stream) return *queue;
        if (queue->empty()) unused = queue.get();
    }
    if (!unused) return *queues_.emplace_back(std::make_unique<MailQueue>(context_, stream));
    unused->be_of(stream);
    return *unused;
}

void DeviceMails::give_up(DeviceMail &mail) noexcept {
    for (const auto &queue : queues_)
        if (queue->remove(mail)) break;
    try {
        context_.devices().uses(device_).keep(mail.done, { &mail.buffer, &mail.device_memory });
    } catch (...) {
        context_.devices().uses(device_).note(present_error());
        if (mail.buffer) context_.lose(std::move(mail.buffer));
        if (mail.device_memory) context_.lose(std::move(mail.device_memory));
    }
    put(&mail);
}

} // namespace halo
