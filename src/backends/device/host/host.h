// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo_plugin.h"

// The host device: memory of the process, work done by the calling thread (and threads of OpenMP where built and set) before a call returns.
extern "C" const halo_device_plugin halo_device_host;
