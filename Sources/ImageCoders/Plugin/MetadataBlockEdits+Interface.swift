// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel

extension MetadataBlockEdits {
  /// The edits as the interface has them, during the call.
  func withRaw<Result>(_ body: (UnsafePointer<imgcoder_block_edits>) -> Result) -> Result {
    var raw = imgcoder_block_edits_sized()
    raw.kinds = removed.reduce(0) { $0 | 1 << $1.rawValue }
    func block(_ kind: MetadataBlock, _ body: (imgcoder_block) -> Result) -> Result {
      (payloads[kind] ?? []).withUnsafeBufferPointer {
        body(imgcoder_block(bytes: $0.baseAddress, length: UInt64($0.count)))
      }
    }
    return block(.icc) { icc in
      block(.exif) { exif in
        block(.xmp) { xmp in
          block(.iptc) { iptc in
            (raw.icc, raw.exif, raw.xmp, raw.iptc) = (icc, exif, xmp, iptc)
            return withUnsafePointer(to: raw, body)
          }
        }
      }
    }
  }
}
