// SPDX-License-Identifier: Apache-2.0

import COpenJPEG
import ImageCoderPlugin

/// How pictures are encoded: the common wishes and the format's own options.
struct EncodingSettings {
  let isLossless: Bool
  /// Whether the codestream is put into a JP2 file.
  let isBoxed: Bool
  private let resolutions: Int
  /// The side of tiles, 0 for one tile.
  private let tile: Int
  private let progression: Int
  private let layers: Int
  /// Of the last layer, decibels.
  private let peakSignalToNoise: Double

  /// What holds when no quality is asked for.
  private static let defaultQuality = 0.8
  /// Layers of a picture that shall come in several passes.
  private static let progressiveLayers = 5

  /// The format's own options; the registry's manifest lists the same.
  static let descriptions: [OptionDescription] = [
    OptionDescription(
      name: "container", text: "file of boxes, or a bare codestream without metadata",
      kind: .choice(["jp2", "j2k"], default: 0)),
    OptionDescription(
      name: "resolutions", text: "sizes that the file holds at most, each half of the one above",
      kind: .integer(1...33, default: 6)),
    OptionDescription(
      name: "tile", text: "side of tiles in pixels; 0 is one tile", kind: .integer(0...65_535, default: 0)),
    OptionDescription(
      name: "progression", text: "order of layers (L), resolutions (R), components (C) and positions (P) in the file",
      kind: .choice(CodingStyle.Progression.allCases.map(\.name), default: 0)),
    OptionDescription(
      name: "layers", text: "qualities that the file holds, from coarse to fine", kind: .integer(1...20, default: 1)),
  ]

  /// - Throws: ``CoderError/Code/unsupported``, ``CoderError/Code/invalidArgument``.
  init(_ options: WriteOptions) throws(CoderError) {
    func integer(_ name: String, in range: ClosedRange<Int>, default value: Int) throws(CoderError) -> Int {
      guard let given = options.values[name] else { return value }
      guard let exact = Int(exactly: given), range.contains(exact) else {
        throw .invalidArgument("\(name) of \(given), \(range.lowerBound) to \(range.upperBound) are allowed")
      }
      return exact
    }
    isLossless = options.isLossless
    isBoxed = try integer("container", in: 0...1, default: 0) == 0
    resolutions = try integer("resolutions", in: 1...33, default: 6)
    tile = try integer("tile", in: 0...65_535, default: 0)
    progression = try integer("progression", in: 0...4, default: 0)
    layers = try integer("layers", in: 1...20, default: options.isProgressive ? Self.progressiveLayers : 1)
    peakSignalToNoise = 24 + 24 * min(max(options.quality ?? Self.defaultQuality, 0), 1)
  }

  /// The bits of a picture's samples in the file.
  ///
  /// - Parameter stated: What samples of 16 bits are said to hold.
  func bits(of pixels: PixelView, stated: Int) -> Int {
    let format = pixels.layout.format
    guard format.bytesPerChannel == 2, (9...15).contains(stated) else { return format.bytesPerChannel * 8 }
    return !isLossless || pixels.holdsSamples(ofBits: stated) ? stated : 16
  }

  /// Tiles of a picture, from left to right and top to bottom.
  func tiles(of size: Size) throws(CoderError) -> [Rect] {
    guard tile > 0, tile < max(size.width, size.height) else { return [Rect(covering: size)] }
    let across = size.width.dividedUp(by: tile)
    let down = size.height.dividedUp(by: tile)
    // ISO/IEC 15444-1 A.4.2: a tile's number is at most 65,534.
    guard across <= 65_535, down <= 65_535, across * down <= 65_535 else {
      throw .unsupported("\(across)×\(down) tiles, and JPEG 2000 holds 65535")
    }
    var tiles: [Rect] = []
    for row in 0..<down {
      for column in 0..<across {
        let (x, y) = (column * tile, row * tile)
        tiles.append(Rect(x: x, y: y, width: min(tile, size.width - x), height: min(tile, size.height - y)))
      }
    }
    return tiles
  }

  /// OpenJPEG's parameters for a picture.
  func parameters(for size: Size, colours: Int) -> opj_cparameters_t {
    var parameters = opj_cparameters_t()
    opj_set_default_encoder_parameters(&parameters)
    parameters.irreversible = isLossless ? 0 : 1
    parameters.prog_order = OPJ_PROG_ORDER(rawValue: OPJ_PROG_ORDER.RawValue(progression))
    parameters.tcp_mct = colours == 3 ? 1 : 0
    var side = min(size.width, size.height)
    if tile > 0, tile < max(size.width, size.height) {
      parameters.tile_size_on = 1
      parameters.cp_tdx = Int32(tile)
      parameters.cp_tdy = Int32(tile)
      side = tile
    }
    // OpenJPEG halves as long as a pixel is left, rounded down.
    parameters.numresolution = Int32(min(resolutions, Int.bitWidth - side.leadingZeroBitCount))
    parameters.tcp_numlayers = Int32(layers)
    withUnsafeMutablePointer(to: &parameters.tcp_rates) { rates in
      rates.withMemoryRebound(to: Float.self, capacity: 100) { rates in
        // Each layer but the last has half of the bytes of the next one; 0 is all there is.
        for layer in 0..<layers { rates[layer] = layer == layers - 1 ? 0 : Float(2 << (layers - 1 - layer)) }
      }
    }
    withUnsafeMutablePointer(to: &parameters.tcp_distoratio) { ratios in
      ratios.withMemoryRebound(to: Float.self, capacity: 100) { ratios in
        let step = min(4, (peakSignalToNoise - 10) / Double(layers))
        for layer in 0..<layers { ratios[layer] = Float(peakSignalToNoise - step * Double(layers - 1 - layer)) }
      }
    }
    if isLossless {
      parameters.cp_disto_alloc = 1
    } else {
      parameters.cp_fixed_quality = 1
    }
    return parameters
  }
}
