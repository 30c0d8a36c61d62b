// SPDX-License-Identifier: BSD-3-Clause
// OpenCL devices that cannot be used, and the words that say why: this program stands in front of what tells of a device.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>

#include <dlfcn.h>

#include "placed.h"

namespace {

// What all devices lack, for as long as it is told so.
struct Lack {
    cl_device_info what;
    uint64_t left; // bits of the driver's answer, that are left
    uint64_t instead;
    const char *words;
};
std::atomic<const Lack *> lack{ nullptr };

} // namespace

extern "C" __attribute__((visibility("default"))) CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info what,
                                                                                                  size_t bytes, void *value, size_t *bytes_wanted) {
    static const auto call = reinterpret_cast<decltype(&clGetDeviceInfo)>(dlsym(RTLD_NEXT, "clGetDeviceInfo"));
    const cl_int error = call(device, what, bytes, value, bytes_wanted);
    const Lack *const one = lack;
    if (error != CL_SUCCESS || !one || one->what != what || !value || bytes > sizeof(uint64_t)) return error;
    uint64_t answer = 0;
    std::memcpy(&answer, value, bytes);
    answer = (answer & one->left) | one->instead;
    std::memcpy(value, &answer, bytes);
    return error;
}

namespace {

using namespace conformance;

constexpr Lack lacks[] = {
    { CL_DEVICE_AVAILABLE, 0, CL_FALSE, "is not available" },
    { CL_DEVICE_SVM_CAPABILITIES, ~uint64_t{ CL_DEVICE_SVM_FINE_GRAIN_BUFFER }, 0, "has no fine-grained shared virtual memory" },
    { CL_DEVICE_SVM_CAPABILITIES, 0, 0, "has no fine-grained shared virtual memory" },
    { CL_DEVICE_DOUBLE_FP_CONFIG, 0, 0, "has no double precision" },
    { CL_DEVICE_SINGLE_FP_CONFIG, ~uint64_t{ CL_FP_DENORM }, 0, "flushes small numbers of single precision to zero" },
    { CL_DEVICE_MAX_WORK_GROUP_SIZE, 0, 127, "has work-groups of less than 128 threads" },
    { CL_DEVICE_ENDIAN_LITTLE, 0, CL_FALSE, "is not little-endian" },
    { CL_DEVICE_ADDRESS_BITS, 0, 32, "has addresses of other than 64 bits" },
};

class Refused : public testing::TestWithParam<Lack> {
protected:
    Refused() { test_device(); } // while there is one
    ~Refused() override { lack = nullptr; }
};

// The module's own answer, which halo_info shows.
TEST_P(Refused, TheModuleSaysWhy) {
    const halo_device_plugin &plugin = test_device().plugin();
    char why[1024] = "";
    ASSERT_GT(plugin.query(nullptr, why, sizeof why), 0) << why;
    lack = &GetParam();
    EXPECT_EQ(plugin.query(nullptr, why, sizeof why), 0);
    EXPECT_EQ(std::string(why).find("no OpenCL device that can be used: "), 0) << why;
    EXPECT_NE(std::string(why).find(GetParam().words), std::string::npos) << why;
}

halo_status allocate(halo_context *context) {
    void *memory = nullptr;
    const halo_status status = halo_memory_allocate_on(context, HALO_MEMORY_DEVICE, 0, 64, &memory);
    if (memory) OK(halo_memory_release(context, &memory));
    return status;
}

void expect_text(halo_status got, halo_status wanted, const char *words) {
    if (got != wanted || std::string(halo_last_error()).find(words) == std::string::npos) stop("%s: %s", halo_status_name(got), halo_last_error());
}

// As it is made, and as the device is opened, in a cl_context of the module's and in the program's.
TEST_P(Refused, AContextSaysWhy) {
    for (const char *mine : { "", test_device().settings().front().second.c_str() })
        run_raw(1, [&](halo_inproc *group, int32_t rank) {
            halo_context *context = nullptr;
            lack = &GetParam();
            expect_text(make_context(group, rank, { { "device.context", mine } }, &context), HALO_ERR_PLUGIN, GetParam().words);
            lack = nullptr;
            OK(make_context(group, rank, { { "device.context", mine } }, &context));
            lack = &GetParam();
            expect_text(allocate(context), HALO_ERR_ARGUMENT, GetParam().words);
            expect_text(allocate(context), HALO_ERR_ARGUMENT,
                        *mine ? "of the context that device.context names" : "there is no OpenCL device 0 among 0; ");
            lack = nullptr;
            OK(halo_context_destroy(&context));
        });
}

INSTANTIATE_TEST_SUITE_P(DevicesOfOpenCl, Refused, testing::ValuesIn(lacks));

TEST(DevicesOfOpenCl, WhatWasRefusedIsAskedAgain) {
    run_raw(1, [](halo_inproc *group, int32_t rank) {
        halo_context *context = nullptr;
        OK(make_context(group, rank, {}, &context));
        lack = lacks;
        expect_text(allocate(context), HALO_ERR_ARGUMENT, lacks[0].words);
        lack = nullptr;
        OK(allocate(context));
        OK(halo_context_destroy(&context));
    });
}

} // namespace
