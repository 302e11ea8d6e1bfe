// SPDX-License-Identifier: Apache-2.0

import HEVCBitstream
import ISOBaseMediaFile
import ImageCoderPlugin

/// A picture as the file makes it: a coded one, or one that is put together from others (ISO/IEC 23008-12 §6.6).
///
/// Sizes, depths and cycles are checked while it is built, so that decoding only follows it.
final class PictureNode {
  let id: UInt32
  let content: Content
  /// The placement of what ``content`` gives, and which part of it is shown how.
  let placement: Placement
  let bits: Int
  let isGray: Bool
  /// The subsampling of the coded pictures, when all have the same.
  let subsampling: Subsampling?
  /// Whether all samples were stored without loss.
  let isLossless: Bool
  /// Code points of the item's own.
  let points: CodingIndependentCodePoints?
  /// Where its color profile lies in the file.
  let profile: Range<Int>?
  /// The picture that says how opaque this one is.
  let alpha: PictureNode?
  let isPremultiplied: Bool
  /// Whether some pixel may be not opaque.
  let hasAlpha: Bool
  /// Pixels that are decoded for it, all parts counted as often as they are used.
  let work: Int
  /// Bytes that decoding its largest part takes.
  let memory: Int

  /// Where the pixels come from.
  enum Content {
    case coded(CodedItem)
    case uncompressed(UncompressedItem)
    /// A whole JPEG file, which the host opens.
    case jpeg(Range<Int>)
    case grid(GridItem, tiles: [PictureNode])
    case overlay(Overlay)
    case identity(PictureNode)
  }

  /// Pictures that lie on a canvas, the last one on top (ISO/IEC 23008-12 §6.6.2.2).
  struct Overlay {
    let background: [UInt16]
    let layers: [(node: PictureNode, place: (x: Int, y: Int))]
  }

  /// - Parameter chain: The items that this one is inside, itself the last.
  init(_ item: Item, in file: HEIFFile, chain: DerivationChain) throws(CoderError) {
    let properties = try file.properties(of: item)
    id = item.id
    let size: Size
    switch item.type {
    case .hvc1:
      // Its bitstream says how it differs from other items (ISO/IEC 23008-12 §6.4.9), which decoding alone makes noise of.
      guard file.meta.references(from: item.id, as: .predictedFrom).isEmpty else {
        throw .unsupported("item \(item.id), which is predicted from other items")
      }
      let coded = try CodedItem(item, properties, in: file)
      content = .coded(coded)
      size = coded.sequence.size
    case .uncompressed:
      let uncompressed = try UncompressedItem(item, properties, in: file)
      content = .uncompressed(uncompressed)
      size = uncompressed.size
    case .jpeg: (content, size) = try Self.jpeg(item, properties, in: file, isInside: chain.isInside)
    default: (content, size) = try Self.derived(item, in: file, chain: chain)
    }
    try file.limits.check(memory: size.pixelCount)
    placement = try Placement(of: size, applying: properties.transformations)

    let parts = content.parts
    var isClear = parts.contains(where: \.hasAlpha)
    switch content {
    case .uncompressed(let uncompressed):
      bits = uncompressed.bits
      isGray = uncompressed.subsampling == .s400
      subsampling = uncompressed.subsampling
      isLossless = isGray || uncompressed.isRGB
      work = size.pixelCount
      memory = uncompressed.memory
      isClear = uncompressed.hasAlpha
    case .jpeg:
      bits = 8
      isGray = properties.depths.count == 1
      subsampling = nil
      isLossless = false
      work = size.pixelCount
      memory = 0
    case .coded(let coded):
      bits = coded.sequence.bitDepth
      isGray = coded.sequence.chromaFormat == .monochrome
      subsampling = coded.sequence.chromaFormat.subsampling
      isLossless = coded.isLossless
      work = coded.sequence.codedSize.pixelCount
      memory = coded.sequence.decodingMemory
    default:
      bits = parts.map(\.bits).max() ?? 8
      // An overlay's background is a color.
      isGray = !content.isOverlay && parts.allSatisfy(\.isGray)
      let kinds = Set(parts.map(\.subsampling))
      subsampling = kinds.count == 1 ? kinds.first ?? nil : nil
      isLossless = parts.allSatisfy(\.isLossless)
      work = parts.reduce(0) { $0 &+ min($1.work, 1 << 40) }
      let isOverlay = content.isOverlay
      let isTurned = parts.contains { $0.placement.orientation != .up || $0.hasAlpha || isOverlay }
      let turned = isTurned ? parts.map { $0.placement.crop.size.pixelCount &* 8 }.max() ?? 0 : 0
      memory = (parts.map(\.memory).max() ?? 0) &+ turned
    }
    try Derivation.check(work: work, for: size)
    points = properties.points ?? parts.first?.points
    profile = properties.profile ?? parts.first?.profile
    // Alpha of the item's own counts before that of another one.
    alpha = isClear && parts.isEmpty ? nil : try Self.alpha(of: item, placement, in: file, chain: chain)
    isPremultiplied = alpha != nil && !file.meta.references(from: item.id, as: .premultiplied).isEmpty
    if case .overlay(let overlay) = content, overlay.background[3] < .max { isClear = true }
    hasAlpha = alpha != nil || isClear
  }

  /// The auxiliary picture that holds alpha samples (ISO/IEC 23008-12 §6.6.2.1.2), when it covers the same pixels.
  private static func alpha(
    of item: Item, _ placement: Placement, in file: HEIFFile, chain: DerivationChain
  ) throws(CoderError) -> PictureNode? {
    for id in file.auxiliaries(of: item.id) {
      guard let auxiliary = file.meta.item(id), !chain.contains(id),
        let type = try? file.properties(of: auxiliary).auxiliaryType, AuxiliaryKind(type) == .alpha
      else { continue }
      let node = try file.node(id, inside: chain)
      if node.placement == placement, !node.content.isOverlay { return node }
    }
    return nil
  }
}

extension PictureNode {
  /// Whether its alpha comes with its colors, row by row.
  var hasAlphaInside: Bool { if case .uncompressed = content { alpha == nil } else { false } }
}

extension PictureNode.Content {
  /// The pictures that it is put together from.
  var parts: [PictureNode] {
    switch self {
    case .coded, .uncompressed, .jpeg: []
    case .grid(_, let tiles): tiles
    case .overlay(let overlay): overlay.layers.map(\.node)
    case .identity(let node): [node]
    }
  }

  var isOverlay: Bool { if case .overlay = self { true } else { false } }
}
