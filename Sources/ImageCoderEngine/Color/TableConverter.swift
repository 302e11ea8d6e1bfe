// SPDX-License-Identifier: Apache-2.0

import CHostSystem
import ImageCoderModel

/// Converts colors by the tables of profiles, which Little CMS reads. The library is looked for when the program runs.
package final class TableConverter: @unchecked Sendable {
  // Unchecked: the library's conversions without a cache may be used by several threads.
  private let colors: OpaquePointer

  /// Bytes of memory that the library may use for one conversion. The tables of a 16 MiB profile take four times that
  /// as floating point.
  private static let memoryLimit = 256 << 20

  /// Whether the library is there.
  package static var isAvailable: Bool { chostsystem_colors_available() != 0 }

  /// - Parameters:
  ///   - source: A profile that ``ICCColorReader`` has accepted.
  ///   - target: The same.
  ///   - takesInks: Whether pixels of the source are cyan, magenta, yellow and black, in percent.
  /// - Throws: ``CoderError/Code/unsupported`` if the library is not there; ``CoderError/Code/malformed`` with what it
  ///   says of a profile.
  init(
    from source: [UInt8], to target: [UInt8], intent: RenderingIntent, blackPoint: BlackPoint,
    takesInks: Bool = false
  ) throws(CoderError) {
    guard Self.isAvailable else {
      throw .unsupported("profiles with tables need Little CMS, and liblcms2.so.2 is not found")
    }
    var message = [CChar](repeating: 0, count: 256)
    let made = chostsystem_colors_open(
      source, source.count, target, target.count, intent.rawValue, blackPoint == .compensated ? 1 : 0,
      takesInks ? 1 : 0, Self.memoryLimit, &message, message.count)
    guard let made else {
      let words = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw .malformed("Little CMS says: \(String(decoding: words, as: UTF8.self))")
    }
    colors = made
  }

  deinit { chostsystem_colors_close(colors) }

  /// Converts pixels of `rgbaFloat32`.
  ///
  /// - Parameter pixels: Aligned as floats are.
  func convert(_ pixels: UnsafeMutableRawPointer, count: Int) {
    let floats = pixels.assumingMemoryBound(to: Float.self)
    chostsystem_colors_convert(colors, floats, floats, count)
  }
}
