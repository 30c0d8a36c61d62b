// SPDX-License-Identifier: BSD-3-Clause
// One round of an exchange: a plan, and one run at a time over it.
//
// idle --post--> posted --send--> sent --test until here, unpack--> unpacked --end--> idle
//
// A run that fails is ended: peers that have not got this rank's part of it get the failure in its place, epochs stay in step, and the next run works
// or says why on every rank. Only abandoning a run, and a transport that fails, leave the round dead.
//
// What devices pack is sent in whatever call of the rank comes after they have done so; a failure there is that of the round's next call. So is one
// in what goes on without any call, and one of what a run has left to devices when it ends: the next run then fails in its place, on all ranks.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "comm/wait.h"
#include "exchange/check_mode.h"
#include "exchange/device_work.h"
#include "exchange/messages.h"
#include "exchange/phase.h"
#include "exchange/round_spec.h"
#include "exchange/run_times.h"

namespace halo {

class Round : public Described, private Departing, private Progressing {
public:
    explicit Round(RoundSpec spec);
    ~Round() override;
    Round(const Round &) = delete;
    Round &operator=(const Round &) = delete;

    bool in_flight() const { return phase_ != Phase::idle && phase_ != Phase::dead; }
    Phase phase() const { return phase_; }
    const RoundSpec &spec() const { return spec_; }
    const Plan &plan() const { return *plan_; }
    int64_t runs() const { return runs_; }
    // HALO_ERR_STATE: not known yet.
    const std::vector<PlanLink> &links() const;

    // Communicates where a source of edges has to look something up, at the first time; else nothing. Collective; blocks.
    void find_plan();
    // The same, and what the first run would do besides. Collective, before that.
    void prepare();
    // The next run is of the batch of accesses with this number, on all ranks; else it fails as one that is narrowed differently.
    uint32_t n_runs() const { return run_.epoch; } // those that failed too, if peers know
    // Can this rank read such a run, and begin it now?
    bool takes(const halo_run &run) const noexcept;
    void run_for_batch(uint32_t number) { batch_ = number; }
    // Tells the peers, in place of the next run, that this rank cannot take part.
    void refuse(const Error &error);
    // The same of a run that nobody could read, which may be the first.
    void refuse_unread(const Error &error);

    // What is done around a run: before its values are sent, when they are unpacked, and at its end. It may operate. What fails in it ends the run.
    using Around = FunctionRef<void()>;
    void start(
        const halo_run &run, halo_stream stream, Around before_send = [] {});
    void finish(halo_stream stream);
    void finish(halo_stream stream, Around after_unpack, Around at_end);
    void post(const halo_run &run);
    bool send(
        halo_stream stream, Around before_send = [] {}); // false: a peer is two runs behind
    void send_when_writable(
        halo_stream stream, Around before_send = [] {});
    bool test();
    void unpack(
        halo_stream stream, Around after = [] {});
    void end();
    void end(halo_stream stream, Around at_end);
    void abandon();

    // Within an Around, in the stream of its call: memory of a device that the run uses; operations there, or on the host.
    void use_on_device(Space space, const Buffer &memory);
    void operate(Space space, std::span<const halo_level_operation> operations);

    // What has failed on devices of runs that have ended, as far as the devices know; once.
    std::optional<Error> take_device_failure() noexcept;

    // Parts with data and no storage, once everything is here.
    std::vector<Arrivals::Part> arrivals();
    // Called in unpack with what has arrived, if anything has.
    std::function<void(const std::vector<Arrivals::Part> &)> on_arrival;

    std::string what() const override { return spec_.what; }
    Terms terms() const override;
    std::vector<int32_t> awaited() const override { return messages_ ? messages_->awaited() : std::vector<int32_t>{}; }

    // Null: check mode is off.
    const CheckMode *check() const { return check_.get(); }
    // Adds to counters; figures of one plan are set.
    void count(halo_exchange_stats &stats) const;
    std::string describe() const;

private:
    bool is_planned() const { return messages_ != nullptr; }
    void make_plan();
    void follow_layouts();
    std::shared_ptr<Plan> compiled_plan();
    void require(Phase phase, const char *call) const { require_phase(phase_, phase, spec_.what, call); }
    void check_run(const halo_run &run) const;
    halo_op op_of(const halo_run &run) const { return run.op != 0 ? run.op : spec_.op; }
    void require_known_values(const PlanPiece &piece, const Device &device) const;
    std::shared_ptr<const Lowered> lowered(const Plan &plan, size_t number, const Device &device, const Narrowed &narrowed);
    Narrowed narrowed_by(const halo_run &run) const;
    void narrow(const halo_run &run);
    void allocate_scratch(size_t number);
    // round_spaces.cpp: runs on the host alone cost a look at whether they are that.
    bool has_storage(const halo_run &run, int32_t field) const;
    Space space_of_piece(const halo_run &run, const PlanPiece &piece) const;
    void choose_spaces(const halo_run &run) {
        if (context_.devices().has_memory() || run.devices) [[unlikely]]
            choose_devices(run);
    }
    void require_kinds(const halo_run &run) const;
    void choose_devices(const halo_run &run);
    DeviceWork &work_on(Device &device);
    DeviceWork &joined(Device &device);
    const Device &device_of(const PieceRun &piece) const { return piece.work ? piece.work->device() : context_.device(); }
    void *fill_value(size_t number);
    void *fill_value_on_device(size_t number);
    void require_stream(halo_stream stream) const {
        if (!run_.on_host()) [[unlikely]]
            require_stream_of_device(stream);
    }
    void require_stream_of_device(halo_stream stream) const;
    void put_on(halo_stream stream) {
        stream_ = stream;
        if (!run_.on_host()) [[unlikely]]
            put_works_on(stream);
    }
    void put_works_on(halo_stream stream);
    void keep_tables();
    void follow_adopted();
    bool depart() noexcept override;
    bool progress_alone() override;
    void take_what_has_come() override;
    bool try_depart() {
        if (!leaves_later_) [[likely]]
            return true;
        raise_failed_departure();
        return leave();
    }
    void raise_failed_departure() const;
    bool leave();
    void leave_when_packed();
    void gather_unpacking();
    void launch_unpacking();
    void end_on_devices() noexcept;
    void raise_device_failure() {
        if (!device_owner_) [[likely]]
            return;
        if (const std::optional<Error> failed = take_device_failure()) throw Error(*failed);
    }
    void require_sound_devices();
    Error named(const Error &error, uint32_t run) const noexcept;
    void fill_bases(const halo_run &run);
    void fill_parts(const halo_run &run, int32_t field, void **bases) const;
    void begin(const halo_run &run);
    void do_post(const halo_run &run);
    void be_patient();
    void hear_others();
    void do_send();
    void do_finish(halo_stream stream, Around end_of_run);
    void note_failed_call() noexcept;
    void mark_in_flight(int32_t change);
    void end_run(Phase phase);
    Phase tell_failure(const Error &error) noexcept;
    void fail_run(const Error &error) noexcept;
    template <class Step>
    void step(Step &&step); // a failing one ends the run
    void wait_until_writable();
    void wait_until_here();
    bool look();
    void unpack_what_is_here();
    void note_arrivals();
    void count_local(const Arrivals::Copied &copied);
    void combine();
    void combine_piece(size_t number, const Lowered &rows, const std::vector<void *> &bases) const;
    void combine_by_caller(size_t number, const Lowered &rows, const std::vector<void *> &bases) const;
    double timeout() const { return context_.timeout(spec_.timeout_seconds); }

    Context &context_;
    RoundSpec spec_;
    RunId id_;
    std::vector<size_t> first_pointer_; // of each field, in halo_run.data, and where the last one's end
    uint64_t layouts_ = 0;              // of the fields when the plan was made
    std::shared_ptr<Plan> plan_;
    std::shared_ptr<Plan> first_plan_; // the messages name edges by it; layouts may have changed since
    Run run_;
    std::unique_ptr<Messages> messages_;
    Arrivals arrivals_;
    bool arrivals_noted_ = false;
    uint32_t looks_in_vain_ = 0; // in this run
    Patience patience_;          // of a caller who tests
    double waiting_since_ = -1;  // so far he does not
    uint32_t batch_ = 0;
    bool took_all_ = false; // the last run, on the host, and its tables are still there
    Phase phase_ = Phase::idle;
    std::unique_ptr<CheckMode> check_;
    std::vector<Buffer> staging_;                    // of each piece: contributions of this rank, where they are combined
    Buffer scratch_;                                 // of steps that combine on the host
    std::shared_ptr<DeviceOwner> device_owner_;      // null: no device has been used
    std::vector<std::unique_ptr<DeviceWork>> works_; // on each device that has been used
    std::vector<Buffer> fill_values_;                // of each piece that is sparse, where devices reach them
    halo_stream stream_ = HALO_STREAM_NONE;          // of the present phase
    std::optional<Error> failed_departing_;          // outside of any call on this round
    bool leaves_later_ = false;                      // this run's
    int64_t departed_later_ = 0;                     // runs whose messages left in a later call than the one that packed them
    int64_t runs_ = 0;
    int64_t local_bytes_ = 0;
    int64_t local_states_ = 0;
    int64_t local_nulls_ = 0;
    int64_t compiled_ = 0;
    int64_t compiled_rows_ = 0;
    RunTimes times_{ context_.clock };
};

} // namespace halo
