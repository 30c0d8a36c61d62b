// SPDX-License-Identifier: BSD-3-Clause
#include "parameters.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

namespace euler {

namespace {

using Setters = std::map<std::string, std::function<void(std::istream &)>>;

template <class T>
auto into(T &value) {
    return [&value](std::istream &text) { text >> value; };
}

template <class T>
auto into(std::array<T, 3> &values) {
    return [&values](std::istream &text) { text >> values[0] >> values[1] >> values[2]; };
}

Setters setters(Parameters &p) {
    return { { "problem", into(p.problem) },
             { "cells", into(p.cells) },
             { "block", into(p.block) },
             { "boundary", into(p.boundary) },
             { "length", into(p.length) },
             { "gamma", into(p.gamma) },
             { "cfl", into(p.cfl) },
             { "end_time", into(p.end_time) },
             { "max_steps", into(p.max_steps) },
             { "direction", into(p.direction) },
             { "tracers", into(p.tracers) },
             { "send_threshold", into(p.send_threshold) },
             { "release_threshold", into(p.release_threshold) },
             { "release_every", into(p.release_every) },
             { "release_patience", into(p.release_patience) },
             { "progress", into(p.progress) } };
}

/// One line "key = value # remark"; empty lines are skipped.
void apply(const Setters &keys, std::string line, const std::string &where) {
    line.resize(std::min(line.size(), line.find('#')));
    const auto equals = line.find('=');
    std::istringstream left(line.substr(0, equals));
    std::string key, rest;
    if (!(left >> key)) return;
    if (equals == std::string::npos || left >> rest) throw std::runtime_error(where + ": expected 'key = value'");
    const auto setter = keys.find(key);
    if (setter == keys.end()) throw std::runtime_error(where + ": unknown key '" + key + "'");
    std::istringstream right(line.substr(equals + 1));
    setter->second(right);
    if (right.fail() || right >> rest) throw std::runtime_error(where + ": bad value of '" + key + "'");
}

void require(bool condition, const std::string &what) {
    if (!condition) throw std::runtime_error("parameters: " + what);
}

void validate(const Parameters &p) {
    require(p.problem == "sod" || p.problem == "blast", "problem is 'sod' or 'blast'");
    require(p.direction >= 0 && p.direction < 3, "direction is 0, 1 or 2");
    require(p.tracers >= 0 && p.tracers <= 4, "at most 4 tracers");
    require(p.release_threshold <= p.send_threshold, "release_threshold must not exceed send_threshold, else blocks flap");
    require(p.release_every > 0 && p.release_patience > 0, "release_every and release_patience must be positive");
    require(p.gamma > 1 && p.cfl > 0 && p.cfl <= 1 && p.length > 0, "gamma > 1, 0 < cfl <= 1 and length > 0 are needed");
    for (int d = 0; d < 3; ++d) {
        require(p.block[d] >= 2 && p.block[d] <= 64, "a block has 2 to 64 cells per direction");
        require(p.cells[d] > 0 && p.cells[d] % p.block[d] == 0, "cells must be a multiple of block in every direction");
        const auto &kind = p.boundary[d];
        require(kind == "periodic" || kind == "outflow" || kind == "reflect", "boundary is 'periodic', 'outflow' or 'reflect'");
    }
}

} // namespace

double Parameters::cell_size() const { return length / static_cast<double>(*std::max_element(cells.begin(), cells.end())); }

std::array<std::int64_t, 3> Parameters::blocks() const { return { cells[0] / block[0], cells[1] / block[1], cells[2] / block[2] }; }

std::int64_t Parameters::n_blocks() const {
    const auto n = blocks();
    return n[0] * n[1] * n[2];
}

Parameters read_parameters(const std::string &file, const std::vector<std::string> &overrides) {
    Parameters parameters;
    const auto keys = setters(parameters);
    std::ifstream in(file);
    if (!in) throw std::runtime_error(file + ": cannot be read");
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) apply(keys, line, file + ":" + std::to_string(number));
    for (const auto &text : overrides) apply(keys, text, "argument '" + text + "'");
    validate(parameters);
    return parameters;
}

} // namespace euler
