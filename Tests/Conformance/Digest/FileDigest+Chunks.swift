// SPDX-License-Identifier: Apache-2.0

import ImageCoderTesting
import ImageCoders

extension FileDigest {
  /// Lets a file's bytes arrive.
  func decodeChunked(
    of source: ByteSource, in chunking: Chunking, _ options: DecodeOptions
  ) throws(CoderError) -> ChunkedDecode {
    let file = try OpenSource(source, limits: options.limits)
    let bytes = try file.view(at: 0, count: file.size)
    // Rows are counted as they are stored.
    let looks = options.appliesOrientation ? 0 : 16
    return withExtendedLifetime(file) {
      ChunkedDecode(of: bytes, in: chunking, to: registry.makeIncrementalDecoder(options: options), looks: looks)
    }
  }

  /// What one call's line says as well; and with how many bytes the header came, and what is wrong with final rows.
  func describe(_ chunked: ChunkedDecode, number: Int) throws(CoderError) -> [(key: String, value: JSONText)] {
    var members: [(key: String, value: JSONText)] = []
    if let header = chunked.header {
      members.append(("headerBytes", .list([.integer(header.before), .integer(header.with)])))
    }
    members.append(("finalRows", .integer(chunked.rows.count)))
    if let change = chunked.rows.change { members.append(("change", .text(change))) }
    switch chunked.outcome {
    case .success(let image):
      if let header = image.header {
        members += Self.describe(header, image.loopCount, coder: image.coderID ?? "")
      }
      members += Self.problem(image.problem)
      let frames = image.frames.enumerated().map { index, frame in
        describe(frame, header: nil, index: index, number: number)
      }
      members.append(("frames", .list(frames)))
    case .failure(let error):
      if let coder = error.coder { members.append(("coder", .text(coder))) }
      members.append(("error", Self.describe(error)))
    }
    return members
  }
}
