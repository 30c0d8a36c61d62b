// SPDX-License-Identifier: BSD-3-Clause
// Fills ghosts: a list of rounds, each started when the one before is done. Most exchanges have one.
//
// Round 1 alone reads owned data, before start returns. A step after a round needs no peers; a failure in it is told to the peers of later rounds.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exchange/round.h"
#include "halo_levels.h"

namespace halo {

// What happens around the rounds of an exchange.
class RoundSteps {
public:
    RoundSteps() = default;
    virtual ~RoundSteps() = default;
    RoundSteps(const RoundSteps &) = delete;
    RoundSteps &operator=(const RoundSteps &) = delete;

    // What the first run would make. All edges are known from here on.
    virtual void prepare() {}
    // What the rounds are to do, made from what the caller's run says; pointers stay valid until the next run.
    virtual void begin(halo_run &) {}
    // Owned data are complete, and leave next.
    virtual void before_send(const halo_run &, Round &) {}
    // When round `done` is over and before the next one begins.
    virtual void after(size_t /*done*/, const halo_run &) {}
    // When the values of the last round have arrived; then the run is over but for what is made from them.
    virtual void after_unpack(const halo_run &, Round &) {}
    virtual void refine(const halo_run &, Round &) {}
    // Beside a field of the caller's; null: none.
    virtual const Field *coarse_field(size_t /*field*/) const { return nullptr; }
    // In a part of it; others have no storage.
    virtual bool has_coarse(size_t /*field*/, int64_t /*part*/) const { return false; }
    // Is its storage where that of the caller's is, or where a run has it? If not, it can go there.
    virtual bool coarse_follows(size_t /*field*/) const { return true; }
    virtual void place_coarse(size_t /*field*/) {}
    // What is made of it, and of what it is made, in one part.
    virtual std::vector<halo_level_region> level_regions(size_t /*field*/, int64_t /*part*/) { return {}; }
    // Of the way from fields of one time to those of a later one. False: there are no later ones.
    virtual bool set_fraction(double) { return false; }
};

class Exchange {
public:
    // `fields`: the caller's; those of the rounds may be others. `what` names an exchange of several rounds, or with steps.
    Exchange(std::vector<Field *> fields, std::vector<RoundSpec> rounds, std::unique_ptr<RoundSteps> steps = nullptr, std::string what = {});
    ~Exchange();
    Exchange(const Exchange &) = delete;
    Exchange &operator=(const Exchange &) = delete;

    bool in_flight() const { return running_ || (is_single_ && present().in_flight()); }
    int32_t n_fields() const { return static_cast<int32_t>(fields_.size()); }
    Field *field(int32_t index) const { return fields_[static_cast<size_t>(index)]; }
    bool uses(const Field &field) const { return std::find(fields_.begin(), fields_.end(), &field) != fields_.end(); }
    // "exchange 3 over u, v"
    const std::string &what() const { return what_.empty() ? rounds_.front()->spec().what : what_; }
    // What its steps have beside a field for the blocks' ghosts from coarser ones; null: nothing.
    const Field *coarse_field(size_t field) const { return steps_->coarse_field(field); }
    bool has_coarse(size_t field, int64_t part) const { return steps_->has_coarse(field, part); }
    bool coarse_follows(size_t field) const { return steps_->coarse_follows(field); }
    void place_coarse(size_t field) { steps_->place_coarse(field); }
    std::vector<halo_level_region> level_regions(size_t field, int64_t part) const { return steps_->level_regions(field, part); }
    bool set_fraction(double fraction) { return steps_->set_fraction(fraction); }
    // Payload of one field to other ranks in a run of all.
    int64_t payload_bytes(size_t field) const;
    // See Round.
    uint32_t n_runs() const { return rounds_.front()->n_runs(); }
    void run_for_batch(uint32_t number) { rounds_.front()->run_for_batch(number); }
    void refuse(const Error &error) { fail_from(0, error); }
    void refuse_unread(const Error &error) noexcept; // unless one is in flight
    // What devices have failed in since the last run ended, as far as they know; once.
    std::optional<Error> take_device_failure() noexcept;

    // What the first run would make. Collective.
    void prepare();
    void start(const halo_run &run, halo_stream stream);
    void finish(halo_stream stream);
    void post(const halo_run &run);
    bool send(halo_stream stream); // false: a peer is two runs behind
    bool test();
    void unpack(halo_stream stream);
    void refine(halo_stream stream);
    void abandon();

    // Parts with data and no storage, once everything is here.
    std::vector<Arrivals::Part> arrivals() { return present().arrivals(); }
    // Called in unpack with what has arrived; the capi layer turns it into the caller's function.
    void on_arrival(const std::function<void(const std::vector<Arrivals::Part> &)> &call);

    // Adds to counters; figures of one plan are set.
    void count(halo_exchange_stats &stats) const;
    // In all rounds, by rank. HALO_ERR_STATE: not known yet.
    std::vector<halo_peer_row> peers() const;
    // Its rounds, with a line for each peer and direction.
    std::string describe() const;

private:
    Round &present() const { return *rounds_[present_]; }
    bool is_last() const { return present_ + 1 == rounds_.size(); }
    Phase phase() const;
    void require(Phase wanted, const char *call) const { require_phase(phase(), wanted, what(), call); }
    void begin_by_age(const halo_run &run);
    void end_by_age();
    void keep(const halo_run &run);
    void begin(const halo_run &run);
    void advance();
    bool send_present();
    void end();
    void fail_from(size_t round, const Error &error) noexcept;
    template <class Step>
    void step(Step &&step); // a failing one ends the run

    std::vector<Field *> fields_;
    std::string what_;
    bool is_single_; // one round without steps
    bool has_steps_;
    std::unique_ptr<RoundSteps> steps_;
    std::vector<std::unique_ptr<Round>> rounds_;
    size_t present_ = 0;
    // Of a run with several rounds, or steps.
    halo_run run_ = HALO_RUN_INIT;
    bool running_ = false;
    bool sent_ = false; // the present round's part
    halo_stream stream_ = HALO_STREAM_NONE;
    size_t n_pointers_ = 0;
    std::vector<int32_t> mask_;
    std::vector<int32_t> sets_;
    std::vector<void *> data_;
    std::vector<int32_t> devices_;
    std::vector<size_t> aged_;       // fields whose storage is released by age in its runs
    std::vector<Field *> looked_at_; // of these, in this run
};

} // namespace halo
