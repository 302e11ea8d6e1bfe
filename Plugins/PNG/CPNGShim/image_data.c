// SPDX-License-Identifier: Apache-2.0

#include "image_data.h"

// Bytes that are worth a step in an incremental file.
#define LEAST 4096u

// Bytes of a chunk before its data, and the sequence number of fdAT.
#define MOST_HEADER 12u

#define FAIL(data, status, ...) cpng_note((data)->failure, status, (int64_t)(data)->offset, __VA_ARGS__)

void cpng_image_data_begin(cpng_image_data *data, const cpng_picture *picture, cpng_failure *failure) {
  *data = (cpng_image_data){.picture = picture, .failure = failure, .offset = picture->data_start};
}

static imgcoder_status fail_truncated(cpng_image_data *data) {
  return FAIL(data, IMGCODER_STATUS_TRUNCATED, "the file of %llu bytes ends before the image data does",
              (unsigned long long)data->picture->source->size);
}

static imgcoder_status look(cpng_image_data *data, uint64_t least, uint64_t most) {
  const cpng_picture *picture = data->picture;
  const imgcoder_source *source = picture->source;
  imgcoder_status status = IMGCODER_STATUS_OK;
  data->window_start = data->offset;
  data->window_length = 0;
  if (!picture->is_incremental) {
    status = source->view(source, data->offset, most, &data->window, &data->window_length);
  } else {
    status = imgcoder_source_view_available(source, data->offset, 0, most, &data->window, &data->window_length);
    if (status == IMGCODER_STATUS_OK && data->window_length < least) {
      if (data->on_wait && (status = data->on_wait(data->context))) {
        data->window_length = 0;
        return FAIL(data, status, "no more rows are wanted");
      }
      status = imgcoder_source_view_available(source, data->offset, least, most, &data->window, &data->window_length);
    }
  }
  if (status == IMGCODER_STATUS_OK) return status;
  data->window_length = 0;
  return FAIL(data, status, "the source has no bytes at %llu", (unsigned long long)data->offset);
}

// Shows up to `wanted` bytes at the offset: `least` of them when the source has as many.
static imgcoder_status show(cpng_image_data *data, uint64_t least, uint64_t wanted, const uint8_t **bytes,
                            uint64_t *length) {
  uint64_t skipped = data->offset - data->window_start;
  *length = 0;
  if (data->offset < data->window_start || skipped > data->window_length || data->window_length - skipped < least) {
    imgcoder_status status = look(data, least, wanted < CPNG_BUFFER ? CPNG_BUFFER : wanted);
    if (status != IMGCODER_STATUS_OK) return status;
    skipped = 0;
  }
  const uint64_t rest = data->window_length - skipped;
  *length = rest < wanted ? rest : wanted;
  *bytes = data->window + skipped;
  return IMGCODER_STATUS_OK;
}

static int ends_image_data(const cpng_picture *picture, uint32_t name) {
  // IDAT chunks follow each other (PNG Third Edition, section 5.6); fdAT chunks may have others between them.
  return picture->data_name == CPNG_IDAT || name == CPNG_FCTL || name == CPNG_IEND;
}

// Opens the next chunk with image data, or leaves none open where there is no more.
static imgcoder_status open_chunk(cpng_image_data *data) {
  const cpng_picture *picture = data->picture;
  const uint32_t lead = picture->data_name == CPNG_FDAT ? 4 : 0;  // fdAT begins with its sequence number
  while (data->offset < picture->data_end) {
    const uint8_t *header;
    uint64_t shown;
    if (data->offset >= picture->source->size) return fail_truncated(data);
    imgcoder_status status = show(data, MOST_HEADER, MOST_HEADER, &header, &shown);
    if (status != IMGCODER_STATUS_OK) return status;
    if (shown == 0) return fail_truncated(data);
    if (shown < 8) {
      return FAIL(data, IMGCODER_STATUS_TRUNCATED, "a chunk header needs 8 bytes, %u are left", (unsigned)shown);
    }
    const uint32_t length = cpng_load32(header), name = cpng_load32(header + 4);
    if (length > 0x7FFFFFFFu) {
      return FAIL(data, IMGCODER_STATUS_MALFORMED, "a chunk of %u bytes, at most 2147483647", length);
    }
    if (picture->is_incremental && name != picture->data_name && ends_image_data(picture, name)) return status;
    if (name != picture->data_name) {
      data->offset += 12ull + length;
      continue;
    }
    if (length < lead) {
      return FAIL(data, IMGCODER_STATUS_MALFORMED, "an fdAT chunk of %u bytes, at least 4 are needed", length);
    }
    if (shown < 8 + lead) return fail_truncated(data);
    data->crc = cpng_crc(0, header + 4, 4 + lead);
    data->offset += 8 + lead;
    data->payload = length - lead;
    data->is_open = 1;
    return status;
  }
  return data->offset >= picture->source->size ? fail_truncated(data) : IMGCODER_STATUS_OK;
}

static imgcoder_status close_chunk(cpng_image_data *data) {
  const uint8_t *stored;
  uint64_t shown;
  imgcoder_status status = show(data, 4, 4, &stored, &shown);
  if (status != IMGCODER_STATUS_OK) return status;
  if (shown < 4) return fail_truncated(data);
  if (cpng_load32(stored) != data->crc) {
    return FAIL(data, IMGCODER_STATUS_CHECKSUM_MISMATCH, "image data with CRC %08x, %08x is stored", data->crc,
                cpng_load32(stored));
  }
  data->offset += 4;
  data->is_open = 0;
  return status;
}

// The next bytes of the open chunk, of which some are left.
static imgcoder_status next_in_chunk(cpng_image_data *data, const uint8_t **bytes, uint64_t *length) {
  const uint64_t wanted = data->payload < CPNG_BUFFER ? data->payload : CPNG_BUFFER;
  const uint64_t least = data->picture->is_incremental ? (wanted < LEAST ? wanted : LEAST) : 1;
  imgcoder_status status = show(data, least, wanted, bytes, length);
  if (status != IMGCODER_STATUS_OK) return status;
  if (*length == 0) return fail_truncated(data);
  data->crc = cpng_crc(data->crc, *bytes, *length);
  data->offset += *length;
  data->payload -= (uint32_t)*length;
  return status;
}

imgcoder_status cpng_image_data_next(cpng_image_data *data, const uint8_t **bytes, uint64_t *length) {
  *length = 0;
  for (;;) {
    imgcoder_status status;
    if (!data->is_open) {
      status = open_chunk(data);
      if (status != IMGCODER_STATUS_OK || !data->is_open) return status;
    }
    if (data->payload > 0) return next_in_chunk(data, bytes, length);
    status = close_chunk(data);
    if (status != IMGCODER_STATUS_OK) return status;
  }
}

imgcoder_status cpng_image_data_close(cpng_image_data *data, uint64_t most) {
  if (!data->is_open || data->payload > most) return IMGCODER_STATUS_OK;
  while (data->payload > 0) {
    const uint8_t *bytes;
    uint64_t length;
    imgcoder_status status = next_in_chunk(data, &bytes, &length);
    if (status != IMGCODER_STATUS_OK) return status;
  }
  return close_chunk(data);
}
