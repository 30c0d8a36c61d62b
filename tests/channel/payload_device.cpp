// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

#include "late.h"
#include "payload.h"

namespace test {

namespace {

// The module that HALO_TEST_MODULE names, of which this program opens instances of its own; else the late device, which tells whose its memory is.
const halo_device_plugin *module() {
    static const halo_device_plugin *const loaded = [] {
        const char *const file = std::getenv("HALO_TEST_MODULE");
        void *const opened = file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : nullptr;
        const auto *const found = opened ? static_cast<const halo_device_plugin *>(dlsym(opened, "halo_device_plugin_v1")) : nullptr;
        if (file && !found) {
            std::printf("%s\n", dlerror());
            std::exit(EXIT_FAILURE);
        }
        char why[256] = "";
        if (found && found->query(nullptr, why, sizeof why) == 0) {
            constexpr int skipped = 77;
            std::printf("device %s cannot be used: %s\n", found->name, why);
            std::exit(skipped);
        }
        return found;
    }();
    return loaded;
}

[[maybe_unused]] const halo_device_plugin *const known_from_the_start = module(); // a program without the device is skipped as a whole

std::atomic<int64_t> n_ends{ 0 }, n_written{ 0 }, n_read{ 0 };

class Counts : public testing::Environment {
    void TearDown() override {
        std::printf("%lld ends of channels on a device, %lld payloads written there, %lld read\n", static_cast<long long>(n_ends),
                    static_cast<long long>(n_written), static_cast<long long>(n_read));
    }
};
[[maybe_unused]] const testing::Environment *const counts = testing::AddGlobalTestEnvironment(new Counts);

const halo_device_ops &ops() { return module() ? *module()->ops : *halo_device_late.ops; }

} // namespace

struct Payload::Body {
    halo_context *context;
    int32_t kind;
    void *own = nullptr; // of the context's device
    halo_device *device = nullptr;
    halo_channel_allocator allocator = HALO_CHANNEL_ALLOCATOR_INIT;
    int64_t blocks_out = 0;

    Body(halo_context *given, int32_t kind_given, int64_t bytes) : context(given), kind(kind_given) {
        ++n_ends;
        EXPECT_OK(halo_memory_allocate_on(context, HALO_MEMORY_DEVICE, 0, std::max<int64_t>(bytes, 1), &own));
        if (module()) {
            static const halo_host services{};
            EXPECT_OK(ops().open(&services, 0, &device));
        } else {
            device = late_of_memory(own);
        }
        allocator.memory = HALO_MEMORY_DEVICE, allocator.user = this;
        allocator.allocate = allocate, allocator.release = release;
    }
    ~Body() {
        if (module()) ops().close(device);
        EXPECT_OK(halo_memory_release(context, &own));
    }
    Body(const Body &) = delete;
    Body &operator=(const Body &) = delete;
    void copy(void *dst, const void *src, size_t bytes) const { EXPECT_OK(ops().copy(device, dst, src, bytes, nullptr)); }

    static void *allocate(void *user, const halo_channel_key *, size_t bytes) {
        auto *self = static_cast<Body *>(user);
        void *memory = nullptr;
        ++self->blocks_out;
        return ops().allocate(self->device, HALO_MEMORY_DEVICE, bytes, &memory) == HALO_SUCCESS ? memory : nullptr;
    }
    static void release(void *user, const halo_channel_key *, void *pointer, size_t bytes) {
        auto *self = static_cast<Body *>(user);
        --self->blocks_out;
        ops().release(self->device, HALO_MEMORY_DEVICE, pointer, bytes);
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

void Payload::write(void *payload, const std::vector<unsigned char> &bytes) const {
    ++n_written;
    body_->copy(payload, bytes.data(), bytes.size());
}

std::vector<unsigned char> Payload::read(const void *payload, int64_t bytes) const {
    ++n_read;
    std::vector<unsigned char> values(static_cast<size_t>(bytes));
    body_->copy(values.data(), payload, values.size());
    return values;
}

halo_stream Payload::stream() { return HALO_STREAM_DEFAULT; }

bool Payload::can_settle() { return !module(); }

void Payload::settle() const {
    late_stream_synchronize(body_->device, nullptr);
    EXPECT_OK(halo_context_progress(body_->context));
}

} // namespace test
