// SPDX-License-Identifier: Apache-2.0

#include "bits.h"
#include "transform.h"

// Bytes that the codes of an MCU take at most: 12 blocks of 64, of 16 bits each with a value of 15.
#define MCU_BYTES (12 * 64 * 4)
#define SEGMENT_BYTES (32 << 10)

typedef struct {
  uint32_t across, down;      // blocks of an MCU
  uint32_t side;              // samples of a block: 1, or 2 of a channel with half of the others' on both sides
  uint32_t repeats, lines;    // how often a sample shows, in a row and among rows: 1 or 2
  size_t stride;
  uint8_t *samples;
  const codes *dc, *ac;
  passes *passes;
  uint16_t steps[64];
} plane;

// Of memory that the caller has: this, then the samples of the planes.
struct eighths {
  codes tables[2 * EIGHTHS_CHANNELS];
  passes passes[EIGHTHS_CHANNELS];
  plane planes[EIGHTHS_CHANNELS];
  uint32_t channel_count, columns, rows;  // in MCUs
  uint32_t width;                          // at 1/8
  uint32_t restart_interval;
  uint8_t *lines[EIGHTHS_CHANNELS];
  // The bytes that are decoded next, until `end`. An MCU may read after that.
  const uint8_t *end;
  int is_last;  // whether the segment ends there
  uint8_t segment[SEGMENT_BYTES + MCU_BYTES + 16];
};

static uint32_t divided_up(uint32_t number, uint32_t by) { return number / by + (number % by != 0); }

static void largest_factors(const eighths_frame *frame, uint32_t *widest, uint32_t *tallest) {
  *widest = *tallest = 1;
  for (uint32_t i = 0; i < frame->channel_count; i++) {
    if (frame->channels[i].horizontal > *widest) *widest = frame->channels[i].horizontal;
    if (frame->channels[i].vertical > *tallest) *tallest = frame->channels[i].vertical;
  }
}

// Fills in all of a plane but its memory. Answers 0 for one that is not read here.
static int describe(plane *to, const eighths_frame *frame, uint32_t index) {
  const eighths_channel *channel = &frame->channels[index];
  uint32_t widest, tallest;
  largest_factors(frame, &widest, &tallest);
  const uint32_t columns = divided_up(frame->width, 8 * widest);
  if (channel->horizontal < 1 || channel->vertical < 1 || widest > 2 || tallest > 2) return 0;
  to->repeats = widest / channel->horizontal;
  to->lines = tallest / channel->vertical;
  // A.2.2: the blocks of a channel alone come in rows.
  const int is_alone = frame->channel_count == 1;
  to->across = is_alone ? 1 : channel->horizontal;
  to->down = is_alone ? 1 : channel->vertical;
  to->side = 1;
  // libjpeg takes four samples of a block where that saves making them from one.
  if (to->repeats == 2 && to->lines == 2) {
    to->side = 2;
    to->repeats = to->lines = 1;
  }
  to->stride = is_alone ? divided_up(frame->width, 8) : (size_t)columns * to->across * to->side;
  return 1;
}

static size_t plane_bytes(const plane *of, const eighths_frame *frame) {
  uint32_t widest, tallest;
  largest_factors(frame, &widest, &tallest);
  const size_t rows = frame->channel_count == 1 ? divided_up(frame->height, 8) : divided_up(frame->height, 8 * tallest);
  return of->stride * rows * of->down * of->side;
}

size_t eighths_bytes(const eighths_frame *frame) {
  if (frame->width < 1 || frame->height < 1 || frame->width > 65535 || frame->height > 65535) return 0;
  if (frame->channel_count != 1 && frame->channel_count != EIGHTHS_CHANNELS) return 0;
  size_t bytes = sizeof(eighths);
  for (uint32_t i = 0; i < frame->channel_count; i++) {
    plane of;
    if (!describe(&of, frame, i)) return 0;
    // And a line whose samples are repeated, which may have one more.
    bytes += plane_bytes(&of, frame) + divided_up(frame->width, 8) + 2;
  }
  return bytes;
}

// What is there may be of an earlier frame, which often has the same codes.
static const codes *table_of(codes *table, const eighths_codes *stated, passes *made_of_it) {
  if (table->is_made && memcmp(&table->stated, stated, sizeof *stated) == 0) return table;
  table->is_made = 0;
  if (made_of_it) made_of_it->is_made = 0;
  // F.1.2.1.1: a DC coefficient's code is a number of bits.
  if (!codes_make(table, stated, made_of_it ? 255 : 15)) return NULL;
  table->is_made = 1;
  return table;
}

eighths *eighths_make(void *memory, const eighths_frame *frame, int was_made) {
  eighths *picture = memory;
  if (!was_made) memset(picture, 0, sizeof *picture);
  uint32_t widest, tallest;
  largest_factors(frame, &widest, &tallest);
  const int is_alone = frame->channel_count == 1;
  picture->channel_count = frame->channel_count;
  picture->columns = divided_up(frame->width, is_alone ? 8 : 8 * widest);
  picture->rows = divided_up(frame->height, is_alone ? 8 : 8 * tallest);
  picture->width = divided_up(frame->width, 8);
  picture->restart_interval = frame->restart_interval;
  uint8_t *samples = (uint8_t *)(picture + 1);
  for (uint32_t i = 0; i < frame->channel_count; i++) {
    const eighths_channel *channel = &frame->channels[i];
    plane *to = &picture->planes[i];
    if (!describe(to, frame, i)) return NULL;
    memcpy(to->steps, channel->steps, sizeof to->steps);
    to->passes = &picture->passes[i];
    to->dc = table_of(&picture->tables[2 * i], &channel->dc, NULL);
    to->ac = table_of(&picture->tables[2 * i + 1], &channel->ac, &picture->passes[i]);
    if (!to->dc || !to->ac) return NULL;
    if (to->side == 1 && !to->passes->is_made) passes_make(to->passes, to->ac);
    to->samples = samples;
    samples += plane_bytes(to, frame);
    picture->lines[i] = samples;
    samples += picture->width + 2;
  }
  return picture;
}

// A reader, and whether its bits made sense.
typedef struct {
  bits rest;
  int32_t value;
  int is_right;
} step;

static inline __attribute__((always_inline)) step difference(bits from, const codes *of) {
  from = fill(from);
  const uint32_t found = next_code(from, of), size = found & 255;
  if (__builtin_expect(found == 0, 0)) return (step){from, 0, 0};
  from = drop(from, found >> 8);
  const int32_t value = signed_value(from, size);
  return (step){drop(from, size), value, 1};
}

// Moves after the AC coefficients of a block.
static inline __attribute__((always_inline)) step pass_over(bits from, const plane *of) {
  const uint32_t *by_bits = of->passes->by_bits;
  uint32_t place = 1;
  do {
    from = fill(from);
    uint32_t pass = by_bits[from.buffer >> (64 - LOOK_BITS)];
    // Bits after the last coefficient are of another block, and other codes.
    if (__builtin_expect(pass == 0 || place + PASS_BEFORE_LAST(pass) > 63, 0)) {
      const uint32_t found = next_code(from, of->ac), size = found & 15;
      if (found == 0) return (step){from, 0, 0};
      from = drop(from, (found >> 8) + size);
      if ((found & 0xFF) != 0xF0 && size == 0) return (step){from, 0, 1};
      place += (found >> 4 & 15) + 1;
      continue;
    }
    from = drop(from, PASS_BITS(pass));
    place += PASS_COUNT(pass);
    if (pass & PASS_ENDS) return (step){from, 0, 1};
    pass = by_bits[from.buffer >> (64 - LOOK_BITS)];
    if (__builtin_expect(pass == 0 || place + PASS_BEFORE_LAST(pass) > 63, 0)) continue;
    from = drop(from, PASS_BITS(pass));
    place += PASS_COUNT(pass);
    if (pass & PASS_ENDS) return (step){from, 0, 1};
  } while (place < 64);
  return (step){from, 0, place == 64};
}

// Where the coefficients of the zigzag stand in rows, T.81 figure A.6.
static const uint8_t by_zigzag[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// Reads the AC coefficients of a block, which has zeros. The value says whether there are any.
static inline __attribute__((always_inline)) step coefficients(bits from, const plane *of, int16_t block[64]) {
  uint32_t place = 1;
  int32_t some = 0;
  do {
    from = fill(from);
    const uint32_t found = next_code(from, of->ac), size = found & 15, run = found >> 4 & 15;
    if (found == 0) return (step){from, 0, 0};
    from = drop(from, found >> 8);
    if (size == 0) {
      if (run != 15) return (step){from, some, 1};
      place += 16;
      continue;
    }
    place += run;
    if (place > 63) return (step){from, 0, 0};
    block[by_zigzag[place++]] = (int16_t)signed_value(from, size);
    from = drop(from, size);
    some = 1;
  } while (place < 64);
  return (step){from, some, place == 64};
}

// Decodes a block to one sample, or to four.
static inline __attribute__((always_inline)) step block_of(bits from, const plane *of, int16_t *prediction, uint8_t *to) {
  step at = difference(from, of->dc);
  if (!at.is_right) return at;
  *prediction = (int16_t)(*prediction + at.value);
  const int32_t even = *prediction * of->steps[0];
  *to = transform_to_one(even);
  if (of->side == 1) return pass_over(at.rest, of);
  int16_t block[64] = {0};
  at = coefficients(at.rest, of, block);
  if (at.value || even < -4096 || even >= 4096) {
    block[0] = *prediction;
    transform_to_four(block, of->steps, to, of->stride);
  } else {
    to[1] = to[of->stride] = to[of->stride + 1] = *to;
  }
  return at;
}

// Moves what is left of a segment to the front, and adds what follows, as far as there is room: B.1.1.5, a byte of ones that is no
// marker has a zero after it. Answers 0 if the bytes end before a marker.
static int add_bytes(eighths *picture, bits *from, eighths_input *input) {
  uint8_t *to = picture->segment;
  const size_t left = (size_t)(picture->end - from->next);
  memmove(to, from->next, left);
  from->next = to;
  uint8_t *const start = to;
  to += left;
  while (to < start + SEGMENT_BYTES) {
    if (input->end - input->next < 2 && !(input->more(input) && input->end - input->next >= 2)) return 0;
    // The last byte of a window is looked at with the next one.
    size_t count = (size_t)(input->end - input->next) - 1;
    if (count > (size_t)(start + SEGMENT_BYTES - to)) count = (size_t)(start + SEGMENT_BYTES - to);
    const uint8_t *ones = memchr(input->next, 0xFF, count);
    if (ones) count = (size_t)(ones - input->next);
    memcpy(to, input->next, count);
    to += count;
    input->next += count;
    if (!ones) continue;
    if (input->next[1] != 0) {
      picture->is_last = 1;
      break;
    }
    *to++ = 0xFF;
    input->next += 2;
  }
  picture->end = to;
  memset(to, 0, MCU_BYTES + 16);
  return 1;
}

// Whether a reader has come to the end of its segment: fewer bits than a byte are left, and none was read that is not there.
static int is_over(const eighths *picture, bits from) {
  const ptrdiff_t left = (picture->end - from.next) * 8 + (ptrdiff_t)from.count;
  return picture->is_last && left >= 0 && left < 8;
}

// Begins the next segment, B.2.1: a restart marker stands between two.
static int restart(eighths *picture, bits *from, eighths_input *input) {
  if (!is_over(picture, *from) || input->end - input->next < 2) return 0;
  if (input->next[0] != 0xFF || input->next[1] < 0xD0 || input->next[1] > 0xD7) return 0;
  input->next += 2;
  picture->is_last = 0;
  picture->end = picture->segment;
  *from = (bits){.next = picture->segment};
  return 1;
}

// Decodes the blocks of an MCU.
static inline __attribute__((always_inline)) step unit_of(bits rest, eighths *picture, int16_t *predictions, uint32_t row, uint32_t column) {
  for (uint32_t i = 0; i < picture->channel_count; i++) {
    const plane *of = &picture->planes[i];
    for (uint32_t y = 0; y < of->down; y++) {
      uint8_t *to = of->samples + ((size_t)row * of->down + y) * of->side * of->stride + (size_t)column * of->across * of->side;
      for (uint32_t x = 0; x < of->across; x++, to += of->side) {
        const step at = block_of(rest, of, &predictions[i], to);
        if (!at.is_right) return at;
        rest = at.rest;
      }
    }
  }
  return (step){rest, 0, 1};
}

int eighths_decode(eighths *picture, eighths_input *input) {
  bits rest = {.next = picture->segment};
  int16_t predictions[EIGHTHS_CHANNELS] = {0};
  uint32_t until_restart = picture->restart_interval;
  picture->end = picture->segment;
  picture->is_last = 0;
  for (uint32_t row = 0; row < picture->rows; row++) {
    for (uint32_t column = 0; column < picture->columns; column++) {
      if (picture->restart_interval > 0 && until_restart-- == 0) {
        bits behind = rest;
        if (!restart(picture, &behind, input)) return 0;
        rest = behind;
        memset(predictions, 0, sizeof predictions);
        until_restart = picture->restart_interval - 1;
      }
      if (picture->end - rest.next < MCU_BYTES && !picture->is_last) {
        bits further = rest;
        if (!add_bytes(picture, &further, input)) return 0;
        rest = further;
      }
      const step at = unit_of(rest, picture, predictions, row, column);
      // Of what was read, at most eight bytes are in the buffer.
      if (!at.is_right || at.rest.next > picture->end + 8) return 0;
      rest = at.rest;
    }
  }
  return is_over(picture, rest);
}

const uint8_t *eighths_line(eighths *picture, uint32_t channel, uint32_t y) {
  const plane *of = &picture->planes[channel];
  const uint8_t *samples = of->samples + (size_t)(y / of->lines) * of->stride;
  if (of->repeats == 1) return samples;
  uint8_t *line = picture->lines[channel];
  for (uint32_t x = 0; x < divided_up(picture->width, 2); x++) line[2 * x] = line[2 * x + 1] = samples[x];
  return line;
}
