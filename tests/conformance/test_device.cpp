// SPDX-License-Identifier: BSD-3-Clause
#include "test_device.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>

#include "module_device.h"

namespace conformance {

namespace {

constexpr int32_t most_microseconds = 5; // of a delay: there are a great many

// Where the environment has modules looked for, too.
std::string with_others(const std::string &directory) {
    const char *const others = std::getenv("HALO_PLUGIN_PATH");
    return others ? directory + ":" + others : directory;
}

class LateDevice final : public TestDevice {
public:
    LateDevice() { late_configure(static_cast<uint64_t>(number_from("CONFORMANCE_SEED", 20240229)), most_microseconds); }

    const halo_device_plugin &plugin() const override { return halo_device_late; }
    const Settings &settings() const override { return settings_; }
    halo_device *enter(void *memory) override { return late_of_memory(memory); }
    void leave() override {}

    halo_stream create_stream(halo_device *device) override {
        halo_stream stream = nullptr;
        succeed(late_stream_create(device, &stream), "late_stream_create", __FILE__, __LINE__);
        return stream;
    }
    void destroy_stream(halo_device *device, halo_stream stream) override { late_stream_destroy(device, stream); }
    void synchronize(halo_device *device, halo_stream stream) override { late_stream_synchronize(device, stream); }
    void copy(halo_device *device, const std::vector<late_piece> &pieces, halo_stream stream) override {
        succeed(late_copy_pieces(device, pieces.data(), std::ssize(pieces), stream), "late_copy_pieces", __FILE__, __LINE__);
    }

    bool print_counts() const override {
        const late_counts done = late_count_all();
        std::printf("on the late device: %lld launches, %lld tests, %lld copies, %lld times the host waited\n", static_cast<long long>(done.launches),
                    static_cast<long long>(done.tests), static_cast<long long>(done.copies), static_cast<long long>(done.host_waits));
        return done.launches > 0;
    }

private:
    const Settings settings_{ { "device", "late" }, { "plugin_path", with_others(LATE_DIRECTORY) } };
};

std::unique_ptr<TestDevice> make_device() {
    const char *const name = std::getenv("CONFORMANCE_DEVICE");
    if (!name || name == std::string("late")) return std::make_unique<LateDevice>();
#ifdef OPENCL_MODULE
    if (name == std::string("opencl")) return make_opencl_device(OPENCL_MODULE);
#endif
#ifdef CUDA_MODULE
    if (name == std::string("cuda")) return make_cuda_device(CUDA_MODULE);
#endif
#ifdef HIP_MODULE
    if (name == std::string("hip")) return make_hip_device(HIP_MODULE);
#endif
    std::printf("CONFORMANCE_DEVICE=%s: these tests have no such device\n", name);
    std::exit(1);
}

} // namespace

TestDevice &test_device() {
    static const std::unique_ptr<TestDevice> device = make_device();
    return *device;
}

} // namespace conformance
