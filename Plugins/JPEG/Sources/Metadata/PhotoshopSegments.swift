// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import PhotoshopResources

/// The APP13 segments of a JPEG file that hold Photoshop's image resources.
enum PhotoshopSegments {
  static let prefix: StaticString = "Photoshop 3.0\0"

  /// The resources of all segments: one may go on in the next segment, unless another one begins there.
  ///
  /// - Parameter segments: The payloads with their prefix.
  /// - Throws: ``CoderError/Code/limitExceeded``.
  static func resources(
    _ segments: [Range<Int>], _ source: SourceView, _ limits: Limits
  ) throws(CoderError) -> PhotoshopResources {
    let lead = prefix.utf8CodeUnitCount
    try limits.check(metadata: segments.reduce(0) { $0 + $1.count })
    var (joined, seams): ([UInt8], [Int]) = ([], [])
    for segment in segments where segment.count > lead {
      joined += try source.bytes(at: segment.lowerBound + lead, count: segment.count - lead, of: "image resources")
      seams.append(joined.count)
    }
    return PhotoshopResources(joined, joinedAt: seams)
  }

  /// The segments that hold resources, with their markers; none without any.
  static func bytes(_ resources: PhotoshopResources) -> [UInt8] {
    let all = resources.bytes
    let most = 65_533 - prefix.utf8CodeUnitCount
    var writer = ByteWriter()
    for start in stride(from: 0, to: all.count, by: most) {
      writer.segment(0xED) {
        $0.put(prefix)
        $0.put(Array(all[start..<min(all.count, start + most)]))
      }
    }
    return writer.bytes
  }
}
