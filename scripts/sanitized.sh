#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run a command with the sanitizers' options: any finding fails. Address randomisation is off where that is allowed: the thread sanitizer
# does not know the layouts of newer kernels. UCX's hooks in memory calls are off: they run in threads that the thread sanitizer has already taken down.
export ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1:detect_leaks=1:allocator_may_return_null=1"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1"
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:allocator_may_return_null=1"
export UCX_MEM_EVENTS=no
fixed=()
if setarch -R true 2>/dev/null; then fixed=(setarch -R); fi
exec "${fixed[@]}" "$@"
