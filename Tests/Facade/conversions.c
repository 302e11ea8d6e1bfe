// SPDX-License-Identifier: Apache-2.0
//
// Claims about files that are made of other files.

#include <unistd.h>

#include "streams.h"

// Whether a text, which does not end with a null byte, has a part.
static int has(const ic_bytes *text, const char *part) {
  char *copy = calloc(1, text->count + 1);
  if (text->count) memcpy(copy, text->data, text->count);
  int found = strstr(copy, part) != NULL;
  if (!found) fprintf(stderr, "%s is not in %s\n", part, copy);
  free(copy);
  return found;
}

static int32_t convert(
    const ic_source *source, const ic_request *request, const ic_encoding *encoding, ic_bytes *file, ic_bytes *report,
    ic_error *error) {
  return ic_convert(registry, source, request, encoding, NULL, file, report, error);
}

// A picture of bytes, as it is stored.
static ic_pixels stored(const ic_bytes *file) {
  ic_source source = bytes_of(file->data, file->count);
  ic_request request = {.size = sizeof request};
  ic_pixels pixels = {.size = sizeof pixels};
  request.flags = IC_KEEP_ORIENTATION;
  request.color = IC_COLOR_AS_STORED;
  request.pixel_format = IC_RGBA8;
  IS(ic_decode(registry, &source, &request, &pixels, NULL), IC_OK);
  return pixels;
}

static ic_bytes read_whole(const char *name) {
  ic_bytes file = {.size = sizeof file};
  size_t count;
  file.data = contents(name, &count);
  file.count = count;
  return file;
}

// Everything of an animation goes along, and nothing is decoded where the bytes can stay.
static void other_formats(void) {
  ic_encoding encoding = {.size = sizeof encoding};
  ic_bytes file = {.size = sizeof file}, report = {.size = sizeof report}, back = {.size = sizeof back};
  ic_error error = {.size = sizeof error};
  ic_bytes animation = {.size = sizeof animation};
  ic_info to = {.size = sizeof to};
  ic_pixels shown = {.size = sizeof shown};
  ic_file *opened = NULL;
  encoding.format = "gif";
  encoding.flags = IC_LOOP;
  encoding.loop_count = 3;
  IS(write_frames(&encoding, NULL, 3, &animation, &error), IC_OK);
  ic_source source = bytes_of(animation.data, animation.count);
  encoding.format = "webp";
  encoding.flags = IC_EXACT;
  IS(convert(&source, NULL, &encoding, &file, &report, &error), IC_OK);
  HOLDS(error.status == IC_OK && has(&report, "\"carried_over\": false") && has(&report, "\"file\": \"-\"") && has(&report, "\"schema\": 1"));
  ic_source made = bytes_of(file.data, file.count);
  IS(ic_open(registry, &made, NULL, &opened, &error), IC_OK);
  IS(ic_file_info(opened, &to, &error), IC_OK);
  HOLDS(to.frames == 3 && to.loop_count == 3 && strcmp(to.extension, "webp") == 0);
  IS(ic_file_frame(opened, 1, &shown, &error), IC_OK);
  HOLDS(shown.delay_numerator * 5 == shown.delay_denominator && shown.width == 32);
  ic_release(shown.owner);
  ic_file_close(opened);
  ic_release(report.owner);
  // One of its frames.
  encoding.flags |= IC_FIRST_FRAME;
  IS(convert(&source, NULL, &encoding, &back, NULL, &error), IC_OK);
  ic_source still = bytes_of(back.data, back.count);
  IS(ic_probe(registry, &still, NULL, &to, NULL), IC_OK);
  HOLDS(to.frames == 1 && to.width == 32);
  ic_release(back.owner);
  ic_release(animation.owner);
  ic_release(file.owner);

  // A JPEG becomes a JPEG XL and a JPEG again, byte for byte; one that stays a JPEG is the same file.
  ic_bytes jpeg = read_whole("jpeg/valid/baseline-420.jpg");
  source = bytes_of(jpeg.data, jpeg.count);
  encoding.flags = 0;
  encoding.format = "jxl";
  IS(convert(&source, NULL, &encoding, &file, &report, &error), IC_OK);
  HOLDS(has(&report, "\"carried_over\": true") && has(&report, "\"format\": \"public.jpeg-xl\""));
  ic_source small = bytes_of(file.data, file.count);
  encoding.format = "jpg";
  IS(convert(&small, NULL, &encoding, &back, NULL, &error), IC_OK);
  HOLDS(back.count == jpeg.count && memcmp(back.data, jpeg.data, jpeg.count) == 0);
  ic_release(report.owner);
  ic_release(back.owner);
  ic_release(file.owner);
  IS(convert(&source, NULL, &encoding, &file, &report, &error), IC_OK);
  HOLDS(file.count == jpeg.count && memcmp(file.data, jpeg.data, jpeg.count) == 0);
  ic_release(report.owner);
  ic_release(file.owner);
  encoding.flags = IC_ENCODE_ANEW;
  IS(convert(&source, NULL, &encoding, &file, &report, &error), IC_OK);
  HOLDS(has(&report, "\"carried_over\": false") && has(&report, "\"frames\": 1"));
  ic_release(report.owner);
  ic_release(file.owner);
  // Into a box; through functions on both sides.
  static uint8_t taken[1 << 16];
  caller_bytes read = caller_of((uint8_t *)jpeg.data, jpeg.count);
  caller_file written = {.bytes = taken, .capacity = sizeof taken};
  ic_source called = function_of(&read);
  ic_sink sink = sink_to(&written);
  ic_request request = {.size = sizeof request};
  request.box_width = request.box_height = 8;
  encoding.flags = 0;
  encoding.format = "png";
  IS(ic_convert(registry, &called, &request, &encoding, &sink, NULL, NULL, &error), IC_OK);
  still = bytes_of(taken, written.count);
  IS(ic_probe(registry, &still, NULL, &to, NULL), IC_OK);
  HOLDS(to.width <= 8 && to.height <= 8 && (to.width == 8 || to.height == 8));
  free((void *)jpeg.data);
}

// Metadata goes along unless it is left out, and colors stay unless they are converted.
static void facts(void) {
  ic_encoding encoding = {.size = sizeof encoding};
  ic_bytes file = {.size = sizeof file}, report = {.size = sizeof report};
  ic_error error = {.size = sizeof error};
  ic_info info = {.size = sizeof info};
  ic_source source = path_of("jpeg/valid/icc.jpg"), made;
  encoding.format = "png";
  IS(convert(&source, NULL, &encoding, &file, NULL, &error), IC_OK);
  made = bytes_of(file.data, file.count);
  IS(ic_probe(registry, &made, NULL, &info, NULL), IC_OK);
  HOLDS(info.metadata & 1 << IC_ICC);
  ic_release(file.owner);
  encoding.left_out = 1 << IC_ICC;
  IS(convert(&source, NULL, &encoding, &file, NULL, &error), IC_OK);
  made = bytes_of(file.data, file.count);
  IS(ic_probe(registry, &made, NULL, &info, NULL), IC_OK);
  HOLDS(!(info.metadata & 1 << IC_ICC));
  ic_release(file.owner);
  encoding.left_out = 0;
  encoding.flags = IC_CONVERT_COLOR;
  encoding.color = 99;
  IS(convert(&source, NULL, &encoding, &file, NULL, &error), IC_INVALID_ARGUMENT);
  HOLDS(strstr(error.message, "ic_encoding.color is 99"));
  encoding.color = IC_COLOR_DISPLAY_P3;
  IS(convert(&source, NULL, &encoding, &file, NULL, &error), IC_OK);
  ic_pixels pixels = stored(&file);
  ic_request display = {.size = sizeof display};
  ic_pixels wanted = {.size = sizeof wanted};
  display.color = IC_COLOR_DISPLAY_P3;
  display.pixel_format = IC_RGBA8;
  IS(ic_decode(registry, &source, &display, &wanted, &error), IC_OK);
  HOLDS(same_pixels(&pixels, &wanted, 4));
  ic_release(wanted.owner);
  ic_release(pixels.owner);
  ic_release(file.owner);

  // Content credentials sign the old bytes: the report says that they are gone, and strictly that is an error.
  source = path_of("jpeg/valid/c2pa.jpg");
  encoding.flags = 0;
  IS(convert(&source, NULL, &encoding, &file, &report, &error), IC_OK);
  HOLDS(has(&report, "\"fact\": \"C2PA\"") && has(&report, "\"outcome\": \"dropped\""));
  ic_release(report.owner);
  ic_release(file.owner);
  ic_request request = {.size = sizeof request};
  request.flags = IC_STRICT;
  IS(convert(&source, &request, &encoding, &file, &report, &error), IC_UNSUPPORTED);
  HOLDS(!file.owner && !report.owner);

  // Of half of a picture, what is there, and what is wrong.
  ic_bytes half = read_whole("png/valid/rgb8.png");
  source = bytes_of(half.data, half.count - 60);
  encoding.format = "bmp";
  IS(convert(&source, NULL, &encoding, &file, &report, &error), IC_OK);
  HOLDS(file.problem == IC_TRUNCATED && error.status == IC_TRUNCATED && report.count > 0);
  ic_release(report.owner);
  ic_release(file.owner);
  IS(convert(&source, &request, &encoding, &file, &report, &error), IC_TRUNCATED);
  encoding.format = "nonsense";
  IS(convert(&source, NULL, &encoding, &file, &report, &error), IC_INVALID_ARGUMENT);
  IS(convert(&source, NULL, NULL, &file, &report, &error), IC_INVALID_ARGUMENT);
  encoding.format = "png";
  IS(convert(&source, NULL, &encoding, NULL, &report, &error), IC_INVALID_ARGUMENT);
  free((void *)half.data);
}

static int32_t operate(const ic_source *source, const char *operation, ic_bytes *file, ic_bytes *report, ic_error *error) {
  return ic_operate(registry, source, NULL, operation, NULL, file, report, error);
}

// Metadata is edited, and pixels stay byte for byte; a JPEG is turned without loss.
static void operations(void) {
  ic_bytes file = {.size = sizeof file}, report = {.size = sizeof report}, text = {.size = sizeof text};
  ic_error error = {.size = sizeof error};
  ic_info info = {.size = sizeof info};
  ic_file *opened = NULL;
  ic_bytes jpeg = read_whole("jpeg/valid/orientation-exif.jpg");
  ic_source source = bytes_of(jpeg.data, jpeg.count);
  ic_pixels before = stored(&jpeg);
  IS(operate(&source, "{\"set\": {\"Artist\": \"A. Author\", \"Keywords\": [\"sea\", \"boat\"], \"Exif.ISOSpeedRatings\": 200}}", &file, &report, &error), IC_OK);
  HOLDS(has(&report, "\"format\": \"public.jpeg\"") && has(&report, "\"carried_over\": true"));
  ic_pixels after = stored(&file);
  HOLDS(same_pixels(&before, &after, 4));
  ic_release(after.owner);
  ic_source edited = bytes_of(file.data, file.count);
  IS(ic_open(registry, &edited, NULL, &opened, &error), IC_OK);
  IS(ic_file_properties(opened, &text, &error), IC_OK);
  HOLDS(has(&text, "\"Artist\": \"A. Author\"") && has(&text, "\"boat\"") && has(&text, "\"sea\"") && has(&text, "200"));
  ic_file_close(opened);
  ic_release(text.owner);
  ic_release(report.owner);
  // Parts go; the picture stays upright.
  ic_bytes stripped = {.size = sizeof stripped};
  IS(operate(&edited, "{\"strip\": [\"all\"]}", &stripped, NULL, &error), IC_OK);
  ic_source bare = bytes_of(stripped.data, stripped.count);
  ic_info old = {.size = sizeof old};
  IS(ic_probe(registry, &source, NULL, &old, NULL), IC_OK);
  IS(ic_probe(registry, &bare, NULL, &info, NULL), IC_OK);
  HOLDS(info.orientation == old.orientation && !(info.metadata & (1 << IC_XMP | 1 << IC_IPTC)) && stripped.count < file.count);
  ic_release(stripped.owner);
  ic_release(file.owner);
  ic_release(before.owner);
  free((void *)jpeg.data);

  // Turned twice it is the same picture, exactly.
  uint8_t memory[24 * 100];
  ic_pixels picture = gradient(memory, 0);
  const ic_pixels *frames[] = {&picture};
  ic_encoding encoding = {.size = sizeof encoding};
  ic_option option = {"subsampling", "4:4:4"};
  encoding.format = "jpg";
  encoding.options = &option;
  encoding.option_count = 1;
  jpeg.size = sizeof jpeg;
  IS(ic_encode(registry, frames, 1, &encoding, NULL, &jpeg, &error), IC_OK);
  source = bytes_of(jpeg.data, jpeg.count);
  IS(operate(&source, "{\"operation\": \"turn\", \"values\": {\"orientation\": 3}}", &file, &report, &error), IC_OK);
  HOLDS(has(&report, "\"coder\": \"org.imagecoders.jpeg\"") && has(&report, "\"operation\": \"turn\"") && has(&report, "\"error\": null"));
  ic_bytes again = {.size = sizeof again};
  ic_source turned = bytes_of(file.data, file.count);
  IS(operate(&turned, "{\"operation\": \"turn\", \"values\": {\"orientation\": \"3\"}}", &again, NULL, &error), IC_OK);
  before = stored(&jpeg);
  after = stored(&again);
  ic_pixels half = stored(&file);
  HOLDS(same_pixels(&before, &after, 4) && !same_pixels(&before, &half, 4));
  ic_release(half.owner);
  ic_release(after.owner);
  ic_release(before.owner);
  ic_release(again.owner);
  ic_release(report.owner);
  ic_release(file.owner);
  // Into another format, and from there.
  IS(operate(&source, "{\"operation\": \"transcode\", \"to\": \"jxl\"}", &file, NULL, &error), IC_OK);
  turned = bytes_of(file.data, file.count);
  IS(operate(&turned, "{\"operation\": \"transcode\", \"to\": \"public.jpeg\"}", &again, NULL, &error), IC_OK);
  HOLDS(again.count == jpeg.count && memcmp(again.data, jpeg.data, jpeg.count) == 0);
  ic_release(again.owner);
  ic_release(file.owner);

  static const struct {
    const char *operation;
    int32_t status;
    const char *words;
  } wrong[] = {
    {"{\"set\": {\"Artist\": ", IC_INVALID_ARGUMENT, "line 1, column"},
    {"[]", IC_INVALID_ARGUMENT, "an object is allowed"},
    {"{\"sett\": {}}", IC_INVALID_ARGUMENT, "sett is not a known key"},
    {"{\"operation\": \"turn\", \"strip\": []}", IC_INVALID_ARGUMENT, "strip is not a known key"},
    {"{\"strip\": [\"everything\"]}", IC_INVALID_ARGUMENT, "strip[0] is \"everything\""},
    {"{\"set\": {\"Nonsense\": 1}}", IC_INVALID_ARGUMENT, "no property is called Nonsense"},
    {"{\"set\": {\"Artist\": null}}", IC_INVALID_ARGUMENT, "set.Artist is null"},
    {"{\"video\": \"*\"}", IC_INVALID_ARGUMENT, "video is no Base64"},
    {"{\"auxiliary\": {\"gain-map\": \"\"}}", IC_INVALID_ARGUMENT, "none of depth, disparity and matte"},
    {"{\"operation\": \"\"}", IC_INVALID_ARGUMENT, "operation is"},
    {"{\"operation\": \"fly\"}", IC_UNSUPPORTED, "no coder has the operation fly"},
    {"{\"operation\": \"turn\", \"values\": {\"orientation\": 9}}", IC_INVALID_ARGUMENT, "orientation"},
    {"{\"operation\": \"turn\", \"values\": {\"orientation\": [1, 2]}}", IC_INVALID_ARGUMENT, "one value is allowed"},
    {"{\"operation\": \"transcode\", \"to\": \"nonsense\"}", IC_INVALID_ARGUMENT, "no coder has the format nonsense"},
  };
  for (size_t index = 0; index < sizeof wrong / sizeof wrong[0]; index++) {
    int32_t status = operate(&source, wrong[index].operation, &file, &report, &error);
    if (status != wrong[index].status || !strstr(error.message, wrong[index].words)) {
      fprintf(stderr, "%s: %s, %s\n", wrong[index].operation, ic_status_name((uint32_t)status), error.message);
      fail(__FILE__, __LINE__, "an operation that is wrong is refused");
    }
    HOLDS(!file.owner && !report.owner);
  }
  ic_release(jpeg.owner);
}

// Limits, allowed formats and a flag that stops work hold for these calls, too.
static void requests(void) {
  static const char *const allowed[] = {"gif"};
  ic_source source = path_of("jpeg/valid/orientation-exif.jpg");
  ic_encoding encoding = {.size = sizeof encoding};
  ic_bytes file = {.size = sizeof file};
  ic_error error = {.size = sizeof error};
  ic_request small = {.size = sizeof small}, other = {.size = sizeof other}, stopped = {.size = sizeof stopped};
  ic_cancel *cancel = ic_cancel_new();
  const char *strip = "{\"strip\": [\"exif\"]}";
  ic_cancel_set(cancel);
  small.max_pixels = 10;
  other.allowed_formats = allowed;
  other.allowed_count = 1;
  stopped.cancel = cancel;
  encoding.format = "png";
  IS(convert(&source, &small, &encoding, &file, NULL, &error), IC_LIMIT_EXCEEDED);
  IS(convert(&source, &other, &encoding, &file, NULL, &error), IC_UNSUPPORTED);
  IS(convert(&source, &stopped, &encoding, &file, NULL, &error), IC_CANCELLED);
  IS(ic_operate(registry, &source, &small, strip, NULL, &file, NULL, &error), IC_LIMIT_EXCEEDED);
  IS(ic_operate(registry, &source, &other, strip, NULL, &file, NULL, &error), IC_UNSUPPORTED);
  IS(ic_operate(registry, &source, &stopped, strip, NULL, &file, NULL, &error), IC_CANCELLED);
  HOLDS(!file.owner);
  ic_cancel_free(cancel);
  // The file that is read may be the one that is written.
  char path[] = "/tmp/imagecoders-edit.XXXXXX";
  int descriptor = mkstemp(path);
  ic_bytes jpeg = read_whole("jpeg/valid/orientation-exif.jpg");
  HOLDS(write(descriptor, jpeg.data, jpeg.count) == (ssize_t)jpeg.count && close(descriptor) == 0);
  ic_sink sink = {.size = sizeof sink};
  ic_info info = {.size = sizeof info};
  source.path = sink.path = path;
  sink.kind = IC_SINK_PATH;
  IS(ic_operate(registry, &source, NULL, "{\"set\": {\"dc:title\": \"Harbour\"}}", &sink, NULL, NULL, &error), IC_OK);
  IS(ic_probe(registry, &source, NULL, &info, &error), IC_OK);
  HOLDS(info.metadata & 1 << IC_XMP);
  encoding.format = "webp";
  IS(ic_convert(registry, &source, NULL, &encoding, &sink, NULL, NULL, &error), IC_OK);
  IS(ic_probe(registry, &source, NULL, &info, &error), IC_OK);
  HOLDS(strcmp(info.extension, "webp") == 0 && info.metadata & 1 << IC_XMP);
  unlink(path);
  free((void *)jpeg.data);
}

void conversions(void) {
  other_formats();
  facts();
  operations();
  requests();
}
