/* SPDX-License-Identifier: BSD-3-Clause */
/* The earth of D. Williamson et al., "A Standard Test Set for Numerical Approximations to the Shallow Water Equations in Spherical Geometry", 1992.
 */
#ifndef SHALLOW_PLANET_H
#define SHALLOW_PLANET_H

#include "language.h"

#ifdef __cplusplus
namespace shallow {
#endif

CONSTANT double radius = 6.37122e6;  /* m */
CONSTANT double gravity = 9.80616;   /* m / s^2 */
CONSTANT double rotation = 7.292e-5; /* 1 / s */
CONSTANT double day = 86400;         /* s */

#ifdef __cplusplus
}
#endif

#endif
