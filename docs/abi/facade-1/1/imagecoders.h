// SPDX-License-Identifier: Apache-2.0
//
// ImageCoders for programs in C, and in every language that calls C: version 1.1 of the library libimagecoders.so.1.
//
//   ic_registry *registry = NULL;
//   ic_registry_new(NULL, &registry, NULL);
//   ic_source source = {.size = sizeof source, .kind = IC_SOURCE_PATH, .path = "photo.heic"};
//   ic_request request = {.size = sizeof request, .box_width = 300, .box_height = 300, .pixel_format = IC_RGB8};
//   ic_pixels pixels = {.size = sizeof pixels};
//   ic_error error = {.size = sizeof error};
//   if (ic_decode(registry, &source, &request, &pixels, &error) == IC_OK) ic_release(pixels.owner);
//   ic_registry_free(registry);
//
// Errors      Functions return IC_OK or a status; ic_error says more. Nothing is printed, no signal is handled, no exit.
//             Of a picture that is damaged or cut, what is there is the result: IC_OK is returned, ic_pixels.problem is the
//             status of what is wrong, and ic_error is filled. With IC_STRICT it is an error.
// Growth      Each struct begins with its size, which the caller sets to sizeof. Later versions append fields: those beyond
//             the size are neither read nor written. A size below that of version 1.0 is IC_INVALID_ARGUMENT. Comments say
//             which version brought what came after 1.0.
// Zero        In what the caller fills, zero is the default that the comment of each field names.
// Threads     Each function may be called from any thread, and a registry be used by many at a time. An ic_file, an ic_feed and
//             an ic_writer are for one thread at a time. After fork(), the child may go on with all of them; a file that is
//             being written to a path is that of one of the two. The caller's functions are called on the thread of the call
//             that needs them, before it returns, and may not use its ic_file or ic_writer.
// Memory      What an owner field holds keeps the memory beside it; ic_release frees it, from any thread, also after the
//             registry is freed. Nothing that the caller passes is kept after a call returns, but for the bytes or the function
//             of ic_open, until the file and its pages and parts are closed, and the function of ic_writer_new.
// Null        Only pointers that are marked IC_NULLABLE may be null.

#ifndef IMAGECODERS_H
#define IMAGECODERS_H

#include <stdint.h>

#include "imagecoders_types.h"

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wnullability-extension"
#pragma clang assume_nonnull begin
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The version of this header. A library of a later minor version has all that is here.
enum { IC_VERSION_MAJOR = 1, IC_VERSION_MINOR = 1 };

// The version of the library: major << 16 | minor.
uint32_t ic_version(void);

// The name of a status, such as "truncated"; "unknown" for others. It lives as long as the library.
const char *ic_status_name(uint32_t status);

// Makes a registry. `options` null: the library's coders, no plugins, the policy standard, in the program.
int32_t ic_registry_new(
    const ic_registry_options *IC_NULLABLE options, ic_registry *IC_NULLABLE *IC_NONNULL registry, ic_error *IC_NULLABLE error);

// Frees a registry that no call uses. Files, feeds and pixels of it stay.
void ic_registry_free(ic_registry *IC_NULLABLE registry);

// The formats of a registry, as the text of a JSON list: objects with format, name, extension, media_type, reads, writes.
int32_t ic_registry_formats(ic_registry *registry, ic_bytes *formats, ic_error *IC_NULLABLE error);

// Reads the header of a file: a few kilobytes, unless only the rest of it can tell.
int32_t ic_probe(
    ic_registry *registry, const ic_source *source, const ic_request *IC_NULLABLE request, ic_info *info,
    ic_error *IC_NULLABLE error);

// Decodes a picture, or the first frame of an animation.
int32_t ic_decode(
    ic_registry *registry, const ic_source *source, const ic_request *IC_NULLABLE request, ic_pixels *pixels,
    ic_error *IC_NULLABLE error);

// Makes a small file of a picture: upright, in sRGB, without Exif and XMP. A box of 0×0 is 256×256 here, pixels become square, and
// of the request, color, pixel_format and target do not count.
int32_t ic_thumbnail(
    ic_registry *registry, const ic_source *source, const ic_request *IC_NULLABLE request,
    const ic_encoding *IC_NULLABLE encoding, ic_bytes *file, ic_error *IC_NULLABLE error);

// Encodes a picture, or an animation of `count` frames of one size and pixel format. The pixels are not copied, and not changed.
int32_t ic_encode(
    ic_registry *registry, const ic_pixels *IC_NULLABLE const *IC_NONNULL frames, uint32_t count,
    const ic_encoding *IC_NULLABLE encoding, ic_cancel *IC_NULLABLE cancel, ic_bytes *file, ic_error *IC_NULLABLE error);

// Makes a file of another format of a file (1.1), and keeps what it states and carries: frames, pages, metadata, colors, gain maps,
// depth. Where the bytes can stay as they are, they do, and a JPEG becomes a JPEG XL without loss. Of the request, color, pixel_format
// and target do not count, and with IC_STRICT it is an error, too, if something that a person would miss had to be left out. Of the
// encoding, icc, exif, xmp and page_count do not count; without a format, that of the sink's path is written. `file` may be null where
// the bytes go to a path or a function. `report`: a JSON object as `coders convert --json` prints it: what was changed and left out.
int32_t ic_convert(
    ic_registry *registry, const ic_source *source, const ic_request *IC_NULLABLE request,
    const ic_encoding *IC_NULLABLE encoding, const ic_sink *IC_NULLABLE sink, ic_bytes *IC_NULLABLE file,
    ic_bytes *IC_NULLABLE report, ic_error *IC_NULLABLE error);

// Works on a whole file without decoding its pixels (1.1). `operation` is a JSON object, with the words of the command:
//   {"strip": ["gps", "thumbnail"], "set": {"Copyright": "A. Author", "Keywords": ["sea", "boat"]}}   as coders metadata
//   {"operation": "turn", "values": {"orientation": 6}}                                               as coders apply
// The first may also have video and auxiliary {"depth": …}, the second blocks and to; bytes are in Base64. Of the request, limits,
// allowed formats and flags count. `file`, `sink` and `report` as for ic_convert; of coders apply, the report is that of the operation.
int32_t ic_operate(
    ic_registry *registry, const ic_source *source, const ic_request *IC_NULLABLE request, const char *operation,
    const ic_sink *IC_NULLABLE sink, ic_bytes *IC_NULLABLE file, ic_bytes *IC_NULLABLE report, ic_error *IC_NULLABLE error);

// Does `count` jobs, one after another in memory, each jobs->size bytes after the one before, and returns when all are done. Each
// has a status of its own. `threads` is how many do the work, the calling one among them; 0: one for each processor. Jobs that
// begin after `cancel` was set end with IC_CANCELLED, and so do those that run, as soon as they look. IC_SOURCE_FUNCTION is
// IC_INVALID_ARGUMENT here: it would be called on other threads.
void ic_batch(ic_registry *registry, ic_job *jobs, uint32_t count, uint32_t threads, ic_cancel *IC_NULLABLE cancel);

// Opens a file for its frames, pages, parts and metadata. Bytes of the source have to stay as they are until ic_file_close. The
// request holds for its frames.
int32_t ic_open(
    ic_registry *registry, const ic_source *source, const ic_request *IC_NULLABLE request, ic_file *IC_NULLABLE *IC_NONNULL file,
    ic_error *IC_NULLABLE error);

// What the file says of its picture.
int32_t ic_file_info(ic_file *file, ic_info *info, ic_error *IC_NULLABLE error);

// Decodes a frame, whole as it is shown: from 0, below ic_info.frames.
int32_t ic_file_frame(ic_file *file, uint32_t index, ic_pixels *pixels, ic_error *IC_NULLABLE error);

// Opens another page, from 1, as a file of its own, which needs its own ic_file_close. It is for the same thread.
int32_t ic_file_page(ic_file *file, uint32_t page, ic_file *IC_NULLABLE *IC_NONNULL opened, ic_error *IC_NULLABLE error);

// A payload of metadata by its kind, IC_EXIF and the like. One that is not there is IC_OK with a count of 0.
int32_t ic_file_metadata(ic_file *file, uint32_t kind, ic_bytes *payload, ic_error *IC_NULLABLE error);

// What the file's metadata says, as the text of a JSON object, with the names that ImageIO gives properties.
int32_t ic_file_properties(ic_file *file, ic_bytes *text, ic_error *IC_NULLABLE error);

// What the file carries besides its picture (1.1): gain maps, depth, mattes, thumbnails, further pages, the video of a motion photo,
// blocks of metadata. A JSON object as `coders parts --json` prints it, whose file is "-"; its list numbers the parts from 1.
int32_t ic_file_parts(ic_file *file, ic_bytes *list, ic_error *IC_NULLABLE error);

// The bytes of a part by its number (1.1), as `coders parts -o` writes them: a picture that is no file of its own is a PNG.
int32_t ic_file_part(ic_file *file, uint32_t part, ic_bytes *bytes, ic_error *IC_NULLABLE error);

// Opens a part that is a picture (1.1) as a file of its own, which needs its own ic_file_close. It is for the same thread. Gain maps,
// depth and mattes have their own size and colors; for the others, the request of ic_open holds. A part that is no picture is
// IC_UNSUPPORTED.
int32_t ic_file_open_part(
    ic_file *file, uint32_t part, ic_file *IC_NULLABLE *IC_NONNULL opened, ic_error *IC_NULLABLE error);

// Closes a file. Pixels and bytes of it stay.
void ic_file_close(ic_file *IC_NULLABLE file);

// Begins a file that arrives piece by piece.
int32_t ic_feed_new(
    ic_registry *registry, const ic_request *IC_NULLABLE request, ic_feed *IC_NULLABLE *IC_NONNULL feed,
    ic_error *IC_NULLABLE error);

// Appends the next bytes, which are copied. What is wrong with the file may be said by a later call.
int32_t ic_feed_append(ic_feed *feed, const void *IC_NULLABLE bytes, uint64_t count, ic_error *IC_NULLABLE error);

// What the file says of its picture, as soon as that has arrived: until then info->width is 0.
int32_t ic_feed_info(ic_feed *feed, ic_info *info, ic_error *IC_NULLABLE error);

// The picture so far. Before the first row, pixels->data is null. Rows that are missing are transparent, or black.
int32_t ic_feed_look(ic_feed *feed, ic_pixels *pixels, ic_error *IC_NULLABLE error);

// Ends the file. Of one that ends too early, what is there is the result.
int32_t ic_feed_finish(ic_feed *feed, ic_pixels *pixels, ic_error *IC_NULLABLE error);

// Ends the work. Pixels stay.
void ic_feed_free(ic_feed *IC_NULLABLE feed);

// Begins a file that is written frame by frame (1.1): formats that are written so keep two frames in memory, the others all. The
// encoding needs a format, unless the sink's path has an extension. `sink` null: the bytes are the result of ic_writer_finish.
int32_t ic_writer_new(
    ic_registry *registry, const ic_encoding *IC_NULLABLE encoding, const ic_sink *IC_NULLABLE sink,
    ic_cancel *IC_NULLABLE cancel, ic_writer *IC_NULLABLE *IC_NONNULL writer, ic_error *IC_NULLABLE error);

// Adds a frame, or with ic_encoding.page_count a page; the pixels are copied. What goes wrong with the format or the sink ends the work,
// and later calls return it again.
int32_t ic_writer_add(ic_writer *writer, const ic_pixels *pixels, ic_error *IC_NULLABLE error);

// Writes the rest of the file, and puts it in its place. `file` may be null where the bytes go to a path or a function.
int32_t ic_writer_finish(ic_writer *writer, ic_bytes *IC_NULLABLE file, ic_error *IC_NULLABLE error);

// Ends the work. Of a file that is not finished, nothing stays at the path.
void ic_writer_free(ic_writer *IC_NULLABLE writer);

// Makes a flag that stops work; one may stop several calls.
ic_cancel *ic_cancel_new(void);

// Asks the work with this flag to stop, from any thread. It stays set.
void ic_cancel_set(ic_cancel *cancel);

// Frees a flag, also while calls use it.
void ic_cancel_free(ic_cancel *IC_NULLABLE cancel);

// Frees what an owner field holds, once.
void ic_release(void *IC_NULLABLE owner);

// Runs the command `coders` with the coders of this library, and returns its exit status (1.1). For the main function of a program that
// does nothing else: it takes over signals, prints, and is a worker if it was started as one. Its name is the first argument.
int32_t ic_command(int32_t count, char *IC_NULLABLE const *IC_NONNULL arguments);

#ifdef __cplusplus
}
#endif

#ifdef __clang__
#pragma clang assume_nonnull end
#pragma clang diagnostic pop
#endif

#endif
