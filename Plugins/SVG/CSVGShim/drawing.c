// SPDX-License-Identifier: Apache-2.0

#include "CSVGShim.h"

#include <librsvg/rsvg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Pixels in an inch of CSS.
static const double resolution = 96;
// librsvg's own size of letters, where lengths count in it and the document states none.
static const double font_size = 12;

struct csvg_drawing {
  RsvgHandle *handle;
};

static void fail(csvg_failure *failure, imgcoder_status status, const char *message) {
  failure->status = status;
  snprintf(failure->message, sizeof failure->message, "%s", message ? message : "no reason is given");
  // What libxml2 says ends with a line break.
  for (size_t end = strlen(failure->message); end > 0 && failure->message[end - 1] == '\n'; end--) {
    failure->message[end - 1] = 0;
  }
}

// libxml2's numbers of what a document lacks that ends early: a tag, the rest of a tag or comment, an element.
static int is_cut_off(const char *message) {
  static const int codes[] = {4, 73, 77};
  const char *code = strstr(message, " code ");
  int number = code ? atoi(code + 6) : 0, found = 0;
  for (size_t index = 0; index < sizeof codes / sizeof *codes; index++) found |= number == codes[index];
  return found;
}

// Of librsvg's sentences only the beginning: what follows may be the document's own text.
static void fail_parsing(csvg_failure *failure, const GError *error) {
  const char *message = error ? error->message : "";
  char text[160];
  int domain = 0, code = 0, line = 0;
  if (sscanf(message, "XML parse error: Error domain %d code %d on line %d", &domain, &code, &line) == 3) {
    snprintf(text, sizeof text, "the document is no XML from line %d on (libxml2's error %d)", line, code);
  } else if (strstr(message, "too short")) {
    snprintf(text, sizeof text, "the document ends before it begins");
  } else if (strstr(message, "limit")) {
    fail(failure, IMGCODER_STATUS_UNSUPPORTED, "the document has more elements than librsvg allows");
    return;
  } else {
    snprintf(text, sizeof text, "librsvg reads no drawing in the document");
  }
  fail(failure, IMGCODER_STATUS_MALFORMED, text);
  if (is_cut_off(message)) failure->status = IMGCODER_STATUS_TRUNCATED;
}

csvg_drawing *csvg_open(const uint8_t *bytes, size_t length, csvg_failure *failure) {
  GError *error = NULL;
  csvg_drawing *drawing = calloc(1, sizeof *drawing);
  if (!drawing) {
    fail(failure, IMGCODER_STATUS_OUT_OF_MEMORY, "no memory for a drawing");
    return NULL;
  }
  drawing->handle = rsvg_handle_new_from_data(bytes, length, &error);
  if (!drawing->handle) {
    fail_parsing(failure, error);
    g_clear_error(&error);
    free(drawing);
    return NULL;
  }
  rsvg_handle_set_dpi(drawing->handle, resolution);
  return drawing;
}

void csvg_close(csvg_drawing *drawing) {
  g_object_unref(drawing->handle);
  free(drawing);
}

static double pixels(RsvgLength length) {
  switch (length.unit) {
    case RSVG_UNIT_EM: return length.length * font_size;
    case RSVG_UNIT_EX: return length.length * font_size / 2;
    case RSVG_UNIT_IN: return length.length * resolution;
    case RSVG_UNIT_CM: return length.length * resolution / 2.54;
    case RSVG_UNIT_MM: return length.length * resolution / 25.4;
    case RSVG_UNIT_PT: return length.length * resolution / 72;
    case RSVG_UNIT_PC: return length.length * resolution / 6;
    default: return length.length;
  }
}

csvg_dimensions csvg_measure(csvg_drawing *drawing) {
  gboolean has_width = 0, has_height = 0, has_box = 0;
  RsvgLength width = {0}, height = {0};
  RsvgRectangle box = {0};
  rsvg_handle_get_intrinsic_dimensions(drawing->handle, &has_width, &width, &has_height, &height, &has_box, &box);
  csvg_dimensions found = {
      .states_width = has_width && width.unit != RSVG_UNIT_PERCENT,
      .states_height = has_height && height.unit != RSVG_UNIT_PERCENT,
      .has_view_box = has_box,
      .box_width = box.width,
      .box_height = box.height,
  };
  // It knows the size of letters, but needs both sides.
  if (!rsvg_handle_get_intrinsic_size_in_pixels(drawing->handle, &found.width, &found.height)) {
    found.width = pixels(width);
    found.height = pixels(height);
  }
  return found;
}

// cairo has blue in the lowest byte of a word in the processor's order, the host red in the first byte.
static void to_bytes(uint8_t *row, uint32_t columns) {
  for (uint32_t x = 0; x < columns; x++, row += 4) {
    uint32_t pixel;
    memcpy(&pixel, row, 4);
    row[0] = (uint8_t)(pixel >> 16);
    row[1] = (uint8_t)(pixel >> 8);
    row[2] = (uint8_t)pixel;
    row[3] = (uint8_t)(pixel >> 24);
  }
}

static imgcoder_status check(cairo_status_t status, csvg_failure *failure) {
  if (status == CAIRO_STATUS_SUCCESS) return IMGCODER_STATUS_OK;
  int no_memory = status == CAIRO_STATUS_NO_MEMORY;
  fail(failure, no_memory ? IMGCODER_STATUS_OUT_OF_MEMORY : IMGCODER_STATUS_LIBRARY, cairo_status_to_string(status));
  return failure->status;
}

static imgcoder_status draw(csvg_drawing *drawing, const csvg_area *area, cairo_t *context, csvg_failure *failure) {
  GError *error = NULL;
  RsvgRectangle place = {0, 0, area->width, area->height};
  cairo_translate(context, -(double)area->x, -(double)area->y);
  cairo_scale(context, area->across, area->down);
  if (rsvg_handle_render_document(drawing->handle, context, &place, &error)) {
    return check(cairo_status(context), failure);
  }
  const char *message = error && error->message ? error->message : "";
  if (strstr(message, "limit")) {
    fail(failure, IMGCODER_STATUS_UNSUPPORTED, "the drawing refers to its elements more often than librsvg allows");
  } else {
    fail(failure, strstr(message, "memory") ? IMGCODER_STATUS_OUT_OF_MEMORY : IMGCODER_STATUS_LIBRARY, message);
  }
  g_clear_error(&error);
  return failure->status;
}

imgcoder_status csvg_draw(csvg_drawing *drawing, const csvg_area *area, uint8_t *pixels, size_t stride,
                          csvg_failure *failure) {
  size_t row_bytes = (size_t)area->columns * 4;
  if (area->columns == 0 || area->rows == 0 || area->columns > CSVG_LARGEST_SIDE || area->rows > CSVG_LARGEST_SIDE ||
      stride % 4 != 0 || stride < row_bytes || stride > INT32_MAX) {
    fail(failure, IMGCODER_STATUS_INVALID_ARGUMENT, "a part of a drawing that cairo cannot hold");
    return failure->status;
  }
  // As cairo has it: words in the processor's order, alpha in the highest byte.
  for (size_t place = 0; place < stride * area->rows; place += 4) memcpy(pixels + place, &area->background, 4);
  cairo_surface_t *surface = cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_ARGB32, (int)area->columns,
                                                                 (int)area->rows, (int)stride);
  cairo_t *context = cairo_create(surface);
  imgcoder_status status = check(cairo_status(context), failure);
  if (status == IMGCODER_STATUS_OK) status = draw(drawing, area, context, failure);
  cairo_destroy(context);
  // What still refers to the surface would draw into memory that the caller frees.
  cairo_surface_finish(surface);
  cairo_surface_destroy(surface);
  if (status == IMGCODER_STATUS_OK) {
    for (uint32_t y = 0; y < area->rows; y++) to_bytes(pixels + y * stride, area->columns);
  }
  return status;
}

const char *csvg_version(void) {
  static char text[32];
  if (!text[0]) {
    snprintf(text, sizeof text, "%u.%u.%u", rsvg_major_version, rsvg_minor_version, rsvg_micro_version);
  }
  return text;
}

size_t csvg_base64_decode(uint8_t *text, size_t length) {
  // GLib wants two letters at least.
  if (length < 2 || !text[0] || !text[1]) return 0;
  text[length] = 0;
  gsize count = 0;
  g_base64_decode_inplace((gchar *)text, &count);
  return count;
}
