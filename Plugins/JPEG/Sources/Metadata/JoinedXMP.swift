// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// StandardXMP and the ExtendedXMP that it names as one packet, XMP part 3 §1.1.3.1.
///
/// Where StandardXMP holds nothing but the name, as ``ExtendedXMP`` writes it, the packet is ExtendedXMP inside the
/// wrapper of StandardXMP, byte for byte what was split. In other files, properties of ExtendedXMP are put after those of
/// StandardXMP and the name is taken out; no other byte changes.
struct JoinedXMP {
  /// A piece of ExtendedXMP.
  private struct Part {
    /// The offset of its first byte in ExtendedXMP.
    let offset: Int
    /// Where it lies in the file.
    let bytes: Range<Int>
  }

  /// Why there is nothing to join.
  private struct Fault: Error {
    let message: String
    init(_ message: String) { self.message = message }
  }

  /// StandardXMP alone where parts of ExtendedXMP are missing, overlap or cannot be read; a warning says so.
  let packet: [UInt8]

  /// Bytes before a part: digest, length of ExtendedXMP, offset.
  private static let partHeader = 32 + 4 + 4

  /// - Parameter extensions: Segments without their prefix, those of other packets among them.
  /// - Throws: ``CoderError/Code/limitExceeded`` for a packet of more bytes than metadata may have.
  init(
    _ standard: Range<Int>, _ extensions: [Range<Int>], source: SourceView, host: CoderHost
  ) throws(CoderError) {
    try host.limits.check(metadata: standard.count)
    let packet = try source.bytes(at: standard.lowerBound, count: standard.count, of: "the XMP payload")
    var joined: Result<[UInt8], Fault> = .success(packet)
    let outline = XMPOutline(packet, hasNote: true)
    if let outline, let note = outline.note {
      switch try Self.parts(of: extensions, note.digest, source) {
      case .success(let parts):
        var other: [UInt8] = []
        try host.limits.check(metadata: parts.reduce(0) { $0 + $1.bytes.count })
        try ArrayMemory.grow(&other, by: parts.reduce(0) { $0 + $1.bytes.count }, for: "metadata")
        for part in parts {
          other += try source.bytes(at: part.bytes.lowerBound, count: part.bytes.count, of: "the XMP payload")
        }
        joined = try Self.join(packet, outline, note, other, host.limits)
      case .failure(let fault): joined = .failure(fault)
      }
    } else if !extensions.isEmpty {
      joined = .failure(Fault("StandardXMP does not name it"))
    }
    switch joined {
    case .success(let bytes): self.packet = bytes
    case .failure(let fault):
      host.log("ExtendedXMP is passed over: \(fault.message)", severity: .warning)
      self.packet = packet
    }
  }

  /// The parts of one ExtendedXMP in order.
  private static func parts(
    of extensions: [Range<Int>], _ digest: ArraySlice<UInt8>, _ source: SourceView
  ) throws(CoderError) -> Result<[Part], Fault> {
    var parts: [Part] = []
    var length: Int?
    for segment in extensions where segment.count >= partHeader {
      var header = try source.reader(at: segment.lowerBound, count: partHeader, of: "a part of ExtendedXMP")
      guard header.count == partHeader, try header.array(32).elementsEqual(digest) else { continue }
      let stated = Int(try header.uint32("the length"))
      if let length, length != stated {
        return .failure(Fault("parts that speak of \(length) and of \(stated) bytes"))
      }
      length = stated
      let offset = Int(try header.uint32("the offset"))
      parts.append(Part(offset: offset, bytes: segment.lowerBound + partHeader..<segment.upperBound))
    }
    guard let length else { return .failure(Fault("the file has none of the digest that StandardXMP names")) }
    var end = 0
    // Segments may come in any order.
    parts.sort { ($0.offset, $0.bytes.count) < ($1.offset, $1.bytes.count) }
    for part in parts {
      guard part.offset == end else {
        return .failure(Fault("a part begins at \(part.offset), the one before it ends at \(end)"))
      }
      end += part.bytes.count
    }
    guard end == length else { return .failure(Fault("parts of \(end) bytes, \(length) are needed")) }
    return .success(parts)
  }

  private static func join(
    _ standard: [UInt8], _ outline: XMPOutline, _ note: XMPOutline.Note, _ other: [UInt8], _ limits: Limits
  ) throws(CoderError) -> Result<[UInt8], Fault> {
    let (front, back) = (ExtendedXMP.noteFront, ExtendedXMP.noteBack)
    let (start, end) = (note.digest.startIndex - front.count, note.digest.endIndex + back.count)
    if start >= 0, end <= standard.count, standard[start...].starts(with: front),
      standard[note.digest.endIndex...].starts(with: back)
    {
      return .success(try whole([standard[..<start], other[...], standard[end...]], limits))
    }
    guard let rest = XMPOutline(other, hasNote: false) else { return .failure(Fault("it has no element rdf:RDF")) }
    var pieces = [standard[..<outline.attributes]]
    for declaration in rest.declarations.values.sorted(by: { $0.text.startIndex < $1.text.startIndex }) {
      if let known = outline.declarations[declaration.name] {
        guard known.namespace == declaration.namespace else {
          return .failure(Fault("it declares a name for another namespace than StandardXMP does"))
        }
      } else {
        pieces.append(declaration.text)
      }
    }
    pieces += [
      standard[outline.attributes..<note.whole.lowerBound],
      standard[note.whole.upperBound..<outline.properties.upperBound], other[rest.properties],
      standard[outline.properties.upperBound...],
    ]
    return .success(try whole(pieces, limits))
  }

  private static func whole(_ pieces: [ArraySlice<UInt8>], _ limits: Limits) throws(CoderError) -> [UInt8] {
    try limits.check(metadata: pieces.reduce(0) { $0 + $1.count })
    return try ArrayMemory.join(pieces, for: "metadata")
  }
}
