// SPDX-License-Identifier: BSD-3-Clause
// What Cartesian codes do by hand.
#include <numeric>
#include <set>

#include "cartesian_contenders.h"
#include "cartesian_strips.h"

namespace bench {

namespace {

constexpr int64_t value_bytes = sizeof(double);

// Strips between ranks and those within this one. At the border between two ranks the same peer may be met in many directions.
struct Division {
    std::vector<Strip> local, remote;

    // All directions are periodic: a rank that is its own neighbour on one side is so on the other side too.
    Division(const CartesianWork &work, const std::vector<Strip> &strips) {
        for (const Strip &strip : strips) (strip.from == work.rank() ? local : remote).push_back(strip);
    }
    void copy_local(const CartesianWork &work) const {
        for (const Strip &strip : local) copy_within(work, strip.source, strip.ghosts);
    }
};

void add(Counts &counts, const CartesianWork &work, const Division &strips, std::set<int32_t> &peers) {
    const int64_t fields = work.size().fields;
    for (const Strip &strip : strips.remote) {
        peers.insert(strip.to);
        counts.wire_bytes += strip.source.cells() * fields * value_bytes;
    }
    counts.messages += static_cast<int64_t>(strips.remote.size());
    counts.jobs += fields * static_cast<int64_t>(strips.local.size() + 2 * strips.remote.size());
    counts.peers = static_cast<int64_t>(peers.size());
}

// Messages of some strips through buffers, to be exchanged at once.
class PackedStrips {
public:
    PackedStrips(const Session &session, CartesianWork &work, const std::vector<Strip> &strips) : work_(work), strips_(work, strips) {
        int64_t values = 0;
        for (const Strip &strip : strips_.remote) values += strip.source.cells() * work.size().fields;
        outbox_ = allocate_values(values, true);
        inbox_ = allocate_values(values, true);
        std::vector<Letter> sends, receives;
        int64_t first = 0;
        for (const Strip &strip : strips_.remote) {
            const int64_t n = strip.source.cells() * work.size().fields;
            sends.push_back({ strip.to, strip.tag, outbox_.get() + first, n, {} });
            receives.push_back({ strip.from, strip.tag, inbox_.get() + first, n, {} });
            places_.push_back(first);
            first += n;
        }
        if (session.mpi() == nullptr) return;
        mail_ = session.mpi()->persistent(sends, receives);
        for (size_t i = 0; i < strips_.remote.size(); ++i) mail_->start_receive(i);
        missing_.reserve(strips_.remote.size());
    }
    ~PackedStrips() {
        if (!mail_) return;
        mail_->wait_sends();
        mail_->withdraw();
    }
    PackedStrips(const PackedStrips &) = delete;
    PackedStrips &operator=(const PackedStrips &) = delete;

    void exchange() {
        if (mail_) mail_->wait_sends();
        for (size_t i = 0; i < strips_.remote.size(); ++i) {
            pack(work_, strips_.remote[i].source, outbox_.get() + places_[i]);
            mail_->start_send(i);
        }
        strips_.copy_local(work_);
        missing_.resize(strips_.remote.size());
        std::iota(missing_.begin(), missing_.end(), size_t{ 0 });
        while (!missing_.empty())
            for (size_t k = missing_.size(); k-- > 0;)
                if (mail_->arrived(missing_[k])) {
                    take(missing_[k]);
                    missing_.erase(missing_.begin() + static_cast<std::ptrdiff_t>(k));
                }
    }
    const Division &strips() const { return strips_; }

private:
    // The receive of the next exchange is posted at once.
    void take(size_t i) {
        unpack(work_, strips_.remote[i].ghosts, inbox_.get() + places_[i]);
        mail_->start_receive(i);
    }

    CartesianWork &work_;
    Division strips_;
    Values outbox_, inbox_;
    std::vector<int64_t> places_; // of each strip in both
    std::unique_ptr<Mail> mail_;  // null: no other rank
    std::vector<size_t> missing_;
};

class Directions final : public Contender {
public:
    Directions(const Session &session, CartesianWork &work) : work_(work), strips_(session, work, strips_by_direction(work)) {}
    std::string name() const override { return "26 directions"; }
    void exchange() override { strips_.exchange(); }
    std::optional<Counts> counts() override {
        Counts counts;
        std::set<int32_t> peers;
        add(counts, work_, strips_.strips(), peers);
        return counts;
    }

private:
    CartesianWork &work_;
    PackedStrips strips_;
};

class Sweeps final : public Contender {
public:
    Sweeps(const Session &session, CartesianWork &work) : work_(work) {
        for (size_t d = 0; d < 3; ++d) sweeps_.push_back(std::make_unique<PackedStrips>(session, work, strips_of_sweep(work, d)));
    }
    std::string name() const override { return "3 sweeps"; }
    void exchange() override {
        for (const auto &sweep : sweeps_) sweep->exchange();
    }
    std::optional<Counts> counts() override {
        Counts counts;
        std::set<int32_t> peers;
        for (const auto &sweep : sweeps_) add(counts, work_, sweep->strips(), peers);
        return counts;
    }

private:
    CartesianWork &work_;
    std::vector<std::unique_ptr<PackedStrips>> sweeps_;
};

Letter letter_of(const CartesianWork &work, const Region &region, int32_t peer, int32_t tag) {
    Letter letter{ peer, tag, nullptr, region.cells() * work.size().fields, {} };
    const auto row = static_cast<int>(work.row()), g = static_cast<int>(work.size().ghost);
    for (int32_t f = 0; f < work.size().fields; ++f) {
        Box &box = letter.boxes.emplace_back(Box{ work.field(f), { 1, row, row, row }, { 1, 0, 0, 0 }, { 0, 0, 0, 0 } });
        for (size_t d = 0; d < 3; ++d) {
            box.part[3 - d] = static_cast<int>(region.high[d] - region.low[d]);
            box.start[3 - d] = static_cast<int>(region.low[d]) + g;
        }
    }
    return letter;
}

class DirectionDatatypes final : public Contender {
public:
    DirectionDatatypes(const Session &session, CartesianWork &work) : work_(work), strips_(work, strips_by_direction(work)) {
        std::vector<Letter> sends, receives;
        for (const Strip &strip : strips_.remote) {
            sends.push_back(letter_of(work, strip.source, strip.to, strip.tag));
            receives.push_back(letter_of(work, strip.ghosts, strip.from, strip.tag));
        }
        mail_ = session.mpi()->persistent(sends, receives);
    }
    std::string name() const override { return "datatypes"; }
    void exchange() override {
        for (size_t i = 0; i < strips_.remote.size(); ++i) mail_->start_receive(i);
        for (size_t i = 0; i < strips_.remote.size(); ++i) mail_->start_send(i);
        strips_.copy_local(work_);
        mail_->wait_receives();
        mail_->wait_sends();
    }
    std::optional<Counts> counts() override {
        Counts counts;
        std::set<int32_t> peers;
        add(counts, work_, strips_, peers);
        counts.jobs = work_.size().fields * static_cast<int64_t>(strips_.local.size());
        return counts;
    }

private:
    CartesianWork &work_;
    Division strips_;
    std::unique_ptr<Mail> mail_;
};

} // namespace

std::unique_ptr<Contender> make_directions(const Session &session, CartesianWork &work) { return std::make_unique<Directions>(session, work); }

std::unique_ptr<Contender> make_sweeps(const Session &session, CartesianWork &work) { return std::make_unique<Sweeps>(session, work); }

std::unique_ptr<Contender> make_direction_datatypes(const Session &session, CartesianWork &work) {
    return std::make_unique<DirectionDatatypes>(session, work);
}

} // namespace bench
