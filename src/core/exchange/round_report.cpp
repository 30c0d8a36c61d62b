// SPDX-License-Identifier: BSD-3-Clause
// What a round is, in words and in figures.
#include <algorithm>

#include "exchange/round.h"

namespace halo {

Terms Round::terms() const {
    Terms terms;
    terms.add("what it is", spec_.what);
    return Terms(terms.packed() + terms_of(spec_).packed());
}

const std::vector<PlanLink> &Round::links() const {
    if (!is_planned()) fail(HALO_ERR_STATE, "%s: its peers are not known before it is prepared, or runs", spec_.what.c_str());
    return plan_->links();
}

std::string Round::describe() const {
    std::string text = spec_.what + ": " + spec_.kind + format("; %lld runs\n", static_cast<long long>(runs_));
    if (!is_planned()) return text + "  nothing is known of its peers before it is prepared, or runs\n";
    if (const int64_t n = plan_->n_local(); n > 0) text += format("  within this rank: %lld channels, copied\n", static_cast<long long>(n));
    text += messages_->describe_paths();
    for (const auto &work : works_) text += work->describe_graphs();
    return text;
}

void Round::count(halo_exchange_stats &stats) const {
    stats.runs += runs_;
    stats.local_bytes += local_bytes_;
    stats.sparse_sent += local_states_;
    stats.sparse_null += local_nulls_;
    stats.tables_compiled += compiled_;
    stats.rows_compiled += compiled_rows_;
    stats.dropped = context_.dropped;
    for (const auto &work : works_) stats.device_launches += work->launches;
    stats.runs_departed_later += departed_later_;
    const RunTimes::Seconds seconds = times_.sum();
    stats.wait_seconds += seconds.waited;
    stats.total_seconds += seconds.total;
    if (!is_planned()) return;
    stats.n_peers = std::max(stats.n_peers, static_cast<int32_t>(plan_->links().size()));
    stats.channels_local += plan_->n_local();
    for (const PlanLink &link : plan_->links()) {
        stats.channels_send += link.n_send;
        stats.channels_receive += link.n_receive;
    }
    messages_->count(stats);
}

} // namespace halo
