// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/staged.h"

namespace halo {

StagedExchange::StagedExchange(std::string what, std::vector<Field *> fields) : what_(std::move(what)), fields_(std::move(fields)) {
    for (Field *field : fields_) {
        ++field->exchanges;
        n_pointers_ += field->topology().local_parts().size();
    }
}

StagedExchange::~StagedExchange() {
    for (Field *field : fields_) --field->exchanges;
}

void StagedExchange::keep(const halo_run &run) {
    const size_t n = fields_.size();
    run_ = run;
    if (run.field_mask) run_.field_mask = (mask_.assign(run.field_mask, run.field_mask + n), mask_.data());
    if (run.sets) run_.sets = (sets_.assign(run.sets, run.sets + n), sets_.data());
    if (run.data) run_.data = (data_.assign(run.data, run.data + n_pointers_), data_.data());
}

void StagedExchange::begin(const halo_run &run) {
    if (running_) fail(HALO_ERR_STATE, "%s: post or start is illegal: a run is in flight", what_.c_str());
    for (const Exchange *stage : stages_)
        if (!stage->usable())
            fail(HALO_ERR_STATE, "%s: post or start is illegal: it was abandoned or has failed: it can only be destroyed", what_.c_str());
    present_ = 0;
    sent_ = false;
    try {
        keep(run);
    } catch (const Error &error) {
        fail_from(0, error);
        throw;
    }
    running_ = true;
    for (Field *field : fields_) ++field->in_flight;
}

void StagedExchange::advance() {
    between();
    ++present_;
    sent_ = false;
}

void StagedExchange::end() {
    if (running_)
        for (Field *field : fields_) --field->in_flight;
    running_ = false;
}

// Peers that have not heard of the failure go on to the next stages, and would wait there.
void StagedExchange::fail_from(size_t stage, const Error &error) {
    for (; stage < stages_.size(); ++stage) try {
            stages_[stage]->refuse(error);
        } catch (const Error &) { // the transport has failed too
        }
}

template <class Step>
void StagedExchange::step(Step &&step) {
    try {
        step();
    } catch (const Error &error) {
        if (running_ && error.status() != HALO_TIMEOUT && !present().in_flight()) {
            fail_from(present_ + 1, error);
            end();
        }
        throw;
    }
}

void StagedExchange::post(const halo_run &run) {
    begin(run);
    step([&] { present().post(run_); });
}

bool StagedExchange::send(halo_stream stream) {
    stream_ = stream;
    step([&] { sent_ = present().send(stream); });
    return sent_;
}

// A stage that is done starts the next one.
bool StagedExchange::test() {
    bool here = false;
    step([&] {
        while (true) {
            if (!sent_ && !(sent_ = present().send(stream_))) return;
            if (!present().test()) return;
            if ((here = is_last())) return;
            present().unpack(stream_);
            present().refine();
            advance();
            present().post(run_);
        }
    });
    return here;
}

void StagedExchange::unpack(halo_stream stream) {
    if (!test()) fail(HALO_ERR_STATE, "%s: unpack is illegal before test says done", what_.c_str());
    step([&] { present().unpack(stream); });
}

void StagedExchange::refine() {
    if (!is_last()) fail(HALO_ERR_STATE, "%s: refine is illegal before unpack", what_.c_str());
    present().refine();
    end();
}

void StagedExchange::start(const halo_run &run, halo_stream stream) {
    begin(run);
    stream_ = stream;
    step([&] { present().start(run_, stream); });
    sent_ = true;
}

// Goes on where a call that timed out has stopped.
void StagedExchange::finish(halo_stream stream) {
    if (!running_ || !sent_) fail(HALO_ERR_STATE, "%s: finish is illegal: nothing has been sent", what_.c_str());
    step([&] {
        for (present().finish(stream); !is_last(); present().finish(stream)) {
            advance(); // should start time out: the caller goes on with send
            present().start(run_, stream);
            sent_ = true;
        }
    });
    end();
}

void StagedExchange::abandon() {
    present().abandon();
    end();
}

void StagedExchange::count(halo_exchange_stats &stats) const {
    for (const Exchange *stage : stages_) stage->count(stats);
    stats.runs = stages_.back()->runs();
}

} // namespace halo
