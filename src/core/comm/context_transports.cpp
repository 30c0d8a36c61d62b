// SPDX-License-Identifier: BSD-3-Clause
// Which transports a context opens, and how: one that reaches all ranks, then those beside it.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "comm/agree.h"
#include "comm/bootstrap.h"
#include "comm/collective.h"
#include "comm/collective_stream.h"
#include "comm/context.h"
#include "plugin/inproc_group.h"
#include "plugin/rendezvous.h"
#include "plugin/selection.h"
#include "plugin/started_ranks.h"

namespace halo {

namespace {

std::string place_of(const TransportChoice &choice) { return choice.path.empty() ? "built in" : choice.path; }

void check_ranks(const Transport &transport, const halo_bootstrap &bootstrap) {
    if (transport.rank() == bootstrap.rank && transport.size() == bootstrap.n_ranks) return;
    fail(HALO_ERR_PLUGIN, "transport %s has this rank as %d of %d, the bootstrap as %d of %d", transport.name(), transport.rank(), transport.size(),
         bootstrap.rank, bootstrap.n_ranks);
}

// Modules of two kinds would take each other's addresses for their own.
void check_all_take(const char *name, const halo_bootstrap &bootstrap) {
    using Name = std::array<char, 64>;
    Name mine{};
    std::strncpy(mine.data(), name, mine.size() - 1);
    std::vector<Name> all(static_cast<size_t>(bootstrap.n_ranks), mine);
    if (all.size() > 1) {
        const halo_status status = bootstrap.allgather(bootstrap.user, mine.data(), sizeof mine, all.data());
        if (status != HALO_SUCCESS) fail(status, "the bootstrap's allgather ended with status %d on rank %d", status, bootstrap.rank);
    }
    const auto other = std::find_if(all.begin(), all.end(), [&](const Name &theirs) { return theirs != all.front(); });
    if (other == all.end()) return;
    fail(HALO_ERR_MISMATCH,
         "setting transport: it comes to %s on rank 0 and to %s on rank %td: what reaches all ranks, the last name, is the same on all",
         all.front().data(), other->data(), other - all.begin());
}

} // namespace

// Ranks that were brought together for this program alone are meant, whatever MPI is there.
void Context::open_transport(const ContextSource &source) {
    static_cast<void>(transport_list(config_)); // a list that makes no sense is refused before others wait for this rank
    halo_transport_params params{};
    params.struct_size = sizeof params;
    params.communicator = source.communicator;
    params.handle_bytes = source.handle_bytes;
    params.group = source.meeting ? source.meeting->group() : nullptr;
    params.rank = source.meeting ? source.meeting->rank() : -1;
    params.bootstrap = source.bootstrap;
    if (source.meeting) {
        const TransportChoice choice = take_transport(config_, host_, "inproc");
        enter(*source.meeting);
        open_chosen(choice, params);
    } else if (source.bootstrap) {
        open_chosen(choose_transport_over(*source.bootstrap, config_, host_), params);
    } else if (source.communicator) {
        open_for_ranks_of_mpi(source, params);
    } else if (const BootstrapChoice named = named_bootstrap(config_, host_); named.plugin) {
        open_over_started(named, params);
    } else if (!config_.text("rendezvous").empty()) {
        const auto tell = [&](const std::string &text) { log_.warn("%s", text.c_str()); };
        Rendezvous rendezvous(rendezvous_place(config_), timeout(HALO_TIMEOUT_CONFIGURED), waiting_.warn_seconds, tell);
        rendezvous.opens([&] { open_over_rendezvous(rendezvous, params); });
    } else {
        open_for_ranks_of_mpi(source, params);
    }
}

void Context::open_for_ranks_of_mpi(const ContextSource &source, const halo_transport_params &params) {
    const MpiFacts facts = look_for_mpi(config_);
    const MpiChoice mpi = choose_mpi(facts, config_.word("mpi"), source.mpi);
    if (source.communicator) return open_chosen(take_transport(config_, host_, mpi.module()), params);
    const BootstrapChoice instead = bootstrap_instead_of(facts, mpi, config_, host_);
    instead.plugin ? open_over_started(instead, params) : open_chosen(choose_transport(config_, host_, mpi), params);
}

void Context::open_over_started(const BootstrapChoice &choice, halo_transport_params params) {
    const auto tell = [&](const std::string &text) { log_.warn("%s", text.c_str()); };
    StartedRanks ranks(choice, host_, report_, timeout(HALO_TIMEOUT_CONFIGURED), waiting_.warn_seconds, tell);
    params.bootstrap = &ranks.given();
    const TransportChoice transport = ranks.together([&] { return choose_transport_over(ranks.given(), config_, host_, ranks.text()); });
    ranks.opens([&] { open_chosen(transport, params); });
}

void Context::open_over_rendezvous(Rendezvous &rendezvous, halo_transport_params params) {
    params.bootstrap = &rendezvous.given();
    open_chosen(choose_transport_over(rendezvous.given(), config_, host_, rendezvous.place().text() + mpi_left_aside(look_for_mpi(config_))), params);
    rendezvous.done();
}

void Context::open_chosen(const TransportChoice &choice, const halo_transport_params &params) {
    log_.info("transport %s: %s", choice.plugin->name, choice.why.c_str());
    transport_path_ = place_of(choice);
    opened_with_ = params;
    if (params.bootstrap) check_all_take(choice.plugin->name, *params.bootstrap);
    auto transport = std::make_unique<Transport>(*choice.plugin, host_, params, report_);
    if (params.bootstrap) check_ranks(*transport, *params.bootstrap);
    fabric_ = std::make_unique<Fabric>(std::move(transport), choice.why);
    keep_to_limits(fabric_->max_tag());
    collectives_ = std::make_unique<CollectiveStream>(*this);
}

// Those of the fabric; before any object has a tag.
void Context::keep_to_limits(int32_t max_tag) {
    run_tags_ = std::make_unique<RunTags>(max_tag);
    channel_tags_ = std::make_unique<ChannelTags>(max_tag);
    if (fabric_->for_this_thread_only()) keep_to_this_thread();
}

void Context::keep_to_this_thread() {
    const bool own = config_.boolean("progress_thread");
    if (own || config_.word("threads") == "multiple")
        fail(HALO_ERR_STATE, "the setting %s cannot be kept: transport %s may be used by the thread alone that has opened it",
             own ? "progress_thread = yes" : "threads = multiple", fabric_->describe().c_str());
    call_rules_.allow_this_thread_only();
}

// Nobody is reached by them, but what runs with one rank runs with several.
void Context::check_transports() {
    for (const Beside &beside : transports_besides(config_)) take_transport(config_, host_, beside.name);
}

// Whoever sends to a rank over another transport than that rank expects would not be heard.
void Context::add_transports(Unasked &unasked, bool all_want_it) {
    const std::string path_of_rest = std::exchange(transport_path_, {});
    add_asked();
    add_unasked(unasked, all_want_it);
    transport_path_ += path_of_rest;
    if (fabric_->n_transports() == 1) return;
    if (allreduce_sum(*this, fabric_->sum_of_pairs()) != 0)
        fail(HALO_ERR_MISMATCH, "setting transport.besides: two ranks differ in which transport reaches the one from the other: %s",
             fabric_->describe().c_str());
    keep_to_limits(static_cast<int32_t>(allreduce_min(*this, fabric_->max_tag())));
}

void Context::add(const TransportChoice &choice, std::unique_ptr<Transport> opened, std::string why) {
    log_.info("transport %s: %s", choice.plugin->name, why.c_str());
    transport_path_ += place_of(choice) + ", ";
    fabric_->add(std::move(opened), std::move(why));
}

std::unique_ptr<Transport> Context::open_beside(const TransportChoice &choice, ContextBootstrap &bootstrap, uint32_t flags) {
    halo_transport_params params = opened_with_;
    params.bootstrap = &bootstrap.given();
    params.flags = flags;
    auto opened = bootstrap.opens([&] { return std::make_unique<Transport>(*choice.plugin, host_, params, report_); });
    fabric_->make_room_for(*opened);
    return opened;
}

// All have found each before any opens it: to open one may need them all.
void Context::add_asked() {
    ContextBootstrap bootstrap(*this);
    for (const Beside &beside : transports_besides(config_)) {
        if (beside.name == fabric_->name_of_rest()) continue;
        TransportChoice choice;
        together(*this, "transport.besides", [&] { choice = take_transport(config_, host_, beside.name); });
        std::string why;
        std::unique_ptr<Transport> opened;
        together(*this, "transport.besides", [&] {
            why = beside.why + "; " + choice.why;
            opened = open_beside(choice, bootstrap, 0);
        });
        add(choice, std::move(opened), std::move(why));
    }
}

// Nobody has it where one cannot, or no two are on one host.
void Context::add_unasked(Unasked &unasked, bool all_want_it) {
    if (unasked.is_there) return;
    std::string why_not = "another rank does without it";
    if (all_want_it) {
        std::unique_ptr<Transport> opened = open(unasked);
        int64_t least[] = { opened != nullptr, 0 };
        for (int32_t peer = 0; opened && peer < size(); ++peer) least[1] = std::min<int64_t>(least[1], peer == rank() ? 0 : -opened->reaches(peer));
        allreduce(*this, least, least, 2, HALO_INT64, HALO_MIN);
        if (least[0] == 1 && least[1] < 0) return add(unasked.choice, std::move(opened), "unasked, as transport is auto; " + unasked.choice.why);
        why_not = least[0] != 1           ? "another rank cannot open it"
                  : unasked.readers_alone ? "no two ranks of one host may read each other's memory, as is needed beside an MPI"
                                          : "no two ranks are on one host";
    }
    log_.info("transport %s is not taken beside %s: %s", unasked_transport, fabric_->name_of_rest(),
              unasked.why_not.empty() ? why_not.c_str() : unasked.why_not.c_str());
}

// Null where the transport is to blame; what else fails ends the context.
std::unique_ptr<Transport> Context::open(Unasked &unasked) {
    ContextBootstrap bootstrap(*this);
    try {
        return open_beside(unasked.choice, bootstrap, unasked.readers_alone ? HALO_OPEN_FOR_READERS : 0);
    } catch (...) {
        if (bootstrap.has_failed() || is_want_of_memory()) throw;
        unasked.why_not = present_error().what();
        return nullptr;
    }
}

} // namespace halo
