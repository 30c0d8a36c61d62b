// SPDX-License-Identifier: BSD-3-Clause
// Who uses which tag. A rank pair's messages of one lane and tag arrive in order, so what has an order of its own has a tag of its own.
//
//     lane 0, tag 0        collectives
//     lane 0, tag 1        inquiries
//     lane 0, tags 2..15   kept free
//     lane 0, tags 16..    runs: one for each exchange, aggregated group or reduction
//     lanes 1..            channels of groups by hand: two for each channel, by parity of the epoch
//
// Nobody is asked for a tag: objects are created and destroyed in the same order on all ranks, so each finds the same ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace halo {

inline constexpr int32_t collective_tag = 0;
inline constexpr int32_t inquiry_tag = 1;
inline constexpr int32_t first_run_tag = 16;

// Lane and tag of one channel.
struct ChannelTag {
    int32_t lane;
    int32_t tag;
};

class RunTags;

// An object whose messages travel in runs: its ordinal, and its tags for as long as it lives.
class RunId {
public:
    RunId() = default;
    RunId(RunTags &tags, uint32_t serial, int32_t tag) : tags_(&tags), serial_(serial), tag_(tag) {}
    RunId(RunId &&other) noexcept;
    RunId &operator=(RunId &&other) noexcept;
    ~RunId();

    uint32_t serial() const { return serial_; } // 0: none
    int32_t tag() const { return tag_; }        // of lane 0

private:
    RunTags *tags_ = nullptr;
    uint32_t serial_ = 0;
    int32_t tag_ = 0;
};

// Tags of runs. They go in a circle past those in use, so that one is given again as late as possible: messages of a destroyed object may still
// be on their way, and are told by the serial in their headers.
class RunTags {
public:
    explicit RunTags(int32_t max_tag) : used_(static_cast<size_t>(max_tag - first_run_tag + 1), false) {}

    // HALO_ERR_STATE: all are in use.
    RunId take();
    uint32_t newest() const { return serial_; }
    // The newest one was `serial`, whatever has been taken.
    void number_from(uint32_t serial) { serial_ = serial; }
    void give_back(int32_t tag) { used_[place(tag)] = false; }

private:
    static size_t place(int32_t tag) { return static_cast<size_t>(tag - first_run_tag); }

    std::vector<bool> used_;
    uint32_t serial_ = 0;
};

inline RunId::RunId(RunId &&other) noexcept : tags_(other.tags_), serial_(other.serial_), tag_(other.tag_) { other.tags_ = nullptr; }

inline RunId &RunId::operator=(RunId &&other) noexcept {
    std::swap(tags_, other.tags_);
    std::swap(serial_, other.serial_);
    std::swap(tag_, other.tag_);
    return *this;
}

inline RunId::~RunId() {
    if (tags_) tags_->give_back(tag_);
}

// Tags of channels made by hand: ranges of indices, each for the channels of one group. More lanes are needed only when none of those there are
// has room.
class ChannelTags {
public:
    explicit ChannelTags(int32_t max_tag) : per_lane_((static_cast<int64_t>(max_tag) + 1) / 2) {}

    // First index of a range of `n` >= 1 that nobody has.
    int64_t find(int64_t n) const;
    // Nobody else gets it until it is given back.
    void take(int64_t first, int64_t n);
    void give_back(int64_t first) { used_.erase(first); }
    // As if it had not been taken: the next range of this length is the same.
    void take_back(int64_t first) {
        give_back(first);
        next_ = first;
    }

    // The first of two tags, by epoch parity.
    ChannelTag tag(int64_t index) const { return { static_cast<int32_t>(1 + index / per_lane_), static_cast<int32_t>(2 * (index % per_lane_)) }; }
    // Lanes, lane 0 included, that a range needs.
    int32_t lanes_of(int64_t first, int64_t n) const { return tag(first + n - 1).lane + 1; }

private:
    bool room_at(int64_t first, int64_t n) const;

    int64_t per_lane_;
    int32_t lanes_ = 1;               // that ranges have needed so far
    int64_t next_ = 0;                // where the circle stands
    std::map<int64_t, int64_t> used_; // first index -> the one behind the last
};

} // namespace halo
