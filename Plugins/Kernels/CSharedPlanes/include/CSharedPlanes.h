// SPDX-License-Identifier: Apache-2.0

#ifndef CSHAREDPLANES_H
#define CSHAREDPLANES_H

#include "lab.h"
#include "planes.h"

#endif
