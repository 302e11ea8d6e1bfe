// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// What is decoded where `part` of ``DecodeOptions`` asks for a part of a picture.
public enum PartLayout: Sendable, Equatable {
  /// The tiles of this size that the part touches.
  case tiles(Size)
  /// Rows, from the top or in strips, and those below the part are not.
  case rows
  /// All of the picture.
  case whole
  /// The part alone, as of a drawing.
  case drawn
}

extension ImageDecoder {
  /// What a part of the page costs, as the reader offers it and its properties say. No pixels are decoded.
  ///
  /// - Throws: What the reader throws.
  public func partLayout() throws(CoderError) -> PartLayout {
    guard !header.isScalable else { return .drawn }
    guard header.embedded == nil, !header.isAnimated else { return .whole }
    return try attributing { () throws(CoderError) in
      let canvas = header.canvas
      let middle = Rect(x: canvas.width / 2, y: canvas.height / 2, width: 1, height: 1)
      let offer = try reader.offer(for: DecodeRequest(page: page, part: middle))
      if let tile = try reader.properties(page: page, frame: nil).tileSize, offer.part.size != canvas {
        return tile.width >= canvas.width && tile.height >= canvas.height ? .whole : .tiles(tile)
      }
      guard !header.isProgressive else { return .whole }
      // Strips come in any order and are as wide as the picture.
      let isStrip = offer.part.width == canvas.width && offer.part.height < canvas.height
      return offer.rowOrder == .topDown || isStrip ? .rows : .whole
    }
  }
}

extension Properties {
  /// The size of tiles, as TIFF, HEIF, AVIF, JPEG 2000 and OpenEXR have it in their dictionaries.
  fileprivate var tileSize: Size? {
    for case (_, .dictionary(let own)) in sorted {
      var sides = [own["TileWidth"], own["TileHeight"] ?? own["TileLength"]]
      if case .list(let both)? = own["TileSize"] { sides = both }
      let numbers = sides.compactMap { $0?.integer }.compactMap { Int(exactly: $0) }
      if numbers.count == 2, numbers.allSatisfy({ $0 > 0 }) { return Size(width: numbers[0], height: numbers[1]) }
    }
    return nil
  }
}
