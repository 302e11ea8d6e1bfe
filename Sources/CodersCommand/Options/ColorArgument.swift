// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// An opaque color on the command line: `ff8800`, `#ff8800`, `#f80`, or a name of CSS such as `orange`.
struct ColorArgument: DescribedArgument {
  let color: PixelColor

  init?(argument: String) {
    guard let color = PixelColor(parsing: argument) ?? PixelColor(parsing: "#" + argument), color.isOpaque else {
      return nil
    }
    self.color = color
  }

  static func allowed(for text: String) -> String {
    "a color is a name of CSS, or six hexadecimal digits such as ff8800"
      + Spelling.question(text.lowercased(), in: PixelColor.names.keys.sorted())
  }
}
