// SPDX-License-Identifier: BSD-3-Clause
// Runs of groups whose rows are given in parts.
#include <cstring>

#include "channel/aggregate.h"

namespace halo {

bool AggregateRun::send_rows(std::span<const int64_t> rows, const uint8_t *null_flags, halo_stream stream) {
    if (!by_rows_ && (sent_ || sending_)) illegal("send_rows");
    if (device_) stream = device_->require(stream, "halo_group_send_rows");
    if (by_rows_ ? !ready() : !writable()) return false;
    give({ rows, null_flags, false }, stream);
    return true;
}

// There may be none.
bool AggregateRun::send_rest(const uint8_t *null_flags, halo_stream stream) {
    if (!ready()) return false;
    rest_.clear();
    for (uint32_t row = 0; row < places_.size() && n_left_ > 0; ++row)
        if (places_[row].sender && slots_[row] != no_slot && given_in_[row] != epoch_) rest_.push_back(row);
    give({ rest_, null_flags, true }, stream);
    rest_sent_ = true;
    return true;
}

// What fails has given no row, so that it can be called again; peers that have theirs by then keep it.
void AggregateRun::give(const Rows &rows, halo_stream stream) {
    claim(rows.list);
    if (!by_rows_) begin_rows();
    if (device_) return fetch_rows(rows, stream);
    mark_given(rows);
    count_ready(rows.list);
    try {
        send_ready_links();
    } catch (...) {
        count_ready(rows.list, -1);
        give_up_claim(rows.list);
        throw;
    }
    n_left_ -= static_cast<uint32_t>(rows.list.size());
    sent_ = n_left_ == 0;
    sent_all_ = sent_ && complete_ && !any_null_;
}

void AggregateRun::begin_rows() {
    for (Link &link : links_) {
        link.any_data = false;
        link.n_left = static_cast<int32_t>(link.n_sent) - link.n_gone;
    }
    n_left_ = n_sent_rows_ - n_gone_rows_;
    for (uint32_t row = 0; row < places_.size() && n_gone_rows_ > 0; ++row)
        if (places_[row].sender && slots_[row] == no_slot) mark(row, false);
    parts_.clear();
    order_.clear();
    by_rows_ = true;
    rest_sent_ = any_null_ = sent_all_ = false;
}

void AggregateRun::claim(std::span<const int64_t> rows) {
    given_in_.resize(places_.size());
    size_t n = 0;
    try {
        for (; n < rows.size(); ++n) claim(rows[n]);
    } catch (...) {
        give_up_claim(rows.first(n));
        throw;
    }
}

void AggregateRun::claim(int64_t row) {
    const auto i = static_cast<size_t>(row); // of negative ones: beyond any table
    const bool known = i < places_.size() && slots_[i] != no_slot;
    const char *why = i >= places_.size()      ? "the table has no such row"
                      : !known                 ? "its channel is no longer in the group"
                      : !places_[i].sender     ? "this rank does not send "
                      : given_in_[i] == epoch_ ? "it has been given in this run: "
                                               : nullptr;
    if (why) [[unlikely]]
        fail(HALO_ERR_ARGUMENT, "halo_group_send_rows: row %lld: %s%s; group %u, run %u", static_cast<long long>(row), why,
             known ? registry_.at(slots_[i]).box.describe().c_str() : "", serial_, epoch_);
    given_in_[i] = epoch_;
}

void AggregateRun::give_up_claim(std::span<const int64_t> rows) noexcept {
    for (const int64_t row : rows) given_in_[static_cast<size_t>(row)] = 0;
}

void AggregateRun::mark_given(const Rows &rows) {
    for (size_t i = 0; i < rows.list.size(); ++i) {
        const auto row = static_cast<uint32_t>(rows.list[i]);
        const bool null = rows.null(i);
        if (places_[row].link != local && links_[places_[row].link].peer->has_sent()) continue; // by a call that failed for another peer
        any_null_ |= null;
        mark(row, !null);
    }
}

// Their values are where their messages are sent from.
void AggregateRun::count_ready(std::span<const int64_t> rows, int32_t by) {
    for (const int64_t row : rows)
        if (const Place place = places_[static_cast<size_t>(row)]; place.link != local) links_[place.link].n_left -= by;
}

void AggregateRun::send_ready_links() {
    for (Link &link : links_) {
        if (!link.peer->sends() || link.n_left > 0 || link.peer->has_sent()) continue;
        const size_t bytes = end_of_data(link);
        if (device_ && bytes > 0) std::memcpy(link.peer->send_payload(), device_->passed(link.send_place), bytes);
        link.peer->send(bytes);
    }
}

void AggregateRun::fetch_rows(const Rows &rows, halo_stream stream) {
    const bool flags_come = rows.null_flags && flags_on_device_ && !rows.list.empty();
    const size_t begin = order_.size(), i = parts_.size();
    try {
        order_.insert(order_.end(), rows.list.begin(), rows.list.end());
        parts_.push_back({ begin, order_.size(), flags_come, rows.of_table });
        if (flags_come && rows.of_table)
            device_->fetch_flags(slots_.size(), rows.null_flags, slots_.size(), stream);
        else if (flags_come)
            device_->fetch_flags(begin, rows.null_flags, rows.list.size(), stream);
        fetch_slices({ rows.list, flags_come ? nullptr : rows.null_flags, rows.of_table }, stream);
        device_->fetched_part(i).record(stream);
    } catch (...) {
        order_.resize(begin);
        parts_.resize(i);
        give_up_claim(rows.list);
        throw;
    }
    if (!flags_come) mark_given(rows);
    flags_come_ |= flags_come;
    n_left_ -= static_cast<uint32_t>(rows.list.size());
    leaving_ = sent_ = n_left_ == 0;
    rows_leave_ = true;
    context().departures().add(*this);
}

// One copy for slices that lie side by side.
void AggregateRun::fetch_slices(const Rows &rows, halo_stream stream) {
    uint32_t link = local;
    int64_t begin = 0, end = 0;
    const auto fetch = [&] {
        if (end > begin) device_->fetch(links_[link].send_place + static_cast<size_t>(begin), static_cast<size_t>(end - begin), stream);
    };
    for (size_t i = 0; i < rows.list.size(); ++i) {
        const auto row = static_cast<uint32_t>(rows.list[i]);
        const Place place = places_[row];
        if (place.link == local || rows.null(i)) continue;
        const int64_t at = place.offset * alignment;
        if (place.link != link || at != slice_end(end, 0)) {
            fetch();
            link = place.link;
            begin = at;
        }
        end = at + bytes_of(row);
    }
    fetch();
}

// Parts become ready in any order.
void AggregateRun::send_fetched_rows() {
    bool all_ready = true;
    for (size_t i = 0; i < parts_.size(); ++i) {
        Part &part = parts_[i];
        if (part.ready) continue;
        if (!device_->fetched_part(i).has_fired()) {
            all_ready = false;
            continue;
        }
        const std::span<const int64_t> rows = std::span<const int64_t>(order_).subspan(part.begin, part.end - part.begin);
        if (part.flags_come) mark_given({ rows, device_->flags() + (part.of_table ? slots_.size() : part.begin), part.of_table });
        count_ready(rows);
        part.ready = true;
    }
    send_ready_links();
    if (!all_ready) return;
    leaving_ = rows_leave_ = flags_come_ = false;
    sent_all_ = sent_ && complete_ && !any_null_;
}

} // namespace halo
