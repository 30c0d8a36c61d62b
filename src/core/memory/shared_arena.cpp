// SPDX-License-Identifier: BSD-3-Clause
#include "memory/shared_arena.h"

#include <algorithm>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace halo {

namespace {

constexpr size_t file_bytes = size_t{ 256 } << 20; // address space; memory is taken page by page when it is written

size_t rounded(size_t bytes, size_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

int32_t own_process() {
#if defined(__linux__)
    return getpid();
#else
    return 0;
#endif
}

} // namespace

void SharedArena::note(std::string trouble, bool &told) {
    trouble_ = std::move(trouble);
    if (tell_ && !std::exchange(told, true)) tell_();
}

bool SharedArena::add_file(size_t bytes) {
    if (files_.capacity() == files_.size()) files_.reserve(2 * files_.size() + 1);
    std::string trouble;
    const SharedFile made = make_shared_file(bytes + shared_file_front, file_bytes, trouble);
    if (made.data)
        files_.push_back({ made, shared_file_front });
    else
        note(std::move(trouble), told_of_own_);
    return made.data != nullptr;
}

// What a peer offers is checked before it is used: nothing outside a file that it has made for this is ever reached.
std::byte *SharedArena::reach(const SharedOffer &offer) {
    if (offer.nonce == 0 || offer.host != host_number() || offer.offset < shared_file_front) return nullptr;
    if (offer.offset >= offer.file_bytes || offer.bytes > offer.file_bytes - offer.offset) return nullptr;
    auto known = mapped_.find(offer.nonce);
    if (known == mapped_.end()) {
        std::string trouble;
        Mapped made{ { offer.nonce, { nullptr, offer.file_bytes } } };
        std::byte *const data = map_shared_file(offer.process, offer.file, offer.file_bytes, offer.nonce, trouble);
        if (!data) {
            note(std::move(trouble), told_of_peers_);
            return nullptr;
        }
        made.begin()->second.first = data;
        known = mapped_.insert(made.extract(made.begin())).position;
    }
    const auto &[data, bytes] = known->second;
    return offer.file_bytes == bytes ? data + offer.offset : nullptr;
}

// What is not used any more costs address space, but no memory.
void SharedArena::release_plain(std::byte *data, size_t bytes) noexcept {
#if defined(__linux__)
    const auto address = reinterpret_cast<uintptr_t>(data);
    const uintptr_t first = rounded(address, page_bytes), end = (address + bytes) / page_bytes * page_bytes;
    if (first < end) madvise(data + (first - address), end - first, MADV_REMOVE);
#endif
    FreePlain::node_type node = std::move(nodes_in_use_.back());
    nodes_in_use_.pop_back();
    node.key() = bytes;
    node.mapped() = data;
    free_plain_.insert(std::move(node));
}

SharedArena::~SharedArena() {
    for (const File &file : files_) close_shared_file(file.file);
    for (const auto &[nonce, mapping] : mapped_) unmap_shared_file(mapping.first, mapping.second);
}

SharedBlock SharedArena::reused(size_t bytes) {
    for (auto released = released_.begin(); released != released_.end(); ++released) {
        const SharedOffer &offer = released->block.offer();
        const bool fits = offer.bytes >= bytes && offer.bytes <= 2 * bytes;
        if (!fits || static_cast<int32_t>(released->block.read_epoch() - released->epoch) < 0) continue;
        const SharedBlock block = fresh(released->block.front_data(), offer);
        released_.erase(released);
        return block;
    }
    return {};
}

// Offers of what the block was before are void.
SharedBlock SharedArena::fresh(std::byte *data, SharedOffer offer) {
    offer.word = random_word();
    const SharedBlock block(data, offer);
    block.begin();
    return block;
}

SharedBlock SharedArena::map(const SharedOffer &offer) {
    if (offer.word == 0 || offer.bytes < SharedBlock::front || offer.offset % SharedBlock::front != 0) return {};
    std::byte *data = reach(offer);
    if (!data) return {};
    const SharedBlock block(data, offer);
    return block.is_same() ? block : SharedBlock();
}

std::byte *SharedArena::take(size_t bytes, size_t alignment) {
    if ((files_.empty() || files_.back().file.bytes - rounded(files_.back().used, alignment) < bytes) && !add_file(bytes)) return nullptr;
    File &file = files_.back();
    file.used = rounded(file.used, alignment) + bytes;
    return file.file.data + file.used - bytes;
}

SharedBlock SharedArena::allocate(size_t bytes) {
    bytes = rounded(bytes + SharedBlock::front, page_bytes);
    if (SharedBlock block = reused(bytes)) return block;
    if (released_.capacity() <= n_blocks_) released_.reserve(2 * n_blocks_ + 1);
    std::byte *data = take(bytes, page_bytes);
    if (!data) return {};
    ++n_blocks_;
    SharedOffer offer = locate(data);
    offer.bytes = bytes;
    return fresh(data, offer);
}

std::byte *SharedArena::allocate_plain(size_t bytes) {
    if (nodes_in_use_.capacity() == nodes_in_use_.size()) nodes_in_use_.reserve(2 * nodes_in_use_.size() + 1);
    if (const auto same_size = free_plain_.find(bytes); same_size != free_plain_.end()) {
        std::byte *data = same_size->second;
        nodes_in_use_.push_back(free_plain_.extract(same_size));
        return data;
    }
    FreePlain made{ { bytes, nullptr } };
    std::byte *data = take(bytes, 64);
    if (data) nodes_in_use_.push_back(made.extract(made.begin()));
    return data;
}

SharedOffer SharedArena::locate(const void *address) const {
    const auto *at = static_cast<const std::byte *>(address);
    for (const auto &[file, used] : files_)
        if (at >= file.data && at < file.data + file.bytes)
            return { file.nonce,
                     host_number(),
                     own_process(),
                     file.descriptor,
                     file.bytes,
                     static_cast<uint64_t>(at - file.data),
                     static_cast<uint64_t>(file.data + file.bytes - at),
                     0 };
    return {};
}

void SharedArena::release(const SharedBlock &block, uint32_t epoch) noexcept { released_.push_back({ block, epoch }); }

} // namespace halo
