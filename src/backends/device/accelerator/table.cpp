// SPDX-License-Identifier: BSD-3-Clause
#include "table.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "combining.h"

namespace halo::accelerator {

namespace {

// Arrays one after the other, each where any type may begin.
class Joined {
public:
    template <class T>
    size_t add(const std::vector<T> &values) {
        constexpr size_t boundary = 16;
        const size_t begin = (bytes_.size() + boundary - 1) / boundary * boundary;
        bytes_.resize(begin + values.size() * sizeof(T));
        if (!values.empty()) std::memcpy(bytes_.data() + begin, values.data(), values.size() * sizeof(T));
        return begin;
    }
    Block on_device(Runtime &runtime) const {
        Block block(runtime, HALO_MEMORY_DEVICE, std::max<size_t>(bytes_.size(), 1));
        if (!bytes_.empty()) runtime.upload(block.data(), bytes_.data(), bytes_.size());
        return block;
    }

private:
    std::vector<char> bytes_;
};

halo_u64 address(const char *pointer) { return reinterpret_cast<halo_u64>(pointer); }

} // namespace

Table::Table(Runtime &runtime, const halo_copy_program &program) : runtime_(runtime), lowering_(program), on_device_(upload(runtime, lowering_)) {}

Table::Uploaded Table::upload(Runtime &runtime, const Lowering &lowering) {
    Uploaded uploaded;
    Joined all;
    all.add(lowering.pieces());
    uploaded.segments = all.add(lowering.segments());
    uploaded.chunks = all.add(lowering.chunks());
    uploaded.indices = all.add(lowering.indices());
    uploaded.block = all.on_device(runtime);
    return uploaded;
}

// A patch that fails leaves the table as it was, if the device still works.
void Table::patch(int64_t first, int64_t n, const halo_copy_row *rows) {
    if (!lowering_.keeps_shapes(first, n, rows)) {
        Lowering other = lowering_.patched(first, n, rows);
        on_device_ = upload(runtime_, other);
        lowering_ = std::move(other);
    } else {
        lowering_.patch_segments(first, n, rows);
        const size_t begin = lowering_.first_segment(first), end = lowering_.first_segment(first + n);
        if (begin != end)
            runtime_.upload(on_device_.block.data() + on_device_.segments + begin * sizeof(halo_segment), lowering_.segments().data() + begin,
                            (end - begin) * sizeof(halo_segment));
    }
    combinations_.clear();
    bases_.clear();
}

const std::vector<uint32_t> &Table::bases_of(int64_t first, int64_t n, bool with_dst) const {
    const std::tuple key(first, n, with_dst);
    const auto found = bases_.find(key);
    return found != bases_.end() ? found->second : bases_.emplace(key, lowering_.bases_of(first, n, with_dst)).first->second;
}

void Table::set_range(halo_range &range, int64_t first, int64_t n) const {
    const char *const begin = on_device_.block.data();
    range.pieces = address(begin);
    range.segments = address(begin + on_device_.segments);
    range.chunks = address(begin + on_device_.chunks);
    range.indices = address(begin + on_device_.indices);
    range.first_chunk = lowering_.first_chunk(first);
    range.end = lowering_.first_chunk(first + n) - range.first_chunk;
    range.first_row = static_cast<uint32_t>(first);
}

const Table::Combination &Table::combination(int64_t first, int64_t n, int64_t n_moved, size_t value_bytes) {
    const std::tuple key(first, n, n_moved, value_bytes);
    if (const auto found = combinations_.find(key); found != combinations_.end()) return found->second;
    const Combining combining = combining_of(lowering_, first, n, n_moved, value_bytes);
    Joined all;
    all.add(combining.targets);
    const size_t contributions = all.add(combining.contributions);
    const auto n_targets = static_cast<uint32_t>(combining.targets.size() - 1);
    return combinations_.emplace(key, Combination{ all.on_device(runtime_), n_targets, contributions }).first->second;
}

} // namespace halo::accelerator
