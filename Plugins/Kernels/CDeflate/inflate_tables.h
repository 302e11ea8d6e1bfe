// SPDX-License-Identifier: Apache-2.0

#ifndef CDEFLATE_INFLATE_TABLES_H
#define CDEFLATE_INFLATE_TABLES_H

#include "CDeflate.h"

// What an entry of a table says. An entry with literals: bits to drop (0 to 5), how many literals (6 and 7), the
// literals (8 to 31). Any other: bits to drop with all extra bits (0 to 5), bits of the code (8 to 11), the kind (12 to
// 14), the least length or distance (16 to 31). One that leads to a second level: bits of the first level (0 to 5), of
// the second (8 to 11), its first entry (16 to 31).
#define ENTRY_DROP(entry) ((entry)&63u)
#define ENTRY_LITERALS(entry) (((entry) >> 6) & 3u)
#define ENTRY_CODE(entry) (((entry) >> 8) & 15u)
#define ENTRY_BASE(entry) ((entry) >> 16)
#define ENTRY_BLOCK_END (1u << 12)
#define ENTRY_SECOND (1u << 13)
#define ENTRY_INVALID (1u << 14)
#define ENTRY_SPECIAL (7u << 12)

// Makes the tables of a block from the lengths of its codes.
//   returns  NULL, or what is wrong with them
const char *inflate_make_tables(inflater *inflater);

// Makes the table for the code lengths of a dynamic block.
//   lengths  of 19 codes, each at most 7
const char *inflate_make_code_table(uint16_t *table, const uint8_t *lengths);

#endif
