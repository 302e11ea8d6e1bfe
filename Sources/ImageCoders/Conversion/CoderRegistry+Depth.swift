// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

// Depth that is a channel of the picture, and encoded with it: the operation that puts it into a file has options of the
// writer, and takes a file of which every sample is kept.
extension CoderRegistry {
  private static let lossless = "lossless"

  /// Whether files of a format have depth as a channel of their picture.
  func encodesDepth(in format: ImageFormat) -> Bool { optionsOfDepth(in: format).contains { $0.name == Self.lossless } }

  private func optionsOfDepth(in format: ImageFormat) -> [OptionDescription] {
    operations(for: format).first { $0.operation.name == KnownOperation.attachAuxiliary.name }?.operation.options ?? []
  }

  /// The options of a file that depth is put into before it is encoded as it was asked for.
  func beforeDepth(_ options: EncodeOptions) -> EncodeOptions {
    var first = options
    first.keepsSamples = true
    // The least effort: the file is read once, and gone.
    first.values = ["effort": .number(1)]
    first.progress = nil
    return first
  }

  /// What the options say of how the picture is encoded.
  func valuesOfDepth(_ options: EncodeOptions, in format: ImageFormat) -> [String: OptionValue] {
    let names = Set(optionsOfDepth(in: format).map(\.name))
    var values = options.values.filter { names.contains($0.key) }
    values[Self.lossless] = .boolean(options.isLossless)
    return values
  }

  /// Whether a packet beside depth says more than that it is depth.
  private static func saysMore(_ packet: [UInt8]) -> Bool {
    guard case .dictionary(let values)? = XMPProperties.read(packet)["{XMP}"] else { return true }
    return values.sorted.contains { !$0.0.hasSuffix("AuxiliaryImageType") }
  }

  /// A file with depth, which the options describe.
  ///
  /// - Parameter first: The same without depth and without loss.
  /// - Throws: What the coder throws; there is no other way to the picture.
  func encoding(
    _ depth: CarriedAuxiliary, of picture: Size, in first: EncodedFile, _ options: EncodeOptions
  ) throws(CoderError) -> EncodedFile {
    var depth = depth
    var file = first
    let hadPacket = depth.xmp.map(Self.saysMore) ?? false
    depth.xmp = nil
    let own = depth.image.pixels.size
    file.bytes = try attached(depth, of: picture, to: first.bytes, format: first.format, options)
    file.byteCount = file.bytes.count
    file.quality = options.quality
    try options.limits.check(memory: file.byteCount)
    if own != picture {
      file.changes.append(
        FactChange(.auxiliaries, .changed, because: "depth of \(own) is stored in the size of the picture"))
    }
    if hadPacket {
      file.changes.append(
        FactChange(.auxiliaries, .changed, because: "what XMP says of the depth has no place in \(first.format)"))
    }
    return file
  }
}
