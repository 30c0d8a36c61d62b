// SPDX-License-Identifier: BSD-3-Clause
// Mailboxes whose payload is in a device's memory.
#include <utility>

#include "channel/device_mail.h"
#include "channel/mailbox.h"

namespace halo {

namespace {

// As modules of devices know it.
halo_stream stream_of_device(halo_stream stream) { return stream == HALO_STREAM_DEFAULT ? nullptr : stream; }

} // namespace

DeviceMail &Mailbox::mail() const { return *static_cast<DeviceMail *>(operation_); }

MailOperation *Mailbox::take_mail() const { return mails().take(); }

void Mailbox::put_mail(MailOperation *operation) const noexcept { mails().put(static_cast<DeviceMail *>(operation)); }

std::byte *Mailbox::payload_on_host() const { return mail().payload(); }

std::byte *Mailbox::room_on_host(size_t payload_bytes) const {
    mails().make_room(mail(), payload_bytes);
    return mail().payload();
}

void Mailbox::require_stream(halo_stream stream, const char *call) const {
    if (stream == HALO_STREAM_NONE)
        fail(HALO_ERR_ARGUMENT, "%s: memory on device %d, and HALO_STREAM_NONE: the device's own stream is HALO_STREAM_DEFAULT: %s", call,
             buffer_.device(), describe().c_str());
}

// What failed is as if it had not been asked for, but that messages stay: one that could not leave leaves later, one that has come is landed by the
// next call.
bool Mailbox::settle() {
    using Work = DeviceMail::Work;
    DeviceMail &mail = this->mail();
    if (mail.waits) return false;
    const Work work = std::exchange(mail.work, Work::none);
    if (mail.error) {
        const Error error(*mail.error);
        mail.error.reset();
        mail.arrived = work == Work::landing;
        if (work == Work::leaving && mail.buffer) {
            mails().leave_again(mail);
        } else if (!mail.arrived) {
            drop_operation();
            state_ = HALO_STALE;
        }
        throw Error(error);
    }
    if (mail.arrived) {
        land();
        return false;
    }
    if (work == Work::landing) {
        const auto bytes = static_cast<int64_t>(mail.payload_bytes);
        drop_operation();
        finish_receive(true, bytes);
    } else if (work == Work::staling || work == Work::turning_up) {
        drop_operation();
        if (work == Work::staling && sparse_ && role_ == Role::receiver) release_buffer();
    }
    return true;
}

bool Mailbox::post_on_device(bool data, int64_t bytes, halo_stream stream, const char *call) {
    require_stream(stream, call);
    if (state_ == HALO_STALE && !settled()) return false;
    if (!may_post(call)) return false;
    message_bytes_ = data ? bytes : 0;
    send_from_device(data, stream);
    note_posted(data);
    return true;
}

// A message of no payload does not wait for the stream.
void Mailbox::send_from_device(bool data, halo_stream stream) {
    if (role_ == Role::sender && message_bytes_ == 0) return transmit(data);
    if (!data) return;
    operation_ = take_operation();
    try {
        if (role_ == Role::sender)
            put_leaving(stream_of_device(stream));
        else
            mails().await(mail(), DeviceMail::Work::turning_up, stream_of_device(stream));
    } catch (...) {
        drop_operation();
        throw;
    }
}

void Mailbox::put_leaving(halo_stream stream) {
    DeviceMail &mail = this->mail();
    const auto payload = static_cast<size_t>(message_bytes_);
    mails().make_room(mail, payload);
    if (!bare_) {
        *mail.header_place() = make_header(MailKind::data, 0);
        mail.header_place()->seal = mail_seal(key_hash_, payload);
    }
    mail.peer = peer_;
    mail.lane = lane_;
    mail.tag = tag(epoch_ + 1);
    mail.payload_bytes = payload;
    mail.message = bare_ ? static_cast<void *>(mail.payload()) : mail.header_place();
    mail.message_bytes = payload + (bare_ ? 0 : sizeof(MailHeader));
    mail.summed = !bare_ && context().check_mode();
    mails().device().copy(mail.payload(), buffer_.data(), payload, stream);
    try {
        mails().await(mail, DeviceMail::Work::leaving, stream);
    } catch (...) { // nobody knows when the copy is done
        context().lose(std::move(mail.buffer));
        throw;
    }
}

// True: it is this group's, and on its way into the device's memory if it brings anything.
bool Mailbox::take_for_device(size_t bytes) {
    DeviceMail &mail = this->mail();
    mail.in_flight = false;
    bool data = bytes > 0;
    mail.payload_bytes = bytes;
    try {
        if (bare_) {
            check_bytes(data, bytes);
        } else {
            const MailHeader header = came_alone() ? mail.header : *mail.header_place();
            if (!is_mine(header, bytes)) {
                drop_operation();
                return false;
            }
            data = header.kind == static_cast<uint8_t>(MailKind::data);
            mail.payload_bytes = bytes - sizeof header;
        }
    } catch (...) {
        drop_operation();
        throw;
    }
    if (mail.payload_bytes > 0) {
        mail.arrived = true;
        land();
        return true;
    }
    drop_operation();
    finish_receive(data, 0);
    return true;
}

void Mailbox::land() {
    DeviceMail &mail = this->mail();
    take_buffer(static_cast<int64_t>(mail.payload_bytes));
    mails().device().copy(buffer_.data(), mail.payload(), mail.payload_bytes, nullptr);
    mails().await(mail, DeviceMail::Work::landing, nullptr);
    mail.arrived = false;
}

// A sparse receiver's buffer goes back to its pool by itself.
void Mailbox::stale_on_device(halo_stream stream) {
    require_stream(stream, "stale");
    if (state_ == HALO_RECEIVED) {
        operation_ = take_operation();
        try {
            const uint8_t stale_byte = 0xff;
            if (context().check_mode() && role_ == Role::receiver && message_bytes_ > 0) [[unlikely]]
                mails().device().fill(buffer_.data(), &stale_byte, 1, message_bytes_, stream_of_device(stream));
            mails().await(mail(), DeviceMail::Work::staling, stream_of_device(stream));
        } catch (...) {
            drop_operation();
            throw;
        }
        if (sparse_ && role_ == Role::receiver && buffer_.pooled()) mail().device_memory = buffer_.surrender();
    }
    state_ = HALO_STALE;
}

// Whatever the device is at uses the payload. A message that has not left does not leave.
void Mailbox::give_up_on_device() noexcept {
    DeviceMail &mail = this->mail();
    if (!mail.waits) return;
    if (!mail.device_memory) mail.device_memory = buffer_.caller_owned() ? context().owner_of(buffer_.data()) : buffer_.surrender();
    operation_ = nullptr;
    mails().give_up(mail);
}

} // namespace halo
