// SPDX-License-Identifier: BSD-3-Clause
#include "device_case.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

#include "text.h"

namespace bench {

namespace {

Offset offset_of(int32_t number) { return { number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1 }; }

// What the loops move, one value after the other, as a host would: the oracle of all contenders.
void gather(DeviceCase &one) {
    one.end = one.begin;
    for (const BufferLoop &loop : one.loops)
        for (int64_t i = 0; i < loop.n; ++i) {
            const auto at = static_cast<size_t>(i);
            double &value = one.packed[static_cast<size_t>(loop.message + i)];
            value = one.begin[static_cast<size_t>(loop.source + one.lists[loop.source_list + at])];
            one.end[static_cast<size_t>(loop.target + one.lists[loop.target_list + at])] = value;
        }
}

// Where a side of a task lies: strides along y, z and components, in bytes.
void set_strides(int64_t *bytes, int64_t x, int64_t y, int64_t z) {
    constexpr int64_t value = sizeof(double);
    bytes[0] = x * value, bytes[1] = x * y * value, bytes[2] = x * y * z * value;
}

// ---------------------------------------------------------------- blocks

TaskRows rows_of_blocks(const DeviceCase &one, DeviceTask task) {
    const int64_t row = one.shape->block + 2 * one.shape->ghost;
    TaskRows made;
    made.shapes.resize(27);
    for (const GhostBuffer &buffer : one.buffers) {
        halo_copy_shape &shape = made.shapes[static_cast<size_t>(buffer.offset)];
        shape.n_pieces = 1, shape.element_bytes = sizeof(double);
        shape.run[0] = static_cast<uint32_t>(buffer.extent[0]);
        shape.n[0] = static_cast<uint32_t>(buffer.extent[1]);
        shape.n[1] = static_cast<uint32_t>(buffer.extent[2]);
        shape.n[2] = static_cast<uint32_t>(one.shape->components);
        shape.dst_step = shape.src_step[0] = sizeof(double);
        const auto set = [&](int64_t *bytes, bool message) {
            if (message)
                set_strides(bytes, buffer.extent[0], buffer.extent[1], buffer.extent[2]);
            else
                set_strides(bytes, row, row, row);
        };
        const bool to_message = task == DeviceTask::pack, from_message = task == DeviceTask::unpack;
        set(shape.dst_stride, to_message);
        set(shape.src_stride[0], from_message);
        halo_copy_row moved{};
        moved.shape = static_cast<uint32_t>(buffer.offset);
        moved.dst_base = to_message ? 1 : 0, moved.src_base[0] = from_message ? 1 : 0;
        moved.dst_offset = (to_message ? buffer.message : buffer.target) * 8;
        moved.src_offset[0] = (from_message ? buffer.message : buffer.source) * 8;
        made.rows.push_back(moved);
    }
    made.shapes[13] = made.shapes[0]; // a block and itself: no row has it
    return made;
}

// The cells of a box, counted from its first one.
size_t add_list(std::vector<int32_t> &lists, const int32_t *extent, int64_t row) {
    const size_t begin = lists.size();
    for (int64_t z = 0; z < extent[2]; ++z)
        for (int64_t y = 0; y < extent[1]; ++y)
            for (int64_t x = 0; x < extent[0]; ++x) lists.push_back(static_cast<int32_t>((z * row + y) * row + x));
    return begin;
}

// ---------------------------------------------------------------- points

// A cube's points with their ghosts behind them, and where each of them has been put.
class PointCube {
public:
    PointCube(int64_t n_points, bool shuffled) : side_(std::max<int64_t>(2, std::llround(std::cbrt(static_cast<double>(n_points))))) {
        const int64_t around = side_ + 2;
        place_.resize(static_cast<size_t>(around * around * around));
        std::iota(place_.begin(), place_.end(), 0); // own points first, in order
        if (shuffled) std::shuffle(place_.begin(), place_.end(), std::mt19937_64(1));
    }
    int64_t side() const { return side_; }
    int64_t n() const { return static_cast<int64_t>(place_.size()); }
    int64_t n_own() const { return side_ * side_ * side_; }
    int32_t own(int64_t x, int64_t y, int64_t z) const { return place_[static_cast<size_t>((z * side_ + y) * side_ + x)]; }
    int32_t ghost(int64_t number) const { return place_[static_cast<size_t>(n_own() + number)]; }

private:
    int64_t side_;
    std::vector<int32_t> place_;
};

TaskRows rows_of_points(const DeviceCase &one, int64_t n_points, int64_t n_values, DeviceTask task) {
    TaskRows made;
    made.indices.assign(one.lists.begin(), one.lists.end());
    for (size_t i = 0; i < one.loops.size(); i += static_cast<size_t>(n_values)) { // all variables of a buffer
        const BufferLoop &loop = one.loops[i];
        const bool to_message = task == DeviceTask::pack, from_message = task == DeviceTask::unpack;
        halo_copy_shape shape{};
        shape.n_pieces = 1, shape.element_bytes = sizeof(double);
        shape.run[0] = static_cast<uint32_t>(loop.n);
        shape.n[0] = shape.n[1] = 1, shape.n[2] = static_cast<uint32_t>(n_values);
        shape.dst_step = shape.src_step[0] = sizeof(double);
        set_strides(shape.dst_stride, to_message ? loop.n : n_points, 1, 1);
        set_strides(shape.src_stride[0], from_message ? loop.n : n_points, 1, 1);
        shape.lists = (to_message ? 0 : HALO_LIST_DESTINATION) | (from_message ? 0 : HALO_LIST_SOURCE);
        halo_copy_row row{};
        row.shape = static_cast<uint32_t>(made.shapes.size());
        row.dst_base = to_message ? 1 : 0, row.src_base[0] = from_message ? 1 : 0;
        row.dst_offset = to_message ? loop.message * 8 : 0;
        row.src_offset[0] = from_message ? loop.message * 8 : 0;
        row.src_offset[1] = static_cast<int64_t>(loop.source_list), row.src_offset[2] = static_cast<int64_t>(loop.target_list);
        made.shapes.push_back(shape);
        made.rows.push_back(row);
    }
    return made;
}

} // namespace

DeviceCase device_case_of(const WorkSize &size) {
    Work work(size, 0, 1);
    work.fill();
    DeviceCase one;
    one.text = format("W%s", size.text().c_str());
    one.shape = BlockShape{ static_cast<int>(size.block), size.ghost, size.components };
    one.begin.assign(work.data(), work.data() + work.elements());
    const int64_t row = work.row(), ghost = size.ghost, block = size.block, component = row * row * row;
    const auto element = [&](int64_t gid, const Offset &cell) {
        return gid * work.block_elements() + ((cell[2] + ghost) * row + cell[1] + ghost) * row + cell[0] + ghost;
    };
    std::vector<size_t> lists(27); // of each offset; the same on both sides
    int64_t end = 0;
    for (int64_t gid = 0; gid < work.n_blocks(); ++gid)
        for (int32_t number = 0; number < 27; ++number) {
            const Offset offset = offset_of(number);
            if (offset == Offset{}) continue;
            GhostBuffer buffer{};
            Offset from{}, to{};
            int64_t cells = 1;
            for (size_t d = 0; d < 3; ++d) {
                buffer.extent[d] = static_cast<int32_t>(offset[d] == 0 ? block : ghost);
                from[d] = offset[d] < 0 ? block - ghost : 0;
                to[d] = offset[d] < 0 ? -ghost : offset[d] > 0 ? block : 0;
                cells *= buffer.extent[d];
            }
            buffer.source = element(work.neighbour(gid, offset), from);
            buffer.target = element(gid, to);
            buffer.message = end;
            buffer.offset = number;
            one.buffers.push_back(buffer);
            size_t &list = lists[static_cast<size_t>(number)];
            if (gid == 0) list = add_list(one.lists, buffer.extent, row);
            for (int64_t c = 0; c < size.components; ++c, end += cells)
                one.loops.push_back({ buffer.source + c * component, buffer.target + c * component, end, list, list, cells });
        }
    one.n_buffers = std::ssize(one.buffers);
    one.packed.resize(static_cast<size_t>(end));
    for (const DeviceTask task : device_tasks) one.rows[static_cast<size_t>(task)] = rows_of_blocks(one, task);
    gather(one);
    std::copy(one.end.begin(), one.end.end(), work.data());
    if (work.wrong_values(Part::all) != 0) throw std::runtime_error(one.text + ": the loops of the benchmark move other values");
    return one;
}

DeviceCase device_case_of_points(int64_t n_points, int64_t n_values, bool shuffled) {
    const PointCube cube(n_points, shuffled);
    const int64_t n = cube.n(), side = cube.side();
    DeviceCase one;
    one.text = format("%lld points %s", static_cast<long long>(cube.n_own()), shuffled ? "shuffled" : "in order");
    one.needs_lists = true;
    one.begin.assign(static_cast<size_t>(n * n_values), -1);
    for (int64_t c = 0; c < n_values; ++c)
        for (int64_t i = 0; i < cube.n_own(); ++i)
            one.begin[static_cast<size_t>(c * n + cube.own(i % side, i / side % side, i / (side * side)))] = static_cast<double>(c * n + i);
    int64_t end = 0, ghosts = 0;
    for (int32_t number = 0; number < 27; ++number) {
        const Offset offset = offset_of(number);
        if (offset == Offset{}) continue;
        Offset low{}, high{};
        for (size_t d = 0; d < 3; ++d) low[d] = offset[d] < 0 ? side - 1 : 0, high[d] = offset[d] > 0 ? 1 : side;
        const size_t sources = one.lists.size();
        for (int64_t z = low[2]; z < high[2]; ++z)
            for (int64_t y = low[1]; y < high[1]; ++y)
                for (int64_t x = low[0]; x < high[0]; ++x) one.lists.push_back(cube.own(x, y, z));
        const size_t targets = one.lists.size();
        for (size_t i = sources; i < targets; ++i) one.lists.push_back(cube.ghost(ghosts++));
        const auto in_buffer = static_cast<int64_t>(targets - sources);
        for (int64_t c = 0; c < n_values; ++c, end += in_buffer) one.loops.push_back({ c * n, c * n, end, sources, targets, in_buffer });
        ++one.n_buffers;
    }
    one.packed.resize(static_cast<size_t>(end));
    for (const DeviceTask task : device_tasks) one.rows[static_cast<size_t>(task)] = rows_of_points(one, n, n_values, task);
    gather(one);
    return one;
}

int64_t DeviceCase::line_bytes(DeviceTask task, int64_t bytes_of_a_line) const {
    const int64_t values_of_a_line = bytes_of_a_line / static_cast<int64_t>(sizeof(double));
    const auto lines = [&](size_t values) { return (static_cast<int64_t>(values) + values_of_a_line - 1) / values_of_a_line; };
    const auto touched = [&](int64_t BufferLoop::*first, size_t BufferLoop::*list) {
        std::vector<bool> is_touched(static_cast<size_t>(lines(begin.size())));
        for (const BufferLoop &loop : loops)
            for (int64_t i = 0; i < loop.n; ++i)
                is_touched[static_cast<size_t>((loop.*first + lists[loop.*list + static_cast<size_t>(i)]) / values_of_a_line)] = true;
        return std::count(is_touched.begin(), is_touched.end(), true);
    };
    int64_t n = task == DeviceTask::direct ? 0 : lines(packed.size());
    if (task != DeviceTask::unpack) n += touched(&BufferLoop::source, &BufferLoop::source_list);
    if (task != DeviceTask::pack) n += touched(&BufferLoop::target, &BufferLoop::target_list);
    const size_t read = !needs_lists ? 0 : task == DeviceTask::direct ? lists.size() : lists.size() / 2;
    return n * bytes_of_a_line + static_cast<int64_t>(read * sizeof(int32_t));
}

int64_t host_bytes_of(const WorkSize &size) {
    const auto cube = [](int64_t side) { return side * side * side; };
    const int64_t blocks = cube(size.cells / size.block) * size.components * static_cast<int64_t>(sizeof(double));
    const int64_t storage = blocks * cube(size.block + int64_t{ 2 } * size.ghost), payload = storage - blocks * cube(size.block);
    return 5 * storage + 4 * payload; // before, after, of the work, as read back, on the device
}

int64_t host_bytes_there() {
    std::ifstream file("/proc/meminfo");
    for (std::string name, unit; file >> name;) {
        int64_t kilobytes = 0;
        if (name == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
        std::getline(file, unit);
    }
    return std::numeric_limits<int64_t>::max(); // nobody tells
}

} // namespace bench
