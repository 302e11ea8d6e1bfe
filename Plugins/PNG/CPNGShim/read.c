// SPDX-License-Identifier: Apache-2.0
//
// Decoding one picture with libpng: those of which `cpng_decode` has no loop for the pixels.
//
// libpng is shown the image data as IDAT chunks of the pieces in which it is read, whether it lies in IDAT or in fdAT
// chunks. It is told to leave CRCs alone: those of the file are checked where the pieces come from.

#include "read.h"

#include <CPNGRows.h>
#include <setjmp.h>
#include <string.h>

#include "image_data.h"
#include "session.h"

// Rows asked of the sink at a time.
#define ROWS_AT_A_TIME 16u

typedef struct reader {
  cpng_session session;  // first: libpng's callbacks see it
  const cpng_picture *picture;
  const imgcoder_sink *sink;

  // The stream that libpng sees: made-up bytes, then a piece of image data, which lives until the next one is asked for.
  const uint8_t *pending;
  uint64_t pending_length;
  uint8_t made_up[8];  // length and name of a chunk
  cpng_image_data data;
  const uint8_t *piece;
  uint64_t piece_length;
  uint64_t behind;  // bytes of image data that were read behind the last row
  int is_over;      // enough of these

  uint32_t width, height, pass, row;  // of the pass, `row` rows are decoded
  int is_interlaced;
  imgcoder_rows rows;      // granted, not yet done
  uint32_t rows_start;
  uint32_t rows_done;      // of the granted ones, those that were reported all the same
  uint32_t shown_pass, shown_row;  // rows above this one show the pass, the others what the pass before made of them
} reader;

// Bytes after the last row that are read. libpng inflates all image data to its end, which may be a thousand times as
// much; what follows the last row is the end of the stream and its checksum.
#define MOST_BEHIND 4096u

// Where the bytes that libpng was shown end: goes on with four for the CRC of the chunk, which it does not look at, and
// then with the next piece as a chunk of its own, or the end of the file.
static void show_more(reader *r) {
  static const uint8_t end[12] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xAE, 0x42, 0x60, 0x82};
  imgcoder_status status = IMGCODER_STATUS_OK;
  if (r->piece) {
    if (r->data.payload == 0) status = cpng_image_data_close(&r->data, 0);
    r->piece = NULL;
    r->pending = end;
    r->pending_length = 4;
  } else {
    status = cpng_image_data_next(&r->data, &r->piece, &r->piece_length);
    cpng_store32(r->made_up, (uint32_t)r->piece_length);
    cpng_store32(r->made_up + 4, CPNG_IDAT);
    r->pending = r->piece_length > 0 ? r->made_up : end;
    r->pending_length = r->piece_length > 0 ? sizeof r->made_up : sizeof end;
  }
  if (status != IMGCODER_STATUS_OK) png_error(r->session.png, "see above");
}

static int has_all_rows(const reader *r) {
  png_structp png = r->session.png;
  return r->is_interlaced ? png_get_current_pass_number(png) >= PNG_INTERLACE_ADAM7_PASSES
                          : png_get_current_row_number(png) >= r->height;
}

static void on_read(png_structp png, png_bytep bytes, size_t length) {
  reader *r = png_get_io_ptr(png);
  if (r->height > 0 && has_all_rows(r) && (r->behind += length) > MOST_BEHIND) {
    r->is_over = 1;
    png_longjmp(png, 1);
  }
  while (length > 0) {
    if (r->pending_length == 0 && r->piece_length == 0) show_more(r);
    const uint8_t **from = r->pending_length > 0 ? &r->pending : &r->piece;
    uint64_t *left = r->pending_length > 0 ? &r->pending_length : &r->piece_length;
    const uint64_t count = *left < length ? *left : length;
    memcpy(bytes, *from, count);
    *from += count;
    *left -= count;
    bytes += count;
    length -= count;
  }
  r->session.offset = (int64_t)r->data.offset;  // about where libpng finds what it complains of
}

static void prepare(reader *r) {
  png_structp png = r->session.png;
  png_infop info = r->session.info;
  const imgcoder_limits *limits = r->session.host->limits;
  uint32_t transforms = r->picture->transforms;
  png_set_read_fn(png, r, on_read);
  png_set_user_limits(png, limits->max_side, limits->max_side);
  // libpng sees no metadata, only PLTE and tRNS of checked sizes and IDAT, for which its own limit is too narrow.
  png_set_chunk_malloc_max(png, 0);
  png_set_chunk_cache_max(png, 16);
  png_set_benign_errors(png, 1);
  png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
  png_set_check_for_invalid_index(png, 0);
  png_set_compression_buffer_size(png, CPNG_BUFFER);
  png_read_info(png, info);
  r->width = png_get_image_width(png, info);
  r->height = png_get_image_height(png, info);
  r->is_interlaced = png_get_interlace_type(png, info) == PNG_INTERLACE_ADAM7;
  png_set_expand(png);
  if (transforms & CPNG_SCALE_16) png_set_scale_16(png);
  if (transforms & CPNG_EXPAND_16) png_set_expand_16(png);
  if (transforms & CPNG_GRAY_TO_RGB) png_set_gray_to_rgb(png);
  if (transforms & CPNG_ADD_ALPHA) png_set_add_alpha(png, 0xFFFF, PNG_FILLER_AFTER);
  if (transforms & CPNG_BGR) png_set_bgr(png);
  int is_deep = png_get_bit_depth(png, info) == 16 ? !(transforms & CPNG_SCALE_16) : !!(transforms & CPNG_EXPAND_16);
  if (is_deep && cpng_is_little_endian()) png_set_swap(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != r->picture->row_bytes) {
    cpng_fail(&r->session, IMGCODER_STATUS_LIBRARY, "libpng makes rows of %llu bytes, %llu were expected",
              (unsigned long long)png_get_rowbytes(png, info), (unsigned long long)r->picture->row_bytes);
    png_error(png, "see above");
  }
}

static imgcoder_status refuse(reader *r, imgcoder_status status) {
  r->session.offset = -1;
  return cpng_fail(&r->session, status,
                   status == IMGCODER_STATUS_CANCELLED ? "cancelled by the caller" : "the host takes no more rows");
}

static imgcoder_status ask_rows(reader *r, uint32_t count) {
  imgcoder_status status = r->sink->rows(r->sink, r->row, count, &r->rows);
  if (status == IMGCODER_STATUS_OK && (r->rows.count == 0 || r->rows.count > count)) {
    status = IMGCODER_STATUS_INVALID_ARGUMENT;
  }
  if (status != IMGCODER_STATUS_OK) {
    r->rows.count = 0;
    return refuse(r, status);
  }
  r->rows_start = r->row;
  r->rows_done = 0;
  return status;
}

// Reports the granted rows, `count` of them, and gives them back.
static imgcoder_status report_rows(reader *r, uint32_t count) {
  imgcoder_status status = IMGCODER_STATUS_OK;
  r->rows.count = 0;
  if (count > r->rows_done) {
    status = r->sink->done(r->sink, r->rows_start + r->rows_done, count - r->rows_done, r->pass);
  }
  return status == IMGCODER_STATUS_OK ? status : refuse(r, status);
}

static cpng_canvas canvas_of(const reader *r) {
  uint32_t pixel_bytes = (uint32_t)(r->picture->row_bytes / r->width);
  return (cpng_canvas){r->rows.pixels, r->rows.stride, r->width, r->height, pixel_bytes};
}

// Reports the granted rows that are there and keeps the others; of an interlaced picture, all that its passes show.
static imgcoder_status show_rows(void *context) {
  reader *r = context;
  const imgcoder_sink *sink = r->sink;
  if (r->rows.count == 0) return IMGCODER_STATUS_OK;
  imgcoder_status status = IMGCODER_STATUS_OK;
  uint32_t start = r->rows_start + r->rows_done;
  if (!r->is_interlaced) {
    r->rows_done = r->row - r->rows_start;
    return r->row > start ? sink->done(sink, start, r->row - start, r->pass) : status;
  }
  // libpng reads what follows the last row before it returns the row, which is whole then.
  if (png_get_current_pass_number(r->session.png) >= PNG_INTERLACE_ADAM7_PASSES) return status;
  cpng_canvas canvas = canvas_of(r);
  uint32_t end = cpng_rows_of_pass(&canvas, r->pass, r->row);
  start = r->shown_pass == r->pass ? r->shown_row : 0;
  cpng_spread(&canvas, r->pass, start, end);
  if (r->shown_pass < r->pass) {
    uint32_t rest = r->shown_pass + 1 == r->pass && r->shown_row > end ? r->shown_row : end;
    cpng_spread(&canvas, r->pass - 1, rest, r->height);
    if (rest < r->height) status = sink->done(sink, rest, r->height - rest, r->pass - 1);
  }
  r->shown_pass = r->pass;
  r->shown_row = end;
  return status == IMGCODER_STATUS_OK && end > start ? sink->done(sink, start, end - start, r->pass) : status;
}

// The only function here that longjmp returns to. Its state is the caller's.
static imgcoder_status decode_rows(reader *r) {
  const imgcoder_host *host = r->session.host;
  png_structp png = r->session.png;
  imgcoder_status status;
  if (setjmp(png_jmpbuf(png))) {
    // libpng reads what follows the last row before it returns the row, which is whole then.
    return r->is_over ? report_rows(r, r->height - r->rows_start) : r->session.failure->status;
  }
  prepare(r);
  if (!r->is_interlaced) {
    while (r->row < r->height) {
      uint32_t left = r->height - r->row;
      if ((status = ask_rows(r, left < ROWS_AT_A_TIME ? left : ROWS_AT_A_TIME))) return status;
      uint32_t count = r->rows.count;
      for (uint32_t i = 0; i < count; i++) {
        if (host->is_cancelled(host)) return refuse(r, IMGCODER_STATUS_CANCELLED);
        png_read_row(png, r->rows.pixels + i * r->rows.stride, NULL);
        r->row++;
      }
      if ((status = report_rows(r, count))) return status;
    }
    return IMGCODER_STATUS_OK;
  }
  for (r->pass = 0; r->pass < PNG_INTERLACE_ADAM7_PASSES; r->pass++) {
    r->row = 0;
    if ((status = ask_rows(r, r->height))) return status;
    if (r->rows.count != r->height) return refuse(r, IMGCODER_STATUS_INVALID_ARGUMENT);
    if (r->pass == 0) {
      // A pass writes some pixels of a row; the others have to be defined too.
      for (uint32_t y = 0; y < r->height; y++) memset(r->rows.pixels + y * r->rows.stride, 0, r->picture->row_bytes);
    }
    for (; r->row < r->height; r->row++) {
      if (host->is_cancelled(host)) return refuse(r, IMGCODER_STATUS_CANCELLED);
      png_read_row(png, r->rows.pixels + r->row * r->rows.stride, NULL);
    }
    if ((status = report_rows(r, r->height))) return status;
  }
  return IMGCODER_STATUS_OK;
}

// Lets the passes that are there stand for those that are missing.
static void spread_passes(reader *r) {
  cpng_canvas canvas = canvas_of(r);
  uint32_t end = cpng_rows_of_pass(&canvas, r->pass, r->row);
  cpng_spread(&canvas, r->pass, 0, end);
  if (r->pass > 0) cpng_spread(&canvas, r->pass - 1, end, r->height);
}

// Hands out what was decoded before the file turned out to be bad.
static imgcoder_status salvage(reader *r, imgcoder_status failure) {
  imgcoder_status status = IMGCODER_STATUS_OK;
  png_structp png = r->session.png;
  if (r->rows.count == 0) return failure;
  if (r->is_interlaced) {
    // libpng reads what follows the last row before it returns the row.
    if (png_get_current_pass_number(png) >= PNG_INTERLACE_ADAM7_PASSES) r->row = r->height;
    if (r->pass > 0 || r->row > 0) {
      spread_passes(r);
      status = report_rows(r, r->height);
    }
  } else {
    if (png_get_current_row_number(png) >= r->height) r->row = r->height;
    status = report_rows(r, r->row - r->rows_start);
  }
  if (status == IMGCODER_STATUS_OK) return failure;
  r->session.failure->status = status;
  return status;
}

imgcoder_status cpng_decode_by_libpng(const cpng_picture *picture, const imgcoder_sink *sink, cpng_failure *failure) {
  reader r = {0};
  cpng_session *session = &r.session;
  session->host = picture->host;
  session->failure = failure;
  session->offset = -1;
  session->fallback = IMGCODER_STATUS_MALFORMED;
  r.picture = picture;
  r.sink = sink;
  r.pending = picture->lead;
  r.pending_length = picture->lead_length;
  cpng_image_data_begin(&r.data, picture, failure);
  r.data.on_wait = show_rows;
  r.data.context = &r;
  session->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, session, cpng_on_error, cpng_on_warning, session,
                                          cpng_on_malloc, cpng_on_free);
  session->info = session->png ? png_create_info_struct(session->png) : NULL;
  imgcoder_status status;
  if (session->info) {
    status = decode_rows(&r);
    if (status == IMGCODER_STATUS_OK && !r.is_over) status = cpng_image_data_close(&r.data, MOST_BEHIND - r.behind);
    if (status >> 4 == IMGCODER_STATUS_MALFORMED >> 4) status = salvage(&r, status);
  } else {
    status = cpng_no_start(session);
  }
  png_destroy_read_struct(&session->png, &session->info, NULL);
  return status;
}
