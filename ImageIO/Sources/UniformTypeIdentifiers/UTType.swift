// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  @_exported public import Foundation

  /// A type of data by its identifier, such as `public.jpeg`. Those of pictures, and their kin, are known.
  public struct UTType: Sendable, Hashable, Codable, CustomStringConvertible {
    public let identifier: String

    /// Nil for an identifier that no type here has.
    public init?(_ identifier: String) {
      guard Row.all.contains(where: { $0.identifier == identifier }) else { return nil }
      self.identifier = identifier
    }

    init(known identifier: String) { self.identifier = identifier }

    /// A type that another program declares.
    public init(importedAs identifier: String, conformingTo parent: UTType? = nil) { self.identifier = identifier }

    /// A type that this program declares.
    public init(exportedAs identifier: String, conformingTo parent: UTType? = nil) { self.identifier = identifier }

    /// The type of files with an extension, without its dot; of one that is not known, a type of its own.
    public init?(filenameExtension: String, conformingTo parent: UTType = .data) {
      self.init(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: parent)
    }

    /// The type that a MIME type names; of one that is not known, a type of its own.
    public init?(mimeType: String, conformingTo parent: UTType = .data) {
      self.init(tag: mimeType, tagClass: .mimeType, conformingTo: parent)
    }

    /// Nil for an empty tag, and where the type does not conform to the parent.
    public init?(tag: String, tagClass: UTTagClass, conformingTo parent: UTType?) {
      let wanted = tag.lowercased()
      guard !wanted.isEmpty else { return nil }
      if let row = Row.all.first(where: { $0.tags(tagClass).contains(wanted) }) {
        self.init(known: row.identifier)
        guard parent.map(conforms(to:)) ?? true else { return nil }
      } else {
        self.init(known: "dyn.\(tagClass.rawValue).\(wanted)")
      }
    }

    private var row: Row? { Row.all.first { $0.identifier == identifier } }

    public var preferredFilenameExtension: String? {
      row?.extensions.first ?? dynamicTag(.filenameExtension)
    }

    public var preferredMIMEType: String? { row?.mimeTypes.first ?? dynamicTag(.mimeType) }

    private func dynamicTag(_ tagClass: UTTagClass) -> String? {
      let prefix = "dyn.\(tagClass.rawValue)."
      return identifier.hasPrefix(prefix) ? String(identifier.dropFirst(prefix.count)) : nil
    }

    /// All extensions and MIME types, the preferred ones first.
    public var tags: [UTTagClass: [String]] {
      guard let row else { return [:] }
      var tags: [UTTagClass: [String]] = [:]
      if !row.extensions.isEmpty { tags[.filenameExtension] = row.extensions }
      if !row.mimeTypes.isEmpty { tags[.mimeType] = row.mimeTypes }
      return tags
    }

    public var localizedDescription: String? { row.map { "\($0.name)" } }
    public var description: String { identifier }
    /// Whether it was made of a tag that no type has.
    public var isDynamic: Bool { identifier.hasPrefix("dyn.") }
    public var isPublic: Bool { identifier.hasPrefix("public.") }
    public var isDeclared: Bool { row != nil }

    /// All types that it conforms to, without itself.
    public var supertypes: Set<UTType> {
      var found: Set<UTType> = []
      var next = row?.parents ?? (isDynamic ? ["public.data"] : [])
      while let parent = next.popLast() {
        if found.insert(UTType(known: parent)).inserted { next += UTType(known: parent).row?.parents ?? [] }
      }
      return found
    }

    /// Whether it is that type, or a kind of it.
    public func conforms(to type: UTType) -> Bool { self == type || isSubtype(of: type) }
    public func isSubtype(of type: UTType) -> Bool { supertypes.contains(type) }
    public func isSupertype(of type: UTType) -> Bool { type.isSubtype(of: self) }

    /// All types that have a tag.
    public static func types(tag: String, tagClass: UTTagClass, conformingTo parent: UTType?) -> [UTType] {
      Row.all.filter { $0.tags(tagClass).contains(tag.lowercased()) }.map { UTType(known: $0.identifier) }
        .filter { type in parent.map { type.conforms(to: $0) } ?? true }
    }
  }

  /// A kind of name of types.
  public struct UTTagClass: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let filenameExtension = UTTagClass(rawValue: "public.filename-extension")
    public static let mimeType = UTTagClass(rawValue: "public.mime-type")
  }

  extension UTType {
    public static let item = UTType(known: "public.item"), content = UTType(known: "public.content")
    public static let data = UTType(known: "public.data"), folder = UTType(known: "public.folder")
    public static let directory = UTType(known: "public.directory"), archive = UTType(known: "public.archive")
    public static let image = UTType(known: "public.image"), rawImage = UTType(known: "public.camera-raw-image")
    public static let jpeg = UTType(known: "public.jpeg"), png = UTType(known: "public.png")
    public static let gif = UTType(known: "com.compuserve.gif"), tiff = UTType(known: "public.tiff")
    public static let heic = UTType(known: "public.heic"), heif = UTType(known: "public.heif")
    public static let heics = UTType(known: "public.heics"), webP = UTType(known: "org.webmproject.webp")
    public static let bmp = UTType(known: "com.microsoft.bmp"), ico = UTType(known: "com.microsoft.ico")
    public static let icns = UTType(known: "com.apple.icns"), pdf = UTType(known: "com.adobe.pdf")
    public static let svg = UTType(known: "public.svg-image"), dng = UTType(known: "com.adobe.raw-image")
    public static let exr = UTType(known: "com.ilm.openexr-image"), jpegxl = UTType(known: "public.jpeg-xl")
    public static let livePhoto = UTType(known: "com.apple.live-photo")
    public static let audiovisualContent = UTType(known: "public.audiovisual-content")
    public static let movie = UTType(known: "public.movie"), video = UTType(known: "public.video")
    public static let audio = UTType(known: "public.audio"), mpeg4Movie = UTType(known: "public.mpeg-4")
    public static let quickTimeMovie = UTType(known: "com.apple.quicktime-movie")
    public static let mp3 = UTType(known: "public.mp3"), zip = UTType(known: "public.zip-archive")
    public static let text = UTType(known: "public.text"), plainText = UTType(known: "public.plain-text")
    public static let utf8PlainText = UTType(known: "public.utf8-plain-text"), html = UTType(known: "public.html")
    public static let xml = UTType(known: "public.xml"), json = UTType(known: "public.json")
    public static let commaSeparatedText = UTType(known: "public.comma-separated-values-text")
    public static let url = UTType(known: "public.url"), fileURL = UTType(known: "public.file-url")
  }
#endif
