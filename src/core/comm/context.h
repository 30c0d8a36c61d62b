// SPDX-License-Identifier: BSD-3-Clause
// A group of ranks as one of them sees it: transport, device, pools, settings, log.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/config.h"
#include "base/log.h"
#include "comm/call_lock.h"
#include "comm/call_rules.h"
#include "comm/departing.h"
#include "comm/devices.h"
#include "comm/fabric.h"
#include "comm/inquiries.h"
#include "comm/owed.h"
#include "comm/pending.h"
#include "comm/progress_thread.h"
#include "comm/progressing.h"
#include "comm/tags.h"
#include "memory/leases.h"
#include "memory/pool.h"
#include "memory/shared_arena.h"

namespace halo {

class InprocMeeting;
class Rendezvous;
class StartedRanks;
struct BootstrapChoice;
struct TransportChoice;
struct Unasked;
class ContextBootstrap;

// Where ranks come from. At most one of `communicator`, `bootstrap` and `meeting` is set.
struct ContextSource {
    const void *communicator = nullptr;
    size_t handle_bytes = 0;
    const char *mpi = nullptr;
    const halo_bootstrap *bootstrap = nullptr; // while the context is made
    InprocMeeting *meeting = nullptr;          // lives until the ranks have met
};

struct WaitPolicy {
    int64_t spins = 0;       // turns before the first yield
    double sleep_after = 0;  // seconds of yielding before the first sleep
    double warn_seconds = 0; // 0: never
    double ask_after = 0;    // seconds before other ranks are asked
    double timeout = 0;      // seconds that a blocking call may take which has no limit of its own; 0: none
};

class CollectiveStream;
class Field;

class Context {
public:
    // What is this rank's own. Over MPI all ranks open the transport.
    Context(const ContextSource &source, const halo_context_options &options);
    ~Context();
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    // Before anything else: all ranks are here and settings agree, on all ranks or on none. Nothing that comes after it may fail.
    void meet(InprocMeeting *meeting);

    int32_t rank() const { return fabric_->rank(); }
    int32_t size() const { return fabric_->size(); }

    Fabric &fabric() { return *fabric_; }
    const Fabric &fabric() const { return *fabric_; }
    CollectiveStream &collectives() { return *collectives_; }
    CallRules &call_rules() { return call_rules_; }
    CallLock &call_lock() { return call_lock_; }
    // Of the host.
    Device &device() { return devices_->host(); }
    Devices &devices() { return *devices_; }
    const Devices &devices() const { return *devices_; }
    // HALO_ERR_DEVICE: there is none.
    Device &device_of(Space space) { return devices_->of(space, *pools_); }
    // A call of the program has come. HALO_ERR_STATE: it may not be made now. Messages that wait for a device leave.
    void admit(Inside most) {
        call_rules_.require(most);
        let_depart();
        if (progress_thread_) [[unlikely]]
            progress_thread_->note_call();
        if (sends_by_calls_ && ++n_calls_ % calls_per_taking == 0) [[unlikely]]
            take_what_has_come();
    }
    // Messages that wait for a device leave if they can.
    void let_depart() {
        if (!departures_.empty()) [[unlikely]]
            departures_.let_go();
    }
    Departures &departures() { return departures_; }
    ProgressingList &progressing() { return progressing_; }
    bool sends_by_calls() const { return sends_by_calls_; }
    // Peers whose messages leave in their calls alone wait for this rank to take them, whatever it is that the program has called.
    void take_what_has_come() noexcept {
        if (sends_by_calls_ && !call_rules_.in_callback()) progressing_.take_what_has_come();
    }
    // As the context's own thread: calls nothing of the program's. True: something is under way that it knows of.
    bool progress_alone(int turns);
    // From here on the calling thread is alone.
    void stop_progress() noexcept { progress_thread_.reset(); }
    Pools &pools() { return *pools_; }
    const Pools &pools() const { return *pools_; }
    // Payloads of at least this many bytes may lie in shared memory; nullptr: there is none.
    SharedArena *shared_arena(size_t payload_bytes) { return payload_bytes >= least_shared_ ? shared_arena_.get() : nullptr; }
    // What peers still use of it, though this rank's objects do not.
    OutstandingLeases &leases() { return leases_; }
    const Process &process() const { return process_; }
    Buffer host_buffer(size_t bytes) { return pools_->get(HALO_MEMORY_HOST, bytes); }
    // What a device and the host both reach.
    Buffer pinned_buffer(const Device &device, size_t bytes) { return pools_->pool(HALO_MEMORY_PINNED, device.ordinal()).get(bytes); }
    // What the program has asked for, by address.
    std::map<const std::byte *, Buffer> &program_memory() { return program_memory_; }
    // The one of these that an address lies in, or none.
    Buffer owner_of(const std::byte *address) const;
    // Storage of fields: where peers of this host can reach it, unless the caller gave an allocator for host memory.
    Buffer storage(size_t bytes) { return pools_->get(storage_memory_, bytes); }
    const Config &config() const { return config_; }
    const Log &log() const { return log_; }
    const std::string &transport_path() const { return transport_path_; } // in the order of fabric().describe()
    std::string shared_memory_text() const;                               // whether it is used, and why not
    const WaitPolicy &waiting() const { return waiting_; }
    bool check_mode() const { return check_mode_; }

    // Seconds of a blocking call: `asked` if it is >= 0, else the setting "timeout"; 0: no limit.
    double timeout(double asked) const { return asked >= 0 ? asked : waiting_.timeout; }

    // Change a setting at run time.
    void set(const std::string &key, const std::string &value);

    // Text of the last failing call on this context.
    const std::string &error() const { return error_; }
    void remember_error(const char *text) noexcept;
    void remember_failure(const char *text, halo_status status) noexcept; // of a call that may be collective
    void remember_report(const char *text) noexcept;                      // of a module
    // Logs what has failed with no one there to be told.
    void note_lost(const std::exception &error) const noexcept;

    // Serial and tags of the next object whose messages travel in runs. Same on all ranks, because creation and destruction are collective.
    RunId next_run();
    uint32_t newest_run() const { return run_tags_->newest(); }
    Inquiries &inquiries() { return inquiries_; }
    // Fields are created in the same order everywhere, so their ordinals agree.
    int32_t next_field() { return n_fields_++; }
    // Those that live, where check mode is on: it names what it finds.
    std::map<int32_t, const Field *> fields;
    // How many numbers the creation of an object takes.
    struct Numbers {
        uint32_t runs = 0;
        int32_t fields = 0;
    };
    // A creation that does not communicate: other ranks' may succeed, so one that fails has taken its numbers too.
    class TakesNumbers {
    public:
        TakesNumbers(Context &context, Numbers numbers)
            : context_(context),
              last_{ context.newest_run() + numbers.runs, context.n_fields_ + numbers.fields } {}
        ~TakesNumbers() {
            context_.run_tags_->number_from(std::max(last_.runs, context_.newest_run()));
            context_.n_fields_ = std::max(last_.fields, context_.n_fields_);
        }
        TakesNumbers(const TakesNumbers &) = delete;
        TakesNumbers &operator=(const TakesNumbers &) = delete;

    private:
        Context &context_;
        Numbers last_;
    };
    // A creation that goes on when it is made again, while other ranks know nothing of its failure: then it takes the same numbers.
    class KeepsNumbers {
    public:
        explicit KeepsNumbers(Context &context) : context_(context), first_(context.newest_run()) {}
        ~KeepsNumbers() {
            if (!made_) context_.run_tags_->number_from(first_);
        }
        KeepsNumbers(const KeepsNumbers &) = delete;
        KeepsNumbers &operator=(const KeepsNumbers &) = delete;
        void succeed() { made_ = true; }

    private:
        Context &context_;
        uint32_t first_;
        bool made_ = false;
    };
    uint64_t next_topology() { return n_topologies_++; }

    // Keep the memory of a message that is still on its way when its object goes.
    void linger(std::unique_ptr<PendingMessage> message) noexcept;
    // The transport does not let go of it: its memory is used no more.
    void lose(std::unique_ptr<PendingMessage> message) noexcept;
    void lose(Buffer memory) noexcept;
    // A device may still work on it, in this stream.
    void keep_for_device(const Device &device, halo_stream stream, std::vector<Buffer> memory) noexcept;
    // Take and drop what has come from a peer and nobody will ask for: else its sender would wait for that.
    void take_leftovers(int32_t peer, int32_t lane, int32_t tag);
    // What a peer still owes to an object that goes.
    void expect(Owed owed) { owed_->expect(std::move(owed)); }
    // Let go of those that have arrived, and of what devices have done; their failures that nobody else is told of are logged.
    void reap() noexcept;
    // Devices have done their work, or the time for that is over. Returns the first of these failures, if there are any.
    std::optional<Error> end_device_work() noexcept;

    // Tags of a group's channels: `n` of this rank's fullest pair. Collective; blocks; the same result on all ranks.
    int64_t reserve_channel_tags(int64_t n);
    ChannelTags &channel_tags() { return *channel_tags_; }

    Clock clock = steady_seconds;
    int64_t dropped = 0;  // late messages of abandoned runs
    int64_t children = 0; // topologies, channels, groups made from this context

private:
    void open_transport(const ContextSource &source);
    void open_over_rendezvous(Rendezvous &rendezvous, halo_transport_params params);
    void open_over_started(const BootstrapChoice &choice, halo_transport_params params);
    void open_for_ranks_of_mpi(const ContextSource &source, const halo_transport_params &params);
    void open_chosen(const TransportChoice &choice, const halo_transport_params &params);
    void keep_to_limits(int32_t max_tag);
    void keep_to_this_thread();
    void arrange_threads();
    void enter(InprocMeeting &meeting);
    void await_all(InprocMeeting &meeting);
    void note_own_device();
    void open_pools();
    void open_shared_memory();
    // `first` rank that shares none.
    void compare_shared_memory(int64_t first);
    void *allocate_shared(size_t bytes);
    void release_shared(void *pointer, size_t bytes);
    void agree_on_settings();
    void confirm();
    double seconds_to_agree() const;
    void check_transports();
    void add_transports(Unasked &unasked, bool all_want_it);
    void add_asked();
    void add_unasked(Unasked &unasked, bool all_want_it);
    std::unique_ptr<Transport> open(Unasked &unasked);
    std::unique_ptr<Transport> open_beside(const TransportChoice &choice, ContextBootstrap &bootstrap, uint32_t flags);
    void add(const TransportChoice &choice, std::unique_ptr<Transport> opened, std::string why);
    void open_lanes(int32_t n_lanes);
    void read_settings();
    void await_own_messages() noexcept;
    void await_all_taken();
    void hear_devices() noexcept;
    bool has_ended(PendingMessage &message) noexcept;
    void close() noexcept;
    void keep_what_is_in_flight() noexcept;

    // Functions of the program are called with a note in `call_rules_` that they are.
    struct ProgramAllocator {
        CallRules &rules;
        halo_allocator given;
        halo_allocator through_rules();
    };
    // With what it lies in.
    struct Kept {
        PendingMessages messages;
        std::unique_ptr<Devices> devices;
        std::unique_ptr<SharedArena> arena;
        std::unique_ptr<Pools> pools;
        OutstandingLeases leases;
        PendingMessage *newest_lost = nullptr;
        bool lost_memory = false;
        Kept *before = nullptr;
    };
    static void call_program_log(void *self, int32_t level, const char *text);

    Config config_;
    CallRules call_rules_;
    CallLock call_lock_;
    halo_log_fn program_log_;
    void *program_log_user_;
    Log log_;
    std::string report_; // text of a module's last error
    std::string error_;
    halo_host host_{};
    WaitPolicy waiting_;
    bool check_mode_ = false;
    int32_t n_fields_ = 0; // made so far
    uint64_t n_topologies_ = 0;
    std::string transport_path_;
    std::deque<ProgramAllocator> program_allocators_;
    Inquiries inquiries_{ *this };
    std::unique_ptr<CollectiveStream> collectives_;
    std::unique_ptr<Fabric> fabric_;
    halo_transport_params opened_with_{}; // while the context is made
    std::unique_ptr<RunTags> run_tags_;
    std::unique_ptr<ChannelTags> channel_tags_;
    std::unique_ptr<Devices> devices_;
    std::optional<Error> device_failure_; // of those that nobody else was told of
    Departures departures_;
    ProgressingList progressing_;
    static constexpr uint32_t calls_per_taking = 64;
    bool sends_by_calls_ = false; // some peer, or this rank to it
    uint32_t n_calls_ = 0;
    std::unique_ptr<SharedArena> shared_arena_;
    std::unique_ptr<Pools> pools_;
    std::map<const std::byte *, Buffer> program_memory_;
    OutstandingLeases leases_;
    Process process_ = this_process();
    size_t least_shared_ = 0;
    std::string why_not_shared_;  // by this rank
    std::string who_shares_none_; // of the others
    int32_t storage_memory_ = HALO_MEMORY_HOST;
    PendingMessages lingering_;
    std::unique_ptr<OwedMessages> owed_;
    std::unique_ptr<Kept> kept_ = std::make_unique<Kept>(); // but for what is lost, empty up to the end, which must not fail
    std::unique_ptr<ProgressThread> progress_thread_;       // null: there is none
};

} // namespace halo
