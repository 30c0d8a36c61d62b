// SPDX-License-Identifier: BSD-3-Clause
// What it costs to make an exchange of many boxes, given one by one or as a grid of equal blocks: times in runs of the same exchange, and memory.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "benchmarks.h"
#include "contenders.h"
#include "statistics.h"
#include "timed.h"

namespace bench {

namespace {

enum class Given { boxes, blocks };

std::vector<halo_box> boxes_of(const Work &work) {
    std::vector<halo_box> boxes;
    const int64_t side = work.size().block;
    for (int64_t gid = 0; gid < work.n_blocks(); ++gid) {
        const Offset &at = work.place(gid);
        boxes.push_back({ { at[0] * side, at[1] * side, at[2] * side }, { (at[0] + 1) * side, (at[1] + 1) * side, (at[2] + 1) * side } });
    }
    return boxes;
}

halo::Topology make_topology(const Session &session, const Work &work, const std::vector<halo_box> &boxes) {
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.boxes = boxes.data();
    desc.n_boxes = work.n_blocks();
    for (int d = 0; d < 3; ++d) {
        desc.domain.high[d] = work.size().cells;
        desc.periodic[d] = 1;
    }
    return { session.context(), desc };
}

halo::Field make_bound_field(const halo::Topology &topology, const Work &work) {
    halo::Field field = make_field(topology, work);
    bind(field, work);
    return field;
}

// Memory of this process, in bytes.
class Memory {
public:
    // From here on the peak counts.
    Memory() {
        malloc_trim(0);
        std::ofstream("/proc/self/clear_refs") << 5;
        before_ = read("VmRSS:");
    }
    int64_t peak() const { return read("VmHWM:") - before_; }
    int64_t kept() const {
        malloc_trim(0);
        return read("VmRSS:") - before_;
    }

private:
    static int64_t read(const std::string &wanted) {
        std::ifstream status("/proc/self/status");
        std::string name;
        for (int64_t kilobytes = 0; status >> name; status.ignore(std::numeric_limits<std::streamsize>::max(), '\n'))
            if (name == wanted && status >> kilobytes) return kilobytes * 1024;
        throw std::runtime_error("/proc/self/status has no " + wanted);
    }
    int64_t before_;
};

// Edges of which an end is here: into each part from all sides, and out of it to parts of other ranks.
int64_t edges_here(const Work &work) {
    int64_t n = 0;
    for (int64_t gid = work.first_local(); gid < work.first_local() + work.n_local(); ++gid)
        for (int64_t element = 0; element < 27; ++element)
            if (element != 13) n += work.is_local(work.neighbour(gid, { element % 3 - 1, element / 3 % 3 - 1, element / 9 - 1 })) ? 1 : 2;
    return n;
}

void check_values(const Session &session, const Work &work, const std::string &what) {
    int64_t wrong = work.wrong_values(Part::all);
    session.sum({ &wrong, 1 });
    if (wrong > 0) throw std::runtime_error(what + ": " + std::to_string(wrong) + " values are wrong");
}

// From the topology to the end of the first run, and what comes after.
class FirstFill {
public:
    FirstFill(const Session &session, Work &work, Given given)
        : session_(session),
          work_(work),
          given_(given),
          what_(work.size().text() + (given == Given::boxes ? " boxes" : " blocks")) {}

    Row run(int n_later) {
        make();
        make_second_field();
        std::vector<double> times;
        for (int i = 0; i < n_later; ++i) times.push_back(timed(session_, [&] { exchange(*exchange_); }));
        const double later = median_of(times);
        return Row()
            .add("case", what_)
            .add("topology ms", placed_ * milliseconds)
            .add("field ms", bound_ * milliseconds)
            .add("exchange ms", created_ * milliseconds)
            .add("first run ms", first_ * milliseconds)
            .add("later run ms", later * milliseconds)
            .add("all in runs", (placed_ + bound_ + created_ + first_) / later)
            .add("second field in runs", second_ / later)
            .add("peak MB", peak_)
            .add("bytes per edge", per_edge_);
    }

private:
    void make() {
        const std::vector<halo_box> boxes = boxes_of(work_);
        work_.fill();
        const Memory memory;
        placed_ = timed(session_, [&] {
            topology_ = given_ == Given::boxes ? make_topology(session_, work_, boxes) : bench::make_topology(session_.context(), work_);
        });
        bound_ = timed(session_, [&] { field_ = make_bound_field(*topology_, work_); });
        created_ = timed(session_, [&] { exchange_ = make_exchange(*field_, Part::all); });
        first_ = timed(session_, [&] { exchange(*exchange_); });
        double sizes[2] = { static_cast<double>(memory.peak()) / 1e6, static_cast<double>(memory.kept()) / static_cast<double>(edges_here(work_)) };
        session_.max(sizes);
        peak_ = sizes[0];
        per_edge_ = sizes[1];
        check_values(session_, work_, what_);
    }
    void make_second_field() {
        work_.poison_ghosts();
        std::optional<halo::Field> field;
        std::optional<halo::Exchange> other;
        second_ = timed(session_, [&] {
            field = make_bound_field(*topology_, work_);
            other = make_exchange(*field, Part::all);
            exchange(*other);
        });
        check_values(session_, work_, what_ + ", second field");
    }

    const Session &session_;
    Work &work_;
    Given given_;
    std::string what_;
    std::optional<halo::Topology> topology_;
    std::optional<halo::Field> field_;
    std::optional<halo::Exchange> exchange_;
    double placed_ = 0, bound_ = 0, created_ = 0, first_ = 0, second_ = 0; // seconds
    double peak_ = 0, per_edge_ = 0;
};

} // namespace

void run_setup_of_boxes(const Session &session, const Options &options, Report &report) {
    report.begin("first fill of many boxes",
                 "slowest rank. In later runs of the same exchange (their median): all up to the end of the first run, bar 4; a second field like "
                 "the first, with its first run, bar 1.1. Memory of a rank over the storage of the field: peak until "
                 "the first run is over, what then stays for each edge");
    for (const WorkSize &size : options.works) {
        Work work(size, session.rank(), session.n_ranks());
        // Not counted: memory that a virtual machine uses for the first time, or again after it gave it back, takes its host many times as long.
        FirstFill(session, work, Given::boxes).run(1);
        for (const Given given : { Given::boxes, Given::blocks }) report.row(FirstFill(session, work, given).run(std::max(options.pairs, 3)));
    }
}

} // namespace bench
