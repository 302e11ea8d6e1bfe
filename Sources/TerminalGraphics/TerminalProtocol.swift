// SPDX-License-Identifier: Apache-2.0

package import ImageCoders

/// What a picture is sent as to a terminal.
package enum TerminalProtocol: Equatable {
  /// Kitty's graphics: pixels, and frames that the terminal plays.
  case kitty
  /// iTerm2's inline images: files.
  case iTerm
  /// Sixels: pixels of up to 256 colors.
  case sixel
  /// Characters.
  case text(TextProtocol)

  /// The best that a terminal can do: by its answers, and for characters by the variables that it sets.
  package init(_ abilities: TerminalAbilities, environment: (String) -> String?) {
    let text: TextProtocol = abilities.hasAllColors ? .blocks : TextProtocol(environment: environment)
    if abilities.isMultiplexer {
      self = abilities.hasSixel ? .sixel : .text(text)
    } else if abilities.hasKitty {
      self = .kitty
    } else if abilities.hasITerm {
      self = .iTerm
    } else if abilities.hasSixel {
      self = .sixel
    } else {
      self = .text(text)
    }
  }

  /// Whether pictures are made of characters.
  package var isText: Bool { if case .text = self { true } else { false } }
}

/// How large pictures are on a terminal.
package struct TerminalDisplay {
  /// What pictures are sent as.
  package let style: TerminalProtocol
  /// The pixels of a picture that a character takes: for text two, one above the other, or those of its parts.
  package let cell: Size
  /// The most pixels of a side.
  private let largest: Size

  /// A character's size if the terminal does not say: that of common fonts.
  private static let usualCell = Size(width: 10, height: 20)

  /// - Parameters:
  ///   - window: The terminal's size in characters and in pixels, each 0 if it is not known.
  package init(_ style: TerminalProtocol, _ abilities: TerminalAbilities, window: (cells: Size, pixels: Size)) {
    self.style = style
    if case .text(let text) = style {
      cell = text.parts?.cell ?? Size(width: 1, height: 2)
      largest = Size(width: .max, height: .max)
      return
    }
    let measured = [abilities.area, window.pixels].lazy.compactMap { (area: Size?) -> Size? in
      guard let area, window.cells.width > 0, window.cells.height > 0 else { return nil }
      let size = Size(width: area.width / window.cells.width, height: area.height / window.cells.height)
      return size.isEmpty ? nil : size
    }.first
    cell = abilities.cell ?? measured ?? Self.usualCell
    // Kitty has no larger sides, and other terminals no use for them.
    let side = 10_000
    let sixel = style == .sixel ? abilities.largestSixel : nil
    largest = Size(width: min(sixel?.width ?? side, side), height: min(sixel?.height ?? side, side))
  }

  /// The box in pixels that a picture has to fit.
  ///
  /// - Parameters:
  ///   - cells: In characters; a side of 0 is free.
  ///   - window: The most characters, or nil for any number.
  package func box(cells: Size, within window: Size?) -> Size {
    var cells = cells
    if let window {
      cells.width = cells.width == 0 ? window.width : min(cells.width, window.width)
      cells.height = cells.height == 0 ? window.height : min(cells.height, window.height)
    }
    func pixels(_ cells: Int, _ cell: Int, _ most: Int) -> Int {
      let (product, overflow) = cells.multipliedReportingOverflow(by: cell)
      return overflow ? most : min(product, most)
    }
    var box = Size(
      width: pixels(cells.width, cell.width, largest.width), height: pixels(cells.height, cell.height, largest.height))
    if !style.isText {
      if box.width == 0 { box.width = largest.width }
      if box.height == 0 { box.height = largest.height }
    }
    // Sixels are six pixels high, and the last row of them must not reach into the line below.
    if style == .sixel, box.height >= 6 { box.height -= box.height % 6 }
    return box
  }

  /// The characters that a picture covers.
  package func cells(of picture: Size) -> Size {
    let height = style == .sixel ? (picture.height + 5) / 6 * 6 : picture.height
    return Size(
      width: (picture.width + cell.width - 1) / cell.width, height: (height + cell.height - 1) / cell.height)
  }
}
