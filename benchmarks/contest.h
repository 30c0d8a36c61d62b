// SPDX-License-Identifier: BSD-3-Clause
// One work with all who do it, on the same storage: the values of each are verified, and each is timed in its turn.
#pragma once

#include <functional>
#include <stdexcept>

#include "contenders.h"
#include "pairs.h"
#include "report.h"
#include "timed.h"

namespace bench {

// Time, spread, rate (of all ranks' payload) and how libhalo compares.
void add_times(Row &row, int64_t payload_bytes, const Estimate &ratio, const std::vector<double> &seconds);

// "W(64,16,1,2) remote part"
std::string name_of(const WorkSize &size, Part part);
// Exchanges per turn, by the work's size where the options do not say.
int repetitions_of(int wanted, const WorkSize &size);

template <class AnyWork>
class Contest {
public:
    // `wrong_values` counts those of this rank.
    Contest(const Session &session, AnyWork &work, int repetitions, std::function<int64_t()> wrong_values)
        : session_(session),
          work_(work),
          repetitions_(repetitions),
          wrong_values_(std::move(wrong_values)) {}

    int repetitions() const { return repetitions_; }
    // Over all ranks.
    int64_t total(int64_t value) const {
        session_.sum({ &value, 1 });
        return value;
    }
    void verify(Contender &contender) const {
        for (int i = 0; i < 3; ++i) {
            work_.poison_ghosts();
            work_.change();
            contender.exchange();
            session_.barrier();
            check_values(contender);
        }
    }
    double turn(Contender &contender, bool last) const {
        const double seconds = timed_turn(
            session_, repetitions_, [this] { work_.change(); }, [&] { contender.exchange(); });
        if (last) check_values(contender);
        return seconds;
    }
    Pairs pairs(int n_pairs, Contender &first, Contender &second) const {
        return alternate(
            n_pairs, [&](bool last) { return turn(first, last); }, [&](bool last) { return turn(second, last); });
    }

private:
    void check_values(const Contender &contender) const {
        if (const int64_t wrong = total(wrong_values_()))
            throw std::runtime_error(contender.name() + " on " + work_.size().text() + ": " + std::to_string(wrong) + " wrong values");
    }

    const Session &session_;
    AnyWork &work_;
    int repetitions_;
    std::function<int64_t()> wrong_values_;
};

} // namespace bench
