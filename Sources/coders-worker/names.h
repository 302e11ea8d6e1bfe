// SPDX-License-Identifier: Apache-2.0
//
// What the functions of the worker are called where a program sees them that the worker is a part of: it has names of its own.

#ifndef NAMES_H
#define NAMES_H

#define bytes_all cworker_bytes_all
#define bytes_begin cworker_bytes_begin
#define bytes_begin_small cworker_bytes_begin_small
#define bytes_end cworker_bytes_end
#define bytes_update cworker_bytes_update
#define bytes_wait cworker_bytes_wait
#define chunks_begin cworker_chunks_begin
#define chunks_end cworker_chunks_end
#define chunks_put cworker_chunks_put
#define code_give_back cworker_code_give_back
#define color_send cworker_color_send
#define filter_notes_refused_calls cworker_filter_notes_refused_calls
#define filter_server cworker_filter_server
#define filter_worker cworker_filter_worker
#define fonts_find cworker_fonts_find
#define fonts_folder cworker_fonts_folder
#define fonts_folders cworker_fonts_folders
#define fonts_hold cworker_fonts_hold
#define keys_end_thread cworker_keys_end_thread
#define layers_give_fonts cworker_layers_give_fonts
#define layers_of_namespaces cworker_layers_of_namespaces
#define layers_of_process cworker_layers_of_process
#define layers_of_server cworker_layers_of_server
#define layers_of_worker cworker_layers_of_worker
#define messages_hold cworker_messages_hold
#define operations_call cworker_operations_call
#define output_begin cworker_output_begin
#define output_end cworker_output_end
#define output_is_open cworker_output_is_open
#define output_reply cworker_output_reply
#define output_taken cworker_output_taken
#define parcel_block cworker_parcel_block
#define parcel_blocks cworker_parcel_blocks
#define parcel_close cworker_parcel_close
#define parcel_open cworker_parcel_open
#define parcel_take cworker_parcel_take
#define parcel_text cworker_parcel_text
#define parcel_values cworker_parcel_values
#define payload cworker_payload
#define pixels_decode cworker_pixels_decode
#define pixels_flush cworker_pixels_flush
#define pixels_row_bytes cworker_pixels_row_bytes
#define pixels_rows_of_band cworker_pixels_rows_of_band
#define pixels_taken cworker_pixels_taken
#define probe_filter cworker_probe_filter
#define properties_begin cworker_properties_begin
#define properties_send cworker_properties_send
#define receive cworker_receive
#define reply cworker_reply
#define reply_with_output cworker_reply_with_output
#define send_chunks cworker_send_chunks
#define send_message cworker_send_message
#define server_run cworker_server_run
#define services_begin cworker_services_begin
#define services_end cworker_services_end
#define services_fail_without cworker_services_fail_without
#define services_lacks cworker_services_lacks
#define session_run cworker_session_run
#define siblings_begin cworker_siblings_begin
#define siblings_end cworker_siblings_end
#define the_output cworker_the_output
#define the_session cworker_the_session
#define threads_begin cworker_threads_begin
#define threads_helpers cworker_threads_helpers
#define threads_memory cworker_threads_memory
#define threads_prepare cworker_threads_prepare
#define writing_call cworker_writing_call
#define writing_end cworker_writing_end

#endif
