// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/exchange.h"

#include <map>

namespace halo {

Exchange::Exchange(std::vector<Field *> fields, std::vector<RoundSpec> rounds, std::unique_ptr<RoundSteps> steps, std::string what)
    : fields_(std::move(fields)),
      what_(std::move(what)),
      is_single_(rounds.size() == 1 && !steps),
      has_steps_(steps != nullptr),
      steps_(steps ? std::move(steps) : std::make_unique<RoundSteps>()) {
    for (RoundSpec &round : rounds) rounds_.push_back(std::make_unique<Round>(std::move(round)));
    const auto fills_ghosts = [&](size_t field) {
        const std::vector<RoundPiece> &pieces = rounds_.front()->spec().pieces;
        return std::any_of(pieces.begin(), pieces.end(), [&](const RoundPiece &piece) {
            return piece.destination == static_cast<int32_t>(field) && piece.sparse == SparseRule::ghosts;
        });
    };
    for (size_t f = 0; f < fields_.size(); ++f)
        if (fields_[f]->is_released_by_age() && fills_ghosts(f)) aged_.push_back(f);
    looked_at_.reserve(aged_.size());
    for (Field *field : fields_) {
        ++field->exchanges;
        n_pointers_ += field->topology().local_parts().size();
    }
}

Exchange::~Exchange() {
    for (Field *field : fields_) --field->exchanges;
}

int64_t Exchange::payload_bytes(size_t field) const {
    int64_t bytes = 0;
    for (const auto &round : rounds_)
        for (size_t p = 0; p < round->plan().pieces().size(); ++p)
            if (round->plan().pieces()[p].destination == static_cast<int32_t>(field)) bytes += round->plan().payload_bytes(p);
    return bytes;
}

void Exchange::on_arrival(const std::function<void(const std::vector<Arrivals::Part> &)> &call) {
    for (const auto &round : rounds_) round->on_arrival = call;
}

// Of what the run, which can be read, takes from bindings.
void Exchange::begin_by_age(const halo_run &run) {
    looked_at_.clear();
    if (run.data) return;
    for (const size_t f : aged_)
        if (takes_field(run, f) && fields_[f]->begin_run_by_age()) looked_at_.push_back(fields_[f]);
}

void Exchange::end_by_age() {
    for (Field *field : looked_at_) field->end_run_by_age();
    looked_at_.clear();
}

// The caller's arrays need not outlive start.
void Exchange::keep(const halo_run &run) {
    const size_t n = fields_.size();
    check_lists(run, n, n_pointers_, what());
    for (size_t f = 0; f < n; ++f) {
        if (!takes_field(run, f)) continue;
        const int32_t set = run.sets ? run.sets[f] : 0;
        fields_[f]->check_set(set);
        if (!run.data) fields_[f]->require_present_layouts(set);
    }
    begin_by_age(run);
    run_ = run;
    if (run.field_mask) run_.field_mask = (mask_.assign(run.field_mask, run.field_mask + n), mask_.data());
    if (run.sets) run_.sets = (sets_.assign(run.sets, run.sets + n), sets_.data());
    if (run.data) run_.data = (data_.assign(run.data, run.data + n_pointers_), data_.data());
    if (run.devices) run_.devices = (devices_.assign(run.devices, run.devices + n), devices_.data());
    steps_->begin(run_);
}

Phase Exchange::phase() const {
    if (std::ranges::any_of(rounds_, [](const auto &round) { return round->phase() == Phase::dead; })) return Phase::dead;
    if (is_single_) return present().phase();
    if (!running_) return Phase::idle;
    if (present_ == 0 && !sent_) return Phase::posted;
    return is_last() && present().phase() == Phase::unpacked ? Phase::unpacked : Phase::sent;
}

void Exchange::begin(const halo_run &run) {
    require(Phase::idle, "post or start");
    present_ = 0;
    sent_ = false;
    try {
        for (const auto &round : rounds_) round->find_plan();
        keep(run);
    } catch (...) {
        const Error error = present_error();
        if (error.status() != HALO_BUSY) fail_from(0, error);
        throw error;
    }
    running_ = true;
    for (Field *field : fields_) ++field->in_flight;
}

void Exchange::advance() {
    steps_->after(present_, run_);
    ++present_;
    sent_ = false;
}

void Exchange::end() {
    if (running_)
        for (Field *field : fields_) --field->in_flight;
    running_ = false;
}

// Peers that have not heard of the failure go on to the next rounds, and would wait there.
void Exchange::fail_from(size_t round, const Error &error) noexcept {
    for (; round < rounds_.size(); ++round) try {
            rounds_[round]->refuse(error);
        } catch (...) { // it is dead, or the transport has failed too
        }
}

void Exchange::refuse_unread(const Error &error) noexcept {
    if (in_flight()) return;
    for (const auto &round : rounds_) try {
            round->refuse_unread(error);
        } catch (...) { // the caller gets the first error
        }
}

std::optional<Error> Exchange::take_device_failure() noexcept {
    std::optional<Error> first;
    for (const auto &round : rounds_)
        if (const std::optional<Error> failed = round->take_device_failure(); failed && !first) first = failed;
    return first;
}

template <class Step>
void Exchange::step(Step &&step) {
    try {
        step();
    } catch (...) {
        Error error = present_error();
        if (running_ && error.status() != HALO_TIMEOUT && !present().in_flight()) {
            const bool told = error.status() != HALO_BUSY;                          // of the round, which else has not begun
            if (!told && present_ > 0) error = Error(HALO_ERR_STATE, error.text()); // but the run has
            if (told || present_ > 0) fail_from(told ? present_ + 1 : present_, error);
            end();
        }
        throw error;
    }
}

void Exchange::prepare() {
    require(Phase::idle, "prepare");
    for (const auto &round : rounds_) round->find_plan();
    steps_->prepare();
    for (const auto &round : rounds_) round->prepare();
}

void Exchange::post(const halo_run &run) {
    if (is_single_) {
        if (!aged_.empty() && present().takes(run)) begin_by_age(run);
        return present().post(run);
    }
    begin(run);
    step([&] { present().post(run_); });
}

bool Exchange::send(halo_stream stream) {
    if (is_single_) return present().send(stream);
    require(Phase::posted, "send");
    stream_ = stream;
    step([&] { send_present(); });
    return sent_;
}

bool Exchange::send_present() {
    return sent_ = present().send(stream_, [&] {
        if (present_ == 0) steps_->before_send(run_, present());
    });
}

// A round that is done starts the next one.
bool Exchange::test() {
    if (is_single_) return present().test();
    require(Phase::sent, "test");
    bool here = false;
    step([&] {
        while (true) {
            if (!sent_ && !send_present()) return;
            if (!present().test()) return;
            if ((here = is_last())) return;
            present().unpack(stream_);
            present().end();
            advance();
            present().post(run_);
        }
    });
    return here;
}

void Exchange::unpack(halo_stream stream) {
    if (is_single_) return present().unpack(stream);
    require(Phase::sent, "unpack");
    if (!test()) fail(HALO_ERR_STATE, "%s: unpack is illegal before test says done", what().c_str());
    step([&] { present().unpack(stream, [&] { steps_->after_unpack(run_, present()); }); });
}

void Exchange::refine(halo_stream stream) {
    require(Phase::unpacked, "refine");
    if (is_single_) {
        present().end();
    } else {
        step([&] {
            if (has_steps_) return present().end(stream, [&] { steps_->refine(run_, present()); });
            present().end();
        });
        end();
    }
    end_by_age();
}

void Exchange::start(const halo_run &run, halo_stream stream) {
    if (is_single_) {
        if (!aged_.empty() && present().takes(run)) begin_by_age(run);
        return present().start(run, stream);
    }
    begin(run);
    stream_ = stream;
    step([&] { present().start(run_, stream, [&] { steps_->before_send(run_, present()); }); });
    sent_ = true;
}

// Goes on where a call that timed out has stopped, which may have been between two rounds.
void Exchange::finish(halo_stream stream) {
    if (is_single_) {
        present().finish(stream);
        return end_by_age();
    }
    require(Phase::sent, "finish");
    step([&] {
        while (true) {
            if (!sent_) present().send_when_writable(stream);
            sent_ = true;
            if (is_last()) break;
            present().finish(stream);
            advance();
            present().post(run_);
        }
        present().finish(
            stream, [&] { steps_->after_unpack(run_, present()); }, [&] { steps_->refine(run_, present()); });
    });
    end();
    end_by_age();
}

void Exchange::abandon() {
    present().abandon();
    end();
}

std::vector<halo_peer_row> Exchange::peers() const {
    std::map<int32_t, halo_peer_row> by_rank;
    for (const auto &round : rounds_)
        for (const PlanLink &link : round->links()) {
            halo_peer_row &row = by_rank.try_emplace(link.peer, halo_peer_row{}).first->second;
            row.rank = link.peer;
            row.channels_sent += link.n_send;
            row.channels_received += link.n_receive;
            row.bytes_sent += link.bytes_sent;
            row.bytes_received += link.bytes_received;
        }
    std::vector<halo_peer_row> rows;
    for (const auto &[rank, row] : by_rank) rows.push_back(row);
    return rows;
}

std::string Exchange::describe() const {
    std::string text;
    for (const auto &round : rounds_) text += round->describe();
    return text;
}

void Exchange::count(halo_exchange_stats &stats) const {
    for (const auto &round : rounds_) round->count(stats);
    stats.runs = rounds_.back()->runs();
}

} // namespace halo
