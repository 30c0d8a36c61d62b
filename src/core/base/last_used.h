// SPDX-License-Identifier: BSD-3-Clause
// What is made once, and kept for whoever asks for the like again. What somebody uses stays; of the rest the last few, and as many more as are small.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace halo {

// bytes_of(const T &) tells what one takes.
template <class Key, class T>
class LastUsed {
public:
    struct Kept {
        size_t always; // so many
        size_t bytes;  // more than that only while all of them take no more,
        size_t most;   // and so many at most: all are looked at
    };
    explicit LastUsed(const Kept &kept) : kept_(kept) {}

    // That for a key; make() if there is none.
    template <class Make>
    std::shared_ptr<T> get(const Key &key, Make &&make) {
        auto known = std::ranges::find(entries_, key, &Entry::key);
        if (known == entries_.end()) {
            std::shared_ptr<T> made = make();
            drop_unused();
            known = entries_.insert(entries_.end(), { key, std::move(made) });
        }
        std::rotate(entries_.begin(), known, known + 1);
        return entries_.front().value;
    }

private:
    struct Entry {
        Key key;
        std::shared_ptr<T> value;
    };
    static bool is_unused(const Entry &entry) { return entry.value.use_count() == 1; }

    // Those that have not been asked for longest.
    void drop_unused() {
        size_t n = 0, bytes = 0;
        for (const Entry &entry : entries_)
            if (is_unused(entry)) ++n, bytes += bytes_of(*entry.value);
        for (; n >= kept_.always && (bytes > kept_.bytes || n >= kept_.most); --n) {
            const auto last = std::find_if(entries_.rbegin(), entries_.rend(), is_unused).base() - 1;
            bytes -= bytes_of(*last->value);
            entries_.erase(last);
        }
    }

    Kept kept_;
    std::vector<Entry> entries_; // the last used first
};

} // namespace halo
