// SPDX-License-Identifier: BSD-3-Clause
// Memory and events that go with their owner.
#pragma once

#include <utility>

#include "failure.h"
#include "runtime.h"

namespace halo::accelerator {

class Block {
public:
    Block() = default;
    Block(Runtime &runtime, int32_t memory, size_t bytes) : runtime_(&runtime), memory_(memory), pointer_(runtime.allocate(memory, bytes)) {
        if (!pointer_) fail(HALO_ERR_MEMORY, "no %zu bytes of %s memory", bytes, memory == HALO_MEMORY_PINNED ? "pinned" : "the device's");
    }
    Block(Block &&other) noexcept : runtime_(other.runtime_), memory_(other.memory_), pointer_(std::exchange(other.pointer_, nullptr)) {}
    Block &operator=(Block &&other) noexcept {
        std::swap(runtime_, other.runtime_);
        std::swap(memory_, other.memory_);
        std::swap(pointer_, other.pointer_);
        return *this;
    }
    ~Block() {
        if (pointer_) runtime_->release(memory_, pointer_);
    }

    char *data() const { return static_cast<char *>(pointer_); }

private:
    Runtime *runtime_ = nullptr;
    int32_t memory_ = HALO_MEMORY_DEVICE;
    void *pointer_ = nullptr;
};

class Event {
public:
    explicit Event(Runtime &runtime) : runtime_(&runtime), event_(runtime.event_create()) {}
    Event &operator=(Event &&) = delete;
    Event(Event &&other) noexcept : runtime_(other.runtime_), event_(std::exchange(other.event_, nullptr)) {}
    ~Event() {
        if (event_) runtime_->event_destroy(event_);
    }

    void record(halo_stream stream) { runtime_->event_record(event_, stream); }
    bool has_fired() const { return runtime_->event_has_fired(event_); }
    void hold(halo_stream stream) const { runtime_->event_wait(event_, stream); }

private:
    Runtime *runtime_;
    halo_event *event_;
};

} // namespace halo::accelerator
