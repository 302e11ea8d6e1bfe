// SPDX-License-Identifier: Apache-2.0

/// Names of what programs have left in a file, and no reader gives as metadata of another kind.
///
/// They are the payload of ``MetadataKind/other``: a conversion does not write such data anew, and its report has these
/// names. Of most there is nothing else to know; a value is there where a conversion carries it over.
public struct ApplicationData: Sendable {
  /// The name of the mark that says that a picture is protected; its value is `1`.
  public static let copyrightFlag = "Photoshop copyright flag"
  /// The name of the address where the rights in a picture are stated, which is the value.
  public static let copyrightAddress = "Photoshop URL"
  /// The name of a second block of Exif that says something else than the first, which is the one that counts.
  public static let secondExif = "second Exif block"
  /// The name of a second packet of XMP that says something else than the first, which is the one that counts.
  public static let secondXMP = "second XMP packet"
  /// Names that are kept: others are counted.
  public static let mostNames = 64
  /// Bytes of a value in UTF-8 at most.
  public static let mostBytes = 2_048

  private var found: [ContainerText] = []
  private var known: Set<String> = []
  private var leftOut = 0
  /// The first block of each kind.
  private var blocks: [MetadataKind: [UInt8]] = [:]

  /// No names.
  public init() {}

  /// Adds a name, unless it is there already.
  public mutating func add(_ name: String, value: String = "") {
    guard !known.contains(name) else { return }
    guard found.count < Self.mostNames else {
      leftOut += 1
      return
    }
    known.insert(name)
    found.append(ContainerText(value, keyword: name))
  }

  /// Notes a block of Exif or XMP, in the order of the file: a later one that is not as the first gets a name.
  ///
  /// - Parameter kind: Blocks of other kinds are passed over.
  public mutating func note(_ block: [UInt8], of kind: MetadataKind) {
    guard kind == .exif || kind == .xmp else { return }
    guard let first = blocks[kind] else {
      blocks[kind] = block
      return
    }
    if block != first { add(kind == .exif ? Self.secondExif : Self.secondXMP) }
  }

  /// The payload of ``MetadataKind/other``, or nil without any name.
  public var payload: [UInt8]? {
    guard !found.isEmpty else { return nil }
    let rest = leftOut == 0 ? [] : [ContainerText("", keyword: "\(leftOut) more")]
    return ContainerText.payload(found + rest)
  }

  /// The printable ASCII characters that bytes begin with.
  ///
  /// - Parameter limit: Characters at most.
  public static func printable(_ bytes: some Sequence<UInt8>, limit: Int = 32) -> String {
    String(decoding: bytes.prefix(limit).prefix { (0x20...0x7E).contains($0) }, as: UTF8.self)
  }
}
