// SPDX-License-Identifier: BSD-3-Clause
#include "session.h"

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <utility>

#include "text.h"

namespace bench {

namespace {

// Modules lie beside the program, as built and as installed.
std::filesystem::path module_path(const std::string &name) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / HALO_BENCH_MODULES / ("libhalo_bench_" + name + ".so");
}

template <class Make>
auto load(const std::string &name, const char *entry) -> decltype(std::declval<Make *>()()) {
    const std::filesystem::path path = module_path(name);
    if (!std::filesystem::exists(path)) return nullptr;
    void *module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!module) throw std::runtime_error(dlerror());
    return reinterpret_cast<Make *>(dlsym(module, entry))();
}

int number_in(const char *variable, int otherwise) {
    const char *text = std::getenv(variable);
    return text ? std::atoi(text) : otherwise;
}

} // namespace

std::unique_ptr<Mpi> load_mpi(const std::string &mpi) { return std::unique_ptr<Mpi>(load<make_mpi_fn>(mpi, BENCH_MAKE_MPI)); }
std::unique_ptr<Petsc> load_petsc() { return std::unique_ptr<Petsc>(load<make_petsc_fn>("petsc", BENCH_MAKE_PETSC)); }

std::unique_ptr<DeviceKernels> load_device_kernels(const std::string &device) {
    return std::unique_ptr<DeviceKernels>(load<make_device_kernels_fn>(device, BENCH_MAKE_DEVICE_KERNELS));
}

std::string launcher_mpi() { return std::getenv("OMPI_COMM_WORLD_SIZE") ? "openmpi" : std::getenv("PMI_SIZE") ? "mpich" : ""; }

bool pin_to_core() {
    const auto told = [](const char *openmpi, const char *mpich, const char *halo_launch, int otherwise) {
        return number_in(openmpi, number_in(mpich, number_in(halo_launch, otherwise)));
    };
    const int local_rank = told("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "HALO_LAUNCH_LOCAL_RANK", launcher_mpi().empty() ? 0 : -1);
    const int local_ranks = told("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "HALO_LAUNCH_LOCAL_RANKS", 1);
    cpu_set_t allowed;
    if (local_rank < 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
    if (CPU_COUNT(&allowed) == 1) return local_ranks <= static_cast<int>(std::thread::hardware_concurrency()) || local_ranks == 1;
    if (CPU_COUNT(&allowed) < local_ranks) return false;
    int skip = local_rank, core = 0;
    while (!CPU_ISSET(core, &allowed) || skip-- > 0) ++core;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

Session::Session(const std::string &mpi, bool pin) : cores_(static_cast<int32_t>(sysconf(_SC_NPROCESSORS_ONLN))) {
    const std::string wanted = mpi == "auto" ? launcher_mpi() : mpi == "none" ? "" : mpi;
    if (!wanted.empty()) mpi_ = load_mpi(wanted);
    if (!mpi_ && mpi != "auto" && mpi != "none") throw std::runtime_error("no module of " + mpi + " was built");
    context_ = std::make_unique<halo::Context>();
    rank_ = context_->rank();
    n_ranks_ = context_->n_ranks();
    if (mpi_ && (mpi_->rank() != rank_ || mpi_->n_ranks() != n_ranks_)) throw std::runtime_error("libhalo and MPI do not count the same ranks");
    name_ = mpi_ ? mpi_->library() : wanted.empty() ? "no MPI" : wanted + " (through libhalo alone)";
    if (pin) pinned_ = pin_to_core();
}

Session::Session(halo::Context context)
    : context_(std::make_unique<halo::Context>(std::move(context))),
      rank_(context_->rank()),
      n_ranks_(context_->n_ranks()),
      cores_(static_cast<int32_t>(sysconf(_SC_NPROCESSORS_ONLN))) {}

std::string Session::conditions() const {
    return format("%d rank%s, %s, %d cores, %s%s", n_ranks_, n_ranks_ == 1 ? "" : "s", name_.c_str(), cores_,
                  pinned_ ? "each rank pinned to a core" : "ranks not pinned", shares_cores() ? ", ranks share cores: times mean nothing" : "");
}

Storage Session::storage_of(const halo::Context &context) {
    return [&context](int64_t n) {
        void *memory = context.allocate(n * static_cast<int64_t>(sizeof(double)));
        return Values(static_cast<double *>(memory), [&context](double *values) { context.release(values); });
    };
}

Storage Session::storage(const std::string &kind) const { return kind == "own" ? own_storage : storage_of(*context_); }

void Session::barrier() const {
    if (mpi_)
        mpi_->barrier();
    else
        context_->barrier();
}

void Session::max(std::span<double> values) const {
    if (mpi_)
        mpi_->max(values.data(), static_cast<int>(values.size()));
    else
        context_->allreduce(values, HALO_MAX);
}

void Session::sum(std::span<int64_t> values) const {
    if (mpi_)
        mpi_->sum(values.data(), static_cast<int>(values.size()));
    else
        context_->allreduce(values, HALO_SUM);
}

} // namespace bench
