// SPDX-License-Identifier: BSD-3-Clause
// Channels committed together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "channel/aggregate.h"
#include "channel/registry.h"
#include "halo_channel.h"

namespace halo {

class Group final : public Described {
public:
    // Collective; blocks. Nothing is changed if it fails.
    Group(ChannelRegistry &registry, halo_channel *const *channels, int64_t n, const halo_group_desc &desc);
    // The channels live on, uncommitted. What has been sent still arrives; nothing more is received.
    ~Group() override;
    Group(const Group &) = delete;
    Group &operator=(const Group &) = delete;

    Context &context() const { return registry_.context(); }
    int64_t size() const { return static_cast<int64_t>(slots_.size()); }
    std::string what() const override { return format("group %u of %lld channels", id_.serial(), static_cast<long long>(size())); }
    bool aggregated() const { return run_ != nullptr; }
    const halo_group_desc &desc() const { return desc_; } // as it was given

    Terms terms() const override;
    std::vector<int32_t> awaited() const override { return {}; } // never waits

    bool busy();
    // Wait until nothing is; what comes is dropped. HALO_TIMEOUT names what is missing. HALO_ERR_STATE: this rank has still to send.
    void drain(double timeout_seconds);
    // Give up what is in flight: afterwards the group, or its channels, can only be destroyed.
    void abandon() noexcept;
    // A channel is about to be destroyed. False: not now.
    bool leave(halo_channel &channel);

    // One row per channel in the order of creation, each of `row_bytes`.
    const halo_group_row *table(size_t row_bytes);
    // The runs of an aggregated group; HALO_ERR_STATE for others, naming the call.
    AggregateRun &run(const char *call);
    AggregateRun::Slice slice(const halo_channel &channel) const { return run_->slice(channel.row); }

private:
    void open_mailboxes(const std::vector<PairList> &pairs);
    void open_run(const std::vector<PairList> &pairs, const halo_group_desc &desc);
    halo_group_row row(uint32_t i) const;
    std::string undrained(size_t first);
    void close();

    ChannelRegistry &registry_;
    halo_group_desc desc_;
    RunId id_;
    int64_t first_channel_tag_ = -1; // of an own message per channel
    std::vector<uint32_t> slots_;    // in the order of creation; AggregateRun::no_slot: destroyed
    std::unique_ptr<AggregateRun> run_;
    // Runs alternate between few views, mostly one before and one after the messages are here: two tables that need no work then.
    struct Table {
        std::vector<std::byte> rows;
        size_t row_bytes = 0; // 0: to be made anew
        AggregateRun::View view;
    };
    void fill(Table &table, size_t row_bytes) const;

    Table tables_[2];
    int recent_ = 0; // the table given last
};

} // namespace halo
