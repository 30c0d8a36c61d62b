/* SPDX-License-Identifier: BSD-3-Clause */
/* What one thread does, in what CUDA, HIP and OpenCL C have in common. Whoever includes it has defined
 *   HALO_DEVICE        in front of a function of the device
 *   HALO_GLOBAL        in front of what pointers to memory of the device point to
 *   HALO_WORD16        a type of 16 bytes
 *   HALO_AS_FLOAT(u), HALO_AS_DOUBLE(u), HALO_AS_U32(f), HALO_AS_U64(d)    the same bits
 *   HALO_HIGH32(a, b)  the upper half of a product
 * and has switched contraction off: values must be those of the host. */
#include "layout.h"

#define HALO_AT(type, address) ((HALO_GLOBAL type *)(address))

#define HALO_UNROLL 4u

/* ---------------------------------------------------------------- values at any address */

HALO_DEVICE halo_u16 halo_load2(HALO_GLOBAL const halo_u8 *from) {
    if (((halo_u64)from & 1u) == 0) return *HALO_AT(const halo_u16, from);
    return (halo_u16)((halo_u32)from[0] | (halo_u32)from[1] << 8);
}

HALO_DEVICE halo_u32 halo_load4(HALO_GLOBAL const halo_u8 *from) {
    if (((halo_u64)from & 3u) == 0) return *HALO_AT(const halo_u32, from);
    return (halo_u32)from[0] | (halo_u32)from[1] << 8 | (halo_u32)from[2] << 16 | (halo_u32)from[3] << 24;
}

HALO_DEVICE halo_u64 halo_load8(HALO_GLOBAL const halo_u8 *from) {
    if (((halo_u64)from & 7u) == 0) return *HALO_AT(const halo_u64, from);
    return (halo_u64)halo_load4(from) | (halo_u64)halo_load4(from + 4) << 32;
}

HALO_DEVICE void halo_store2(HALO_GLOBAL halo_u8 *to, halo_u16 value) {
    if (((halo_u64)to & 1u) == 0) {
        *HALO_AT(halo_u16, to) = value;
    } else {
        to[0] = (halo_u8)value;
        to[1] = (halo_u8)(value >> 8);
    }
}

HALO_DEVICE void halo_store4(HALO_GLOBAL halo_u8 *to, halo_u32 value) {
    if (((halo_u64)to & 3u) == 0) {
        *HALO_AT(halo_u32, to) = value;
    } else {
        for (int i = 0; i < 4; ++i) to[i] = (halo_u8)(value >> 8 * i);
    }
}

HALO_DEVICE void halo_store8(HALO_GLOBAL halo_u8 *to, halo_u64 value) {
    if (((halo_u64)to & 7u) == 0) {
        *HALO_AT(halo_u64, to) = value;
    } else {
        halo_store4(to, (halo_u32)value);
        halo_store4(to + 4, (halo_u32)(value >> 32));
    }
}

/* ---------------------------------------------------------------- a chunk and its words */

/* `n` elements of each of `n_lines` lines, every element of so many words. */
typedef struct halo_lines {
    HALO_GLOBAL halo_u8 *dst;
    HALO_GLOBAL const halo_u8 *src;
    HALO_GLOBAL const halo_u32 *dst_list, *src_list; /* 0: none */
    HALO_GLOBAL const halo_piece *piece;
    halo_i64 dst_step, src_step;
    halo_u32 y, z, c; /* of the first line */
    halo_u32 n_lines;
    halo_u32 n, words;
    halo_u32 line_inverse, words_inverse; /* of the words of a line, of an element; 0: there is one */
} halo_lines;

/* Whose a chunk of the launch is, or a target. */
#define HALO_DEFINE_OWNER(NAME, RANGE)                                                                                                               \
    HALO_DEVICE HALO_GLOBAL const RANGE *NAME(HALO_GLOBAL const halo_launch *launch, halo_u32 number) {                                              \
        HALO_GLOBAL const RANGE *ranges = (HALO_GLOBAL const RANGE *)(launch + 1);                                                                   \
        halo_u32 low = 0, high = launch->n_ranges - 1;                                                                                               \
        while (low < high) {                                                                                                                         \
            const halo_u32 middle = (low + high) / 2;                                                                                                \
            if (number < ranges[middle].end)                                                                                                         \
                high = middle;                                                                                                                       \
            else                                                                                                                                     \
                low = middle + 1;                                                                                                                    \
        }                                                                                                                                            \
        return ranges + low;                                                                                                                         \
    }
HALO_DEFINE_OWNER(halo_range_of, halo_range)
HALO_DEFINE_OWNER(halo_combination_of, halo_combination)
HALO_DEFINE_OWNER(halo_level_of, halo_level)

HALO_DEVICE halo_chunk halo_chunk_of(HALO_GLOBAL const halo_launch *launch, HALO_GLOBAL const halo_range *range, halo_u32 chunk) {
    HALO_GLOBAL const halo_range *ranges = (HALO_GLOBAL const halo_range *)(launch + 1);
    const halo_u32 begin = range == ranges ? 0 : (range - 1)->end;
    return HALO_AT(const halo_chunk, range->chunks)[range->first_chunk + (chunk - begin)];
}

HALO_DEVICE HALO_GLOBAL const halo_segment *halo_segment_of(HALO_GLOBAL const halo_range *range, halo_chunk chunk) {
    return HALO_AT(const halo_segment, range->segments) + chunk.segment;
}

/* Tests have no destination. */
HALO_DEVICE halo_lines halo_lines_of(HALO_GLOBAL const halo_launch *launch, HALO_GLOBAL const halo_range *range,
                                     HALO_GLOBAL const halo_segment *segment, halo_u32 number, int with_dst) {
    HALO_GLOBAL const halo_piece *piece = HALO_AT(const halo_piece, range->pieces) + segment->piece;
    HALO_GLOBAL const halo_u64 *bases = HALO_AT(const halo_u64, (HALO_GLOBAL const halo_u8 *)launch + range->bases);
    HALO_GLOBAL const halo_u32 *indices = HALO_AT(const halo_u32, range->indices);
    const halo_u32 part = number % piece->chunks_per_line, x = part * piece->chunk_run;
    halo_lines lines;
    lines.piece = piece;
    const halo_u32 line = number / piece->chunks_per_line * piece->chunk_lines, rest = line / piece->n[0];
    lines.y = line - rest * piece->n[0];
    lines.c = rest / piece->n[1];
    lines.z = rest - lines.c * piece->n[1];
    lines.n_lines = piece->n_lines - line < piece->chunk_lines ? piece->n_lines - line : piece->chunk_lines;
    lines.n = piece->run - x < piece->chunk_run ? piece->run - x : piece->chunk_run;
    lines.words = 1;
    lines.dst_step = piece->dst_step;
    lines.src_step = piece->src_step;
    lines.src = HALO_AT(const halo_u8, bases[segment->src_base]) + segment->src_offset;
    lines.dst = with_dst ? HALO_AT(halo_u8, bases[segment->dst_base]) + segment->dst_offset : 0;
    lines.src_list = (piece->lists & HALO_SOURCE_LIST) != 0 ? indices + segment->src_list + x : 0;
    lines.dst_list = (piece->lists & HALO_DESTINATION_LIST) != 0 ? indices + segment->dst_list + x : 0;
    if (!lines.src_list) lines.src += x * piece->src_step;
    if (!lines.dst_list && with_dst) lines.dst += x * piece->dst_step;
    return lines;
}

/* Devices divide slowly. By an inverse of 0 it is 0. */
HALO_DEVICE halo_u32 halo_quotient(halo_u32 number, halo_u32 inverse) { return HALO_HIGH32(2 * number, inverse); }

/* Returns of how many words all lines are, which are as long as they will be. Several lines, or elements, of a chunk are short ones. */
HALO_DEVICE halo_u32 halo_count_words(halo_lines *lines) {
    const halo_u32 per_line = lines->n * lines->words;
    lines->line_inverse = lines->n_lines == 1 ? 0 : HALO_INVERSE(per_line);
    lines->words_inverse = lines->n == 1 ? 0 : HALO_INVERSE(lines->words);
    return lines->n_lines * per_line;
}

/* Of many lines a chunk has few: it goes on into the next row of them at most. */
HALO_DEVICE halo_u32 halo_row_of(halo_u32 line, halo_u32 n, halo_u32 inverse) { return inverse != 0 ? halo_quotient(line, inverse) : line >= n; }

/* Where word `unit` of the chunk is, counted from its first element on either side. */
HALO_DEVICE void halo_place(const halo_lines *lines, halo_u32 unit, halo_u32 word_bytes, halo_i64 *to, halo_i64 *from) {
    HALO_GLOBAL const halo_piece *piece = lines->piece;
    const halo_u32 line = halo_quotient(unit, lines->line_inverse), at = unit - line * lines->n * lines->words;
    const halo_u32 x = halo_quotient(at, lines->words_inverse);
    const halo_i64 inside = (halo_i64)(at - x * lines->words) * word_bytes;
    const halo_u32 row = halo_row_of(lines->y + line, piece->n[0], piece->inverse[0]), y = lines->y + line - row * piece->n[0];
    const halo_u32 plane = halo_row_of(lines->z + row, piece->n[1], piece->inverse[1]), z = lines->z + row - plane * piece->n[1];
    const halo_u32 c = lines->c + plane;
    const halo_i64 dst_x = lines->dst_list ? lines->dst_list[x] : x, src_x = lines->src_list ? lines->src_list[x] : x;
    *to = inside + dst_x * lines->dst_step + y * piece->dst_stride[0] + z * piece->dst_stride[1] + c * piece->dst_stride[2];
    *from = inside + src_x * lines->src_step + y * piece->src_stride[0] + z * piece->src_stride[1] + c * piece->src_stride[2];
}

/* ---------------------------------------------------------------- moves */

/* All that is loaded in a turn is loaded before anything is stored, so that the loads are under way together. */
#define HALO_DEFINE_MOVE(NAME, WORD, LOAD, STORE, CHANGED)                                                                                           \
    HALO_DEVICE void NAME(halo_lines *lines, halo_u32 lane) {                                                                                        \
        const halo_u32 n = halo_count_words(lines);                                                                                                  \
        for (halo_u32 first = lane; first < n; first += HALO_UNROLL * HALO_LANES) {                                                                  \
            WORD word[HALO_UNROLL];                                                                                                                  \
            halo_i64 to[HALO_UNROLL];                                                                                                                \
            for (halo_u32 k = 0; k < HALO_UNROLL; ++k) {                                                                                             \
                halo_i64 from;                                                                                                                       \
                if (first + k * HALO_LANES >= n) break;                                                                                              \
                halo_place(lines, first + k * HALO_LANES, sizeof(WORD), &to[k], &from);                                                              \
                word[k] = LOAD(lines->src + from);                                                                                                   \
            }                                                                                                                                        \
            for (halo_u32 k = 0; k < HALO_UNROLL && first + k * HALO_LANES < n; ++k) {                                                               \
                const WORD w = word[k];                                                                                                              \
                STORE(lines->dst + to[k], CHANGED);                                                                                                  \
            }                                                                                                                                        \
        }                                                                                                                                            \
    }
#define HALO_LOAD1(from) (*HALO_AT(const halo_u8, from))
#define HALO_LOAD2(from) (*HALO_AT(const halo_u16, from))
#define HALO_LOAD4(from) (*HALO_AT(const halo_u32, from))
#define HALO_LOAD8(from) (*HALO_AT(const halo_u64, from))
#define HALO_LOAD16(from) (*HALO_AT(const HALO_WORD16, from))
#define HALO_STORE1(to, value) (*HALO_AT(halo_u8, to) = (value))
#define HALO_STORE2(to, value) (*HALO_AT(halo_u16, to) = (value))
#define HALO_STORE4(to, value) (*HALO_AT(halo_u32, to) = (value))
#define HALO_STORE8(to, value) (*HALO_AT(halo_u64, to) = (value))
#define HALO_STORE16(to, value) (*HALO_AT(HALO_WORD16, to) = (value))

HALO_DEFINE_MOVE(halo_move1, halo_u8, HALO_LOAD1, HALO_STORE1, w)
HALO_DEFINE_MOVE(halo_move2, halo_u16, HALO_LOAD2, HALO_STORE2, w)
HALO_DEFINE_MOVE(halo_move4, halo_u32, HALO_LOAD4, HALO_STORE4, w)
HALO_DEFINE_MOVE(halo_move8, halo_u64, HALO_LOAD8, HALO_STORE8, w)
HALO_DEFINE_MOVE(halo_move16, HALO_WORD16, HALO_LOAD16, HALO_STORE16, w)
HALO_DEFINE_MOVE(halo_negate_half, halo_u16, halo_load2, halo_store2, (halo_u16)(w ^ 0x8000u))
HALO_DEFINE_MOVE(halo_negate_float, halo_u32, halo_load4, halo_store4, w ^ 0x80000000u)
HALO_DEFINE_MOVE(halo_negate_double, halo_u64, halo_load8, halo_store8, w ^ (halo_u64)1 << 63)
HALO_DEFINE_MOVE(halo_negate_int8, halo_u8, HALO_LOAD1, HALO_STORE1, (halo_u8)(0u - w))
HALO_DEFINE_MOVE(halo_negate_int16, halo_u16, halo_load2, halo_store2, (halo_u16)(0u - w))
HALO_DEFINE_MOVE(halo_negate_int32, halo_u32, halo_load4, halo_store4, 0u - w)
HALO_DEFINE_MOVE(halo_negate_int64, halo_u64, halo_load8, halo_store8, (halo_u64)0 - w)

HALO_DEVICE halo_u32 halo_bytes_of(halo_u32 value) {
    switch (value) {
    case HALO_VALUE_INT8:
    case HALO_VALUE_UINT8: return 1;
    case HALO_VALUE_INT16:
    case HALO_VALUE_UINT16:
    case HALO_VALUE_HALF: return 2;
    case HALO_VALUE_FLOAT:
    case HALO_VALUE_INT32:
    case HALO_VALUE_UINT32: return 4;
    default: return 8;
    }
}

HALO_DEVICE void halo_negate(halo_lines *lines, halo_u32 lane) {
    lines->words = lines->piece->element_bytes / halo_bytes_of(lines->piece->negate);
    switch (lines->piece->negate) {
    case HALO_VALUE_FLOAT: halo_negate_float(lines, lane); break;
    case HALO_VALUE_DOUBLE: halo_negate_double(lines, lane); break;
    case HALO_VALUE_HALF: halo_negate_half(lines, lane); break;
    case HALO_VALUE_INT8: halo_negate_int8(lines, lane); break;
    case HALO_VALUE_INT16: halo_negate_int16(lines, lane); break;
    case HALO_VALUE_INT32: halo_negate_int32(lines, lane); break;
    default: halo_negate_int64(lines, lane); break;
    }
}

/* The widest words that all addresses of the chunk allow. */
HALO_DEVICE void halo_copy(halo_lines *lines, halo_u32 lane) {
    HALO_GLOBAL const halo_piece *piece = lines->piece;
    const halo_u32 element = piece->element_bytes;
    const int joined = piece->lists == 0 && lines->dst_step == element && lines->src_step == element;
    halo_u64 all = (halo_u64)lines->dst | (halo_u64)lines->src | 16u;
    for (int d = 0; d < 3; ++d) all |= (halo_u64)piece->dst_stride[d] | (halo_u64)piece->src_stride[d];
    all |= joined ? (halo_u64)lines->n * element : element | (halo_u64)lines->dst_step | (halo_u64)lines->src_step;
    const halo_u32 word = (halo_u32)(all & (~all + 1));
    if (joined) {
        lines->n = lines->n * element / word;
        lines->dst_step = lines->src_step = word;
    } else {
        lines->words = element / word;
    }
    switch (word) {
    case 1: halo_move1(lines, lane); break;
    case 2: halo_move2(lines, lane); break;
    case 4: halo_move4(lines, lane); break;
    case 8: halo_move8(lines, lane); break;
    default: halo_move16(lines, lane); break;
    }
}

/* Whether each value would go where it comes from, as those of blocks that keep their storage over a remesh. */
HALO_DEVICE int halo_stays(const halo_lines *lines) {
    HALO_GLOBAL const halo_piece *piece = lines->piece;
    if ((halo_u64)lines->dst != (halo_u64)lines->src || piece->lists != 0 || lines->dst_step != lines->src_step) return 0;
    for (int d = 0; d < 3; ++d)
        if (piece->dst_stride[d] != piece->src_stride[d]) return 0;
    return 1;
}

HALO_DEVICE void halo_move_chunk(HALO_GLOBAL const halo_launch *launch, halo_u32 chunk, halo_u32 lane) {
    if (chunk >= launch->n_chunks) return;
    HALO_GLOBAL const halo_range *range = halo_range_of(launch, chunk);
    const halo_chunk mine = halo_chunk_of(launch, range, chunk);
    HALO_GLOBAL const halo_segment *segment = halo_segment_of(range, mine);
    if (range->rows != HALO_ALL_ROWS) {
        const int flagged = HALO_AT(const halo_u8, range->flags)[segment->flag] != 0;
        if (flagged != (range->rows == HALO_FLAGGED_ROWS)) return;
    }
    halo_lines lines = halo_lines_of(launch, range, segment, mine.number, 1);
    if (lines.piece->negate != HALO_VALUE_NONE)
        halo_negate(&lines, lane);
    else if (!halo_stays(&lines))
        halo_copy(&lines, lane);
}

/* ---------------------------------------------------------------- null tests */

/* NaN is in no interval. */
#define HALO_DEFINE_TEST(NAME, VALUE, BYTES, LOADED, LOW, HIGH)                                                                                      \
    HALO_DEVICE int NAME(halo_lines *lines, halo_u32 lane, HALO_GLOBAL const halo_range *range) {                                                    \
        const halo_u32 n = halo_count_words(lines);                                                                                                  \
        const VALUE low = (LOW), high = (HIGH);                                                                                                      \
        for (halo_u32 unit = lane; unit < n; unit += HALO_LANES) {                                                                                   \
            halo_i64 to, from;                                                                                                                       \
            halo_place(lines, unit, BYTES, &to, &from);                                                                                              \
            HALO_GLOBAL const halo_u8 *at = lines->src + from;                                                                                       \
            const VALUE value = (LOADED);                                                                                                            \
            if (!(value >= low && value <= high)) return 1;                                                                                          \
        }                                                                                                                                            \
        return 0;                                                                                                                                    \
    }
HALO_DEFINE_TEST(halo_test_float, float, 4, HALO_AS_FLOAT(halo_load4(at)), -range->bound32, range->bound32)
HALO_DEFINE_TEST(halo_test_double, double, 8, HALO_AS_DOUBLE(halo_load8(at)), -range->bound, range->bound)
HALO_DEFINE_TEST(halo_test_half, halo_i64, 2, halo_load2(at) & 0x7fffu, range->low, range->high)
HALO_DEFINE_TEST(halo_test_int8, halo_i64, 1, (halo_i8)*at, range->low, range->high)
HALO_DEFINE_TEST(halo_test_int16, halo_i64, 2, (halo_i16)halo_load2(at), range->low, range->high)
HALO_DEFINE_TEST(halo_test_int32, halo_i64, 4, (halo_i32)halo_load4(at), range->low, range->high)
HALO_DEFINE_TEST(halo_test_int64, halo_i64, 8, (halo_i64)halo_load8(at), range->low, range->high)
HALO_DEFINE_TEST(halo_test_uint8, halo_u64, 1, *at, (halo_u64)range->low, (halo_u64)range->high)
HALO_DEFINE_TEST(halo_test_uint16, halo_u64, 2, halo_load2(at), (halo_u64)range->low, (halo_u64)range->high)
HALO_DEFINE_TEST(halo_test_uint32, halo_u64, 4, halo_load4(at), (halo_u64)range->low, (halo_u64)range->high)
HALO_DEFINE_TEST(halo_test_uint64, halo_u64, 8, halo_load8(at), (halo_u64)range->low, (halo_u64)range->high)

HALO_DEVICE int halo_has_data(halo_lines *lines, halo_u32 lane, HALO_GLOBAL const halo_range *range) {
    switch (range->value) {
    case HALO_VALUE_FLOAT: return halo_test_float(lines, lane, range);
    case HALO_VALUE_DOUBLE: return halo_test_double(lines, lane, range);
    case HALO_VALUE_HALF: return halo_test_half(lines, lane, range);
    case HALO_VALUE_INT8: return halo_test_int8(lines, lane, range);
    case HALO_VALUE_INT16: return halo_test_int16(lines, lane, range);
    case HALO_VALUE_INT32: return halo_test_int32(lines, lane, range);
    case HALO_VALUE_INT64: return halo_test_int64(lines, lane, range);
    case HALO_VALUE_UINT8: return halo_test_uint8(lines, lane, range);
    case HALO_VALUE_UINT16: return halo_test_uint16(lines, lane, range);
    case HALO_VALUE_UINT32: return halo_test_uint32(lines, lane, range);
    default: return halo_test_uint64(lines, lane, range);
    }
}

HALO_DEVICE void halo_test_chunk(HALO_GLOBAL const halo_launch *launch, halo_u32 chunk, halo_u32 lane) {
    if (chunk >= launch->n_chunks) return;
    HALO_GLOBAL const halo_range *range = halo_range_of(launch, chunk);
    const halo_chunk mine = halo_chunk_of(launch, range, chunk);
    HALO_GLOBAL const halo_segment *segment = halo_segment_of(range, mine);
    halo_lines lines = halo_lines_of(launch, range, segment, mine.number, 0);
    lines.words = lines.piece->element_bytes / halo_bytes_of(range->value);
    if (halo_has_data(&lines, lane, range)) HALO_AT(halo_u8, range->flags)[range->flag_by_row ? segment->row - range->first_row : segment->flag] = 1;
}

/* ---------------------------------------------------------------- combining */

/* Equal numbers differ at most in the sign of zero: the minimum has it set, the maximum clear. NaN wins. */
#define HALO_DEFINE_COMBINE_FLOAT(NAME, VALUE, BITS, AS_VALUE, AS_BITS)                                                                              \
    HALO_DEVICE VALUE NAME(halo_i32 op, VALUE a, VALUE b) {                                                                                          \
        const int left = a != 0, right = b != 0;                                                                                                     \
        switch (op) {                                                                                                                                \
        case HALO_OP_SUM: return a + b;                                                                                                              \
        case HALO_OP_PROD: return a * b;                                                                                                             \
        case HALO_OP_LAND: return (VALUE)(left && right);                                                                                            \
        case HALO_OP_LOR: return (VALUE)(left || right);                                                                                             \
        case HALO_OP_LXOR: return (VALUE)(left != right);                                                                                            \
        default:                                                                                                                                     \
            if (a < b) return op == HALO_OP_MIN ? a : b;                                                                                             \
            if (b < a) return op == HALO_OP_MIN ? b : a;                                                                                             \
            if (a != a) return a;                                                                                                                    \
            if (b != b) return b;                                                                                                                    \
            return AS_VALUE((BITS)(op == HALO_OP_MIN ? AS_BITS(a) | AS_BITS(b) : AS_BITS(a) & AS_BITS(b)));                                          \
        }                                                                                                                                            \
    }
/* Integers wrap around. Short ones are combined in 32 bits, and cut when they are stored: no operation looks at what is above. */
#define HALO_DEFINE_COMBINE_INTEGER(NAME, VALUE, BITS)                                                                                               \
    HALO_DEVICE VALUE NAME(halo_i32 op, VALUE a, VALUE b) {                                                                                          \
        const int left = a != 0, right = b != 0;                                                                                                     \
        switch (op) {                                                                                                                                \
        case HALO_OP_SUM: return (VALUE)((BITS)a + (BITS)b);                                                                                         \
        case HALO_OP_PROD: return (VALUE)((BITS)a * (BITS)b);                                                                                        \
        case HALO_OP_MIN: return a < b ? a : b;                                                                                                      \
        case HALO_OP_MAX: return a < b ? b : a;                                                                                                      \
        case HALO_OP_LAND: return left && right;                                                                                                     \
        case HALO_OP_LOR: return left || right;                                                                                                      \
        case HALO_OP_LXOR: return left != right;                                                                                                     \
        case HALO_OP_BAND: return a & b;                                                                                                             \
        case HALO_OP_BOR: return a | b;                                                                                                              \
        default: return a ^ b;                                                                                                                       \
        }                                                                                                                                            \
    }
HALO_DEFINE_COMBINE_FLOAT(halo_combine_float, float, halo_u32, HALO_AS_FLOAT, HALO_AS_U32)
HALO_DEFINE_COMBINE_FLOAT(halo_combine_double, double, halo_u64, HALO_AS_DOUBLE, HALO_AS_U64)
HALO_DEFINE_COMBINE_INTEGER(halo_combine_int32, halo_i32, halo_u32)
HALO_DEFINE_COMBINE_INTEGER(halo_combine_int64, halo_i64, halo_u64)
HALO_DEFINE_COMBINE_INTEGER(halo_combine_uint32, halo_u32, halo_u32)
HALO_DEFINE_COMBINE_INTEGER(halo_combine_uint64, halo_u64, halo_u64)

#define HALO_SOURCE(k) (HALO_AT(const halo_u8, bases[from[k].base]) + from[k].offset)

#define HALO_DEFINE_TARGET(NAME, VALUE, LOADED, STORED, COMBINE)                                                                                     \
    HALO_DEVICE void NAME(HALO_GLOBAL halo_u8 *to, HALO_GLOBAL const halo_contribution *from, halo_u32 n, HALO_GLOBAL const halo_u64 *bases,         \
                          halo_i32 op) {                                                                                                             \
        HALO_GLOBAL const halo_u8 *at = to;                                                                                                          \
        VALUE value = LOADED;                                                                                                                        \
        for (halo_u32 k = 0; k < n; ++k) {                                                                                                           \
            at = HALO_SOURCE(k);                                                                                                                     \
            value = from[k].overwrites ? LOADED : COMBINE(op, value, LOADED);                                                                        \
        }                                                                                                                                            \
        STORED;                                                                                                                                      \
    }
HALO_DEFINE_TARGET(halo_target_float, float, HALO_AS_FLOAT(halo_load4(at)), halo_store4(to, HALO_AS_U32(value)), halo_combine_float)
HALO_DEFINE_TARGET(halo_target_double, double, HALO_AS_DOUBLE(halo_load8(at)), halo_store8(to, HALO_AS_U64(value)), halo_combine_double)
HALO_DEFINE_TARGET(halo_target_int8, halo_i32, (halo_i8)*at, HALO_STORE1(to, (halo_u8)value), halo_combine_int32)
HALO_DEFINE_TARGET(halo_target_int16, halo_i32, (halo_i16)halo_load2(at), halo_store2(to, (halo_u16)value), halo_combine_int32)
HALO_DEFINE_TARGET(halo_target_int32, halo_i32, (halo_i32)halo_load4(at), halo_store4(to, (halo_u32)value), halo_combine_int32)
HALO_DEFINE_TARGET(halo_target_int64, halo_i64, (halo_i64)halo_load8(at), halo_store8(to, (halo_u64)value), halo_combine_int64)
HALO_DEFINE_TARGET(halo_target_uint8, halo_u32, *at, HALO_STORE1(to, (halo_u8)value), halo_combine_uint32)
HALO_DEFINE_TARGET(halo_target_uint16, halo_u32, halo_load2(at), halo_store2(to, (halo_u16)value), halo_combine_uint32)
HALO_DEFINE_TARGET(halo_target_uint32, halo_u32, halo_load4(at), halo_store4(to, value), halo_combine_uint32)
HALO_DEFINE_TARGET(halo_target_uint64, halo_u64, halo_load8(at), halo_store8(to, value), halo_combine_uint64)

#define HALO_DEFINE_COMPLEX_TARGET(NAME, VALUE, BYTES, LOADED, STORED)                                                                               \
    HALO_DEVICE void NAME(HALO_GLOBAL halo_u8 *to, HALO_GLOBAL const halo_contribution *from, halo_u32 n, HALO_GLOBAL const halo_u64 *bases,         \
                          halo_i32 op) {                                                                                                             \
        VALUE real = LOADED(to), imaginary = LOADED(to + (BYTES));                                                                                   \
        for (halo_u32 k = 0; k < n; ++k) {                                                                                                           \
            const VALUE a = real, b = imaginary;                                                                                                     \
            const VALUE c = LOADED(HALO_SOURCE(k)), d = LOADED(HALO_SOURCE(k) + (BYTES));                                                            \
            real = from[k].overwrites ? c : op == HALO_OP_SUM ? a + c : a * c - b * d;                                                               \
            imaginary = from[k].overwrites ? d : op == HALO_OP_SUM ? b + d : a * d + b * c;                                                          \
        }                                                                                                                                            \
        STORED(to, real);                                                                                                                            \
        STORED(to + (BYTES), imaginary);                                                                                                             \
    }
#define HALO_LOAD_FLOAT(at) HALO_AS_FLOAT(halo_load4(at))
#define HALO_LOAD_DOUBLE(at) HALO_AS_DOUBLE(halo_load8(at))
#define HALO_STORE_FLOAT(at, value) halo_store4(at, HALO_AS_U32(value))
#define HALO_STORE_DOUBLE(at, value) halo_store8(at, HALO_AS_U64(value))
HALO_DEFINE_COMPLEX_TARGET(halo_target_complex64, float, 4, HALO_LOAD_FLOAT, HALO_STORE_FLOAT)
HALO_DEFINE_COMPLEX_TARGET(halo_target_complex128, double, 8, HALO_LOAD_DOUBLE, HALO_STORE_DOUBLE)

HALO_DEVICE void halo_combine_target(HALO_GLOBAL const halo_launch *launch, halo_u32 number) {
    if (number >= launch->n_chunks) return;
    HALO_GLOBAL const halo_combination *all = (HALO_GLOBAL const halo_combination *)(launch + 1), *what = halo_combination_of(launch, number);
    HALO_GLOBAL const halo_target *target = HALO_AT(const halo_target, what->targets) + (number - (what == all ? 0 : (what - 1)->end));
    HALO_GLOBAL const halo_u64 *bases = HALO_AT(const halo_u64, (HALO_GLOBAL const halo_u8 *)launch + what->bases);
    HALO_GLOBAL const halo_contribution *from = HALO_AT(const halo_contribution, what->contributions) + target->first;
    HALO_GLOBAL halo_u8 *to = HALO_AT(halo_u8, bases[target->base]) + target->offset;
    const halo_u32 n = (target + 1)->first - target->first;
    switch (what->type) {
    case HALO_TYPE_FLOAT32: halo_target_float(to, from, n, bases, what->op); break;
    case HALO_TYPE_FLOAT64: halo_target_double(to, from, n, bases, what->op); break;
    case HALO_TYPE_INT8: halo_target_int8(to, from, n, bases, what->op); break;
    case HALO_TYPE_INT16: halo_target_int16(to, from, n, bases, what->op); break;
    case HALO_TYPE_INT32: halo_target_int32(to, from, n, bases, what->op); break;
    case HALO_TYPE_INT64: halo_target_int64(to, from, n, bases, what->op); break;
    case HALO_TYPE_UINT8: halo_target_uint8(to, from, n, bases, what->op); break;
    case HALO_TYPE_UINT16: halo_target_uint16(to, from, n, bases, what->op); break;
    case HALO_TYPE_UINT32: halo_target_uint32(to, from, n, bases, what->op); break;
    case HALO_TYPE_UINT64: halo_target_uint64(to, from, n, bases, what->op); break;
    case HALO_TYPE_COMPLEX64: halo_target_complex64(to, from, n, bases, what->op); break;
    default: halo_target_complex128(to, from, n, bases, what->op); break;
    }
}

/* ---------------------------------------------------------------- operations between levels */

/* OpenCL's own quotient of single precision need not be the nearest. That of double precision is, and rounding it once more finds the nearest. */
#define HALO_REAL float
#define HALO_OF_REAL(name) name##_float
#define HALO_QUOTIENT(a, b) ((float)((double)(a) / (double)(b)))
#include "level_kernels.h"
#undef HALO_REAL
#undef HALO_OF_REAL
#undef HALO_QUOTIENT
#define HALO_REAL double
#define HALO_OF_REAL(name) name##_double
#define HALO_QUOTIENT(a, b) ((a) / (b))
#include "level_kernels.h"

/* Neighbours in x have neighbouring threads. */
HALO_DEVICE void halo_levels_value(HALO_GLOBAL const halo_launch *launch, halo_u32 number) {
    if (number >= launch->n_chunks) return;
    HALO_GLOBAL const halo_level *all = (HALO_GLOBAL const halo_level *)(launch + 1), *what = halo_level_of(launch, number);
    halo_u32 at = number - (what == all ? 0 : (what - 1)->end);
    halo_i32 point[3];
    for (int d = 0; d < 3; ++d) {
        const halo_u32 rest = at / what->n[d];
        point[d] = what->low[d] + (halo_i32)(at - rest * what->n[d]);
        at = rest;
    }
    const halo_u32 c = at / what->numbers, which = at - c * what->numbers;
    if (what->is_single)
        halo_make_value_float(what, point, c, which);
    else
        halo_make_value_double(what, point, c, which);
}

/* ---------------------------------------------------------------- fills */

HALO_DEVICE void halo_fill_bytes(const halo_filling *what, halo_u64 first, halo_u64 step) {
    HALO_GLOBAL halo_u8 *dst = HALO_AT(halo_u8, what->dst);
    const halo_u64 n = what->n * what->element_bytes;
    for (halo_u64 i = first; i < n; i += step) dst[i] = what->value[i % what->element_bytes];
}
