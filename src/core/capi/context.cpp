// SPDX-License-Identifier: BSD-3-Clause
#include <mutex>

#include "base/checked.h"
#include "base/limits.h"
#include "base/types.h"
#include "capi/leftovers.h"
#include "capi/with_all.h"
#include "comm/collective.h"
#include "comm/first_values.h"
#include "plugin/inproc_group.h"

namespace halo {

namespace {

// Shells of contexts outlive them, so that the use of a destroyed one is noticed.
struct ContextShells {
    std::mutex mutex;
    Shells shells;
};

ContextShells &context_shells() {
    static ContextShells process_wide;
    return process_wide;
}

halo_context *make_shell(ContextObject &object) {
    ContextShells &shells = context_shells();
    const std::lock_guard lock(shells.mutex);
    return shells.shells.make<halo_context>(&object, &object);
}

void retire(Handle *shell) {
    ContextShells &shells = context_shells();
    const std::lock_guard lock(shells.mutex);
    shells.shells.retire(shell);
}

void create(const ContextSource &source, const halo_context_options *options, halo_context **context) {
    require(context, "context");
    const halo_context_options defaults = HALO_CONTEXT_OPTIONS_INIT;
    auto object = std::make_unique<ContextObject>(source, read_optional_struct(options, defaults));
    halo_context *shell = make_shell(*object);
    try {
        object->context.meet(source.meeting);
    } catch (...) {
        retire(shell_of(shell));
        throw;
    }
    object.release();
    *context = shell;
}

// Whatever there is no memory for, other ranks hear of it.
void create_inproc(halo_inproc *group, int32_t rank, const halo_context_options *options, halo_context **context) {
    InprocMeeting meeting(group, rank);
    ContextSource source;
    source.meeting = &meeting;
    try {
        create(source, options, context);
    } catch (...) {
        if (is_want_of_memory()) meeting.fail();
        throw;
    }
}

void check_bootstrap(const halo_bootstrap &given) {
    if (given.n_ranks < 1 || given.rank < 0 || given.rank >= given.n_ranks)
        fail(HALO_ERR_ARGUMENT, "bootstrap: rank %d of %d", given.rank, given.n_ranks);
    if (!given.allgather && given.n_ranks > 1) fail(HALO_ERR_ARGUMENT, "bootstrap: allgather is NULL, of %d ranks", given.n_ranks);
}

ContextObject &context_object(const halo_context *context) { return object_of<ContextObject>(context); }

// It may still log then. What a device has failed in, with nobody left to be told of it, is told at last.
void destroy(halo_context **context, CallLock::Call &call) {
    ContextObject *object = &context_object(*context);
    const std::optional<Error> failed = object->context.end_device_work();
    retire(shell_of(*context));
    *context = nullptr;
    object->context.stop_progress();
    call.end();
    delete object;
    if (failed) throw Error(*failed);
}

void allocate_zeroed(Context &context, int32_t memory, int32_t device, int64_t bytes, void **pointer) {
    require(pointer, "pointer");
    if (bytes < 1) fail(HALO_ERR_ARGUMENT, "memory: %lld bytes wanted", static_cast<long long>(bytes));
    check_limit("memory: bytes", bytes, limits::storage_bytes);
    Pools &pools = context.pools();
    const bool of_device = (memory == HALO_MEMORY_DEVICE || memory == HALO_MEMORY_PINNED) && context.devices().has_memory();
    const Device *opened = of_device ? &context.devices().open(device, pools) : nullptr;
    const int32_t kind = memory == HALO_MEMORY_SHARED && !pools.has(memory) ? HALO_MEMORY_HOST : memory;
    Buffer buffer = pools.pool(kind, device).get(static_cast<size_t>(bytes));
    const uint8_t zero = 0;
    if (memory == HALO_MEMORY_DEVICE && opened)
        write_zeros(context, *opened, buffer.data(), bytes);
    else
        context.device().fill(buffer.data(), &zero, 1, bytes, HALO_STREAM_NONE);
    void *const data = buffer.data();
    context.program_memory().emplace(buffer.data(), std::move(buffer));
    *pointer = data;
}

} // namespace

} // namespace halo

using namespace halo;

halo_status halo_context_create(const halo_context_options *options, halo_context **context) {
    return guard([&] { create({}, options, context); });
}

halo_status halo_context_create_communicator(const void *communicator, size_t handle_bytes, const char *mpi, const halo_context_options *options,
                                             halo_context **context) {
    return guard([&] {
        require(communicator, "communicator");
        require(mpi, "mpi");
        ContextSource source;
        source.communicator = communicator;
        source.handle_bytes = handle_bytes;
        source.mpi = mpi;
        create(source, options, context);
    });
}

halo_status halo_context_create_over(const halo_bootstrap *bootstrap, const halo_context_options *options, halo_context **context) {
    return guard([&] {
        require(bootstrap, "bootstrap");
        const halo_bootstrap defaults = HALO_BOOTSTRAP_INIT;
        const halo_bootstrap given = read_struct(bootstrap, defaults);
        check_bootstrap(given);
        ContextSource source;
        source.bootstrap = &given;
        create(source, options, context);
    });
}

halo_status halo_context_create_inproc(halo_inproc *group, int32_t rank, const halo_context_options *options, halo_context **context) {
    return guard([&] {
        require(group, "group");
        const int32_t size = inproc_group_size(group);
        if (rank < 0 || rank >= size) fail(HALO_ERR_ARGUMENT, "rank %d is outside the in-process group of %d ranks", rank, size);
        create_inproc(group, rank, options, context);
    });
}

halo_status halo_inproc_create(int32_t n_ranks, halo_inproc **group) {
    return guard([&] {
        require(group, "group");
        *group = create_inproc_group(n_ranks);
    });
}

halo_status halo_inproc_destroy(halo_inproc **group) {
    return guard([&] {
        require(group, "group");
        require(*group, "*group");
        destroy_inproc_group(*group);
        *group = nullptr;
    });
}

halo_status halo_context_destroy(halo_context **context) {
    return guard([&] {
        require(context, "context");
        CallLock::Call call = require_callable(shell_of(*context), HandleKind::context);
        ContextObject &object = context_object(*context);
        const int64_t children = object.context.children + object.channels.size() + object.accesses.n_open_without_fields();
        if (children > 0) fail(HALO_BUSY, "context: what was made with it still exists: %s", all_left(object).c_str());
        destroy(context, call);
    });
}

halo_status halo_context_destroy_with_all(halo_context **context) {
    return guard([&] {
        require(context, "context");
        CallLock::Call call = require_callable(shell_of(*context), HandleKind::context);
        ContextObject &object = context_object(*context);
        if (object.context.call_lock().any_rests()) fail(HALO_ERR_STATE, "context: another thread is in a call on an exchange, and waits there");
        Shells all; // handles are known up to the end
        if (const std::string given_up = give_up_all(object); !given_up.empty())
            object.context.log().warn("context: destroyed while something is in flight, which is given up: %s", given_up.c_str());
        destroy_all(object);
        all = std::move(object.shells);
        destroy(context, call);
    });
}

halo_status halo_context_rank(const halo_context *context, int32_t *rank, int32_t *n_ranks) {
    return with_handle(context, [&] {
        const Context &object = context_object(context).context;
        if (rank) *rank = object.rank();
        if (n_ranks) *n_ranks = object.size();
    });
}

halo_status halo_context_set(halo_context *context, const char *key, const char *value) {
    return with_handle(context, [&] {
        require(key, "key");
        require(value, "value");
        context_object(context).context.set(key, value);
    });
}

halo_status halo_context_setting(const halo_context *context, const char *key, const char **value, const char **source) {
    return with_handle(context, [&] {
        require(key, "key");
        require(value, "value");
        const Config &config = context_object(context).context.config();
        const std::string *text = config.value(key);
        if (!text) fail(HALO_ERR_NOT_FOUND, "no setting '%s'", key);
        *value = text->c_str();
        if (source) *source = config.source(key)->c_str();
    });
}

const char *halo_context_error(const halo_context *context) {
    const Handle *shell = shell_of(context);
    if (!shell || shell->kind != HandleKind::context || !shell->alive) return "";
    return context_object(context).context.error().c_str();
}

halo_status halo_context_progress(halo_context *context) {
    return with_handle(context, [&] {
        Context &object = context_object(context).context;
        object.fabric().progress();
        object.take_what_has_come();
        object.reap();
    });
}

halo_status halo_context_rank_gone(halo_context *context, int32_t rank) {
    return with_handle(context, [&] {
        Context &object = context_object(context).context;
        if (rank < 0 || rank >= object.size() || rank == object.rank())
            fail(HALO_ERR_ARGUMENT, "rank %d cannot be gone: there are %d, this one is rank %d", rank, object.size(), object.rank());
        object.leases().forget(rank);
    });
}

halo_status halo_context_barrier(halo_context *context) {
    return with_handle(context, [&] { barrier(context_object(context).context); });
}

halo_status halo_context_allreduce(halo_context *context, const void *in, void *out, int64_t n, halo_type type, halo_op op) {
    return with_handle(context, [&] {
        if (n < 0) fail(HALO_ERR_ARGUMENT, "allreduce: n is %lld", static_cast<long long>(n));
        check_combines(type, op, "allreduce");
        (Checked(n) * static_cast<int64_t>(type_bytes(type))).value("allreduce: the bytes of n values", limits::reduced_bytes);
        if (n > 0) {
            require(in, "in");
            require(out, "out");
        }
        allreduce(context_object(context).context, in, out, n, type, op);
    });
}

halo_status halo_context_pool_stats(const halo_context *context, int32_t memory, halo_pool_stats *stats) {
    return with_handle(context, [&] {
        require(stats, "stats");
        const Pools &pools = context_object(context).context.pools();
        PoolFigures figures = pools.figures(memory);
        if (memory == HALO_MEMORY_HOST && pools.has(HALO_MEMORY_SHARED)) figures += pools.figures(HALO_MEMORY_SHARED);
        halo_pool_stats filled = HALO_POOL_STATS_INIT;
        filled.memory = memory;
        filled.in_use_bytes = figures.in_use_bytes;
        filled.held_bytes = figures.held_bytes;
        filled.peak_bytes = figures.peak_bytes;
        filled.allocations = figures.allocations;
        write_struct(stats, filled);
    });
}

halo_status halo_memory_allocate(halo_context *context, int32_t memory, int64_t bytes, void **pointer) {
    return with_handle<Inside::arrival>(context, [&] {
        Context &object = context_object(context).context;
        const bool of_device = memory == HALO_MEMORY_DEVICE || memory == HALO_MEMORY_PINNED;
        allocate_zeroed(object, memory, of_device ? object.devices().own().ordinal : 0, bytes, pointer);
    });
}

halo_status halo_memory_allocate_on(halo_context *context, int32_t memory, int32_t device, int64_t bytes, void **pointer) {
    return with_handle<Inside::arrival>(context, [&] { allocate_zeroed(context_object(context).context, memory, device, bytes, pointer); });
}

halo_status halo_memory_release(halo_context *context, void **pointer) {
    return with_handle(context, [&] {
        require(pointer, "pointer");
        Context &object = context_object(context).context;
        const auto memory = object.program_memory().find(static_cast<std::byte *>(*pointer));
        if (memory == object.program_memory().end())
            fail(HALO_ERR_NOT_FOUND, "memory: %p was not given by halo_memory_allocate of this context", *pointer);
        object.leases().require_free(memory->second.data(), memory->second.bytes(), format("memory %p", *pointer));
        object.program_memory().erase(memory);
        *pointer = nullptr;
    });
}

halo_status halo_context_trim(halo_context *context) {
    return with_handle(context, [&] {
        Context &object = context_object(context).context;
        object.reap();
        object.pools().trim();
    });
}
