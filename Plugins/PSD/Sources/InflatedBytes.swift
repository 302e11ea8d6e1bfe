// SPDX-License-Identifier: Apache-2.0

import CDeflate
import ImageCoderPlugin

/// What one zlib stream holds (RFC 1950), in memory.
final class InflatedBytes {
  let base: UnsafeMutablePointer<UInt8>
  /// Bytes that came out.
  let count: Int
  /// Why there are no more, or what is wrong with those that are there.
  let problem: CoderError?
  private let host: CoderHost

  private static let windowBytes = 256 << 10

  /// Memory for so many bytes, and for what inflates them.
  static func memory(for count: Int) -> Int {
    let (sum, overflow) = count.addingReportingOverflow(1 + Int(INFLATE_SLACK) + MemoryLayout<inflater>.size)
    return overflow ? .max : sum
  }

  /// Inflates bytes of a stream. What is wrong with it is ``problem``.
  ///
  /// - Parameters:
  ///   - count: Bytes that are wanted; more are left out.
  ///   - place: Where the stream is in the file; it may end earlier.
  ///   - name: What it holds, for errors.
  init(
    _ count: Int, in place: Range<Int>, of source: SourceView, name: String, host: CoderHost
  ) throws(CoderError) {
    self.host = host
    try host.countInflated(count)
    let state = try host.allocate(bytes: MemoryLayout<inflater>.size, for: "the state of inflating")
    defer { host.free(state) }
    let inflater = state.bindMemory(to: inflater.self, capacity: 1)
    inflate_begin(inflater)
    let memory = try host.allocate(bytes: count + 1 + Int(INFLATE_SLACK), for: "inflated channels")
    base = memory.assumingMemoryBound(to: UInt8.self)
    do throws(CoderError) {
      (self.count, problem) = try Self.inflate(
        inflater, in: place, of: source, to: base, count: count, name: name, host: host)
    } catch {
      host.free(memory)
      throw error
    }
  }

  deinit { host.free(base) }

  private static func inflate(
    _ inflater: UnsafeMutablePointer<inflater>, in place: Range<Int>, of source: SourceView,
    to memory: UnsafeMutablePointer<UInt8>, count wanted: Int, name: String, host: CoderHost
  ) throws(CoderError) -> (Int, CoderError?) {
    var start = place.lowerBound
    var out: UnsafeMutablePointer<UInt8>? = memory
    var done = 0
    while true {
      guard !host.isCancelled else { throw .cancelled }
      let bytes = try source.view(at: start, count: max(0, min(Self.windowBytes, place.upperBound - start)))
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), !bytes.isEmpty else {
        let problem = CoderError.truncated("\(name) end after \(done) of \(wanted) bytes", at: min(start, source.size))
        return (done, done < wanted ? problem : nil)
      }
      var next: UnsafePointer<UInt8>? = base
      // Room for one byte more: only so does the end of the stream come, and its checksum.
      let status = inflate_piece(inflater, &next, base + bytes.count, memory, &out, memory + wanted + 1)
      start += next.map { $0 - base } ?? 0
      done = min(wanted, out.map { $0 - memory } ?? 0)
      switch status {
      case INFLATED_INPUT: continue
      case INFLATED_UNEQUAL where done == wanted:
        return (done, .checksumMismatch("\(name) have another Adler-32 than is stored", at: start))
      case INFLATED_END where done < wanted, INFLATED_UNEQUAL:
        return (done, .malformed("\(name) end after \(done) of \(wanted) bytes", at: start))
      case INFLATED_DAMAGED:
        let damage = inflater.pointee.damage.map { String(cString: $0) } ?? "damaged"
        return (done, .malformed("\(name) are no zlib stream: \(damage)", at: start))
      default: return (done, nil)
      }
    }
  }

  /// Copies rows.
  ///
  /// - Parameters:
  ///   - start: Where the first row begins.
  ///   - header: Of the picture that they are of.
  ///   - isPredicted: Whether differences are stored.
  func read(
    _ rows: Int, at start: Int, of header: PSDHeader, isPredicted: Bool, to target: UnsafeMutablePointer<UInt8>
  ) -> ReadRows {
    let rowBytes = header.rowBytes
    let whole = min(rows, max(0, count - start) / rowBytes)
    target.update(from: base + start, count: whole * rowBytes)
    if isPredicted {
      for row in 0..<whole { Self.sum(target + row * rowBytes, of: header) }
    }
    // A wrong checksum is known at the end, and costs no rows.
    return ReadRows(count: whole, problem: whole < rows ? problem : nil)
  }

  /// What is wrong although every row is there.
  var checksumProblem: CoderError? { problem?.code == .checksumMismatch ? problem : nil }

  /// Makes samples of differences, as TIFF's Predictor has them: between samples (TIFF 6.0 §14), and for 32 bits between
  /// bytes, where the upper bytes of all samples come first (Adobe Photoshop TIFF Technical Note 3, "Floating point
  /// predictor").
  private static func sum(_ row: UnsafeMutablePointer<UInt8>, of header: PSDHeader) {
    let width = header.canvas.width
    switch header.depth {
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
      for index in 1..<max(1, header.rowBytes) { row[index] &+= row[index - 1] }
    }
  }
}
