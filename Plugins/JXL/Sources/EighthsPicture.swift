// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin
import Synchronization

/// A still at 1/8 of its size, made of its low frequencies alone.
///
/// A lossy picture has the average of each block of 8 × 8 in sections of their own (ISO/IEC 18181-1 §G.2), a few hundredths of
/// its bytes. libjxl draws them at full size, which costs most of what the whole picture does; this reads and draws no more
/// than they are.
final class EighthsPicture {
  /// The size of the picture at this scale: a last column and row may be of less than 8.
  let size: Size
  private let color: EighthsColor
  private let planes: LowFrequencyPlanes
  private let layout: FrameLayout

  private enum Flag {
    static let noise: UInt64 = 1
    static let lowFrequencyFrame: UInt64 = 32
    static let isNotSmoothed: UInt64 = 128
  }

  /// Reads the low frequencies.
  ///
  /// - Returns: nil for a file that libjxl has to decode: of several frames, with extra channels, patches or splines, whose
  ///   samples are floating point or in colors that are not converted here, lossless ones, and those that are cut.
  /// - Throws: As well for what is damaged, so that libjxl says what is wrong.
  init?(
    _ codestream: Codestream, _ source: SourceView, boxes: BoxIndex, firstFrame: Int, host: CoderHost
  ) throws(CoderError) {
    let info = codestream.info
    guard info.num_extra_channels == 0, info.have_animation == 0, info.have_preview == 0, !codestream.isTruncated,
      !codestream.isDamaged, !codestream.pixelFormat.isFloat, codestream.frames.count == 1,
      codestream.frames[0].layerCount == 1, let first = boxes.firstPart
    else { return nil }
    let file = try source.contents()
    guard try Self.hasUsualHeader(file, first.range),
      let parts = try CodestreamParts(source, first, file: file, from: firstFrame),
      let sections = try FrameSections(parts, at: 0, info: info)
    else { return nil }
    try host.limits.check(memory: LowFrequencyPlanes.memory(for: sections.layout.blocks))
    let isXYB = info.uses_original_profile == 0
    let encoding = codestream.color?.isConverted == true ? nil : codestream.color?.encoding
    guard let color = try isXYB ? EighthsColor(encoding, info: info) : EighthsColor() else { return nil }
    self.color = color
    size = Self.size(of: codestream.canvas)
    if sections.layout.kind == .lowFrequency {
      guard isXYB, let next = try FrameSections(parts, at: sections.end, info: info),
        Self.isUsual(next.layout, with: Flag.lowFrequencyFrame), Self.isLowFrequencyFrame(sections.layout)
      else { return nil }
      layout = next.layout
      planes = try ModularFrame(sections, parts: parts, host: host).read()
      guard planes.size == size else { return nil }
    } else {
      guard Self.isUsual(sections.layout), isXYB != sections.layout.isYCbCr else { return nil }
      layout = sections.layout
      planes = try Self.planes(sections, parts, host: host)
    }
  }

  /// Whether a frame replaces the picture, with nothing that its low frequencies lack.
  ///
  /// - Parameter flags: Of the frame, beside those that do not matter.
  private static func isUsual(_ layout: FrameLayout, with flags: UInt64 = 0) -> Bool {
    let isSmoothed = layout.flags & Flag.isNotSmoothed == 0
    let isSubsampled = layout.xSubsampling > 0 || layout.ySubsampling > 0
    return layout.kind == .regular && layout.isLast && layout.isWhole && !layout.isModular && layout.upsampling == 1
      && layout.flags & ~(Flag.noise | Flag.isNotSmoothed) == flags && !(isSmoothed && isSubsampled && flags == 0)
  }

  private static func isLowFrequencyFrame(_ layout: FrameLayout) -> Bool {
    layout.level == 1 && layout.isModular && layout.passCount == 1 && !layout.isFiltered && layout.upsampling == 1
      && layout.flags & ~Flag.isNotSmoothed == 0
  }

  private static func hasUsualHeader(_ file: UnsafeRawBufferPointer, _ range: Range<Int>) throws(CoderError) -> Bool {
    let header = range.clamped(to: 0..<file.count).dropFirst(BoxIndex.codestreamSignature.count).prefix(headerBytes)
    let bytes = [UInt8](UnsafeRawBufferPointer(rebasing: file[header]))
    var bits = BitReader(bytes.span.bytes, order: .leastSignificantFirst, of: "the image header")
    return try ImageMetadata.isUsual(&bits)
  }

  /// More than the fields of an image header have without a profile.
  private static let headerBytes = 256

  /// The size of a picture at this scale.
  static func size(of canvas: Size) -> Size {
    Size(width: canvas.width.divided(by: 8), height: canvas.height.divided(by: 8))
  }

  var memory: Int { LowFrequencyPlanes.memory(for: planes.size) }

  /// Reads the low-frequency groups of a frame.
  private static func planes(
    _ sections: FrameSections, _ parts: CodestreamParts, host: CoderHost
  ) throws(CoderError) -> LowFrequencyPlanes {
    let layout = sections.layout
    var bits = try CodeBits(parts.slices(sections.ranges[0]))
    let global = try LowFrequencyGlobal(parsing: &bits, layout)
    let planes = try LowFrequencyPlanes(size: layout.blocks)
    let groups = LowFrequencyGroups(layout: layout, global: global, host: host)
    if sections.ranges.count == 1 {
      try groups.read(0, &bits, into: planes)
    } else {
      let failure = Mutex<CoderError?>(nil)
      host.parallelFor(layout.lowGroups.width * layout.lowGroups.height) { index in
        do throws(CoderError) {
          var bits = try CodeBits(parts.slices(sections.ranges[1 + index]))
          try groups.read(index, &bits, into: planes)
        } catch {
          failure.withLock { $0 = $0 ?? error }
        }
      }
      if let failure = failure.withLock({ $0 }) { throw failure }
    }
    if layout.flags & Flag.isNotSmoothed == 0 { try planes.smooth(steps: global.steps) }
    return planes
  }

  /// - Parameter part: Inside ``size``.
  /// - Throws: ``CoderError/Code/cancelled``; what the sink throws.
  func deliver(_ part: Rect, format: PixelFormat, into sink: RowSink, host: CoderHost) throws(CoderError) {
    var channels: [ChromaRows] = []
    for plane in 0..<3 { channels.append(try ChromaRows(planes, plane, shifts: layout.shifts(of: plane))) }
    var y = 0
    while y < part.height {
      if host.isCancelled { throw .cancelled }
      let rows = try sink.rows(at: y, count: min(64, part.height - y))
      for line in 0..<rows.count {
        let row = part.y + y + line
        let pointers = channels.map { UnsafePointer($0.row(row) + part.x) }
        color.write(pointers, count: part.width, to: rows.base + line * rows.stride, format: format)
      }
      try sink.done(at: y, count: rows.count)
      y += rows.count
    }
  }
}
