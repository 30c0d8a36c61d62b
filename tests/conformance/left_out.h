// SPDX-License-Identifier: BSD-3-Clause
// Tests of a program that are left out where storage is on a device, said beside them.
#pragma once

namespace conformance {

class LeftOutOnDevices {
public:
    // `pattern` of GoogleTest's full names, with * for anything.
    LeftOutOnDevices(const char *pattern, const char *why) noexcept;

private:
    friend bool leave_out_on_devices();
    const char *pattern_;
    const char *why_;
    LeftOutOnDevices *next_ = nullptr;
};

// Prints each with its reason. Nothing where the command line chooses tests. False: there are no such tests.
bool leave_out_on_devices();
// Those that have skipped themselves, with what they said.
void print_skipped();

} // namespace conformance
