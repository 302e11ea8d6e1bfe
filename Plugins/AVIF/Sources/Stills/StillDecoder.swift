// SPDX-License-Identifier: Apache-2.0

import CAVIF
import CDav1d
import ISOBaseMediaFile
import ImageCoderPlugin

/// Decodes the planes of a still with dav1d alone: on huge pages, and tiles side by side on several threads.
///
/// libavif has read the boxes before, and decodes whatever is not as expected here: it has the error. It gives the same
/// samples, but takes new memory for each tile, and goes through all of them once more to put a grid together.
final class StillDecoder {
  private let file: AVIFFile
  private let host: CoderHost
  private let size: Size
  private let color: Layer
  private let alpha: Layer?
  /// Whether libavif has to decode the picture.
  var isGivenUp = false
  /// Where the first bytes of an incomplete file end that are missing.
  private var missing: Int?

  /// One item, or tiles in rows and columns.
  private final class Layer {
    /// Where the bytes of each tile lie in the file.
    let tiles: [Range<Int>]
    let columns: Int
    let tile: Size
    let shape: StillPlanes.Shape
    let isAlpha: Bool
    /// What is decoded: all, or what a part of the picture touches.
    private(set) var shown: GridPart
    var planes: StillPlanes?
    /// The colors of the first tile; all have the same.
    var colors: AV1Picture.Colors?
    /// The line of tiles that is decoded next.
    var nextLine = 0

    init(tiles: [Range<Int>], columns: Int, tile: Size, shape: StillPlanes.Shape, isAlpha: Bool) {
      (self.tiles, self.columns, self.tile, self.shape, self.isAlpha) = (tiles, columns, tile, shape, isAlpha)
      shown = GridPart(columns: 0..<columns, lines: 0..<(tiles.count / columns))
    }

    var all: GridPart { GridPart(columns: 0..<columns, lines: 0..<(tiles.count / columns)) }
    var rows: Int { (nextLine - shown.lines.lowerBound) * tile.height }

    func show(_ part: GridPart) {
      guard part != shown else { return }
      shown = part
      (planes, colors, nextLine) = (nil, nil, part.lines.lowerBound)
    }

    /// Where the bytes of tiles lie that are shown in some lines.
    func places(_ lines: Range<Int>) -> [Range<Int>] {
      lines.flatMap { line in shown.columns.map { tiles[line * columns + $0] } }
    }
  }

  /// Lines of tiles are decoded together until there are so many, which keep a few threads busy.
  private static let batch = 16

  /// - Parameters:
  ///   - image: What libavif tells of the picture.
  ///   - hasAlpha: Of the whole, not of tiles.
  /// - Returns: nil for what is left to libavif: sequences, layers, and items in pieces or cut.
  init?(_ file: AVIFFile, _ image: avifImage, hasAlpha: Bool, host: CoderHost) {
    guard !file.isSequence, let items = file.items else { return nil }
    self.file = file
    self.host = host
    size = Size(width: Int(image.width), height: Int(image.height))
    let shape = StillPlanes.Shape(colorsOf: image)
    guard let color = Self.layer(of: items.primary, size: size, shape, isAlpha: false, items, file) else { return nil }
    self.color = color
    let gray = StillPlanes.Shape(bits: shape.bits, layout: DAV1D_PIXEL_LAYOUT_I400)
    if let tiles = file.tileAlpha {
      alpha = Self.layer(ofTiles: tiles, columns: color.columns, size: size, gray, isAlpha: true, items, file)
    } else {
      let found = hasAlpha ? file.alphaItems : []
      alpha = found.count == 1 ? Self.layer(of: found[0], size: size, gray, isAlpha: true, items, file) : nil
    }
    guard alpha != nil || !hasAlpha && file.tileAlpha == nil else { return nil }
  }

  private static func layer(
    of item: UInt32, size: Size, _ shape: StillPlanes.Shape, isAlpha: Bool, _ items: ItemTable, _ file: AVIFFile
  ) -> Layer? {
    guard let found = items.meta.item(item) else { return nil }
    switch found.type {
    case .av01: return layer(ofTiles: [item], columns: 1, size: size, shape, isAlpha: isAlpha, items, file)
    case .grid:
      let tiles = items.sources(of: item)
      guard let grid = try? ItemBytes(of: found, in: items.meta, file.bytes).grid(), grid.canvas == size,
        tiles.count == grid.rows * grid.columns
      else { return nil }
      return layer(ofTiles: tiles, columns: grid.columns, size: size, shape, isAlpha: isAlpha, items, file)
    default: return nil
    }
  }

  private static func layer(
    ofTiles tiles: [UInt32], columns: Int, size: Size, _ shape: StillPlanes.Shape, isAlpha: Bool, _ items: ItemTable,
    _ file: AVIFFile
  ) -> Layer? {
    guard let first = tiles.first, let tile = tiles.count == 1 ? size : items.size(of: first, in: file.bytes) else {
      return nil
    }
    var places: [Range<Int>] = []
    for item in tiles {
      // Without a size of its own, alpha has that of the picture.
      let stated = items.size(of: item, in: file.bytes)
      guard items.type(of: item) == .av01, stated == tile || stated == nil && tiles.count == 1,
        !items.properties(of: item).contains(where: { Self.layered.contains($0.type) })
      else { return nil }
      let found = items.places(of: item, in: file.bytes)
      guard found.count == 1, !found[0].isEmpty, file.incremental != nil || found[0].upperBound <= file.bytes.count
      else { return nil }
      places.append(found[0])
    }
    let lines = places.count / columns
    let form = GridItem(rows: lines, columns: columns, canvas: size)
    guard (try? form.check(tiles: [Size](repeating: tile, count: places.count))) != nil,
      !shape.halvesWidth || columns == 1 || tile.width % 2 == 0,
      !shape.halvesHeight || lines == 1 || tile.height % 2 == 0
    else { return nil }
    return Layer(tiles: places, columns: columns, tile: tile, shape: shape, isAlpha: isAlpha)
  }

  /// Properties of items in layers (AVIF 1.1 §2.3.2, ISO/IEC 23008-12 §6.5.11).
  private static let layered: Set<FourCC> = [FourCC("a1op"), FourCC("a1lx"), FourCC("lsel")]
}

extension StillDecoder {
  /// Decodes what is there; of an incomplete file without tiles, waits for all.
  ///
  /// - Parameters:
  ///   - image: What libavif tells of the picture.
  ///   - part: What is wanted of it; of a grid, tiles that it does not touch are not decoded.
  /// - Returns: Its planes, which live as long as this. nil when libavif has to decode it.
  func decode(_ image: avifImage, part: Rect) throws(CoderError) -> DecodedPlanes? {
    guard !isGivenUp else { return nil }
    let tiles = tiles(for: part)
    for layer in layers { layer.show(tiles ?? layer.all) }
    for layer in layers where try !advance(layer) {
      isGivenUp = true
      return nil
    }
    let rows = layers.map(\.rows).min() ?? 0
    let rect = tiles?.rect(tile: color.tile, canvas: size) ?? Rect(covering: size)
    return DecodedPlanes(image: shown(image, size: rect.size), rows: min(rows, rect.height), origin: (rect.x, rect.y))
  }

  /// The tiles that a part touches, also with the pixels beside it that its chroma is interpolated with; nil for all.
  private func tiles(for part: Rect) -> GridPart? {
    guard isTiled, alpha.map({ $0.tile == color.tile && $0.all == color.all }) ?? true else { return nil }
    return GridPart(touching: part, margin: 2, tile: color.tile, in: color.all)
  }

  private var layers: [Layer] { [color] + (alpha.map { [$0] } ?? []) }

  /// - Returns: Whether all is as expected, so far.
  private func advance(_ layer: Layer) throws(CoderError) -> Bool {
    while layer.nextLine < layer.shown.lines.upperBound {
      if host.isCancelled { throw .cancelled }
      let together = file.incremental == nil ? max(1, Self.batch / layer.shown.columns.count) : 1
      let lines = layer.nextLine..<min(layer.nextLine + together, layer.shown.lines.upperBound)
      let places = layer.places(lines)
      let span = (places.map(\.lowerBound).min() ?? 0)..<(places.map(\.upperBound).max() ?? 0)
      guard let bytes = try bytes(in: span, isPatient: !isTiled) else { return missing != nil }
      guard try decode(places, from: bytes, at: span.lowerBound, line: lines.lowerBound, of: layer) else {
        return false
      }
      layer.nextLine = lines.upperBound
    }
    return true
  }

  private var isTiled: Bool { color.tiles.count > 1 }

  /// - Returns: All of the bytes, or nil: then they are ``missing``, or will never be there.
  private func bytes(in place: Range<Int>, isPatient: Bool) throws(CoderError) -> UnsafeRawBufferPointer? {
    guard let source = file.incremental?.source else { return UnsafeRawBufferPointer(rebasing: file.bytes.raw[place]) }
    if !isPatient, source.size == .max, try source.view(at: 0, least: 0, most: .max).count < place.upperBound {
      missing = place.upperBound
      return nil
    }
    let found = try source.view(at: place.lowerBound, least: place.count, most: place.count)
    return found.count == place.count ? found : nil
  }

  /// Decodes tiles on the host's threads.
  ///
  /// - Parameters:
  ///   - bytes: Those of the file from `start` on.
  ///   - line: Of the first tile.
  private func decode(
    _ places: [Range<Int>], from bytes: UnsafeRawBufferPointer, at start: Int, line: Int, of layer: Layer
  ) throws(CoderError) -> Bool {
    func picture(_ place: Range<Int>, _ decoder: AV1Decoder) -> AV1Picture? {
      let item = UnsafeRawBufferPointer(rebasing: bytes[place.lowerBound - start..<place.upperBound - start])
      guard let picture = decoder.decode(item), picture.size == layer.tile,
        layer.shape.fits(picture, isAlpha: layer.isAlpha), !layer.isAlpha || picture.colors.isFullRange
      else { return nil }
      return picture
    }
    let maxPixels = layer.tile.pixelCount
    guard layer.tiles.count > 1 else {
      guard let decoder = AV1Decoder(maxPixels: maxPixels), let found = picture(places[0], decoder) else {
        return false
      }
      layer.planes = StillPlanes(of: found)
      return true
    }
    let shown = layer.shown.rect(tile: layer.tile, canvas: size)
    if layer.planes == nil { layer.planes = try StillPlanes(canvas: shown.size, layer.shape, host: host) }
    guard let planes = layer.planes else { return false }
    var colors = [AV1Picture.Colors?](repeating: nil, count: places.count)
    colors.withUnsafeMutableBufferPointer { colors in
      nonisolated(unsafe) let colors = colors
      let decoders = SpareDecoders()
      host.parallelFor(places.count) { index in
        guard !host.isCancelled,
          let decoder = decoders.take() ?? AV1Decoder(maxPixels: maxPixels),
          let tile = picture(places[index], decoder)
        else { return }
        let (row, column) = index.quotientAndRemainder(dividingBy: layer.shown.columns.count)
        planes.put(
          tile, at: column * layer.tile.width, (line + row) * layer.tile.height - shown.y, canvas: shown.size,
          layer.shape)
        colors[index] = tile.colors
        decoders.give(decoder)
      }
    }
    if host.isCancelled { throw .cancelled }
    let expected = layer.colors ?? colors[0]
    layer.colors = expected
    return expected != nil && colors.allSatisfy { $0 == expected }
  }

  /// Waits for the bytes that the next rows need. Where they never come, libavif says what is missing.
  ///
  /// - Returns: Whether there was something to wait for.
  func waitForMissing() throws(CoderError) -> Bool {
    guard !isGivenUp, let missing, let source = file.incremental?.source else { return false }
    self.missing = nil
    isGivenUp = try source.view(at: missing - 1, least: 1, most: 1).isEmpty
    return true
  }

  private func shown(_ image: avifImage, size: Size) -> avifImage {
    var image = image
    (image.width, image.height) = (UInt32(clamping: size.width), UInt32(clamping: size.height))
    func bytes(_ plane: StillPlanes.Plane?) -> (UnsafeMutablePointer<UInt8>?, UInt32) {
      (plane?.base.assumingMemoryBound(to: UInt8.self), UInt32(clamping: plane?.stride ?? 0))
    }
    (image.yuvPlanes.0, image.yuvRowBytes.0) = bytes(color.planes?.plane(0))
    (image.yuvPlanes.1, image.yuvRowBytes.1) = bytes(color.planes?.plane(1))
    (image.yuvPlanes.2, image.yuvRowBytes.2) = bytes(color.planes?.plane(2))
    (image.alphaPlane, image.alphaRowBytes) = bytes(alpha?.planes?.plane(0))
    return image
  }
}
