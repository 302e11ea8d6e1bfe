// Writes files of the format flipbook.

#include "format.h"

static const imgcoder_string uti = IMGCODER_TEXT("org.example.flipbook");

struct imgcoder_writer {
  const imgcoder_host *host;
  const imgcoder_output *output;
  uint64_t position;  // bytes written
  uint32_t frames;
  int has_runs, is_lossless, is_animated;
};

static imgcoder_status writer_open(const imgcoder_coder *coder, const imgcoder_host *host,
                                   const imgcoder_output *output, const imgcoder_write_options *options,
                                   imgcoder_writer **result) {
  (void)coder;
  if (options->format.length != uti.length || memcmp(options->format.bytes, uti.bytes, (size_t)uti.length) != 0)
    return fail(host, IMGCODER_STATUS_UNSUPPORTED, NO_OFFSET, "a format that is not one of the manifest's");
  imgcoder_writer *writer = host->allocate(host, sizeof *writer, 0);
  if (!writer) return fail(host, IMGCODER_STATUS_OUT_OF_MEMORY, NO_OFFSET, "no memory for a writer");
  *writer = (imgcoder_writer){host, output, 0, 0, 1, (options->flags & IMGCODER_WRITE_LOSSLESS) != 0, 0};
  // Only values that were given arrive, checked against the option's description.
  for (uint64_t i = 0; i < options->value_count; i++) {
    const imgcoder_option_value *value = options->values[i];
    if (value->name.length == 4 && memcmp(value->name.bytes, "runs", 4) == 0) writer->has_runs = value->number > 0;
  }
  *result = writer;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status writer_negotiate(imgcoder_writer *writer, imgcoder_pixel_format wanted, imgcoder_alpha alpha,
                                        imgcoder_pixel_format *accepted, imgcoder_alpha *accepted_alpha) {
  (void)alpha;
  int is_8_bits = wanted == IMGCODER_PIXEL_GRAY8 || wanted == IMGCODER_PIXEL_GRAY_ALPHA8 ||
                  (wanted >= IMGCODER_PIXEL_RGB8 && wanted <= IMGCODER_PIXEL_BGRA8);
  if (!is_8_bits && writer->is_lossless)
    return fail(writer->host, IMGCODER_STATUS_UNSUPPORTED, NO_OFFSET,
                "pixel format %u without loss; samples have 8 bits", wanted);
  *accepted = IMGCODER_PIXEL_RGBA8;
  *accepted_alpha = IMGCODER_ALPHA_STRAIGHT;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status append(imgcoder_writer *writer, const uint8_t *bytes, uint64_t length) {
  writer->position += length;
  return writer->output->write(writer->output, bytes, length);
}

static imgcoder_status writer_set_info(imgcoder_writer *writer, const imgcoder_info *info) {
  writer->is_animated = (info->flags & IMGCODER_INFO_ANIMATED) != 0;
  uint32_t plays = writer->is_animated ? info->plays : 0;
  if (info->width > UINT16_MAX || info->height > UINT16_MAX || plays > UINT16_MAX)
    return fail(writer->host, IMGCODER_STATUS_UNSUPPORTED, NO_OFFSET,
                "a canvas of %ux%u and %u plays, the format holds 65535 of each", info->width, info->height, plays);
  uint8_t header[HEADER_SIZE] = {'F', 'L', 'I', 'P', 1};
  header[5] = writer->is_animated ? IS_ANIMATED : 0;
  put16(header + 6, info->width);
  put16(header + 8, info->height);
  put16(header + 10, 1);  // finish writes how many frames there were
  put16(header + 12, plays);
  return append(writer, header, sizeof header);
}

static int are_same(const uint8_t *one, const uint8_t *other) { return memcmp(one, other, PIXEL_SIZE) == 0; }

// Pixels from `p` on that are equal, as far as a packet reaches.
static uint32_t run_length(const uint8_t *p, uint32_t left) {
  uint32_t count = 1;
  while (count < left && count < LONGEST_PACKET && are_same(p, p + count * PIXEL_SIZE)) count++;
  return count;
}

// Writes the packets of a row; at most 5 bytes for each pixel.
static uint64_t encode_row(uint8_t *out, const uint8_t *p, uint32_t width, int has_runs) {
  uint8_t *start = out;
  for (uint32_t x = 0; x < width;) {
    uint32_t left = width - x, count = has_runs ? run_length(p, left) : 1, stored = 1;
    if (count > 1) {
      *out++ = (uint8_t)(IS_RUN | (count - 1));
    } else {
      while (count < left && count < LONGEST_PACKET &&
             !(has_runs && run_length(p + count * PIXEL_SIZE, left - count) > 1))
        count++;
      *out++ = (uint8_t)(count - 1);
      stored = count;
    }
    memcpy(out, p, stored * PIXEL_SIZE);
    out += stored * PIXEL_SIZE;
    p += count * PIXEL_SIZE;
    x += count;
  }
  return (uint64_t)(out - start);
}

static imgcoder_status writer_add_frame(imgcoder_writer *writer, const imgcoder_frame_info *info,
                                        const imgcoder_pixels *pixels) {
  const imgcoder_host *host = writer->host;
  uint32_t most = writer->is_animated ? UINT16_MAX : 1;
  if (writer->frames == most)
    return fail(host, IMGCODER_STATUS_UNSUPPORTED, NO_OFFSET, "more than %u frames in a file", most);
  uint64_t denominator = info->delay_denominator ? info->delay_denominator : 1;
  uint64_t delay = (info->delay_numerator * (uint64_t)1000 + denominator / 2) / denominator;
  if (delay > UINT16_MAX)
    return fail(host, IMGCODER_STATUS_UNSUPPORTED, NO_OFFSET, "a delay of %llu ms, the format holds 65535",
                (unsigned long long)delay);
  uint8_t header[FRAME_HEADER_SIZE] = {0}, length[4];
  put16(header, info->x);
  put16(header + 2, info->y);
  put16(header + 4, pixels->width);
  put16(header + 6, pixels->height);
  put16(header + 8, (uint32_t)delay);
  header[10] = (uint8_t)info->disposal;
  header[11] = (uint8_t)info->blend;
  uint8_t *row = host->allocate(host, (uint64_t)pixels->width * (1 + PIXEL_SIZE), 0);
  if (!row)
    return fail(host, IMGCODER_STATUS_OUT_OF_MEMORY, NO_OFFSET, "no memory for a row of %u pixels", pixels->width);
  imgcoder_status status = append(writer, header, sizeof header);
  uint64_t start = writer->position;
  for (uint32_t y = 0; y < pixels->height && status == IMGCODER_STATUS_OK; y++) {
    uint64_t size = encode_row(row, pixels->pixels + y * pixels->stride, pixels->width, writer->has_runs);
    status = host->is_cancelled(host) ? IMGCODER_STATUS_CANCELLED : append(writer, row, size);
  }
  host->free(host, row);
  if (status != IMGCODER_STATUS_OK) return status;
  uint64_t size = writer->position - start;
  if (size > UINT32_MAX)
    return fail(host, IMGCODER_STATUS_UNSUPPORTED, NO_OFFSET, "a frame of %llu bytes, the format holds 4294967295",
                (unsigned long long)size);
  writer->frames++;
  put32(length, (uint32_t)size);
  return writer->output->patch(writer->output, start - sizeof length, length, sizeof length);
}

static imgcoder_status writer_finish(imgcoder_writer *writer) {
  if (writer->frames == 0)
    return fail(writer->host, IMGCODER_STATUS_OUT_OF_ORDER, NO_OFFSET, "finish without a frame");
  uint8_t count[2];
  put16(count, writer->frames);
  return writer->output->patch(writer->output, 10, count, sizeof count);
}

static void writer_close(imgcoder_writer *writer) { writer->host->free(writer->host, writer); }

const imgcoder_writer_table writer_table = {
    .struct_size = sizeof(imgcoder_writer_table),
    .features = IMGCODER_WRITER_FRAMES | IMGCODER_WRITER_PARTS | IMGCODER_WRITER_REPLACES | IMGCODER_WRITER_BLENDS |
                IMGCODER_WRITER_CLEARS | IMGCODER_WRITER_RESTORES,
    .open = writer_open,
    .negotiate = writer_negotiate,
    .set_info = writer_set_info,
    .add_frame = writer_add_frame,
    .finish = writer_finish,
    .close = writer_close};
