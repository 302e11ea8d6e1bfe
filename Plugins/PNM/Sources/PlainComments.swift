// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Comments among the digits of a plain picture: from a `#` to the end of its line, as in the header.
enum PlainComments {
  private static let windowBytes = 64 << 10

  /// Those from the first digit to the end of the file, as far as metadata may be as long.
  static func all(
    in source: SourceView, of page: PNMHeader, host: CoderHost
  ) throws(CoderError) -> [ContainerText] {
    var texts: [ContainerText] = []
    var comment: [UInt8]?
    var (offset, count) = (page.raster, 0)
    while offset < source.size {
      let window = try source.view(at: offset, least: 1, most: windowBytes)
      guard !window.isEmpty else { break }
      var rest = window[...]
      while !rest.isEmpty {
        if comment == nil {
          guard let mark = rest.firstIndex(of: UInt8(ascii: "#")) else { break }
          rest = rest[(mark + 1)...]
          comment = []
        }
        let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D }
        let part = rest[..<(end ?? rest.endIndex)]
        count += part.count
        guard count <= host.limits.maxMetadata else {
          host.log("comments of more than \(host.limits.maxMetadata) bytes are passed over", severity: .warning)
          return texts
        }
        comment? += part
        guard let end else { break }
        rest = rest[(end + 1)...]
        if let text = comment.flatMap(ContainerText.init(comment:)) { texts.append(text) }
        comment = nil
      }
      offset += window.count
    }
    if let text = comment.flatMap(ContainerText.init(comment:)) { texts.append(text) }
    return texts
  }
}
