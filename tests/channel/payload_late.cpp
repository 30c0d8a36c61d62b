// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "late.h"
#include "payload.h"

namespace test {

struct Payload::Body {
    halo_context *context;
    int32_t kind;
    void *own = nullptr; // of the context's device, which it leads to
    halo_allocator allocator{};
    int64_t blocks_out = 0;

    Body(halo_context *given, int32_t kind_given, int64_t bytes) : context(given), kind(kind_given) {
        EXPECT_OK(halo_memory_allocate_on(context, HALO_MEMORY_DEVICE, 0, std::max<int64_t>(bytes, 1), &own));
        allocator = { HALO_MEMORY_DEVICE, 0, this, allocate, release };
    }
    ~Body() { EXPECT_OK(halo_memory_release(context, &own)); }
    halo_device *device() const { return late_of_memory(own); }
    void copy(void *dst, const void *src, size_t bytes) const { EXPECT_OK(halo_device_late.ops->copy(device(), dst, src, bytes, nullptr)); }

    static void *allocate(void *user, size_t bytes) {
        auto *self = static_cast<Body *>(user);
        void *memory = nullptr;
        ++self->blocks_out;
        return halo_device_late.ops->allocate(self->device(), HALO_MEMORY_DEVICE, bytes, &memory) == HALO_SUCCESS ? memory : nullptr;
    }
    static void release(void *user, void *pointer, size_t bytes) {
        auto *self = static_cast<Body *>(user);
        --self->blocks_out;
        halo_device_late.ops->release(self->device(), HALO_MEMORY_DEVICE, pointer, bytes);
    }
};

Payload::Payload(halo_context *context, int32_t kind, int64_t bytes) : body_(new Body(context, kind, bytes)) {}

Payload::~Payload() = default;

void Payload::describe(halo_channel_desc &desc) {
    desc.memory = HALO_MEMORY_DEVICE;
    desc.buffer_kind = body_->kind;
    if (body_->kind == HALO_BUFFER_CALLER) desc.buffer = body_->own;
    if (body_->kind == HALO_BUFFER_ALLOCATOR) desc.allocator = &body_->allocator;
}

int64_t Payload::blocks_out() const { return body_->blocks_out; }

void Payload::write(void *payload, const std::vector<unsigned char> &bytes) const { body_->copy(payload, bytes.data(), bytes.size()); }

std::vector<unsigned char> Payload::read(const void *payload, int64_t bytes) const {
    std::vector<unsigned char> values(static_cast<size_t>(bytes));
    body_->copy(values.data(), payload, values.size());
    return values;
}

halo_stream Payload::stream() { return HALO_STREAM_DEFAULT; }

} // namespace test
