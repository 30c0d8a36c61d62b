// SPDX-License-Identifier: BSD-3-Clause
// Reductions of several items in one message: each against a serial reduction in the order of ranks, of all types by all operations; least and
// greatest values with their indices.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "world.h"

namespace {

using namespace access_test;
using conformance::stop;
using Bytes = std::vector<std::byte>;

struct Kind {
    halo_type type;
    halo_op op;
};

bool is_located(halo_op op) { return op == HALO_MINLOC || op == HALO_MAXLOC; }
bool is_extreme(halo_op op) { return op == HALO_MIN || op == HALO_MAX || is_located(op); }

bool is_allowed(Kind kind) {
    const bool complex = kind.type == HALO_COMPLEX64 || kind.type == HALO_COMPLEX128;
    if (kind.op == HALO_USER) return true;
    if (kind.type == HALO_BYTES || kind.type == HALO_FLOAT16 || kind.type == HALO_BFLOAT16) return false;
    if (kind.op == HALO_SUM || kind.op == HALO_PROD) return true;
    if (kind.op >= HALO_BAND && kind.op <= HALO_BXOR) return !complex && kind.type != HALO_FLOAT32 && kind.type != HALO_FLOAT64;
    return !complex;
}

std::vector<Kind> all_kinds() {
    std::vector<Kind> kinds;
    for (halo_type type = HALO_FLOAT32; type <= HALO_BFLOAT16; ++type)
        for (halo_op op = HALO_SUM; op <= HALO_MAXLOC; ++op)
            if (is_allowed({ type, op })) kinds.push_back({ type, op });
    return kinds;
}

template <class Use>
void with_type(halo_type type, Use &&use) {
    switch (type) {
    case HALO_FLOAT32: return use(float{});
    case HALO_FLOAT64: return use(double{});
    case HALO_INT32: return use(int32_t{});
    case HALO_INT64: return use(int64_t{});
    case HALO_COMPLEX64: return use(std::complex<float>{});
    case HALO_COMPLEX128: return use(std::complex<double>{});
    case HALO_INT8: return use(int8_t{});
    case HALO_INT16: return use(int16_t{});
    case HALO_UINT8: return use(uint8_t{});
    case HALO_UINT16: return use(uint16_t{});
    case HALO_UINT32: return use(uint32_t{});
    case HALO_UINT64: return use(uint64_t{});
    default: stop("type %d has no operations", type);
    }
}

template <class T>
constexpr bool is_complex = !std::is_arithmetic_v<T>;

// Small whole numbers: no sum or product of them is rounded.
template <class T>
T draw(Random &random, halo_op op) {
    if constexpr (is_complex<T>) {
        using Real = typename T::value_type;
        return { draw<Real>(random, op), draw<Real>(random, op) };
    } else {
        if (op == HALO_PROD) return static_cast<T>(pick(random, 0, 2) == 0 ? -1 : pick(random, 1, 2));
        if constexpr (std::is_floating_point_v<T>) {
            constexpr T special[] = { -2, T(-0.0), 0, 1, 2, std::numeric_limits<T>::quiet_NaN() };
            if (is_extreme(op)) return special[pick(random, 0, 5)];
        }
        return static_cast<T>(pick(random, -2, 2));
    }
}

// Does `a` go before `b` whichever comes first?
template <class T>
bool beats(bool least, T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(a) || std::isnan(b)) return !std::isnan(b);
        if (a == b) return std::signbit(a) != std::signbit(b) && std::signbit(a) == least;
    }
    return least ? a < b : a > b;
}

template <class T>
T combined(halo_op op, T a, T b) {
    using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>; // integers wrap around
    if (op == HALO_SUM) return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
    if (op == HALO_PROD) return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
    if constexpr (!is_complex<T>) {
        if (op == HALO_MIN || op == HALO_MAX) return beats(op == HALO_MIN, b, a) ? b : a;
        const bool has_a = a != 0, has_b = b != 0;
        if (op == HALO_LAND) return static_cast<T>(has_a && has_b);
        if (op == HALO_LOR) return static_cast<T>(has_a || has_b);
        if (op == HALO_LXOR) return static_cast<T>(has_a != has_b);
    }
    if constexpr (std::is_integral_v<T>) {
        if (op == HALO_BAND) return static_cast<T>(a & b);
        if (op == HALO_BOR) return static_cast<T>(a | b);
        if (op == HALO_BXOR) return static_cast<T>(a ^ b);
    }
    stop("op %d", op);
}

// Pairs of bytes are maps x -> m x + c. One map after another is another one if they change places.
void compose(unsigned char *first, const unsigned char *second, int64_t bytes) {
    for (int64_t i = 0; i + 1 < bytes; i += 2) {
        const unsigned char m = second[i], c = second[i + 1];
        first[i + 1] = static_cast<unsigned char>(m * first[i + 1] + c);
        first[i] = static_cast<unsigned char>(m * first[i]);
    }
}

// An item with what all ranks bring, and what its function should be given.
struct Brought {
    halo_reduction_item item;
    std::vector<Bytes> values;                 // by rank
    std::vector<std::vector<int64_t>> indices; // likewise, if located

    int64_t bytes() const { return item.n * item.element_bytes; }
};

halo_status compose_all(void *user, void *values, const void *contributions, int64_t n, halo_type type, int64_t element_bytes) {
    const halo_reduction_item &item = static_cast<const Brought *>(user)->item;
    const uintptr_t unit = type == HALO_BYTES ? 16 : 8;
    const bool aligned = reinterpret_cast<uintptr_t>(values) % unit == 0 && reinterpret_cast<uintptr_t>(contributions) % unit == 0;
    if (n != item.n || n == 0 || type != item.type || element_bytes != item.element_bytes || !aligned) return HALO_ERR_CHECK;
    compose(static_cast<unsigned char *>(values), static_cast<const unsigned char *>(contributions), n * element_bytes);
    return HALO_SUCCESS;
}

int64_t bytes_of(halo_type type, Random &random) {
    if (type == HALO_BYTES) return 2 * pick(random, 1, 20);
    if (type == HALO_FLOAT16 || type == HALO_BFLOAT16) return 2;
    int64_t bytes = 0;
    with_type(type, [&](auto value) { bytes = sizeof value; });
    return bytes;
}

void fill(Brought &one, Random &random) {
    for (Bytes &values : one.values) {
        values.resize(static_cast<size_t>(one.bytes()));
        if (one.item.op == HALO_USER) {
            for (std::byte &byte : values) byte = static_cast<std::byte>(pick(random, 0, 255));
            continue;
        }
        with_type(one.item.type, [&](auto type) {
            for (int64_t i = 0; i < one.item.n; ++i) {
                const auto value = draw<decltype(type)>(random, one.item.op);
                std::memcpy(values.data() + i * one.item.element_bytes, &value, sizeof value);
            }
        });
    }
    for (std::vector<int64_t> &indices : one.indices) {
        indices.resize(static_cast<size_t>(one.item.n));
        for (int64_t &index : indices) index = pick(random, -3, 3);
    }
}

// In this rank's memory the items lie in an order of its own, with gaps. Returns the bytes.
int64_t place(std::vector<Brought> &all, Random &own) {
    std::vector<int64_t *> offsets;
    std::vector<int64_t> bytes;
    for (Brought &one : all) {
        offsets.push_back(&one.item.offset), bytes.push_back(one.bytes());
        if (is_located(one.item.op)) offsets.push_back(&one.item.index_offset), bytes.push_back(one.item.n * 8);
    }
    std::vector<size_t> order(offsets.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), own);
    int64_t at = 0;
    for (const size_t i : order) {
        *offsets[i] = at += pick(own, 0, 1) * pick(own, 1, 9);
        at += bytes[i];
    }
    return at + pick(own, 0, 9);
}

std::vector<Brought> make_items(const std::vector<Kind> &kinds, int32_t n_ranks, Random &random) {
    std::vector<Brought> all(kinds.size());
    for (size_t i = 0; i < kinds.size(); ++i) {
        halo_reduction_item &item = all[i].item = HALO_REDUCTION_ITEM_INIT;
        item.type = kinds[i].type, item.op = kinds[i].op;
        item.n = pick(random, 0, 4);
        item.element_bytes = bytes_of(item.type, random);
        if (item.op == HALO_USER) item.combine = compose_all, item.user = &all[i];
        all[i].values.resize(static_cast<size_t>(n_ranks));
        if (is_located(item.op)) all[i].indices.resize(static_cast<size_t>(n_ranks));
    }
    return all;
}

void put(const std::vector<Brought> &all, size_t rank, Bytes &memory) {
    for (const Brought &one : all) {
        if (one.item.n == 0) continue;
        std::memcpy(memory.data() + one.item.offset, one.values[rank].data(), one.values[rank].size());
        if (is_located(one.item.op)) std::memcpy(memory.data() + one.item.index_offset, one.indices[rank].data(), one.indices[rank].size() * 8);
    }
}

template <class T>
void combine_serially(const Brought &one, Bytes &values, std::vector<int64_t> &indices) {
    const auto at = [](const Bytes &of, size_t i) {
        T value;
        std::memcpy(&value, of.data() + i * sizeof(T), sizeof value);
        return value;
    };
    for (size_t rank = 1; rank < one.values.size(); ++rank)
        for (size_t i = 0; i < static_cast<size_t>(one.item.n); ++i) {
            T value = at(values, i);
            const T more = at(one.values[rank], i);
            if constexpr (!is_complex<T>) {
                if (is_located(one.item.op)) {
                    const bool least = one.item.op == HALO_MINLOC;
                    const int64_t index = one.indices[rank][i];
                    if (!beats(least, more, value) && (beats(least, value, more) || indices[i] <= index)) continue;
                    indices[i] = index;
                    std::memcpy(values.data() + i * sizeof(T), &more, sizeof more);
                    continue;
                }
            }
            value = combined(one.item.op, value, more);
            std::memcpy(values.data() + i * sizeof(T), &value, sizeof value);
        }
}

// The result as it should be: `memory` has it in place of what this rank has brought.
std::vector<Brought> serially(std::vector<Brought> all) {
    for (Brought &one : all) {
        Bytes &values = one.values[0];
        std::vector<int64_t> none;
        if (one.item.op != HALO_USER) {
            with_type(one.item.type, [&](auto type) { combine_serially<decltype(type)>(one, values, one.indices.empty() ? none : one.indices[0]); });
            continue;
        }
        for (size_t rank = 1; rank < one.values.size(); ++rank)
            compose(reinterpret_cast<unsigned char *>(values.data()), reinterpret_cast<const unsigned char *>(one.values[rank].data()), one.bytes());
    }
    return all;
}

// A zero that is a sum or product of complex numbers may have another sign.
void drop_signs_of_zeros(const std::vector<Brought> &all, Bytes &memory) {
    for (const Brought &one : all)
        if (one.item.op == HALO_PROD && (one.item.type == HALO_COMPLEX64 || one.item.type == HALO_COMPLEX128))
            for (int64_t i = 0; i < 2 * one.item.n; ++i) {
                std::byte *at = memory.data() + one.item.offset + i * one.item.element_bytes / 2;
                const auto drop = [&](auto real) {
                    std::memcpy(&real, at, sizeof real);
                    real += 0;
                    std::memcpy(at, &real, sizeof real);
                };
                one.item.type == HALO_COMPLEX64 ? drop(float{}) : drop(double{});
            }
}

void expect_same_bits_on_all(const Rank &rank, const std::vector<Brought> &all, const Bytes &memory) {
    int64_t sum = 0;
    const auto add = [&](int64_t offset, int64_t bytes) {
        for (int64_t i = 0; i < bytes; ++i) sum = (31 * sum + static_cast<int64_t>(memory[static_cast<size_t>(offset + i)])) % 1000000007;
    };
    for (const Brought &one : all) {
        add(one.item.offset, one.bytes());
        if (is_located(one.item.op)) add(one.item.index_offset, one.item.n * 8);
    }
    const int64_t in[] = { sum, -sum };
    int64_t least[2];
    OK(halo_context_allreduce(rank.context, in, least, 2, HALO_INT64, HALO_MIN));
    if (least[0] != -least[1]) stop("ranks have other bits");
}

halo_reduction *make_reduction(const Rank &rank, const std::vector<halo_reduction_item> &items) {
    halo_reduction *reduction = nullptr;
    OK(halo_reduction_create_items(rank.context, items.data(), sizeof(halo_reduction_item), static_cast<int32_t>(items.size()), &reduction));
    return reduction;
}
halo_reduction *make_reduction(const Rank &rank, const std::vector<Brought> &all) {
    std::vector<halo_reduction_item> items;
    for (const Brought &one : all) items.push_back(one.item);
    return make_reduction(rank, items);
}

void reduce(const Rank &rank, const std::vector<Kind> &kinds, Random &random, Random &own) {
    std::vector<Brought> all = make_items(kinds, rank.size, random);
    const auto bytes = static_cast<size_t>(place(all, own));
    halo_reduction *reduction = make_reduction(rank, all);
    for (int run = 0; run < 4; ++run) {
        for (Brought &one : all) fill(one, random);
        Bytes in(bytes, std::byte{ 0x5a }), out(bytes, std::byte{ 0x77 });
        put(all, static_cast<size_t>(rank.rank), in);
        Bytes &result = run % 2 ? in : out;
        Bytes wanted = result;
        put(serially(all), 0, wanted);
        OK(halo_reduction_begin(reduction, in.data()));
        OK(halo_reduction_end(reduction, result.data()));
        expect_same_bits_on_all(rank, all, result);
        drop_signs_of_zeros(all, wanted);
        drop_signs_of_zeros(all, result);
        for (size_t i = 0; i < bytes; ++i)
            if (wanted[i] != result[i]) stop("run %d of %zu items: byte %zu is another", run, all.size(), i);
    }
    OK(halo_reduction_destroy(&reduction));
}

class Items : public testing::TestWithParam<int32_t> {};

TEST_P(Items, OfAllTypesByAllOperations) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        Random random(3), own(static_cast<uint64_t>(100 + rank.rank));
        for (int time = 0; time < 4; ++time) reduce(rank, all_kinds(), random, own);
    });
}

TEST_P(Items, OfRandomLists) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        const std::vector<Kind> kinds = all_kinds();
        Random random(4), own(static_cast<uint64_t>(100 + rank.rank));
        for (int time = 0; time < 60; ++time) {
            std::vector<Kind> some(static_cast<size_t>(pick(random, 0, 6)));
            for (Kind &kind : some) kind = kinds[static_cast<size_t>(pick(random, 0, std::ssize(kinds) - 1))];
            reduce(rank, some, random, own);
        }
    });
}

struct Rough {
    double sums[3], product;
};

// The order of ranks is that of halo_context_allreduce, where it matters.
TEST_P(Items, GiveTheBitsOfAllreduce) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        halo_reduction_item items[] = { HALO_REDUCTION_ITEM_INIT, HALO_REDUCTION_ITEM_INIT };
        items[0].n = 3;
        items[1].op = HALO_PROD, items[1].offset = offsetof(Rough, product);
        halo_reduction *reduction = make_reduction(rank, { items[0], items[1] });
        for (int run = 0; run < 3; ++run) {
            const auto rough = [&](int i) { return std::sin(31 * rank.rank + 7 * i + run) * std::pow(10.0, (rank.rank + i) % 9); };
            const Rough in{ { rough(0), rough(1), rough(2) }, rough(3) };
            Rough out{}, wanted{};
            OK(halo_reduction_begin(reduction, &in));
            OK(halo_context_allreduce(rank.context, in.sums, wanted.sums, 3, HALO_FLOAT64, HALO_SUM)); // meanwhile
            OK(halo_context_allreduce(rank.context, &in.product, &wanted.product, 1, HALO_FLOAT64, HALO_PROD));
            OK(halo_reduction_end(reduction, &out));
            if (std::memcmp(&out, &wanted, sizeof out) != 0) stop("run %d: other bits", run);
        }
        OK(halo_reduction_destroy(&reduction));
    });
}

struct Located {
    double value;
    int64_t index;
};

Located locate(const Rank &rank, halo_op op, Located mine) {
    halo_reduction_item item = HALO_REDUCTION_ITEM_INIT;
    item.op = op, item.index_offset = offsetof(Located, index);
    halo_reduction *reduction = make_reduction(rank, std::vector{ item });
    Located found{};
    OK(halo_reduction_begin(reduction, &mine));
    OK(halo_reduction_end(reduction, &found));
    OK(halo_reduction_destroy(&reduction));
    return found;
}

TEST_P(Items, TiesGoToTheLowestIndex) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        const double nan = std::nan("");
        const int64_t from_behind = 100 - rank.rank; // so the last rank has the lowest
        const int64_t lowest = 101 - rank.size, odd = rank.rank % 2;
        const bool alone = rank.size == 1;
        for (const halo_op op : { HALO_MINLOC, HALO_MAXLOC }) {
            const double sign = op == HALO_MINLOC ? -1 : 1;
            if (locate(rank, op, { 7, from_behind }).index != lowest) stop("equal values");
            if (locate(rank, op, { rank.rank == 0 ? nan : sign * INFINITY, from_behind }).index != 100) stop("a NaN and numbers");
            if (locate(rank, op, { nan, from_behind }).index != lowest) stop("NaNs alone");
            const Located extreme = locate(rank, op, { sign * static_cast<double>(odd), 50 + rank.rank });
            if (extreme.index != (alone ? 50 : 51) || extreme.value != (alone ? 0 : sign)) stop("the odd ranks' value, at the first of them");
            const Located zero = locate(rank, op, { odd ? sign * 0.0 : -sign * 0.0, rank.rank });
            if (zero.index != (alone ? 0 : 1) || std::signbit(zero.value) != ((op == HALO_MINLOC) != alone)) stop("zeros of both signs");
            const Located none = locate(rank, op, rank.rank == 0 ? Located{ -sign * INFINITY, 9 } : Located{ -sign * INFINITY, INT64_MAX });
            if (none.index != 9) stop("ranks without a value");
        }
    });
}

TEST_P(Items, OfNoneNeedNoMemory) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        halo_reduction_item nothing = HALO_REDUCTION_ITEM_INIT;
        nothing.n = 0, nothing.offset = -1; // not read
        for (const auto &items : { std::vector<halo_reduction_item>{}, std::vector{ nothing }, std::vector{ nothing, nothing } }) {
            halo_reduction *reduction = make_reduction(rank, items);
            for (int i = 0; i < 3; ++i) {
                OK(halo_reduction_begin(reduction, nullptr));
                OK(halo_reduction_end(reduction, nullptr));
            }
            OK(halo_reduction_destroy(&reduction));
        }
    });
}

TEST_P(Items, AListOfOneIsTheSimpleCase) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        halo_reduction_item item = HALO_REDUCTION_ITEM_INIT;
        item.n = 2, item.op = HALO_MAX, item.type = HALO_INT64, item.offset = 8;
        halo_reduction *reduction = nullptr;
        if (rank.rank % 2)
            reduction = make_reduction(rank, std::vector{ item });
        else
            OK(halo_reduction_create(rank.context, 2, HALO_INT64, HALO_MAX, &reduction));
        const int64_t skipped = rank.rank % 2;
        int64_t values[3] = { 0, 0, 0 };
        values[skipped] = rank.rank, values[skipped + 1] = -rank.rank;
        OK(halo_reduction_begin(reduction, values));
        OK(halo_reduction_end(reduction, values));
        if (values[skipped] != rank.size - 1 || values[skipped + 1] != 0) stop("another maximum");
        OK(halo_reduction_destroy(&reduction));
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Items, testing::ValuesIn(conformance::rank_counts()));

} // namespace
