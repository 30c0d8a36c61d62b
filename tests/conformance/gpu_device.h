// SPDX-License-Identifier: BSD-3-Clause
// CUDA's or HIP's runtime as a program has it. Whoever includes it has included the vendor's header, and defined HALO_GPU(name), by which its
// functions and types are called, and HALO_GPU_MODULE, the name of libhalo's module.
#pragma once

#include <atomic>
#include <cstdio>
#include <memory>

#include "module_device.h"

namespace conformance {

namespace {

class GpuDevice final : public ModuleDevice {
public:
    explicit GpuDevice(const char *file) : ModuleDevice(HALO_GPU_MODULE, file, {}) {}

    halo_stream create_stream(halo_device *) override {
        HALO_GPU(Stream_t) stream = nullptr;
        check(HALO_GPU(StreamCreateWithFlags)(&stream, HALO_GPU(StreamNonBlocking)), "StreamCreateWithFlags");
        return stream;
    }
    void destroy_stream(halo_device *, halo_stream stream) override { check(HALO_GPU(StreamDestroy)(of(stream)), "StreamDestroy"); }
    void synchronize(halo_device *, halo_stream stream) override { check(HALO_GPU(StreamSynchronize)(of(stream)), "StreamSynchronize"); }

    // Waits in any case: memory of the host is not pinned.
    void copy(halo_device *, const std::vector<late_piece> &pieces, halo_stream stream) override {
        count_copy();
        for (const late_piece &piece : pieces)
            check(HALO_GPU(MemcpyAsync)(piece.dst, piece.src, piece.bytes, HALO_GPU(MemcpyDefault), of(stream)), "MemcpyAsync");
        check(HALO_GPU(StreamSynchronize)(of(stream)), "StreamSynchronize");
    }

private:
    static HALO_GPU(Stream_t) of(halo_stream stream) { return static_cast<HALO_GPU(Stream_t)>(stream); }
    static void check(HALO_GPU(Error_t) error, const char *call) {
        if (error != HALO_GPU(Success)) stop("%s: %s", call, HALO_GPU(GetErrorString)(error));
    }
};

} // namespace

} // namespace conformance
