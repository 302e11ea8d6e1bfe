// SPDX-License-Identifier: Apache-2.0

#include "CJPEGEighths.h"

#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

static int copy_codes(const JHUFF_TBL *from, eighths_codes *to) {
  if (!from) return 0;
  memcpy(to->counts, from->bits + 1, sizeof to->counts);
  memcpy(to->values, from->huffval, sizeof to->values);
  return 1;
}

static int copy_channel(const struct jpeg_decompress_struct *info, int index, eighths_channel *to) {
  const jpeg_component_info *from = &info->comp_info[index];
  // A table's number is a byte of the file.
  if (from->quant_tbl_no >= NUM_QUANT_TBLS || from->dc_tbl_no >= NUM_HUFF_TBLS || from->ac_tbl_no >= NUM_HUFF_TBLS) return 0;
  const JQUANT_TBL *quantizer = info->quant_tbl_ptrs[from->quant_tbl_no];
  if (!quantizer) return 0;
  to->horizontal = (uint32_t)from->h_samp_factor;
  to->vertical = (uint32_t)from->v_samp_factor;
  for (int i = 0; i < DCTSIZE2; i++) to->steps[i] = quantizer->quantval[i];
  return copy_codes(info->dc_huff_tbl_ptrs[from->dc_tbl_no], &to->dc) && copy_codes(info->ac_huff_tbl_ptrs[from->ac_tbl_no], &to->ac);
}

int eighths_describe(const struct jpeg_decompress_struct *info, eighths_frame *frame) {
  if (info->progressive_mode || info->arith_code || info->data_precision != 8) return 0;
  if (info->num_components > EIGHTHS_CHANNELS || info->comps_in_scan != info->num_components) return 0;
  // B.2.3: the channels of a scan come in the order of the frame.
  for (int i = 0; i < info->num_components; i++)
    if (info->cur_comp_info[i] != &info->comp_info[i]) return 0;
  if (info->Ss != 0 || info->Se != DCTSIZE2 - 1 || info->Ah != 0 || info->Al != 0) return 0;
  frame->width = info->image_width;
  frame->height = info->image_height;
  frame->channel_count = (uint32_t)info->num_components;
  frame->restart_interval = info->restart_interval;
  for (int i = 0; i < info->num_components; i++)
    if (!copy_channel(info, i, &frame->channels[i])) return 0;
  return 1;
}
