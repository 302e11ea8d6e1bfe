// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// An XMP packet in a file beside a camera raw file: editors write there what they would not change in the file itself.
///
/// - Format: XMP Part 1 §7 and Part 3 §1.1.1, tiff:Orientation of Part 2 §3.
struct Sidecar {
  let packet: [UInt8]

  /// The name of the file with its extension, as darktable writes it, says more than the name that Adobe's editors write.
  private static let names = ["{name}.xmp", "{stem}.xmp"]

  /// The first packet that is there. One that cannot be read costs nothing but itself.
  init?(_ host: CoderHost) {
    for name in Self.names {
      do throws(CoderError) {
        guard let file = try host.sibling(named: name) else { continue }
        try host.limits.check(metadata: file.size)
        let packet = [UInt8](try file.contents())
        guard Self.end(of: "rdf:RDF", in: packet) != nil else {
          host.log("\(name), beside the file, holds no XMP and is left out", severity: .warning)
          continue
        }
        self.packet = packet
        return
      } catch {
        host.log("\(name), beside the file, is left out: \(error.message)", severity: .warning)
      }
    }
    return nil
  }

  init(packet: [UInt8]) { self.packet = packet }

  /// What the packet says of how the picture is turned, as an attribute or as an element; nil without it.
  var orientation: Orientation? {
    guard let end = Self.end(of: "tiff:Orientation", in: packet) else { return nil }
    let rest = packet[end...].prefix(16).filter { $0 > 0x20 }
    let isAttribute = rest.starts(with: Array("=\"".utf8)) || rest.starts(with: Array("='".utf8))
    guard isAttribute || rest.first == UInt8(ascii: ">") else { return nil }
    let value = rest.dropFirst(isAttribute ? 2 : 1)
    let last = isAttribute ? rest[1] : UInt8(ascii: "<")
    guard let digit = value.first, value.dropFirst().first == last else { return nil }
    return Orientation(rawValue: Int(digit) - 0x30)
  }

  /// The place after the first `name`.
  private static func end(of name: String, in packet: [UInt8]) -> Int? {
    let name = Array(name.utf8)
    return packet.indices.first { packet[$0...].starts(with: name) }.map { $0 + name.count }
  }
}
