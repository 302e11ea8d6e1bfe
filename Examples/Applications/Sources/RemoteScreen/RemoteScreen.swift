// SPDX-License-Identifier: Apache-2.0

import Glibc
public import ImageCoders

/// The screen of another machine, as a remote-desktop client has it: JPEG files arrive on a socket, each for a part of the
/// screen, and are decoded into the one memory that is shown. A frame allocates no memory for pixels and none for its file.
///
/// A message is five numbers of four bytes, the highest first: left, top, width, height, and the bytes of the JPEG file that
/// follow them.
///
/// - Threads: One at a time, which waits for the socket: a thread of its own.
public final class RemoteScreen {
  /// What is seen now, in `rgba8`.
  public let pixels: PixelBuffer
  private let registry: CoderRegistry
  private var options = DecodeOptions(pixelFormat: .rgba8, isStrict: true, allowedFormats: [.jpeg])
  private let message: UnsafeMutableRawBufferPointer

  /// - Parameter maxBytes: The largest file that may come.
  public init(size: Size, maxBytes: Int = 4 << 20, registry: CoderRegistry) throws(CoderError) {
    pixels = try PixelBuffer(copying: [UInt8](repeating: 0, count: size.pixelCount * 4), size: size, format: .rgba8)
    message = .allocate(byteCount: maxBytes, alignment: 16)
    self.registry = registry
  }

  deinit { message.deallocate() }

  /// Draws the next part.
  ///
  /// - Returns: The part, or nil at the end of the connection.
  /// - Throws: ``CoderError``; after one of the picture, the next message can be read.
  public func update(from socket: Int32) throws(CoderError) -> Rect? {
    guard receive(20, from: socket) else { return nil }
    let numbers = (0..<5).map { Int(UInt32(bigEndian: message.load(fromByteOffset: $0 * 4, as: UInt32.self))) }
    let part = Rect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    guard numbers[4] <= message.count, receive(numbers[4], from: socket) else {
      throw CoderError(code: .truncated, message: "a message of \(numbers[4]) bytes")
    }
    options.destination = try pixels.region(part)
    _ = try registry.decode(.unowned(UnsafeRawBufferPointer(rebasing: message[..<numbers[4]])), options: options)
    return part
  }

  /// Fills the memory of the message.
  ///
  /// - Returns: Whether all bytes came.
  private func receive(_ count: Int, from socket: Int32) -> Bool {
    var have = 0
    while have < count {
      let got = read(socket, UnsafeMutableRawBufferPointer(rebasing: message[have...]).baseAddress, count - have)
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return false }
      have += got
    }
    return true
  }
}
