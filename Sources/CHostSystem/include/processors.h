// SPDX-License-Identifier: Apache-2.0
//
// How many processors this process may use.

#ifndef CHOSTSYSTEM_PROCESSORS_H
#define CHOSTSYSTEM_PROCESSORS_H

// Those of its affinity, and no more than the control groups that it is in give it time for, rounded up. At least 1.
int chostsystem_processors(void);

#endif
