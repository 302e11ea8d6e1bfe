// SPDX-License-Identifier: Apache-2.0

#include "plain.h"

#include "CProcessor.h"

// The table that gives symbols from 0 on codes of ten bits, one after the other from `first` on. Codes of other lengths before
// them stand for the last symbols, which no file has.
static void set_table(JHUFF_TBL *table, const uint8_t others[16], int count) {
  const int last = count - 1;
  int other = 0;
  memset(table->bits, 0, sizeof table->bits);
  for (int length = 1; length < PLAIN_BITS; length++) {
    for (int i = 0; i < others[length]; i++, other++) table->huffval[other] = (UINT8)(last - other);
    table->bits[length] = others[length];
  }
  // 255 at most, of which no code is all ones.
  table->bits[PLAIN_BITS] = (UINT8)(count - other > 255 ? 255 : count - other);
  for (int i = 0; i < table->bits[PLAIN_BITS]; i++) table->huffval[other + i] = (UINT8)i;
  table->sent_table = FALSE;
}

void plain_set_tables(j_compress_ptr cinfo) {
  // A code of n bits takes the place of 2^(10 - n).
  static const uint8_t none[16] = {0}, quarter[16] = {[2] = 1}, half[16] = {[1] = 1}, half_and_16[16] = {[1] = 1, [6] = 1};
  set_table(cinfo->ac_huff_tbl_ptrs[0], none, 256);
  set_table(cinfo->ac_huff_tbl_ptrs[1], quarter, 256);
  set_table(cinfo->dc_huff_tbl_ptrs[0], half, 16);
  set_table(cinfo->dc_huff_tbl_ptrs[1], half_and_16, 16);
}

static uint32_t first_of(int is_ac, int table) {
  return (uint32_t)(is_ac ? PLAIN_AC * table : PLAIN_DC + 16 * table);
}

void plain_counts_of(const plain_work *work, int is_ac, int table, uint32_t counts[256]) {
  const uint32_t first = first_of(is_ac, table);
  for (uint32_t symbol = 0; symbol < 256; symbol++) {
    counts[symbol] = is_ac || symbol < 16 ? work->counts[0][first + symbol] + work->counts[1][first + symbol] : 0;
  }
}

void plain_write_by(plain_work *work, int is_ac, int table, const JHUFF_TBL *huffman) {
  huffman_writer writer;
  huffman_write_by(&writer, huffman);
  for (uint32_t symbol = 0; symbol < (is_ac ? 256 : 16); symbol++) {
    const uint32_t code = first_of(is_ac, table) + symbol, extra = symbol & 15;
    // The bits that are left have the code before those that belong to it.
    work->entries[code] =
        (plain_entry){writer.code[symbol] - (code << extra), (uint8_t)(32 - PLAIN_BITS - extra), writer.length[symbol]};
  }
}

// The next code, and what follows it.
static inline __attribute__((always_inline)) uint32_t next(code_reader *reader) {
  const uint32_t found = (uint32_t)(reader->bits >> 32);
  const int extra = (int)(found >> (32 - PLAIN_BITS)) & 15;
  reader->bits = reader->bits << PLAIN_BITS << extra;
  reader->count -= PLAIN_BITS + extra;
  return found;
}

static inline uint32_t code_of(uint32_t found) { return found >> (32 - PLAIN_BITS); }

static inline uint64_t replaced(const plain_entry *entry, uint32_t found) { return entry->added + (found >> entry->shift); }

// Two codes at once; what is written for one has 27 bits at most.
static inline __attribute__((always_inline)) void take_pair(code_reader *reader, plain_work *work, code_tail *tail,
                                                            int is_writing) {
  const uint32_t one = next(reader), two = next(reader);
  if (is_writing) {
    const plain_entry *first = &work->entries[code_of(one)], *second = &work->entries[code_of(two)];
    code_put(&work->codes, tail, replaced(first, one) << second->length | replaced(second, two),
             first->length + second->length);
  } else {
    // In turn, so that a count need not wait for the one before.
    work->counts[0][code_of(one)]++;
    work->counts[1][code_of(two)]++;
  }
}

// One code, or a marker: the rest of its byte is padding then, and two bytes stand for it.
static inline imgcoder_status take_one(code_reader *reader, plain_work *work, code_tail *tail, int is_writing) {
  code_reader ahead = *reader;
  const uint32_t found = next(&ahead), code = code_of(found);
  if (code == PLAIN_MARKER) {
    const int bits = (reader->count & 7) + 16;
    reader->bits <<= bits;
    reader->count -= bits;
    if (!is_writing) return IMGCODER_STATUS_OK;
    work->codes.tail = *tail;
    code_end(&work->codes, (uint8_t)(JPEG_RST0 + (work->restarts++ & 7)));
    *tail = work->codes.tail;
    return work->codes.status;
  }
  if (code >= PLAIN_END) return IMGCODER_STATUS_LIBRARY;
  *reader = ahead;
  const plain_entry *entry = &work->entries[code];
  if (is_writing) code_put(&work->codes, tail, replaced(entry, found), entry->length);
  else work->counts[0][code]++;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status flush(plain_work *work, code_tail *tail) {
  work->codes.tail = *tail;
  code_flush(&work->codes);
  *tail = work->codes.tail;
  return work->codes.status;
}

// The codes of a piece, and those that begin in it and end in the next one.
static inline __attribute__((always_inline)) imgcoder_status read_piece(const recode_piece *piece, int has_markers,
                                                                        code_reader *from, plain_work *work, int is_writing) {
  enum { AT_ONCE = CODES / 2 };  // bytes of ten bits and more that become 16 and more
  code_reader reader = *from;
  code_tail tail = work->codes.tail;
  imgcoder_status status = IMGCODER_STATUS_OK;
  const uint8_t *end = piece->bytes + piece->length;
  const int64_t after = piece->next ? piece->next->length : 0;
  // Eight bytes hold two codes, even if padding ends them. Where markers may come, codes are taken one by one.
  const uint8_t *pairs_end = has_markers ? reader.at : after < 7 ? end + after - 7 : end;
  while (reader.at < pairs_end) {
    const uint8_t *stop = pairs_end - reader.at > AT_ONCE ? reader.at + AT_ONCE : pairs_end;
    while (reader.at < stop) {
      code_refill(&reader);
      take_pair(&reader, work, &tail, is_writing);
    }
    if (is_writing) status = flush(work, &tail);
    if (status != IMGCODER_STATUS_OK) return status;
  }
  // At the end, less than a code is padding.
  while (piece->next ? reader.at < end : 1) {
    if ((end - reader.at + after) * 8 + reader.count < PLAIN_BITS) break;
    code_refill(&reader);
    status = take_one(&reader, work, &tail, is_writing);
    if (is_writing && status == IMGCODER_STATUS_OK && tail.length >= CODES) status = flush(work, &tail);
    if (status != IMGCODER_STATUS_OK) return status;
  }
  work->codes.tail = tail;
  *from = reader;
  return IMGCODER_STATUS_OK;
}

// Counts or writes codes: constants for `is_writing` let the compiler make a loop for each.
static inline __attribute__((always_inline)) imgcoder_status read_all(recoder *recoder, plain_work *work, const recode_piece *end,
                                                                      int is_writing) {
  const imgcoder_host *host = recoder->host;
  code_reader reader = work->reader;
  if (!reader.at) reader.at = recoder->first->bytes;
  for (recode_piece *piece = recoder->first, *following; piece != end; piece = following) {
    if (host->is_cancelled(host)) return IMGCODER_STATUS_CANCELLED;
    imgcoder_status status = read_piece(piece, recoder->has_markers, &reader, work, is_writing);
    if (status != IMGCODER_STATUS_OK) return status;
    following = piece->next;
    if (following) reader.at = following->bytes + (reader.at - (piece->bytes + piece->length));
    if (!is_writing) continue;
    work->reader = reader;
    recoder->first = following;
    recoder->pieces--;
    host->free(host, piece);
  }
  return IMGCODER_STATUS_OK;
}

#if defined(__x86_64__)

// Shifts by a variable take a third of the instructions there.
#define BMI2 static __attribute__((target("bmi2")))

BMI2 imgcoder_status count_by_bmi2(recoder *recoder, plain_work *work, const recode_piece *end) {
  return read_all(recoder, work, end, 0);
}

BMI2 imgcoder_status write_by_bmi2(recoder *recoder, plain_work *work, const recode_piece *end) {
  return read_all(recoder, work, end, 1);
}

#endif

imgcoder_status plain_count(recoder *recoder, plain_work *work, const recode_piece *end) {
#if defined(__x86_64__)
  if (processor_has_bmi2()) return count_by_bmi2(recoder, work, end);
#endif
  return read_all(recoder, work, end, 0);
}

imgcoder_status plain_write(recoder *recoder, plain_work *work, const recode_piece *end) {
#if defined(__x86_64__)
  if (processor_has_bmi2()) return write_by_bmi2(recoder, work, end);
#endif
  return read_all(recoder, work, end, 1);
}
