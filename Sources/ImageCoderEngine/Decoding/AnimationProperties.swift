// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Where typed values and a container's property names meet: what a reader states goes into the dictionary, and what
/// it leaves to the dictionary comes out of it.
extension ImageDecoder {
  /// How often an animation plays: as stated, else by the container's loop count property, else its default.
  static func loopCount(
    _ header: ImageHeader, reader: any ReaderSession, page: Int, names: ContainerPropertyNames?
  ) throws(CoderError) -> LoopCount {
    if let stated = header.loopCount { return stated }
    guard header.isAnimated, let names else { return .plays(1) }
    let property = try reader.properties(page: page, frame: nil)[names.dictionary, names.loopCount]?.integer
    return property.flatMap { UInt32(exactly: $0) }.map { LoopCount(plays: $0) } ?? names.defaultLoopCount
  }

  /// A frame's header with its delay: as stated, else the container's unclamped delay property, else its delay.
  ///
  /// An animation that says nothing of a frame's delay shows it for 1/10 s, as every viewer does.
  static func frameHeader(
    _ index: Int, of header: ImageHeader, reader: any ReaderSession, page: Int, names: ContainerPropertyNames?
  ) throws(CoderError) -> FrameHeader {
    var frame = try reader.frame(index, page: page)
    guard !frame.rect.isEmpty, frame.rect.isInside(header.canvas) else {
      throw .libraryFailure(
        "the reader reports frame \(index) of \(frame.rect.size) outside the canvas of \(header.canvas)")
    }
    if frame.delay == nil, header.isAnimated {
      frame.delay = FrameDelay(numerator: 1, denominator: 10)
      if let names {
        let properties = try reader.properties(page: page, frame: index)
        let seconds =
          properties[names.dictionary, names.unclampedDelay]?.number
          ?? properties[names.dictionary, names.delay]?.number
        if let milliseconds = seconds.flatMap({ UInt32(exactly: ($0 * 1000).rounded()) }) {
          frame.delay = .milliseconds(milliseconds)
        }
      }
    }
    return frame
  }
}

extension Properties {
  /// Adds what the core knows of a page.
  mutating func add(_ header: ImageHeader, loopCount: LoopCount, names: ContainerPropertyNames?) {
    self["PixelWidth"] = .integer(Int64(header.canvas.width))
    self["PixelHeight"] = .integer(Int64(header.canvas.height))
    self["Depth"] = .integer(Int64(header.bitsPerChannel))
    self["HasAlpha"] = .boolean(header.alpha != .opaque)
    if self["ColorModel"] == nil { self["ColorModel"] = .text(header.pixelFormat.isGray ? "Gray" : "RGB") }
    if header.orientation != .up { self["Orientation"] = .integer(Int64(header.orientation.rawValue)) }
    if let names, header.isAnimated {
      self[names.dictionary, names.loopCount] = .integer(Int64(loopCount.plays))
      if header.sequence.isCounted { self[names.dictionary, "FrameCount"] = .integer(Int64(header.frameCount)) }
    }
  }

  /// Flags of ImageIO, which readers give as numbers.
  private static let flags = ["IsFloat", "IsIndexed", "HasGlobalColorMap", "IsProgressive"]

  /// Makes flags of the numbers that stand for them, also inside of dictionaries.
  mutating func nameFlags() {
    for (name, value) in sorted {
      if case .integer(let number) = value, Self.flags.contains(name) { self[name] = .boolean(number != 0) }
      guard case .dictionary(var inner) = value else { continue }
      inner.nameFlags()
      self[name] = .dictionary(inner)
    }
  }

  /// Adds what the core knows of a frame.
  mutating func add(_ frame: FrameHeader, names: ContainerPropertyNames?) {
    guard let names, let delay = frame.delay else { return }
    self[names.dictionary, names.unclampedDelay] = .number(delay.seconds)
    self[names.dictionary, names.delay] = .number(delay.clamped(by: .browser).seconds)
  }
}
