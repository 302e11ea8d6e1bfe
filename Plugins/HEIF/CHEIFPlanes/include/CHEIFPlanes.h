// SPDX-License-Identifier: Apache-2.0

#ifndef CHEIFPLANES_H
#define CHEIFPLANES_H

#include "decode.h"
#include "planes.h"

#endif
