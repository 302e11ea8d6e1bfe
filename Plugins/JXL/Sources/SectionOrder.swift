// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// Looks ahead for a frame whose sections do not lie in their order.
///
/// libjxl 0.7 loses its place in such a frame when it gets the frame in parts, and takes one section for another. Encoders
/// write such frames to put the middle of a picture first, or to write a large picture while they encode it.
final class SectionOrder {
  private let source: SourceView
  private let info: JxlBasicInfo
  private let isContainer: Bool
  /// Where the first frame begins.
  private let start: Int

  /// The place in the file that was reached, and the end of the codestream's part that it is in.
  private var offset: Int
  private var partEnd: Int
  /// Bytes of the codestream from there to the next frame.
  private var distance = 0
  private var isPreview: Bool
  private var isKept = true
  private var isOver = false

  /// Enough for nearly all headers with their tables, and for all.
  private static let shortHeader = 512
  private static let longestHeader = FrameLayout.mostSections * 8
  /// Boxes that a header may lie in, and boxes between two of them. A file with more is decoded when all bytes are there.
  private static let mostParts = 256

  /// - Parameters:
  ///   - part: The codestream, or the box with the first part of it.
  ///   - start: Where the first frame begins, in the file.
  /// - Returns: nil when this libjxl reads such frames in parts.
  init?(_ source: SourceView, part: BoxIndex.Part, start: Int, info: JxlBasicInfo) {
    // Fixed in libjxl 0.10.
    guard JxlDecoderVersion() < 10_000 else { return nil }
    self.source = source
    self.info = info
    self.start = start
    isContainer = part.mayContinue
    offset = part.range.lowerBound
    partEnd = part.range.upperBound
    isPreview = info.have_preview != 0
  }

  /// Whether sections are in order in all frames whose headers lie before a place in the file.
  func isKept(before end: Int) throws(CoderError) -> Bool {
    while isKept, !isOver, try findFrame(before: end), let frame = try frame(before: end) {
      isKept = frame.isInOrder
      isOver = frame.isLast && !isPreview
      isPreview = false
      distance = frame.byteCount
    }
    return isKept
  }

  /// - Returns: Whether the next frame begins before `end`.
  private func findFrame(before end: Int) throws(CoderError) -> Bool {
    while true {
      offset = max(offset, min(start, partEnd))
      let step = min(distance, partEnd - offset)
      offset += step
      distance -= step
      if offset < partEnd { return offset < end }
      guard try findPart(before: end) else { return false }
    }
  }

  /// Goes to the next part of the codestream.
  ///
  /// - Parameter most: Boxes to look at before the search is given up.
  /// - Returns: Whether its box begins before `end`.
  private func findPart(before end: Int, most: Int = .max) throws(CoderError) -> Bool {
    var count = 0
    while isContainer, count < most, partEnd <= end - 16, let box = try source.boxIfAny(at: partEnd) {
      let isPart = box.type == .partialCodestream
      let payload = box.payload.clamped(to: 0..<source.size)
      let part = isPart ? payload.dropFirst(4) : payload.upperBound..<payload.upperBound
      (offset, partEnd) = (part.lowerBound, part.upperBound)
      if isPart { return true }
      count += 1
    }
    if count == most { isKept = false }
    return false
  }

  /// The frame at the place that was reached, or nil when its header does not end before `end`.
  private func frame(before end: Int) throws(CoderError) -> FrameLayout? {
    let size =
      isPreview
      ? Size(width: Int(info.preview.xsize), height: Int(info.preview.ysize))
      : Size(width: Int(info.xsize), height: Int(info.ysize))
    for longest in [Self.shortHeader, Self.longestHeader] {
      let bytes = try bytes(longest, before: end)
      do throws(CoderError) {
        var bits = BitReader(bytes.span.bytes, order: .leastSignificantFirst, of: "the frame header")
        return try FrameLayout(parsing: &bits, info: info, size: size)
      } catch {
        // The header does not end in these bytes.
        if bytes.count < longest { return nil }
      }
    }
    return nil
  }

  /// Bytes of the codestream from the place that was reached.
  private func bytes(_ longest: Int, before end: Int) throws(CoderError) -> [UInt8] {
    let place = (offset, partEnd)
    defer { (offset, partEnd) = place }
    var bytes: [UInt8] = []
    for _ in 0..<Self.mostParts {
      let count = min(longest - bytes.count, min(partEnd, end) - offset)
      if count > 0 { bytes += [UInt8](copying: try source.bytes(at: offset, count: count)) }
      guard bytes.count < longest, try findPart(before: end, most: Self.mostParts) else { return bytes }
    }
    isKept = false
    return bytes
  }
}
