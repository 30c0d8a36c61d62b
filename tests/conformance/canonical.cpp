// SPDX-License-Identifier: BSD-3-Clause
// HALO_COMBINE_CANONICAL: the same contributions give the same bits, however the domain is cut. Contributions differ by 30 orders of magnitude, so
// that nearly every other order of addition shows: tests that sums differ without the option see to that.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <numeric>

#include "grid.h"
#include "ranks.h"

namespace conformance {

namespace {

double wild(uint64_t seed) {
    Random random(seed);
    const double size = std::pow(10.0, static_cast<double>(pick(random, -15, 15)));
    return (chance(random, 0.5) ? 1 : -1) * size * (1.0 + static_cast<double>(pick(random, 0, 1 << 20)) / (1 << 20));
}

// ---------------------------------------------------------------- boxes

constexpr int64_t nx = 18, ny = 12, reach = 2, n_slots = 9;

// Each cell contributes to all cells up to two away, in the component that its place modulo 3 says. Boxes are at most 3 wide, so each copy of a cell
// has one contribution in a component at most, and each travels by itself.
double contribution(int64_t x, int64_t y, int64_t to_x, int64_t to_y) { return wild(static_cast<uint64_t>(((y * nx + x) * ny + to_y) * nx + to_x)); }
int64_t slot_of(int64_t x, int64_t y) { return x % 3 + 3 * (y % 3); }
int64_t wrap(int64_t at, int64_t n) { return (at % n + n) % n; }

std::vector<int64_t> random_cut(int64_t cells, Random &random) {
    std::vector<int64_t> cuts{ 0 };
    while (cuts.back() < cells) cuts.push_back(std::min(cells, cuts.back() + pick(random, 1, 3)));
    return cuts;
}

struct Cut {
    std::vector<halo_box> boxes;
    std::vector<int32_t> owner;
};

Cut random_boxes(uint64_t seed, int32_t n_ranks) {
    Random random(seed);
    Cut cut;
    const std::vector<int64_t> along_y = random_cut(ny, random);
    for (size_t j = 0; j + 1 < along_y.size(); ++j) {
        const std::vector<int64_t> along_x = random_cut(nx, random);
        for (size_t i = 0; i + 1 < along_x.size(); ++i) cut.boxes.push_back({ { along_x[i], along_y[j], 0 }, { along_x[i + 1], along_y[j + 1], 1 } });
    }
    std::shuffle(cut.boxes.begin(), cut.boxes.end(), random);
    for (size_t i = 0; i < cut.boxes.size(); ++i) cut.owner.push_back(static_cast<int32_t>(pick(random, 0, n_ranks - 1)));
    return cut;
}

// Seed 0: uniform blocks.
halo_topology *make_topology(const Rank &rank, uint64_t seed) {
    halo_topology *topology = nullptr;
    if (seed == 0) {
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        desc.n_dims = 2;
        desc.n_blocks[0] = nx / 3;
        desc.n_blocks[1] = ny / 3;
        desc.n_cells[0] = desc.n_cells[1] = 3;
        desc.periodic[0] = desc.periodic[1] = 1;
        OK(halo_topology_create_blocks(rank.context, &desc, &topology));
        return topology;
    }
    const Cut cut = random_boxes(seed, rank.size);
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 2;
    desc.domain = { { 0, 0, 0 }, { nx, ny, 1 } };
    desc.periodic[0] = desc.periodic[1] = 1;
    desc.boxes = cut.boxes.data();
    desc.n_boxes = std::ssize(cut.boxes);
    desc.owner = cut.owner.data();
    OK(halo_topology_create_boxes(rank.context, &desc, &topology));
    return topology;
}

class Deposit {
public:
    Deposit(const Rank &rank, uint64_t seed) : topology_(make_topology(rank, seed)) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "deposit";
        desc.n_components = n_slots;
        for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = reach;
        OK(halo_field_create(topology_, &desc, &field_));
        OK(halo_field_allocate(field_, -1));
    }
    void destroy() {
        OK(halo_field_destroy(&field_));
        OK(halo_topology_destroy(&topology_));
    }

    void run(const halo_exchange_desc &desc) {
        for_each_part([&](const halo_part &part) {
            for (int64_t y = part.cells.low[1]; y < part.cells.high[1]; ++y)
                for (int64_t x = part.cells.low[0]; x < part.cells.high[0]; ++x)
                    for (int64_t v = -reach; v <= reach; ++v)
                        for (int64_t u = -reach; u <= reach; ++u)
                            at(part, x + u, y + v, slot_of(x, y)) += contribution(x, y, wrap(x + u, nx), wrap(y + v, ny));
        });
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(&field_, 1, &desc, &exchange));
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        OK(halo_exchange_destroy(&exchange));
    }
    // Of owned cells; with ghosts, of those too.
    template <class Visit>
    void for_each_sum(bool with_ghosts, Visit &&visit) {
        const int64_t around = with_ghosts ? reach : 0;
        for_each_part([&](const halo_part &part) {
            for (int64_t y = part.cells.low[1] - around; y < part.cells.high[1] + around; ++y)
                for (int64_t x = part.cells.low[0] - around; x < part.cells.high[0] + around; ++x)
                    for (int64_t slot = 0; slot < n_slots; ++slot) visit(wrap(x, nx), wrap(y, ny), slot, at(part, x, y, slot));
        });
    }

private:
    template <class Visit>
    void for_each_part(Visit &&visit) {
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(topology_, &gids, &n));
        for (int64_t i = 0; i < n; ++i) {
            halo_part part = HALO_PART_INIT;
            OK(halo_topology_part(topology_, gids[i], &part));
            visit(part);
        }
    }
    double &at(const halo_part &part, int64_t x, int64_t y, int64_t slot) {
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data = nullptr;
        OK(halo_field_layout(field_, part.gid, &layout));
        OK(halo_field_data(field_, part.gid, 0, &data));
        return static_cast<double *>(data)[layout.first_owned + (x - part.cells.low[0]) * layout.stride[0] +
                                           (y - part.cells.low[1]) * layout.stride[1] + slot * layout.component_stride];
    }

    halo_topology *topology_;
    halo_field *field_ = nullptr;
};

double sum_by_value(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return std::accumulate(values.begin() + 1, values.end(), values[0]);
}

// The sums, made without the library and without any cut.
std::vector<double> serial_sums() {
    std::vector<std::vector<double>> lists(nx * ny * n_slots);
    for (int64_t y = 0; y < ny; ++y)
        for (int64_t x = 0; x < nx; ++x)
            for (int64_t v = -reach; v <= reach; ++v)
                for (int64_t u = -reach; u <= reach; ++u) {
                    const int64_t to_x = wrap(x + u, nx), to_y = wrap(y + v, ny);
                    lists[(slot_of(x, y) * ny + to_y) * nx + to_x].push_back(contribution(x, y, to_x, to_y));
                }
    std::vector<double> sums;
    sums.reserve(lists.size());
    for (const std::vector<double> &list : lists) sums.push_back(sum_by_value(list));
    return sums;
}

halo_exchange_desc combining(int32_t kind, int32_t order) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind;
    desc.combine_order = order;
    return desc;
}

// How many sums are not those of `wanted`, bit for bit.
int64_t differing(const Rank &rank, uint64_t seed, const halo_exchange_desc &desc, const std::vector<double> &wanted) {
    Deposit deposit(rank, seed);
    deposit.run(desc);
    int64_t n = 0;
    deposit.for_each_sum(desc.kind == HALO_KIND_SHARED_REDUCE, [&](int64_t x, int64_t y, int64_t slot, double sum) {
        n += std::bit_cast<uint64_t>(sum) != std::bit_cast<uint64_t>(wanted[(slot * ny + y) * nx + x]);
    });
    deposit.destroy();
    OK(halo_context_allreduce(rank.context, &n, &n, 1, HALO_INT64, HALO_SUM));
    return n;
}

class Canonical : public testing::TestWithParam<int32_t> {};

TEST_P(Canonical, SumsOverBoxesDependOnNoCut) {
    const std::vector<double> wanted = serial_sums();
    run(GetParam(), {}, [&](Rank &rank) {
        for (uint64_t seed = 0; seed < 8; ++seed)
            for (const int32_t kind : { HALO_KIND_REVERSE, HALO_KIND_SHARED_REDUCE })
                for (const int32_t messages : { HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL }) {
                    halo_exchange_desc desc = combining(kind, HALO_COMBINE_CANONICAL);
                    desc.messages = messages;
                    if (const int64_t n = differing(rank, seed, desc, wanted))
                        stop("seed %llu, kind %d, messages %d: %lld sums differ", static_cast<unsigned long long>(seed), kind, messages,
                             static_cast<long long>(n));
                }
    });
}

TEST_P(Canonical, WithoutItSumsOverBoxesDependOnTheCut) {
    const std::vector<double> wanted = serial_sums();
    run(GetParam(), {}, [&](Rank &rank) {
        for (uint64_t seed = 0; seed < 4; ++seed)
            if (differing(rank, seed, combining(HALO_KIND_REVERSE, HALO_COMBINE_BY_GID), wanted) == 0)
                stop("seed %llu: by gid, all sums are the same", static_cast<unsigned long long>(seed));
    });
}

// ---------------------------------------------------------------- keys

constexpr int64_t n_elements = 96, n_nodes = 40, n_corners = 4;

uint64_t node_of(int64_t element, int64_t corner) { return wrap(element * 7 + corner * corner * 5 + corner, n_nodes); }

// A value of each type, from one wild number or, for products, a tame one: element by element the same on whatever rank.
template <class T>
T value_of(int64_t element, int64_t corner, halo_op op) {
    const auto seed = static_cast<uint64_t>(element * n_corners + corner + 1);
    const auto number = [&](uint64_t which) {
        const double value = wild(seed * 2 + which);
        return op == HALO_SUM ? value : value / std::pow(10.0, std::floor(std::log10(std::abs(value))));
    };
    if constexpr (std::is_same_v<T, std::complex<double>>)
        return { number(0), number(1) };
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<int64_t>(number(0) * 1e-4));
    else
        return static_cast<T>(number(0));
}

template <class T>
bool lower(const T &a, const T &b) {
    if constexpr (std::is_same_v<T, std::complex<double>>)
        return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
    else
        return a < b;
}

template <class T>
T combine_by_value(std::vector<T> values, halo_op op) {
    std::sort(values.begin(), values.end(), lower<T>);
    T result = values[0];
    for (size_t i = 1; i < values.size(); ++i) {
        if constexpr (std::is_same_v<T, std::complex<double>>) {
            if (op == HALO_PROD) {
                const T a = result, b = values[i];
                result = { a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real() };
                continue;
            }
        }
        result = static_cast<T>(op == HALO_SUM ? result + values[i] : result * values[i]);
    }
    return result;
}

template <class T>
bool same_bits(const T &a, const T &b) {
    using Bytes = std::array<std::byte, sizeof(T)>;
    return std::bit_cast<Bytes>(a) == std::bit_cast<Bytes>(b);
}

template <class T>
std::vector<T> serial_nodes(halo_op op) {
    std::vector<std::vector<T>> lists(n_nodes);
    for (int64_t element = 0; element < n_elements; ++element)
        for (int64_t corner = 0; corner < n_corners; ++corner) lists[node_of(element, corner)].push_back(value_of<T>(element, corner, op));
    std::vector<T> wanted;
    for (const std::vector<T> &list : lists) {
        if constexpr (std::is_same_v<T, std::complex<double>>) {
            if (op == HALO_SUM) { // part by part
                std::vector<double> real, imaginary;
                for (const T &value : list) {
                    real.push_back(value.real());
                    imaginary.push_back(value.imag());
                }
                wanted.emplace_back(sum_by_value(real), sum_by_value(imaginary));
                continue;
            }
        }
        wanted.push_back(combine_by_value(list, op));
    }
    return wanted;
}

// Elements are dealt at random; each of their corners is a point of its own.
template <class T>
int64_t differing_nodes(const Rank &rank, uint64_t seed, halo_type type, const halo_exchange_desc &exchange_desc) {
    Random random(seed);
    std::vector<uint64_t> keys;
    std::vector<T> values;
    for (int64_t element = 0; element < n_elements; ++element) {
        if (pick(random, 0, rank.size - 1) != rank.rank) continue;
        for (int64_t corner = 0; corner < n_corners; ++corner) {
            keys.push_back(node_of(element, corner));
            values.push_back(value_of<T>(element, corner, exchange_desc.op));
        }
    }
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = std::ssize(keys);
    desc.keys = keys.data();
    desc.owner_rule = HALO_OWNER_SPREAD;
    desc.numbering = HALO_NUMBERING_AS_GIVEN;
    halo_topology *topology = nullptr;
    OK(halo_topology_create_keys(rank.context, &desc, &topology));
    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = "nodes";
    field_desc.type = type;
    halo_field *field = nullptr;
    OK(halo_field_create(topology, &field_desc, &field));
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = values.data();
    if (!values.empty()) OK(halo_field_bind(field, rank.rank, &binding));
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(&field, 1, &exchange_desc, &exchange));
    OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));

    const std::vector<T> wanted = serial_nodes<T>(exchange_desc.op);
    std::vector<int32_t> owners(keys.size());
    int64_t n_owners = 0;
    OK(halo_topology_owners(topology, owners.data(), std::ssize(owners), &n_owners));
    int64_t n = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
        const bool first = std::find(keys.begin(), keys.end(), keys[i]) == keys.begin() + static_cast<std::ptrdiff_t>(i);
        if (exchange_desc.kind == HALO_KIND_REVERSE && (owners[i] != rank.rank || !first)) continue;
        n += same_bits(values[i], wanted[keys[i]]) ? 0 : 1;
    }
    OK(halo_exchange_destroy(&exchange));
    OK(halo_field_destroy(&field));
    OK(halo_topology_destroy(&topology));
    OK(halo_context_allreduce(rank.context, &n, &n, 1, HALO_INT64, HALO_SUM));
    return n;
}

template <class T>
void check_nodes(const Rank &rank, halo_type type, halo_op op) {
    for (uint64_t seed = 1; seed < 6; ++seed)
        for (const int32_t kind : { HALO_KIND_REVERSE, HALO_KIND_SHARED_REDUCE }) {
            halo_exchange_desc desc = combining(kind, HALO_COMBINE_CANONICAL);
            desc.op = op;
            if (const int64_t n = differing_nodes<T>(rank, seed, type, desc))
                stop("seed %llu, kind %d, type %d, op %d: %lld nodes differ", static_cast<unsigned long long>(seed), kind, type, op,
                     static_cast<long long>(n));
        }
}

TEST_P(Canonical, SumsOverKeysDependOnNoPartition) {
    run(GetParam(), {}, [](Rank &rank) {
        for (const halo_op op : { HALO_SUM, HALO_PROD }) {
            check_nodes<double>(rank, HALO_FLOAT64, op);
            check_nodes<float>(rank, HALO_FLOAT32, op);
            check_nodes<std::complex<double>>(rank, HALO_COMPLEX128, op);
        }
        check_nodes<int64_t>(rank, HALO_INT64, HALO_SUM);
        check_nodes<int16_t>(rank, HALO_INT16, HALO_SUM);
        check_nodes<uint8_t>(rank, HALO_UINT8, HALO_SUM);
        check_nodes<uint64_t>(rank, HALO_UINT64, HALO_SUM);
    });
}

TEST_P(Canonical, WithoutItSumsOverKeysDependOnThePartition) {
    run(GetParam(), {}, [](Rank &rank) {
        if (differing_nodes<double>(rank, 1, HALO_FLOAT64, combining(HALO_KIND_REVERSE, HALO_COMBINE_BY_GID)) == 0)
            stop("by gid, all sums are the same");
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Canonical, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

} // namespace

} // namespace conformance
