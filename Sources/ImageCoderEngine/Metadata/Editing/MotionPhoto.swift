// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// The video of a motion photo, among the bytes after the picture.
///
/// - Format: Android's "Motion Photo format" 1.0; ISO/IEC 14496-12 §4.2.
package enum MotionPhoto {
  /// Where the video is: from the box that says what it is to the end of its last box. Cameras put bytes of their own before
  /// and after it.
  ///
  /// - Parameter trailer: A payload of ``MetadataKind/trailer``.
  /// - Returns: Nil for bytes without a video.
  package static func video(in trailer: [UInt8]) -> Range<Int>? {
    let mark = Array("ftyp".utf8)
    var place = 4
    while let found = trailer[min(place, trailer.count)...].firstIndex(of: mark[0]), found + 12 <= trailer.count {
      place = found + 1
      guard trailer[found..<found + 4].elementsEqual(mark), let size = size(at: found - 4, in: trailer),
        (16...1024).contains(size), trailer[(found + 4)..<(found + 8)].allSatisfy(isPrintable)
      else { continue }
      return (found - 4)..<end(of: found - 4, in: trailer)
    }
    return nil
  }

  private static func end(of start: Int, in bytes: [UInt8]) -> Int {
    var place = start
    while bytes.count - place >= 8, bytes[(place + 4)..<(place + 8)].allSatisfy(isPrintable),
      let size = size(at: place, in: bytes)
    {
      guard size > 0, size < bytes.count - place else { return bytes.count }
      guard size >= 8 else { break }
      place += size
    }
    return place
  }

  /// A box's length, or nil for one that is less than its own header; 0 for one that reaches to the end.
  private static func size(at place: Int, in bytes: [UInt8]) -> Int? {
    func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    let size = number(place..<place + 4)
    guard size == 1 else { return size == 0 || size >= 8 ? Int(size) : nil }
    guard bytes.count - place >= 16 else { return nil }
    let large = number((place + 8)..<(place + 16))
    return large >= 16 ? Int(clamping: large) : nil
  }

  private static func isPrintable(_ byte: UInt8) -> Bool { (0x20..<0x7F).contains(byte) || byte == 0xA9 }

  /// `video/mp4`, or `video/quicktime` for a file that names itself so.
  package static func mediaType(of video: some Collection<UInt8>) -> String {
    video.dropFirst(8).prefix(4).elementsEqual("qt  ".utf8) ? "video/quicktime" : "video/mp4"
  }

  /// Whether `{XMP}` says that a video follows.
  static func isStated(in values: Properties) -> Bool {
    ["GCamera:MotionPhoto", "GCamera:MicroVideo"].contains { values[$0] == .text("1") }
  }

  /// Whether the properties of a file say so.
  package static func isStated(inFile properties: Properties) -> Bool {
    if case .dictionary(let values)? = properties["{XMP}"] { isStated(in: values) } else { false }
  }

  /// A packet which says that a video follows the picture, and how long it is.
  ///
  /// - Parameters:
  ///   - packet: What the file says so far; nil for nothing.
  ///   - video: The video file.
  ///   - keepsItems: Whether further pictures between the first one and the video stay.
  package static func packet(
    _ packet: [UInt8]?, video: [UInt8], format: ImageFormat, keepsItems: Bool
  ) throws(CoderError) -> [UInt8] {
    var values = Properties()
    if let packet, case .dictionary(let found)? = XMPProperties.read(packet)["{XMP}"] { values = found }
    var editing = try XMPEditing(packet)
    let replaced = [
      "Container:*", "Item:*", "GCamera:MotionPhoto", "GCamera:MotionPhotoVersion", "GCamera:MicroVideo",
      "GCamera:MicroVideoVersion", "GCamera:MicroVideoOffset", "GCamera:MicroVideoPresentationTimestampUs",
      "GCamera:MotionPhotoPresentationTimestampUs",
    ]
    editing.remove { namespace, local in XMPFacts.contains(replaced, namespace: namespace, local: local) }
    // -1 is that no moment of the video is that of the picture.
    var moment = "-1"
    for name in ["GCamera:MicroVideoPresentationTimestampUs", "GCamera:MotionPhotoPresentationTimestampUs"] {
      if case .text(let text)? = values[name], Int(text) != nil { moment = text }
    }
    // The box around the video begins with 8 bytes, which belong to no item.
    let isInBox = format != .jpeg
    var items = [item("Primary", mediaType: format.mediaType, length: 0, padding: isInBox ? 8 : 0)]
    if keepsItems { items += otherItems(values) }
    items.append(item("MotionPhoto", mediaType: mediaType(of: video), length: video.count, padding: 0))
    let camera = "GCamera:MotionPhoto"
    try editing.add(
      """
      \(camera)="1" \(camera)Version="1" \(camera)PresentationTimestampUs="\(moment)"
      """,
      "<Container:Directory><rdf:Seq>\(items.joined())</rdf:Seq></Container:Directory>",
      prefixes: ["GCamera", "Container", "Item"])
    return editing.packet
  }

  private static func item(_ semantic: String, mediaType: String, length: Int, padding: Int) -> String {
    """
    <rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="\(mediaType.inXMLAttribute)" \
    Item:Semantic="\(semantic.inXMLAttribute)" Item:Length="\(length)" Item:Padding="\(padding)"/></rdf:li>
    """
  }

  /// Items of a directory that are neither the first picture nor a video.
  private static func otherItems(_ values: Properties) -> [String] {
    guard case .list(let list)? = values["Container:Directory"] else { return [] }
    return list.compactMap { entry in
      guard case .dictionary(let outer) = entry, case .dictionary(let inner)? = outer["Container:Item"],
        case .text(let semantic)? = inner["Item:Semantic"], !["Primary", "MotionPhoto"].contains(semantic)
      else { return nil }
      func text(_ name: String) -> String { if case .text(let text)? = inner[name] { text } else { "" } }
      return item(
        semantic, mediaType: text("Item:Mime"), length: Int(text("Item:Length")) ?? 0,
        padding: Int(text("Item:Padding")) ?? 0)
    }
  }
}

extension ImageFormat {
  /// What the directory of a motion photo calls the picture.
  fileprivate var mediaType: String {
    switch self {
    case .jpeg: "image/jpeg"
    case .avif: "image/avif"
    case .heic, .heics: "image/heic"
    default: "image/heif"
    }
  }
}
