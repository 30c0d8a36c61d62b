// SPDX-License-Identifier: BSD-3-Clause
// The solver as one writes it by hand with MPI: a message to each of 26 neighbours. usage: cartesian_before FILE
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "solver.h"

namespace {

using Offset = std::array<int, 3>;

Offset offset_of(int direction) { return { direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1 }; }

struct Neighbour {
    int rank;
    int send_tag;
    int receive_tag;
    std::vector<int64_t> sent;   // places of the cells that it needs
    std::vector<int64_t> filled; // and of the ghosts that it fills
    std::vector<double> send_buffer;
    std::vector<double> receive_buffer;
};

Block block_of(const int *grid, const int *coordinates) {
    Block block;
    for (int d = 0; d < 3; ++d) {
        block.low[d] = domain[d] * coordinates[d] / grid[d];
        block.n[d] = domain[d] * (coordinates[d] + 1) / grid[d] - block.low[d];
    }
    return block;
}

// Cells at the side of a block that an offset points to; or the ghosts beyond them.
std::vector<int64_t> layer(const Block &block, const Offset &offset, bool ghosts) {
    int64_t low[3], high[3];
    for (int d = 0; d < 3; ++d) {
        low[d] = offset[d] > 0 ? block.n[d] - !ghosts : offset[d] < 0 && ghosts ? -1 : 0;
        high[d] = offset[d] == 0 ? block.n[d] : low[d] + 1;
    }
    std::vector<int64_t> places;
    for (int64_t k = low[2]; k < high[2]; ++k)
        for (int64_t j = low[1]; j < high[1]; ++j)
            for (int64_t i = low[0]; i < high[0]; ++i) places.push_back(block.index(i, j, k));
    return places;
}

// In a periodic grid of few ranks one rank is the neighbour in several directions: tags tell these apart.
std::vector<Neighbour> find_neighbours(MPI_Comm grid, const Block &block, const int *coordinates) {
    std::vector<Neighbour> neighbours;
    for (int direction = 0; direction < 27; ++direction) {
        if (direction == 13) continue;
        const Offset offset = offset_of(direction);
        const int there[3] = { coordinates[0] + offset[0], coordinates[1] + offset[1], coordinates[2] + offset[2] };
        Neighbour one{ 0, direction, 26 - direction, layer(block, offset, false), layer(block, offset, true), {}, {} };
        MPI_Cart_rank(grid, there, &one.rank);
        one.send_buffer.resize(one.sent.size() * n_fields);
        one.receive_buffer.resize(one.filled.size() * n_fields);
        neighbours.push_back(std::move(one));
    }
    return neighbours;
}

void fill_ghosts(MPI_Comm grid, std::vector<Neighbour> &neighbours, Fields &fields) {
    std::vector<MPI_Request> requests;
    for (Neighbour &one : neighbours)
        MPI_Irecv(one.receive_buffer.data(), static_cast<int>(one.receive_buffer.size()), MPI_DOUBLE, one.rank, one.receive_tag, grid,
                  &requests.emplace_back());
    for (Neighbour &one : neighbours) {
        double *to = one.send_buffer.data();
        for (const std::vector<double> &field : fields)
            for (const int64_t place : one.sent) *to++ = field[place];
        MPI_Isend(one.send_buffer.data(), static_cast<int>(one.send_buffer.size()), MPI_DOUBLE, one.rank, one.send_tag, grid,
                  &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (const Neighbour &one : neighbours) {
        const double *from = one.receive_buffer.data();
        for (std::vector<double> &field : fields)
            for (const int64_t place : one.filled) field[place] = *from++;
    }
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int n_ranks, rank, dims[3] = { 0, 0, 0 }, coordinates[3];
    const int periodic[3] = { 1, 1, 1 };
    MPI_Comm grid;
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    MPI_Dims_create(n_ranks, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periodic, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 3, coordinates);

    const Block block = block_of(dims, coordinates);
    std::vector<Neighbour> neighbours = find_neighbours(grid, block, coordinates);
    Fields now = start_values(block);
    Fields next = now;
    for (int i = 0; i < n_steps; ++i) {
        fill_ghosts(grid, neighbours, now);
        step(block, now, next);
        std::swap(now, next);
    }

    if (argc != 2 || !write_cells(block, now, argv[1])) {
        std::fprintf(stderr, "rank %d: usage: cartesian_before FILE (that can be written)\n", rank);
        MPI_Abort(grid, EXIT_FAILURE);
    }
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
