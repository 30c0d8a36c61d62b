// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "benchmarks.h"
#include "halo.hpp"
#include "statistics.h"
#include "timed.h"

namespace bench {

namespace {

constexpr int64_t width = 1000;
constexpr uint64_t none = UINT64_MAX;

// Rows of points with four neighbours each, dealt to the ranks in order.
class Rows {
public:
    Rows(const Session &session, int64_t points) : rank_(session.rank()), each_(points / width), n_(each_ * session.n_ranks()) {
        for (int64_t y = first(); y < end(); ++y)
            for (int64_t x = 0; x < width; ++x) {
                keys_.push_back(key(x, y));
                for (const auto &[to_x, to_y] : { std::pair{ x - 1, y }, { x + 1, y }, { x, y - 1 }, { x, y + 1 } }) {
                    neighbours_.push_back(key(to_x, to_y));
                    owners_.push_back(owner(std::clamp(to_y, int64_t{ 0 }, n_ - 1)));
                }
            }
    }

    halo::Topology graph(const halo::Context &context, int32_t rings, bool knows_owners) const {
        halo_graph_desc desc = HALO_GRAPH_DESC_INIT;
        desc.rings = rings, desc.n_owned = std::ssize(keys_), desc.keys = keys_.data(), desc.neighbours = neighbours_.data(), desc.width = 4;
        desc.has_skip = 1, desc.skip = none;
        if (knows_owners) desc.owners = owners_.data();
        return { context, desc };
    }

    // The rank's own points, and the rows that rings around them reach.
    struct List {
        std::vector<uint64_t> keys;
        std::vector<int32_t> flags, owners;

        halo::Topology topology(const halo::Context &context, bool knows_owners) const {
            halo_keys_desc desc = HALO_KEYS_DESC_INIT;
            desc.n_keys = std::ssize(keys), desc.keys = keys.data(), desc.flags = flags.data();
            if (knows_owners) desc.owners = owners.data();
            return { context, desc };
        }
    };
    List list(int32_t rings) const {
        List list{ keys_, std::vector<int32_t>(keys_.size(), 0), std::vector<int32_t>(keys_.size(), rank_) };
        const auto add_row = [&](int64_t y) {
            for (int64_t x = 0; y >= 0 && y < n_ && x < width; ++x) {
                list.keys.push_back(key(x, y));
                list.flags.push_back(HALO_KEY_WANT);
                list.owners.push_back(owner(y));
            }
        };
        for (int32_t ring = 1; ring <= rings; ++ring) add_row(first() - ring), add_row(end() - 1 + ring);
        return list;
    }

private:
    int64_t first() const { return rank_ * each_; }
    int64_t end() const { return first() + each_; }
    int32_t owner(int64_t y) const { return static_cast<int32_t>(y / each_); }
    uint64_t key(int64_t x, int64_t y) const { return x < 0 || x >= width || y < 0 || y >= n_ ? none : static_cast<uint64_t>(y * width + x); }

    int32_t rank_;
    int64_t each_, n_; // rows of a rank, of all
    std::vector<uint64_t> keys_, neighbours_;
    std::vector<int32_t> owners_;
};

} // namespace

void run_graph(const Session &session, const Options &options, Report &report) {
    report.begin("ghosts of a graph", "points with four neighbours in rows of 1000; against the same points and ghosts by key; ms; bar: 2");
    const Rows rows(session, options.points);
    const halo::Context &context = session.context();
    for (const bool knows_owners : { false, true })
        for (const int32_t rings : { 1, 2 }) {
            const Rows::List list = rows.list(rings);
            std::vector<double> graph, keys, ratios;
            for (int pair = 0; pair < options.pairs; ++pair) {
                std::optional<halo::Topology> by_graph, by_key;
                const auto make_graph = [&] {
                    graph.push_back(timed(session, [&] { by_graph.emplace(rows.graph(context, rings, knows_owners)); }) * milliseconds);
                };
                const auto make_keys = [&] {
                    keys.push_back(timed(session, [&] { by_key.emplace(list.topology(context, knows_owners)); }) * milliseconds);
                };
                if (pair % 2 == 0)
                    make_graph(), make_keys();
                else
                    make_keys(), make_graph();
                ratios.push_back(graph.back() / keys.back());
                const halo_keys_report a = by_graph->keys_report(), b = by_key->keys_report();
                if (a.n_ghosts != b.n_ghosts || a.n_global != b.n_global) throw std::runtime_error("the graph has other ghosts than the keys");
            }
            const Estimate ratio = estimate(ratios);
            report.row(Row()
                           .add("rings", static_cast<int64_t>(rings))
                           .add("owners", knows_owners ? "given" : "found")
                           .add("graph ms", median_of(graph))
                           .add("keys ms", median_of(keys))
                           .add("ratio", ratio));
        }
}

} // namespace bench
