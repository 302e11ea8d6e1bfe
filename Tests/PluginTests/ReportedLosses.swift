// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoderModel
import ImageCoders
import TestSupport

/// What was reported to be lost, stale or wrong in other programs between November 2024 and November 2026, as small files.
struct ReportedLoss: Sendable {
  /// The project and the number of the report.
  let report: String
  /// What is right.
  let claim: String
  let isRight: @Sendable () throws -> Bool

  init(_ report: String, _ claim: String, _ isRight: @escaping @Sendable () throws -> Bool) {
    (self.report, self.claim, self.isRight) = (report, claim, isRight)
  }

  static let registry = EncodingPictures.registry
  static let size = Size(width: 64, height: 48)
  /// ISO/IEC 14496-12: a file type box of 16 bytes, and media of 12.
  static let video: [UInt8] =
    [0, 0, 0, 16] + Array("ftypmp42".utf8) + [0, 0, 0, 0, 0, 0, 0, 12] + Array("mdat".utf8) + [1, 2, 3, 4]

  // MARK: Sources

  static func fixture(_ name: String, of folder: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(StagedTree.fixtures(folder))/valid/\(name)")))
  }

  /// A photo with properties: Exif and XMP by their names.
  static func photo(_ values: [String: String] = [:], change: (inout Image) -> Void = { _ in }) throws -> Image {
    var image = Image(try EncodingPictures.photo(size))
    var edit = MetadataEdit()
    for (name, value) in values { try edit.set(name, to: value) }
    let blocks = try edit.blocks(orientation: .up) { (_) throws(CoderError) in nil }
    image.metadata[.exif] = blocks.payloads[.exif]
    image.metadata[.xmp] = blocks.payloads[.xmp]
    change(&image)
    return image
  }

  /// A photo that is stored on its side, in a file that says so.
  static func turned(_ format: ImageFormat) throws -> [UInt8] {
    var options = EncodeOptions()
    options.preservesOrientation = true
    let image = try photo(["Orientation": "6"]) { $0.orientation = .right }
    return try registry.encode(image, as: format, options: options)
  }

  static func animation(_ delays: [Int], plays: LoopCount, as format: ImageFormat, same: Bool = false) throws -> [UInt8]
  {
    let frames = try delays.enumerated().map { index, delay in
      Frame(pixels: try EncodingPictures.walk(same ? index / 2 : index), delay: .milliseconds(UInt32(delay)))
    }
    var image = Image(frames: frames, loopCount: plays)
    image.loopCount = plays
    var options = format == .gif ? EncodeOptions() : EncodingPictures.lossless
    options.optimizesFrames = !same
    return try registry.encode(image, as: format, options: options)
  }

  static func motionPhoto(_ format: ImageFormat = .jpeg) throws -> [UInt8] {
    var edit = MetadataEdit()
    edit.video = video
    return try registry.editMetadata(.bytes(try registry.encode(try photo(), as: format)), edit).bytes
  }

  /// A JPEG with a gain map of half its sides.
  static func ultraHDR() throws -> [UInt8] {
    let source = try fixture("gain-map.avif", of: "avif")
    return try registry.convert(.bytes(source), to: .jpeg, at: .memory, options: EncodeOptions(quality: 0.9)).bytes
  }

  // MARK: Results

  static func made(
    _ file: [UInt8], _ format: ImageFormat, _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> EncodedFile {
    var options = EncodeOptions()
    options.allowsCopy = false
    change(&options)
    return try registry.convert(.bytes(file), to: format, at: .memory, options: options)
  }

  static func converted(
    _ file: [UInt8], _ format: ImageFormat, _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> ImageDecoder {
    try registry.open(.bytes(try made(file, format, change).bytes))
  }

  static func edited(_ file: [UInt8], _ edit: MetadataEdit) throws -> ImageDecoder {
    try registry.open(.bytes(try registry.editMetadata(.bytes(file), edit).bytes))
  }

  static func setting(_ name: String, _ value: String, of file: [UInt8]) throws -> ImageDecoder {
    var edit = MetadataEdit()
    try edit.set(name, to: value)
    return try edited(file, edit)
  }

  static func hasMap(_ decoder: ImageDecoder) throws -> Bool {
    try decoder.auxiliaryPictures().contains { $0.kind == .gainMap }
  }

  static func delays(_ decoder: ImageDecoder) throws -> [Double] {
    try (0..<decoder.frameCount).map { try (decoder.frameHeader(at: $0).delay ?? .zero).seconds }
  }

  static func kept(_ name: String, _ value: String, from source: ImageFormat, to target: ImageFormat) throws -> Bool {
    let file = try registry.encode(try photo([name: value]), as: source)
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    let dictionary = name.contains(":") ? "{XMP}" : parts.count == 2 ? "{\(parts[0])}" : "{TIFF}"
    return try converted(file, target).properties()[dictionary, parts.last ?? name] == .text(value)
  }
}
