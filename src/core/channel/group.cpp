// SPDX-License-Identifier: BSD-3-Clause
#include "channel/group.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "base/first_version.h"
#include "base/limits.h"
#include "channel/commit.h"
#include "comm/wait.h"

namespace halo {

Group::Group(ChannelRegistry &registry, halo_channel *const *channels, int64_t n, const halo_group_desc &desc) : registry_(registry), desc_(desc) {
    const CollectiveCall call(context(), "group", desc.timeout_seconds);
    const std::vector<PairList> pairs = Commit(registry, channels, n, desc).run();
    if (desc.messages == HALO_MESSAGES_PER_CHANNEL) {
        size_t longest = 0;
        for (const PairList &pair : pairs) longest = std::max(longest, pair.slots.size());
        first_channel_tag_ = context().reserve_channel_tags(static_cast<int64_t>(longest));
    }
    try {
        id_ = context().next_run();
        slots_.reserve(static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i) slots_.push_back(channels[i]->slot);
        registry_.add_group(id_.serial(), *this);
        context().inquiries().add(id_.serial(), *this);
        if (desc.messages == HALO_MESSAGES_PER_CHANNEL)
            open_mailboxes(pairs);
        else
            open_run(pairs, desc);
    } catch (...) {
        close();
        if (first_channel_tag_ >= 0) context().channel_tags().take_back(first_channel_tag_);
        throw;
    }
    ++context().children;
}

Terms Group::terms() const {
    Terms terms;
    terms.add("what it is", format("group %u", id_.serial()));
    return terms;
}

// What peers have not taken yet of a run that has ended stays on its way.
Group::~Group() {
    if (!run_ || run_->busy()) abandon();
    close();
    --context().children;
}

void Group::close() {
    for (const uint32_t slot : slots_)
        if (slot != AggregateRun::no_slot) registry_.at(slot).box.close();
    context().inquiries().remove(id_.serial());
    registry_.remove_group(id_.serial());
    if (first_channel_tag_ >= 0) context().channel_tags().give_back(first_channel_tag_);
}

void Group::open_mailboxes(const std::vector<PairList> &pairs) {
    const ChannelTags &tags = context().channel_tags();
    for (const uint32_t slot : slots_) registry_.at(slot).box.open({ id_.serial(), {}, false });
    for (const PairList &pair : pairs)
        for (size_t i = 0; i < pair.slots.size(); ++i) {
            Mailbox &box = registry_.at(pair.slots[i]).box;
            const int64_t bytes = box.varies() ? -1 : pair.wire_bytes(registry_, i);
            box.open({ id_.serial(), tags.tag(first_channel_tag_ + static_cast<int64_t>(i)), pair.bare(registry_, i), bytes });
        }
}

void Group::open_run(const std::vector<PairList> &pairs, const halo_group_desc &desc) {
    for (const uint32_t slot : slots_) registry_.at(slot).box.aggregate(id_.serial());
    const Space space = space_of(desc.memory, desc.device);
    run_ = std::make_unique<AggregateRun>(registry_, id_, slots_, pairs, space, desc.flags_memory);
}

bool Group::busy() {
    if (run_) return !run_->settled() || run_->busy();
    bool any = false;
    for (const uint32_t slot : slots_) any = (slot != AggregateRun::no_slot && registry_.at(slot).box.busy()) || any;
    return any;
}

// One channel after the other: none waits for another of this rank.
void Group::drain(double timeout_seconds) {
    Waiter waiter(context(), context().timeout(timeout_seconds));
    size_t n_drained = 0;
    const auto drained = [&] {
        if (run_) return run_->drain();
        while (n_drained < slots_.size() && (slots_[n_drained] == AggregateRun::no_slot || registry_.at(slots_[n_drained]).box.drain())) ++n_drained;
        return n_drained == slots_.size();
    };
    while (!drained())
        if (const auto missing = [&] { return undrained(n_drained); }; !waiter.pause(missing))
            fail(HALO_TIMEOUT, "timed out after %.1f s: %s", waiter.seconds(), missing().c_str());
}

// The first few.
std::string Group::undrained(size_t first) {
    constexpr size_t n_named = 3;
    std::string text = format("group %u is not drained", id_.serial());
    if (run_) return text + run_->undrained();
    size_t n = 0;
    for (size_t i = first; i < slots_.size(); ++i)
        if (slots_[i] != AggregateRun::no_slot && !registry_.at(slots_[i]).box.idle() && ++n <= n_named)
            text += (n == 1 ? ": " : "; ") + registry_.at(slots_[i]).box.awaited();
    return n > n_named ? text + format("; and %zu more", n - n_named) : text;
}

void Group::abandon() noexcept {
    if (run_) run_->abandon();
    for (const uint32_t slot : slots_)
        if (slot != AggregateRun::no_slot) registry_.at(slot).box.abandon();
}

bool Group::leave(halo_channel &channel) {
    if (run_ && run_->busy()) return false;
    slots_[channel.row] = AggregateRun::no_slot;
    if (run_) run_->leave(channel.row);
    for (Table &table : tables_) table.row_bytes = 0;
    return true;
}

AggregateRun &Group::run(const char *call) {
    if (!run_) fail(HALO_ERR_STATE, "%s: group %u sends one message per channel: use the calls of its channels", call, id_.serial());
    return *run_;
}

const halo_group_row *Group::table(size_t row_bytes) {
    run("halo_group_table");
    check_bytes_limit("halo_group_table: row_bytes", row_bytes, limits::struct_bytes);
    constexpr FirstVersion first = first_version<halo_group_row>;
    if (row_bytes < first.bytes || row_bytes % alignof(halo_group_row) != 0)
        fail(HALO_ERR_VERSION, "%s: row_bytes is %zu; the size of the struct, at least %zu, is wanted", first.name, row_bytes, first.bytes);
    const AggregateRun::View &now = run_->view();
    for (const int i : { recent_, 1 - recent_ })
        if (tables_[i].row_bytes == row_bytes && tables_[i].view.same_as(now)) {
            recent_ = i;
            return reinterpret_cast<const halo_group_row *>(tables_[i].rows.data());
        }
    recent_ = 1 - recent_;
    Table &table = tables_[recent_];
    if (table.row_bytes != row_bytes) fill(table, row_bytes);
    run_->refresh(now, table.rows.data(), row_bytes);
    table.view = now;
    return reinterpret_cast<const halo_group_row *>(table.rows.data());
}

void Group::fill(Table &table, size_t row_bytes) const {
    table.rows.assign(slots_.size() * row_bytes, std::byte{ 0 });
    for (uint32_t i = 0; i < slots_.size(); ++i) {
        const halo_group_row values = row(i);
        std::memcpy(table.rows.data() + i * row_bytes, &values, std::min(row_bytes, sizeof values));
    }
    table.row_bytes = row_bytes;
}

halo_group_row Group::row(uint32_t i) const {
    halo_group_row row{};
    row.peer = -1;
    if (slots_[i] == AggregateRun::no_slot) return row;
    halo_channel &channel = registry_.at(slots_[i]);
    const AggregateRun::Slice slice = run_->slice(i);
    row.channel = &channel;
    row.data = slice.data;
    row.bytes = slice.bytes;
    row.peer = channel.box.peer();
    row.sender = channel.box.sends() ? 1 : 0;
    row.state = slice.state;
    return row;
}

} // namespace halo
