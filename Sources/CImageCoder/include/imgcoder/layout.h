// SPDX-License-Identifier: Apache-2.0
//
// Sizes and offsets of version 1.0 on machines with 64-bit pointers. Compilation fails here if a compiler lays out a
// struct differently. A field that a later minor version appends adds lines; existing lines never change.

#ifndef IMGCODER_LAYOUT_H
#define IMGCODER_LAYOUT_H

#include "file_operations.h"
#include "frame_rows.h"
#include "look.h"
#include "plugin.h"
#include "siblings.h"

#if defined(__cplusplus)
#define IMGCODER_ASSERT(name, condition) static_assert(condition, #name)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define IMGCODER_ASSERT(name, condition) _Static_assert(condition, #name)
#else
#define IMGCODER_ASSERT(name, condition) typedef char imgcoder_assert_##name[(condition) ? 1 : -1]
#endif

#define IMGCODER_OFFSET(type, field, offset) \
  IMGCODER_ASSERT(type##_##field, offsetof(type, field) == offset)
#define IMGCODER_SIZE(type, size) IMGCODER_ASSERT(sizeof_##type, sizeof(type) >= size)

#if UINTPTR_MAX == 0xFFFFFFFFFFFFFFFFu

IMGCODER_SIZE(imgcoder_string, 16);
IMGCODER_OFFSET(imgcoder_string, bytes, 0);
IMGCODER_OFFSET(imgcoder_string, length, 8);

IMGCODER_SIZE(imgcoder_limits, 48);
IMGCODER_OFFSET(imgcoder_limits, struct_size, 0);
IMGCODER_OFFSET(imgcoder_limits, max_side, 4);
IMGCODER_OFFSET(imgcoder_limits, max_pixels, 8);
IMGCODER_OFFSET(imgcoder_limits, max_memory, 16);
IMGCODER_OFFSET(imgcoder_limits, max_metadata, 24);
IMGCODER_OFFSET(imgcoder_limits, max_frames, 32);
IMGCODER_OFFSET(imgcoder_limits, max_pages, 36);
IMGCODER_OFFSET(imgcoder_limits, max_scans, 40);
IMGCODER_OFFSET(imgcoder_limits, reserved, 44);

IMGCODER_SIZE(imgcoder_cicp, 4);
IMGCODER_OFFSET(imgcoder_cicp, primaries, 0);
IMGCODER_OFFSET(imgcoder_cicp, transfer, 1);
IMGCODER_OFFSET(imgcoder_cicp, matrix, 2);
IMGCODER_OFFSET(imgcoder_cicp, full_range, 3);

IMGCODER_SIZE(imgcoder_failure, 56);
IMGCODER_OFFSET(imgcoder_failure, struct_size, 0);
IMGCODER_OFFSET(imgcoder_failure, status, 4);
IMGCODER_OFFSET(imgcoder_failure, offset, 8);
IMGCODER_OFFSET(imgcoder_failure, message, 16);
IMGCODER_OFFSET(imgcoder_failure, limit, 32);
IMGCODER_OFFSET(imgcoder_failure, reserved, 36);
IMGCODER_OFFSET(imgcoder_failure, found, 40);
IMGCODER_OFFSET(imgcoder_failure, allowed, 48);

IMGCODER_SIZE(imgcoder_primaries, 64);
IMGCODER_OFFSET(imgcoder_primaries, red, 0);
IMGCODER_OFFSET(imgcoder_primaries, green, 16);
IMGCODER_OFFSET(imgcoder_primaries, blue, 32);
IMGCODER_OFFSET(imgcoder_primaries, white, 48);

IMGCODER_SIZE(imgcoder_color, 224);
IMGCODER_OFFSET(imgcoder_color, struct_size, 0);
IMGCODER_OFFSET(imgcoder_color, flags, 4);
IMGCODER_OFFSET(imgcoder_color, primaries, 8);
IMGCODER_OFFSET(imgcoder_color, gamma, 72);
IMGCODER_OFFSET(imgcoder_color, curves, 96);
IMGCODER_OFFSET(imgcoder_color, curve_length, 120);
IMGCODER_OFFSET(imgcoder_color, reserved, 124);
IMGCODER_OFFSET(imgcoder_color, mastering_peak, 128);
IMGCODER_OFFSET(imgcoder_color, mastering_black, 136);
IMGCODER_OFFSET(imgcoder_color, content_peak, 144);
IMGCODER_OFFSET(imgcoder_color, frame_average_peak, 152);
IMGCODER_OFFSET(imgcoder_color, mastering_primaries, 160);

IMGCODER_SIZE(imgcoder_option, 104);
IMGCODER_OFFSET(imgcoder_option, struct_size, 0);
IMGCODER_OFFSET(imgcoder_option, type, 4);
IMGCODER_OFFSET(imgcoder_option, name, 8);
IMGCODER_OFFSET(imgcoder_option, text, 24);
IMGCODER_OFFSET(imgcoder_option, minimum, 40);
IMGCODER_OFFSET(imgcoder_option, maximum, 48);
IMGCODER_OFFSET(imgcoder_option, default_value, 56);
IMGCODER_OFFSET(imgcoder_option, choices, 64);
IMGCODER_OFFSET(imgcoder_option, choice_count, 72);
IMGCODER_OFFSET(imgcoder_option, default_text, 80);
IMGCODER_OFFSET(imgcoder_option, flags, 96);
IMGCODER_OFFSET(imgcoder_option, reserved, 100);

IMGCODER_SIZE(imgcoder_option_value, 48);
IMGCODER_OFFSET(imgcoder_option_value, struct_size, 0);
IMGCODER_OFFSET(imgcoder_option_value, type, 4);
IMGCODER_OFFSET(imgcoder_option_value, name, 8);
IMGCODER_OFFSET(imgcoder_option_value, number, 24);
IMGCODER_OFFSET(imgcoder_option_value, text, 32);

IMGCODER_SIZE(imgcoder_host, 104);
IMGCODER_OFFSET(imgcoder_host, struct_size, 0);
IMGCODER_OFFSET(imgcoder_host, abi_minor, 4);
IMGCODER_OFFSET(imgcoder_host, context, 8);
IMGCODER_OFFSET(imgcoder_host, limits, 16);
IMGCODER_OFFSET(imgcoder_host, fail, 24);
IMGCODER_OFFSET(imgcoder_host, allocate, 32);
IMGCODER_OFFSET(imgcoder_host, free, 40);
IMGCODER_OFFSET(imgcoder_host, log, 48);
IMGCODER_OFFSET(imgcoder_host, is_cancelled, 56);
IMGCODER_OFFSET(imgcoder_host, progress, 64);
IMGCODER_OFFSET(imgcoder_host, parallel_for, 72);
IMGCODER_OFFSET(imgcoder_host, get_extension, 80);
IMGCODER_OFFSET(imgcoder_host, fail_with, 88);
IMGCODER_OFFSET(imgcoder_host, spend, 96);

IMGCODER_SIZE(imgcoder_source, 40);
IMGCODER_OFFSET(imgcoder_source, struct_size, 0);
IMGCODER_OFFSET(imgcoder_source, reserved, 4);
IMGCODER_OFFSET(imgcoder_source, context, 8);
IMGCODER_OFFSET(imgcoder_source, size, 16);
IMGCODER_OFFSET(imgcoder_source, view, 24);
IMGCODER_OFFSET(imgcoder_source, view_available, 32);

IMGCODER_SIZE(imgcoder_rows, 24);
IMGCODER_OFFSET(imgcoder_rows, pixels, 0);
IMGCODER_OFFSET(imgcoder_rows, stride, 8);
IMGCODER_OFFSET(imgcoder_rows, count, 16);
IMGCODER_OFFSET(imgcoder_rows, reserved, 20);

IMGCODER_SIZE(imgcoder_sink, 32);
IMGCODER_OFFSET(imgcoder_sink, struct_size, 0);
IMGCODER_OFFSET(imgcoder_sink, reserved, 4);
IMGCODER_OFFSET(imgcoder_sink, context, 8);
IMGCODER_OFFSET(imgcoder_sink, rows, 16);
IMGCODER_OFFSET(imgcoder_sink, done, 24);

IMGCODER_SIZE(imgcoder_output, 32);
IMGCODER_OFFSET(imgcoder_output, struct_size, 0);
IMGCODER_OFFSET(imgcoder_output, reserved, 4);
IMGCODER_OFFSET(imgcoder_output, context, 8);
IMGCODER_OFFSET(imgcoder_output, write, 16);
IMGCODER_OFFSET(imgcoder_output, patch, 24);

IMGCODER_SIZE(imgcoder_properties, 64);
IMGCODER_OFFSET(imgcoder_properties, struct_size, 0);
IMGCODER_OFFSET(imgcoder_properties, reserved, 4);
IMGCODER_OFFSET(imgcoder_properties, context, 8);
IMGCODER_OFFSET(imgcoder_properties, begin, 16);
IMGCODER_OFFSET(imgcoder_properties, end, 24);
IMGCODER_OFFSET(imgcoder_properties, put_integer, 32);
IMGCODER_OFFSET(imgcoder_properties, put_number, 40);
IMGCODER_OFFSET(imgcoder_properties, put_text, 48);
IMGCODER_OFFSET(imgcoder_properties, begin_list, 56);

IMGCODER_SIZE(imgcoder_open_options, 24);
IMGCODER_OFFSET(imgcoder_open_options, struct_size, 0);
IMGCODER_OFFSET(imgcoder_open_options, flags, 4);
IMGCODER_OFFSET(imgcoder_open_options, values, 8);
IMGCODER_OFFSET(imgcoder_open_options, value_count, 16);

IMGCODER_SIZE(imgcoder_info, 192);
IMGCODER_OFFSET(imgcoder_info, struct_size, 0);
IMGCODER_OFFSET(imgcoder_info, flags, 4);
IMGCODER_OFFSET(imgcoder_info, width, 8);
IMGCODER_OFFSET(imgcoder_info, height, 12);
IMGCODER_OFFSET(imgcoder_info, pixel_format, 16);
IMGCODER_OFFSET(imgcoder_info, bits_per_channel, 20);
IMGCODER_OFFSET(imgcoder_info, alpha, 24);
IMGCODER_OFFSET(imgcoder_info, orientation, 28);
IMGCODER_OFFSET(imgcoder_info, frame_count, 32);
IMGCODER_OFFSET(imgcoder_info, page_count, 36);
IMGCODER_OFFSET(imgcoder_info, primary_page, 40);
IMGCODER_OFFSET(imgcoder_info, plays, 44);
IMGCODER_OFFSET(imgcoder_info, cicp, 48);
IMGCODER_OFFSET(imgcoder_info, subsampling, 52);
IMGCODER_OFFSET(imgcoder_info, gamma, 56);
IMGCODER_OFFSET(imgcoder_info, background, 64);
IMGCODER_OFFSET(imgcoder_info, format, 72);
IMGCODER_OFFSET(imgcoder_info, embedded_offset, 88);
IMGCODER_OFFSET(imgcoder_info, embedded_length, 96);
IMGCODER_OFFSET(imgcoder_info, natural_width, 104);
IMGCODER_OFFSET(imgcoder_info, natural_height, 112);
IMGCODER_OFFSET(imgcoder_info, resolution, 120);
IMGCODER_OFFSET(imgcoder_info, largest_side, 128);
IMGCODER_OFFSET(imgcoder_info, page_kind, 132);
IMGCODER_OFFSET(imgcoder_info, page_name, 136);
IMGCODER_OFFSET(imgcoder_info, owner_page, 152);
IMGCODER_OFFSET(imgcoder_info, hidden_page_count, 156);
IMGCODER_OFFSET(imgcoder_info, page_x, 160);
IMGCODER_OFFSET(imgcoder_info, page_y, 164);
IMGCODER_OFFSET(imgcoder_info, pixel_aspect, 168);
IMGCODER_OFFSET(imgcoder_info, duration, 176);
IMGCODER_OFFSET(imgcoder_info, poster_frame, 184);
IMGCODER_OFFSET(imgcoder_info, access, 188);

IMGCODER_SIZE(imgcoder_frame_info, 48);
IMGCODER_OFFSET(imgcoder_frame_info, struct_size, 0);
IMGCODER_OFFSET(imgcoder_frame_info, flags, 4);
IMGCODER_OFFSET(imgcoder_frame_info, x, 8);
IMGCODER_OFFSET(imgcoder_frame_info, y, 12);
IMGCODER_OFFSET(imgcoder_frame_info, width, 16);
IMGCODER_OFFSET(imgcoder_frame_info, height, 20);
IMGCODER_OFFSET(imgcoder_frame_info, delay_numerator, 24);
IMGCODER_OFFSET(imgcoder_frame_info, delay_denominator, 28);
IMGCODER_OFFSET(imgcoder_frame_info, disposal, 32);
IMGCODER_OFFSET(imgcoder_frame_info, blend, 36);
IMGCODER_OFFSET(imgcoder_frame_info, depends_on, 40);
IMGCODER_OFFSET(imgcoder_frame_info, reserved, 44);

IMGCODER_SIZE(imgcoder_request, 52);
IMGCODER_OFFSET(imgcoder_request, struct_size, 0);
IMGCODER_OFFSET(imgcoder_request, page, 4);
IMGCODER_OFFSET(imgcoder_request, frame, 8);
IMGCODER_OFFSET(imgcoder_request, width, 12);
IMGCODER_OFFSET(imgcoder_request, height, 16);
IMGCODER_OFFSET(imgcoder_request, pixel_format, 20);
IMGCODER_OFFSET(imgcoder_request, alpha, 24);
IMGCODER_OFFSET(imgcoder_request, reserved, 28);
IMGCODER_OFFSET(imgcoder_request, part_x, 32);
IMGCODER_OFFSET(imgcoder_request, part_y, 36);
IMGCODER_OFFSET(imgcoder_request, part_width, 40);
IMGCODER_OFFSET(imgcoder_request, part_height, 44);
IMGCODER_OFFSET(imgcoder_request, flags, 48);

IMGCODER_SIZE(imgcoder_offer, 80);
IMGCODER_OFFSET(imgcoder_offer, struct_size, 0);
IMGCODER_OFFSET(imgcoder_offer, page, 4);
IMGCODER_OFFSET(imgcoder_offer, frame, 8);
IMGCODER_OFFSET(imgcoder_offer, width, 12);
IMGCODER_OFFSET(imgcoder_offer, height, 16);
IMGCODER_OFFSET(imgcoder_offer, pixel_format, 20);
IMGCODER_OFFSET(imgcoder_offer, alpha, 24);
IMGCODER_OFFSET(imgcoder_offer, row_order, 28);
IMGCODER_OFFSET(imgcoder_offer, unmet, 32);
IMGCODER_OFFSET(imgcoder_offer, scale_code, 36);
IMGCODER_OFFSET(imgcoder_offer, memory, 40);
IMGCODER_OFFSET(imgcoder_offer, covered_width, 48);
IMGCODER_OFFSET(imgcoder_offer, covered_height, 56);
IMGCODER_OFFSET(imgcoder_offer, part_x, 64);
IMGCODER_OFFSET(imgcoder_offer, part_y, 68);
IMGCODER_OFFSET(imgcoder_offer, whole_width, 72);
IMGCODER_OFFSET(imgcoder_offer, whole_height, 76);

IMGCODER_SIZE(imgcoder_reader_table, 88);
IMGCODER_OFFSET(imgcoder_reader_table, struct_size, 0);
IMGCODER_OFFSET(imgcoder_reader_table, reserved, 4);
IMGCODER_OFFSET(imgcoder_reader_table, open, 8);
IMGCODER_OFFSET(imgcoder_reader_table, info, 16);
IMGCODER_OFFSET(imgcoder_reader_table, frame_info, 24);
IMGCODER_OFFSET(imgcoder_reader_table, negotiate, 32);
IMGCODER_OFFSET(imgcoder_reader_table, decode, 40);
IMGCODER_OFFSET(imgcoder_reader_table, metadata, 48);
IMGCODER_OFFSET(imgcoder_reader_table, properties, 56);
IMGCODER_OFFSET(imgcoder_reader_table, close, 64);
IMGCODER_OFFSET(imgcoder_reader_table, get_extension, 72);
IMGCODER_OFFSET(imgcoder_reader_table, color, 80);

IMGCODER_SIZE(imgcoder_write_options, 40);
IMGCODER_OFFSET(imgcoder_write_options, struct_size, 0);
IMGCODER_OFFSET(imgcoder_write_options, flags, 4);
IMGCODER_OFFSET(imgcoder_write_options, format, 8);
IMGCODER_OFFSET(imgcoder_write_options, values, 24);
IMGCODER_OFFSET(imgcoder_write_options, value_count, 32);

IMGCODER_SIZE(imgcoder_pixels, 40);
IMGCODER_OFFSET(imgcoder_pixels, struct_size, 0);
IMGCODER_OFFSET(imgcoder_pixels, pixel_format, 4);
IMGCODER_OFFSET(imgcoder_pixels, alpha, 8);
IMGCODER_OFFSET(imgcoder_pixels, width, 12);
IMGCODER_OFFSET(imgcoder_pixels, height, 16);
IMGCODER_OFFSET(imgcoder_pixels, reserved, 20);
IMGCODER_OFFSET(imgcoder_pixels, pixels, 24);
IMGCODER_OFFSET(imgcoder_pixels, stride, 32);

IMGCODER_SIZE(imgcoder_writer_table, 88);
IMGCODER_OFFSET(imgcoder_writer_table, struct_size, 0);
IMGCODER_OFFSET(imgcoder_writer_table, features, 4);
IMGCODER_OFFSET(imgcoder_writer_table, open, 8);
IMGCODER_OFFSET(imgcoder_writer_table, negotiate, 16);
IMGCODER_OFFSET(imgcoder_writer_table, set_info, 24);
IMGCODER_OFFSET(imgcoder_writer_table, add_metadata, 32);
IMGCODER_OFFSET(imgcoder_writer_table, add_frame, 40);
IMGCODER_OFFSET(imgcoder_writer_table, finish, 48);
IMGCODER_OFFSET(imgcoder_writer_table, close, 56);
IMGCODER_OFFSET(imgcoder_writer_table, add_thumbnail, 64);
IMGCODER_OFFSET(imgcoder_writer_table, get_extension, 72);
IMGCODER_OFFSET(imgcoder_writer_table, set_color, 80);

IMGCODER_SIZE(imgcoder_transcode_table, 16);
IMGCODER_OFFSET(imgcoder_transcode_table, struct_size, 0);
IMGCODER_OFFSET(imgcoder_transcode_table, reserved, 4);
IMGCODER_OFFSET(imgcoder_transcode_table, transcode, 8);

IMGCODER_SIZE(imgcoder_block, 40);
IMGCODER_OFFSET(imgcoder_block, struct_size, 0);
IMGCODER_OFFSET(imgcoder_block, reserved, 4);
IMGCODER_OFFSET(imgcoder_block, name, 8);
IMGCODER_OFFSET(imgcoder_block, bytes, 24);
IMGCODER_OFFSET(imgcoder_block, length, 32);

IMGCODER_SIZE(imgcoder_operation, 88);
IMGCODER_OFFSET(imgcoder_operation, struct_size, 0);
IMGCODER_OFFSET(imgcoder_operation, reserved, 4);
IMGCODER_OFFSET(imgcoder_operation, name, 8);
IMGCODER_OFFSET(imgcoder_operation, from, 24);
IMGCODER_OFFSET(imgcoder_operation, to, 40);
IMGCODER_OFFSET(imgcoder_operation, values, 56);
IMGCODER_OFFSET(imgcoder_operation, value_count, 64);
IMGCODER_OFFSET(imgcoder_operation, blocks, 72);
IMGCODER_OFFSET(imgcoder_operation, block_count, 80);

IMGCODER_SIZE(imgcoder_operation_kind, 96);
IMGCODER_OFFSET(imgcoder_operation_kind, struct_size, 0);
IMGCODER_OFFSET(imgcoder_operation_kind, flags, 4);
IMGCODER_OFFSET(imgcoder_operation_kind, name, 8);
IMGCODER_OFFSET(imgcoder_operation_kind, text, 24);
IMGCODER_OFFSET(imgcoder_operation_kind, from, 40);
IMGCODER_OFFSET(imgcoder_operation_kind, to, 48);
IMGCODER_OFFSET(imgcoder_operation_kind, format_count, 56);
IMGCODER_OFFSET(imgcoder_operation_kind, options, 64);
IMGCODER_OFFSET(imgcoder_operation_kind, option_count, 72);
IMGCODER_OFFSET(imgcoder_operation_kind, blocks, 80);
IMGCODER_OFFSET(imgcoder_operation_kind, block_count, 88);

IMGCODER_SIZE(imgcoder_file_operations_table, 40);
IMGCODER_OFFSET(imgcoder_file_operations_table, struct_size, 0);
IMGCODER_OFFSET(imgcoder_file_operations_table, reserved, 4);
IMGCODER_OFFSET(imgcoder_file_operations_table, kinds, 8);
IMGCODER_OFFSET(imgcoder_file_operations_table, kind_count, 16);
IMGCODER_OFFSET(imgcoder_file_operations_table, can, 24);
IMGCODER_OFFSET(imgcoder_file_operations_table, run, 32);

IMGCODER_SIZE(imgcoder_frame_rows_table, 32);
IMGCODER_OFFSET(imgcoder_frame_rows_table, struct_size, 0);
IMGCODER_OFFSET(imgcoder_frame_rows_table, reserved, 4);
IMGCODER_OFFSET(imgcoder_frame_rows_table, begin, 8);
IMGCODER_OFFSET(imgcoder_frame_rows_table, add, 16);
IMGCODER_OFFSET(imgcoder_frame_rows_table, end, 24);

IMGCODER_SIZE(imgcoder_look_table, 16);
IMGCODER_OFFSET(imgcoder_look_table, struct_size, 0);
IMGCODER_OFFSET(imgcoder_look_table, reserved, 4);
IMGCODER_OFFSET(imgcoder_look_table, set_draw, 8);

IMGCODER_SIZE(imgcoder_siblings_table, 16);
IMGCODER_OFFSET(imgcoder_siblings_table, struct_size, 0);
IMGCODER_OFFSET(imgcoder_siblings_table, reserved, 4);
IMGCODER_OFFSET(imgcoder_siblings_table, open, 8);

IMGCODER_SIZE(imgcoder_container, 72);
IMGCODER_OFFSET(imgcoder_container, struct_size, 0);
IMGCODER_OFFSET(imgcoder_container, default_plays, 4);
IMGCODER_OFFSET(imgcoder_container, dictionary, 8);
IMGCODER_OFFSET(imgcoder_container, unclamped_delay, 24);
IMGCODER_OFFSET(imgcoder_container, delay, 40);
IMGCODER_OFFSET(imgcoder_container, loop_count, 56);

IMGCODER_SIZE(imgcoder_coder, 136);
IMGCODER_OFFSET(imgcoder_coder, struct_size, 0);
IMGCODER_OFFSET(imgcoder_coder, flags, 4);
IMGCODER_OFFSET(imgcoder_coder, plugin_data, 8);
IMGCODER_OFFSET(imgcoder_coder, id, 16);
IMGCODER_OFFSET(imgcoder_coder, version, 32);
IMGCODER_OFFSET(imgcoder_coder, library, 48);
IMGCODER_OFFSET(imgcoder_coder, container, 64);
IMGCODER_OFFSET(imgcoder_coder, reader, 72);
IMGCODER_OFFSET(imgcoder_coder, writer, 80);
IMGCODER_OFFSET(imgcoder_coder, options, 88);
IMGCODER_OFFSET(imgcoder_coder, option_count, 96);
IMGCODER_OFFSET(imgcoder_coder, get_extension, 104);
IMGCODER_OFFSET(imgcoder_coder, recognize, 112);
IMGCODER_OFFSET(imgcoder_coder, read_options, 120);
IMGCODER_OFFSET(imgcoder_coder, read_option_count, 128);

IMGCODER_SIZE(imgcoder_entry, 32);
IMGCODER_OFFSET(imgcoder_entry, struct_size, 0);
IMGCODER_OFFSET(imgcoder_entry, abi_major, 4);
IMGCODER_OFFSET(imgcoder_entry, abi_minor, 8);
IMGCODER_OFFSET(imgcoder_entry, reserved, 12);
IMGCODER_OFFSET(imgcoder_entry, magic, 16);
IMGCODER_OFFSET(imgcoder_entry, describe, 24);

#endif

#endif
