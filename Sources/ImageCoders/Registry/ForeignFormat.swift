// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// A kind of picture file that is known by name, and that no coder of this project reads: an error can say what it is.
struct ForeignFormat {
  let name: String
  let signatures: [FormatSignature]

  private init(_ name: String, _ signatures: FormatSignature...) {
    (self.name, self.signatures) = (name, signatures)
  }

  private init(_ name: String, _ text: StaticString, at offset: Int = 0) {
    self.init(name, FormatSignature(text.withUTF8Buffer { Array($0) }, at: offset))
  }

  /// The first of them that a file agrees with, or nil.
  static func of(_ source: OpenSource) -> ForeignFormat? {
    all.first { format in
      format.signatures.contains { signature in
        let found = Result { () throws(CoderError) in try signature.recognition(of: source) }
        if case .success(.yes) = found { return true }
        return false
      }
    }
  }

  private static let all = [
    // ITU-T T.832 §A.4.1: as TIFF, with a number and a version of its own. 0 is HD Photo's.
    ForeignFormat("JPEG XR", FormatSignature([0x49, 0x49, 0xBC, 1])),
    ForeignFormat("HD Photo", FormatSignature([0x49, 0x49, 0xBC, 0])),
    ForeignFormat("BPG", FormatSignature([0x42, 0x50, 0x47, 0xFB])),
    ForeignFormat("FLIF", "FLIF"),
    ForeignFormat("JBIG2", FormatSignature([0x97, 0x4A, 0x42, 0x32, 0x0D, 0x0A, 0x1A, 0x0A])),
    ForeignFormat("MNG", FormatSignature([0x8A, 0x4D, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])),
    ForeignFormat("JNG", FormatSignature([0x8B, 0x4A, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])),
    ForeignFormat("DjVu", "AT&TFORM"),
    ForeignFormat("PDF", "%PDF-"),
    ForeignFormat("PostScript", "%!PS"),
    ForeignFormat("EPS", FormatSignature([0xC5, 0xD0, 0xD3, 0xC6])),
    ForeignFormat("XCF", "gimp xcf "),
    ForeignFormat("DICOM", "DICM", at: 128),
    ForeignFormat("FITS", "SIMPLE  ="),
    ForeignFormat("DDS", "DDS "),
    ForeignFormat("KTX", FormatSignature([0xAB, 0x4B, 0x54, 0x58, 0x20])),
    ForeignFormat("Sun raster", FormatSignature([0x59, 0xA6, 0x6A, 0x95])),
    ForeignFormat("XPM", "/* XPM */"),
    ForeignFormat("IFF ILBM", "ILBM", at: 8),
    ForeignFormat("WMF", FormatSignature([0xD7, 0xCD, 0xC6, 0x9A])),
    ForeignFormat("EMF", " EMF", at: 40),
    ForeignFormat("farbfeld", "farbfeld"),
  ]
}
