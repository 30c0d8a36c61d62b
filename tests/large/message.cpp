// SPDX-License-Identifier: BSD-3-Clause
// One message of more than 2^31 bytes between two ranks: the ghosts of two fields, the second behind the first's 2 GiB. For two processes under a
// launcher.
//   large_message MESSAGES    aggregate or per_channel
// Exits with 77 where there is too little memory.
#include <halo.hpp>

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <limits>
#include <new>
#include <string>

namespace {

constexpr int64_t n_cells = (int64_t{ 1 } << 28) + 4099; // doubles: a little more than 2^31 bytes
constexpr int64_t n_behind = 1000;
constexpr int64_t needed_kib = int64_t{ 12 } << 20; // values, messages and what an MPI may copy, of both ranks
constexpr int skipped = 77;

bool enough_memory() {
    std::ifstream file("/proc/meminfo");
    std::string key;
    int64_t kib = 0;
    while (file >> key >> kib) {
        if (key == "MemAvailable:") return kib >= needed_kib;
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return false;
}

double value(int64_t cell, int field) { return static_cast<double>(3 * cell + field); }

/// Storage whose pages are there only once they are written.
class Storage {
public:
    explicit Storage(int64_t n) : bytes_(static_cast<size_t>(n) * sizeof(double)) {
        memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory_ == MAP_FAILED) throw std::bad_alloc();
    }
    ~Storage() { munmap(memory_, bytes_); }
    Storage(const Storage &) = delete;
    Storage &operator=(const Storage &) = delete;
    double *data() const { return static_cast<double *>(memory_); }

private:
    void *memory_;
    size_t bytes_;
};

halo::Field make_field(const halo::Topology &topology, const char *name, int64_t ghosts) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name;
    desc.ghost_low[0] = static_cast<int32_t>(ghosts);
    return { topology, desc };
}

/// Ghosts of rank 1 are the last cells of rank 0.
int64_t count_wrong(const double *ghosts, int64_t n, int field) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; ++i) wrong += ghosts[i] != value(n_cells - n + i, field) ? 1 : 0;
    return wrong;
}

bool run(const halo::Context &context) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = 1;
    desc.n_blocks[0] = 2;
    desc.n_cells[0] = n_cells;
    const halo::Topology topology(context, desc);
    auto wide = make_field(topology, "wide", n_cells), behind = make_field(topology, "behind", n_behind);
    const Storage of_wide(2 * n_cells), of_behind(n_behind + n_cells);
    wide.bind(context.rank(), of_wide.data());
    behind.bind(context.rank(), of_behind.data());
    if (context.rank() == 0) {
        for (int64_t i = 0; i < n_cells; ++i) of_wide.data()[n_cells + i] = value(i, 0);
        for (int64_t i = n_cells - n_behind; i < n_cells; ++i) of_behind.data()[n_behind + i] = value(i, 1);
    }
    halo::Exchange exchange({ wide.get(), behind.get() });
    exchange.start();
    exchange.finish();
    if (context.rank() == 0) {
        const auto stats = exchange.stats();
        std::printf("%lld messages, %lld bytes\n", static_cast<long long>(stats.messages_sent), static_cast<long long>(stats.bytes_sent));
        return stats.bytes_sent > static_cast<int64_t>(sizeof(double)) * (n_cells + n_behind);
    }
    const int64_t wrong = count_wrong(of_wide.data(), n_cells, 0) + count_wrong(of_behind.data(), n_behind, 1);
    if (wrong > 0) std::fprintf(stderr, "%lld ghosts are wrong\n", static_cast<long long>(wrong));
    return wrong == 0;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) return EXIT_FAILURE;
    if (!enough_memory()) {
        std::printf("skipped: less than 12 GiB of memory are free\n");
        return skipped;
    }
    try {
        const halo_setting settings[] = { { "messages", argv[1] }, { "shared_memory", "no" }, { "warn_after", "60s" } };
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.settings = settings;
        options.n_settings = static_cast<int32_t>(std::size(settings));
        const halo::Context context(&options);
        return context.n_ranks() == 2 && run(context) ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "large_message: %s\n", failure.what());
        return EXIT_FAILURE;
    }
}
