// SPDX-License-Identifier: Apache-2.0
//
// libheif, which encodes pictures with x265, loaded when the first picture is written: together they take 17 MB, and reading
// needs neither. The boxes around pictures are read and written in Swift.

#ifndef CHEIFLIBRARY_H
#define CHEIFLIBRARY_H

#include <libheif/heif.h>

#ifdef __cplusplus
extern "C" {
#endif

// Later versions have a macro of this name in place of the enumerator, which Swift does not see.
static inline enum heif_chroma heif_chroma_gray(void) { return heif_chroma_monochrome; }

// The calls that are used, by libheif's own names without their prefix.
#define HEIF_LIBRARY_CALLS(call)                       \
  call(context_alloc)                                  \
  call(context_encode_image)                           \
  call(context_free)                                   \
  call(context_get_encoder_for_format)                 \
  call(context_write)                                  \
  call(encoder_release)                                \
  call(encoder_set_logging_level)                      \
  call(encoder_set_lossless)                           \
  call(encoder_set_lossy_quality)                      \
  call(encoder_set_parameter_string)                   \
  call(encoding_options_alloc)                         \
  call(encoding_options_free)                          \
  call(image_add_plane)                                \
  call(image_create)                                   \
  call(image_get_plane)                                \
  call(image_release)                                  \
  call(image_set_nclx_color_profile)                   \
  call(nclx_color_profile_alloc)                       \
  call(nclx_color_profile_free)                        \
  call(nclx_color_profile_set_color_primaries)         \
  call(nclx_color_profile_set_matrix_coefficients)     \
  call(nclx_color_profile_set_transfer_characteristics)

typedef struct heif_library {
#define HEIF_LIBRARY_MEMBER(name) __typeof__(&heif_##name) name;
  HEIF_LIBRARY_CALLS(HEIF_LIBRARY_MEMBER)
#undef HEIF_LIBRARY_MEMBER
} heif_library;

// The file that is looked for, as the dynamic linker does.
#define HEIF_LIBRARY_NAME "libheif.so.1"

// Says where the library is loaded from. Until then the dynamic linker looks for its name.
//   folder  has HEIF_LIBRARY_NAME; null: nothing is loaded
// [any]
void heif_library_set_folder(const char *folder);

// Loads the library and finds its calls. It stays until the process ends.
//   returns  1; 0 with the dynamic linker's words, cut to `length`, in `problem`
// [any]
int heif_library_load(heif_library *library, char *problem, size_t length);

// Loads the library now if the process is going to be locked, which a variable says: docs/isolation.md. Without the
// library, the caller that writes a picture is told.
void heif_library_load_if_asked(void);

#ifdef __cplusplus
}
#endif

#endif
