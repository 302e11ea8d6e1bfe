// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The channels of a part that make up the picture, as places in its list.
///
/// - Format: Technical Introduction to OpenEXR, "Channel Names" and "RGB Color", "Luminance/Chroma".
struct ChannelChoice: Hashable {
  enum Colors: Hashable {
    /// One or more of red, green and blue; what is missing is 0.
    case rgb(red: Int?, green: Int?, blue: Int?)
    /// Luminance, and what red and blue have more than it, in units of it.
    case chroma(luminance: Int, red: Int, blue: Int)
    /// One channel, which is shown as gray.
    case gray(Int)
  }

  let colors: Colors
  /// What the colors are multiplied by.
  let alpha: Int?
  /// The layer that the channels are of: an empty text for those without one.
  let layer: String

  /// The channels without a layer count first, then the first layer with colors, in the order of the file. In a part without
  /// colors, it is the first channel.
  init(_ channels: [Channel]) {
    var layers = [""]
    for channel in channels where !layers.contains(channel.layer) { layers.append(channel.layer) }
    for layer in layers {
      func place(_ name: String) -> Int? { channels.firstIndex { $0.layer == layer && $0.baseName == name } }
      let (red, green, blue) = (place("R"), place("G"), place("B"))
      if red != nil || green != nil || blue != nil {
        self.init(.rgb(red: red, green: green, blue: blue), alpha: place("A"), layer: layer)
        return
      }
      if let luminance = place("Y") {
        if let red = place("RY"), let blue = place("BY") {
          self.init(.chroma(luminance: luminance, red: red, blue: blue), alpha: place("A"), layer: layer)
        } else {
          self.init(.gray(luminance), alpha: place("A"), layer: layer)
        }
        return
      }
    }
    self.init(.gray(0), alpha: nil, layer: channels.first?.layer ?? "")
  }

  private init(_ colors: Colors, alpha: Int?, layer: String) {
    self.colors = colors
    self.alpha = alpha
    self.layer = layer
  }

  /// All places, each once.
  var places: [Int] {
    let colors: [Int?] =
      switch colors {
      case .rgb(let red, let green, let blue): [red, green, blue]
      case .chroma(let luminance, let red, let blue): [luminance, red, blue]
      case .gray(let place): [place]
      }
    return (colors + [alpha]).compactMap(\.self)
  }

  /// Checks that the picture can be put together of the channels.
  func check(_ channels: [Channel]) throws(CoderError) {
    var whole = places
    if case .chroma(_, let red, let blue) = colors {
      whole.removeAll { $0 == red || $0 == blue }
      guard channels[red].sampling == channels[blue].sampling else {
        throw .unsupported("chroma sampled by \(channels[red].sampling) and by \(channels[blue].sampling)")
      }
    }
    for place in whole where channels[place].isSubsampled {
      throw .unsupported("a color sampled by \(channels[place].sampling), chroma alone may be")
    }
  }
}
