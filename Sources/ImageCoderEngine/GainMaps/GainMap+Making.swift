// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoderModel

extension GainMap {
  /// The map that makes an HDR picture of a base: gray, with half of the base's sides.
  ///
  /// - Parameters:
  ///   - base: In the curve and the primaries of Display P3.
  ///   - light: The HDR picture in the same size: `rgba-float32`, light in the primaries of Display P3.
  /// - Returns: Nil if no light is above the white of an SDR picture.
  package static func made(for base: PixelBuffer, light: PixelBuffer) throws(CoderError) -> GainMap? {
    let size = Size(width: (base.size.width + 1) / 2, height: (base.size.height + 1) / 2)
    let linear = try base.converted(
      to: PixelLayout(.rgbaFloat32, .opaque),
      color: try ColorTransform(from: .displayP3, to: .named(12, 8), toneMapping: .clip))
    var gains = [Float](repeating: 0, count: size.pixelCount)
    var (least, most, peak) = (Float.infinity, -Float.infinity, Float(0))
    let offset: Float = 1.0 / 64
    for y in 0..<size.height {
      for x in 0..<size.width {
        var (bright, dark) = (Float(0), Float(0))
        for row in (2 * y)..<min(2 * y + 2, base.size.height) {
          let (from, to) = (
            linear.row(row).assumingMemoryBound(to: SIMD4<Float>.self),
            light.row(row).assumingMemoryBound(to: SIMD4<Float>.self)
          )
          for column in (2 * x)..<min(2 * x + 2, base.size.width) {
            let strongest = max(to[column].x, to[column].y, to[column].z, 0)
            peak = max(peak, strongest)
            bright += strongest + offset
            dark += max(from[column].x, from[column].y, from[column].z, 0) + offset
          }
        }
        let gain = min(max(log2f(bright / dark), -8), 16)
        gains[y * size.width + x] = gain
        (least, most) = (min(least, gain), max(most, gain))
      }
    }
    guard peak > 1.02, peak.isFinite else { return nil }
    let pixels = try PixelBuffer(size: size, format: .gray8, alpha: .opaque)
    let scale = most > least ? 255 / (most - least) : 0
    for y in 0..<size.height {
      let row = pixels.row(y)
      for x in 0..<size.width {
        row.storeBytes(
          of: UInt8(((gains[y * size.width + x] - least) * scale).rounded()), toByteOffset: x, as: UInt8.self)
      }
    }
    let channel = GainMapParameters.Channel(minimum: Double(least), maximum: Double(most))
    return GainMap(
      GainMapParameters(channel, alternateHeadroom: min(Double(log2f(peak)), 16)), pixels: pixels)
  }

  /// A part of the map, in another size. No value leaves the range of those around it.
  ///
  /// - Parameters:
  ///   - part: In pixels of `picture`.
  ///   - picture: The size of the picture that the map belongs to.
  ///   - size: Of the result.
  package func part(_ part: Rect, of picture: Size, size: Size) throws(CoderError) -> GainMap {
    let (columns, rows) = (
      Double(pixels.size.width) / Double(picture.width), Double(pixels.size.height) / Double(picture.height)
    )
    guard Rect(covering: picture) != part || size != pixels.size else { return self }
    let channels = pixels.format.channelCount
    let result = try PixelBuffer(size: size, format: pixels.format, alpha: .opaque)
    let (stepX, stepY) = (
      Double(part.width) * columns / Double(size.width), Double(part.height) * rows / Double(size.height)
    )
    // Where it becomes smaller, several places of each pixel are averaged.
    let (looksX, looksY) = (max(1, Int(stepX.rounded(.up))), max(1, Int(stepY.rounded(.up))))
    for y in 0..<size.height {
      let target = result.row(y)
      for x in 0..<size.width {
        for channel in 0..<channels {
          var sum = 0.0
          for down in 0..<looksY {
            let placeY = Double(part.y) * rows + (Double(y) + (Double(down) + 0.5) / Double(looksY)) * stepY - 0.5
            for across in 0..<looksX {
              let placeX =
                Double(part.x) * columns + (Double(x) + (Double(across) + 0.5) / Double(looksX)) * stepX - 0.5
              sum += sample(x: placeX, y: placeY, channel: channel, of: channels)
            }
          }
          target.storeBytes(
            of: UInt8((sum / Double(looksX * looksY)).rounded()), toByteOffset: x * channels + channel, as: UInt8.self)
        }
      }
    }
    var map = self
    map.pixels = result
    map.file = nil
    return map
  }

  /// A value between samples of 8 bits: 0 to 255.
  private func sample(x: Double, y: Double, channel: Int, of channels: Int) -> Double {
    let (x, y) = (
      min(max(x, 0), Double(pixels.size.width - 1)), min(max(y, 0), Double(pixels.size.height - 1))
    )
    let (left, top) = (Int(x), Int(y))
    let (right, bottom) = (min(left + 1, pixels.size.width - 1), min(top + 1, pixels.size.height - 1))
    func value(_ column: Int, _ row: Int) -> Double {
      Double(pixels.row(row).load(fromByteOffset: column * channels + channel, as: UInt8.self))
    }
    let (across, down) = (x - Double(left), y - Double(top))
    let upper = value(left, top) * (1 - across) + value(right, top) * across
    let lower = value(left, bottom) * (1 - across) + value(right, bottom) * across
    return upper * (1 - down) + lower * down
  }

  /// The metadata in both forms; gains in other primaries than the base's cannot be said in XMP.
  package var metadata: (iso: [UInt8], xmp: [UInt8]?) {
    (parameters.isoMetadata, parameters.usesBaseColors ? parameters.xmpPacket : nil)
  }

  /// An XMP packet without what it says of a gain map and of files after the picture; nil for one that cannot be read.
  package static func without(mapIn packet: [UInt8]) -> [UInt8]? {
    guard var editing = try? XMPEditing(packet) else { return nil }
    let gone = ["hdrgm", "Container", "Item"].compactMap { XMPNamespaces.namespace(of: $0) }
    editing.remove { namespace, _ in gone.contains(namespace) }
    return editing.packet
  }
}
