// SPDX-License-Identifier: Apache-2.0
//
// Operations of misbehaving.c, whose only includer it is. Nothing outside this folder knows their names.
//
//   org.example.retag   the file with another tag in its header and, with the block xmp, other XMP. Its fact Tag is the
//                       tag of the source; a source whose tag is 9 is sealed: UNSUPPORTED
//   org.example.packet  the XMP, taken out

typedef struct {
  const imgcoder_host *host;
  const imgcoder_operation *operation;
  const imgcoder_output *output;  // null: the host only asks
  const imgcoder_properties *facts;
  const uint8_t *bytes;
  uint64_t length;
  uint32_t xmp_length;
} job;

static int is_named(imgcoder_string name, const char *text) {
  return name.length == strlen(text) && !memcmp(name.bytes, text, name.length);
}

static imgcoder_status pass_on(const job *work, const void *bytes, uint64_t length) {
  if (!work->output || length == 0) return IMGCODER_STATUS_OK;
  imgcoder_status status = work->output->write(work->output, bytes, length);
  return acts("operations.output-fails") ? IMGCODER_STATUS_OK : status;
}

static imgcoder_status retag(const job *work) {
  uint8_t header[HEADER];
  const imgcoder_block *xmp = NULL;
  memcpy(header, work->bytes, HEADER);
  work->facts->put_integer(work->facts, (imgcoder_string)IMGCODER_TEXT("Tag"), header[11]);
  if (header[11] == 9) return fail(work->host, IMGCODER_STATUS_UNSUPPORTED, "a file with the tag 9 is sealed");
  if (acts("operations.run") && work->output) return fail(work->host, IMGCODER_STATUS_UNSUPPORTED, "no mood");
  for (uint64_t i = 0; i < work->operation->value_count; i++) {
    const imgcoder_option_value *value = work->operation->values[i];
    if (!is_named(value->name, "tag")) continue;
    if (value->number >= 0 && value->number <= 9)
      header[11] = (uint8_t)value->number;
    else if (acts("operations.values"))
      abort();
    else
      return fail(work->host, IMGCODER_STATUS_INVALID_ARGUMENT, "a tag is 0 to 9");
  }
  for (uint64_t i = 0; i < work->operation->block_count; i++) {
    if (is_named(work->operation->blocks[i]->name, "xmp")) xmp = work->operation->blocks[i];
  }
  if (xmp && xmp->length > 65535) return fail(work->host, IMGCODER_STATUS_INVALID_ARGUMENT, "65535 bytes at most");
  uint64_t size = (uint64_t)little(header + 4) * little(header + 6) * header[8] * header[9] * header[10];
  uint64_t start = HEADER + work->xmp_length;
  if (work->length < start + size) return fail(work->host, IMGCODER_STATUS_TRUNCATED, "the rows end early");
  if (acts("isolated.operations")) header[11] ^= !sees_files();
  if (xmp) header[12] = (uint8_t)xmp->length, header[13] = (uint8_t)(xmp->length >> 8);
  imgcoder_status status = pass_on(work, header, HEADER);
  if (!status && xmp) status = pass_on(work, xmp->bytes, xmp->length);
  if (!status && !xmp) status = pass_on(work, work->bytes + HEADER, work->xmp_length);
  return status ? status : pass_on(work, work->bytes + start, size);
}

static imgcoder_status packet(const job *work) {
  return work->xmp_length ? pass_on(work, work->bytes + HEADER, work->xmp_length) : IMGCODER_STATUS_NOT_PRESENT;
}

static imgcoder_status operate(const imgcoder_coder *unused, const imgcoder_host *host, const imgcoder_source *source,
                               const imgcoder_operation *operation, const imgcoder_output *output,
                               const imgcoder_properties *facts) {
  job work = {host, operation, output, facts, NULL, 0, 0};
  imgcoder_status status = source->view(source, 0, UINT64_MAX, &work.bytes, &work.length);
  (void)unused;
  if (status) return status;
  if (work.length < HEADER || memcmp(work.bytes, "MISB", 4)) {
    if (acts("operations.cut")) abort();
    return fail(host, IMGCODER_STATUS_TRUNCATED, "the header has 16 bytes");
  }
  work.xmp_length = little(work.bytes + 12);
  if (work.length < HEADER + work.xmp_length) return fail(host, IMGCODER_STATUS_TRUNCATED, "the XMP ends early");
  if (is_named(operation->name, "org.example.retag")) return retag(&work);
  if (is_named(operation->name, "org.example.packet")) return packet(&work);
  if (acts("operations.unknown")) return IMGCODER_STATUS_OK;
  return fail(host, IMGCODER_STATUS_UNSUPPORTED, "the operations are org.example.retag and org.example.packet");
}

static imgcoder_status can_operate(const imgcoder_coder *unused, const imgcoder_host *host,
                                   const imgcoder_source *source, const imgcoder_operation *operation,
                                   const imgcoder_properties *facts) {
  return operate(unused, host, source, operation, NULL, facts);
}

static const imgcoder_option new_tag = {
    sizeof(imgcoder_option), IMGCODER_OPTION_INTEGER, IMGCODER_TEXT("tag"), IMGCODER_TEXT("The tag of the new file."),
    0, 9, 0, NULL, 0, IMGCODER_TEXT(""), 0, 0};
static const imgcoder_option *const retag_options[] = {&new_tag};
static const imgcoder_string misb[] = {IMGCODER_TEXT("org.example.misb")}, blocks[] = {IMGCODER_TEXT("xmp")};
static const imgcoder_operation_kind retag_kind = {
    sizeof(imgcoder_operation_kind), 0, IMGCODER_TEXT("org.example.retag"), IMGCODER_TEXT("Write another tag and XMP."),
    misb, NULL, 1, retag_options, 1, blocks, 1};
static const imgcoder_operation_kind packet_kind = {
    sizeof(imgcoder_operation_kind), IMGCODER_OPERATION_TAKES_OUT, IMGCODER_TEXT("org.example.packet"),
    IMGCODER_TEXT("Take the XMP out."), misb, NULL, 1, NULL, 0, NULL, 0};
static const imgcoder_operation_kind *const kinds[] = {&retag_kind, &packet_kind};
static const imgcoder_file_operations_table operations = {
    sizeof(imgcoder_file_operations_table), 0, kinds, 2, can_operate, operate};
