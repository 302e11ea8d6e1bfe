// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// What a file carries beside its main picture.
package struct FilePart: Sendable {
  /// What it is.
  package enum Kind: String, CaseIterable, Sendable {
    case icc, exif, xmp, iptc, c2pa, geotiff, text
    /// The video of a motion photo.
    case video
    /// Bytes after the picture that are no video.
    case trailer
    /// A small copy of the picture in Exif or XMP.
    case thumbnail
    case gainMap = "gain-map"
    case depth, disparity, matte, preview, reduced, overscan
    /// The other view of a stereo picture.
    case stereo
    /// A further picture of the file.
    case page
    /// A layer of the picture.
    case layer
    /// The JPEG file that a JPEG XL stores.
    case storedJPEG = "stored-jpeg"
    /// The identifier that joins the two files of a Live Photo.
    case livePhoto = "live-photo"
    /// The identifier that pictures of a burst have in common.
    case burst
    case other
  }

  /// Where its content is.
  package enum Content: Sendable {
    case bytes([UInt8])
    /// A picture that has to be decoded: a page, visible or hidden.
    case page(Int, size: Size?)
    /// There is nothing to take out but the words.
    case words
  }

  package var kind: Kind
  package var content: Content
  /// What its file is called after the dot.
  package var suffix: String
  /// What else there is to say: the file's own name of it, an identifier.
  package var note: String

  package init(_ kind: Kind, _ content: Content, suffix: String = "bin", note: String = "") {
    self.kind = kind
    self.content = content
    self.suffix = suffix
    self.note = note
  }
}

extension ImageDecoder {
  /// What the file carries beside the page. What cannot be read is left out, and the log says so.
  ///
  /// Sizes of one picture and frames of an animation are no parts; layers are.
  package func parts() -> [FilePart] {
    pictureParts() + pageParts() + metadataParts() + videoParts() + identifierParts()
  }

  // MARK: Pictures

  private func pictureParts() -> [FilePart] {
    let pictures = read("pictures beside the picture") { () throws(CoderError) in try auxiliaryPictures() } ?? []
    return pictures.map { picture in
      let kind: FilePart.Kind =
        switch picture.kind {
        case .gainMap: .gainMap
        case .depth: .depth
        case .disparity: picture.typeName == "MPF disparity" ? .stereo : .disparity
        case .matte: .matte
        case .preview: .preview
        case .reduced: .reduced
        case .overscan: .overscan
        case .layer: .layer
        case .picture, .other: .other
        }
      return part(kind, page: picture.page, size: picture.size, note: picture.typeName)
    }
  }

  private func pageParts() -> [FilePart] {
    guard header.pageCount > 1, !header.pagesAreSizes, !header.isAnimated else { return [] }
    let group = group
    return (0..<header.pageCount).compactMap { index in
      guard index != page else { return nil }
      guard let listed = read("page \(index + 1)", { () throws(CoderError) in try reader.header(page: index) }) else {
        return part(.page, page: index, size: nil, note: "page \(index + 1)")
      }
      let kind: FilePart.Kind =
        switch listed.role.kind {
        case .picture: group.pages.contains(index) ? group.kind : .page
        case .layer: .layer
        case .reduced: .reduced
        case .preview: .preview
        default: .other
        }
      let name = listed.role.name.isEmpty ? "" : ", \(listed.role.name)"
      return part(kind, page: index, size: listed.canvas, note: "page \(index + 1)\(name)")
    }
  }

  /// Pages that belong together with the page, as files of items say it.
  private var group: (kind: FilePart.Kind, pages: [Int]) {
    let properties = read("groups") { () throws(CoderError) in try reader.properties(page: page, frame: nil) }
    guard let properties, case .dictionary(let group)? = properties["{Groups}"] else { return (.page, []) }
    var pages = [group["GroupImageIndexLeft"], group["GroupImageIndexRight"]]
    if case .list(let list)? = group["GroupImages"] { pages += list }
    let numbers = pages.compactMap { $0?.integer }.compactMap { Int(exactly: $0) }
    return (group["GroupType"] == .text("StereoPair") ? .stereo : .burst, numbers)
  }

  /// A picture that is a file of its own is taken out as it is.
  private func part(_ kind: FilePart.Kind, page: Int, size: Size?, note: String) -> FilePart {
    let file = read(note) { () throws(CoderError) -> [UInt8]? in
      guard let place = try reader.header(page: page).embedded else { return nil }
      try session.limits.check(memory: place.count)
      let source = context.source
      return try withExtendedLifetime(source) { () throws(CoderError) in
        try ArrayMemory.copy(try source.view(at: place.lowerBound, count: place.count), for: "a picture in the file")
      }
    }
    if let file = file ?? nil, let suffix = Self.suffix(of: file) {
      return FilePart(kind, .bytes(file), suffix: suffix, note: note)
    }
    return FilePart(kind, .page(page, size: size), suffix: "png", note: note)
  }

  /// That of a picture file; nil for other files.
  private static func suffix(of file: [UInt8]) -> String? {
    if file.starts(with: [0xFF, 0xD8, 0xFF]) { return "jpg" }
    if file.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "png" }
    if file.starts(with: [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20]) { return "jp2" }
    return nil
  }

  // MARK: Metadata

  private func metadataParts() -> [FilePart] {
    var parts: [FilePart] = []
    let kinds: [(MetadataKind, FilePart.Kind, suffix: String)] = [
      (.icc, .icc, "icc"), (.exif, .exif, "exif"), (.xmp, .xmp, "xmp"), (.iptc, .iptc, "iptc"), (.c2pa, .c2pa, "c2pa"),
      (.geoTIFF, .geotiff, "tif"), (.text, .text, "txt"),
    ]
    for (kind, name, suffix) in kinds where header.metadata.contains(kind) {
      guard let payload = read("\(kind)", { () throws(CoderError) in try metadata(kind) }) ?? nil else { continue }
      var note = ""
      switch kind {
      case .icc: note = ICCProfile.name(of: payload.span.bytes) ?? ""
      case .c2pa: note = CredentialsClaim(store: payload)?.words ?? ""
      default: break
      }
      let bytes = kind == .text ? Self.lines(ContainerText.texts(in: payload)) : payload
      parts.append(FilePart(name, .bytes(bytes), suffix: suffix, note: note))
      if kind == .exif, let file = ExifDirectories(payload)?.thumbnailFile, !file.isEmpty {
        parts.append(FilePart(.thumbnail, .bytes(file), suffix: Self.suffix(of: file) ?? "bin", note: "Exif"))
      }
      guard kind == .xmp else { continue }
      parts += XMPPictures.files(in: payload).map { found in
        let kind: FilePart.Kind = found.name == "XMP" ? .thumbnail : found.name == "GDepth" ? .depth : .other
        return FilePart(kind, .bytes(found.file), suffix: Self.suffix(of: found.file) ?? "bin", note: found.name)
      }
    }
    return parts
  }

  /// One text a line, with its keyword.
  private static func lines(_ texts: [ContainerText]) -> [UInt8] {
    Array(texts.map { ($0.keyword.isEmpty ? $0.text : "\($0.keyword): \($0.text)") + "\n" }.joined().utf8)
  }

  private func videoParts() -> [FilePart] {
    guard let trailer = read("what follows the picture", { () throws(CoderError) in try metadata(.trailer) }) ?? nil,
      !trailer.isEmpty
    else { return [] }
    guard let place = MotionPhoto.video(in: trailer) else { return [FilePart(.trailer, .bytes(trailer))] }
    let video = Array(trailer[place])
    let type = MotionPhoto.mediaType(of: video)
    var parts = [FilePart(.video, .bytes(video), suffix: type == "video/mp4" ? "mp4" : "mov", note: type)]
    let rest = Array(trailer[..<place.lowerBound] + trailer[place.upperBound...])
    if rest.contains(where: { $0 != 0 }) {
      parts.append(FilePart(.trailer, .bytes(rest), note: "beside the video"))
    }
    return parts
  }

  /// Identifiers in Apple's note and in Google's XMP.
  private func identifierParts() -> [FilePart] {
    guard let properties = read("properties", { () throws(CoderError) in try self.properties() }) else { return [] }
    func text(_ dictionary: String, _ name: String) -> String? {
      if case .text(let text)? = properties[dictionary, name], !text.isEmpty { text } else { nil }
    }
    var parts: [FilePart] = []
    // Tags 17 and 11 of Apple's note: ContentIdentifier and BurstUUID.
    if let identifier = text("{MakerApple}", "17") { parts.append(FilePart(.livePhoto, .words, note: identifier)) }
    for burst in [text("{MakerApple}", "11"), text("{XMP}", "GCamera:BurstID")].compactMap(\.self) {
      parts.append(FilePart(.burst, .words, note: burst))
    }
    return parts
  }

  /// The result of a step, or nil with a line in the log.
  private func read<Value>(_ what: String, _ step: () throws(CoderError) -> Value) -> Value? {
    do throws(CoderError) { return try step() } catch {
      options.log?(.warning, "\(what) cannot be read: \(error.message)")
      return nil
    }
  }
}

extension ImageDecoder {
  /// Kinds of blocks of which the file has a second one that says something else.
  package var repeatedBlocks: Set<MetadataBlock> {
    // Who cannot name what else is in a file cannot name these.
    guard let payload = try? metadata(.other) else { return [] }
    return ApplicationData.repeatedBlocks(in: payload)
  }
}
