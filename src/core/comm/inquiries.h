// SPDX-License-Identifier: BSD-3-Clause
// Why does a peer not answer? Objects with runs (exchanges, groups, reductions) have the same number on all ranks only where these create the same
// ones in the same order. Else each waits for messages that the others have under another number. So a rank that waits for long tells the peer what
// it has under that number, and is told what the peer has; both find the difference. Costs nothing before that.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/terms.h"
#include "comm/incoming.h"
#include "comm/tags.h"

namespace halo {

class Context;

enum class InquiryKind : uint16_t { question, answer };

inline constexpr uint32_t inquiry_magic = 0x3f616c68; // "hla?"
inline constexpr uint16_t inquiry_version = 1;

// Begins a message; the terms of the sender's object follow.
struct InquiryHeader {
    uint32_t magic = inquiry_magic;
    uint16_t version = inquiry_version;
    InquiryKind kind = InquiryKind::question;
    uint32_t serial = 0;
    uint32_t newest = 0;   // object of the sender
    uint32_t has_one = 0;  // of this number
    uint32_t waits_in = 0; // object; 0: none
    uint32_t from = 0;
    uint32_t reserved = 0;
    uint64_t text_bytes = 0;
};

// What the others are told of an object.
class Described {
public:
    virtual ~Described() = default;
    // "exchange 3 over u".
    virtual std::string what() const = 0;
    // What all ranks must have alike, in words.
    virtual Terms terms() const = 0;
    // Ranks whose part of the present run has not come.
    virtual std::vector<int32_t> awaited() const = 0;
};

class Inquiries {
public:
    explicit Inquiries(Context &context) : context_(context), incoming_(context, inquiry_tag) {}

    void add(uint32_t serial, const Described &object) { objects_[serial] = { &object }; }
    void remove(uint32_t serial) noexcept { objects_.erase(serial); }

    // Tells those for whom an object waits, and wants to be told.
    void ask(uint32_t serial);
    // A thread of this rank waits in an object, or no longer does; 0: in none.
    void wait_in(uint32_t serial) noexcept { note_wait(serial, true); }
    void end_wait(uint32_t serial) noexcept { note_wait(serial, false); }
    // Answers what has come. Never blocks.
    void read();
    void hand_over() noexcept { incoming_.hand_over(); }
    // HALO_ERR_MISMATCH, once: a rank has another object under a number than this one.
    void refuse() {
        if (difference_) [[unlikely]]
            throw Error(*std::exchange(difference_, std::nullopt));
    }
    // Then some of what has been sent is taken by nobody.
    bool have_differed() const { return have_differed_; }
    // "; rank 3 waits in exchange 7 over u", of those for whom an object waits; empty: nothing is known.
    std::string known_of_peers(uint32_t serial) const;

private:
    void send(InquiryKind kind, int32_t to, uint32_t serial);
    void take(const std::vector<std::byte> &message);
    void compare(const InquiryHeader &header, const Terms &peers);
    void note(const InquiryHeader &header, const std::string &text);

    struct Object {
        const Described *described;
        bool is_waited_in = false;
        std::map<int32_t, std::string> known{}; // by rank
        std::set<int32_t> asked{};              // that have not answered
    };
    void note_wait(uint32_t serial, bool waits) noexcept;
    uint32_t waited_in(uint32_t serial) const;

    Context &context_;
    std::map<uint32_t, Object> objects_; // by serial
    std::optional<Error> difference_;
    bool have_differed_ = false;
    Incoming incoming_;
};

} // namespace halo
