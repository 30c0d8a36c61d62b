// SPDX-License-Identifier: BSD-3-Clause
#include "device_contest.h"

#include <stdexcept>

namespace bench {

namespace {

template <class T>
std::unique_ptr<DeviceMemory> sent(const DeviceModule &module, const std::vector<T> &values, halo_stream stream) {
    auto memory = std::make_unique<DeviceMemory>(module, values.size() * sizeof(T));
    memory->upload(values.data(), stream);
    return memory;
}

} // namespace

const char *name_of(DeviceTask task) { return task == DeviceTask::pack ? "pack" : task == DeviceTask::unpack ? "unpack" : "direct"; }

DeviceContest::DeviceContest(const DeviceModule &module, DeviceKernels *others, const DeviceCase &one)
    : module_(module),
      others_(others),
      stream_(others ? others->stream() : nullptr),
      case_(one),
      storage_(module, one.begin.size() * sizeof(double)),
      message_(module, one.packed.size() * sizeof(double)) {
    for (const TaskRows &rows : one.rows) tables_.push_back(std::make_unique<DeviceTable>(module, rows.shapes, rows.rows, rows.indices));
    if (!others) return;
    lists_ = sent(module, one.lists, stream_);
    for (const DeviceTask task : device_tasks) loops_[static_cast<size_t>(task)] = sent(module, loops_of(task), stream_);
    if (one.shape) buffers_ = sent(module, one.buffers, stream_);
    std::vector<const void *> reached{ storage_.get(), message_.get(), lists_->get(), loops_[0]->get(), loops_[1]->get(), loops_[2]->get() };
    if (buffers_) reached.push_back(buffers_->get());
    has_hand_ = others->prepare(one.shape ? &*one.shape : nullptr, reached);
    const auto values = std::ssize(one.packed);
    constexpr int64_t values_of_a_group = 4096, most_groups = 64; // of a buffer
    groups_by_hand_ = static_cast<size_t>(std::clamp<int64_t>(values / one.n_buffers / values_of_a_group, 1, most_groups));
    const auto of_a_loop = static_cast<size_t>(values / std::ssize(one.loops)); // so many threads, one for each value
    groups_of_loops_ = std::max<size_t>(1, (of_a_loop + DeviceKernels::threads_of_loops - 1) / DeviceKernels::threads_of_loops);
}

std::vector<IndexLoop> DeviceContest::loops_of(DeviceTask task) const {
    const auto *const lists = static_cast<const int32_t *>(lists_->get());
    std::vector<IndexLoop> made;
    for (const BufferLoop &loop : case_.loops) {
        IndexLoop one{ storage_.data() + loop.source, storage_.data() + loop.target, lists + loop.source_list, lists + loop.target_list, loop.n };
        if (task == DeviceTask::pack) one.to = message_.data() + loop.message, one.to_list = nullptr;
        if (task == DeviceTask::unpack) one.from = message_.data() + loop.message, one.from_list = nullptr;
        made.push_back(one);
    }
    return made;
}

void DeviceContest::one_by_one(DeviceTask task) {
    if (!has_hand_) return table(task).run_row_by_row(bases_, stream_);
    const auto *const buffers = static_cast<const GhostBuffer *>(buffers_->get());
    for (size_t i = 0; i < case_.buffers.size(); ++i) others_->run(task, buffers + i, 1, groups_by_hand_, storage_.data(), message_.data());
}

void DeviceContest::loops(DeviceTask task) {
    others_->run_loops(task, static_cast<const IndexLoop *>(loops_[static_cast<size_t>(task)]->get()), case_.loops.size(), groups_of_loops_);
}

void DeviceContest::by_hand(DeviceTask task) {
    others_->run(task, static_cast<const GhostBuffer *>(buffers_->get()), case_.buffers.size(), groups_by_hand_, storage_.data(), message_.data());
}

double DeviceContest::turn(void (DeviceContest::*contender)(DeviceTask), DeviceTask task, int repetitions, bool last) {
    if (last) reset(task);
    const double seconds = median_until_done(module_, stream_, repetitions, [&] { (this->*contender)(task); });
    if (last) verify(task);
    return seconds;
}

double DeviceContest::together(DeviceGraph *graph, int repetitions, bool last) {
    const std::vector<halo_copy_range> ranges{ table(DeviceTask::pack).range(bases_), table(DeviceTask::direct).range(bases_) };
    if (last) reset(DeviceTask::direct);
    int not_replayed = 0;
    const double seconds = median_until_done(module_, stream_, repetitions, [&] {
        if (graph) {
            if (graph->run(ranges, stream_) != HALO_STEPS_REPLAYED && ++not_replayed > 3)
                throw std::runtime_error("launches that come again are not replayed");
        } else {
            for (const halo_copy_range &range : ranges) module_.check(module_.ops().ranges_run(module_.get(), &range, 1, stream_));
        }
    });
    if (last) verify(DeviceTask::pack), verify(DeviceTask::direct);
    return seconds;
}

void DeviceContest::reset(DeviceTask task) {
    storage_.upload(case_.begin.data(), stream_);
    const std::vector<double> nothing(case_.packed.size(), -1);
    message_.upload(task == DeviceTask::unpack ? case_.packed.data() : nothing.data(), stream_);
}

void DeviceContest::verify(DeviceTask task) {
    const std::vector<double> &wanted = task == DeviceTask::pack ? case_.packed : case_.end;
    std::vector<double> found(wanted.size());
    (task == DeviceTask::pack ? message_ : storage_).download(found.data(), stream_);
    if (found != wanted) throw std::runtime_error(case_.text + ", " + name_of(task) + ": a contender has written other values");
}

} // namespace bench
