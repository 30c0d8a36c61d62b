// SPDX-License-Identifier: BSD-3-Clause
// Interface between halo_bench, which links no MPI, and its modules, each of which is built with one MPI (or with PETSc). Internal to the
// benchmarks: program and modules come from one build.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace bench {

// A box in an array of four dimensions of double, the last one running fastest.
struct Box {
    double *array;
    std::array<int, 4> sizes, part, start;
};

// What goes to or comes from one peer: contiguous memory, or boxes as one derived datatype.
struct Letter {
    int32_t peer;
    int32_t tag;
    double *data;
    int64_t values;
    std::vector<Box> boxes; // not empty: instead of data
};

// Messages sent and received again and again. A receive or send is numbered by its place in the lists given at creation.
class Mail {
public:
    virtual ~Mail() = default;
    virtual void start_receive(size_t i) = 0;
    virtual void start_send(size_t i) = 0;
    virtual bool arrived(size_t i) = 0;
    virtual void wait_receives() = 0;
    virtual void wait_sends() = 0;
    virtual void withdraw() = 0; // receives that nothing will come for
};

// Ghosts that lie together in the rank's storage, filled by one peer.
class PeerGhosts {
public:
    virtual ~PeerGhosts() = default;
    virtual void exchange(double *storage) = 0;
};

class Mpi {
public:
    virtual ~Mpi() = default; // finalises MPI
    virtual const char *library() const = 0;
    virtual int32_t rank() const = 0;
    virtual int32_t n_ranks() const = 0;
    virtual void barrier() = 0;
    virtual void max(double *values, int n) = 0;
    virtual void sum(int64_t *values, int n) = 0;

    virtual std::unique_ptr<Mail> persistent(const std::vector<Letter> &sends, const std::vector<Letter> &receives) = 0; // MPI_Start
    virtual std::unique_ptr<Mail> plain(const std::vector<Letter> &sends, const std::vector<Letter> &receives) = 0;      // MPI_Isend, MPI_Irecv

    // The values at `sent` go to `peer`, as many come to where the ghosts begin: Irecv, pack, Isend, Waitall.
    virtual std::unique_ptr<PeerGhosts> peer_ghosts(int32_t peer, const std::vector<int32_t> &sent, int64_t first_ghost) = 0;

    // Ranks 0 and 1: seconds for `rounds` messages of `bytes` there and back; the first 8 bytes are checked. Isend, Irecv, Test.
    virtual double ping_pong(int64_t bytes, int64_t rounds) = 0;
    // Ranks 0 and 1, both ways at once: seconds for `rounds` times `window` messages of 8 bytes, each of its own tag.
    virtual double message_rate(int64_t window, int64_t rounds) = 0;

    // Bytes for each rank, one after the other, and those from each: MPI_Alltoall tells how many, MPI_Alltoallv brings them.
    virtual void alltoallv(const std::vector<int64_t> &counts, const std::vector<std::byte> &out, std::vector<std::byte> &in) = 0;
};

// A gather into ghosts: leaf `target` of the rank's storage is filled from `index` of the storage of `rank`.
struct Leaf {
    int32_t target;
    int32_t rank;
    int32_t index;
};

class StarForest {
public:
    virtual ~StarForest() = default;
    virtual void exchange(double *storage) = 0;
};

class Petsc {
public:
    virtual ~Petsc() = default; // finalises PETSc; before MPI
    virtual const char *library() const = 0;
    // `type`: of PetscSF, "basic" or "neighbor"
    virtual std::unique_ptr<StarForest> star_forest(int64_t elements, const std::vector<Leaf> &leaves, const char *type) = 0;
};

// What goes from one block to the ghosts of another, in doubles from where all blocks begin, and where it is in a message.
struct GhostBuffer {
    int64_t source, target, message;
    int32_t extent[3];
    int32_t offset; // of the source, seen from the target: x + 3 y + 9 z, each 0 to 2
};
// to[to_list[i]] = from[from_list[i]]: without a list it is i.
struct IndexLoop {
    const double *from;
    double *to;
    const int32_t *from_list, *to_list;
    int64_t n;
};
struct BlockShape {
    int block, ghost, components;
};
enum class DeviceTask { pack, unpack, direct };

// What libhalo's module for a device is measured against, on the device that it works on too: kernels written by hand for blocks of one shape, and
// loops over lists of indices, all of them in one launch. What launches read lies in memory of the device.
class DeviceKernels {
public:
    static constexpr unsigned threads_by_hand = 128, threads_of_loops = 256; // of a group

    virtual ~DeviceKernels() = default;
    virtual const char *context() const = 0; // libhalo's setting device.context
    virtual void *stream() const = 0;
    virtual int64_t line_bytes() const = 0; // that memory is read and written by
    // `reached`: all memory that launches lead to. False: none is written by hand for this shape, or there is none.
    virtual bool prepare(const BlockShape *shape, const std::vector<const void *> &reached) = 0;
    // One launch each, `groups` groups of threads for each of the `n` items. Blocks lie as those of a Work.
    virtual void run(DeviceTask task, const GhostBuffer *list, size_t n, size_t groups, double *blocks, double *message) = 0;
    virtual void run_loops(DeviceTask task, const IndexLoop *list, size_t n, size_t groups) = 0;
};

// Entries of the modules.
using make_mpi_fn = Mpi *();
using make_petsc_fn = Petsc *();
using make_device_kernels_fn = DeviceKernels *(); // null: no device has what libhalo wants

#define BENCH_MAKE_MPI "halo_bench_make_mpi"
#define BENCH_MAKE_PETSC "halo_bench_make_petsc"
#define BENCH_MAKE_DEVICE_KERNELS "halo_bench_make_device_kernels"

} // namespace bench
