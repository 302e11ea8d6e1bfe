// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Image resources, as Photoshop puts them into JPEG, TIFF and other files: one of them is the IPTC-IIM block.
///
/// - Format: Adobe Photoshop File Formats Specification, "Image Resource Blocks".
public struct PhotoshopResources {
  /// A digest of the IPTC-IIM block, which tells whether another program has changed it.
  private static let digest: UInt16 = 0x0425
  private static let iptc: UInt16 = 0x0404

  private struct Resource {
    let id: UInt16
    /// With its name and padding.
    let bytes: [UInt8]
    /// The range of the data inside.
    let data: Range<Int>
  }

  private var resources: [Resource] = []
  /// What is after the last resource that can be read.
  private var rest: [UInt8] = []

  /// Reads resources that follow each other.
  public init(_ bytes: [UInt8]) {
    let reader = ByteReader(bytes.span.bytes, of: "the image resources")
    var place = 0
    while reader.has("8BIM", at: place), let id = try? reader.uint16(at: place + 4),
      let name = try? Int(reader.uint8(at: place + 6))
    {
      // Name and data are each padded to an even length.
      let field = place + 6 + (name + 2) / 2 * 2
      guard let size = try? Int(reader.uint32(at: field)), size <= bytes.count - field - 4 else { break }
      let end = min(bytes.count, field + 4 + (size + 1) / 2 * 2)
      resources.append(
        Resource(id: id, bytes: Array(bytes[place..<end]), data: (field + 4 - place)..<(field + 4 + size - place)))
      place = end
    }
    rest = Array(bytes[place...])
  }

  /// The IPTC-IIM block, or nil.
  public var iptc: [UInt8]? {
    resources.first { $0.id == Self.iptc && !$0.data.isEmpty }.map { Array($0.bytes[$0.data]) }
  }

  /// Takes out what the edits take out, and puts the IPTC block in.
  public mutating func apply(_ edits: MetadataBlockEdits) {
    if edits.removed.contains(.other) {
      resources.removeAll { $0.id != Self.iptc && $0.id != Self.digest }
      rest = []
    }
    guard edits.removed.contains(.iptc) else { return }
    resources.removeAll { $0.id == Self.iptc || $0.id == Self.digest }
    guard let block = edits.payloads[.iptc] else { return }
    var writer = ByteWriter()
    writer.put("8BIM")
    writer.put(Self.iptc)
    writer.put(UInt16(0))  // an empty name
    writer.put(UInt32(clamping: block.count))
    writer.put(block)
    writer.putZeros(block.count % 2)
    resources.insert(Resource(id: Self.iptc, bytes: writer.bytes, data: 12..<(12 + block.count)), at: 0)
  }

  /// All resources; none if empty.
  public var bytes: [UInt8] { resources.flatMap(\.bytes) + rest }
}
