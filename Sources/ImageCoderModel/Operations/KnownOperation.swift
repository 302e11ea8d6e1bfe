// SPDX-License-Identifier: Apache-2.0

/// Operations that mean the same for all coders. `imgcoder/file_operations.h` says what each does.
public enum KnownOperation: String, Sendable, CaseIterable {
  /// The same content in another format.
  case transcode
  /// A block of metadata, as the file has it.
  case readMetadata = "read-metadata"
  /// The same file with other metadata.
  case editMetadata = "edit-metadata"
  /// A part of the picture, turned.
  case turn
  /// The same file with a gain map.
  case attachGainMap = "attach-gain-map"
  /// The same file with the video of a motion photo.
  case attachVideo = "attach-video"
  /// The same file with another picture that belongs to its main one: depth, a matte.
  case attachAuxiliary = "attach-auxiliary"

  /// Its name in ``FileOperation/name``.
  public var name: String { rawValue }

  /// One sentence for lists.
  public var text: String {
    switch self {
    case .transcode: "Write the same content in another format, without loss."
    case .readMetadata: "Take out a block of metadata, as the file has it."
    case .editMetadata: "Take metadata out, or put other metadata in its place."
    case .turn: "Crop, turn and mirror the picture without loss."
    case .attachGainMap: "Put a gain map into the file."
    case .attachVideo: "Put the video of a motion photo into the file."
    case .attachAuxiliary: "Put a picture that belongs to the main one into the file: depth, a matte."
    }
  }
}

extension FileOperation {
  /// The same content in another format.
  public static let transcode = FileOperation(KnownOperation.transcode.name)

  /// A block of metadata, as the file has it.
  public static func readMetadata(_ kind: MetadataBlock) -> FileOperation {
    FileOperation(KnownOperation.readMetadata.name, values: [MetadataBlock.optionName: .word(kind.rawValue)])
  }

  /// The same file with other metadata.
  public static func editMetadata(_ edits: MetadataBlockEdits) -> FileOperation {
    let words = MetadataBlock.allCases.filter { edits.removed.contains($0) }.map(\.rawValue)
    var operation = FileOperation(KnownOperation.editMetadata.name)
    if !words.isEmpty { operation.values[MetadataBlockEdits.drop.name] = .word(words.joined(separator: " ")) }
    for (kind, payload) in edits.payloads { operation.blocks[kind.rawValue] = payload }
    return operation
  }

  /// A part of the picture, turned.
  public static func turn(_ part: TurnedPart) -> FileOperation {
    FileOperation(
      KnownOperation.turn.name,
      values: [
        TurnedPart.orientation.name: .number(Double(part.orientation.rawValue)),
        TurnedPart.x.name: .number(Double(part.rect.x)), TurnedPart.y.name: .number(Double(part.rect.y)),
        TurnedPart.width.name: .number(Double(part.rect.width)),
        TurnedPart.height.name: .number(Double(part.rect.height)),
      ])
  }

  /// The same file with a gain map.
  public static func attachGainMap(_ map: GainMapParts) -> FileOperation {
    var operation = FileOperation(
      KnownOperation.attachGainMap.name, blocks: [GainMapParts.mapName: map.file, GainMapParts.isoName: map.iso])
    operation.blocks[GainMapParts.xmpName] = map.xmp
    operation.blocks[GainMapParts.profileName] = map.alternateProfile
    operation.blocks[GainMapParts.pointsName] = map.alternateColors.map {
      [$0.primaries, $0.transfer, $0.matrix, $0.isFullRange ? 1 : 0]
    }
    return operation
  }

  /// The same file with the video of a motion photo.
  public static func attachVideo(_ video: [UInt8]) -> FileOperation {
    FileOperation(KnownOperation.attachVideo.name, blocks: [KnownOperation.videoName: video])
  }

  /// The same file with another picture that belongs to its main one.
  public static func attachAuxiliary(_ picture: AuxiliaryParts) -> FileOperation {
    var operation = FileOperation(
      KnownOperation.attachAuxiliary.name,
      blocks: [AuxiliaryParts.pictureName: picture.file, AuxiliaryParts.typeName: Array(picture.typeName.utf8)])
    operation.blocks[AuxiliaryParts.xmpName] = picture.xmp
    return operation
  }
}

extension KnownOperation {
  /// The block of ``attachVideo``.
  static let videoName = "video"
}

extension OperationDescription {
  /// Whether the colors of the other rendition are given apart from the map's file.
  package var takesColorsApart: Bool { blocks.contains(GainMapParts.pointsName) }
}

extension [OperationDescription] {
  /// The operation of a name that makes files of one format from files of another. A coder may describe a name more than
  /// once, with other values for other formats.
  package func named(_ name: String, from: ImageFormat, to: ImageFormat) -> OperationDescription? {
    first { $0.name == name && $0.works(from: from, to: to) }
  }

  /// The operation that takes out a block of metadata, or nil if the coder leaves this kind to its reader.
  package func readingMetadata(_ kind: MetadataBlock, of format: ImageFormat) -> FileOperation? {
    let operation = FileOperation.readMetadata(kind)
    return try? named(operation.name, from: format, to: format)?.checked(operation, from: format, to: format)
  }
}

/// What ``KnownOperation/turn`` makes of a picture.
public struct TurnedPart: Sendable, Equatable {
  /// In pixels of the stored picture; a side of 0 reaches to its end.
  public var rect: Rect
  /// How the part is turned: as if it were stored so and made upright.
  public var orientation: Orientation

  /// A part of a picture, and how it is turned.
  public init(_ rect: Rect, orientation: Orientation) {
    self.rect = rect
    self.orientation = orientation
  }

  init(_ operation: FileOperation) {
    rect = Rect(
      x: operation[Self.x], y: operation[Self.y], width: operation[Self.width], height: operation[Self.height])
    orientation = Orientation(rawValue: operation[Self.orientation]) ?? .up
  }

  /// The part of a picture of this size.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` if it is empty or not inside.
  public func rect(in size: Size) throws(CoderError) -> Rect {
    var part = rect
    if part.width == 0 { part.width = max(0, size.width - part.x) }
    if part.height == 0 { part.height = max(0, size.height - part.y) }
    guard !part.isEmpty, part.isInside(size) else {
      throw .invalidArgument("a part of \(part.size) at \(part.x),\(part.y) of a picture of \(size)")
    }
    return part
  }

  static let orientation = CoderOption.integer(
    "orientation", 1...8, default: 1, "How the part is turned, as the orientation of Exif says it.")
  static let x = side("x", "Where the part begins, in pixels from the left.")
  static let y = side("y", "Where the part begins, in pixels from the top.")
  static let width = side("width", "Columns of the part; 0 is all to the right.")
  static let height = side("height", "Rows of the part; 0 is all below.")
  static let table = [orientation, x, y, width, height].map(\.description)

  private static func side(_ name: String, _ text: String) -> CoderOption<Int> {
    .integer(name, 0...Int(UInt32.max), default: 0, text)
  }
}

/// A gain map as files have it.
public struct GainMapParts: Sendable, Equatable {
  /// The map as a file of the same format. Its colors are those of the other rendition, unless they are given apart:
  /// samples of the map have none.
  public var file: [UInt8]
  /// Its metadata as ISO 21496-1 has it.
  public var iso: [UInt8]
  /// The same as an XMP packet of `hdrgm`, or nil.
  public var xmp: [UInt8]?
  /// The colors of the other rendition, or nil where ``file`` says them, or nothing does. Only for coders whose operation
  /// takes them.
  public var alternateColors: CodingIndependentCodePoints?
  /// The profile of those colors, or nil.
  public var alternateProfile: [UInt8]?

  /// Makes parts of a file and what its samples mean.
  public init(file: [UInt8], iso: [UInt8], xmp: [UInt8]?) {
    self.file = file
    self.iso = iso
    self.xmp = xmp
  }

  init(_ operation: FileOperation) throws(CoderError) {
    guard let file = operation.blocks[Self.mapName], let iso = operation.blocks[Self.isoName] else {
      throw .invalidArgument("\(operation.name) needs the blocks \(Self.mapName) and \(Self.isoName)")
    }
    self.init(file: file, iso: iso, xmp: operation.blocks[Self.xmpName])
    alternateProfile = operation.blocks[Self.profileName]
    if let points = operation.blocks[Self.pointsName] {
      guard points.count == 4 else {
        throw .invalidArgument("\(operation.name) with \(points.count) bytes of code points; 4 are needed")
      }
      alternateColors = CodingIndependentCodePoints(
        primaries: points[0], transfer: points[1], matrix: points[2], isFullRange: points[3] != 0)
    }
  }

  static let (mapName, isoName, xmpName) = ("map", "iso", "xmp")
  static let (pointsName, profileName) = ("cicp", "icc")
}

/// A picture that belongs to the main one, as files have it: depth, a matte.
public struct AuxiliaryParts: Sendable, Equatable {
  /// The picture as a file of the same format. Samples of depth and mattes have no colors.
  public var file: [UInt8]
  /// What it is, by the name that files have for it: `urn:mpeg:mpegB:cicp:systems:auxiliary:depth`.
  public var typeName: String
  /// What says more of it, as an XMP packet, or nil.
  public var xmp: [UInt8]?

  /// Makes parts of a file and what its samples are.
  public init(file: [UInt8], typeName: String, xmp: [UInt8]?) {
    (self.file, self.typeName, self.xmp) = (file, typeName, xmp)
  }

  init(_ operation: FileOperation) throws(CoderError) {
    guard let file = operation.blocks[Self.pictureName], let type = operation.blocks[Self.typeName] else {
      throw .invalidArgument("\(operation.name) needs the blocks \(Self.pictureName) and \(Self.typeName)")
    }
    guard (1...Self.longestName).contains(type.count), type.allSatisfy({ (0x20..<0x7F).contains($0) }),
      !type.contains(where: { [0x22, 0x26, 0x3C].contains($0) })
    else { throw .invalidArgument("\(operation.name) with \(type.count) bytes that are no name of a kind of picture") }
    self.init(file: file, typeName: String(decoding: type, as: UTF8.self), xmp: operation.blocks[Self.xmpName])
  }

  static let (pictureName, typeName, xmpName) = ("picture", "type", "xmp")
  private static let longestName = 128
}
