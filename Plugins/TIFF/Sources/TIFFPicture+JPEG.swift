// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

extension TIFFPicture {
  /// How many times smaller strips or tiles of JPEG can be made while they are decoded, as long as the picture keeps a size.
  func reduction(for wanted: Size) throws(CoderError) -> Int {
    for factor in [8, 4, 2] {
      let size = reduced(by: factor)
      if size.width >= wanted.width, size.height >= wanted.height, try canReduce(by: factor) { return factor }
    }
    return 1
  }

  /// The picture that libjpeg makes: every block of 8×8 becomes one of 8 / `factor`, and what is left at the edge a whole
  /// pixel.
  func reduced(by factor: Int) -> Size {
    Size(width: (canvas.width + factor - 1) / factor, height: (canvas.height + factor - 1) / factor)
  }

  /// Whether each pixel of a picture that is 2, 4 or 8 times smaller lies in one strip or tile, of JPEG that libjpeg
  /// decodes to pixels.
  func canReduce(by factor: Int) throws(CoderError) -> Bool {
    let isRead = [.minIsBlack, .minIsWhite, .rgb, .yCbCr].contains(samples.photometric)
    guard compression == .jpeg, isRead, samples.bits == 8, !samples.isPlanar, !isReversed,
      samples.count == samples.photometric.channelCount, try !isLosslessJPEG()
    else { return false }
    return (across == 1 || strile.width % factor == 0) && (down == 1 || strile.height % factor == 0)
  }

  /// Whether strips or tiles are of JPEG's lossless process, which libtiff does not read.
  func isLosslessJPEG() throws(CoderError) -> Bool {
    guard compression == .jpeg else { return false }
    return try directory.firstJPEG()?.marker == 0xC3
  }
}

/// What the frame header of a JPEG file in a strip or tile says.
///
/// - Format: ITU-T T.81 §B.2.2.
struct JPEGHead {
  /// SOF0 to SOF3.
  let marker: UInt8
  let horizontal: Int
  let vertical: Int
  /// Whether it says that its channels are red, green and blue: by their names, or by the segment of Adobe (T.872 §6.5.3).
  let isRGB: Bool
}

extension TIFFDirectory {
  /// The frame header of the first strip or tile, or nil when none is found.
  func firstJPEG() throws(CoderError) -> JPEGHead? {
    let places = self[Tag.tileOffsets] != nil ? Tag.tileOffsets : Tag.stripOffsets
    guard let offset = try numbers(places, limit: 64)?.first(where: { $0 != 0 }) else { return nil }
    return try jpegHead(at: offset)
  }

  /// The frame header of the JPEG file at an offset, or nil when none is found.
  func jpegHead(at offset: UInt64) throws(CoderError) -> JPEGHead? {
    guard let start = Int(exactly: offset), start < file.size else { return nil }
    let most = 64 << 10
    var least = 256
    while true {
      var head = ByteReader(
        try file.source.bytes(at: start, least: least, most: most), at: start, of: "a strip or tile")
      switch try Self.search(&head) {
      case .found(let head): return head
      case .notThere: return nil
      case .further:
        guard head.count >= least, head.count < most else { return nil }
        least = min(most, 2 * head.count)
      }
    }
  }

  /// What the first bytes of a JPEG file say of its frame.
  private enum Finding {
    case found(JPEGHead)
    case notThere
    /// Not in these bytes.
    case further
  }

  /// - Parameter head: From the SOI marker on.
  private static func search(_ head: inout ByteReader) throws(CoderError) -> Finding {
    guard head.count >= 2 else { return .further }
    try head.seek(to: 2)
    var adobeTransform: UInt8?
    while head.remaining >= 4 {
      let place = head.position
      guard try head.uint8() == 0xFF else { return .notThere }
      let marker = try head.uint8()
      if marker == 0xFF {  // fill
        try head.seek(to: place + 1)
        continue
      }
      if (0xC0...0xC3).contains(marker) {
        // Length, precision, height, width, components; then of each its number, factors and table.
        guard head.count > place + 11 else { return .further }
        let factors = Int(try head.uint8(at: place + 11))
        let (horizontal, vertical) = (factors >> 4, factors & 15)
        let count = Int(try head.uint8(at: place + 9))
        guard count > 0, [1, 2, 4].contains(horizontal), [1, 2, 4].contains(vertical) else { return .notThere }
        guard head.count >= place + 10 + 3 * count else { return .further }
        var names: [UInt8] = []
        for index in 0..<count { names.append(try head.uint8(at: place + 10 + 3 * index)) }
        return .found(
          JPEGHead(
            marker: marker, horizontal: horizontal, vertical: vertical,
            isRGB: count == 3 && (adobeTransform == 0 || adobeTransform == nil && names == Array("RGB".utf8))))
      }
      if marker == 0xEE, head.count >= place + 16, head.has("Adobe", at: place + 4) {
        adobeTransform = try head.uint8(at: place + 15)
      }
      if marker == 0xDA || marker == 0xD9 { return .notThere }
      let next = place + 2 + Int(try head.uint16())
      guard next <= head.count else { return .further }
      try head.seek(to: next)
    }
    return .further
  }
}
