// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The picture's place on the reference grid, its tiles and components: the SIZ marker segment (ISO/IEC 15444-1 A.5.1).
struct ReferenceGrid {
  /// A component of the codestream.
  struct Component: Equatable {
    /// Bits of a sample, 1 to 31.
    let bits: Int
    let isSigned: Bool
    /// Steps on the grid from one sample to the next, 1 to 255.
    let dx: Int
    let dy: Int

    init(bits: Int, isSigned: Bool, dx: Int, dy: Int) {
      self.bits = bits
      self.isSigned = isSigned
      self.dx = dx
      self.dy = dy
    }

    init(parsing reader: inout ByteReader, index: Int) throws(CoderError) {
      let offset = reader.offset
      let depth = try reader.uint8("the bits of a component")
      bits = Int(depth & 0x7F) + 1
      isSigned = depth & 0x80 != 0
      dx = Int(try reader.uint8("the horizontal steps of a component"))
      dy = Int(try reader.uint8("the vertical steps of a component"))
      guard bits <= 38, dx > 0, dy > 0 else {
        throw .malformed("component \(index) of \(bits) bits every \(dx)×\(dy)", at: offset)
      }
      guard bits <= 31 else {
        throw .unsupported("component \(index) has \(bits) bits, and OpenJPEG holds 31", at: offset)
      }
    }

    func write(to writer: inout ByteWriter) {
      writer.put(UInt8(truncatingIfNeeded: bits - 1) | (isSigned ? 0x80 : 0))
      writer.put(UInt8(truncatingIfNeeded: dx))
      writer.put(UInt8(truncatingIfNeeded: dy))
    }
  }

  /// A part of the grid, the right and lower edges excluded.
  struct Area: Equatable {
    var x0: Int
    var y0: Int
    var x1: Int
    var y1: Int

    var isEmpty: Bool { x1 <= x0 || y1 <= y0 }
    var size: Size { Size(width: x1 - x0, height: y1 - y0) }

    /// The samples of a component inside this area, after some halvings (B.2 and B.5).
    func samples(of component: Component, reduction: Int) -> Area {
      Area(
        x0: x0.dividedRoundingUp(by: component.dx).halvedRoundingUp(times: reduction),
        y0: y0.dividedRoundingUp(by: component.dy).halvedRoundingUp(times: reduction),
        x1: x1.dividedRoundingUp(by: component.dx).halvedRoundingUp(times: reduction),
        y1: y1.dividedRoundingUp(by: component.dy).halvedRoundingUp(times: reduction))
    }
  }

  let image: Area
  private let tileX0: Int
  private let tileY0: Int
  let tileSize: Size
  let tilesAcross: Int
  let tilesDown: Int
  let components: [Component]
  /// Steps on the grid from one pixel to the next: those of the finest component. Bits and sign mean nothing.
  let pixel: Component
  /// Rsiz: which capabilities a decoder needs.
  let capabilities: Int

  var tileCount: Int { tilesAcross * tilesDown }

  /// - Parameter reader: At the segment's content, which ends where the bytes do.
  /// - Throws: ``CoderError/Code/malformed``, ``CoderError/Code/unsupported``.
  init(parsing reader: inout ByteReader) throws(CoderError) {
    let offset = reader.offset
    capabilities = Int(try reader.uint16("the capabilities"))
    let x1 = Int(try reader.uint32("the image's right edge"))
    let y1 = Int(try reader.uint32("the image's lower edge"))
    let x0 = Int(try reader.uint32("the image's left edge"))
    image = Area(x0: x0, y0: Int(try reader.uint32("the image's upper edge")), x1: x1, y1: y1)
    let tileWidth = Int(try reader.uint32("the width of tiles"))
    tileSize = Size(width: tileWidth, height: Int(try reader.uint32("the height of tiles")))
    tileX0 = Int(try reader.uint32("the left edge of tiles"))
    tileY0 = Int(try reader.uint32("the upper edge of tiles"))
    let count = Int(try reader.uint16("the number of components"))
    guard !image.isEmpty else {
      throw .malformed("an image area from \(image.x0),\(image.y0) to \(image.x1),\(image.y1)", at: offset + 2)
    }
    guard image.x1 <= Int(Int32.max), image.y1 <= Int(Int32.max) else {
      throw .unsupported("a grid of \(image.x1)×\(image.y1), and OpenJPEG holds \(Int32.max)", at: offset + 2)
    }
    guard !tileSize.isEmpty, tileX0 <= image.x0, tileY0 <= image.y0, tileX0 + tileSize.width > image.x0,
      tileY0 + tileSize.height > image.y0
    else {
      throw .malformed(
        "tiles of \(tileSize) at \(tileX0),\(tileY0) for an image at \(image.x0),\(image.y0)", at: offset + 18)
    }
    tilesAcross = (image.x1 - tileX0).dividedRoundingUp(by: tileSize.width)
    tilesDown = (image.y1 - tileY0).dividedRoundingUp(by: tileSize.height)
    // A.4.2: Isot has 16 bits, and 65,535 is no tile's number.
    guard tilesAcross <= 65_535, tilesDown <= 65_535, tilesAcross * tilesDown <= 65_535 else {
      throw .malformed("\(tilesAcross)×\(tilesDown) tiles, 65535 are allowed", at: offset + 18)
    }
    guard (1...16_384).contains(count), reader.remaining == 3 * count else {
      throw .malformed("\(count) components in a SIZ segment of \(reader.count + 2) bytes", at: offset + 34)
    }
    var components: [Component] = []
    components.reserveCapacity(count)
    for index in 0..<count { components.append(try Component(parsing: &reader, index: index)) }
    self.components = components
    pixel = Component(
      bits: 1, isSigned: false, dx: components.reduce(255) { min($0, $1.dx) },
      dy: components.reduce(255) { min($0, $1.dy) })
  }

  /// The pixels of a part of the grid, after some halvings.
  func pixels(in area: Area, reduction: Int) -> Area { area.samples(of: pixel, reduction: reduction) }

  /// The whole picture's pixels.
  func picture(reduction: Int) -> Area { pixels(in: image, reduction: reduction) }

  /// The area of a tile (B.3).
  func tile(_ index: Int) -> Area {
    let (row, column) = index.quotientAndRemainder(dividingBy: tilesAcross)
    return Area(
      x0: max(image.x0, tileX0 + column * tileSize.width), y0: max(image.y0, tileY0 + row * tileSize.height),
      x1: min(image.x1, tileX0 + (column + 1) * tileSize.width),
      y1: min(image.y1, tileY0 + (row + 1) * tileSize.height))
  }

  /// The tiles that have pixels of a part of the picture, and all pixels of those, after some halvings.
  ///
  /// - Parameter part: Of the picture's pixels at that size, or nil for all tiles.
  func tiles(with part: Rect?, reduction: Int) -> (columns: Range<Int>, rows: Range<Int>, pixels: Area) {
    let whole = picture(reduction: reduction)
    guard let part else { return (0..<tilesAcross, 0..<tilesDown, whole) }
    func touched(of count: Int, from first: Int, length: Int, _ side: (Int) -> Range<Int>) -> Range<Int> {
      let wanted = first..<first + length
      let touched = (0..<count).filter { side($0).overlaps(wanted) }
      guard let lowest = touched.first, let last = touched.last else { return 0..<count }
      return lowest..<last + 1
    }
    let columns = touched(of: tilesAcross, from: whole.x0 + part.x, length: part.width) {
      let area = pixels(in: tile($0), reduction: reduction)
      return area.x0..<max(area.x0, area.x1)
    }
    let rows = touched(of: tilesDown, from: whole.y0 + part.y, length: part.height) {
      let area = pixels(in: tile($0 * tilesAcross), reduction: reduction)
      return area.y0..<max(area.y0, area.y1)
    }
    let first = pixels(in: tile(rows.lowerBound * tilesAcross + columns.lowerBound), reduction: reduction)
    let last = pixels(in: tile((rows.upperBound - 1) * tilesAcross + columns.upperBound - 1), reduction: reduction)
    return (columns, rows, Area(x0: first.x0, y0: first.y0, x1: last.x1, y1: last.y1))
  }

  /// Writes a SIZ segment, from its length on, for a picture that is one tile of this one.
  ///
  /// All partitions of a tile are anchored at the grid's origin (B.4 to B.7), so a tile by itself decodes to the same
  /// samples as among others.
  func write(tileAlone area: Area, to writer: inout ByteWriter) {
    writer.put(UInt16(clamping: 38 + 3 * components.count))
    writer.put(UInt16(clamping: capabilities))
    for value in [area.x1, area.y1, area.x0, area.y0, area.size.width, area.size.height, area.x0, area.y0] {
      writer.put(UInt32(clamping: value))
    }
    writer.put(UInt16(clamping: components.count))
    for component in components { component.write(to: &writer) }
  }
}
