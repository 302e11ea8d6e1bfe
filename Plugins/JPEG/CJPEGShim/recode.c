// SPDX-License-Identifier: Apache-2.0

#include "recode.h"

#include "codes.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { SLOTS = 2 * NUM_HUFF_TBLS };  // tables of DC codes, then tables of AC codes

static imgcoder_status append(recoder *recoder, const uint8_t *bytes, uint64_t length) {
  while (length > 0) {
    recode_piece *last = recoder->last;
    if (!last || last->length == PIECE) {
      recode_piece *piece = recoder->host->allocate(recoder->host, sizeof *piece, 0);
      if (!piece) return IMGCODER_STATUS_OUT_OF_MEMORY;
      piece->next = NULL;
      piece->length = 0;
      if (last) last->next = piece;
      else recoder->first = piece;
      recoder->last = last = piece;
    }
    uint64_t count = PIECE - last->length < length ? PIECE - last->length : length;
    memcpy(last->bytes + last->length, bytes, count);
    last->length += (uint32_t)count;
    bytes += count;
    length -= count;
  }
  return IMGCODER_STATUS_OK;
}

// Keeps codes: a zero behind 0xFF is left out, and so is a marker with its 0xFF, T.81 B.1.1.2 and B.1.1.5.
static imgcoder_status keep_codes(recoder *recoder, const uint8_t *bytes, const uint8_t *end) {
  static const uint8_t ones = 0xFF;
  while (bytes < end) {
    imgcoder_status status = IMGCODER_STATUS_OK;
    if (recoder->is_after_ones) {
      recoder->is_after_ones = 0;
      if (*bytes++ == 0) status = append(recoder, &ones, 1);
    } else {
      const uint8_t *found = memchr(bytes, 0xFF, (size_t)(end - bytes));
      status = append(recoder, bytes, (uint64_t)((found ? found : end) - bytes));
      bytes = found ? found + 1 : end;
      recoder->is_after_ones = found != NULL;
    }
    if (status != IMGCODER_STATUS_OK) return status;
  }
  return IMGCODER_STATUS_OK;
}

// The length of the segments up to the scan header, or 0 if that is not there.
static uint64_t header_length(const uint8_t *bytes, uint64_t length) {
  uint64_t at = 0;
  while (at + 4 <= length && bytes[at] == 0xFF) {
    uint8_t marker = bytes[at + 1];
    at += 2 + ((uint64_t)bytes[at + 2] << 8 | bytes[at + 3]);
    if (marker == 0xDA) return at <= length && at <= RECODE_HEADER ? at : 0;
  }
  return 0;
}

imgcoder_status recode_keep(recoder *recoder, const uint8_t *bytes, uint64_t length) {
  uint64_t start = 0;
  if (recoder->header_length == 0) {
    start = header_length(bytes, length);
    if (start == 0) return IMGCODER_STATUS_LIBRARY;
    memcpy(recoder->header, bytes, start);
    recoder->header_length = (uint32_t)start;
  }
  return keep_codes(recoder, bytes + start, bytes + length);
}

void recode_free(recoder *recoder) {
  for (recode_piece *piece = recoder->first, *next; piece; piece = next) {
    next = piece->next;
    recoder->host->free(recoder->host, piece);
  }
  recoder->first = recoder->last = NULL;
}

// Puts the first bytes of each piece behind the one before it, and zeros behind the last.
static void fill_slack(recode_piece *piece) {
  for (; piece; piece = piece->next) {
    uint32_t count = !piece->next ? 0 : piece->next->length < SLACK ? piece->next->length : SLACK;
    memset(piece->bytes + piece->length, 0, SLACK);
    if (count > 0) memcpy(piece->bytes + piece->length, piece->next->bytes, count);
  }
}

// The blocks of a file, MCU by MCU.
typedef struct layout {
  int blocks;                                              // of an MCU
  int dc[C_MAX_BLOCKS_IN_MCU], ac[C_MAX_BLOCKS_IN_MCU];    // by block, the tables' slots
  uint32_t columns, rows;                                  // MCUs
  uint32_t restart;                                        // MCUs between restart markers, or 0
} layout;

static layout layout_of(const struct jpeg_compress_struct *cinfo) {
  layout layout = {0};
  int widest = 1, tallest = 1;
  for (int i = 0; i < cinfo->num_components; i++) {
    const jpeg_component_info *component = &cinfo->comp_info[i];
    int is_alone = cinfo->num_components == 1;
    int across = is_alone ? 1 : component->h_samp_factor, down = is_alone ? 1 : component->v_samp_factor;
    if (across > widest) widest = across;
    if (down > tallest) tallest = down;
    for (int block = 0; block < across * down && layout.blocks < C_MAX_BLOCKS_IN_MCU; block++) {
      layout.dc[layout.blocks] = component->dc_tbl_no;
      layout.ac[layout.blocks++] = NUM_HUFF_TBLS + component->ac_tbl_no;
    }
  }
  layout.columns = (cinfo->image_width + 8u * (uint32_t)widest - 1) / (8u * (uint32_t)widest);
  layout.rows = (cinfo->image_height + 8u * (uint32_t)tallest - 1) / (8u * (uint32_t)tallest);
  layout.restart = cinfo->restart_interval;
  return layout;
}

// What both passes need, in memory of the host's.
typedef struct work {
  int is_damaged;               // bits that are no code came
  huffman_reader readers[SLOTS];
  uint32_t counts[SLOTS][256];  // of the first pass; a picture has fewer codes than 2^32
  JHUFF_TBL tables[SLOTS];
  huffman_writer writers[SLOTS];
  huffman_group groups[SLOTS][1 << HUFFMAN_LOOK];  // of AC; none where a picture is too small for the time they take
  uint32_t hits[SLOTS][1 << HUFFMAN_LOOK];         // of the first, how often each group came
  code_writer codes;  // of the second
} work;

// Counts or writes one code with the bits that belong to it; -1 for bits that are no code. There are 27 bits or more.
static inline __attribute__((always_inline)) int move_symbol(code_reader *reader, work *work, code_tail *tail, int slot,
                                                             int is_counting) {
  const huffman_reader *table = &work->readers[slot];
  huffman_entry entry = table->look[reader->bits >> (64 - HUFFMAN_LOOK)];
  if (__builtin_expect(entry.code == 0, 0)) {
    entry = huffman_long_entry(table, (uint32_t)(reader->bits >> 48));
    if (entry.code == 0) return -1;
  }
  if (is_counting) {
    work->counts[slot][entry.symbol]++;
  } else {
    const huffman_writer *writer = &work->writers[slot];
    uint64_t extra = reader->bits << entry.code >> 1 >> (63 - entry.extra);
    code_put(&work->codes, tail, writer->code[entry.symbol] | extra, writer->length[entry.symbol]);
  }
  reader->bits <<= entry.code + entry.extra;
  reader->count -= entry.code + entry.extra;
  return entry.symbol;
}

// Moves a group of AC codes, or where there is none, one code.
//   k        the next coefficient
//   returns  the next one after the codes, DCTSIZE2 or more at the end of the block, for bits that are no code as well
static inline __attribute__((always_inline)) int move_codes(code_reader *reader, work *work, code_tail *tail, int slot,
                                                            int k, int is_counting) {
  const uint32_t look = (uint32_t)(reader->bits >> (64 - HUFFMAN_LOOK));
  const huffman_group *group = &work->groups[slot][look];
  // Behind the last coefficient, the next block begins.
  if (__builtin_expect(group->bits > 0 && k + group->before < DCTSIZE2, 1)) {
    if (is_counting) work->hits[slot][look]++;
    else code_put(&work->codes, tail, group->codes, group->length);
    reader->bits <<= group->bits;
    reader->count -= group->bits;
    return k + group->after;
  }
  const int symbol = move_symbol(reader, work, tail, slot, is_counting);
  if (symbol < 0) work->is_damaged = 1;
  return symbol <= 0 ? DCTSIZE2 : k + (symbol >> 4) + 1;
}

// Codes of a block: one of DC, and of AC until the last coefficient or the code that says that zeros follow.
static inline __attribute__((always_inline)) int move_block(code_reader *reader, work *work, code_tail *tail, int dc, int ac,
                                                            int is_counting) {
  code_refill(reader);
  if (move_symbol(reader, work, tail, dc, is_counting) < 0) return 0;
  for (int k = 1; k < DCTSIZE2;) {
    k = move_codes(reader, work, tail, ac, k, is_counting);
    if (k >= DCTSIZE2) break;
    code_refill(reader);
    k = move_codes(reader, work, tail, ac, k, is_counting);
  }
  return 1;
}

// Goes over all codes.
static inline __attribute__((always_inline)) imgcoder_status run(const recoder *recoder, const layout *layout, work *work,
                                                                 int is_counting) {
  const imgcoder_host *host = recoder->host;
  code_reader reader = {recoder->first, recoder->first->bytes, 0, 0};
  code_tail tail = {0, 0, 0};
  uint32_t left = layout->restart, restarts = 0;
  for (uint32_t row = 0; row < layout->rows; row++) {
    if (host->is_cancelled(host)) return IMGCODER_STATUS_CANCELLED;
    if (!is_counting && work->codes.status != IMGCODER_STATUS_OK) return work->codes.status;
    for (uint32_t column = 0; column < layout->columns; column++) {
      if (layout->restart > 0 && left-- == 0) {
        // The rest of the last byte is padding.
        reader.bits <<= reader.count & 7;
        reader.count &= ~7;
        if (!is_counting) {
          work->codes.tail = tail;
          code_end(&work->codes, (uint8_t)(JPEG_RST0 + (restarts++ & 7)));
          tail = work->codes.tail;
        }
        left = layout->restart - 1;
      }
      for (int block = 0; block < layout->blocks; block++) {
        const recode_piece *piece = reader.piece;
        if (reader.at >= piece->bytes + piece->length) {
          if (piece->next) {
            reader.at = piece->next->bytes + (reader.at - piece->bytes - piece->length);
            reader.piece = piece->next;
          } else if (reader.at >= piece->bytes + piece->length + 8) {
            return IMGCODER_STATUS_LIBRARY;  // nothing but zeros is left
          }
        }
        if (!is_counting && tail.length >= CODES) {
          work->codes.tail = tail;
          code_flush(&work->codes);
          tail = work->codes.tail;
        }
        if (!move_block(&reader, work, &tail, layout->dc[block], layout->ac[block], is_counting)) return IMGCODER_STATUS_LIBRARY;
      }
      if (work->is_damaged) return IMGCODER_STATUS_LIBRARY;
    }
  }
  work->codes.tail = tail;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status count_codes(const recoder *recoder, const layout *layout, work *work) {
  return run(recoder, layout, work, 1);
}

static imgcoder_status write_codes(const recoder *recoder, const layout *layout, work *work) {
  return run(recoder, layout, work, 0);
}

#if defined(__x86_64__)

// Shifts by a variable take a third of the instructions there.
#define BMI2 static __attribute__((target("bmi2")))

BMI2 imgcoder_status count_codes_bmi2(const recoder *recoder, const layout *layout, work *work) {
  return run(recoder, layout, work, 1);
}

BMI2 imgcoder_status write_codes_bmi2(const recoder *recoder, const layout *layout, work *work) {
  return run(recoder, layout, work, 0);
}

static int has_bmi2(void) {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_BMI2;
}

#endif

static imgcoder_status all_codes(const recoder *recoder, const layout *layout, work *work, int is_counting) {
#if defined(__x86_64__)
  if (has_bmi2()) return (is_counting ? count_codes_bmi2 : write_codes_bmi2)(recoder, layout, work);
#endif
  return (is_counting ? count_codes : write_codes)(recoder, layout, work);
}

static imgcoder_status put_table(const imgcoder_output *output, uint8_t kind, const JHUFF_TBL *table) {
  uint8_t segment[5 + 16 + 256] = {0xFF, 0xC4, 0, 0, kind};
  int count = 0;
  for (int length = 1; length <= 16; length++) count += segment[4 + length] = table->bits[length];
  memcpy(segment + 21, table->huffval, (size_t)count);
  segment[2] = (uint8_t)((19 + count) >> 8);
  segment[3] = (uint8_t)(19 + count);
  return output->write(output, segment, (uint64_t)(21 + count));
}

// Copies the segments before the codes, with tables of this file in place of libjpeg's, which has a segment for each.
static imgcoder_status put_header(const recoder *recoder, const JHUFF_TBL *tables, const imgcoder_output *output) {
  imgcoder_status status = IMGCODER_STATUS_OK;
  for (uint32_t at = 0, length; at < recoder->header_length && status == IMGCODER_STATUS_OK; at += length) {
    const uint8_t *segment = recoder->header + at;
    length = 2 + ((uint32_t)segment[2] << 8 | segment[3]);
    int slot = (segment[4] >> 4 ? NUM_HUFF_TBLS : 0) + (segment[4] & 3);
    status = segment[1] == 0xC4 ? put_table(output, segment[4], &tables[slot]) : output->write(output, segment, length);
  }
  return status;
}

// Groups the codes of AC by the tables that are read by, and for the second pass by those that are written by.
static void group_codes(work *work, int is_counting) {
  uint8_t symbols[HUFFMAN_LOOK];
  for (int slot = NUM_HUFF_TBLS; slot < SLOTS; slot++) {
    for (uint32_t look = 0; look < 1 << HUFFMAN_LOOK; look++) {
      huffman_group_at(&work->readers[slot], is_counting ? NULL : &work->writers[slot], look, &work->groups[slot][look],
                       symbols);
    }
  }
}

// Adds the symbols of groups to those that came alone.
static void count_groups(work *work) {
  uint8_t symbols[HUFFMAN_LOOK];
  huffman_group group;
  for (int slot = NUM_HUFF_TBLS; slot < SLOTS; slot++) {
    for (uint32_t look = 0; look < 1 << HUFFMAN_LOOK; look++) {
      if (work->hits[slot][look] == 0) continue;
      const int count = huffman_group_at(&work->readers[slot], NULL, look, &group, symbols);
      for (int i = 0; i < count; i++) work->counts[slot][symbols[i]] += work->hits[slot][look];
    }
  }
}

static imgcoder_status write_with(work *work, recoder *recoder, const layout *layout, const imgcoder_output *output) {
  // A few tenths of a millisecond for the groups are what so many bytes take.
  const int groups = recoder->first->next != NULL || recoder->first->length >= PIECE / 4;
  if (groups) group_codes(work, 1);
  imgcoder_status status = all_codes(recoder, layout, work, 1);
  if (status != IMGCODER_STATUS_OK) return status;
  count_groups(work);
  for (int slot = 0; slot < SLOTS; slot++) {
    huffman_optimize(work->counts[slot], &work->tables[slot]);
    huffman_write_by(&work->writers[slot], &work->tables[slot]);
  }
  if (groups) group_codes(work, 0);
  status = put_header(recoder, work->tables, output);
  if (status == IMGCODER_STATUS_OK) status = all_codes(recoder, layout, work, 0);
  if (status != IMGCODER_STATUS_OK) return status;
  code_end(&work->codes, JPEG_EOI);
  return work->codes.status;
}

imgcoder_status recode_write(recoder *recoder, const struct jpeg_compress_struct *cinfo,
                             const imgcoder_output *output) {
  const imgcoder_host *host = recoder->host;
  layout layout = layout_of(cinfo);
  if (!recoder->first) return IMGCODER_STATUS_LIBRARY;
  fill_slack(recoder->first);
  work *work = host->allocate(host, sizeof *work, 0);
  if (!work) return IMGCODER_STATUS_OUT_OF_MEMORY;
  memset(work, 0, sizeof *work);
  work->codes.output = output;
  for (int i = 0; i < NUM_HUFF_TBLS; i++) {
    if (cinfo->dc_huff_tbl_ptrs[i]) huffman_read_by(&work->readers[i], cinfo->dc_huff_tbl_ptrs[i]);
    if (cinfo->ac_huff_tbl_ptrs[i]) huffman_read_by(&work->readers[NUM_HUFF_TBLS + i], cinfo->ac_huff_tbl_ptrs[i]);
  }
  imgcoder_status status = write_with(work, recoder, &layout, output);
  host->free(host, work);
  return status;
}
