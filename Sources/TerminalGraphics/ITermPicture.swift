// SPDX-License-Identifier: Apache-2.0

package import ImageCoders

/// Pictures as files in iTerm2's protocol.
///
/// - Format: iTerm2, Inline Images Protocol: OSC 1337, File.
package struct ITermPicture: PicturePainter {
  private let display: TerminalDisplay
  private let coder: TerminalPNG

  package init(_ display: TerminalDisplay, _ coder: TerminalPNG) {
    self.display = display
    self.coder = coder
  }

  package func draw(_ pixels: PixelBuffer) throws(CoderError) -> [UInt8] {
    let file = try coder.file(pixels)
    let cells = display.cells(of: pixels.size)
    let keys = "inline=1;size=\(file.count);width=\(cells.width);height=\(cells.height);preserveAspectRatio=1"
    return Array("\u{1B}]1337;File=\(keys):".utf8) + Base64.text(file) + [0x07]
  }
}
