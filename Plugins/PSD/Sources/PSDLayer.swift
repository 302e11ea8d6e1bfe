// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A layer as its record describes it, or a marker of a group of layers.
///
/// - Format: Adobe Photoshop File Formats Specification, "Layer records" and "Channel image data".
struct PSDLayer {
  /// What stands between layers ("Section divider setting").
  enum Marker: Int {
    case openGroup = 1
    case closedGroup = 2
    /// Below the lowest layer of a group.
    case end = 3
  }

  struct Channel {
    /// 0, 1, … are colors, -1 is transparency, and less are masks.
    let id: Int
    /// With its compression.
    let length: Int
    /// Where it begins in the file.
    var place = 0
  }

  /// On the canvas, and perhaps beyond it.
  var rect = Rect(x: 0, y: 0, width: 0, height: 0)
  var channels: [Channel] = []
  var blendMode = FourCC("norm")
  /// 0 to 255.
  var opacity = 255
  var isVisible = true
  var name = ""
  var marker: Marker?
  /// The names of the groups that it is in, from the outermost one.
  var groups: [String] = []

  /// Whether it has pixels: layers of text and shapes have, those that only change others have not.
  var isPicture: Bool { marker == nil && rect.width > 0 && rect.height > 0 }

  var hasAlpha: Bool { channels.contains { $0.id == -1 } }

  /// The layers with pixels, from the lowest one up, each with its groups. A group's own record is above its layers.
  static func pictures(in records: [PSDLayer]) -> [PSDLayer] {
    var groups: [String] = []
    var pictures: [PSDLayer] = []
    for record in records.reversed() {
      switch record.marker {
      case .openGroup?, .closedGroup?: groups.append(record.name)
      case .end?: _ = groups.popLast()
      case nil:
        guard record.isPicture else { continue }
        var picture = record
        picture.groups = groups
        pictures.append(picture)
      }
    }
    return pictures.reversed()
  }

  /// The word for a blend mode, or its key ("Blend mode key").
  var blendWord: String { Self.blendWords[blendMode] ?? "\(blendMode)" }

  private static let blendWords: [FourCC: String] = [
    FourCC("norm"): "normal", FourCC("diss"): "dissolve", FourCC("dark"): "darken", FourCC("mul "): "multiply",
    FourCC("idiv"): "color burn", FourCC("lbrn"): "linear burn", FourCC("lite"): "lighten", FourCC("scrn"): "screen",
    FourCC("div "): "color dodge", FourCC("lddg"): "linear dodge", FourCC("over"): "overlay",
    FourCC("sLit"): "soft light", FourCC("hLit"): "hard light", FourCC("diff"): "difference",
    FourCC("smud"): "exclusion", FourCC("fsub"): "subtract", FourCC("fdiv"): "divide", FourCC("hue "): "hue",
    FourCC("sat "): "saturation", FourCC("colr"): "color", FourCC("lum "): "luminosity",
  ]
}
