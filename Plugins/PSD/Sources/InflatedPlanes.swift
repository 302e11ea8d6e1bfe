// SPDX-License-Identifier: Apache-2.0

import CDeflate
import ImageCoderPlugin

/// Channels in one zlib stream (RFC 1950). All but the last one are kept, since the last one ends the first row.
final class InflatedPlanes: StoredPlanes {
  private let file: PSDFile
  private let host: CoderHost
  private let memory: UnsafeMutablePointer<UInt8>
  /// Bytes that came out.
  private let count: Int
  private let problem: CoderError?

  private static let windowBytes = 256 << 10

  /// Memory for the channels of a file.
  static func memory(for file: PSDFile) -> Int {
    file.offset(ofPlane: file.planes) + Int(INFLATE_SLACK) + MemoryLayout<inflater>.size
  }

  init(_ file: PSDFile, in source: SourceView, host: CoderHost) throws(CoderError) {
    self.file = file
    self.host = host
    let wanted = file.offset(ofPlane: file.planes)
    try host.countInflated(wanted)
    let state = try host.allocate(bytes: MemoryLayout<inflater>.size, for: "the state of inflating")
    defer { host.free(state) }
    let inflater = state.bindMemory(to: inflater.self, capacity: 1)
    inflate_begin(inflater)
    let planes = try host.allocate(bytes: wanted + Int(INFLATE_SLACK), for: "the channels of the merged picture")
    memory = planes.assumingMemoryBound(to: UInt8.self)
    do throws(CoderError) {
      (count, problem) = try Self.inflate(inflater, from: source, at: file.data, to: memory, count: wanted, host: host)
    } catch {
      host.free(planes)
      throw error
    }
  }

  deinit { host.free(memory) }

  private static func inflate(
    _ inflater: UnsafeMutablePointer<inflater>, from source: SourceView, at start: Int,
    to memory: UnsafeMutablePointer<UInt8>, count wanted: Int, host: CoderHost
  ) throws(CoderError) -> (Int, CoderError?) {
    var place = start
    var out: UnsafeMutablePointer<UInt8>? = memory
    var done = 0
    while done < wanted {
      guard !host.isCancelled else { throw .cancelled }
      let bytes = try source.view(at: place, count: Self.windowBytes)
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), !bytes.isEmpty else {
        return (done, .truncated("the file ends in the image data", at: source.size))
      }
      var next: UnsafePointer<UInt8>? = base
      let status = inflate_piece(inflater, &next, base + bytes.count, memory, &out, memory + wanted)
      place += next.map { $0 - base } ?? 0
      done = min(wanted, out.map { $0 - memory } ?? 0)
      switch status {
      case INFLATED_INPUT, INFLATED_OUTPUT: continue
      case INFLATED_UNEQUAL where done == wanted:
        return (done, .checksumMismatch("the image data have another Adler-32 than is stored", at: place))
      case INFLATED_END where done < wanted, INFLATED_UNEQUAL where done < wanted:
        return (done, .malformed("the image data end after \(done) of \(wanted) bytes", at: place))
      case INFLATED_DAMAGED:
        let damage = inflater.pointee.damage.map { String(cString: $0) } ?? "damaged"
        return (done, .malformed("the image data are no zlib stream: \(damage)", at: place))
      default: break
      }
    }
    return (done, nil)
  }

  func read(_ rows: Range<Int>, of plane: Int, to target: UnsafeMutablePointer<UInt8>) throws(CoderError) -> ReadRows {
    let rowBytes = file.header.rowBytes
    let start = file.offset(ofPlane: plane) + rows.lowerBound * rowBytes
    let whole = min(rows.count, max(0, count - start) / rowBytes)
    target.update(from: memory + start, count: whole * rowBytes)
    if file.compression == .zipWithPrediction {
      for row in 0..<whole { sum(target + row * rowBytes) }
    }
    // A wrong checksum is known at the end, and costs no rows.
    return ReadRows(count: whole, problem: whole < rows.count ? problem : nil)
  }

  /// What is wrong although every row is there.
  var checksumProblem: CoderError? { problem?.code == .checksumMismatch ? problem : nil }

  /// Makes samples of differences, as TIFF's Predictor has them: between samples (TIFF 6.0 §14), and for 32 bits between
  /// bytes, where the upper bytes of all samples come first (Adobe Photoshop TIFF Technical Note 3, "Floating point
  /// predictor").
  private func sum(_ row: UnsafeMutablePointer<UInt8>) {
    let width = file.header.canvas.width
    switch file.header.depth {
    case 16:
      var sample: UInt16 = 0
      for x in 0..<width {
        sample &+= UInt16(row[2 * x]) << 8 | UInt16(row[2 * x + 1])
        row[2 * x] = UInt8(truncatingIfNeeded: sample >> 8)
        row[2 * x + 1] = UInt8(truncatingIfNeeded: sample)
      }
    case 32:
      for index in 1..<(4 * width) { row[index] &+= row[index - 1] }
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4 * width) { bytes in
        for x in 0..<width {
          for byte in 0..<4 { bytes[4 * x + byte] = row[byte * width + x] }
        }
        if let base = bytes.baseAddress { row.update(from: base, count: 4 * width) }
      }
    default:
      for index in 1..<max(1, file.header.rowBytes) { row[index] &+= row[index - 1] }
    }
  }
}
