// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Puts the video of a motion photo after the pictures of JPEG files.
///
/// - Format: Android's "Motion Photo format" 1.0.
enum JPEGVideo {
  static func attach(_ context: OperationContext, _ video: [UInt8]) throws(CoderError) {
    let source = context.source
    let header = try HeaderSegments(parsing: source)
    let end = try header.endOfPicture(in: source)
    var file = FilePieces()
    file.keep(0..<(try JPEGGainMap.trailer(of: source, header, after: end, host: context.host).lowerBound))
    file.put(video)
    try file.write(in: context)
  }
}
