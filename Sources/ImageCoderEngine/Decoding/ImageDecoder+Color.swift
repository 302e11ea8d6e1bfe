// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

extension ImageDecoder {
  /// The colors of the page in words, and what states them: "Display P3, ICC", "BT.2100 PQ, CICP", "sRGB, untagged".
  public var colorDescription: String {
    var read = header
    read.format = readFormat
    return Self.color(of: read, page: page, file).words
  }

  /// Whether the options leave every sample, and what the file says of it, as the file has it.
  package var keepsColors: Bool { colors.keepsFile }

  /// The colors that a page's header and metadata state. What cannot be read states nothing.
  static func color(of header: ImageHeader, page: Int, _ file: OpenFile) -> PictureColor {
    func payload(_ kind: MetadataKind) -> [UInt8]? {
      guard header.metadata.contains(kind) else { return nil }
      guard let payload = (try? file.reader.metadata(kind, page: page)) ?? nil,
        payload.count <= file.session.limits.maxMetadata
      else { return nil }
      return payload
    }
    var statements = PictureColor.Statements()
    statements.profile = payload(.icc)
    statements.stored = storedColor(page: page, file)
    if statements.profile == nil, PictureColor.usesExif(header) { statements.exif = payload(.exif) }
    if header.format == .png, header.cicp == nil {
      statements.properties = (try? file.reader.properties(page: page, frame: nil)) ?? Properties()
    }
    return PictureColor(header, statements)
  }

  /// What the page's reader says of colors beside the header. What cannot be read states nothing.
  private static func storedColor(page: Int, _ file: OpenFile) -> StoredColor {
    (try? file.reader.storedColor(page: page)) ?? StoredColor()
  }

  /// What the page says of its colors beside the header and its metadata: primaries, curves and light levels.
  public var storedColor: StoredColor { Self.storedColor(page: page, file) }

  static func colors(
    _ header: ImageHeader, page: Int, _ file: OpenFile, _ options: DecodeOptions
  ) throws(CoderError) -> ColorPlan {
    let warn = { (message: String) in options.log?(.warning, message) }
    guard case .convert(let conversion) = options.color else {
      guard options.linearLight else { return .asStored }
      let picture = color(of: header, page: page, file)
      return try ColorPlan.asStored.resamplingLight(
        nil, of: picture, isAnimated: header.isAnimated, warn: { warn($0) })
    }
    let picture = color(of: header, page: page, file)
    let plan = try ColorPlan(conversion, of: picture, isAnimated: header.isAnimated, warn: { warn($0) })
    guard options.linearLight else { return plan }
    return try plan.resamplingLight(
      conversion, of: picture, isAnimated: header.isAnimated, warn: { warn($0) })
  }
}
