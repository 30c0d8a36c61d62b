// SPDX-License-Identifier: BSD-3-Clause
// Memory and events of the late device that other instances use: files that they map, found by process and number. Each maps memory anew, so that
// nobody reaches by another's address, and an instance that opens it twice is told so.
#include <memory>

#include "instance.h"

namespace late {

namespace {

halo_status export_memory(halo_device *device, void *pointer, halo_ipc_handle *handle) {
    Late &self = late_of(device);
    if (self.exporting.is_now()) return report(self.services, HALO_ERR_DEVICE, "memory at %p cannot be exported, as ordered", pointer);
    if (!self.memory.tell(pointer, *handle)) return report(self.services, HALO_ERR_DEVICE, "no memory of the late device begins at %p", pointer);
    self.count(&late_counts::exported);
    return HALO_SUCCESS;
}

halo_status open_memory(halo_device *device, const halo_ipc_handle *handle, void **pointer) {
    Late &self = late_of(device);
    const char *why = "as ordered";
    void *const found = self.opening.is_now() ? nullptr : self.memory.open_others(*handle, why);
    if (!found) return report(self.services, HALO_ERR_DEVICE, "memory of another instance cannot be opened: %s", why);
    self.count(&late_counts::opened);
    *pointer = found;
    return HALO_SUCCESS;
}

void close_memory(halo_device *device, void *pointer) {
    Late &self = late_of(device);
    if (!self.memory.close_others(pointer)) std::abort(); // it cannot be refused
    self.count(&late_counts::opened, -1);
}

halo_status give_event(Late &self, std::shared_ptr<EventPage> page, bool is_others, halo_event **event) {
    if (!page) return report(self.services, HALO_ERR_DEVICE, "there is no file for an event");
    self.count(&late_counts::events);
    *event = reinterpret_cast<halo_event *>(new Event{ nullptr, std::move(page), is_others });
    return HALO_SUCCESS;
}

halo_status export_event(halo_device *device, halo_event **event, halo_ipc_handle *handle) {
    std::shared_ptr<EventPage> page = EventPage::make();
    if (page) *handle = { { static_cast<uint64_t>(page->process()), static_cast<uint64_t>(page->file()) } };
    return give_event(late_of(device), std::move(page), false, event);
}

halo_status open_event(halo_device *device, const halo_ipc_handle *handle, halo_event **event) {
    return give_event(late_of(device), EventPage::open(static_cast<int64_t>(handle->word[0]), static_cast<int64_t>(handle->word[1])), true, event);
}

} // namespace

const halo_ipc_ops ipc_operations = { sizeof(halo_ipc_ops), export_memory, open_memory, close_memory, export_event, open_event };

} // namespace late

void late_fail_export(halo_device *device, int64_t after) { late::late_of(device).exporting.set(after); }
void late_fail_opening(halo_device *device, int64_t after) { late::late_of(device).opening.set(after); }
