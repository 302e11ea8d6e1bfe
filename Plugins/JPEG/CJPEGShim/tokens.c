// SPDX-License-Identifier: Apache-2.0

#include "tokens.h"

#include "CProcessor.h"

token_layout token_layout_of(const struct jpeg_compress_struct *cinfo) {
  token_layout layout = {0};
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

// Codes in a group: of DC there is one in a block.
static int most_codes(int slot) { return slot < NUM_HUFF_TBLS ? 1 : HUFFMAN_LOOK; }

static int is_used(const token_layout *layout, int slot) {
  for (int block = 0; block < layout->blocks; block++) {
    if (layout->dc[block] == slot || layout->ac[block] == slot) return 1;
  }
  return 0;
}

void token_group(token_work *work, const token_layout *layout) {
  for (int slot = 0; slot < SLOTS; slot++) {
    if (!is_used(layout, slot)) continue;
    huffman_groups(&work->readers[slot], most_codes(slot), work->groups[slot]);
    memset(work->hits[slot], 0, sizeof work->hits[slot]);
  }
}

void token_leave_groups_out(token_work *work, const token_layout *layout) {
  for (int slot = 0; slot < SLOTS; slot++) {
    if (is_used(layout, slot)) memset(work->groups[slot], 0, sizeof work->groups[slot]);
  }
}

void token_group_for_writing(token_work *work, const token_layout *layout) {
  uint8_t symbols[HUFFMAN_LOOK];
  for (int slot = 0; slot < SLOTS; slot++) {
    if (!is_used(layout, slot)) continue;
    for (uint32_t look = 0; look < 1 << HUFFMAN_LOOK; look++) {
      // What has not come up is not written.
      if (work->hits[slot][look] == 0) continue;
      huffman_group_at(&work->readers[slot], &work->writers[slot], look, most_codes(slot), &work->groups[slot][look],
                       symbols);
    }
  }
}

void token_count_groups(token_work *work, const token_layout *layout) {
  uint8_t symbols[HUFFMAN_LOOK];
  huffman_group group;
  for (int slot = 0; slot < SLOTS; slot++) {
    if (!is_used(layout, slot)) continue;
    for (uint32_t look = 0; look < 1 << HUFFMAN_LOOK; look++) {
      if (work->hits[slot][look] == 0) continue;
      const int count = huffman_group_at(&work->readers[slot], NULL, look, most_codes(slot), &group, symbols);
      for (int i = 0; i < count; i++) work->counts[slot][symbols[i]] += work->hits[slot][look];
    }
  }
}

void token_free(const imgcoder_host *host, token_work *work) {
  for (token_piece *piece = work->first, *next; piece; piece = next) {
    next = piece->next;
    host->free(host, piece);
  }
  work->first = work->last = NULL;
}

// Where the first pass stands: what it reads, and the place of its next token. A loop has a copy of its own.
typedef struct token_cursor {
  code_reader codes;
  uint16_t *token;
} token_cursor;

// One code with the bits that belong to it.
//   returns  its symbol, or -1 for bits that are no code
static inline __attribute__((always_inline)) int read_code(token_cursor *cursor, token_work *work, int slot) {
  const huffman_reader *table = &work->readers[slot];
  huffman_entry entry = table->look[cursor->codes.bits >> (64 - HUFFMAN_LOOK)];
  if (entry.code == 0) {
    entry = huffman_long_entry(table, (uint32_t)(cursor->codes.bits >> 48));
    if (entry.code == 0) return -1;
  }
  work->counts[slot][entry.symbol]++;
  *cursor->token++ = (uint16_t)(TOKEN_CODE | slot << 8 | entry.symbol);
  *cursor->token++ = (uint16_t)(cursor->codes.bits << entry.code >> 1 >> (63 - entry.extra));
  cursor->codes.bits <<= entry.code + entry.extra;
  cursor->codes.count -= entry.code + entry.extra;
  return entry.symbol;
}

// A group of codes, or where there is none, one code. There are 27 bits or more.
//   k        the next coefficient, 0 for DC
//   returns  the next one after the codes, DCTSIZE2 or more at the end of the block, for bits that are no code as well
static inline __attribute__((always_inline)) int read_codes(token_cursor *cursor, token_work *work, int slot, int k) {
  const uint32_t look = (uint32_t)(cursor->codes.bits >> (64 - HUFFMAN_LOOK));
  const huffman_group *group = &work->groups[slot][look];
  // After the last coefficient, the next block begins.
  if (__builtin_expect(group->bits > 0 && k + group->before < DCTSIZE2, 1)) {
    work->hits[slot][look]++;
    *cursor->token++ = (uint16_t)((uint32_t)slot << HUFFMAN_LOOK | look);
    cursor->codes.bits <<= group->bits;
    cursor->codes.count -= group->bits;
    return k + group->after;
  }
  const int symbol = read_code(cursor, work, slot);
  if (symbol < 0) work->is_damaged = 1;
  return symbol <= 0 ? DCTSIZE2 : k + (symbol >> 4) + 1;
}

// Codes of a block: one of DC, and of AC until the last coefficient or the code that says that zeros follow.
static inline __attribute__((always_inline)) void read_block(token_cursor *cursor, token_work *work, int dc, int ac) {
  code_refill(&cursor->codes);
  read_codes(cursor, work, dc, 0);
  for (int k = 1; k < DCTSIZE2;) {
    k = read_codes(cursor, work, ac, k);
    if (k >= DCTSIZE2) break;
    code_refill(&cursor->codes);
    k = read_codes(cursor, work, ac, k);
  }
}

// Ends the last piece of tokens and begins another.
static imgcoder_status next_tokens(const imgcoder_host *host, token_work *work, token_cursor *cursor) {
  token_piece *last = work->last;
  if (last) last->count = (uint32_t)(cursor->token - last->tokens);
  token_piece *piece = host->allocate(host, sizeof *piece, 0);
  if (!piece) return IMGCODER_STATUS_OUT_OF_MEMORY;
  piece->next = NULL;
  piece->count = 0;
  if (last) last->next = piece;
  else work->first = piece;
  work->last = piece;
  cursor->token = piece->tokens;
  return IMGCODER_STATUS_OK;
}

// Goes on with the next piece, when all of the first is read, which is freed.
static imgcoder_status next_piece(recoder *recoder, token_cursor *cursor) {
  recode_piece *piece = recoder->first;
  const uint8_t *end = piece->bytes + piece->length;
  // After the last, nothing but zeros is left.
  if (!piece->next) return cursor->codes.at < end + 8 ? IMGCODER_STATUS_OK : IMGCODER_STATUS_LIBRARY;
  recoder->first = piece->next;
  cursor->codes.at = piece->next->bytes + (cursor->codes.at - end);
  recoder->host->free(recoder->host, piece);
  return IMGCODER_STATUS_OK;
}

static inline __attribute__((always_inline)) imgcoder_status read_all(recoder *recoder, const token_layout *layout,
                                                                      token_work *work) {
  const imgcoder_host *host = recoder->host;
  token_cursor cursor = {{recoder->first->bytes, 0, 0}, NULL};
  uint32_t left = layout->restart, restarts = 0;
  for (uint32_t row = 0; row < layout->rows; row++) {
    if (host->is_cancelled(host)) return IMGCODER_STATUS_CANCELLED;
    for (uint32_t column = 0; column < layout->columns; column++) {
      for (int block = 0; block < layout->blocks; block++) {
        imgcoder_status status = IMGCODER_STATUS_OK;
        if (cursor.codes.at >= recoder->first->bytes + recoder->first->length) status = next_piece(recoder, &cursor);
        if (!work->last || cursor.token >= work->last->tokens + TOKENS) {
          if (status == IMGCODER_STATUS_OK) status = next_tokens(host, work, &cursor);
        }
        if (status != IMGCODER_STATUS_OK) return status;
        if (block == 0 && layout->restart > 0 && left-- == 0) {
          // The rest of the last byte is padding.
          cursor.codes.bits <<= cursor.codes.count & 7;
          cursor.codes.count &= ~7;
          *cursor.token++ = (uint16_t)(TOKEN_MARKER | (restarts++ & 7));
          left = layout->restart - 1;
        }
        read_block(&cursor, work, layout->dc[block], layout->ac[block]);
      }
      if (work->is_damaged) return IMGCODER_STATUS_LIBRARY;
    }
  }
  if (work->last) work->last->count = (uint32_t)(cursor.token - work->last->tokens);
  return IMGCODER_STATUS_OK;
}

// A group whose codes are too long to be written at once.
static code_tail put_symbols(token_work *work, code_tail tail, uint32_t token) {
  const uint32_t look = token & ((1u << HUFFMAN_LOOK) - 1), slot = token >> HUFFMAN_LOOK;
  const huffman_reader *table = &work->readers[slot];
  const huffman_writer *writer = &work->writers[slot];
  uint8_t symbols[HUFFMAN_LOOK];
  huffman_group group;
  const int count = huffman_group_at(table, NULL, look, most_codes((int)slot), &group, symbols);
  uint32_t rest = look << (32 - HUFFMAN_LOOK);
  for (int i = 0; i < count; i++) {
    const huffman_entry entry = table->look[rest >> (32 - HUFFMAN_LOOK)];
    rest <<= entry.code;
    const uint64_t extra = (uint64_t)rest >> (32 - entry.extra);
    code_put(&work->codes, &tail, writer->code[symbols[i]] | extra, writer->length[symbols[i]]);
    rest <<= entry.extra;
  }
  return tail;
}

// One code, or a marker.
static code_tail put_other(token_work *work, code_tail tail, uint32_t token, uint32_t extra) {
  if (token & TOKEN_CODE) {
    const huffman_writer *writer = &work->writers[token >> 8 & (SLOTS - 1)];
    code_put(&work->codes, &tail, writer->code[token & 0xFF] | extra, writer->length[token & 0xFF]);
    return tail;
  }
  work->codes.tail = tail;
  code_end(&work->codes, (uint8_t)(JPEG_RST0 + (token & 7)));
  return work->codes.tail;
}

static inline __attribute__((always_inline)) imgcoder_status write_all(const imgcoder_host *host, token_work *work) {
  // Each token has 32 bits, or 11 codes of 16, at most.
  enum { AT_ONCE = WRITE_SLACK / (2 * HUFFMAN_LOOK) - 1 };
  const huffman_group *groups = work->groups[0];
  code_tail tail = {0, 0, 0};
  for (const token_piece *piece = work->first; piece; piece = piece->next) {
    if (host->is_cancelled(host)) return IMGCODER_STATUS_CANCELLED;
    const uint16_t *token = piece->tokens, *end = token + piece->count;
    while (token < end) {
      const uint16_t *stop = end - token > AT_ONCE ? token + AT_ONCE : end;
      while (token < stop) {
        const uint32_t next = *token++;
        if (__builtin_expect(next < TOKEN_MARKER, 1)) {
          const huffman_group *group = &groups[next];
          if (__builtin_expect(group->length > 0, 1)) code_put(&work->codes, &tail, group->codes, group->length);
          else tail = put_symbols(work, tail, next);
        } else {
          tail = put_other(work, tail, next, next & TOKEN_CODE ? *token++ : 0);
        }
      }
      if (tail.length < CODES) continue;
      work->codes.tail = tail;
      code_flush(&work->codes);
      if (work->codes.status != IMGCODER_STATUS_OK) return work->codes.status;
      tail = work->codes.tail;
    }
  }
  work->codes.tail = tail;
  return IMGCODER_STATUS_OK;
}

#if defined(__x86_64__)

// Shifts by a variable take a third of the instructions there.
#define BMI2 static __attribute__((target("bmi2")))

BMI2 imgcoder_status read_by_bmi2(recoder *recoder, const token_layout *layout, token_work *work) {
  return read_all(recoder, layout, work);
}

BMI2 imgcoder_status write_by_bmi2(const imgcoder_host *host, token_work *work) { return write_all(host, work); }

#endif

imgcoder_status token_read(recoder *recoder, const token_layout *layout, token_work *work) {
#if defined(__x86_64__)
  if (processor_has_bmi2()) return read_by_bmi2(recoder, layout, work);
#endif
  return read_all(recoder, layout, work);
}

imgcoder_status token_write(const imgcoder_host *host, token_work *work) {
#if defined(__x86_64__)
  if (processor_has_bmi2()) return write_by_bmi2(host, work);
#endif
  return write_all(host, work);
}
