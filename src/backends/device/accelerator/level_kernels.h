/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations between levels, of numbers HALO_REAL; HALO_OF_REAL(name) is a name that no other such numbers have, HALO_QUOTIENT(a, b) is rounded to
 * nearest. kernels.h includes it once for each of them. Values are those of the host, step by step. */

#define HALO_REAL_AT(address) (*HALO_AT(HALO_REAL, address))
#define HALO_CONST_REAL_AT(address) (*HALO_AT(const HALO_REAL, address))
#define HALO_HALF_OF(value) ((value) * (HALO_REAL)0.5)

/* Lines along x first, then planes, then all. */
HALO_DEVICE HALO_REAL HALO_OF_REAL(halo_mean)(HALO_GLOBAL const halo_level *what, HALO_GLOBAL const halo_u8 *first) {
    halo_i32 n[3];
    HALO_REAL all = 0;
    for (int d = 0; d < 3; ++d) n[d] = (what->centring >> d & 1) != 0 ? 1 : what->ratio[d];
    for (halo_i32 z = 0; z < n[2]; ++z) {
        HALO_REAL plane = 0;
        for (halo_i32 y = 0; y < n[1]; ++y) {
            HALO_GLOBAL const halo_u8 *at = first + z * what->stride[0][2] + y * what->stride[0][1];
            HALO_REAL line = HALO_CONST_REAL_AT(at);
            for (halo_i32 x = 1; x < n[0]; ++x) line += HALO_CONST_REAL_AT(at + x * what->stride[0][0]);
            plane = y == 0 ? line : plane + line;
        }
        all = z == 0 ? plane : all + plane;
    }
    return HALO_QUOTIENT(all, (HALO_REAL)(n[0] * n[1] * n[2]));
}

HALO_DEVICE HALO_REAL HALO_OF_REAL(halo_slope)(HALO_GLOBAL const halo_u8 *at, halo_i64 stride) {
    const HALO_REAL value = HALO_CONST_REAL_AT(at);
    const HALO_REAL below = value - HALO_CONST_REAL_AT(at - stride), above = HALO_CONST_REAL_AT(at + stride) - value;
    if (!((below > 0 && above > 0) || (below < 0 && above < 0))) return 0;
    return (below < 0 ? -below : below) < (above < 0 ? -above : above) ? below : above;
}

/* In a coarse cell, or at a point, and with what its slopes add. `number`: of the fine ones. */
HALO_DEVICE HALO_REAL HALO_OF_REAL(halo_within)(HALO_GLOBAL const halo_level *what, HALO_GLOBAL const halo_u8 *at, const halo_i32 *number) {
    HALO_REAL value = HALO_CONST_REAL_AT(at);
    for (int d = 0; what->linear != 0 && d < 3; ++d) {
        const halo_i32 ratio = what->ratio[d];
        if (ratio == 1 || (what->centring >> d & 1) != 0) continue;
        const HALO_REAL offset = HALO_QUOTIENT((HALO_REAL)(2 * number[d] + 1 - ratio), (HALO_REAL)(2 * ratio));
        value += offset * HALO_OF_REAL(halo_slope)(at, what->stride[0][d]);
    }
    return value;
}

/* Between two coarse points along x first, then y, then z. */
HALO_DEVICE HALO_REAL HALO_OF_REAL(halo_between)(HALO_GLOBAL const halo_level *what, HALO_GLOBAL const halo_u8 *first, const halo_i32 *number) {
    int n[3];
    HALO_REAL all = 0;
    for (int d = 0; d < 3; ++d) n[d] = (what->centring >> d & 1) != 0 && number[d] != 0 ? 2 : 1;
    for (int z = 0; z < n[2]; ++z) {
        HALO_REAL plane = 0;
        for (int y = 0; y < n[1]; ++y) {
            HALO_GLOBAL const halo_u8 *at = first + z * what->stride[0][2] + y * what->stride[0][1];
            HALO_REAL line = HALO_OF_REAL(halo_within)(what, at, number);
            if (n[0] == 2) line = HALO_HALF_OF(line + HALO_OF_REAL(halo_within)(what, at + what->stride[0][0], number));
            plane = y == 0 ? line : HALO_HALF_OF(plane + line);
        }
        all = z == 0 ? plane : HALO_HALF_OF(all + plane);
    }
    return all;
}

/* Faces between the parts of a coarse cell; `first`: of each direction, the faces of its lowest part. Bit d of a part: the upper one along d. */
#define HALO_SIGN(part, d) ((HALO_REAL)((part) >> (d)&1 ? 1 : -1))
HALO_DEVICE HALO_GLOBAL halo_u8 *HALO_OF_REAL(halo_face)(HALO_GLOBAL const halo_level *what, HALO_GLOBAL halo_u8 *first, int n_dims, int d, int part,
                                                         int place) {
    for (int e = 0; e < n_dims; ++e) first += (e == d ? place : part >> e & 1) * what->stride[d][e];
    return first;
}

HALO_DEVICE void HALO_OF_REAL(halo_divide)(HALO_GLOBAL const halo_level *what, HALO_GLOBAL halo_u8 *const *first, int n_dims) {
    const int n_parts = 1 << n_dims;
    HALO_REAL outer[3][8], bend[3] = { 0, 0, 0 }, twist[3] = { 0, 0, 0 };
    for (int d = 0; d < n_dims; ++d)
        for (int part = 0; part < n_parts; ++part)
            outer[d][part] = HALO_REAL_AT(HALO_OF_REAL(halo_face)(what, first[d], n_dims, d, part, 2 * (part >> d & 1)));
    for (int d = 0; d < n_dims; ++d) {
        for (int part = 0; part < n_parts; ++part) {
            for (int e = 0; e < n_dims; ++e)
                if (e != d) bend[d] += HALO_SIGN(part, d) * HALO_SIGN(part, e) * outer[e][part];
            if (n_dims == 3) twist[d] += HALO_SIGN(part, 0) * HALO_SIGN(part, 1) * HALO_SIGN(part, 2) * outer[d][part];
        }
        bend[d] = HALO_QUOTIENT(bend[d], (HALO_REAL)n_parts);
        twist[d] = HALO_QUOTIENT(twist[d], (HALO_REAL)(2 * n_parts));
    }
    for (int d = 0; d < n_dims; ++d)
        for (int part = 0; part < n_parts; ++part) {
            if ((part >> d & 1) != 0) continue;
            HALO_REAL value = HALO_HALF_OF(outer[d][part] + outer[d][part | 1 << d]) + bend[d];
            const int e = (d + 1) % 3, g = (d + 2) % 3;
            if (n_dims == 3) value += HALO_SIGN(part, g) * twist[e] + HALO_SIGN(part, e) * twist[g];
            HALO_REAL_AT(HALO_OF_REAL(halo_face)(what, first[d], n_dims, d, part, 1)) = value;
        }
}

HALO_DEVICE HALO_REAL HALO_OF_REAL(halo_mix)(double fraction, HALO_REAL older, HALO_REAL newer) {
    const HALO_REAL of_newer = (HALO_REAL)fraction, of_older = 1 - of_newer;
    return fraction == 0 ? older : fraction == 1 ? newer : of_older * older + of_newer * newer;
}

/* One value of an operation: the number `which` of a value of component `c` at a point. */
HALO_DEVICE void HALO_OF_REAL(halo_make_value)(HALO_GLOBAL const halo_level *what, const halo_i32 *point, halo_u32 c, halo_u32 which) {
    HALO_GLOBAL halo_u8 *at[3];
    const halo_i32 refined = what->ratio[2] > 1 ? 3 : what->ratio[1] > 1 ? 2 : 1;
    halo_i32 number[3];
    for (int v = 0; v < 3; ++v) at[v] = HALO_AT(halo_u8, what->values[v]) + c * what->component_stride[v] + which * sizeof(HALO_REAL);
    for (int d = 0; d < 3; ++d) {
        const halo_i32 ratio = what->ratio[d], rest = point[d] % ratio;
        number[d] = rest < 0 ? rest + ratio : rest;
        const halo_i64 fine = (halo_i64)point[d] * ratio, coarse = (point[d] - number[d]) / ratio;
        switch (what->what) {
        case HALO_RESTRICT: at[0] += fine * what->stride[0][d]; break;
        case HALO_PROLONGATE: at[0] += coarse * what->stride[0][d]; break;
        case HALO_DIVIDE:
            for (int v = 0; v < 3; ++v) at[v] += fine * what->stride[v][d];
            break;
        default: at[0] += point[d] * what->stride[0][d]; break;
        }
        if (what->what == HALO_DIVIDE) continue;
        at[1] += point[d] * what->stride[1][d];
        at[2] += point[d] * what->stride[2][d];
    }
    switch (what->what) {
    case HALO_RESTRICT: HALO_REAL_AT(at[1]) = HALO_OF_REAL(halo_mean)(what, at[0]); break;
    case HALO_PROLONGATE: HALO_REAL_AT(at[1]) = HALO_OF_REAL(halo_between)(what, at[0], number); break;
    case HALO_DIVIDE: HALO_OF_REAL(halo_divide)(what, at, refined); break;
    default: HALO_REAL_AT(at[2]) = HALO_OF_REAL(halo_mix)(what->fraction, HALO_REAL_AT(at[0]), HALO_REAL_AT(at[1])); break;
    }
}

#undef HALO_SIGN
#undef HALO_HALF_OF
#undef HALO_REAL_AT
#undef HALO_CONST_REAL_AT
