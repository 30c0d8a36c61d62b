// SPDX-License-Identifier: BSD-3-Clause
// All interleavings of two ranks. The ranks are fibers of one thread; at every point (an access to a word that both share, and what a script names)
// either may go on. Depth first; what has been seen is not followed again. An execution is repeated from its beginning for each branch, on a world
// of its own, with the real code.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace simulation {

constexpr int n_ranks = 2;

// What a state consists of, in bytes.
class Key {
public:
    void add(const void *data, size_t bytes) { text_.append(static_cast<const char *>(data), bytes); }
    template <class T>
    void add(const T &value) {
        static_assert(std::has_unique_object_representations_v<T>);
        add(&value, sizeof value);
    }
    const std::string &text() const { return text_; }

private:
    std::string text_;
};

// Two ranks and what they share. Scripts keep what they need between two points here, not in their own variables.
class World {
public:
    World() = default;
    World(const World &) = delete;
    World &operator=(const World &) = delete;
    virtual ~World() = default;
    virtual void run(int rank) = 0;
    virtual void add_state(Key &key) const = 0;
    // When both have ended.
    virtual void check_end() {}
};

struct Found {
    int64_t states = 0;
    int64_t executions = 0;
    std::string violation; // and how it came to it; empty: none
    // States from which a rank cannot end if the other one stops there for ever.
    int64_t stuck[n_ranks] = {};
};

Found explore(const std::function<std::unique_ptr<World>()> &make);

// In a script: the other rank may go on, or stop here for as long as it likes.
void point(int line = __builtin_LINE());
// Both are tried.
bool choose(int line = __builtin_LINE());
// False is a violation: the execution ends.
void require(bool holds, const char *what);

} // namespace simulation
