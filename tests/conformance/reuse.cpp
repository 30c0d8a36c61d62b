// SPDX-License-Identifier: BSD-3-Clause
// What is compiled and allocated once serves every mask and every exchange of the same shape: nothing is compiled again, and memory stays as it is.
#include <gtest/gtest.h>

#include <malloc.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "halo_levels.h"
#include "ranks.h"

namespace conformance {

namespace {

constexpr int n_fields = 16;

struct Sixteen {
    halo_topology *topology = nullptr;
    std::vector<halo_field *> fields;

    explicit Sixteen(const Rank &rank) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1, blocks.n_blocks[0] = 4, blocks.n_cells[0] = 4, blocks.periodic[0] = 1;
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology));
        for (int f = 0; f < n_fields; ++f) {
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            const std::string name(1, static_cast<char>('a' + f));
            desc.name = name.c_str(), desc.ghost_low[0] = desc.ghost_high[0] = 1 + f % 2;
            fields.emplace_back();
            OK(halo_field_create(topology, &desc, &fields.back()));
            OK(halo_field_allocate(fields.back(), -1));
        }
    }
    ~Sixteen() {
        for (halo_field *&field : fields) OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    }
    halo_exchange *exchange() const {
        halo_exchange *made = nullptr;
        OK(halo_exchange_create(fields.data(), n_fields, nullptr, &made));
        return made;
    }
};

void run_once(halo_exchange *exchange, const halo_run *run) {
    OK(halo_exchange_start(exchange, run, HALO_STREAM_NONE));
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
}

int64_t tables(const halo_exchange *exchange) {
    halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
    OK(halo_exchange_get_stats(exchange, &stats));
    return stats.tables_compiled;
}

// Of all threads. Between barriers, while no other rank does anything.
int64_t bytes_in_use(const Rank &rank) {
    OK(halo_context_barrier(rank.context));
    const auto used = static_cast<int64_t>(mallinfo2().uordblks);
    OK(halo_context_barrier(rank.context));
    return used;
}

constexpr int64_t noise = 65536; // of logs, texts and lists that have grown once

// The first `n` masks in order of their bits; a sixteenth of them are what the others are compared with.
void run_masks(int32_t n_ranks, uint32_t n) {
    run(n_ranks, { { "check", "no" } }, [&](Rank &rank) {
        const Sixteen sixteen(rank);
        halo_exchange *exchange = sixteen.exchange();
        run_once(exchange, nullptr);
        std::vector<int32_t> mask(n_fields);
        halo_run masked = HALO_RUN_INIT;
        masked.n_fields = n_fields, masked.field_mask = mask.data();
        const int64_t compiled = tables(exchange);
        int64_t used = 0;
        for (uint32_t bits = 0; bits < n; ++bits) {
            for (int f = 0; f < n_fields; ++f) mask[static_cast<size_t>(f)] = static_cast<int32_t>(bits >> f & 1u);
            run_once(exchange, &masked);
            if (bits == n / 16) used = bytes_in_use(rank);
        }
        if (tables(exchange) != compiled) stop("%lld tables were compiled for masks", static_cast<long long>(tables(exchange) - compiled));
        const int64_t more = bytes_in_use(rank) - used;
        if (more > noise) stop("masks have taken %lld bytes", static_cast<long long>(more));
        OK(halo_exchange_destroy(&exchange));
    });
}

TEST(Reuse, EveryMaskRunsOnTheTablesOfTheFirst) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    run_masks(1, 1u << n_fields);
    run_masks(2, 1u << 12);
}

constexpr int first_measured = 5000; // handles of destroyed objects are kept for a while, to tell their use

// Makes, runs and destroys an exchange again and again: only the first one compiles, and memory stays.
void run_again(const Rank &rank, int n_times, const std::function<halo_exchange *()> &make) {
    int64_t used = 0;
    for (int again = 0; again < n_times; ++again) {
        halo_exchange *exchange = make();
        run_once(exchange, nullptr);
        if (again > 0 && tables(exchange) != 0) stop("made again, it has compiled %lld tables", static_cast<long long>(tables(exchange)));
        OK(halo_exchange_destroy(&exchange));
        if (again == first_measured) used = bytes_in_use(rank);
    }
    const int64_t more = bytes_in_use(rank) - used;
    if (more > noise) stop("%d exchanges have left %lld bytes", n_times - first_measured, static_cast<long long>(more));
}

TEST(Reuse, AnExchangeMadeAgainCompilesNothing) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    run(2, { { "check", "no" } }, [](Rank &rank) {
        const Sixteen sixteen(rank);
        run_again(rank, 10000, [&] { return sixteen.exchange(); });
    });
}

// Topologies and fields of a kind of exchange.
class Ground {
public:
    explicit Ground(const Rank &rank) : rank_(rank) {}
    ~Ground() {
        for (auto field = fields_.rbegin(); field != fields_.rend(); ++field) OK(halo_field_destroy(&*field));
        for (auto topology = topologies_.rbegin(); topology != topologies_.rend(); ++topology) OK(halo_topology_destroy(&*topology));
    }
    Ground(const Ground &) = delete;
    Ground &operator=(const Ground &) = delete;

    // Keys of which each rank has some twice, and half with the other.
    halo_topology *keys() {
        std::vector<uint64_t> keys;
        for (uint64_t i = 0; i < 40; ++i) keys.push_back(static_cast<uint64_t>(rank_.rank) * 20 + i % 30);
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = std::ssize(keys), desc.keys = keys.data();
        return keep([&](halo_topology **made) { return halo_topology_create_keys(rank_.context, &desc, made); });
    }
    // Four roots in a row, of which those of `refined` are made of four leaves.
    halo_topology *forest(const std::vector<int64_t> &refined) {
        halo_tree tree = HALO_TREE_INIT;
        tree.n_roots[0] = 4;
        std::vector<halo_leaf> leaves;
        for (int64_t root = 0; root < 4; ++root) {
            const bool is_refined = std::ranges::find(refined, root) != refined.end();
            for (int64_t part = 0; part < (is_refined ? 4 : 1); ++part) {
                halo_leaf leaf = HALO_LEAF_INIT;
                leaf.level = is_refined ? 1 : 0;
                leaf.at[0] = is_refined ? 2 * root + part % 2 : root, leaf.at[1] = part / 2;
                leaves.push_back(leaf);
            }
        }
        halo_forest_desc desc = HALO_FOREST_DESC_INIT;
        desc.n_dims = 2, desc.n_cells[0] = desc.n_cells[1] = 8;
        desc.trees = &tree, desc.n_trees = 1, desc.leaves = leaves.data(), desc.n_leaves = std::ssize(leaves);
        return keep([&](halo_topology **made) { return halo_topology_create_forest(rank_.context, &desc, made); });
    }
    // A row of `n` cells in boxes of `length`.
    halo_topology *boxes(int64_t n, int64_t length) {
        std::vector<halo_box> boxes;
        for (int64_t begin = 0; begin < n; begin += length) boxes.push_back({ { begin, 0, 0 }, { begin + length, 1, 1 } });
        halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
        desc.n_dims = 1, desc.domain.high[0] = n, desc.periodic[0] = 1;
        desc.boxes = boxes.data(), desc.n_boxes = std::ssize(boxes);
        return keep([&](halo_topology **made) { return halo_topology_create_boxes(rank_.context, &desc, made); });
    }
    halo_field *field(halo_topology *topology, int32_t ghosts = 0, int32_t centring = HALO_CENTRE_CELL) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        const std::string name = "field " + std::to_string(fields_.size());
        desc.name = name.c_str(), desc.centring = centring;
        for (int d = 0; d < (is_flat_ ? 2 : 1); ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
        fields_.emplace_back();
        OK(halo_field_create(topology, &desc, &fields_.back()));
        OK(halo_field_allocate(fields_.back(), -1));
        return fields_.back();
    }
    void is_flat() { is_flat_ = true; }

private:
    template <class Make>
    halo_topology *keep(Make &&make) {
        topologies_.emplace_back();
        OK(make(&topologies_.back()));
        return topologies_.back();
    }

    const Rank &rank_;
    bool is_flat_ = false;
    std::vector<halo_topology *> topologies_;
    std::vector<halo_field *> fields_;
};

halo_exchange *exchange_of(std::vector<halo_field *> fields, const halo_exchange_desc &desc) {
    halo_exchange *made = nullptr;
    OK(halo_exchange_create(fields.data(), static_cast<int32_t>(fields.size()), &desc, &made));
    return made;
}

halo_exchange *transfer(halo_field *from, halo_field *to) {
    halo_exchange *made = nullptr;
    OK(halo_exchange_create_transfer(&from, &to, 1, nullptr, &made));
    return made;
}

halo_exchange *levels(halo_field *coarse, halo_field *newer, halo_field *fine, int32_t what) {
    halo_levels_desc desc = HALO_LEVELS_DESC_INIT;
    desc.what = what;
    halo_exchange *made = nullptr;
    OK(halo_exchange_create_levels(&coarse, newer ? &newer : nullptr, &fine, 1, &desc, &made));
    return made;
}

// What makes exchanges over things of its own, one for all of them.
using Maker = std::function<halo_exchange *()>;
struct Kind {
    const char *name;
    Maker (*on)(Ground &ground);
};

constexpr Kind kinds[] = {
    { "ByRank",
      [](Ground &ground) -> Maker {
          halo_topology *const keys = ground.keys();
          return [fields = std::vector{ ground.field(keys), ground.field(keys) }] {
              halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
              desc.kind = HALO_KIND_SHARED_REDUCE, desc.combine_order = HALO_COMBINE_BY_RANK;
              return exchange_of(fields, desc);
          };
      } },
    { "Fetch",
      [](Ground &ground) -> Maker {
          halo_topology *const keys = ground.keys();
          return [fields = std::vector{ ground.field(keys), ground.field(keys) }] {
              halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
              desc.kind = HALO_KIND_FETCH;
              return exchange_of(fields, desc);
          };
      } },
    { "Sweeps",
      [](Ground &ground) -> Maker {
          return [field = ground.field(ground.boxes(64, 8), 2)] {
              halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
              desc.pattern = HALO_PATTERN_SWEEPS, desc.source_stable = 1;
              return exchange_of({ field }, desc);
          };
      } },
    { "Transfer",
      [](Ground &ground) -> Maker {
          return [from = ground.field(ground.boxes(64, 8)), to = ground.field(ground.boxes(64, 16))] { return transfer(from, to); };
      } },
    { "GhostsOfAForest",
      [](Ground &ground) -> Maker {
          ground.is_flat();
          halo_topology *const forest = ground.forest({ 1, 3 });
          return [fields = std::vector{ ground.field(forest, 2), ground.field(forest, 2, HALO_CENTRE_NODE) }] {
              return exchange_of(fields, HALO_EXCHANGE_DESC_INIT);
          };
      } },
    { "Fluxes",
      [](Ground &ground) -> Maker {
          ground.is_flat();
          return [field = ground.field(ground.forest({ 1, 3 }), 0, HALO_CENTRE_FACE_X)] {
              halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
              desc.kind = HALO_KIND_FLUXES;
              return exchange_of({ field }, desc);
          };
      } },
    { "Remesh",
      [](Ground &ground) -> Maker {
          ground.is_flat();
          return [from = ground.field(ground.forest({ 1, 3 }), 2), to = ground.field(ground.forest({ 0, 3 }), 2)] { return transfer(from, to); };
      } },
    { "LevelsOfBoxes",
      [](Ground &ground) -> Maker {
          halo_topology *const coarse = ground.boxes(64, 8);
          return [old = ground.field(coarse, 2), newer = ground.field(coarse, 2), fine = ground.field(ground.boxes(128, 16), 2)] {
              return levels(old, newer, fine, HALO_LEVELS_WHOLE);
          };
      } },
    { "AveragesOfBoxes",
      [](Ground &ground) -> Maker {
          return [coarse = ground.field(ground.boxes(64, 8)), fine = ground.field(ground.boxes(128, 16))] {
              return levels(coarse, nullptr, fine, HALO_LEVELS_AVERAGE);
          };
      } },
    { "FluxesOfBoxes",
      [](Ground &ground) -> Maker {
          return [coarse = ground.field(ground.boxes(64, 8), 0, HALO_CENTRE_FACE_X),
                  fine = ground.field(ground.boxes(128, 16), 0, HALO_CENTRE_FACE_X)] { return levels(coarse, nullptr, fine, HALO_LEVELS_FLUXES); };
      } },
};

void PrintTo(const Kind &kind, std::ostream *out) { *out << kind.name; }

class ReuseOf : public testing::TestWithParam<Kind> {};

TEST_P(ReuseOf, AnExchangeMadeAgainCompilesNothing) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    run(2, { { "check", "no" } }, [](Rank &rank) {
        Ground ground(rank);
        run_again(rank, first_measured + 1000, GetParam().on(ground));
    });
}

TEST_P(ReuseOf, ASecondExchangeRunsBesideTheFirst) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    run(2, { { "check", "no" } }, [](Rank &rank) {
        Ground ground(rank);
        const Maker make = GetParam().on(ground);
        halo_exchange *first = make(), *second = make();
        for (halo_exchange *one : { first, second, first }) run_once(one, nullptr);
        if (tables(first) == 0 || tables(second) != 0)
            stop("the first has compiled %lld tables, the second %lld", static_cast<long long>(tables(first)),
                 static_cast<long long>(tables(second)));
        OK(halo_exchange_destroy(&first));
        run_once(second, nullptr);
        OK(halo_exchange_destroy(&second));
    });
}

INSTANTIATE_TEST_SUITE_P(Kinds, ReuseOf, testing::ValuesIn(kinds), [](const auto &tested) { return std::string(tested.param.name); });

} // namespace

} // namespace conformance
