// SPDX-License-Identifier: Apache-2.0

import CJPEGShim
import ImageCoderPlugin

/// Crops, turns and mirrors JPEG files by moving their coefficients.
///
/// A part has to begin where an MCU begins, and only whole MCUs can be mirrored: the last of a row or column is padded
/// when the picture does not fill it (T.81 A.2.4), and the padding would come to the front.
enum JPEGGeometry {
  static func write(_ context: OperationContext, _ turned: TurnedPart) throws(CoderError) {
    let (source, host, orientation) = (context.source, context.host, turned.orientation)
    let header = try FileHeader(parsing: source, host: host)
    let frame = header.frame
    try host.limits.check(canvas: frame.size)
    guard !frame.isDeep else {
      throw .unsupported("turning files of \(frame.precision) bits, or of the lossless process, without decoding")
    }
    let part = try turned.rect(in: frame.size)
    for (name, start, unit, last) in [
      ("NearestX", part.x, frame.unit.width, frame.size.width - max(1, turned.rect.width)),
      ("NearestY", part.y, frame.unit.height, frame.size.height - max(1, turned.rect.height)),
    ] where start % unit != 0 {
      // A part of this size has to end inside the picture there as well.
      context.facts[name] = .integer(Int64(min((start + unit / 2) / unit, last / unit) * unit))
    }
    try checkAlignment(of: part, unit: frame.unit, orientation: orientation)
    // The old coefficients and the new ones.
    let memory = frame.rowBytes + 2 * frame.coefficientBytes
    try host.limits.check(memory: memory)
    guard !context.asksOnly else { return }
    let geometry = cjpeg_geometry(
      x: UInt32(part.x), y: UInt32(part.y), width: UInt32(part.width), height: UInt32(part.height),
      height_place: UInt64(header.heightPlace), stored_height: UInt32(frame.size.height),
      is_transposed: orientation.swapsSides ? 1 : 0, mirrors_columns: orientation.mirrorsColumns ? 1 : 0,
      mirrors_rows: orientation.mirrorsRows ? 1 : 0, segments: nil, segments_length: 0)
    try LibJPEG.changeGeometry(
      of: source, geometry, segments: try segments(of: source, swapsSides: orientation.swapsSides), to: context.output,
      host: host, memory: memory)
  }

  private static func checkAlignment(of part: Rect, unit: Size, orientation: Orientation) throws(CoderError) {
    guard part.x % unit.width == 0, part.y % unit.height == 0 else {
      throw .unsupported(
        "a part at \(part.x),\(part.y) without decoding; a part begins at multiples of \(unit.width) and \(unit.height)"
      )
    }
    // Rows of the result are columns of the stored picture where sides are swapped.
    let (across, down) =
      orientation.swapsSides
      ? (orientation.mirrorsRows, orientation.mirrorsColumns) : (orientation.mirrorsColumns, orientation.mirrorsRows)
    guard !across || part.width % unit.width == 0, !down || part.height % unit.height == 0 else {
      throw .unsupported(
        "mirroring \(part.size) without decoding; mirrored sides are multiples of \(unit.width) and \(unit.height)")
    }
  }

  /// The header segments that say nothing of the coding, without thumbnails of JFIF and without the index of other
  /// pictures, which are not carried over.
  private static func segments(of source: SourceView, swapsSides: Bool) throws(CoderError) -> [UInt8] {
    var result: [UInt8] = []
    var blocks: Set<MetadataBlock> = []
    var isLeftOut = false
    for segment in try HeaderSegments(parsing: source).segments {
      // Of Exif and XMP the first block counts; nobody would change a second one along with the picture.
      if segment.kind == .exif || segment.kind == .xmp && !segment.isExtendedXMP, let block = segment.kind.block {
        // What goes on with a block goes where that does.
        if !segment.continuesExif { isLeftOut = !blocks.insert(block).inserted }
        if isLeftOut { continue }
      }
      switch segment.kind {
      case .jfif:
        guard let kept = try jfif(segment.payload, of: source, swapsSides: swapsSides) else { continue }
        result += kept
      // Credentials sign the bytes of the file.
      case .multiPicture, .gainMap, .credentials: continue
      case .coding where segment.marker != 0xEE: continue
      case .application where segment.marker == 0xE0: continue
      default:
        result +=
          [0xFF] + [UInt8](try source.view(at: segment.payload.lowerBound - 3, count: segment.payload.count + 3))
      }
    }
    return result
  }

  /// JFIF's own segment with the densities of the new sides and no thumbnail, T.871 §10.1; nil for one that is cut short.
  private static func jfif(
    _ payload: Range<Int>, of source: SourceView, swapsSides: Bool
  ) throws(CoderError) -> [UInt8]? {
    guard payload.count >= 14 else { return nil }
    let old = [UInt8](try source.view(at: payload.lowerBound, count: 14))
    let (across, down) = (old[8...9], old[10...11])
    return [0xFF, 0xE0, 0, 16] + old[..<8] + (swapsSides ? down + across : across + down) + [0, 0]
  }
}
