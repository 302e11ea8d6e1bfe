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
  /// Of the picture at this scale: a last column and row may be of less than 8.
  let size: Size
  private let parts: CodestreamParts
  private let sections: FrameSections
  private let color: EighthsColor
  private let host: CoderHost
  private var global: LowFrequencyGlobal
  /// Where the first group follows in the same section.
  private var groupBits: CodeBits

  private enum Flag {
    static let patches: UInt64 = 2
    static let splines: UInt64 = 16
    static let lowFrequencyFrame: UInt64 = 32
    static let isNotSmoothed: UInt64 = 128
  }

  /// - Returns: nil for a file that libjxl has to decode: of several frames, with extra channels, patches or splines, whose
  ///   samples are floating point or in colors that are not converted here, lossless ones, and those that are cut.
  init?(
    _ codestream: Codestream, _ source: SourceView, _ boxes: BoxIndex, firstFrame: Int, host: CoderHost
  ) throws(CoderError) {
    let info = codestream.info
    guard info.num_extra_channels == 0, info.have_animation == 0, info.have_preview == 0, !codestream.isTruncated,
      !codestream.isDamaged, !codestream.pixelFormat.isFloat, codestream.frames.count == 1,
      codestream.frames[0].layerCount == 1, let first = boxes.firstPart
    else { return nil }
    let file = try source.contents()
    guard try Self.hasUsualHeader(file, first.range),
      let parts = try CodestreamParts(source, first, file: file, from: firstFrame)
    else { return nil }
    guard let sections = try FrameSections(parts, at: 0, info: codestream.info) else { return nil }
    let layout = sections.layout
    guard Self.isUsual(layout), !layout.isModular, layout.kind == .regular, layout.isLast else { return nil }
    let isXYB = codestream.info.uses_original_profile == 0
    guard isXYB != layout.isYCbCr else { return nil }
    guard
      let color = try isXYB
        ? EighthsColor(codestream.color?.isConverted == true ? nil : codestream.color?.encoding, info: codestream.info)
        : EighthsColor()
    else { return nil }
    var bits = try CodeBits(parts.slices(sections.ranges[0]))
    global = try LowFrequencyGlobal(parsing: &bits, layout)
    groupBits = bits
    self.parts = parts
    self.sections = sections
    self.color = color
    self.host = host
    size = Self.size(of: codestream.canvas)
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

  private static func isUsual(_ layout: FrameLayout) -> Bool {
    let isSmoothed = layout.flags & Flag.isNotSmoothed == 0
    return layout.flags & (Flag.patches | Flag.splines | Flag.lowFrequencyFrame) == 0 && layout.isWhole
      && layout.upsampling == 1 && !(isSmoothed && (layout.xSubsampling > 0 || layout.ySubsampling > 0))
  }

  var memory: Int { LowFrequencyPlanes.memory(for: sections.layout.blocks) }

  /// - Throws: ``CoderError/Code/malformed``, ``CoderError/Code/cancelled``; what the sink throws.
  func deliver(_ part: Rect, format: PixelFormat, into sink: RowSink) throws(CoderError) {
    let layout = sections.layout
    let planes = try read()
    if layout.flags & Flag.isNotSmoothed == 0 { try planes.smooth(steps: global.steps) }
    let groups = LowFrequencyGroups(layout: layout, global: global, host: host)
    var chroma: [ChromaRows] = []
    for plane in 0..<3 { chroma.append(try ChromaRows(planes, plane, shifts: groups.shifts(of: plane))) }
    var y = 0
    while y < part.height {
      if host.isCancelled { throw .cancelled }
      let rows = try sink.rows(at: y, count: min(64, part.height - y))
      for line in 0..<rows.count {
        let row = part.y + y + line
        let pointers = chroma.map { UnsafePointer($0.row(row) + part.x) }
        color.write(pointers, count: part.width, to: rows.base + line * rows.stride, format: format)
      }
      try sink.done(at: y, count: rows.count)
      y += rows.count
    }
  }

  private func read() throws(CoderError) -> LowFrequencyPlanes {
    let layout = sections.layout
    let planes = try LowFrequencyPlanes(size: layout.blocks)
    let groups = LowFrequencyGroups(layout: layout, global: global, host: host)
    guard sections.ranges.count > 1 else {
      var bits = groupBits
      try groups.read(0, &bits, into: planes)
      return planes
    }
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
    return planes
  }
}
