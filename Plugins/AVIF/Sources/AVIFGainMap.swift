// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// Puts gain maps into AVIF files, whose containers libavif 0.11 writes without.
///
/// - Format: AV1 Image File Format 1.2 §4.2.4, ISO/IEC 23008-12 §6.6.2.4, ISO 21496-1:2025.
enum AVIFGainMap: ContainerGainMapWriter {
  static func attach(
    _ map: GainMapParts, to source: SourceView, format: ImageFormat, output: ByteOutput, host: CoderHost
  ) throws(CoderError) {
    try GainMapItems.attach(map, to: source, output: output, host: host)
  }
}
