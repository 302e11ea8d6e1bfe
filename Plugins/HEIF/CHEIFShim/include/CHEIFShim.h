// SPDX-License-Identifier: Apache-2.0

#ifndef CHEIFSHIM_H
#define CHEIFSHIM_H

#include "decode.h"
#include "planes.h"

#endif
