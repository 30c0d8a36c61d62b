// SPDX-License-Identifier: BSD-3-Clause
// The ranks of one run of halo_bench: a module of the MPI whose launcher started it, if one did, and libhalo's context on top.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "halo.hpp"
#include "module.h"
#include "pages.h"

namespace bench {

// An MPI module or PETSc's, loaded. Never unloaded.
std::unique_ptr<Mpi> load_mpi(const std::string &mpi);                         // "openmpi" or "mpich"; null: not built
std::unique_ptr<Petsc> load_petsc();                                           // null: not built
std::unique_ptr<DeviceKernels> load_device_kernels(const std::string &device); // null: not built, or no device
std::string launcher_mpi();                                                    // whose launcher started the process; empty: none

// Bind this process to one core of those it may use. False: more ranks than cores, or no launcher tells the local rank.
bool pin_to_core();

class Session {
public:
    // `mpi`: "auto" (the launcher's), "openmpi", "mpich", or "none"
    explicit Session(const std::string &mpi, bool pin);
    // One rank of several that are threads of this process.
    explicit Session(halo::Context context);

    Mpi *mpi() const { return mpi_.get(); } // null: none
    const halo::Context &context() const { return *context_; }
    int32_t rank() const { return rank_; }
    int32_t n_ranks() const { return n_ranks_; }
    bool pinned() const { return pinned_; }
    bool shares_cores() const { return n_ranks_ > cores_; }
    std::string conditions() const;

    // Memory of a context, which ranks of a host can reach.
    static Storage storage_of(const halo::Context &context);
    // Where all contenders have their values: "shared", of libhalo, where ranks of a host can reach it; or "own", of the benchmark.
    Storage storage(const std::string &kind) const;

    // Of MPI, where there is one: the contenders meet at what none of them owns.
    void barrier() const;
    void max(std::span<double> values) const;
    void sum(std::span<int64_t> values) const;

private:
    std::unique_ptr<Mpi> mpi_;
    std::unique_ptr<halo::Context> context_;
    std::string name_;
    int32_t rank_ = 0, n_ranks_ = 1, cores_ = 1;
    bool pinned_ = false;
};

} // namespace bench
