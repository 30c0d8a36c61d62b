// SPDX-License-Identifier: BSD-3-Clause
#include "comm/context.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/checked.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/types.h"
#include "comm/agree.h"
#include "comm/collective.h"
#include "comm/collective_stream.h"
#include "comm/wait.h"
#include "plugin/inproc_group.h"
#include "plugin/selection.h"

namespace halo {

namespace {

std::span<const halo_setting> settings_of(const halo_context_options &options) {
    if (options.n_settings < 0 || (options.n_settings > 0 && !options.settings))
        fail(HALO_ERR_ARGUMENT, "context options: %d settings at address %p", options.n_settings, static_cast<const void *>(options.settings));
    check_limit("context options: n_settings", options.n_settings, limits::settings);
    return { options.settings, static_cast<size_t>(options.n_settings) };
}

std::span<const halo_allocator> allocators_of(const halo_context_options &options) {
    if (options.n_allocators < 0 || (options.n_allocators > 0 && !options.allocators))
        fail(HALO_ERR_ARGUMENT, "context options: %d allocators at address %p", options.n_allocators, static_cast<const void *>(options.allocators));
    check_limit("context options: n_allocators", options.n_allocators, limits::allocators);
    for (int32_t i = 0; i < options.n_allocators; ++i)
        if (options.allocators[i].memory == HALO_MEMORY_SHARED) fail(HALO_ERR_ARGUMENT, "allocator %d: shared memory is the library's own", i);
    return { options.allocators, static_cast<size_t>(options.n_allocators) };
}

LogLevel level_of(const Config &config) {
    const std::string &word = config.word("log_level");
    return word == "error" ? LogLevel::error : word == "warn" ? LogLevel::warn : word == "info" ? LogLevel::info : LogLevel::debug;
}

} // namespace

Context::Context(const ContextSource &source, const halo_context_options &options)
    : config_(settings_of(options)),
      program_log_(options.log),
      program_log_user_(options.log_user),
      log_(options.log ? call_program_log : nullptr, this, LogLevel::warn) {
    host_.struct_size = sizeof host_;
    host_.core = this;
    host_.report = [](void *core, const char *text) { static_cast<Context *>(core)->remember_report(text); };
    host_.log = [](void *core, int32_t level, const char *text) { static_cast<Context *>(core)->log_.write(static_cast<LogLevel>(level), text); };
    host_.setting = [](void *core, const char *key) { return static_cast<Context *>(core)->config_.told(key); };
    read_settings();
    for (const halo_allocator &given : allocators_of(options)) program_allocators_.push_back({ call_rules_, given });
    open_transport(source);
    log_.set_rank(size() > 1 ? rank() : -1);
    if (rank() == 0)
        for (const std::string &warning : config_.warnings()) log_.warn("%s", warning.c_str());
    const LocalRank local = source.meeting ? LocalRank{ rank(), "of the in-process group" } : local_rank_by_launcher();
    devices_ = std::make_unique<Devices>(config_, host_, report_, local);
    note_own_device();
    open_pools();
    owed_ = std::make_unique<OwedMessages>(*this);
    open_shared_memory();
    arrange_threads();
}

void Context::arrange_threads() {
    const bool own = config_.boolean("progress_thread");
    call_lock_.arrange(config_.word("threads") == "multiple", own, check_mode_);
    if (own) progress_thread_ = std::make_unique<ProgressThread>(*this);
}

// Programs ask for the setting to know which device is theirs.
void Context::note_own_device() {
    const OwnDevice &own = devices_->own();
    if (!devices_->has_memory() || config_.integer("device.ordinal") >= 0) return;
    config_.decide("device.ordinal", std::to_string(own.ordinal), own.why);
    if (own.n > 1 && size() > 1) log_.write(own.is_guess ? LogLevel::warn : LogLevel::info, own.text(devices_->name()).c_str());
}

void Context::meet(InprocMeeting *meeting) {
    if (meeting) await_all(*meeting);
    try {
        agree_on_settings();
        confirm();
    } catch (...) {
        if (is_want_of_memory()) collectives_->give_up();
        throw;
    }
    sends_by_calls_ = fabric_->any_sends_by_calls();
    if (progress_thread_) progress_thread_->begin();
}

void Context::call_program_log(void *self, int32_t level, const char *text) {
    auto *context = static_cast<Context *>(self);
    const CallRules::Callback inside(context->call_rules_, Inside::callback, "log");
    context->program_log_(context->program_log_user_, level, text);
}

halo_allocator Context::ProgramAllocator::through_rules() {
    halo_allocator through = given;
    through.user = this;
    through.allocate = [](void *self, size_t bytes) {
        const auto *allocator = static_cast<ProgramAllocator *>(self);
        const CallRules::Callback inside(allocator->rules, Inside::callback, "allocate");
        return allocator->given.allocate(allocator->given.user, bytes);
    };
    through.release = [](void *self, void *pointer, size_t bytes) {
        const auto *allocator = static_cast<ProgramAllocator *>(self);
        const CallRules::Callback inside(allocator->rules, Inside::callback, "release");
        allocator->given.release(allocator->given.user, pointer, bytes);
    };
    return through;
}

void Context::read_settings() {
    log_.set_level(level_of(config_));
    waiting_.spins = config_.integer("wait.spin");
    waiting_.sleep_after = config_.duration("wait.sleep_after") > 0 ? config_.duration("wait.sleep_after") : std::numeric_limits<double>::infinity();
    waiting_.timeout = config_.duration("timeout");
    waiting_.warn_seconds = config_.duration("warn_after");
    waiting_.ask_after = config_.duration("wait.ask_after") > 0 ? config_.duration("wait.ask_after") : std::numeric_limits<double>::infinity();
    check_mode_ = config_.boolean("check");
}

void Context::enter(InprocMeeting &meeting) {
    Waiter waiter(*this, timeout(HALO_TIMEOUT_CONFIGURED));
    const auto missing = [&] { return format("context: rank %d of the in-process group is made by another thread", meeting.rank()); };
    while (!meeting.enter())
        if (!waiter.turn(missing)) fail(HALO_TIMEOUT, "timed out after %.1f s: %s", waiter.seconds(), missing().c_str());
}

// Else a rank that comes when others have lost patience would be alone in what they have left.
void Context::await_all(InprocMeeting &meeting) {
    Waiter waiter(*this, timeout(HALO_TIMEOUT_CONFIGURED));
    const auto missing = [&] { return format("context: rank %d of the in-process group has not begun to make its own", meeting.absent()); };
    while (!meeting.complete()) {
        if (waiter.turn(missing)) continue;
        const std::string text = missing();
        if (meeting.withdraw()) fail(HALO_TIMEOUT, "timed out after %.1f s: %s", waiter.seconds(), text.c_str());
        break;
    }
}

// The caller's allocators where given, else the device's memory.
void Context::open_pools() {
    pools_ = std::make_unique<Pools>(config_.bytes("pool.cap"));
    for (ProgramAllocator &allocator : program_allocators_) pools_->add(allocator.through_rules());
    if (pools_->has(HALO_MEMORY_HOST)) return;
    halo_allocator host{};
    host.memory = HALO_MEMORY_HOST;
    host.user = &devices_->host();
    host.allocate = [](void *device, size_t bytes) { return static_cast<Device *>(device)->allocate(HALO_MEMORY_HOST, bytes); };
    host.release = [](void *device, void *pointer, size_t bytes) { static_cast<Device *>(device)->release(HALO_MEMORY_HOST, pointer, bytes); };
    pools_->add(host);
}

void Context::open_shared_memory() {
    least_shared_ = static_cast<size_t>(config_.bytes("shared_memory.least"));
    if (size() == 1) why_not_shared_ = "one rank";
    if (!config_.boolean("shared_memory")) why_not_shared_ = "setting shared_memory";
    if (!why_not_shared_.empty()) return;
    auto arena = std::make_unique<SharedArena>();
    std::byte *trial = arena->allocate_plain(1);
    if (!trial) {
        why_not_shared_ = arena->trouble();
        return;
    }
    arena->release_plain(trial, 1);
    shared_arena_ = std::move(arena);
    leases_.arena = shared_arena_.get();
    shared_arena_->on_first_trouble([this] { log_.warn("shared memory is %s", shared_memory_text().c_str()); });
    halo_allocator shared{};
    shared.memory = HALO_MEMORY_SHARED;
    shared.user = this;
    shared.allocate = [](void *context, size_t bytes) { return static_cast<Context *>(context)->allocate_shared(bytes); };
    shared.release = [](void *context, void *pointer, size_t bytes) { static_cast<Context *>(context)->release_shared(pointer, bytes); };
    pools_->add(shared);
    const bool callers =
        std::any_of(program_allocators_.begin(), program_allocators_.end(), [](const auto &one) { return one.given.memory == HALO_MEMORY_HOST; });
    if (!callers) storage_memory_ = HALO_MEMORY_SHARED;
}

// Memory of this process alone where no more can be shared: peers are not offered it, and get messages.
void *Context::allocate_shared(size_t bytes) {
    if (void *shared = shared_arena_->allocate_plain(bytes)) return shared;
    return devices_->host().allocate(HALO_MEMORY_HOST, bytes);
}

void Context::release_shared(void *pointer, size_t bytes) {
    if (shared_arena_->locate(pointer).nonce != 0)
        shared_arena_->release_plain(static_cast<std::byte *>(pointer), bytes);
    else
        devices_->host().release(HALO_MEMORY_HOST, pointer, bytes);
}

std::string Context::shared_memory_text() const {
    if (!why_not_shared_.empty()) return "not used: " + why_not_shared_;
    const std::string &trouble = shared_arena_->trouble();
    const char *between = trouble.empty() || who_shares_none_.empty() ? "" : "; ";
    const std::string lacks = trouble + between + who_shares_none_;
    return lacks.empty() ? "used" : "used in part: " + lacks;
}

// The lowest rank that shares none says why, of the others those whose reason is another: a limit is mostly the same for all.
void Context::compare_shared_memory(int64_t first) {
    if (first == size()) return;
    const bool shares = why_not_shared_.empty();
    const auto lowest = static_cast<int32_t>(first);
    const std::string why = broadcast_text(*this, lowest, why_not_shared_);
    if (shares) who_shares_none_ = format("rank %d, and perhaps ranks above it, share none: %s", lowest, why.c_str());
    if (shares || !config_.boolean("shared_memory")) return;
    const bool is_news = rank() == lowest || why != why_not_shared_;
    log_.write(is_news ? LogLevel::warn : LogLevel::info, format("shared memory is %s", shared_memory_text().c_str()).c_str());
}

void Context::agree_on_settings() {
    if (size() == 1) return check_transports();
    const CollectiveCall call(*this, "settings", seconds_to_agree());
    Terms settings;
    for (const auto &[key, value] : config_.agreement())
        settings.add("setting " + key, key == "transport.besides" ? besides_as_written(config_) : value);
    agree(*this, "settings", settings);
    Unasked unasked = look_for_unasked(config_, host_, fabric_->name_of_rest());
    int64_t least[] = { why_not_shared_.empty() ? size() : rank(), unasked.is_wanted() };
    allreduce(*this, least, least, 2, HALO_INT64, HALO_MIN);
    compare_shared_memory(least[0]);
    add_transports(unasked, least[1] == 1);
}

// All are here: who gave up would leave the others with a context that nobody answers in.
double Context::seconds_to_agree() const {
    constexpr double least_seconds = 10;
    const double limit = timeout(HALO_TIMEOUT_CONFIGURED);
    return limit > 0 ? std::max(limit, least_seconds) : 0;
}

// Nobody is through this before all have got here; from here on others may be, and who lacks memory tries again.
void Context::confirm() {
    if (size() == 1) return;
    constexpr int most_trials = 4;
    for (int trial = 1;; ++trial) try {
            const CollectiveCall call(*this, "context", seconds_to_agree());
            allreduce_max(*this, 0);
            return;
        } catch (...) {
            if (trial == most_trials || !is_want_of_memory()) throw;
        }
}

void Context::set(const std::string &key, const std::string &value) {
    config_.set(key, value);
    read_settings();
}

void Context::remember_error(const char *text) noexcept {
    try {
        error_ = text;
    } catch (...) {
        error_.clear();
    }
}

void Context::remember_failure(const char *text, halo_status status) noexcept {
    remember_error(text);
    collectives_->call_failed(status == HALO_ERR_MEMORY);
}

void Context::remember_report(const char *text) noexcept {
    try {
        report_ = text;
    } catch (...) {
        report_.clear();
    }
}

// Tags are taken when all is done: a call that timed out takes the same ones when it is made again.
int64_t Context::reserve_channel_tags(int64_t n) {
    const int64_t most = std::max<int64_t>(allreduce_max(*this, n), 1), first = channel_tags_->find(most);
    const int32_t lanes = channel_tags_->lanes_of(first, most);
    if (lanes > fabric_->lanes() || collectives_->repeats(CollectiveKind::lanes)) open_lanes(lanes);
    channel_tags_->take(first, most);
    return first;
}

void Context::open_lanes(int32_t n_lanes) {
    Collective collective(*this, CollectiveKind::lanes, static_cast<uint64_t>(n_lanes));
    collective.wait([&] { return fabric_->open_lanes(n_lanes); }, [&] { return format("lanes: some rank that has not asked for %d", n_lanes); });
}

void Context::linger(std::unique_ptr<PendingMessage> message) noexcept { lingering_.add(std::move(message)); }

void Context::lose(std::unique_ptr<PendingMessage> message) noexcept {
    message->next = kept_->newest_lost;
    kept_->newest_lost = message.release();
}

void Context::lose(Buffer memory) noexcept {
    std::move(memory).keep();
    kept_->lost_memory = true;
}

void Context::keep_for_device(const Device &device, halo_stream stream, std::vector<Buffer> memory) noexcept {
    try {
        DeviceUses &uses = devices_->uses(device);
        std::unique_ptr<DeviceUse> use = uses.take();
        use->done.record(stream);
        use->memory = std::move(memory);
        uses.keep(std::move(use));
    } catch (...) {
        devices_->uses(device).note(present_error());
        for (Buffer &buffer : memory) lose(std::move(buffer));
    }
}

Buffer Context::owner_of(const std::byte *address) const {
    const auto above = program_memory_.upper_bound(address);
    if (above == program_memory_.begin()) return {};
    const auto &[begin, buffer] = *std::prev(above);
    return address < begin + buffer.bytes() ? buffer : Buffer();
}

void Context::take_leftovers(int32_t peer, int32_t lane, int32_t tag) {
    size_t bytes = 0;
    for (Matched message{}; fabric_->probe(peer, lane, tag, bytes, message); message = {}) {
        auto leftover = std::make_unique<PendingMessage>();
        leftover->peer = peer;
        leftover->buffer = host_buffer(std::max<size_t>(bytes, 1));
        fabric_->receive_matched(message, peer, leftover->buffer.data(), bytes, leftover->request);
        linger(std::move(leftover));
        ++dropped;
    }
}

bool Context::progress_alone(int turns) {
    for (int turn = 0; turn < turns; ++turn) fabric_->progress();
    return progressing_.progress();
}

void Context::reap() noexcept {
    lingering_.erase_if([&](PendingMessage &message) { return has_ended(message); });
    leases_.reap();
    devices_->reap();
    hear_devices();
    try {
        dropped += owed_->take();
    } catch (const std::exception &error) {
        note_lost(error);
    }
}

bool Context::has_ended(PendingMessage &message) noexcept {
    try {
        return fabric_->test(message.request, message.peer);
    } catch (const std::exception &error) {
        note_lost(error);
        return true;
    }
}

RunId Context::next_run() {
    RunId id = run_tags_->take();
    owed_->leave(id.tag());
    return id;
}

} // namespace halo
