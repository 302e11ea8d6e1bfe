// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Channels in one zlib stream. All but the last one are kept, since the last one ends the first row.
final class InflatedPlanes: StoredPlanes {
  private let file: PSDFile
  private let bytes: InflatedBytes

  /// Memory for the channels of a file.
  static func memory(for file: PSDFile) -> Int { InflatedBytes.memory(for: file.offset(ofPlane: file.planes)) }

  init(_ file: PSDFile, in source: SourceView, host: CoderHost) throws(CoderError) {
    self.file = file
    bytes = try InflatedBytes(
      file.offset(ofPlane: file.planes), in: file.data..<max(file.data, source.size), of: source,
      name: "the image data", host: host)
  }

  func read(_ rows: Range<Int>, of plane: Int, to target: UnsafeMutablePointer<UInt8>) throws(CoderError) -> ReadRows {
    bytes.read(
      rows.count, at: file.offset(ofPlane: plane) + rows.lowerBound * file.header.rowBytes, of: file.header,
      isPredicted: file.compression == .zipWithPrediction, to: target)
  }

  var checksumProblem: CoderError? { bytes.checksumProblem }
}
