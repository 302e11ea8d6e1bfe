// SPDX-License-Identifier: Apache-2.0
//
// Extension of the host: files beside the file that is read.
//
//   imgcoder_host.get_extension(host, "org.imagecoders.siblings/1") -> const imgcoder_siblings_table *
//
// The manifest names them under "siblings": "{stem}.xmp" and "{name}.xmp" for photo.nef are photo.xmp and photo.nef.xmp;
// "*" is any file of the folder. A plugin, which does not know the file's name, asks for "{stem}.xmp" itself. Whether they
// are opened is the user's choice.

#ifndef IMGCODER_SIBLINGS_H
#define IMGCODER_SIBLINGS_H

#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IMGCODER_EXTENSION_SIBLINGS "org.imagecoders.siblings/1"

typedef struct imgcoder_siblings_table {
  uint32_t struct_size;
  uint32_t reserved;  // 0

  // Opens a file in the folder of the session's source, read only. Its bytes count as those of the source do.
  //   name       of the file alone: no folder, and no first letter "."; "{stem}" and "{name}" as in the manifest
  //   order      after the session is open, or in `open`
  //   ownership  `*source` is the host's and lives until the session is closed
  //   returns    OK; NOT_PRESENT if there is no such file, if it is no regular file, if the manifest does not name it, if it
  //              may not be opened, and if the bytes that are read have no folder; LIMIT_EXCEEDED; IO
  // [session]
  imgcoder_status(IMGCODER_ABI *open)(const imgcoder_host *host, imgcoder_string name, const imgcoder_source **source);
} imgcoder_siblings_table;

#ifdef __cplusplus
}
#endif

#endif
