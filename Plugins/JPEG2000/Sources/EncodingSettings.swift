// SPDX-License-Identifier: Apache-2.0

import COpenJPEG
import ImageCoderPlugin

/// What the options come to for OpenJPEG.
struct EncodingSettings {
  let isLossless: Bool
  /// Whether the codestream is put into a JP2 file.
  let isBoxed: Bool
  private let resolutions: Int
  /// The side of tiles, 0 for one tile.
  private let tile: Int
  private let progression: CodingStyle.Progression
  private let layers: Int
  /// The peak signal to noise of the last layer, decibels.
  private let peakSignalToNoise: Double

  /// Layers of a progressive picture.
  private static let progressiveLayers = 5

  init(_ options: WriteOptions) {
    isLossless = options.isLossless
    isBoxed = options[JPEG2000Option.container] == .jp2
    resolutions = options[JPEG2000Option.resolutions]
    tile = options[JPEG2000Option.tile]
    progression = options[JPEG2000Option.progression]
    layers = options.given(JPEG2000Option.layers) ?? (options[JPEG2000Option.progressive] ? Self.progressiveLayers : 1)
    peakSignalToNoise = 24 + 24 * options[JPEG2000Option.quality]
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
    let across = size.width.dividedRoundingUp(by: tile)
    let down = size.height.dividedRoundingUp(by: tile)
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

  /// The length of the last tile along a side.
  private static func lastTile(_ length: Int, _ tile: Int) -> Int {
    let rest = length % tile
    return rest == 0 ? tile : rest
  }

  /// OpenJPEG's parameters for a picture.
  func parameters(for size: Size, colors: Int) -> opj_cparameters_t {
    var parameters = opj_cparameters_t()
    opj_set_default_encoder_parameters(&parameters)
    parameters.irreversible = isLossless ? 0 : 1
    parameters.prog_order = OPJ_PROG_ORDER(rawValue: OPJ_PROG_ORDER.RawValue(progression.code))
    parameters.tcp_mct = colors == 3 ? 1 : 0
    var side = min(size.width, size.height)
    if tile > 0, tile < max(size.width, size.height) {
      parameters.tile_size_on = 1
      parameters.cp_tdx = Int32(tile)
      parameters.cp_tdy = Int32(tile)
      side = tile
      // OpenJPEG's 9-7 transform ends the process when a tile at an edge is halved too often.
      if !isLossless { side = min(tile, Self.lastTile(size.width, tile), Self.lastTile(size.height, tile)) }
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
