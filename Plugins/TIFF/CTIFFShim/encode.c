// SPDX-License-Identifier: Apache-2.0
//
// Strips and tiles on their way into a file: each is compressed as a small file of its own, of which the coded bytes
// are kept, on whichever thread is free.

#include <stdlib.h>
#include <string.h>

#include "handle.h"

typedef struct encoding {
  const ctiff_page *page;
  uint32_t first, count;
  ctiff_block *blocks;
  ctiff_failure *failures;
  atomic_uint next;
} encoding;

static uint64_t row_bytes(const ctiff_page *page) {
  return ((uint64_t)page->strile_width * page->samples * page->bits + 7) / 8;
}

// One row of a strip or tile, as the file has it. What lies beside the picture repeats its last column.
static void pack_row(const ctiff_page *page, const uint8_t *row, uint32_t columns, uint8_t *out) {
  uint32_t width = page->strile_width;
  if (page->bits == 1) {
    memset(out, 0, row_bytes(page));
    for (uint32_t x = 0; x < columns; x++) {
      if (row[(uint64_t)x * page->pixel_bytes] < 128) out[x / 8] |= (uint8_t)(0x80 >> x % 8);
    }
    return;
  }
  uint32_t file_bytes = page->samples * page->bits / 8;
  if (file_bytes == page->pixel_bytes) {
    memcpy(out, row, (uint64_t)columns * file_bytes);
  } else {
    for (uint64_t x = 0; x < columns; x++) memcpy(out + x * file_bytes, row + x * page->pixel_bytes, file_bytes);
  }
  for (uint64_t x = columns; x < width; x++) {
    memcpy(out + x * file_bytes, out + (columns - 1) * (uint64_t)file_bytes, file_bytes);
  }
}

static int set_fields(TIFF *tiff, const ctiff_page *page, uint32_t rows) {
  int is_good = TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, page->strile_width) &&
                TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, rows) &&
                TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, page->bits) &&
                TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, page->samples) &&
                TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, page->sample_format) &&
                TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
                TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, page->photometric) &&
                TIFFSetField(tiff, TIFFTAG_COMPRESSION, page->compression);
  if (is_good && page->is_tiled) {
    is_good = TIFFSetField(tiff, TIFFTAG_TILEWIDTH, page->strile_width) && TIFFSetField(tiff, TIFFTAG_TILELENGTH, rows);
  } else if (is_good) {
    is_good = TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows);
  }
  if (is_good && page->has_alpha) {
    uint16_t kind = EXTRASAMPLE_UNASSALPHA;
    is_good = TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
  }
  if (is_good && page->predictor > 1) is_good = TIFFSetField(tiff, TIFFTAG_PREDICTOR, page->predictor);
  if (!is_good) return 0;
  switch (page->compression) {
    case COMPRESSION_ADOBE_DEFLATE:
      return page->level < 0 || TIFFSetField(tiff, TIFFTAG_ZIPQUALITY, page->level);
    case COMPRESSION_ZSTD:
      return page->level < 0 || TIFFSetField(tiff, TIFFTAG_ZSTD_LEVEL, page->level);
    case COMPRESSION_WEBP:
      // Level 100 of a lossless picture is the most effort.
      return TIFFSetField(tiff, TIFFTAG_WEBP_LOSSLESS, (int)page->is_lossless) &&
             TIFFSetField(tiff, TIFFTAG_WEBP_LEVEL, page->quality < 1 ? 1 : (int)page->quality);
    case COMPRESSION_JPEG:
      if (page->photometric == PHOTOMETRIC_YCBCR) {
        is_good = TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, page->subsampling >> 4, page->subsampling & 15) &&
                  TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      }
      return is_good && TIFFSetField(tiff, TIFFTAG_JPEGQUALITY, (int)page->quality);
    default: return 1;
  }
}

static imgcoder_status complain(const handle *handle, ctiff_failure *failure) {
  if (handle->is_out_of_memory) return ctiff_fail(failure, IMGCODER_STATUS_OUT_OF_MEMORY, -1, "no memory for libtiff");
  return ctiff_fail(failure, IMGCODER_STATUS_LIBRARY, -1, "libtiff says: %s",
                    handle->message[0] ? handle->message : "nothing");
}

static imgcoder_status keep(const uint8_t *bytes, uint64_t length, ctiff_block *block, ctiff_failure *failure) {
  block->bytes = malloc(length ? length : 1);
  if (!block->bytes) {
    return ctiff_fail(failure, IMGCODER_STATUS_OUT_OF_MEMORY, -1, "no memory for %llu bytes of a strip or tile",
                      (unsigned long long)length);
  }
  memcpy(block->bytes, bytes, length);
  block->length = length;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status compress(const ctiff_page *page, uint8_t *packed, uint32_t rows, ctiff_block *block,
                                ctiff_failure *failure) {
  handle handle;
  tmsize_t size = (tmsize_t)(row_bytes(page) * rows);
  imgcoder_status status = IMGCODER_STATUS_OK;
  if (!handle_create(&handle, 2 * (uint64_t)size + (256u << 20))) return complain(&handle, failure);
  if (!set_fields(handle.tiff, page, rows)) {
    status = complain(&handle, failure);
  } else {
    tmsize_t taken = page->is_tiled ? TIFFWriteEncodedTile(handle.tiff, 0, packed, size)
                                    : TIFFWriteEncodedStrip(handle.tiff, 0, packed, size);
    uint64_t offset = TIFFGetStrileOffset(handle.tiff, 0), length = TIFFGetStrileByteCount(handle.tiff, 0);
    if (taken != size || offset > handle.written_length || length > handle.written_length - offset) {
      status = complain(&handle, failure);
    } else {
      status = keep(handle.written + offset, length, block, failure);
    }
  }
  handle_close(&handle);
  return status;
}

static imgcoder_status encode_item(const encoding *e, uint32_t item) {
  const ctiff_page *page = e->page;
  uint32_t index = e->first + item, band = index / page->across, column = index % page->across;
  uint64_t y = (uint64_t)band * page->strile_height, x = (uint64_t)column * page->strile_width;
  uint64_t shown = page->height - y, columns = page->width - x;
  if (shown > page->strile_height) shown = page->strile_height;
  if (columns > page->strile_width) columns = page->strile_width;
  uint32_t rows = page->is_tiled ? page->strile_height : (uint32_t)shown;
  uint64_t stride = row_bytes(page);
  uint8_t *packed = malloc(stride * rows);
  ctiff_failure *failure = &e->failures[item];
  if (!packed) {
    return ctiff_fail(failure, IMGCODER_STATUS_OUT_OF_MEMORY, -1, "no memory for %llu bytes of samples",
                      (unsigned long long)(stride * rows));
  }
  for (uint64_t i = 0; i < rows; i++) {
    uint64_t row = y + (i < shown ? i : shown - 1);
    pack_row(page, page->pixels + (row - page->first_row) * page->stride + x * page->pixel_bytes, (uint32_t)columns, packed + i * stride);
  }
  imgcoder_status status = page->compression == COMPRESSION_NONE
                               ? keep(packed, stride * rows, &e->blocks[item], failure)
                               : compress(page, packed, rows, &e->blocks[item], failure);
  free(packed);
  return status;
}

static void IMGCODER_ABI work(void *argument, uint32_t index) {
  encoding *e = argument;
  const imgcoder_host *host = e->page->host;
  (void)index;
  for (;;) {
    uint32_t item = atomic_fetch_add(&e->next, 1);
    if (item >= e->count || host->is_cancelled(host)) return;
    encode_item(e, item);
  }
}

imgcoder_status ctiff_encode(const ctiff_page *page, uint32_t first, uint32_t count, ctiff_block *blocks,
                             ctiff_failure *failure) {
  encoding e = {page, first, count, blocks, NULL, 0};
  memset(failure, 0, sizeof *failure);
  memset(blocks, 0, count * sizeof *blocks);
  if ((uint64_t)first + count > (uint64_t)page->across * page->down ||
      page->stride < (uint64_t)page->width * page->pixel_bytes) {
    return ctiff_fail(failure, IMGCODER_STATUS_INVALID_ARGUMENT, -1, "strips or pixels that the page does not have");
  }
  e.failures = calloc(count, sizeof *e.failures);
  if (!e.failures) return ctiff_fail(failure, IMGCODER_STATUS_OUT_OF_MEMORY, -1, "no memory for %u strips", count);
  page->host->parallel_for(page->host, count < 16 ? count : 16, work, &e);
  for (uint32_t i = 0; i < count && failure->status == IMGCODER_STATUS_OK; i++) {
    if (e.failures[i].status != IMGCODER_STATUS_OK) *failure = e.failures[i];
  }
  free(e.failures);
  if (page->host->is_cancelled(page->host)) {
    failure->status = IMGCODER_STATUS_OK;
    ctiff_fail(failure, IMGCODER_STATUS_CANCELLED, -1, "cancelled by the caller");
  }
  if (failure->status != IMGCODER_STATUS_OK) {
    for (uint32_t i = 0; i < count; i++) ctiff_release(&blocks[i]);
  }
  return failure->status;
}

imgcoder_status ctiff_jpeg_tables(const ctiff_page *page, ctiff_block *tables, ctiff_failure *failure) {
  handle handle;
  uint32_t length = 0;
  void *bytes = NULL;
  imgcoder_status status;
  memset(failure, 0, sizeof *failure);
  memset(tables, 0, sizeof *tables);
  if (!handle_create(&handle, 256u << 20)) return complain(&handle, failure);
  uint32_t rows = page->is_tiled ? page->strile_height : 16;
  uint8_t *packed = calloc(rows, row_bytes(page));
  // The tables exist once something was compressed.
  if (packed && set_fields(handle.tiff, page, rows) &&
      (page->is_tiled ? TIFFWriteEncodedTile(handle.tiff, 0, packed, (tmsize_t)(row_bytes(page) * rows))
                      : TIFFWriteEncodedStrip(handle.tiff, 0, packed, (tmsize_t)(row_bytes(page) * rows))) > 0 &&
      TIFFGetField(handle.tiff, TIFFTAG_JPEGTABLES, &length, &bytes) && length > 0) {
    status = keep(bytes, length, tables, failure);
  } else {
    status = complain(&handle, failure);
  }
  free(packed);
  handle_close(&handle);
  return status;
}

void ctiff_release(ctiff_block *block) {
  free(block->bytes);
  block->bytes = NULL;
  block->length = 0;
}
