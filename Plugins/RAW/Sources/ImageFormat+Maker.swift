// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

extension ImageFormat {
  /// Files that are a kind of TIFF, by their makers.
  private static let ofMakers = [
    "Nikon": "com.nikon.raw-image", "Sony": "com.sony.arw-raw-image", "Pentax": "com.pentax.raw-image",
    "Samsung": "com.samsung.raw-image", "Hasselblad": "com.hasselblad.3fr-raw-image",
    "Phase One": "com.phaseone.raw-image",
  ]

  /// Signatures of formats of one maker, each with its place.
  private static let ofSignatures: [(signature: StaticString, place: Int, format: String)] = [
    ("ftypcrx ", 4, "com.canon.cr3-raw-image"), ("HEAPCCDR", 6, "com.canon.crw-raw-image"),
    ("FUJIFILM", 0, "com.fuji.raw-image"), ("\0MRM", 0, "com.minolta.raw-image"),
    ("IIRO", 0, "com.olympus.or-raw-image"), ("IIRS", 0, "com.olympus.or-raw-image"),
    ("MMOR", 0, "com.olympus.or-raw-image"), ("IIU\0", 0, "com.panasonic.rw2-raw-image"),
    ("CR", 8, "com.canon.cr2-raw-image"), ("IIII", 8, "com.phaseone.raw-image"),
    ("MMMM", 8, "com.phaseone.raw-image"),
  ]

  /// The format of a camera's file, named as the manifest names it.
  ///
  /// - Parameter start: The file's first bytes, 16 or fewer.
  init(of file: CameraFile, start: RawSpan) {
    let reader = ByteReader(start)
    if file.isDNG {
      self.init(rawValue: "com.adobe.raw-image")
    } else if let known = Self.ofSignatures.first(where: { reader.has($0.signature, at: $0.place) }) {
      self.init(rawValue: known.format)
    } else {
      self.init(rawValue: Self.ofMakers[file.maker] ?? "public.camera-raw-image")
    }
  }
}
