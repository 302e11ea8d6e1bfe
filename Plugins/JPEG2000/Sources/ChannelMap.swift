// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Which component or palette column each color comes from (ISO/IEC 15444-1 I.5.3.5, I.5.3.6).
struct ChannelMap {
  /// An entry of the `cmap` box.
  struct Source {
    let component: Int
    /// The column of the palette, or nil for the component's own samples.
    let column: Int?
  }

  /// An entry of the `cdef` box.
  struct Definition {
    let channel: Int
    /// 0 for a color, 1 for opacity, 2 for opacity that the colors are multiplied by.
    let type: Int
    /// 0 for the whole picture, else the number of a color from 1 on.
    let association: Int
  }

  /// A channel of the picture.
  struct Channel {
    let component: Int
    let bits: Int
    let isSigned: Bool
    let column: Palette.Column?
  }

  let model: ColorModel
  let colors: [Channel]
  let alpha: Channel?
  let isPremultiplied: Bool
  let hasPalette: Bool

  /// - Throws: ``CoderError/Code/malformed`` for components and columns that do not exist.
  init(_ header: FileHeader, grid: ReferenceGrid) throws(CoderError) {
    var sources = grid.components.indices.map { Source(component: $0, column: nil) }
    if let palette = header.palette, !header.mapping.isEmpty {
      sources = header.mapping
      for source in sources {
        guard source.component < grid.components.count, source.column ?? 0 < palette.columns.count else {
          throw .malformed(
            "a channel of component \(source.component) and column \(source.column ?? 0), "
              + "\(grid.components.count) and \(palette.columns.count) are there")
        }
      }
    }
    hasPalette = sources.contains { $0.column != nil }
    let definitions = header.definitions.filter { $0.channel < sources.count }
    let opacity = definitions.first { ($0.type == 1 || $0.type == 2) && $0.association == 0 }
    // Without definitions, one channel more than the colors is taken for opacity, as other readers do.
    let known = header.color?.model
    var opacityIndex = opacity?.channel
    if definitions.isEmpty {
      let expected = known?.channelCount ?? (sources.count <= 2 ? 1 : 3)
      if sources.count == expected + 1 { opacityIndex = expected }
    }
    let rest = sources.indices.filter { index in
      index != opacityIndex && definitions.first { $0.channel == index }?.type ?? 0 == 0
    }
    let model = Self.model(known, channels: rest.isEmpty ? sources.count : rest.count, sources: sources, grid: grid)
    func channel(_ index: Int) -> Channel {
      let source = sources[index]
      if let number = source.column, let column = header.palette?.columns[number] {
        return Channel(component: source.component, bits: column.bits, isSigned: column.isSigned, column: column)
      }
      let component = grid.components[source.component]
      return Channel(component: source.component, bits: component.bits, isSigned: component.isSigned, column: nil)
    }
    colors = (0..<model.channelCount).map { number in
      let defined = definitions.first { $0.type == 0 && $0.association == number + 1 }?.channel
      // A model never has more colors than there are channels.
      return channel(defined ?? (number < rest.count ? rest[number] : min(number, sources.count - 1)))
    }
    self.model = model
    alpha = opacityIndex.map(channel)
    isPremultiplied = opacity?.type == 2
  }

  /// The model that is said, if there are channels enough for it, else a guess.
  private static func model(
    _ known: ColorModel?, channels: Int, sources: [Source], grid: ReferenceGrid
  ) -> ColorModel {
    if let known, known.channelCount <= channels { return known }
    guard channels >= 3 else { return .gray }
    let components = sources.prefix(3).map { grid.components[$0.component] }
    // Color differences at a part of luma's resolution are all that tells them from red and blue.
    let isSubsampled =
      components[0].dx == grid.pixel.dx && components[0].dy == grid.pixel.dy
      && (components[1].dx > components[0].dx || components[1].dy > components[0].dy)
    return known == nil && isSubsampled && components[1].dx == components[2].dx ? .ycc(.bt601) : .rgb
  }

  private var channels: [Channel] { colors + (alpha.map { [$0] } ?? []) }

  /// Components that the picture is made of, in order.
  var components: [Int] { Set(channels.map(\.component)).sorted() }

  /// Bits of the samples that come out: 8, or 16 when that is not enough.
  var depth: Int { channels.contains { $0.bits > 8 } ? 16 : 8 }

  /// The narrowest format.
  var pixelFormat: PixelFormat {
    switch (model.isGray, alpha != nil, depth) {
    case (true, false, 8): .gray8
    case (true, true, 8): .grayAlpha8
    case (true, false, _): .gray16
    case (true, true, _): .grayAlpha16
    case (false, false, 8): .rgb8
    case (false, true, 8): .rgba8
    case (false, false, _): .rgb16
    case (false, true, _): .rgba16
    }
  }
}
