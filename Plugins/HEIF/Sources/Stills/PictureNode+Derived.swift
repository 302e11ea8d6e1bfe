// SPDX-License-Identifier: Apache-2.0

import HEVCBitstream
import ISOBaseMediaFile
import ImageCoderPlugin

extension PictureNode {
  /// A JPEG file inside the file (ISO/IEC 23008-12 Annex H). The host shows it as that file says.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for one that another coder would not show as this file says: in pieces,
  ///   with tables beside it, turned or cropped, with alpha, or a part of another picture.
  static func jpeg(
    _ item: Item, _ properties: ItemProperties, in file: HEIFFile, isInside: Bool
  ) throws(CoderError) -> (content: Content, size: Size) {
    guard !isInside else { throw .unsupported("the JPEG item \(item.id) as a part of another picture") }
    guard let size = properties.size, !size.isEmpty else { throw .malformed("the JPEG item \(item.id) without a size") }
    guard !properties.hasTables else { throw .unsupported("the JPEG item \(item.id), whose tables lie beside it") }
    guard properties.transformations.isEmpty else {
      throw .unsupported("the JPEG item \(item.id), which is turned or cropped")
    }
    for auxiliary in file.auxiliaries(of: item.id) {
      guard let found = file.meta.item(auxiliary), let type = try file.properties(of: found).auxiliaryType,
        AuxiliaryKind(type) == .alpha
      else { continue }
      throw .unsupported("the JPEG item \(item.id) with alpha")
    }
    guard item.construction == .file, item.extents.count == 1, let extent = file.meta.extents[item.extents].first,
      extent.length > 0, let start = Int(exactly: item.base &+ extent.offset), item.base <= UInt64(Int.max),
      let length = Int(exactly: extent.length), start <= Int.max - length
    else { throw .unsupported("the JPEG item \(item.id) in pieces") }
    return (.jpeg(start..<start + length), size)
  }

  /// A picture that is put together from others (ISO/IEC 23008-12 §6.6).
  static func derived(
    _ item: Item, in file: HEIFFile, chain: DerivationChain
  ) throws(CoderError) -> (content: Content, size: Size) {
    let inputs = file.meta.references(from: item.id, as: .derivedFrom)
    let derivation = try Derivation(of: item, inputs: inputs.count, limits: file.limits) {
      () throws(CoderError) in try file.bytes(of: item)
    }
    var parts: [PictureNode] = []
    parts.reserveCapacity(inputs.count)
    for input in inputs { parts.append(try file.node(input, inside: chain)) }
    let layout = try derivation.layout(of: parts.map(\.placement.shown))
    switch derivation {
    case .identity: return (.identity(parts[0]), layout.canvas)
    case .grid(let grid): return (.grid(grid, tiles: parts), layout.canvas)
    case .overlay(let overlay):
      let layers = zip(parts, layout.places).map { (node: $0, place: $1) }
      return (.overlay(Overlay(background: overlay.background, layers: layers)), layout.canvas)
    }
  }
}

/// An item that is one HEVC picture (ISO/IEC 23008-12 Annex B).
final class CodedItem: Sendable {
  let item: Item
  let configuration: HEVCConfiguration
  let sequence: SequenceParameters
  /// Code points of the item's own.
  let points: CodingIndependentCodePoints?

  init(_ item: Item, _ properties: ItemProperties, in file: HEIFFile) throws(CoderError) {
    guard let box = properties.configuration else {
      throw .malformed("item \(item.id) of HEVC without a configuration")
    }
    var configuration = try file.configuration(in: box)
    if !configuration.isComplete {
      // Parameter sets may stand before the picture instead (ISO/IEC 14496-15 §8.3.2).
      let bytes = try file.bytes(of: item)
      try bytes.withBytes { payload throws(CoderError) in
        try configuration.add(from: payload.bytes, isCut: bytes.isCut, at: bytes.offset)
      }
      guard configuration.isComplete || !bytes.isCut else {
        throw .truncated("item \(item.id) ends before its parameter sets", at: bytes.offset)
      }
    }
    self.item = item
    points = properties.points
    sequence = try configuration.sequence()
    self.configuration = configuration
    try Self.checkPlausible(sequence, in: item, of: file)
    // The window may be far smaller than what is decoded.
    try file.limits.check(memory: sequence.decodingMemory)
    try sequence.checkCodedSize()
  }

  /// Each block of an intra picture takes a bit at least: the mode by which its samples are predicted has one that is
  /// not compressed, and so has what is not predicted (ITU-T H.265 §7.3.8.5). Pictures of fewer bytes are refused before
  /// memory is taken for them.
  ///
  /// - Throws: ``CoderError/Code/malformed``.
  private static func checkPlausible(
    _ sequence: SequenceParameters, in item: Item, of file: HEIFFile
  ) throws(CoderError) {
    let side = sequence.blockSide
    let size = sequence.codedSize
    let blocks = ((size.width + side - 1) / side) * ((size.height + side - 1) / side)
    var stated = 0
    for extent in file.meta.extents[item.extents] {
      // A length of 0 reaches to the end.
      guard extent.length > 0 else {
        guard !file.isIncremental else { return }
        stated += file.contents.end
        continue
      }
      stated += Int(min(extent.length, 1 << 40))
    }
    guard stated >= blocks / 8 else {
      throw .malformed("item \(item.id) is \(size) in \(stated) bytes, and its \(blocks) blocks take a bit each")
    }
  }

  /// Whether samples were stored without loss, as far as the parameter sets tell.
  var isLossless: Bool {
    let isExact = sequence.chromaFormat == .monochrome || (sequence.chromaFormat == .full && points?.matrix == 0)
    return configuration.allowsBypass && isExact
  }
}

extension SequenceParameters {
  /// Bytes that libde265 takes while it decodes a still picture, an estimate from above.
  var decodingMemory: Int {
    let sample = bitDepth > 8 ? 2 : 1
    let pixels = codedSize.pixelCount
    let planes = chromaFormat == .monochrome ? 1 : chromaFormat == .half ? 2 : 3
    // The picture, its copy for sample adaptive offset, and what is kept for each block of 4 × 4 and 8 × 8.
    return (1 << 20) &+ pixels &* (2 &* planes &* sample &+ 3)
  }
}
