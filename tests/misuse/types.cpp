// SPDX-License-Identifier: BSD-3-Clause
// What types cannot do: sums of halves, bits of numbers with a fraction, vectors without a sign, fills that a type does not hold.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>

#include "halo_access.h"

namespace {

class MisusedTypes : public testing::Test {
protected:
    MisusedTypes() {
        EXPECT_EQ(halo_context_create(nullptr, &context), HALO_SUCCESS) << halo_last_error();
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        desc.n_dims = 1, desc.n_blocks[0] = 2, desc.n_cells[0] = 4, desc.periodic[0] = 1;
        EXPECT_EQ(halo_topology_create_blocks(context, &desc, &ring), HALO_SUCCESS) << halo_last_error();
    }
    ~MisusedTypes() override {
        EXPECT_EQ(halo_topology_destroy(&ring), HALO_SUCCESS);
        EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
    }

    void refused(halo_status status, std::initializer_list<const char *> texts) {
        EXPECT_EQ(status, HALO_ERR_ARGUMENT);
        for (const char *text : texts) EXPECT_NE(std::strstr(halo_last_error(), text), nullptr) << text << " is not in: " << halo_last_error();
    }
    halo_status field(halo_field_desc desc) {
        desc.name = "f";
        desc.ghost_low[0] = desc.ghost_high[0] = 1;
        return halo_field_create(ring, &desc, &made);
    }
    halo_status sparse(halo_type type, double fill) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.type = type, desc.sparse = 1, desc.fill = fill;
        return field(desc);
    }
    // Made over a field of the type, and let go of.
    halo_status exchange(halo_type type, const halo_exchange_desc &desc) {
        halo_field_desc of = HALO_FIELD_DESC_INIT;
        of.type = type;
        EXPECT_EQ(field(of), HALO_SUCCESS) << halo_last_error();
        halo_exchange *over = nullptr;
        const halo_status status = halo_exchange_create(&made, 1, &desc, &over);
        EXPECT_EQ(over == nullptr, status != HALO_SUCCESS);
        if (over) {
            EXPECT_EQ(halo_exchange_destroy(&over), HALO_SUCCESS);
        }
        EXPECT_EQ(halo_field_destroy(&made), HALO_SUCCESS);
        return status;
    }

    halo_context *context = nullptr;
    halo_topology *ring = nullptr;
    halo_field *made = nullptr;
};

constexpr halo_type halves[] = { HALO_FLOAT16, HALO_BFLOAT16 };

TEST_F(MisusedTypes, HalvesAreNotCombinedByExchanges) {
    for (const halo_type type : halves)
        for (const int32_t kind : { HALO_KIND_REVERSE, HALO_KIND_SHARED_REDUCE })
            for (const int32_t order : { HALO_COMBINE_BY_GID, HALO_COMBINE_CANONICAL })
                for (halo_op op = HALO_SUM; op <= HALO_BXOR; ++op) {
                    if (op == HALO_USER) continue;
                    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
                    desc.kind = kind, desc.op = op, desc.combine_order = order;
                    refused(exchange(type, desc), { "exchange: field f", type == HALO_FLOAT16 ? "values of float16" : "values of bfloat16",
                                                    "can only be moved, no operation combines them" });
                }
}

TEST_F(MisusedTypes, HalvesAreCombinedByAFunctionOfTheProgram) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = HALO_KIND_REVERSE, desc.op = HALO_USER;
    desc.combine = [](void *, void *, const void *, int64_t, halo_type, int64_t) { return HALO_SUCCESS; };
    for (const halo_type type : halves) EXPECT_EQ(exchange(type, desc), HALO_SUCCESS) << halo_last_error();
}

// A run of an exchange by a function may name another operation.
TEST_F(MisusedTypes, HalvesAreNotCombinedByRuns) {
    halo_field_desc of = HALO_FIELD_DESC_INIT;
    of.type = HALO_FLOAT16;
    ASSERT_EQ(field(of), HALO_SUCCESS) << halo_last_error();
    ASSERT_EQ(halo_field_allocate(made, -1), HALO_SUCCESS) << halo_last_error();
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = HALO_KIND_REVERSE, desc.op = HALO_USER;
    desc.combine = [](void *, void *, const void *, int64_t, halo_type, int64_t) { return HALO_SUCCESS; };
    halo_exchange *over = nullptr;
    ASSERT_EQ(halo_exchange_create(&made, 1, &desc, &over), HALO_SUCCESS) << halo_last_error();
    halo_run run = HALO_RUN_INIT;
    run.op = HALO_SUM;
    refused(halo_exchange_start(over, &run, HALO_STREAM_NONE), { "field f", "values of float16 can only be moved" });
    EXPECT_EQ(halo_exchange_start(over, nullptr, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_exchange_finish(over, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_exchange_destroy(&over), HALO_SUCCESS);
    EXPECT_EQ(halo_field_destroy(&made), HALO_SUCCESS);
}

TEST_F(MisusedTypes, HalvesAreNotReduced) {
    uint16_t half = 0;
    halo_reduction *reduction = nullptr;
    for (const halo_op op : { HALO_SUM, HALO_MIN, HALO_MAX, HALO_LOR, HALO_BAND }) {
        refused(halo_context_allreduce(context, &half, &half, 1, HALO_FLOAT16, op), { "allreduce", "values of float16 can only be moved" });
        refused(halo_reduction_create(context, 1, HALO_BFLOAT16, op, &reduction), { "reduction", "values of bfloat16 can only be moved" });
        EXPECT_EQ(reduction, nullptr);
    }
}

TEST_F(MisusedTypes, BytesHaveNoValue) {
    char byte = 0;
    refused(halo_context_allreduce(context, &byte, &byte, 1, HALO_BYTES, HALO_SUM), { "allreduce", "values of bytes" });
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.type = HALO_BYTES, desc.element_bytes = 3, desc.sparse = 1;
    refused(field(desc), { "field f", "HALO_BYTES" });
}

TEST_F(MisusedTypes, BitsAreOfIntegers) {
    double value = 0;
    refused(halo_context_allreduce(context, &value, &value, 1, HALO_FLOAT32, HALO_BAND), { "allreduce", "float32", "operation 9" });
}

TEST_F(MisusedTypes, VectorsHaveASign) {
    for (const halo_type type : { HALO_UINT8, HALO_UINT16, HALO_UINT32, HALO_UINT64 }) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.type = type, desc.vector = 1;
        refused(field(desc), { "field f", "numbers with a sign", "uint" });
        desc.vector = 0;
        EXPECT_EQ(field(desc), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(halo_field_destroy(&made), HALO_SUCCESS);
    }
}

TEST_F(MisusedTypes, FillsAreValues) {
    struct Case {
        halo_type type;
        double least, most; // that it holds
    };
    const Case cases[] = { { HALO_INT8, -128, 127 },
                           { HALO_UINT8, 0, 255 },
                           { HALO_INT16, -32768, 32767 },
                           { HALO_UINT16, 0, 65535 },
                           { HALO_INT32, -0x1p31, 0x1p31 - 1 },
                           { HALO_UINT32, 0, 0x1p32 - 1 },
                           { HALO_INT64, -0x1p63, 0x1.fffffffffffffp62 },
                           { HALO_UINT64, 0, 0x1.fffffffffffffp63 } };
    for (const Case &one : cases) {
        for (const double fill : { one.least, one.most, 0.5, -0.5 }) {
            EXPECT_EQ(sparse(one.type, fill), HALO_SUCCESS) << fill << " " << halo_last_error();
            EXPECT_EQ(halo_field_destroy(&made), HALO_SUCCESS);
        }
        const double behind = one.most < 0x1p50 ? one.most + 1 : 0x1p64;
        const double before = one.least > -0x1p50 ? one.least - 1 : -0x1p64;
        for (const double fill : { behind, before, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN() })
            refused(sparse(one.type, fill), { "field f: fill", "is no value of", "int" });
    }
    for (const halo_type type : halves)
        for (const double fill : { 1e300, std::numeric_limits<double>::quiet_NaN() }) {
            EXPECT_EQ(sparse(type, fill), HALO_SUCCESS) << halo_last_error();
            EXPECT_EQ(halo_field_destroy(&made), HALO_SUCCESS);
        }
}

} // namespace
