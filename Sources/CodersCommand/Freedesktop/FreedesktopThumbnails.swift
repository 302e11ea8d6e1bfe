// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoderEngine
package import ImageCoderModel
package import ImageCoders

/// The thumbnails that file managers and viewers share (freedesktop.org, Thumbnail Managing Standard 0.9).
///
///     if let thumbnails = FreedesktopThumbnails.standard {
///       let made = try thumbnails.thumbnail(of: "/home/jens/photos/me.png", .large, registry)
///       print(made.path)
///     }
///
/// - Threads: Any, and any number of processes: a thumbnail appears whole or not at all.
package struct FreedesktopThumbnails: Sendable {
  /// A size of thumbnails.
  package enum Size: Int, Sendable, CaseIterable {
    /// 128×128 pixels at most.
    case normal = 128
    /// 256×256 pixels at most.
    case large = 256
    /// 512×512 pixels at most.
    case xLarge = 512
    /// 1024×1024 pixels at most.
    case xxLarge = 1024

    /// The name of its folder: normal, large, x-large, xx-large.
    package var name: String {
      switch self {
      case .normal: "normal"
      case .large: "large"
      case .xLarge: "x-large"
      case .xxLarge: "xx-large"
      }
    }

    /// The smallest size with so many pixels on its longest side, or the largest one.
    package init(pixels: Int) { self = Self.allCases.first { $0.rawValue >= pixels } ?? .xxLarge }
  }

  /// A thumbnail that is there now.
  package struct Thumbnail: Sendable, Equatable {
    /// Its file.
    package let path: String
    /// The bytes of its file if it was made now, else 0.
    package let byteCount: Int
    /// Whether it was made now; otherwise it was found, and nothing was decoded.
    package let isNew: Bool
  }

  /// The folder of all sizes.
  package let folder: String

  /// The folder under `fail` in which this version notes what it cannot make a thumbnail of.
  static let failureName = "coders-1.0.0"
  /// Larger files are no thumbnails.
  private static let maxBytes = 16 << 20

  /// Uses a folder, which is made when it is needed.
  package init(folder: String) { self.folder = folder }

  /// Those of the user: `$XDG_CACHE_HOME/thumbnails`, or `~/.cache/thumbnails`; nil for a user without a home.
  package static var standard: FreedesktopThumbnails? { standard(environment: PluginSearchPath.secureEnvironment) }

  package static func standard(environment: (String) -> String?) -> FreedesktopThumbnails? {
    if let cache = environment("XDG_CACHE_HOME"), cache.hasPrefix("/") {
      return FreedesktopThumbnails(folder: "\(cache)/thumbnails")
    }
    guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
    return FreedesktopThumbnails(folder: "\(home)/.cache/thumbnails")
  }

  // MARK: Names

  /// The URI of a file, spelled as GLib spells it.
  ///
  /// - Parameter path: Absolute.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a path that is not.
  package static func uri(of path: String) throws(CoderError) -> String {
    guard let uri = FileURI.text(path) else { throw .invalidArgument("the path \(path) is not absolute") }
    return uri
  }

  /// Where the thumbnail of a file is, or would be.
  ///
  /// - Parameter path: Absolute.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a path that is not.
  package func path(of path: String, _ size: Size) throws(CoderError) -> String {
    "\(folder)/\(size.name)/\(Self.digest(of: try Self.uri(of: path))).png"
  }

  private func failurePath(_ uri: String) -> String {
    "\(folder)/fail/\(Self.failureName)/\(Self.digest(of: uri)).png"
  }

  /// The MD5 digest of a URI, by which thumbnails are named, in 32 hexadecimal digits.
  package static func digest(of uri: String) -> String {
    MD5Digest.bytes(of: ArraySlice(uri.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  // MARK: Finding

  /// The valid thumbnail of a file: one that names the file and the second in which it was last changed.
  ///
  /// - Parameter path: Absolute.
  /// - Returns: Its path, or nil if there is none.
  /// - Throws: ``CoderError/Code/io`` if the file cannot be seen; ``CoderError/Code/invalidArgument``.
  package func find(_ path: String, _ size: Size) throws(CoderError) -> String? {
    let found = try self.path(of: path, size)
    return isValid(found, try Self.uri(of: path), try Original(path)) ? found : nil
  }

  private func isValid(_ thumbnail: String, _ uri: String, _ original: Original) -> Bool {
    do throws(CoderError) {
      let file = try OpenSource(.file(thumbnail), limits: .standard)
      guard file.size <= Self.maxBytes else { return false }
      let texts = try PNGText.texts([UInt8](try file.view(at: 0, count: file.size)))
      return texts["Thumb::URI"] == uri && texts["Thumb::MTime"] == "\(original.modified)"
        && texts["Thumb::Size"].map { $0 == "\(original.bytes)" } ?? true
    } catch {
      // None, or one that somebody else has to make again.
      return false
    }
  }

  // MARK: Making

  /// The thumbnail of a file: the one that is there, or a new one.
  ///
  /// - Parameters:
  ///   - path: Absolute.
  ///   - options: Limits, policy and cancellation; the size and the colors of the thumbnail are set here.
  /// - Throws: What decoding throws; for a file that cannot be decoded that is noted, and the next call throws
  ///   ``CoderError/Code/unsupported`` until the file changes. ``CoderError/Code/io`` if nothing can be stored.
  package func thumbnail(
    of path: String, _ size: Size, _ registry: CoderRegistry, options: DecodeOptions = DecodeOptions()
  ) throws(CoderError) -> Thumbnail {
    let uri = try Self.uri(of: path)
    let original = try Original(path)
    let stored = try self.path(of: path, size)
    if isValid(stored, uri, original) { return Thumbnail(path: stored, byteCount: 0, isNew: false) }
    guard !isValid(failurePath(uri), uri, original) else {
      throw .unsupported("an earlier attempt to make a thumbnail of it failed")
    }
    guard !uri.hasPrefix("\(FileURI.text(folder) ?? "-")/") else {
      throw .unsupported("it is a thumbnail itself")
    }
    let bytes: [UInt8]
    do throws(CoderError) {
      bytes = try Self.file(of: path, size.rawValue, uri, original, registry, options)
    } catch {
      if Self.isFaultOfFile(error) {
        try noteFailure(uri, original, registry)
      }
      throw error
    }
    try PrivateFile.write(bytes, to: stored)
    return Thumbnail(path: stored, byteCount: bytes.count, isNew: true)
  }

  /// A thumbnail as the bytes of a file, which is stored nowhere.
  ///
  /// - Parameters:
  ///   - side: The most pixels of a side.
  ///   - uri: What it names as its picture, or nil for the URI of the path.
  /// - Throws: What decoding throws.
  package static func bytes(
    of path: String, side: Int, uri: String? = nil, _ registry: CoderRegistry, options: DecodeOptions = DecodeOptions()
  ) throws(CoderError) -> [UInt8] {
    let named: String
    if let uri { named = uri } else { named = try Self.uri(of: path) }
    return try file(of: path, side, named, try Original(path), registry, options)
  }

  private static func file(
    of path: String, _ side: Int, _ uri: String, _ original: Original, _ registry: CoderRegistry,
    _ options: DecodeOptions
  ) throws(CoderError) -> [UInt8] {
    var options = options
    options.size = .fitting(ImageCoderModel.Size(width: side, height: side))
    options.firstFrameOnly = true
    options.appliesOrientation = true
    options.color = .convert(to: .sRGB)
    options.pixelFormat = .rgba8
    options.metadata = []
    let image = try registry.decode(.file(path), options: options)
    var texts = [
      ("Thumb::URI", uri), ("Thumb::MTime", "\(original.modified)"), ("Thumb::Size", "\(original.bytes)"),
    ]
    if let header = image.header {
      texts.append(("Thumb::Image::Width", "\(header.displayedSize.width)"))
      texts.append(("Thumb::Image::Height", "\(header.displayedSize.height)"))
      if let type = registry.mediaType(of: header.format) { texts.append(("Thumb::Mimetype", type)) }
    }
    texts.append(("Software", "ImageCoders"))
    return try PNGText.adding(texts, to: try png(image, registry))
  }

  private static func png(_ image: Image, _ registry: CoderRegistry) throws(CoderError) -> [UInt8] {
    var options = EncodeOptions()
    options.writesSRGBProfile = false
    options.metadata = []
    // 8 bits each, not interlaced.
    options.values = ["palette": .word("never"), "progressive": .boolean(false)]
    return try registry.encode(image, as: .png, options: options)
  }

  private static func isFaultOfFile(_ error: CoderError) -> Bool {
    [.wrongFormat, .truncated, .malformed, .checksumMismatch, .unsupported, .limitExceeded].contains(error.code)
  }

  private func noteFailure(
    _ uri: String, _ original: Original, _ registry: CoderRegistry
  ) throws(CoderError) {
    let pixel = try PixelBuffer(size: ImageCoderModel.Size(width: 1, height: 1), format: .rgba8, alpha: .straight)
    let texts = [("Thumb::URI", uri), ("Thumb::MTime", "\(original.modified)"), ("Thumb::Size", "\(original.bytes)")]
    try PrivateFile.write(
      try PNGText.adding(texts, to: try Self.png(Image(pixel), registry)), to: failurePath(uri))
  }

  /// What a thumbnail says of its picture's file.
  private struct Original {
    /// Seconds since 1970.
    let modified: Int
    let bytes: Int

    init(_ path: String) throws(CoderError) {
      var status = stat()
      guard path.withSystemName({ stat($0, &status) }) == 0 else {
        throw CoderError.io(String(cString: strerror(errno)).lowercased()).annotated(file: path)
      }
      modified = status.st_mtim.tv_sec
      bytes = Int(status.st_size)
    }
  }
}

extension CoderRegistry {
  /// The first media type of a format, as the manifests of its coders have it.
  fileprivate func mediaType(of format: ImageFormat) -> String? {
    for manifest in catalog.entries.compactMap(\.manifest) {
      for known in manifest.formats where known.format == format {
        if let type = known.mimeTypes.first { return type }
      }
    }
    return nil
  }
}
