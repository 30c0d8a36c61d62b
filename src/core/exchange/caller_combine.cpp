// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/caller_combine.h"

namespace halo {

namespace {

int64_t along_x(const uint32_t *list, int64_t stride, uint32_t i) { return (list ? list[i] : i) * stride; }

struct Combine {
    const RoundSpec &spec;
    halo_type type;
    const BoxCopy &box;
    std::byte *to;
    const std::byte *from;

    void some(std::byte *values, const std::byte *contributions, int64_t n) const {
        spec.combine(spec.combine_user, values, contributions, n, type, static_cast<int64_t>(box.element_bytes));
    }
    void line(std::byte *values, const std::byte *contributions) const {
        const auto element = static_cast<int64_t>(box.element_bytes);
        if (!box.src_list && !box.dst_list && box.src_stride[0] == element && box.dst_stride[0] == element)
            return some(values, contributions, box.n[0]);
        for (uint32_t i = 0; i < box.n[0]; ++i)
            some(values + along_x(box.dst_list, box.dst_stride[0], i), contributions + along_x(box.src_list, box.src_stride[0], i), 1);
    }
    void all() const {
        for (int64_t c = 0; c < box.n[3]; ++c)
            for (int64_t z = 0; z < box.n[2]; ++z)
                for (int64_t y = 0; y < box.n[1]; ++y)
                    line(to + c * box.dst_stride[3] + z * box.dst_stride[2] + y * box.dst_stride[1],
                         from + c * box.src_stride[3] + z * box.src_stride[2] + y * box.src_stride[1]);
    }
};

} // namespace

void combine_by_caller(const RoundSpec &spec, halo_type type, const Lowered &rows, const CombineStep &step, std::span<void *const> bases) {
    for (int64_t i = step.rows.first; i < step.rows.first + step.rows.n; ++i) {
        const BoxCopy &box = rows.caller_boxes[static_cast<size_t>(i)];
        Combine{ spec, type, box, static_cast<std::byte *>(bases[box.dst_base]) + box.dst_offset,
                 static_cast<const std::byte *>(bases[box.src_base]) + box.src_offset }
            .all();
    }
}

} // namespace halo
