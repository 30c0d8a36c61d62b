// SPDX-License-Identifier: BSD-3-Clause
// The clock that ways through an exchange are measured and waited by. Tests have their own.
#pragma once

namespace halo {

using Clock = double (*)(); // seconds since some moment, never fewer

double steady_seconds();

} // namespace halo
