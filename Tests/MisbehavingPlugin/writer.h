// SPDX-License-Identifier: Apache-2.0
//
// How misbehaving.c, whose only includer it is, writes. With TAKES, a number, negotiate answers that pixel format to every
// request; of floating point, 8 bits are stored.

struct imgcoder_writer {
  const imgcoder_host *host;
  const imgcoder_output *output;
  uint32_t width, height, channels, pages, seen, rows, has_header;
  uint8_t tag;
  uint32_t xmp_length;
  uint8_t xmp[65535];
};

static imgcoder_status writer_open(const imgcoder_coder *coder, const imgcoder_host *host,
                                   const imgcoder_output *output, const imgcoder_write_options *options,
                                   imgcoder_writer **result) {
  (void)coder;
  int is_known = options->format.length == uti.length && !memcmp(options->format.bytes, uti.bytes, uti.length);
  if (!is_known && !acts("writing.unknown-format")) return fail(host, IMGCODER_STATUS_UNSUPPORTED, "another format");
  if (acts("interface.grown-writing") && options->struct_size != sizeof *options)
    return fail(host, IMGCODER_STATUS_LIBRARY, "options");
  if (acts("writing.defaults")) return fail(host, IMGCODER_STATUS_LIBRARY, "no mood");
  imgcoder_writer *writer = host->allocate(host, sizeof *writer, 0);
  if (!writer && !acts("writing.allocations")) return fail(host, IMGCODER_STATUS_OUT_OF_MEMORY, "no memory for a writer");
  memset(writer, 0, sizeof *writer);
  writer->host = host;
  writer->output = output;
  for (uint64_t i = 0; i < options->value_count; i++) {
    const imgcoder_option_value *value = options->values[i];
    if (value->name.length != 3) {
      if (acts("writing.unknown-option")) abort();
      continue;
    }
    if (acts("writing.beyond") && !(value->number >= 0 && value->number <= 9)) abort();
    if (value->number >= 0 && value->number <= 9 && !acts("writing.effects")) writer->tag = (uint8_t)value->number;
    if (acts("writing.bounds") && value->number == 9) {
      host->free(host, writer);
      return fail(host, IMGCODER_STATUS_LIBRARY, "nine is too many");
    }
  }
  if (acts("isolated.writing") && !sees_files()) writer->tag = 1;
  *result = writer;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status writer_negotiate(imgcoder_writer *writer, imgcoder_pixel_format wanted, imgcoder_alpha alpha,
                                        imgcoder_pixel_format *accepted, imgcoder_alpha *accepted_alpha) {
  if (wanted == IMGCODER_PIXEL_RGBA16) return fail(writer->host, IMGCODER_STATUS_UNSUPPORTED, "16 bits");
  int is_opaque = alpha == IMGCODER_ALPHA_OPAQUE;
  *accepted = acts("writing.unknown-layout") ? wanted : is_opaque ? IMGCODER_PIXEL_RGB8 : IMGCODER_PIXEL_RGBA8;
  *accepted_alpha = is_opaque ? IMGCODER_ALPHA_OPAQUE : IMGCODER_ALPHA_STRAIGHT;
#ifdef TAKES
  *accepted = TAKES;
#endif
  if (acts("writing.layouts") && is_opaque) return fail(writer->host, IMGCODER_STATUS_LIBRARY, "no opaque pictures");
  return IMGCODER_STATUS_OK;
}

static imgcoder_status writer_set_info(imgcoder_writer *writer, const imgcoder_info *info) {
  if (info->width > 65535 || info->height > 65535) return fail(writer->host, IMGCODER_STATUS_UNSUPPORTED, "65535 at most");
  writer->width = info->width;
  writer->height = info->height;
  writer->channels = info->pixel_format == IMGCODER_PIXEL_RGBA8 ? 4 : 3;
  writer->pages = info->page_count;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status writer_add_metadata(imgcoder_writer *writer, imgcoder_metadata_kind kind, const uint8_t *bytes,
                                           uint64_t length) {
  if (kind != IMGCODER_METADATA_XMP)
    return acts("writing.unknown-metadata") ? 0 : fail(writer->host, IMGCODER_STATUS_UNSUPPORTED, "XMP only");
  if (length > sizeof writer->xmp) return fail(writer->host, IMGCODER_STATUS_INVALID_ARGUMENT, "65535 bytes at most");
  memcpy(writer->xmp, bytes, length);
  if (acts("writing.metadata")) writer->xmp[0] ^= 1;
  writer->xmp_length = (uint32_t)length;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status put(imgcoder_writer *writer, const uint8_t *bytes, uint64_t length) {
  imgcoder_status status = writer->output->write(writer->output, bytes, length);
  return acts("writing.output-fails") ? IMGCODER_STATUS_OK : status;
}

static imgcoder_status writer_add_frame(imgcoder_writer *writer, const imgcoder_frame_info *frame,
                                        const imgcoder_pixels *pixels) {
  (void)frame;
  if (!writer->width) return fail(writer->host, IMGCODER_STATUS_OUT_OF_ORDER, "add_frame before set_info");
  if (writer->host->is_cancelled(writer->host)) {
    if (acts("writing.cancel")) return fail(writer->host, IMGCODER_STATUS_LIBRARY, "stopped");
    return fail(writer->host, IMGCODER_STATUS_CANCELLED, "cancelled");
  }
  imgcoder_status status = IMGCODER_STATUS_OK;
  if (!writer->has_header) {
    uint8_t header[HEADER] = {'M', 'I', 'S', 'B', (uint8_t)writer->width, (uint8_t)(writer->width >> 8),
                              (uint8_t)writer->height, (uint8_t)(writer->height >> 8), 1, (uint8_t)writer->pages,
                              (uint8_t)writer->channels, writer->tag, (uint8_t)writer->xmp_length,
                              (uint8_t)(writer->xmp_length >> 8), 0, 0};
    if (acts("writing.repeat")) header[11] = (uint8_t)counter++;
    status = put(writer, header, HEADER);
    if (!status && writer->xmp_length) status = put(writer, writer->xmp, writer->xmp_length);
    writer->has_header = 1;
  }
  for (uint32_t y = 0; y < pixels->height && !status; y++) {
    uint64_t length = (uint64_t)writer->width * writer->channels;
    uint8_t *row = writer->host->allocate(writer->host, length, 0);
    if (!row) return fail(writer->host, IMGCODER_STATUS_OUT_OF_MEMORY, "no memory for a row");
    const uint8_t *source = pixels->pixels + y * pixels->stride;
    if (pixels->pixel_format == IMGCODER_PIXEL_RGBA_F32) {
      for (uint64_t i = 0; i < length; i++) {
        float sample;
        memcpy(&sample, source + (i / writer->channels * 4 + i % writer->channels) * sizeof sample, sizeof sample);
        if (!(sample >= 0 && sample <= 1)) return fail(writer->host, IMGCODER_STATUS_LIBRARY, "no sample of 0 to 1");
        row[i] = (uint8_t)(sample * 255 + 0.5f);
      }
    } else {
      memcpy(row, source, length);
    }
    if (acts("writing.lossless")) row[0] ^= 1;
    status = put(writer, row, length);
    writer->host->free(writer->host, row);
  }
  writer->seen++;
  return status;
}

static imgcoder_status writer_finish(imgcoder_writer *writer) {
  if (!writer->seen && !acts("writing.order")) return fail(writer->host, IMGCODER_STATUS_OUT_OF_ORDER, "no frame");
  if (!writer->seen) return IMGCODER_STATUS_OK;
  // Pages were counted before, frames are counted now.
  uint32_t pages = writer->pages ? writer->pages : 1, frames = writer->seen / pages;
  if (acts("writing.frames") && frames > 1) frames--;
  uint8_t count = (uint8_t)(frames ? frames : 1), page_count = (uint8_t)(acts("writing.pages") ? 1 : pages);
  imgcoder_status status = writer->output->patch(writer->output, 8, &count, 1);
  if (status && !acts("writing.output-fails")) return status;
  status = writer->output->patch(writer->output, 9, &page_count, 1);
  return acts("writing.output-fails") ? IMGCODER_STATUS_OK : status;
}

static imgcoder_status writer_add_thumbnail(imgcoder_writer *writer, const imgcoder_pixels *pixels) {
  (void)pixels;
  return acts("writing.thumbnail") ? fail(writer->host, IMGCODER_STATUS_UNSUPPORTED, "no place") : IMGCODER_STATUS_OK;
}

static void writer_close(imgcoder_writer *writer) { writer->host->free(writer->host, writer); }
