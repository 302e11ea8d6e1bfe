// SPDX-License-Identifier: Apache-2.0

import CHostSystem
import Glibc
package import ImageCoders

/// Makes the bytes that draw pictures with their upper left corner at the cursor. Where the cursor is afterwards is up to
/// the terminal.
package protocol PicturePainter {
  /// The bytes of a picture, in place of the one before it.
  ///
  /// - Parameter pixels: In `rgba8`: premultiplied for sixels and text, else straight.
  /// - Throws: ``CoderError``, if the picture cannot be encoded.
  mutating func draw(_ pixels: PixelBuffer) throws(CoderError) -> [UInt8]

  /// The bytes that take away what would stay in the terminal's memory, or none. At most 100.
  var removal: [UInt8] { get }
}

extension PicturePainter {
  /// None: pictures are part of the text.
  package var removal: [UInt8] { [] }
}

/// PNG files for terminals, with whatever coder is installed.
package struct TerminalPNG {
  private let registry: CoderRegistry
  private var options = EncodeOptions()

  package init(_ registry: CoderRegistry) {
    self.registry = registry
    options.metadata = []
    // The way is short: a file that is made quickly is better than a small one.
    options.values["compression"] = .number(1)
  }

  /// Whether there is a coder.
  package var isThere: Bool { registry.writableFormats.contains(.png) }

  package func file(_ pixels: PixelBuffer) throws(CoderError) -> [UInt8] {
    try registry.encode(Image(pixels), as: .png, options: options)
  }
}

/// Pixels in shared memory, until the terminal has read and removed them, or this object goes away.
package final class SharedPixels {
  /// The name that the terminal opens.
  package let name: String
  /// The same as a path, in the table of files that are removed if the process ends at once.
  private let path: UnsafeMutablePointer<CChar>
  private let place: Int32

  /// - Parameter pixels: Copied, row after row.
  package init?(_ pixels: PixelBuffer) {
    name = "/coders-\(getpid())-\(UInt32.random(in: 0...(.max)))"
    // Shared memory is a file there: shm_overview(7).
    guard let path = strdup("/dev/shm\(name)") else { return nil }
    self.path = path
    place = chostsystem_add_temporary(path)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    for y in 0..<pixels.size.height {
      // Written rather than mapped: no room is an error then, and no signal.
      guard pixels.withRow(y, { Self.write($0, to: descriptor) }) else { return nil }
    }
  }

  private static func write(_ row: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = row[...]
    while !rest.isEmpty {
      let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return false }
      rest = rest.dropFirst(written)
    }
    return true
  }

  deinit {
    unlink(path)
    if chostsystem_drop_temporary(place) != 0 { free(path) }
  }
}
