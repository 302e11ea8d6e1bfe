// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

extension AVIFFile {
  /// Holds the sizes that properties state to those of the bitstreams, before anything of them is decoded: libavif
  /// enlarges a picture to whatever its `ispe` says.
  ///
  /// - Throws: ``CoderError/Code/malformed`` for a coded item that is larger than its sequence header allows, or than so
  ///   few bytes can hold.
  func checkCodedSizes(_ limits: Limits) throws(CoderError) {
    guard !isSequence, let items else { return }
    var parts: [UInt32] = []
    for item in [items.primary] + items.auxiliaries {
      if items.type(of: item) == .grid { parts += items.sources(of: item) } else { parts.append(item) }
    }
    if let tileAlpha { parts += tileAlpha }
    for item in parts.count > 1 ? Set(parts).sorted() : parts where items.type(of: item) == .av01 {
      try checkCodedSize(of: item, items, limits, isArriving: false)
    }
  }

  /// The same for the picture of a file that arrives, when its pixels are asked for: waits for the first of them.
  func checkArrivingSize(_ limits: Limits) throws(CoderError) {
    guard incremental != nil, !isSequence, let items, items.type(of: items.primary) == .av01 else { return }
    try checkCodedSize(of: items.primary, items, limits, isArriving: true)
  }

  /// - Parameter isArriving: Whether to wait for the first bytes of the item.
  private func checkCodedSize(
    of item: UInt32, _ items: ItemTable, _ limits: Limits, isArriving: Bool
  ) throws(CoderError) {
    // What the limits forbid is not decoded at all.
    guard let size = items.size(of: item, in: bytes), !size.isEmpty, size.pixelCount <= limits.maxPixels,
      max(size.width, size.height) <= limits.maxSide
    else { return }
    let places = items.places(of: item, in: bytes)
    let stated = places.reduce(0) { $0 + min($1.count, 1 << 40) }
    guard places.isEmpty || size.pixelCount >> Self.pixelBits <= stated else {
      throw .malformed(
        "item \(item) is said to be \(size) in \(stated) bytes, which hold \(stated << Self.pixelBits) pixels at most",
        at: places[0].lowerBound)
    }
    guard isArriving || incremental == nil, let coded = codedSize(of: item, items) else { return }
    guard size.width <= coded.width, size.height <= coded.height else {
      throw .malformed(
        "item \(item) is said to be \(size), and its sequence header allows \(coded)", at: places.first?.lowerBound)
    }
    guard coded != size, !places.isEmpty else { return }
    try checkLarger(coded, than: size, bytes: stated, at: places[0].lowerBound, limits)
  }

  /// The same for a sequence, by the header in its first sample, where that is there.
  ///
  /// - Parameter size: What the track says, to which libavif enlarges its pictures.
  func checkTrackSize(_ size: Size, _ limits: Limits) throws(CoderError) {
    guard isSequence, incremental == nil, let place = track?.firstSample, place.upperBound <= bytes.count else {
      return
    }
    var reader = ByteReader(bytes.bytes(in: place).bytes, at: place.lowerBound, of: "a sample")
    guard let coded = (try? AV1SequenceHeader.first(in: &reader))?.size else { return }
    // Pixels of a video may be no squares.
    guard size.pixelCount / 4 <= coded.pixelCount else {
      throw .malformed("a track of \(size), whose sequence header allows \(coded)", at: place.lowerBound)
    }
    if coded != size { try checkLarger(coded, than: size, bytes: place.count, at: place.lowerBound, limits) }
  }

  /// Frames may be as large as their sequence header allows, whatever the container says.
  private func checkLarger(
    _ coded: Size, than size: Size, bytes: Int, at offset: Int, _ limits: Limits
  ) throws(CoderError) {
    guard coded.pixelCount >> Self.pixelBits <= bytes else {
      throw .malformed(
        "a picture of \(size) whose sequence header allows \(coded) in \(bytes) bytes, which hold "
          + "\(bytes << Self.pixelBits) pixels at most", at: offset)
    }
    // Two planes' worth of the deepest samples.
    try limits.check(memory: coded.pixelCount &* 4)
  }

  /// aom writes a plain picture of 4096 × 4096 in 130 bytes, 2¹⁷ pixels in each; so many more are not believed.
  private static let pixelBits = 19
  /// The largest frame that an item's sequence header allows, or nil when its first bytes are not there, or tell of none.
  private func codedSize(of item: UInt32, _ items: ItemTable) -> Size? {
    guard let item = items.meta.item(item) else { return nil }
    do throws(CoderError) {
      let place = items.places(of: item.id, in: bytes).first?.lowerBound
      // Of a file that arrives, the item's first bytes.
      if let source = incremental?.source, let place {
        let start = try source.view(at: place, count: Self.itemBytes)
        var reader = ByteReader(start.bytes, at: place, of: "an AV1 item")
        return try AV1SequenceHeader.first(in: &reader)?.size
      }
      if isPartial, let place {
        let start = bytes.bytes(in: place..<min(place + Self.itemBytes, bytes.count))
        var reader = ByteReader(start.bytes, at: place, of: "an AV1 item")
        return try AV1SequenceHeader.first(in: &reader)?.size
      }
      return try ItemBytes(of: item, in: items.meta, bytes).read { reader throws(CoderError) in
        try AV1SequenceHeader.first(in: &reader)?.size
      }
    } catch {
      return nil
    }
  }
}
