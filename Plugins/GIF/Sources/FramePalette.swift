// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Palettes

/// The colors that a frame is written with.
final class FramePalette {
  /// At most 256; 0 for the transparent one.
  let colors: [UInt32]
  let isGlobal: Bool
  /// Whether it has every color of the frame.
  let isExact: Bool
  /// Numbers of the colors.
  let table: ColorTable

  init(_ table: ColorTable, isGlobal: Bool, isExact: Bool) {
    colors = table.colors
    self.table = table
    self.isGlobal = isGlobal
    self.isExact = isExact
  }

  convenience init(local colors: [UInt32], isExact: Bool) {
    let table = ColorTable()
    for color in colors { table.insert(color) }
    self.init(table, isGlobal: false, isExact: isExact)
  }

  private(set) lazy var transparentIndex: UInt8? = table.index(of: 0)

  /// For each color, the nearest others.
  func nearColors(within allowed: Int) -> NearColors {
    NearColors(
      colors.map { color in
        guard color != 0 else { return [] }
        var near: [NearColors.Entry] = []
        for (index, other) in colors.enumerated() where other != 0 && other != color {
          var error = 0
          for shift: UInt32 in [0, 8, 16] {
            let difference = Int(color >> shift & 0xFF) - Int(other >> shift & 0xFF)
            error += difference * difference
          }
          if error <= allowed { near.append(.init(index: UInt8(truncatingIfNeeded: index), error: error)) }
        }
        near.sort { ($0.error, $0.index) < ($1.error, $1.index) }
        return Array(near.prefix(NearColors.most))
      })
  }
}

/// Chooses the palettes of a file's frames.
///
/// A frame of few colors gets all of them: in the global palette as long as that has room, else in one of its own.
/// A frame of too many gets the best ones, or those of the global palette when they are nearly as good.
final class PaletteChooser {
  /// What is known of a frame's pixels.
  struct Frame {
    /// Colors and 0 for pixels that stay transparent or as they were; nil: too many.
    var colors: ColorTable?
    /// The same with the colors that are on the canvas in place of pixels that stay as they were; nil: too many.
    var opaqueColors: ColorTable?
  }

  /// How much larger the error with the global palette may be for that to be taken, and by how much anyway: the mean
  /// square of a step that nobody sees.
  private static let tolerance: (factor: Float, squared: Float) = (1.3, 3)

  private let file: GIFFile
  private let limit: Int
  private let placement: GIFOption.Palette
  /// The global palette as nearest colors are looked up in it.
  private var globalSearch: PaletteSearch?

  init(_ file: GIFFile, limit: Int, placement: GIFOption.Palette) {
    self.file = file
    self.limit = limit
    self.placement = placement
  }

  /// A palette that has every color of a frame, or nil when there are too many.
  func exactPalette(for frame: Frame) -> FramePalette? {
    guard let table = frame.colors ?? frame.opaqueColors else { return nil }
    if placement != .local, let palette = globalPalette(for: table) { return palette }
    return placement == .global ? nil : FramePalette(local: table.sorted, isExact: true)
  }

  private func globalPalette(for table: ColorTable) -> FramePalette? {
    let global = file.palette
    let isFirst = global.colors.isEmpty
    // Frames after the first one leave pixels as they are; a low index makes for short codes.
    let reserved = isFirst && file.isAnimation && table.colors.count < limit && table.index(of: 0) == nil ? 1 : 0
    let missing = table.colors.count(where: { global.index(of: $0) == nil })
    guard missing == 0 || file.hasRoom(for: missing + reserved, limit: limit) else { return nil }
    if reserved > 0 || (isFirst && table.index(of: 0) != nil) { global.insert(0) }
    if missing > 0 {
      globalSearch = nil
      for color in table.sorted { global.insert(color, weight: table.weights[Int(table.index(of: color) ?? 0)]) }
    }
    return FramePalette(global, isGlobal: true, isExact: true)
  }

  /// The best palette for a frame of too many colors.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  func reducedPalette(for histogram: ColorHistogram) throws(CoderError) -> FramePalette {
    let global = file.palette
    if placement == .global, !global.colors.isEmpty, holds(global, histogram) {
      return FramePalette(global, isGlobal: true, isExact: false)
    }
    let hasTransparency = histogram.hasTransparency || (file.isAnimation && limit > 2)
    let bins = try histogram.bins()
    let best = try PaletteMaker.palette(of: bins, limit: limit - (hasTransparency ? 1 : 0))
    let colors = (hasTransparency ? [0] : []) + best
    guard placement != .local else { return FramePalette(local: colors, isExact: false) }
    if global.colors.isEmpty, file.hasRoom(for: colors.count, limit: limit) {
      for color in colors { global.insert(color) }
      return FramePalette(global, isGlobal: true, isExact: false)
    }
    if holds(global, histogram) {
      let search: PaletteSearch
      if let known = globalSearch { search = known } else { search = try PaletteSearch(global.colors) }
      globalSearch = search
      let weight = bins.reduce(0) { $0 + $1.weight }
      let own = try PaletteSearch(best)
      let allowed = Self.tolerance.factor * own.error(of: bins) + Self.tolerance.squared * weight
      if search.error(of: bins) <= allowed { return FramePalette(global, isGlobal: true, isExact: false) }
    }
    return FramePalette(local: colors, isExact: false)
  }

  /// Whether the global palette has the transparent color where it is needed, and others.
  private func holds(_ global: ColorTable, _ histogram: ColorHistogram) -> Bool {
    guard global.colors.count > 1 else { return false }
    if global.index(of: 0) != nil || !histogram.hasTransparency { return true }
    guard file.hasRoom(for: 1, limit: limit) else { return false }
    return global.insert(0)
  }
}
