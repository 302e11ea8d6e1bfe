// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

extension TIFFPicture {
  /// How many times smaller strips or tiles of JPEG can be made while they are decoded, as long as the picture keeps a size.
  func reduction(for wanted: Size) -> Int {
    [8, 4, 2].first {
      let size = reduced(by: $0)
      return size.width >= wanted.width && size.height >= wanted.height && canReduce(by: $0)
    } ?? 1
  }

  /// The picture that libjpeg makes: every block of 8×8 becomes one of 8 / `factor`, and what is left at the edge a whole
  /// pixel.
  func reduced(by factor: Int) -> Size {
    Size(width: (canvas.width + factor - 1) / factor, height: (canvas.height + factor - 1) / factor)
  }

  /// Whether each pixel of a picture that is 2, 4 or 8 times smaller lies in one strip or tile, of JPEG that libjpeg
  /// decodes to pixels.
  func canReduce(by factor: Int) -> Bool {
    let isRead = [.minIsBlack, .minIsWhite, .rgb, .yCbCr].contains(samples.photometric)
    guard compression == .jpeg, isRead, samples.bits == 8, !samples.isPlanar, !isReversed,
      samples.count == samples.photometric.channelCount
    else { return false }
    return (across == 1 || strile.width % factor == 0) && (down == 1 || strile.height % factor == 0)
  }

  /// The subsampling that the JPEG header of a strip or tile states, or nil when none is found.
  ///
  /// - Format: ITU-T T.81 §B.2.2.
  func jpegSubsampling(at offset: UInt64) throws(CoderError) -> (horizontal: Int, vertical: Int)? {
    guard let start = Int(exactly: offset), start < directory.file.size else { return nil }
    let most = 64 << 10
    var least = 256
    while true {
      var head = ByteReader(
        try directory.file.source.bytes(at: start, least: least, most: most), at: start, of: "a strip or tile")
      switch try Self.search(&head) {
      case .found(let horizontal, let vertical): return (horizontal, vertical)
      case .notThere: return nil
      case .further:
        guard head.count >= least, head.count < most else { return nil }
        least = min(most, 2 * head.count)
      }
    }
  }

  /// What the first bytes of a JPEG file say of subsampling.
  private enum Finding {
    case found(horizontal: Int, vertical: Int)
    case notThere
    /// Not in these bytes.
    case further
  }

  /// - Parameter head: From the SOI marker on.
  private static func search(_ head: inout ByteReader) throws(CoderError) -> Finding {
    guard head.count >= 2 else { return .further }
    try head.seek(to: 2)
    while head.remaining >= 4 {
      let place = head.position
      guard try head.uint8() == 0xFF else { return .notThere }
      let marker = try head.uint8()
      if marker == 0xFF {  // fill
        try head.seek(to: place + 1)
        continue
      }
      if (0xC0...0xC3).contains(marker) {
        // Length, precision, height, width, components; then of each its number and factors.
        guard head.count > place + 11 else { return .further }
        let factors = Int(try head.uint8(at: place + 11))
        let (horizontal, vertical) = (factors >> 4, factors & 15)
        guard try head.uint8(at: place + 9) > 0, [1, 2, 4].contains(horizontal), [1, 2, 4].contains(vertical) else {
          return .notThere
        }
        return .found(horizontal: horizontal, vertical: vertical)
      }
      if marker == 0xDA || marker == 0xD9 { return .notThere }
      let next = place + 2 + Int(try head.uint16())
      guard next <= head.count else { return .further }
      try head.seek(to: next)
    }
    return .further
  }
}
