// SPDX-License-Identifier: Apache-2.0

import CAVIF
import ISOBaseMediaFile
import ImageCoderPlugin

/// A small picture of the primary item that the file has beside it (ISO/IEC 23008-12 §6.4.4).
struct EmbeddedThumbnail {
  let size: Size
  private let item: UInt32

  /// Finds the largest thumbnail that shows the whole picture in the same way: same sides' ratio, same transformations,
  /// same colors, and no alpha that would be missing.
  init?(in file: AVIFFile, of image: avifImage, presentation: Presentation, hasAlpha: Bool) {
    let full = Size(width: Int(image.width), height: Int(image.height))
    guard !file.isSequence, let items = file.items, !items.thumbnails.isEmpty, !hasAlpha,
      presentation.crop.size == full
    else { return nil }
    let shared = Self.signature(of: items.primary, items, file.bytes)
    var best: (item: UInt32, size: Size)?
    for candidate in items.thumbnails.prefix(Self.maxCandidates) where items.type(of: candidate) == .av01 {
      guard let size = items.size(of: candidate, in: file.bytes), !size.isEmpty, size.width <= full.width,
        size.height <= full.height, size.pixelCount > best?.size.pixelCount ?? 0,
        Self.hasSameShape(size, full), Self.signature(of: candidate, items, file.bytes) == shared
      else { continue }
      best = (candidate, size)
    }
    guard let best else { return nil }
    (item, size) = (best.item, best.size)
  }

  private static let maxCandidates = 8

  func covers(_ wanted: Size) -> Bool { wanted.width <= size.width && wanted.height <= size.height }

  /// A decoder that takes the thumbnail for the primary item and has decoded it, waiting for its bytes.
  ///
  /// - Returns: Nil for a thumbnail that is damaged or cut, or smaller than the container says.
  /// - Throws: What is not the file's fault, such as ``CoderError/Code/cancelled``.
  func decoded(from file: AVIFFile, host: CoderHost) throws(CoderError) -> PictureDecoder? {
    do throws(CoderError) {
      let shown = try file.showing(item)
      let decoder = try PictureDecoder(
        shown, source: AVIF_DECODER_SOURCE_PRIMARY_ITEM, patches: shown.itemPatches(), in: shown.items?.box, host: host)
      var rows = try decoder.decode(frame: 0, host: host)
      while rows < Int(decoder.image.height) {
        guard try decoder.waitForMissing() else { return nil }
        rows = try decoder.decode(frame: 0, host: host)
      }
      let image = decoder.image
      return Int(image.width) >= size.width && Int(image.height) >= size.height ? decoder : nil
    } catch {
      guard error.code.group != .environment || error.code == .libraryFailure else { throw error }
      return nil
    }
  }

  /// Sides are rounded when a picture is made smaller: each may be off by one.
  private static func hasSameShape(_ size: Size, _ full: Size) -> Bool {
    abs(size.width * full.height - size.height * full.width) <= max(full.width, full.height)
  }

  /// The bytes of the properties that decide how an item looks: colors, depth, channels, transformations.
  private static func signature(of item: UInt32, _ items: ItemTable, _ bytes: FileBytes) -> [[UInt8]] {
    let boxes = items.properties(of: item).filter {
      [.color, .pixelInformation, .rotation, .mirror].contains($0.type)
    }
    return boxes.map { Array(bytes.raw[$0.start..<min($0.end, bytes.count)]) }.sorted {
      $0.lexicographicallyPrecedes($1)
    }
  }
}
