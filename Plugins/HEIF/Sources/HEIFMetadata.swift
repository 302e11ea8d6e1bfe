// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// Edits the metadata of HEIF files.
enum HEIFMetadata: ContainerMetadataEditor {
  static func edit(
    _ source: SourceView, format: ImageFormat, edits: MetadataBlockEdits, output: ByteOutput, host: CoderHost
  ) throws(CoderError) {
    try ItemMetadata.edit(source, edits: edits, output: output, host: host)
  }
}
