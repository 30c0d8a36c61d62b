// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>

#include "runtimes.h"

namespace device {

namespace {

void check(cudaError_t error, const std::string &call) {
    if (error != cudaSuccess) throw std::runtime_error(call + ": " + cudaGetErrorString(error));
}

class CudaQueue final : public Queue {
public:
    explicit CudaQueue(const halo::Context &context) : Queue(context) {
        check(cudaSetDevice(ordinal()), "cudaSetDevice"); // of this thread
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    }
    ~CudaQueue() override {
        cudaStreamSynchronize(stream_);
        cudaStreamDestroy(stream_);
    }

    halo_stream stream() const override { return stream_; }

    void run(const std::string &name, std::int64_t n, std::initializer_list<Argument> arguments) override {
        if (n == 0) return;
        long wanted = n;
        std::vector<void *> places = { &wanted };
        for (const Argument &argument : arguments) places.push_back(const_cast<void *>(argument.value()));
        check(cudaLaunchKernel(find(name), dim3(static_cast<unsigned>(n_groups(n))), dim3(threads_of_group), places.data(), 0, stream_), name);
    }

    void copy(void *to, const void *from, std::size_t bytes) override {
        if (bytes == 0) return;
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "cudaMemcpyAsync");
        check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    }

private:
    static const void *find(const std::string &name) {
        for (const NamedKernel *kernel = kernels; kernel->name != nullptr; ++kernel)
            if (kernel->name == name) return kernel->function;
        throw std::runtime_error("there is no kernel '" + name + "'");
    }

    cudaStream_t stream_ = nullptr;
};

class Cuda final : public Runtime {
public:
    std::string context() const override { return {}; }
    std::unique_ptr<Queue> make_queue(const halo::Context &context) override { return std::make_unique<CudaQueue>(context); }
};

} // namespace

std::unique_ptr<Runtime> open_cuda() { return std::make_unique<Cuda>(); }

} // namespace device
