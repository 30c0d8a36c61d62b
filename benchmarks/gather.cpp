// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

#include "benchmarks.h"
#include "halo.hpp"
#include "statistics.h"
#include "timed.h"

namespace bench {

namespace {

constexpr int64_t order = 7;  // of elements: nodes on a side less one
constexpr int64_t width = 32; // elements of a row

// Rows of square elements, dealt to the ranks in order: nodes between elements come once for each.
std::vector<uint64_t> nodes_of(const Session &session, int64_t points) {
    const int64_t n_rows = std::max<int64_t>(1, points / ((order + 1) * (order + 1) * width));
    std::vector<uint64_t> keys;
    for (int64_t y = session.rank() * n_rows; y < (session.rank() + 1) * n_rows; ++y)
        for (int64_t x = 0; x < width; ++x)
            for (int64_t j = 0; j <= order; ++j)
                for (int64_t i = 0; i <= order; ++i) keys.push_back(static_cast<uint64_t>((y * order + j) * (width * order + 1) + x * order + i));
    return keys;
}

halo::Topology topology_of(const halo::Context &context, const std::vector<uint64_t> &keys) {
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = std::ssize(keys), desc.keys = keys.data(), desc.numbering = HALO_NUMBERING_AS_GIVEN;
    return { context, desc };
}

halo_exchange_desc sum_of(int32_t combine_order) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = HALO_KIND_SHARED_REDUCE, desc.combine_order = combine_order;
    return desc;
}

// Copies of all, by the library.
struct Whole {
    halo::Topology topology;
    halo::Field field;
    halo::Exchange exchange;
    std::vector<double> values;

    Whole(const halo::Context &context, const std::vector<uint64_t> &keys, int32_t combine_order)
        : topology(topology_of(context, keys)),
          field(topology, halo_field_desc HALO_FIELD_DESC_INIT),
          exchange({ field.get() }, sum_of(combine_order)),
          values(keys.size()) {
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = values.data();
        field.bind(context.rank(), binding);
    }
    void sum() {
        exchange.start();
        exchange.finish();
    }
};

// Copies of this rank added up, and told of the result, by plain loops as one would write them; a value of each between ranks by the library.
class ByHand {
public:
    ByHand(const halo::Context &context, const std::vector<uint64_t> &keys)
        : values(keys.size()),
          parts_(keys),
          between_(context, parts_.keys, HALO_COMBINE_BY_GID) {}

    void sum() {
        double *const u = values.data();
        for (size_t g = 0, at = 0; g < parts_.ends.size(); ++g) {
            double all = u[parts_.list[at]];
            for (++at; at < parts_.ends[g]; ++at) all += u[parts_.list[at]];
            between_.values[g] = all;
        }
        between_.sum();
        for (size_t g = 0, at = 0; g < parts_.ends.size(); ++g)
            for (; at < parts_.ends[g]; ++at) u[parts_.list[at]] = between_.values[g];
    }

    std::vector<double> values;

private:
    // Keys that come several times here, or lie at the border, by their first place.
    struct Parts {
        std::vector<uint64_t> keys;
        std::vector<uint32_t> ends, list;

        explicit Parts(const std::vector<uint64_t> &all) {
            std::map<uint64_t, std::vector<uint32_t>> places;
            for (uint32_t i = 0; i < all.size(); ++i) places[all[i]].push_back(i);
            const auto row = [](uint64_t key) { return key / (width * order + 1); };
            const uint64_t first = row(all.front()), last = row(all.back()); // nodes go upwards
            std::vector<const std::pair<const uint64_t, std::vector<uint32_t>> *> groups;
            for (const auto &group : places)
                if (group.second.size() > 1 || row(group.first) == first || row(group.first) == last) groups.push_back(&group);
            std::ranges::sort(groups, {}, [](const auto *group) { return group->second[0]; });
            for (const auto *group : groups) {
                keys.push_back(group->first);
                list.insert(list.end(), group->second.begin(), group->second.end());
                ends.push_back(static_cast<uint32_t>(list.size()));
            }
        }
    };

    Parts parts_;
    Whole between_;
};

template <class Sums>
void fill(Sums &sums) {
    for (size_t i = 0; i < sums.values.size(); ++i) sums.values[i] = static_cast<double>(i % 16);
}

} // namespace

void run_gather(const Session &session, const Options &options, Report &report) {
    report.begin("gather-scatter",
                 "nodes of square elements of order 7, repeated where elements share them; us of a sum; bar: 1.05 of a sum by hand");
    const std::vector<uint64_t> keys = nodes_of(session, options.points);
    const halo::Context &context = session.context();
    ByHand hand(context, keys);
    for (const int32_t order_of_sums : { HALO_COMBINE_BY_RANK, HALO_COMBINE_BY_GID }) {
        Whole whole(context, keys, order_of_sums);
        fill(whole), fill(hand);
        whole.sum(), hand.sum();
        if (whole.values != hand.values) throw std::runtime_error("gather: the sums differ"); // of small whole numbers: in any order the same
        const int repetitions = options.repetitions > 0 ? options.repetitions : 20;
        const auto time_of = [&](auto &sums) {
            fill(sums);
            return timed(session,
                         [&] {
                             for (int i = 0; i < repetitions; ++i) sums.sum();
                         }) /
                   repetitions * microseconds;
        };
        std::vector<double> ours, theirs, ratios;
        for (int pair = 0; !options.counts && pair < options.pairs; ++pair) {
            if (pair % 2 == 0)
                ours.push_back(time_of(whole)), theirs.push_back(time_of(hand));
            else
                theirs.push_back(time_of(hand)), ours.push_back(time_of(whole));
            ratios.push_back(ours.back() / theirs.back());
        }
        if (options.counts) continue;
        const Estimate ratio = estimate(ratios);
        report.row(Row()
                       .add("order", order_of_sums == HALO_COMBINE_BY_RANK ? "by rank" : "by gid")
                       .add("libhalo us", median_of(ours))
                       .add("by hand us", median_of(theirs))
                       .add("ratio", ratio));
    }
}

} // namespace bench
