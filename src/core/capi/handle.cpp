// SPDX-License-Identifier: BSD-3-Clause
#include "capi/handle.h"

#include "base/error.h"

namespace halo {

const char *handle_kind_name(HandleKind kind) noexcept {
    switch (kind) {
    case HandleKind::context: return "context";
    case HandleKind::topology: return "topology";
    case HandleKind::field: return "field";
    case HandleKind::exchange: return "exchange";
    case HandleKind::group: return "group";
    case HandleKind::batch: return "batch";
    case HandleKind::reduction: return "reduction";
    case HandleKind::sphere: return "sphere";
    case HandleKind::mesh: return "mesh";
    case HandleKind::particles: return "particles";
    }
    return "unknown handle";
}

Handle *Shells::fill(HandleKind kind, ContextObject *owner, void *object) {
    Handle *shell = nullptr;
    if (n_retired_ > quarantine) {
        shell = oldest_retired_;
        oldest_retired_ = shell->next_retired;
        --n_retired_;
    } else {
        shell = &shells_.emplace_back();
    }
    *shell = { kind, true, owner, object, nullptr };
    return shell;
}

void Shells::retire(Handle *shell) noexcept {
    shell->alive = false;
    shell->object = nullptr;
    shell->next_retired = nullptr;
    (n_retired_++ > 0 ? newest_retired_->next_retired : oldest_retired_) = shell;
    newest_retired_ = shell;
}

void require_handle(const Handle *handle, HandleKind kind) {
    const char *name = handle_kind_name(kind);
    if (!handle) fail(HALO_ERR_ARGUMENT, "the %s handle is NULL", name);
    if (handle->kind != kind) fail(HALO_ERR_HANDLE, "handle %p is not a %s", static_cast<const void *>(handle), name);
    if (!handle->alive) fail(HALO_ERR_HANDLE, "%s %p has been destroyed", name, static_cast<const void *>(handle));
}

CallLock::Call require_callable(Handle *handle, HandleKind kind) {
    require_handle(handle, kind);
    CallLock::Call call;
    call.begin(handle->owner->context.call_lock(), in_call_of(handle));
    handle->owner->context.admit(Inside::nothing);
    return call;
}

} // namespace halo
