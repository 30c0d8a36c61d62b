// SPDX-License-Identifier: BSD-3-Clause
// Handles of the C interface. A handle points at a small shell that outlives its object: it can be asked whether the object still lives.
// Shells belong to the context; those of contexts belong to the process, because nothing else outlives a context.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <type_traits>

#include "access/accesses.h"
#include "access/reduction.h"
#include "capi/guard.h"
#include "channel/registry.h"
#include "comm/context.h"
#include "halo_channel.h"
#include "halo_mesh.h"
#include "halo_particles.h"
#include "halo_sphere.h"

namespace halo {

enum class HandleKind : uint32_t {
    context = 0x43545848, // values that stray memory is unlikely to hold
    topology = 0x504f5448,
    field = 0x444c4648,
    exchange = 0x43584548,
    group = 0x50524748,
    batch = 0x48435442,
    reduction = 0x44455248,
    sphere = 0x48505348,
    mesh = 0x48534d48,
    particles = 0x54525048,
};
const char *handle_kind_name(HandleKind kind) noexcept;

struct ContextObject;

struct Handle {
    HandleKind kind;
    bool alive;
    ContextObject *owner;
    void *object;
    Handle *next_retired;
    bool in_call = false; // of an exchange, where several threads are let in
};

// What kind of object a handle type stands for.
inline HandleKind kind_of(const halo_context *) { return HandleKind::context; }
inline HandleKind kind_of(const halo_topology *) { return HandleKind::topology; }
inline HandleKind kind_of(const halo_field *) { return HandleKind::field; }
inline HandleKind kind_of(const halo_exchange *) { return HandleKind::exchange; }
inline HandleKind kind_of(const halo_group *) { return HandleKind::group; }
inline HandleKind kind_of(const halo_batch *) { return HandleKind::batch; }
inline HandleKind kind_of(const halo_reduction *) { return HandleKind::reduction; }
inline HandleKind kind_of(const halo_sphere *) { return HandleKind::sphere; }
inline HandleKind kind_of(const halo_mesh *) { return HandleKind::mesh; }
inline HandleKind kind_of(const halo_particles *) { return HandleKind::particles; }

// The caller's opaque pointer is the shell's address.
template <class H>
Handle *shell_of(H *handle) {
    return reinterpret_cast<Handle *>(const_cast<std::remove_const_t<H> *>(handle));
}

// Shells of one context's objects. Those of destroyed objects are used again only after many others.
class Shells {
public:
    template <class H>
    H *make(ContextObject *owner, void *object) {
        return reinterpret_cast<H *>(fill(kind_of(static_cast<const H *>(nullptr)), owner, object));
    }
    void retire(Handle *shell) noexcept;
    // Of living objects.
    const std::deque<Handle> &all() const { return shells_; }
    std::deque<Handle> &all() { return shells_; }

private:
    Handle *fill(HandleKind kind, ContextObject *owner, void *object);

    static constexpr size_t quarantine = 4096;
    std::deque<Handle> shells_;
    Handle *oldest_retired_ = nullptr;
    Handle *newest_retired_ = nullptr;
    size_t n_retired_ = 0;
};

// Everything that belongs to one context handle.
struct ContextObject {
    ContextObject(const ContextSource &source, const halo_context_options &options) : context(source, options), channels(context), accesses(context) {
        accesses.on_drop = [this](void *batch) { shells.retire(static_cast<Handle *>(batch)); };
    }

    Context context;
    ChannelRegistry channels;
    Shells shells;
    Accesses accesses;
    Reductions reductions;
    BatchShape batch_shape; // scratch of halo_access_begin
};

// The handle is what it should be, and its object lives. HALO_ERR_ARGUMENT, HALO_ERR_HANDLE.
void require_handle(const Handle *handle, HandleKind kind);

// Where the waits of a call on an object let other threads in; null: they do not.
inline bool *in_call_of(Handle *handle) { return handle->kind == HandleKind::exchange ? &handle->in_call : nullptr; }

// A call on a handle that is what it should be, which may be made now. HALO_ERR_ARGUMENT, HALO_ERR_HANDLE, HALO_ERR_STATE.
CallLock::Call require_callable(Handle *handle, HandleKind kind);

// Run the body of a function on a handle: errors also become the context's last error. `most`: inside which callbacks of the program it may be
// called; functions that only read, as their handle is const, always.
template <Inside most = Inside::nothing, class H, class Body>
halo_status with_handle(H *handle, Body &&body) noexcept {
    const Handle *shell = nullptr;
    CallLock::Call call; // lasts until the failure's text is kept
    return guard(
        [&] {
            require_handle(shell_of(handle), kind_of(handle));
            Context &context = shell_of(handle)->owner->context;
            call.begin(context.call_lock(), std::is_const_v<H> ? nullptr : in_call_of(shell_of(handle)));
            shell = shell_of(handle);
            if constexpr (!std::is_const_v<H>) context.admit(most);
            return body();
        },
        [&](const char *text, halo_status status) noexcept {
            if (shell) shell->owner->context.remember_failure(text, status);
        });
}

// The object of a checked handle.
template <class T, class H>
T &object_of(H *handle) {
    return *static_cast<T *>(shell_of(handle)->object);
}

// Delete the object of a checked handle, retire its shell, and set the caller's pointer to NULL.
template <class T, class H>
void destroy_object(H **handle) {
    Handle *shell = shell_of(*handle);
    delete static_cast<T *>(shell->object);
    shell->owner->shells.retire(shell);
    *handle = nullptr;
}

} // namespace halo
