// SPDX-License-Identifier: BSD-3-Clause
// Several exchanges behind one: each is started when the one before is done.
#pragma once

#include <string>

#include "exchange/exchange.h"

namespace halo {

class StagedExchange : public AnyExchange {
public:
    ~StagedExchange() override;

    bool in_flight() const override { return running_; }
    void start(const halo_run &run, halo_stream stream) override;
    void finish(halo_stream stream) override;
    void post(const halo_run &run) override;
    bool send(halo_stream stream) override;
    bool test() override;
    void unpack(halo_stream stream) override;
    void refine() override;
    void abandon() override;
    std::vector<Arrivals::Part> arrivals() override { return present().arrivals(); }
    Field *field(int32_t index) const override { return fields_[static_cast<size_t>(index)]; }
    void count(halo_exchange_stats &stats) const override;

protected:
    // `what`: for error texts. `fields`: the caller's; those of the stages may be others.
    StagedExchange(std::string what, std::vector<Field *> fields);
    void add_stage(Exchange &stage) { stages_.push_back(&stage); }

    // Keeps what a run says, for all stages: the caller's arrays need not outlive start.
    virtual void keep(const halo_run &run);
    // Called when a stage is done and before the next one begins.
    virtual void between() {}

    bool takes_part(size_t field) const { return !run_.field_mask || run_.field_mask[field]; }
    halo_run run_ = HALO_RUN_INIT; // as the stages are to do it

private:
    Exchange &present() const { return *stages_[present_]; }
    bool is_last() const { return present_ + 1 == stages_.size(); }
    void begin(const halo_run &run);
    void advance();
    void end();
    void fail_from(size_t stage, const Error &error);
    template <class Step>
    void step(Step &&step); // a failing one ends the run

    std::string what_;
    std::vector<Field *> fields_;
    size_t n_pointers_ = 0; // of a run
    std::vector<Exchange *> stages_;
    size_t present_ = 0;
    bool running_ = false;
    bool sent_ = false; // the present stage's part
    halo_stream stream_ = HALO_STREAM_NONE;
    std::vector<int32_t> mask_;
    std::vector<int32_t> sets_;
    std::vector<void *> data_;
};

} // namespace halo
