// SPDX-License-Identifier: BSD-3-Clause
// MPI counts are int: more bytes than that are one element of a type made of large chunks.
#pragma once

#include <mpi.h>

#include <climits>
#include <cstddef>

namespace halo::mpi {

class Extent {
public:
    explicit Extent(size_t bytes) : count_(static_cast<int>(bytes)) {
        if (bytes > INT_MAX) [[unlikely]]
            build(bytes);
    }
    // MPI keeps the type for as long as an operation needs it.
    ~Extent() {
        if (type_ != MPI_BYTE) MPI_Type_free(&type_);
    }
    Extent(const Extent &) = delete;
    Extent &operator=(const Extent &) = delete;

    int count() const { return count_; }
    MPI_Datatype type() const { return type_; }

private:
    void build(size_t bytes) {
        constexpr size_t chunk_bytes = size_t{ 1 } << 30;
        MPI_Datatype types[2] = { MPI_BYTE, MPI_BYTE };
        MPI_Type_contiguous(static_cast<int>(chunk_bytes), MPI_BYTE, &types[0]);
        int counts[2] = { static_cast<int>(bytes / chunk_bytes), static_cast<int>(bytes % chunk_bytes) };
        MPI_Aint places[2] = { 0, static_cast<MPI_Aint>(bytes - bytes % chunk_bytes) };
        MPI_Type_create_struct(2, counts, places, types, &type_);
        MPI_Type_commit(&type_);
        MPI_Type_free(&types[0]);
        count_ = 1;
    }

    int count_;
    MPI_Datatype type_ = MPI_BYTE;
};

// Bytes of a message that came in or was probed.
inline size_t bytes_of(const MPI_Status &status) {
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (count != MPI_UNDEFINED) [[likely]]
        return static_cast<size_t>(count);
    MPI_Count large = 0;
    MPI_Get_elements_x(const_cast<MPI_Status *>(&status), MPI_BYTE, &large);
    return static_cast<size_t>(large);
}

} // namespace halo::mpi
