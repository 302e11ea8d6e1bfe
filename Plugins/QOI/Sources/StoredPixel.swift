// SPDX-License-Identifier: Apache-2.0

/// How a pixel lies in a row.
protocol StoredPixel {
  static var size: Int { get }
  static func load(_ source: UnsafeRawPointer) -> Pixel
  static func store(_ pixel: Pixel, to target: UnsafeMutableRawPointer)
}

enum FourChannels: StoredPixel {
  static var size: Int { 4 }
  static func load(_ source: UnsafeRawPointer) -> Pixel {
    Pixel(bits: UInt32(littleEndian: source.loadUnaligned(as: UInt32.self)))
  }
  static func store(_ pixel: Pixel, to target: UnsafeMutableRawPointer) {
    target.storeBytes(of: pixel.bits.littleEndian, as: UInt32.self)
  }
}

/// A file of three channels is opaque, whatever its chunks say of alpha.
enum OpaqueFourChannels: StoredPixel {
  static var size: Int { 4 }
  static func load(_ source: UnsafeRawPointer) -> Pixel { Pixel(bits: FourChannels.load(source).bits | 0xFF00_0000) }
  static func store(_ pixel: Pixel, to target: UnsafeMutableRawPointer) {
    FourChannels.store(Pixel(bits: pixel.bits | 0xFF00_0000), to: target)
  }
}

enum ThreeChannels: StoredPixel {
  static var size: Int { 3 }
  static func load(_ source: UnsafeRawPointer) -> Pixel {
    let bytes = source.assumingMemoryBound(to: UInt8.self)
    return Pixel(bits: 0xFF00_0000 | UInt32(bytes[2]) << 16 | UInt32(bytes[1]) << 8 | UInt32(bytes[0]))
  }
  static func store(_ pixel: Pixel, to target: UnsafeMutableRawPointer) {
    target.storeBytes(of: UInt16(truncatingIfNeeded: pixel.bits).littleEndian, as: UInt16.self)
    target.storeBytes(of: pixel[2], toByteOffset: 2, as: UInt8.self)
  }
}
