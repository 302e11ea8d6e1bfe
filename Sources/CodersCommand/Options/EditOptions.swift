// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoders

/// Options that cut out, turn and mirror pictures.
struct EditOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Keep only this part of the upright picture: 300x200+10+20 begins 10 pixels from the left and 20 from the top.",
      valueName: "wxh+x+y"), transform: CropArgument.parsed)
  var crop: CropArgument?

  @Option(help: ArgumentHelp("Then turn the picture clockwise.", valueName: "degrees"))
  var rotate: RotationArgument?

  @Option(help: ArgumentHelp("Then mirror the picture.", valueName: "direction"))
  var flip: FlipArgument?

  /// What is done to every picture.
  var edit: PixelEdit {
    var edit = PixelEdit()
    edit.crop = crop?.rect
    edit.turns = [rotate?.turn, flip?.turn].compactMap { $0 }
    return edit
  }
}

/// A part of a picture on the command line: `300x200+10+20`.
struct CropArgument: DescribedArgument {
  let rect: Rect

  init?(argument: String) {
    let parts = argument.split(separator: "+", omittingEmptySubsequences: false)
    let sides = parts[0].split(omittingEmptySubsequences: false) { "xX×".contains($0) }
    guard parts.count == 3, sides.count == 2 else { return nil }
    let numbers = (sides + parts[1...]).compactMap { word in word.allSatisfy(\.isNumber) ? Int(word) : nil }
    guard numbers.count == 4, numbers[0] > 0, numbers[1] > 0 else { return nil }
    rect = Rect(x: numbers[2], y: numbers[3], width: numbers[0], height: numbers[1])
  }

  static func allowed(for text: String) -> String {
    "a part is WIDTHxHEIGHT+LEFT+TOP in pixels, such as 300x200+10+20"
  }
}

/// Degrees by which a picture is turned clockwise.
enum RotationArgument: String, ExpressibleByArgument, CaseIterable {
  case quarter = "90"
  case half = "180"
  case threeQuarters = "270"

  /// The orientation of a picture that is made upright by this turn.
  var turn: Orientation {
    switch self {
    case .quarter: .right
    case .half: .down
    case .threeQuarters: .left
    }
  }
}

/// How a picture is mirrored: `horizontal` exchanges left and right.
enum FlipArgument: String, ExpressibleByArgument, CaseIterable {
  case horizontal, vertical

  var turn: Orientation { self == .horizontal ? .upMirrored : .downMirrored }
}
