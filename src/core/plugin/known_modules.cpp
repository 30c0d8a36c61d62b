// SPDX-License-Identifier: BSD-3-Clause
#include "plugin/known_modules.h"

#include <algorithm>

namespace halo {

namespace {

constexpr KnownModule table[] = {
    { PluginKind::transport, "mpi_abi", nullptr, "an MPI with the standard ABI of MPI 5, by its wrapper mpicc_abi (CMake: HALO_MPICC_ABI)",
      "libmpi_abi.so.1, which the program or its launcher brings" },
    { PluginKind::transport, "mpi_mpich", "libhalo-mpi-mpich", "MPICH, by pkg-config mpich (Debian: libmpich-dev)", "MPICH (Debian: mpich)" },
    { PluginKind::transport, "mpi_openmpi", "libhalo-mpi-openmpi", "Open MPI, by pkg-config ompi-c (Debian: libopenmpi-dev)",
      "Open MPI (Debian: openmpi-bin)" },
    { PluginKind::transport, "shm", "libhalo-shm", "Linux", nullptr },
    { PluginKind::transport, "ucx", "libhalo-ucx", "UCX, by pkg-config ucx (Debian: libucx-dev)", "UCX 1.13 or newer (Debian: libucx0)" },
    { PluginKind::device, "cuda", "libhalo-cuda",
      "NVIDIA's toolkit with its compiler nvcc (from NVIDIA; CMake: CUDAToolkit_ROOT, HALO_CUDA_ARCHITECTURES)",
      "a device of compute capability 8.0 or above, and NVIDIA's driver (Debian: libcuda1)" },
    { PluginKind::device, "hip", "libhalo-hip",
      "the compiler hipcc and its runtime (Debian: hipcc, libamdhip64-dev; CMake: HALO_HIPCC, HALO_HIP_ARCHITECTURES)",
      "a device of AMD's, and the right to open /dev/kfd" },
    { PluginKind::device, "opencl", "libhalo-opencl", "headers and loader of OpenCL 2.0 (Debian: ocl-icd-opencl-dev; CMake: OpenCL_ROOT)",
      "a driver whose device has fine-grained shared virtual memory (for CPUs, Debian: pocl-opencl-icd)" },
    { PluginKind::bootstrap, "pmix", "libhalo-pmix", "PMIx, by pkg-config pmix (Debian: libpmix-dev)", nullptr },
};

} // namespace

std::span<const KnownModule> known_modules() { return table; }

std::string advice(PluginKind kind, const std::string &name, bool is_there) {
    const auto known = std::find_if(std::begin(table), std::end(table), [&](const KnownModule &one) { return one.kind == kind && one.name == name; });
    if (known == std::end(table)) return {};
    if (is_there) return known->to_run ? std::string("it wants ") + known->to_run : std::string();
    const std::string package = known->package ? std::string("it is in the package ") + known->package + ", and" : "it";
    return package + " is built where there is " + known->to_build;
}

} // namespace halo
