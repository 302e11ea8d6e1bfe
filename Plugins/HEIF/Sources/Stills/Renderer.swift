// SPDX-License-Identifier: Apache-2.0

import CHEIFShim
import ISOBaseMediaFile
import ImageCoderPlugin
import SharedPlanes

/// Decodes a picture's parts into place.
///
/// Coded items are converted straight into the rows that the host grants; tiles of a grid on as many threads as the
/// host likes. Pictures inside others that have to be turned or blended take memory of their own.
struct Renderer {
  let file: HEIFFile
  let host: CoderHost
  /// The code points of the whole picture, for parts whose bitstreams state no colors.
  let points: CodingIndependentCodePoints?
  /// Whether a part of a picture is drawn, for which bytes of other items are not read.
  var isPart = false
  /// Items that are not decoded again.
  var decoded = DecodedItems()
  /// Says that rows of the whole picture are done.
  let report: (Range<Int>) throws(CoderError) -> Void

  /// What is written of the target's pixels.
  enum Part {
    case color
    /// The alpha channel alone, from luma.
    case alpha
  }

  /// Draws a page, or a part of it, as it is stored.
  ///
  /// - Parameter region: Inside the part that the page's placement shows.
  /// - Throws: ``CoderError/Code/truncated`` and ``CoderError/Code/malformed`` after the rows that could be decoded.
  func draw(_ node: PictureNode, region: Rect, into target: PixelTarget) throws(CoderError) {
    // Rows of a picture with alpha are done when their alpha is.
    guard node.hasAlpha, target.format.hasAlpha, !node.hasAlphaInside else {
      return try draw(node, region: region, into: target, part: .color, origin: 0)
    }
    let quiet = Renderer(file: file, host: host, points: points, isPart: isPart, decoded: decoded, report: { _ in })
    try quiet.draw(node, region: region, into: target, part: .color, origin: nil)
    try report(0..<region.height)
  }

  /// Draws a rectangle of a stored picture, with its alpha.
  ///
  /// - Parameter origin: Where the target's first row is in the whole picture, when its rows are whole rows of it.
  private func draw(
    _ node: PictureNode, region: Rect, into target: PixelTarget, part: Part, origin: Int?
  ) throws(CoderError) {
    if host.isCancelled { throw .cancelled }
    switch node.content {
    case .coded(let coded): try draw(coded, region: region, into: target, part: part, origin: origin)
    case .uncompressed(let item):
      let rows = try item.draw(
        region, into: target, asAlpha: part == .alpha, bytes: try file.bytes(of: item.item, isAlone: isPart),
        points: points, host: host)
      if let origin, rows.count > 0 { try report(origin..<origin + rows.count) }
      if let problem = rows.problem { throw problem }
    case .jpeg: throw .unsupported("the JPEG item \(node.id), which another coder reads")
    case .identity(let inner):
      try drawShown(inner, rect: region, into: target, part: part, origin: origin)
    case .grid(let item, let tiles):
      let grid = Grid(item, tiles: tiles, region: region)
      if part == .alpha || !grid.isSimple {
        for cell in grid.cells {
          try drawShown(cell.node, rect: cell.part.rect, into: cell.place(in: target), part: part)
        }
        if let origin { try report(origin..<origin + region.height) }
      } else {
        try draw(grid, into: target, origin: origin)
      }
    case .overlay(let overlay):
      try draw(overlay, region: region, into: target)
      if let origin { try report(origin..<origin + region.height) }
    }
    guard part == .color, let alpha = node.alpha, target.format.hasAlpha else { return }
    try draw(alpha, region: region, into: target, part: .alpha, origin: nil)
  }

  /// Draws a rectangle of a picture as it is shown, inside another one.
  private func drawShown(
    _ node: PictureNode, rect: Rect, into target: PixelTarget, part: Part, origin: Int? = nil
  ) throws(CoderError) {
    let placement = node.placement
    guard placement.orientation != .up else {
      return try draw(node, region: placement.stored(rect), into: target, part: part, origin: origin)
    }
    guard part == .color else { throw .unsupported("alpha of item \(node.id) from parts that are turned") }
    try PixelTarget.withMemory(for: placement.crop.size, as: target.format, host: host) { scratch throws(CoderError) in
      try draw(node, region: placement.crop, into: scratch, part: part, origin: nil)
      target.copy(rect, of: scratch, placement: placement)
    }
    if let origin { try report(origin..<origin + rect.height) }
  }
}

extension Renderer {
  private func draw(
    _ coded: CodedItem, region: Rect, into target: PixelTarget, part: Part, origin: Int?
  ) throws(CoderError) {
    if let item = decoded[coded.item.id] {
      try Self.convert(item, coded, region: region, into: target, part: part, points: points)
      if let origin { try report(origin..<origin + region.height) }
      return
    }
    let bytes = try file.bytes(of: coded.item, isAlone: isPart)
    if bytes.isCut {
      if part == .color, let origin, let salvaged = DecodedItem.salvage(coded, bytes: bytes, in: file) {
        let rows = min(salvaged.rows - region.y, region.height)
        if rows > 0 {
          let top = Rect(x: region.x, y: region.y, width: region.width, height: rows)
          try Self.convert(salvaged.item, coded, region: top, into: target, part: part, points: points)
          try report(origin..<origin + rows)
        }
      }
      throw .truncated("item \(coded.item.id) is cut after \(bytes.count) bytes", at: file.contents.end)
    }
    let item = try DecodedItem(coded, bytes: bytes, in: file)
    if let damage = item.damage { throw damage }
    try Self.convert(item, coded, region: region, into: target, part: part, points: points)
    if let origin { try report(origin..<origin + region.height) }
  }

  private static func convert(
    _ item: DecodedItem, _ coded: CodedItem, region: Rect, into target: PixelTarget, part: Part,
    points: CodingIndependentCodePoints?
  ) throws(CoderError) {
    guard region.isInside(item.size), !region.isEmpty else {
      throw .libraryFailure("rows of \(region.size) of a picture of \(item.size)")
    }
    let picture = try item.decoded.picture()
    if part == .alpha {
      let converter = try AlphaConverter(bits: picture.bits, format: target.format)
      return try converter.convert(picture, region, to: target.base, stride: target.stride)
    }
    let points = item.decoded.points(item: coded.points, whole: points)
    // Luma of gray pictures is taken as it is, as in libheif, whatever the code points say.
    let isGray = item.decoded.planes.has_chroma == 0
    let converter = try PlaneConverter(
      isGray ? .unspecified : try ColorMatrix(points), isFullRange: isGray || points.isFullRange, bits: picture.bits,
      format: target.format, rounding: .atStoredDepth)
    try converter.convert(picture, region, to: target.base, stride: target.stride)
  }

  /// Draws coded tiles, some rows of them at a time, side by side on several threads.
  private func draw(_ grid: Grid, into target: PixelTarget, origin: Int?) throws(CoderError) {
    let (file, host, points, decoded, isPart) = (file, host, points, decoded, isPart)
    for batch in grid.batches(of: file.isIncremental ? 1 : Self.batchSize) {
      // Bytes are waited for here, and not on the threads that decode.
      let items = batch.map { cell in
        Result { () throws(CoderError) in try Self.tile(cell, in: file, isPart: isPart) }
      }
      let failures = UnsafeMutableBufferPointer<CoderError?>.allocate(capacity: batch.count)
      failures.initialize(repeating: nil)
      defer {
        failures.deinitialize()
        failures.deallocate()
      }
      nonisolated(unsafe) let results = failures
      let cells = batch
      host.parallelFor(cells.count) { index in
        if host.isCancelled {
          results[index] = .cancelled
          return
        }
        do throws(CoderError) {
          let tile = try items[index].get()
          let known = decoded[tile.0.item.id]
          try Self.draw(cells[index], tile, decoded: known, into: target, file: file, points: points)
        } catch {
          results[index] = error
        }
      }
      // Rows of tiles above the first one that failed are whole.
      let failed = failures.firstIndex { $0 != nil }
      let end = failed.map { cells[$0].part.y } ?? cells.map { $0.part.y + $0.part.rect.height }.max() ?? 0
      let start = cells.first?.part.y ?? 0
      if let origin, end > start { try report(origin + start..<origin + end) }
      if let failed, let failure = failures[failed] { throw failure }
    }
  }

  /// Tiles that are decoded side by side keep a few threads busy.
  private static let batchSize = 16

  private static func tile(
    _ cell: Grid.Cell, in file: HEIFFile, isPart: Bool
  ) throws(CoderError) -> (CodedItem, ItemBytes) {
    guard case .coded(let coded) = cell.node.content else { throw .libraryFailure("a tile that is no coded picture") }
    return (coded, try file.bytes(of: coded.item, isAlone: isPart))
  }

  private static func draw(
    _ cell: Grid.Cell, _ tile: (CodedItem, ItemBytes), decoded: DecodedItem?, into target: PixelTarget,
    file: HEIFFile, points: CodingIndependentCodePoints?
  ) throws(CoderError) {
    let (coded, bytes) = tile
    guard !bytes.isCut else {
      throw .truncated("tile \(coded.item.id) is cut after \(bytes.count) bytes", at: file.contents.end)
    }
    let item = if let decoded { decoded } else { try DecodedItem(coded, bytes: bytes, in: file) }
    if let damage = item.damage { throw damage }
    try convert(
      item, coded, region: cell.node.placement.stored(cell.part.rect), into: cell.place(in: target), part: .color,
      points: points)
  }

  private func draw(_ overlay: PictureNode.Overlay, region: Rect, into target: PixelTarget) throws(CoderError) {
    target.fill(region.size, with: overlay.background)
    for layer in overlay.layers {
      guard let shown = ShownPart(of: layer.node.placement.shown, at: layer.place, in: region) else { continue }
      let (rect, size) = (shown.rect, shown.rect.size)
      let place = target.moved(x: shown.x, y: shown.y)
      guard layer.node.hasAlpha else {
        try drawShown(layer.node, rect: rect, into: place, part: .color)
        continue
      }
      guard target.format.hasAlpha else {
        throw .unsupported("transparent layers in an overlay of \(target.format)")
      }
      try PixelTarget.withMemory(for: size, as: target.format, host: host) { scratch throws(CoderError) in
        try drawShown(layer.node, rect: rect, into: scratch, part: .color)
        place.blend(size, over: scratch)
      }
    }
  }
}

/// The tiles of a grid that meet a rectangle of it.
struct Grid {
  /// A tile, and where its part of the rectangle goes.
  struct Cell {
    let node: PictureNode
    let part: ShownPart

    func place(in target: PixelTarget) -> PixelTarget { target.moved(x: part.x, y: part.y) }
  }

  /// By rows.
  let cells: [Cell]
  /// Whether each tile is one coded picture that is shown as it is stored, without alpha.
  let isSimple: Bool

  init(_ grid: GridItem, tiles: [PictureNode], region: Rect) {
    var cells: [Cell] = []
    var isSimple = true
    for (index, node) in tiles.enumerated() {
      let size = node.placement.shown
      guard let part = ShownPart(of: size, at: grid.place(of: index, tile: size), in: region) else { continue }
      cells.append(Cell(node: node, part: part))
      if case .coded = node.content, node.placement.orientation == .up, node.alpha == nil { continue }
      isSimple = false
    }
    self.cells = cells
    self.isSimple = isSimple
  }

  /// Whole rows of tiles, as few as have `count` tiles.
  func batches(of count: Int) -> [[Cell]] {
    var batches: [[Cell]] = []
    for cell in cells {
      if let last = batches.last, let end = last.last, end.part.y == cell.part.y || last.count < count {
        batches[batches.count - 1].append(cell)
      } else {
        batches.append([cell])
      }
    }
    return batches
  }
}
