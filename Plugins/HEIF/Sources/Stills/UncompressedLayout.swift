// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// How samples lie in an uncompressed item: the box `uncC` of ISO/IEC 23001-17 §5.2.
struct UncompressedLayout {
  /// A component, as it is stored.
  struct Component {
    /// By ISO/IEC 23001-17 table 1.
    let kind: UInt16
    let bits: Int
    /// Whether it is floating point, and no integer.
    var isFloat = false
    /// Bytes that it stands at the end of, 0 for its bits alone.
    var bytes = 0

    /// Bits that it takes.
    var cell: Int { bytes > 0 ? 8 * bytes : bits }
    var isChroma: Bool { kind == 2 || kind == 3 }
  }

  /// Table 4: how components lie beside each other.
  enum Interleave: UInt8 {
    case components = 0
    case pixels, mixed, rows, tileComponents, multiY
  }

  private(set) var components: [Component] = []
  /// 0: chroma is as large as luma, 1: half as wide, 2: half as wide and half as high.
  private(set) var sampling: UInt8 = 0
  private(set) var interleave = Interleave.pixels
  /// Whether components of several bytes have the lowest one first.
  private(set) var isLittleEndian = false
  /// Bytes of a block, which holds whole components and padding; 0 without blocks.
  private(set) var blockBytes = 0
  private(set) var padsLowBits = false
  private(set) var isBlockLittleEndian = false
  /// Whether the first component has the lowest bits of a block.
  private(set) var isBlockReversed = false
  /// Bytes of a pixel, 0 for those of its components.
  private(set) var pixelBytes = 0
  /// What rows and tiles are padded to a multiple of, 0 for nothing.
  private(set) var rowAlignment = 0
  private(set) var tileAlignment = 0
  private(set) var columns = 1
  private(set) var rows = 1

  private static let maxComponents = 16
  /// More padding than anybody writes.
  private static let maxPadding = 1 << 16

  /// - Parameter kinds: Of the components, as the box `cmpd` has them.
  init(parsing reader: inout ByteReader, kinds: [UInt16]) throws(CoderError) {
    let (version, _) = try reader.fullBox()
    let profile = try reader.fourCC("the profile")
    guard version == 0 else {
      guard version == 1, let known = Self(profile: "\(profile)") else {
        throw .unsupported("uncC of version \(version) and profile \(profile)")
      }
      self = known
      return
    }
    let count = try reader.uint32("the number of components")
    guard count > 0, count <= Self.maxComponents else {
      throw .unsupported("\(count) components, 1 to \(Self.maxComponents) are read")
    }
    for _ in 0..<count { components.append(try Self.component(&reader, kinds: kinds)) }
    sampling = try reader.uint8("the sampling")
    let code = try reader.uint8("the interleaving")
    blockBytes = Int(try reader.uint8("the size of blocks"))
    let flags = try reader.uint8("the flags")
    guard sampling <= 2, let interleave = Interleave(rawValue: code), blockBytes <= 8 else {
      throw .unsupported("sampling \(sampling), interleave \(code), blocks of \(blockBytes) bytes")
    }
    self.interleave = interleave
    isLittleEndian = flags & 0x80 != 0
    padsLowBits = flags & 0x40 != 0
    isBlockLittleEndian = flags & 0x20 != 0
    isBlockReversed = flags & 0x10 != 0
    func padding(_ field: StaticString) throws(CoderError) -> Int {
      let value = Int(try reader.uint32(field))
      guard value <= Self.maxPadding else {
        throw .unsupported("padding to \(value) bytes, \(Self.maxPadding) are read")
      }
      return value
    }
    pixelBytes = try padding("the bytes of a pixel")
    rowAlignment = try padding("the alignment of rows")
    tileAlignment = try padding("the alignment of tiles")
    columns = Int(try reader.uint32("the columns of tiles")) + 1
    rows = Int(try reader.uint32("the rows of tiles")) + 1
    try check()
  }

  private static func component(_ reader: inout ByteReader, kinds: [UInt16]) throws(CoderError) -> Component {
    let index = Int(try reader.uint16("a component"))
    guard index < kinds.count else { throw .malformed("component \(index) of \(kinds.count)") }
    let bits = Int(try reader.uint8("the bits of a component")) + 1
    let format = try reader.uint8("the format of a component")
    let bytes = Int(try reader.uint8("the bytes of a component"))
    let isKnown = format == 0 ? bits <= 16 : format == 1 && [16, 32, 64].contains(bits)
    guard isKnown, bytes <= 8, bytes == 0 || bits <= 8 * bytes else {
      throw .unsupported("components of format \(format) and \(bits) bits in \(bytes) bytes")
    }
    return Component(kind: kinds[index], bits: bits, isFloat: format == 1, bytes: bytes)
  }

  private func check() throws(CoderError) {
    let aligned = components.count { $0.bytes > 0 }
    guard aligned == 0 || components.allSatisfy({ $0.cell % 8 == 0 }) else {
      throw .unsupported("components of whole bytes beside others")
    }
    guard blockBytes == 0 || aligned == 0 && components.allSatisfy({ $0.bits <= 8 * blockBytes }) else {
      throw .unsupported("components in blocks of \(blockBytes) bytes that have no place there")
    }
    guard pixelBytes == 0 || interleave == .pixels && 8 * pixelBytes >= pixelBits else {
      throw .malformed("pixels of \(pixelBytes) bytes for \(components.count) components")
    }
    guard blockBytes == 0 || pixelBytes == 0 || pixelBytes % blockBytes == 0 else {
      throw .unsupported("pixels of \(pixelBytes) bytes in blocks of \(blockBytes)")
    }
    // §5.2.1.5: chroma lies by itself where it has fewer samples.
    guard sampling == 0 || interleave == .components || interleave == .mixed || interleave == .multiY else {
      throw .unsupported("sampling \(sampling) with interleave \(interleave.rawValue)")
    }
    guard interleave != .mixed || chroma.count == 2 && chroma[1] == chroma[0] + 1 else {
      throw .malformed("mixed interleaving without Cb and Cr beside each other")
    }
    guard interleave == .multiY else { return }
    guard sampling == 1, components.map(\.kind).sorted() == [1, 1, 2, 3] else {
      throw .unsupported("interleave 5 with sampling \(sampling) and \(components.count) components")
    }
    // Blocks that reach from one pair of pixels into the next are not read.
    guard blockBytes == 0 || components.allSatisfy({ 2 * $0.bits > 8 * blockBytes }) else {
      throw .unsupported("interleave 5 with several components in blocks of \(blockBytes) bytes")
    }
  }

  private var chroma: [Int] { components.indices.filter { components[$0].isChroma } }

  private var pixelBits: Int {
    guard blockBytes > 0 else { return components.reduce(0) { $0 + $1.cell } }
    return 8 * bytes(of: Array(components.indices), count: 1, isPixel: false)
  }
}

extension UncompressedLayout {
  /// A layout that has a name: table 5. All samples are integers.
  ///
  /// - Returns: Nil for a profile that is not read.
  private init?(profile: String) {
    let kinds: [UInt16]
    var bits = 8
    switch profile {
    case "rgb3": kinds = [4, 5, 6]
    case "rgba": kinds = [4, 5, 6, 7]
    case "abgr": kinds = [7, 6, 5, 4]
    case "v308": kinds = [3, 1, 2]
    case "v408": kinds = [2, 1, 3, 7]
    case "v410":
      (kinds, bits, blockBytes) = ([2, 1, 3], 10, 4)
      (isBlockLittleEndian, padsLowBits, isBlockReversed) = (true, true, true)
    case "i420": (kinds, sampling, interleave) = ([1, 2, 3], 2, .components)
    case "yv20": (kinds, sampling, interleave) = ([1, 3, 2], 2, .components)
    case "nv12": (kinds, sampling, interleave) = ([1, 2, 3], 2, .mixed)
    case "nv21": (kinds, sampling, interleave) = ([1, 3, 2], 2, .mixed)
    case "yu22": (kinds, sampling, interleave) = ([1, 2, 3], 1, .components)
    case "yv22": (kinds, sampling, interleave) = ([1, 3, 2], 1, .components)
    case "2vuy": (kinds, sampling, interleave) = ([2, 1, 3, 1], 1, .multiY)
    case "yuv2": (kinds, sampling, interleave) = ([1, 2, 1, 3], 1, .multiY)
    case "yvyu": (kinds, sampling, interleave) = ([1, 3, 1, 2], 1, .multiY)
    case "vyuy": (kinds, sampling, interleave) = ([3, 1, 2, 1], 1, .multiY)
    case "y210":
      (kinds, sampling, interleave, bits, blockBytes) = ([1, 2, 1, 3], 1, .multiY, 10, 2)
      (isBlockLittleEndian, padsLowBits) = (true, true)
    default: return nil
    }
    components = kinds.map { Component(kind: $0, bits: bits) }
  }
}

extension UncompressedLayout {
  /// Rows of samples that lie together in a tile.
  struct Run {
    /// Which components it has, one sample of each after the other.
    let components: [Int]
    /// Where it begins, from the beginning of the tile; of ``Interleave/tileComponents``, of the component's tiles.
    let start: Int
    let bytes: Int
    let row: Int
    let count: Int
  }

  /// The samples of a component in a tile.
  func side(of component: Int, in tile: Size) -> Size {
    guard components[component].isChroma else { return tile }
    return Size(
      width: sampling > 0 ? tile.width / 2 : tile.width, height: sampling > 1 ? tile.height / 2 : tile.height)
  }

  /// The first row of a tile that a row of samples is of.
  func firstRow(of run: Run) -> Int {
    sampling == 2 && components[run.components[0]].isChroma ? 2 * run.row : run.row
  }

  private func padded(_ bytes: Int, to alignment: Int) -> Int {
    alignment > 1 ? (bytes + alignment - 1) / alignment * alignment : bytes
  }

  /// Bytes of so many samples of some components, without the padding of rows. Counts are below 2³².
  private func bytes(of some: [Int], count: Int, isPixel: Bool) -> Int {
    if isPixel, pixelBytes > 0 { return count * pixelBytes }
    guard blockBytes > 0 else { return (count * some.reduce(0) { $0 + components[$1].cell } + 7) / 8 }
    if some.count == 1 {
      let perBlock = 8 * blockBytes / components[some[0]].bits
      return (count + perBlock - 1) / perBlock * blockBytes
    }
    // Pixels begin with a block of their own.
    var (blocks, left) = (0, 0)
    for index in some {
      if left < components[index].bits { (blocks, left) = (blocks + 1, 8 * blockBytes) }
      left -= components[index].bits
    }
    return count * blocks * blockBytes
  }

  /// Samples in a row of a component, or pixels in a row of several; pairs of pixels of ``Interleave/multiY``.
  private func samples(of some: [Int], in tile: Size) -> Int {
    interleave == .multiY ? tile.width / 2 : side(of: some[0], in: tile).width
  }

  /// Bytes of a row of some components.
  private func rowBytes(of some: [Int], in tile: Size) -> Int {
    return padded(bytes(of: some, count: samples(of: some, in: tile), isPixel: interleave == .pixels), to: rowAlignment)
  }

  /// Which components lie together: those of a pixel, each alone, or Cb and Cr.
  private var groups: [[Int]] {
    switch interleave {
    case .pixels, .multiY: [Array(components.indices)]
    case .components, .rows, .tileComponents: components.indices.map { [$0] }
    case .mixed:
      components.indices.compactMap { index in
        guard components[index].isChroma else { return [index] }
        return index == chroma[0] ? chroma : nil
      }
    }
  }

  /// Bytes of a tile with its padding, or of its part of one component.
  ///
  /// - Returns: Nil for more than there can be.
  func bytes(of tile: Size, component: Int? = nil) -> Int? {
    var sum = 0
    for group in component.map({ [[$0]] }) ?? groups {
      let row = rowBytes(of: group, in: tile)
      let (bytes, overflow) = row.multipliedReportingOverflow(by: side(of: group[0], in: tile).height)
      guard !overflow, bytes < 1 << 56 else { return nil }
      sum += bytes
    }
    return padded(sum, to: tileAlignment)
  }

  /// Calls `body` with the rows of a tile, in the order in which they lie.
  func forEachRun(in tile: Size, _ body: (Run) throws(CoderError) -> Void) throws(CoderError) {
    let groups = groups
    var start = 0
    func pass(_ group: [Int], _ row: Int) throws(CoderError) {
      let bytes = rowBytes(of: group, in: tile)
      let count = samples(of: group, in: tile)
      try body(Run(components: group, start: start, bytes: bytes, row: row, count: count))
      start += bytes
    }
    guard interleave != .rows else {
      for row in 0..<tile.height {
        for group in groups { try pass(group, row) }
      }
      return
    }
    for group in groups {
      if interleave == .tileComponents { start = 0 }
      for row in 0..<side(of: group[0], in: tile).height { try pass(group, row) }
    }
  }
}
