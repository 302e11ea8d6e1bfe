// SPDX-License-Identifier: Apache-2.0

#include "worker.h"

session the_session;
