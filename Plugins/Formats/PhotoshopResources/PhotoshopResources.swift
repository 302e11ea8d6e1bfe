// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Image resources, as Photoshop puts them into JPEG, TIFF and other files: one of them is the IPTC-IIM block.
///
/// - Format: Adobe Photoshop File Formats Specification, "Image Resource Blocks".
public struct PhotoshopResources {
  /// A digest of the IPTC-IIM block, which tells whether another program has changed it.
  static let digest: UInt16 = 0x0425
  /// IPTC-IIM data sets.
  public static let iptc: UInt16 = 0x0404

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
  ///
  /// - Parameter seams: Where the bytes were joined, in their order. A resource may go on after a seam, unless another one
  ///   begins there: then it is broken, and what is before the seam goes to the end.
  public init(_ bytes: [UInt8], joinedAt seams: [Int] = []) {
    let reader = ByteReader(bytes.span.bytes, of: "the image resources")
    var begins = seams.filter { Self.isResource(reader, at: $0) }[...]
    var place = 0
    while place < bytes.count {
      begins = begins.drop { $0 <= place }
      var end = begins.first ?? bytes.count
      if let next = Self.next(in: reader, at: place), next.data.upperBound <= end {
        // Some programs leave out the padding of the last one.
        end = min(end, next.end)
        resources.append(
          Resource(
            id: next.id, bytes: Array(bytes[place..<end]),
            data: (next.data.lowerBound - place)..<(next.data.upperBound - place)))
      } else {
        rest += bytes[place..<end]
      }
      place = end
    }
  }

  /// Finds resources in a file: of each identifier the first one.
  ///
  /// - Parameters:
  ///   - ids: Those that are looked for.
  ///   - reader: Of all resources.
  /// - Returns: Where the data of each are in the file.
  public static func places(of ids: Set<UInt16>, in reader: borrowing ByteReader) -> [UInt16: Range<Int>] {
    var found: [UInt16: Range<Int>] = [:]
    var place = 0
    while let next = next(in: reader, at: place) {
      if ids.contains(next.id), found[next.id] == nil {
        found[next.id] = (reader.fileOffset + next.data.lowerBound)..<(reader.fileOffset + next.data.upperBound)
      }
      place = next.end
    }
    return found
  }

  /// The resource at a place, or nil where none can be read. Its end counts the padding.
  static func next(
    in reader: borrowing ByteReader, at place: Int
  ) -> (id: UInt16, data: Range<Int>, end: Int)? {
    guard isResource(reader, at: place), let id = try? reader.uint16(at: place + 4),
      let name = try? Int(reader.uint8(at: place + 6))
    else { return nil }
    // Name and data are each padded to an even length.
    let field = place + 6 + (name + 2) / 2 * 2
    guard let size = try? Int(reader.uint32(at: field)), size <= reader.count - field - 4 else { return nil }
    let data = (field + 4)..<(field + 4 + size)
    return (id, data, min(reader.count, field + 4 + (size + 1) / 2 * 2))
  }

  /// "Image Resource Blocks" have `8BIM`; programs of Adobe write these as well.
  private static func isResource(_ reader: borrowing ByteReader, at place: Int) -> Bool {
    reader.has("8BIM", at: place) || reader.has("MeSa", at: place) || reader.has("PHUT", at: place)
      || reader.has("AgHg", at: place) || reader.has("DCSR", at: place)
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
