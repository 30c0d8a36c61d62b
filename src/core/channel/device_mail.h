// SPDX-License-Identifier: BSD-3-Clause
// Mail of channels whose payload is in the memory of a device. Messages lie in memory that host and device reach. The host waits for nothing: mail
// goes on, in whatever call of the rank, when its stream has come to an event.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "channel/mail_room.h"

namespace halo {

struct DeviceMail final : MailOperation {
    // What the device is at: the payload of a message that then leaves; of one within the rank, which then is there; of one that has come; what
    // still reads a payload that nobody needs any more.
    enum class Work : uint8_t { none, leaving, turning_up, landing, staling };

    explicit DeviceMail(const Device &device) : done(device) {}
    std::byte *payload() const; // behind the header; see DeviceMails::make_room
    MailHeader *header_place() const { return reinterpret_cast<MailHeader *>(payload() - sizeof(MailHeader)); }

    Event done;
    Work work = Work::none;
    bool waits = false;         // in a queue
    std::optional<Error> error; // of what came after
    Buffer device_memory;       // let go of when the work is done
    size_t payload_bytes = 0;
    bool arrived = false; // and not landed
    // Of a message that leaves later.
    const void *message = nullptr;
    size_t message_bytes = 0;
    int32_t lane = 0;
    int32_t tag = 0;
    bool summed = false; // the payload's checksum is still to be folded into the header's seal

    DeviceMail *next_in_queue = nullptr;
};

// Mail that waits for one stream, in its order: while the first waits, all do.
class MailQueue final : public Departing {
public:
    MailQueue(Context &context, halo_stream stream) : context_(context), stream_(stream) {}
    ~MailQueue() override { context_.departures().remove(*this); }
    MailQueue(const MailQueue &) = delete;
    MailQueue &operator=(const MailQueue &) = delete;

    bool empty() const { return first_ == nullptr; }
    halo_stream stream() const { return stream_; }
    void be_of(halo_stream stream) { stream_ = stream; } // while it is empty
    void add(DeviceMail &mail) noexcept;
    // False: it is in another one.
    bool remove(DeviceMail &mail) noexcept;
    bool depart() noexcept override;

private:
    bool go_on(DeviceMail &mail) noexcept;

    Context &context_;
    halo_stream stream_;
    DeviceMail *first_ = nullptr;
    DeviceMail *last_ = nullptr;
};

// Those of one device. What has been used is used again.
class DeviceMails {
public:
    DeviceMails(Context &context, Device &device) : context_(context), device_(device) {}
    ~DeviceMails();
    DeviceMails(const DeviceMails &) = delete;
    DeviceMails &operator=(const DeviceMails &) = delete;

    Device &device() const { return device_; }
    DeviceMail *take();
    void put(DeviceMail *mail) noexcept;
    // Place for a header and so much payload.
    void make_room(DeviceMail &mail, size_t payload_bytes) const;
    // The mail goes on when the stream, nullptr: the device's own, has come here.
    void await(DeviceMail &mail, DeviceMail::Work work, halo_stream stream);
    // What was to leave, and could not.
    void leave_again(DeviceMail &mail);
    // It does not go on. What the device uses stays for as long as it does.
    void give_up(DeviceMail &mail) noexcept;

private:
    MailQueue &queue_of(halo_stream stream);

    Context &context_;
    Device &device_;
    DeviceMail *free_ = nullptr;
    std::vector<std::unique_ptr<MailQueue>> queues_;
};

} // namespace halo
