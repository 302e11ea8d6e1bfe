// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderPlugin
import SharedPlanes

/// Samples of one plane.
struct Samples {
  let width: Int
  let height: Int
  let values: [UInt16]

  init(width: Int, height: Int, _ value: (_ x: Int, _ y: Int) -> Int) {
    self.width = width
    self.height = height
    values = (0..<height).flatMap { y in (0..<width).map { x in UInt16(value(x, y)) } }
  }

  subscript(x: Int, y: Int) -> Int { Int(values[y * width + x]) }
}

/// A picture in planes, its conversion, and what H.273 says about each pixel.
struct Planes {
  var luma: Samples
  var chroma: (cb: Samples, cr: Samples)?
  var alpha: (samples: Samples, bits: Int)?
  var bits: Int
  var subsampling: Subsampling

  /// Random samples, the same each time.
  init(width: Int, height: Int, bits: Int, subsampling: Subsampling, seed: UInt64 = 1) {
    var state = seed
    func plane(_ width: Int, _ height: Int) -> Samples {
      Samples(width: width, height: height) { _, _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) & ((1 << bits) - 1)
      }
    }
    luma = plane(width, height)
    let columns = subsampling == .s444 ? width : (width + 1) / 2
    let rows = subsampling == .s420 ? (height + 1) / 2 : height
    chroma = subsampling == .s400 ? nil : (plane(columns, rows), plane(columns, rows))
    self.bits = bits
    self.subsampling = subsampling
  }

  init(luma: Samples, chroma: (cb: Samples, cr: Samples)?, bits: Int, subsampling: Subsampling) {
    self.luma = luma
    self.chroma = chroma
    self.bits = bits
    self.subsampling = subsampling
  }

  var size: Size { Size(width: luma.width, height: luma.height) }

  /// Converts a rectangle, all of the picture without one, into samples of the format; the memory around it stays as
  /// it is.
  func converted(
    by converter: PlaneConverter, as format: PixelFormat, rect: Rect? = nil
  ) throws -> [Int] {
    let rect = rect ?? Rect(x: 0, y: 0, width: size.width, height: size.height)
    return try withPicture { picture in
      try Self.pixels(of: rect, as: format) { memory, stride in
        try converter.convert(picture, rect, to: memory, stride: stride)
      }
    }
  }

  /// A rectangle of pixels.
  static func part(_ rect: Rect, of pixels: [Int], width: Int, channels: Int) -> [Int] {
    var part: [Int] = []
    for y in rect.y..<rect.y + rect.height {
      let first = (y * width + rect.x) * channels
      part += pixels[first..<first + rect.width * channels]
    }
    return part
  }

  /// The samples that `body` writes.
  static func pixels(
    of rect: Rect, as format: PixelFormat, _ body: (_ memory: UnsafeMutableRawPointer, _ stride: Int) throws -> Void
  ) throws -> [Int] {
    let rowBytes = rect.width * format.bytesPerPixel
    let stride = rowBytes + 6
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: stride * rect.height + 16, alignment: 16)
    defer { memory.deallocate() }
    for index in memory.indices { memory[index] = 0xA5 }
    guard let base = memory.baseAddress else { return [] }
    try body(base + 8, stride)
    for index in memory.indices {
      let place = index - 8
      if place >= 0, place < stride * rect.height, place % stride < rowBytes { continue }
      guard memory[index] == 0xA5 else { throw CoderError.libraryFailure("byte \(place) is outside the rows") }
    }
    return (0..<rect.height).flatMap { y in
      (0..<rect.width * format.channelCount).map { index in
        let place = 8 + y * stride + index * format.bytesPerChannel
        return format.bytesPerChannel == 1
          ? Int(memory[place]) : Int(memory.loadUnaligned(fromByteOffset: place, as: UInt16.self))
      }
    }
  }

  /// The checked picture, in memory whose rows are as short as they may be.
  func withPicture<Result>(_ body: (PlanarPicture) throws -> Result) throws -> Result {
    var memory: [UnsafeMutableRawPointer] = []
    defer { for plane in memory { plane.deallocate() } }
    func plane(_ samples: Samples, bits: Int) -> PlanarPicture.Plane {
      let bytes = bits > 8 ? 2 : 1
      let base = UnsafeMutableRawPointer.allocate(byteCount: samples.values.count * bytes, alignment: 2)
      for (index, value) in samples.values.enumerated() {
        if bytes == 2 {
          base.storeBytes(of: value, toByteOffset: index * 2, as: UInt16.self)
        } else {
          base.storeBytes(of: UInt8(value), toByteOffset: index, as: UInt8.self)
        }
      }
      memory.append(base)
      return PlanarPicture.Plane(base: base, stride: samples.width * bytes)
    }
    return try body(
      PlanarPicture(
        size: size, bits: bits, subsampling: subsampling, luma: plane(luma, bits: bits),
        chroma: chroma.map { (plane($0.cb, bits: bits), plane($0.cr, bits: bits)) },
        alpha: alpha.map { (plane($0.samples, bits: $0.bits), $0.bits) }))
  }
}

/// ITU-T H.273 §8.3 in numbers of 64 bits, turned around: from 0 to 1.
struct Equations {
  let matrix: ColorMatrix
  let isFullRange: Bool
  let bits: Int

  func color(luma: Double, cb: Double, cr: Double) -> [Double] {
    let unit = Double(1 << (bits - 8))
    let largest = Double(1 << bits) - 1
    let (black, span) = isFullRange ? (0, largest) : (16 * unit, 219 * unit)
    let chromaSpan = isFullRange ? largest : 224 * unit
    let y = (luma - black) / span
    let b = (cb - 128 * unit) / chromaSpan
    let r = (cr - 128 * unit) / chromaSpan
    let color: [Double]
    switch matrix {
    case .identity: color = [(cr - black) / span, y, (cb - black) / span]
    case .yCgCo: color = [y - b + r, y + b, y - b - r]
    case .weights(let kr, let kb):
      let red = y + 2 * (1 - kr) * r
      let blue = y + 2 * (1 - kb) * b
      color = [red, (y - kr * red - kb * blue) / (1 - kr - kb), blue]
    case .yCgCoR: color = []
    case .constantLuminance(let kr, let kb, _):
      color = Self.constantLuminance(y: min(max(y, 0), 1), b: b, r: r, kr: kr, kb: kb)
    }
    return color.map { min(max($0, 0), 1) }
  }

  /// Equations 47 to 53 with the curve of BT.2020.
  private static func constantLuminance(y: Double, b: Double, r: Double, kr: Double, kb: Double) -> [Double] {
    let (alpha, beta) = (1.09929682680944, 0.018053968510807)
    func code(_ light: Double) -> Double { light < beta ? 4.5 * light : alpha * pow(light, 0.45) - (alpha - 1) }
    func light(_ code: Double) -> Double {
      code < 4.5 * beta ? code / 4.5 : pow((code + (alpha - 1)) / alpha, 1 / 0.45)
    }
    func color(_ chroma: Double, _ weight: Double) -> Double {
      let step = chroma <= 0 ? 2 * code(1 - weight) : 2 * (1 - code(weight))
      return min(max(y + chroma * step, 0), 1)
    }
    let (red, blue) = (color(r, kr), color(b, kb))
    let green = (light(y) - kr * light(red) - kb * light(blue)) / (1 - kr - kb)
    return [red, code(min(max(green, 0), 1)), blue]
  }
}
