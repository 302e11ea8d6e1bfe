// SPDX-License-Identifier: Apache-2.0
//
// From inflated bytes to rows in the sink's memory.

#include "rows.h"

#include <string.h>

// Rows asked of the sink at a time.
#define ROWS_AT_A_TIME 16u

#define PASSES 7u

static const cpng_pass adam7[PASSES] = {{0, 0, 8, 8, 0, 0, 0}, {4, 0, 8, 8, 0, 0, 0}, {0, 4, 4, 8, 0, 0, 0},
                                        {2, 0, 4, 4, 0, 0, 0}, {0, 2, 2, 4, 0, 0, 0}, {1, 0, 2, 2, 0, 0, 0},
                                        {0, 1, 1, 2, 0, 0, 0}};

static imgcoder_status refuse(cpng_decoder *d, imgcoder_status status) {
  return cpng_note(d->failure, status, -1,
                   status == IMGCODER_STATUS_CANCELLED ? "cancelled by the caller" : "the host takes no more rows");
}

static imgcoder_status ask_rows(cpng_decoder *d, uint32_t start, uint32_t count) {
  imgcoder_status status = d->sink->rows(d->sink, start, count, &d->rows);
  if (status == IMGCODER_STATUS_OK && (d->rows.count == 0 || d->rows.count > count)) {
    status = IMGCODER_STATUS_INVALID_ARGUMENT;
  }
  if (status != IMGCODER_STATUS_OK) {
    d->rows.count = 0;
    return refuse(d, status);
  }
  d->rows_start = start;
  d->rows_done = 0;
  return status;
}

// Reports the granted rows, `count` of them, and gives them back.
static imgcoder_status report_rows(cpng_decoder *d, uint32_t count) {
  imgcoder_status status = IMGCODER_STATUS_OK;
  d->rows.count = 0;
  if (count > d->rows_done) {
    status = d->sink->done(d->sink, d->rows_start + d->rows_done, count - d->rows_done, d->pass_index);
  }
  return status == IMGCODER_STATUS_OK ? status : refuse(d, status);
}

static uint8_t *granted_row(const cpng_decoder *d, uint32_t y) {
  return d->rows.pixels + (uint64_t)(y - d->rows_start) * d->rows.stride;
}

int cpng_has_all_rows(const cpng_decoder *d) {
  return d->pass_index == (d->stored.is_interlaced ? PASSES : 1);
}

// Begins a pass: finds its size, and for an interlaced picture asks for all rows.
static imgcoder_status begin_pass(cpng_decoder *d) {
  const cpng_pass whole = {0, 0, 1, 1, 0, 0, 0};
  const cpng_stored *stored = &d->stored;
  cpng_pass pass = stored->is_interlaced ? adam7[d->pass_index] : whole;
  if (pass.x < stored->width) pass.width = (stored->width - pass.x + pass.dx - 1) / pass.dx;
  if (pass.y < stored->height) pass.height = (stored->height - pass.y + pass.dy - 1) / pass.dy;
  if (pass.width == 0) pass.height = 0;
  pass.row_length = ((size_t)pass.width * cpng_stored_bits(stored) + 7) / 8;
  d->pass = pass;
  d->row = 0;
  d->above = d->zeros;
  d->color.width = pass.width;
  if (!stored->is_interlaced) return IMGCODER_STATUS_OK;
  imgcoder_status status = ask_rows(d, 0, stored->height);
  if (status != IMGCODER_STATUS_OK) return status;
  if (d->rows.count != stored->height) return refuse(d, IMGCODER_STATUS_INVALID_ARGUMENT);
  if (d->pass_index == 0) {
    // A pass writes some pixels of a row; the others have to be defined too.
    for (uint32_t y = 0; y < stored->height; y++) memset(granted_row(d, y), 0, d->picture->row_bytes);
  }
  return status;
}

static inline __attribute__((always_inline)) void spread_pixels(const uint8_t *from, uint8_t *to, uint32_t width,
                                                                uint32_t dx, size_t size) {
  for (uint32_t x = 0; x < width; x++) memcpy(to + (size_t)x * dx * size, from + x * size, size);
}

// Puts the pixels of a row of a pass where they belong.
static void place_pixels(const cpng_decoder *d, const uint8_t *from, uint8_t *row) {
  const unsigned size = d->expansion.pixel_bytes;
  const cpng_pass *pass = &d->pass;
  uint8_t *to = row + (size_t)pass->x * size;
  if (pass->dx == 1) {
    memcpy(to, from, (size_t)pass->width * size);
    return;
  }
  switch (size) {
    case 1: spread_pixels(from, to, pass->width, pass->dx, 1); break;
    case 2: spread_pixels(from, to, pass->width, pass->dx, 2); break;
    case 3: spread_pixels(from, to, pass->width, pass->dx, 3); break;
    case 4: spread_pixels(from, to, pass->width, pass->dx, 4); break;
    case 6: spread_pixels(from, to, pass->width, pass->dx, 6); break;
    default: spread_pixels(from, to, pass->width, pass->dx, 8); break;
  }
}

// A line that is not the row above.
static uint8_t *free_line(const cpng_decoder *d, const uint8_t *taken) {
  for (unsigned i = 0; i < 2; i++) {
    if (d->lines[i] != d->above && d->lines[i] != taken) return d->lines[i];
  }
  return d->lines[2];
}

// Puts an unfiltered row where it belongs.
static void deliver(const cpng_decoder *d, const uint8_t *line, uint32_t row) {
  const cpng_pass *pass = &d->pass;
  uint8_t *to = granted_row(d, pass->y + row * pass->dy);
  if (d->is_color || !d->expansion.expand) {
    if (line != to) place_pixels(d, line, to);
    return;
  }
  uint8_t *pixels = pass->dx == 1 ? to + (size_t)pass->x * d->expansion.pixel_bytes : d->spread_line;
  d->expansion.expand(&d->expansion, line, pixels, pass->width);
  if (pixels == d->spread_line) place_pixels(d, pixels, to);
}

// Whether rows are unfiltered straight into the sink's memory.
static int is_direct(const cpng_decoder *d) { return d->is_color && !d->stored.is_interlaced; }

static void take_pair(cpng_decoder *d) {
  const size_t row_size = d->pass.row_length + 1;
  const uint8_t *in[2] = {d->next_row + 1, d->next_row + row_size + 1};
  uint8_t *out[2];
  if (is_direct(d)) {
    out[0] = granted_row(d, d->row);
    out[1] = out[0] + d->rows.stride;
  } else {
    out[0] = free_line(d, NULL);
    out[1] = free_line(d, out[0]);
  }
  if (d->is_color) d->kernels->color_pair(in, out, d->above, &d->color);
  else d->kernels->triple_pair(in, out, d->above, d->pass.width);
  if (!is_direct(d)) {
    deliver(d, out[0], d->row);
    deliver(d, out[1], d->row + 1);
  }
  d->above = out[1];
}

static void take_row(cpng_decoder *d) {
  const unsigned filter = d->next_row[0];
  const uint8_t *in = d->next_row + 1;
  if (d->is_color) {
    uint8_t *out = is_direct(d) ? granted_row(d, d->row) : free_line(d, NULL);
    d->kernels->color(filter, in, out, d->above, &d->color);
    if (!is_direct(d)) deliver(d, out, d->row);
    d->above = out;
    return;
  }
  if (filter == 0) {
    // The row above may stay in the window until that moves on.
    d->above = in;
  } else {
    uint8_t *out = free_line(d, NULL);
    d->kernels->samples(filter, in, out, d->above, d->pass.row_length, d->step);
    d->above = out;
  }
  deliver(d, d->above, d->row);
}

// Whether the next two rows can be unfiltered together.
static int is_pair(const cpng_decoder *d, size_t available) {
  const size_t row_size = d->pass.row_length + 1;
  if (available < 2 * row_size || d->pass.height - d->row < 2) return 0;
  if (!d->is_color && (d->stored.bit_depth != 8 || d->expansion.channels != 3)) return 0;
  if (!d->stored.is_interlaced && d->row + 2 > d->rows_start + d->rows.count) return 0;
  return d->next_row[0] == 4 && d->next_row[row_size] == 4;
}

// The batch of rows is complete: the last one is kept, because the next is made with it.
static imgcoder_status end_batch(cpng_decoder *d) {
  if (is_direct(d)) {
    memcpy(d->lines[0], d->above, d->picture->row_bytes);
    d->above = d->lines[0];
  }
  return report_rows(d, d->rows.count);
}

imgcoder_status cpng_take_rows(cpng_decoder *d) {
  imgcoder_status status;
  while (!cpng_has_all_rows(d)) {
    if (d->pass.dx == 0 && (status = begin_pass(d))) return status;
    while (d->row < d->pass.height) {
      const size_t available = (size_t)(d->out - d->next_row), row_size = d->pass.row_length + 1;
      if (available < row_size) return IMGCODER_STATUS_OK;
      if (d->rows.count == 0) {
        const uint32_t left = d->pass.height - d->row;
        if ((status = ask_rows(d, d->row, left < ROWS_AT_A_TIME ? left : ROWS_AT_A_TIME))) return status;
      }
      if (d->next_row[0] > 4) {
        return cpng_note(d->failure, IMGCODER_STATUS_MALFORMED, (int64_t)d->data.offset,
                         "a row with filter type %u, 0 to 4 are defined", d->next_row[0]);
      }
      const uint32_t count = is_pair(d, available) ? 2 : 1;
      if (count == 2) take_pair(d);
      else take_row(d);
      d->next_row += count * row_size;
      d->row += count;
      if (!d->stored.is_interlaced && d->row == d->rows_start + d->rows.count && (status = end_batch(d))) return status;
    }
    if (d->stored.is_interlaced && (status = report_rows(d, d->stored.height))) return status;
    d->pass_index++;
    d->pass.dx = 0;
  }
  return IMGCODER_STATUS_OK;
}

static cpng_canvas canvas_of(const cpng_decoder *d) {
  return (cpng_canvas){d->rows.pixels, d->rows.stride, d->stored.width, d->stored.height, d->expansion.pixel_bytes};
}

// Of an interlaced picture: the row that the pass comes to next.
static uint32_t next_place(const cpng_decoder *d) {
  const uint64_t y = d->row < d->pass.height ? d->pass.y + (uint64_t)d->row * d->pass.dy : d->stored.height;
  return y < d->stored.height ? (uint32_t)y : d->stored.height;
}

imgcoder_status cpng_show_rows(void *context) {
  cpng_decoder *d = context;
  const imgcoder_sink *sink = d->sink;
  imgcoder_status status = IMGCODER_STATUS_OK;
  if (d->rows.count == 0) return status;
  if (!d->stored.is_interlaced) {
    const uint32_t start = d->rows_start + d->rows_done;
    d->rows_done = d->row - d->rows_start;
    return d->row > start ? sink->done(sink, start, d->row - start, d->pass_index) : status;
  }
  cpng_canvas canvas = canvas_of(d);
  const uint32_t pass = d->pass_index, end = cpng_rows_of_pass(&canvas, pass, next_place(d));
  const uint32_t start = d->shown_pass == pass ? d->shown_row : 0;
  cpng_spread(&canvas, pass, start, end);
  if (d->shown_pass < pass) {
    const uint32_t rest = d->shown_pass + 1 == pass && d->shown_row > end ? d->shown_row : end;
    cpng_spread(&canvas, pass - 1, rest, canvas.height);
    if (rest < canvas.height) status = sink->done(sink, rest, canvas.height - rest, pass - 1);
  }
  d->shown_pass = pass;
  d->shown_row = end;
  return status == IMGCODER_STATUS_OK && end > start ? sink->done(sink, start, end - start, pass) : status;
}

imgcoder_status cpng_salvage_rows(cpng_decoder *d, imgcoder_status failure) {
  imgcoder_status status = IMGCODER_STATUS_OK;
  if (d->rows.count == 0) return failure;
  if (!d->stored.is_interlaced) {
    status = report_rows(d, d->row - d->rows_start);
  } else if (d->pass_index > 0 || d->row > 0) {
    // The passes that are there stand for those that are missing.
    cpng_canvas canvas = canvas_of(d);
    const uint32_t end = cpng_rows_of_pass(&canvas, d->pass_index, next_place(d));
    cpng_spread(&canvas, d->pass_index, 0, end);
    if (d->pass_index > 0) cpng_spread(&canvas, d->pass_index - 1, end, canvas.height);
    status = report_rows(d, canvas.height);
  }
  if (status == IMGCODER_STATUS_OK) return failure;
  d->failure->status = status;
  return status;
}
