// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks.h"
#include "halo_access.h"
#include "statistics.h"
#include "timed.h"

namespace bench {

namespace {

constexpr size_t n_fields = 60;

// Fields of a small block each rank, which no exchange is needed for.
class Fields {
public:
    explicit Fields(const Session &session) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 2;
        blocks.n_blocks[0] = session.n_ranks();
        blocks.n_cells[0] = blocks.n_cells[1] = 4;
        halo::check(halo_topology_create_blocks(session.context(), &blocks, &topology_));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.ghost_low[0] = desc.ghost_high[0] = 1;
        for (size_t i = 0; i < n_fields; ++i) {
            const std::string name = "field " + std::to_string(i);
            desc.name = name.c_str();
            fields_.push_back(nullptr);
            halo::check(halo_field_create(topology_, &desc, &fields_.back()));
            halo::check(halo_field_allocate(fields_.back(), -1));
        }
    }
    ~Fields() {
        for (halo_field *&field : fields_) halo_field_destroy(&field);
        halo_topology_destroy(&topology_);
    }
    Fields(const Fields &) = delete;
    Fields &operator=(const Fields &) = delete;

    halo_access read(size_t number) const { return { fields_[number % n_fields], HALO_READ, HALO_DIRECT, 0, 0, 0, 0, 0, 0 }; }

private:
    halo_topology *topology_ = nullptr;
    std::vector<halo_field *> fields_;
};

using Loop = std::vector<halo_access>;

std::vector<Loop> make_loops(const Fields &fields, size_t n) {
    std::vector<Loop> loops;
    for (size_t i = 0; i < n; ++i)
        loops.push_back({ fields.read(i), fields.read(i / n_fields + 7), fields.read(i / n_fields / n_fields + 14), fields.read(21) });
    return loops;
}

// The batch that each loop has got.
void run_all(const Session &session, const std::vector<Loop> &loops, std::vector<halo_batch *> &batches) {
    for (size_t i = 0; i < loops.size(); ++i) {
        const Loop &loop = loops[i];
        halo::check(halo_access_begin(session.context(), loop.data(), static_cast<int32_t>(loop.size()), sizeof loop[0], HALO_STYLE_REDUNDANT,
                                      HALO_ON_HOST, HALO_STREAM_NONE, &batches[i]));
        halo::check(halo_access_ready(batches[i]));
        halo::check(halo_access_end(batches[i]));
    }
}

} // namespace

void run_loops(const Session &session, const Options &options, Report &report) {
    report.begin("loops that need no exchange", "begin, ready and end of a batch of 4 accesses, among so many batches; us; bar: 0.5");
    for (const size_t n : { 10, 100, 1000, 4000 }) {
        const Fields fields(session);
        const std::vector<Loop> loops = make_loops(fields, n);
        std::vector<halo_batch *> first(n), batches(n);
        run_all(session, loops, first);
        std::vector<double> times;
        for (int pair = 0; pair < options.pairs; ++pair)
            times.push_back(timed(session, [&] { run_all(session, loops, batches); }) * microseconds / static_cast<double>(n));
        if (batches != first) throw std::runtime_error("a loop has got another batch than before");
        const Estimate each = estimate(times);
        report.row(Row().add("loops", static_cast<int64_t>(n)).add("median us", each));
    }
}

} // namespace bench
