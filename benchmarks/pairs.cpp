// SPDX-License-Identifier: BSD-3-Clause
#include "pairs.h"

#include "timed.h"

namespace bench {

namespace {

template <class Combine>
Estimate combined(const Pairs &pairs, Combine &&combine) {
    std::vector<double> values;
    for (size_t i = 0; i < pairs.first.size(); ++i) values.push_back(combine(pairs.first[i], pairs.second[i]));
    return estimate(std::move(values));
}

} // namespace

Estimate Pairs::ratio() const {
    return combined(*this, [](double a, double b) { return a / b; });
}

Estimate Pairs::difference() const {
    return combined(*this, [](double a, double b) { return a - b; });
}

Pairs alternate(int n_pairs, const Turn &first, const Turn &second) {
    Pairs pairs;
    for (int i = 0; i < n_pairs; ++i) {
        const bool last = i + 1 == n_pairs;
        if (i % 2 == 0) pairs.first.push_back(first(last));
        pairs.second.push_back(second(last));
        if (i % 2 != 0) pairs.first.push_back(first(last));
    }
    return pairs;
}

double timed_turn(const Session &session, int repetitions, const std::function<void()> &prepare, const std::function<void()> &action) {
    std::vector<double> seconds(static_cast<size_t>(repetitions) + 1);
    for (double &time : seconds) {
        prepare();
        session.barrier();
        time = seconds_of(action);
        session.barrier();
    }
    seconds.erase(seconds.begin());
    session.max(seconds);
    return median_of(std::move(seconds));
}

} // namespace bench
