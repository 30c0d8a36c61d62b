// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <numeric>
#include <set>

#include "contenders.h"

namespace bench {

namespace {

std::vector<Letter> letters(Parcels &parcels) {
    std::vector<Letter> result;
    for (size_t i = 0; i < parcels.parcels.size(); ++i) {
        const Parcel &parcel = parcels.parcels[i];
        result.push_back({ parcel.peer, parcel.tag, parcels.data(i), parcel.values, {} });
    }
    return result;
}

Counts count(const Parcels &sends, int64_t jobs) {
    Counts counts;
    std::set<int32_t> peers;
    for (const Parcel &parcel : sends.parcels) {
        peers.insert(parcel.peer);
        counts.wire_bytes += parcel.values * static_cast<int64_t>(sizeof(double));
    }
    counts.peers = static_cast<int64_t>(peers.size());
    counts.messages = static_cast<int64_t>(sends.parcels.size());
    counts.jobs = jobs;
    return counts;
}

int64_t n_jobs(const Parcels &parcels) {
    return std::accumulate(parcels.parcels.begin(), parcels.parcels.end(), int64_t{ 0 },
                           [](int64_t n, const Parcel &parcel) { return n + static_cast<int64_t>(parcel.jobs.size()); });
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

class PerChannel final : public Contender {
public:
    PerChannel(const Session &session, Work &work, Part part)
        : kernels_(fastest_kernels(work)),
          sizes_(row_sizes(work)),
          local_(work, kernels_),
          with_local_(part == Part::all),
          sends_(parcels_to_send(work, kernels_, Grouping::per_channel)),
          receives_(parcels_to_receive(work, kernels_, Grouping::per_channel)),
          mail_(session.mpi()->plain(letters(sends_), letters(receives_))) {}
    std::string name() const override { return "per channel"; }
    void exchange() override {
        for (size_t i = 0; i < receives_.parcels.size(); ++i) mail_->start_receive(i);
        for (size_t i = 0; i < sends_.parcels.size(); ++i) {
            run_jobs(sends_.parcels[i].jobs, sizes_);
            mail_->start_send(i);
        }
        if (with_local_) local_.run();
        mail_->wait_receives();
        for (const Parcel &parcel : receives_.parcels) run_jobs(parcel.jobs, sizes_);
        mail_->wait_sends();
    }
    std::optional<Counts> counts() override { return count(sends_, n_jobs(sends_) + n_jobs(receives_) + (with_local_ ? local_.n_jobs() : 0)); }

private:
    const KernelSet &kernels_;
    RowSizes sizes_;
    LocalCopies local_;
    bool with_local_;
    Parcels sends_, receives_;
    std::unique_ptr<Mail> mail_;
};

} // namespace

Expert::Expert(const Session &session, Work &work, Part part)
    : kernels_(fastest_kernels(work)),
      sizes_(row_sizes(work)),
      local_(work, kernels_),
      with_local_(part == Part::all),
      sends_(parcels_to_send(work, kernels_, Grouping::per_peer)),
      receives_(parcels_to_receive(work, kernels_, Grouping::per_peer)) {
    if (session.mpi() == nullptr) return;
    mail_ = session.mpi()->persistent(letters(sends_), letters(receives_));
    for (size_t i = 0; i < receives_.parcels.size(); ++i) mail_->start_receive(i);
    missing_.reserve(receives_.parcels.size());
}

Expert::~Expert() {
    if (!mail_) return;
    mail_->wait_sends();
    mail_->withdraw();
}

void Expert::pack_and_send() {
    for (size_t i = 0; i < sends_.parcels.size(); ++i) {
        run_jobs(sends_.parcels[i].jobs, sizes_);
        mail_->start_send(i);
    }
}

// The receive of the next exchange is posted at once.
void Expert::unpack(size_t i) {
    run_jobs(receives_.parcels[i].jobs, sizes_);
    mail_->start_receive(i);
}

void Expert::exchange() {
    if (mail_) mail_->wait_sends();
    pack_and_send();
    if (with_local_) local_.run();
    missing_.resize(receives_.parcels.size());
    std::iota(missing_.begin(), missing_.end(), size_t{ 0 });
    while (!missing_.empty())
        for (size_t k = missing_.size(); k-- > 0;)
            if (mail_->arrived(missing_[k])) {
                unpack(missing_[k]);
                missing_.erase(missing_.begin() + static_cast<std::ptrdiff_t>(k));
            }
}

Expert::Phases Expert::exchange_by_phases() {
    const double begin = now();
    if (mail_) mail_->wait_sends();
    pack_and_send();
    const double packed = now();
    if (with_local_) local_.run();
    const double copied = now();
    if (mail_) mail_->wait_receives();
    const double arrived = now();
    for (size_t i = 0; i < receives_.parcels.size(); ++i) unpack(i);
    return { packed - begin, copied - packed, arrived - copied, now() - arrived };
}

std::optional<Counts> Expert::counts() { return count(sends_, n_jobs(sends_) + n_jobs(receives_) + (with_local_ ? local_.n_jobs() : 0)); }

std::unique_ptr<Contender> make_per_channel(const Session &session, Work &work, Part part) {
    return std::make_unique<PerChannel>(session, work, part);
}

} // namespace bench
