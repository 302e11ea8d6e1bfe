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
        x0: x0.dividedUp(by: component.dx).halvedUp(times: reduction),
        y0: y0.dividedUp(by: component.dy).halvedUp(times: reduction),
        x1: x1.dividedUp(by: component.dx).halvedUp(times: reduction),
        y1: y1.dividedUp(by: component.dy).halvedUp(times: reduction))
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

  /// Reads the segment behind its marker and length.
  ///
  /// - Throws: ``CoderError/Code/malformed``, ``CoderError/Code/unsupported``.
  init(parsing bytes: [UInt8], at offset: Int) throws(CoderError) {
    guard bytes.count >= 39 else {
      throw .malformed("a SIZ segment of \(bytes.count + 2) bytes, 41 are needed", at: offset)
    }
    capabilities = bytes.uint16(at: 0)
    image = Area(
      x0: bytes.uint32(at: 10), y0: bytes.uint32(at: 14), x1: bytes.uint32(at: 2), y1: bytes.uint32(at: 6))
    tileSize = Size(width: bytes.uint32(at: 18), height: bytes.uint32(at: 22))
    tileX0 = bytes.uint32(at: 26)
    tileY0 = bytes.uint32(at: 30)
    let count = bytes.uint16(at: 34)
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
    tilesAcross = (image.x1 - tileX0).dividedUp(by: tileSize.width)
    tilesDown = (image.y1 - tileY0).dividedUp(by: tileSize.height)
    // A.4.2: Isot has 16 bits, and 65,535 is no tile's number.
    guard tilesAcross <= 65_535, tilesDown <= 65_535, tilesAcross * tilesDown <= 65_535 else {
      throw .malformed("\(tilesAcross)×\(tilesDown) tiles, 65535 are allowed", at: offset + 18)
    }
    guard (1...16_384).contains(count), bytes.count == 36 + 3 * count else {
      throw .malformed("\(count) components in a SIZ segment of \(bytes.count + 2) bytes", at: offset + 34)
    }
    var components: [Component] = []
    components.reserveCapacity(count)
    for index in 0..<count {
      let place = 36 + 3 * index
      let component = Component(
        bits: Int(bytes[place] & 0x7F) + 1, isSigned: bytes[place] & 0x80 != 0, dx: Int(bytes[place + 1]),
        dy: Int(bytes[place + 2]))
      guard component.bits <= 38, component.dx > 0, component.dy > 0 else {
        throw .malformed(
          "component \(index) of \(component.bits) bits every \(component.dx)×\(component.dy)", at: offset + place)
      }
      guard component.bits <= 31 else {
        throw .unsupported("component \(index) has \(component.bits) bits, and OpenJPEG holds 31", at: offset + place)
      }
      components.append(component)
    }
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

  /// The payload of a SIZ segment for a picture that is one tile of this one.
  ///
  /// All partitions of a tile are anchored at the grid's origin (B.4 to B.7), so a tile by itself decodes to the same
  /// samples as among others.
  func segment(ofTileAlone area: Area) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(uint16: 38 + 3 * components.count)
    bytes.append(uint16: capabilities)
    for value in [area.x1, area.y1, area.x0, area.y0, area.size.width, area.size.height, area.x0, area.y0] {
      bytes.append(uint32: value)
    }
    bytes.append(uint16: components.count)
    for component in components {
      bytes.append(UInt8(truncatingIfNeeded: component.bits - 1) | (component.isSigned ? 0x80 : 0))
      bytes.append(UInt8(truncatingIfNeeded: component.dx))
      bytes.append(UInt8(truncatingIfNeeded: component.dy))
    }
    return bytes
  }
}
