// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Files of cameras that are TIFF: what the sensor saw is not read, and the pages are previews of it.
///
/// - Format: TIFF/EP (ISO 12234-2) §5; DNG 1.7 §2. The marks after the header are those of Canon's CR2 and Phase One's IIQ.
enum CameraRaw {
  /// Directories that are looked at. A camera's file has its sensor's among the first.
  static let mostDirectories = 16

  /// Whether a file is of this kind, as far as its bytes are there.
  static func isIn(_ file: TIFFFile) throws(CoderError) -> Bool {
    if try hasMark(file.source) { return true }
    // Of a file that arrives, the directory of the first page is there.
    var places = file.source.isComplete ? file.chain : file.pages.prefix(1).map(\.offset)
    var index = 0
    while index < places.count {
      let place = places[index]
      index += 1
      // A directory that cannot be read says nothing.
      let found = try ifReadable { () throws(CoderError) -> (isRaw: Bool, nested: [UInt64])? in
        let directory = try TIFFDirectory(file.source, at: place)
        let photometric = try directory.number(Tag.photometric)
        let isRaw = directory[Tag.dngVersion] != nil || isSensor(photometric)
        guard !isRaw, file.source.isComplete else { return (isRaw, []) }
        return (isRaw, try directory.numbers(Tag.subIFDs, limit: mostDirectories) ?? [])
      }
      guard let found else { continue }
      if found.isRaw { return true }
      for nested in found.nested.lazy.map({ Int(clamping: $0) })
      where places.count < mostDirectories && !places.contains(nested) {
        places.append(nested)
      }
    }
    return false
  }

  /// The samples of a color filter array, or such samples after interpolation.
  private static func isSensor(_ photometric: Int?) -> Bool { photometric == 32_803 || photometric == 34_892 }

  /// What stands after the header of a file whose directories do not tell.
  private static func hasMark(_ source: TIFFSource) throws(CoderError) -> Bool {
    guard !source.isBigTIFF, source.firstDirectory >= 12 else { return false }
    return try ifReadable { () throws(CoderError) in
      try source.read(at: 8, count: 4, of: "a mark") { (reader) throws(CoderError) in
        reader.has("CR", at: 0) || reader.has("IIII", at: 0) || reader.has("MMMM", at: 0)
      }
    } ?? false
  }
}
