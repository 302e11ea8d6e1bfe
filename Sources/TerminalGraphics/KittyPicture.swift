// SPDX-License-Identifier: Apache-2.0

package import ImageCoders

/// Pictures in kitty's graphics protocol.
///
/// - Format: kitty, docs/graphics-protocol.rst.
package struct KittyPicture: PicturePainter {
  /// How pixels get to the terminal.
  package enum Transport {
    /// Through memory that both see.
    case sharedMemory
    /// As a PNG file.
    case png(TerminalPNG)
    /// As they are.
    case plain
  }

  private var transport: Transport
  /// Whether a picture replaces the one before it.
  private let isPlaying: Bool
  /// Numbers of pictures, not those that other programs use. Two in turn: the old one goes away when the new one is there.
  private let ids: (UInt32, UInt32)
  private var shown: UInt32?
  private var shared: [SharedPixels] = []

  /// The most letters of a chunk.
  private static let chunk = 4096
  /// Pictures whose shared memory the terminal may not have read yet.
  private static let inFlight = 3

  /// - Parameters:
  ///   - isPlaying: Whether a picture replaces the one before it; otherwise all stay.
  ///   - id: The number of the first picture, or nil for a random one.
  package init(_ transport: Transport, isPlaying: Bool, id: UInt32? = nil) {
    self.transport = transport
    self.isPlaying = isPlaying
    let first = id ?? Self.randomID
    ids = (first, first + 1)
  }

  /// A number that no other program is likely to use.
  static var randomID: UInt32 { UInt32.random(in: 1 << 16...UInt32.max - 1) }

  package mutating func draw(_ pixels: PixelBuffer) throws(CoderError) -> [UInt8] {
    let other = isPlaying ? ids.1 : Self.randomID
    let id = shown == nil || (isPlaying && shown == ids.1) ? ids.0 : other
    // q: no answers; C: the cursor stays.
    var bytes = try command("a=T,q=2,C=1,i=\(id)", "q=2", pixels)
    if isPlaying, let shown { bytes += Self.delete(shown) }
    shown = id
    return bytes
  }

  package var removal: [UInt8] {
    // Both: the new one may be there and the old one not yet gone.
    isPlaying ? Self.delete(ids.0) + Self.delete(ids.1) : []
  }

  /// A picture and the memory that it has.
  static func delete(_ id: UInt32) -> [UInt8] { Self.command("a=d,d=I,i=\(id),q=2") }

  /// A command without pixels.
  static func command(_ keys: String) -> [UInt8] { Array("\u{1B}_G\(keys)\u{1B}\\".utf8) }

  /// A command with pixels.
  ///
  /// - Parameters:
  ///   - keys: Those of the command.
  ///   - laterKeys: Those that later chunks repeat.
  mutating func command(_ keys: String, _ laterKeys: String, _ pixels: PixelBuffer) throws(CoderError) -> [UInt8] {
    let (width, height) = (pixels.size.width, pixels.size.height)
    switch transport {
    case .sharedMemory:
      if let memory = SharedPixels(pixels) {
        shared = shared.suffix(Self.inFlight) + [memory]
        let name = Base64.text(Array(memory.name.utf8))
        return Self.chunks(
          "\(keys),f=32,s=\(width),v=\(height),t=s,S=\(width * height * 4)", laterKeys, name)
      }
      // No room: from now on without.
      transport = .plain
      fallthrough
    case .plain:
      return Self.chunks("\(keys),f=32,s=\(width),v=\(height)", laterKeys, Base64.text(pixels.copyBytes()))
    case .png(let coder):
      return Self.chunks("\(keys),f=100", laterKeys, Base64.text(try coder.file(pixels)))
    }
  }

  private static func chunks(_ keys: String, _ laterKeys: String, _ text: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count + text.count / 100 + 200)
    var start = 0
    repeat {
      let end = min(start + chunk, text.count)
      let more = end < text.count
      // m=1: the rest follows.
      let head = start == 0 ? (more ? "\(keys),m=1" : keys) : "\(laterKeys),m=\(more ? 1 : 0)"
      bytes += "\u{1B}_G\(head);".utf8
      bytes += text[start..<end]
      bytes += "\u{1B}\\".utf8
      start = end
    } while start < text.count
    return bytes
  }
}
