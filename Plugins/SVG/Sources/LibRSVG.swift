// SPDX-License-Identifier: Apache-2.0

import CSVGShim
import ImageCoderPlugin

/// librsvg, as a drawing that frees itself.
enum LibRSVG {
  /// The library as it was found at run time, `librsvg 2.54.7`.
  static var name: String { "librsvg " + String(cString: csvg_version()) }

  /// The longest side of a picture that it draws, in pixels.
  static let largestSide = Int(CSVG_LARGEST_SIDE)

  /// Reads what is otherwise read with the first text, while that is still possible: a worker opens no files later.
  static func loadIfAsked() { csvg_load_if_asked() }

  /// Whether a font can be opened. Without one, librsvg leaves text out, or draws boxes for it, and does not say so.
  static var hasFonts: Bool { csvg_has_fonts() != 0 }

  /// A part of a drawing: `columns` × `rows` pixels at `x`, `y` of the whole.
  struct Area {
    /// The drawing's own size, in its pixels.
    var natural: (width: Double, height: Double)
    /// How many pixels one of those becomes.
    var scale: (across: Double, down: Double)
    var part: Rect
    /// What it is drawn over, or nil for nothing.
    var background: Background?

    fileprivate var raw: csvg_area {
      csvg_area(
        width: natural.width, height: natural.height, across: scale.across, down: scale.down,
        x: UInt32(clamping: part.x), y: UInt32(clamping: part.y), columns: UInt32(clamping: part.width),
        rows: UInt32(clamping: part.height), background: background?.pixel ?? 0)
    }
  }

  /// A parsed document.
  final class Drawing {
    private let raw: OpaquePointer

    /// - Parameter text: Read during the call only.
    /// - Throws: ``CoderError/Code/malformed``, ``CoderError/Code/truncated``, ``CoderError/Code/unsupported``.
    init(_ text: UnsafeRawBufferPointer) throws(CoderError) {
      var failure = csvg_failure()
      guard let raw = csvg_open(text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count, &failure) else {
        throw CoderError(failure)
      }
      self.raw = raw
    }

    deinit { csvg_close(raw) }

    var dimensions: csvg_dimensions { csvg_measure(raw) }

    /// Draws a part as premultiplied RGBA.
    ///
    /// - Parameter rows: `part.height` × `stride` bytes.
    func draw(_ area: Area, into rows: UnsafeMutableRawPointer, stride: Int) throws(CoderError) {
      var failure = csvg_failure()
      var raw = area.raw
      let pixels = rows.assumingMemoryBound(to: UInt8.self)
      guard csvg_draw(self.raw, &raw, pixels, stride, &failure) == IMGCODER_STATUS_OK else { throw CoderError(failure) }
    }
  }
}

extension CoderError {
  fileprivate init(_ failure: csvg_failure) {
    let message = withUnsafeBytes(of: failure.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    self.init(code: Code(rawValue: failure.status), message: message)
  }
}
