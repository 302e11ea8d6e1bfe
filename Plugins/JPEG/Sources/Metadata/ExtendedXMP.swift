// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// An XMP packet that is too large for one segment, as the segments' payloads, XMP part 3 §1.1.3.1.
///
/// The packet goes, whole but for its wrapper and padding, into ExtendedXMP. StandardXMP names it and holds nothing
/// else, inside that wrapper and padding: a reader that puts ExtendedXMP in place of the note has the packet again.
struct ExtendedXMP {
  /// Bytes of a packet in one segment, XMP part 3 §1.1.3.
  static let largestStandard = 65_502
  /// Lengths and offsets have 32 bits.
  static let largest = Int(UInt32.max)

  /// The packet of the first segment, without a prefix.
  let standard: [UInt8]
  /// What follows: with prefix, digest, length and offset.
  let extensions: [[UInt8]]

  private static let partSize = 65_400

  /// - Parameter packet: Of at most ``largest`` bytes.
  init(_ packet: [UInt8]) {
    guard packet.count > Self.largestStandard else {
      (standard, extensions) = (packet, [])
      return
    }
    let body = Self.unwrapped(packet)
    guard Self.wrapperFront.count + body.count + Self.wrapperBack.count > Self.largestStandard else {
      (standard, extensions) = (Self.wrapped(body), [])
      return
    }
    let digest = Array(MD5Digest.bytes(of: body).flatMap { [Self.digit($0 >> 4), Self.digit($0 & 15)] })
    let note = Self.noteFront + digest + Self.noteBack
    let (front, back) = (packet[..<body.startIndex], packet[body.endIndex...])
    standard =
      front.count + note.count + back.count <= Self.largestStandard
      ? Array(front + note + back) : Self.wrapped(note[...])
    extensions = stride(from: 0, to: body.count, by: Self.partSize).map { offset in
      let start = body.startIndex + offset
      let end = min(start + Self.partSize, body.endIndex)
      // Prefix, digest and two numbers have 75 bytes.
      var writer = ByteWriter(capacity: 80 + end - start)
      writer.put(FileHeader.Prefix.extendedXMP)
      writer.put(digest)
      writer.put(UInt32(clamping: body.count))
      writer.put(UInt32(clamping: offset))
      writer.put([UInt8](body[start..<end]))
      return writer.bytes
    }
  }

  /// A packet that names ExtendedXMP and holds nothing else, up to the digest.
  static let noteFront = Array(
    """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
    <rdf:Description rdf:about="" xmlns:xmpNote="http://ns.adobe.com/xmp/note/" xmpNote:HasExtendedXMP="
    """.utf8)
  /// What follows the digest.
  static let noteBack = Array("\"/></rdf:RDF></x:xmpmeta>".utf8)

  /// Packet wrapper and padding are no part of the data, XMP part 1 §7.3.2.
  private static func unwrapped(_ packet: [UInt8]) -> ArraySlice<UInt8> {
    var body = packet[...]
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    func trim() {
      body = body.drop(while: isSpace)
      while let last = body.last, isSpace(last) || last == 0 { body.removeLast() }
    }
    trim()
    if body.starts(with: [0xEF, 0xBB, 0xBF]) { body = body.dropFirst(3) }
    if body.starts(with: Array("<?xpacket begin".utf8)), let end = body.firstIndex(of: 0x3E) {
      body = body[(end + 1)...]
    }
    if body.suffix(2).elementsEqual("?>".utf8), let start = body.lastIndex(of: 0x3C),
      body[start...].starts(with: Array("<?xpacket end".utf8))
    {
      body = body[..<start]
    }
    trim()
    return body
  }

  private static let wrapperFront = Array("<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n".utf8)
  private static let wrapperBack = Array("\n<?xpacket end=\"w\"?>".utf8)

  private static func wrapped(_ body: ArraySlice<UInt8>) -> [UInt8] { wrapperFront + body + wrapperBack }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }
}
