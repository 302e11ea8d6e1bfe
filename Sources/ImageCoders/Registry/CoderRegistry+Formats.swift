// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

// What formats are called, in file names and on the web. Plugins and built-in coders bring these names; a coder that an
// application registers has none.
extension CoderRegistry {
  /// The formats that a coder reads, in the order of their identifiers.
  public var readableFormats: [ImageFormat] {
    Self.inOrder(candidatesInOrder().filter(\.canRead).flatMap(\.formats))
  }

  /// The formats that a coder writes, in the order of their identifiers.
  public var writableFormats: [ImageFormat] { Self.inOrder(candidates(writing: nil).flatMap(\.writtenFormats)) }

  /// The format with a file name's extension, or nil if no coder has it.
  ///
  /// - Parameter name: In any case, with or without a dot: `jpg`, `.JPG`.
  public func format(forExtension name: String) -> ImageFormat? {
    catalog.format(named: name.hasPrefix(".") ? String(name.dropFirst()) : name)
  }

  /// The format with a media type, or nil if no coder has it.
  ///
  /// - Parameter type: As in the header `Content-Type`: in any case, and parameters are ignored: `image/png; q=0.9`.
  public func format(forMIMEType type: String) -> ImageFormat? { catalog.format(mimeType: type) }

  /// The registered media type of a format, `image/png`, or nil if no coder has one.
  public func mimeType(of format: ImageFormat) -> String? {
    catalog.formats.first { $0.format == format && !$0.mimeTypes.isEmpty }?.mimeTypes.first
  }

  /// The usual extension of a format's files, without a dot: `jpg`; or nil if no coder has one.
  public func fileExtension(of format: ImageFormat) -> String? {
    catalog.formats.first { $0.format == format && !$0.extensions.isEmpty }?.extensions.first
  }

  /// What people call a format: `PNG`. A format that no plugin has goes by its type identifier.
  public func name(of format: ImageFormat) -> String { catalog.name(of: format) }

  /// Whether what a coder draws depends on the fonts of the machine, as its manifest says.
  ///
  /// - Parameter coder: Its identifier, or nil for none.
  package func readsFonts(_ coder: String?) -> Bool {
    catalog.entries.contains { $0.id == coder && $0.manifest?.needs.contains(.fonts) ?? false }
  }

  private static func inOrder(_ formats: [ImageFormat]) -> [ImageFormat] {
    Set(formats).sorted { $0.rawValue < $1.rawValue }
  }
}
