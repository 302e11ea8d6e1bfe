// SPDX-License-Identifier: Apache-2.0
//
// Temporary files that exist now. A program that ends at once, in a signal handler, removes them first.

#ifndef CHOSTSYSTEM_TEMPORARIES_H
#define CHOSTSYSTEM_TEMPORARIES_H

// Adds a file that is about to be made. Does not return once chostsystem_remove_temporaries was called.
//   path     stays valid until chostsystem_drop_temporary; absolute if the process may change its directory
//   returns  its place in the table, or -1 if the table is full; then only the caller removes the file
int chostsystem_add_temporary(const char *path);

// Takes a file out of the table.
//   place    what chostsystem_add_temporary returned
//   returns  1 if the path may be freed; 0 if the process is ending and may still read it
int chostsystem_drop_temporary(int place);

// Removes all files in the table. From now on no further one is made: the process is about to end.
//   safety   async-signal-safe
void chostsystem_remove_temporaries(void);

#endif
