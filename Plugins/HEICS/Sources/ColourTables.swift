// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Tables from samples of YCbCr to what each adds to red, green and blue, as fixed-point numbers.
///
/// With n bits, H.273 §8.3 gives luma as (Y − 16·2^(n−8)) / (219·2^(n−8)) and chroma as (C − 2^(n−1)) / (224·2^(n−8))
/// in the narrow range, and as Y / (2^n − 1) and (C − 2^(n−1)) / (2^n − 1) in the full one. Each entry is such a value
/// times its weight, times the largest sample that comes out, rounded to the nearest 2^−`fraction`. A colour is the sum
/// of three entries, rounded to the nearest integer and clamped.
///
/// - Lifetime: The tables are freed with the object.
final class ColourTables {
  /// Bits behind the point, so that sums stay below 2^31: 16 for samples of 8 bits, 12 for those of 16.
  let fraction: Int32
  let largest: Int32
  /// Samples of a plane are taken by these bits, so that no sample points behind a table.
  let mask: Int
  let isIdentity: Bool
  /// By luma.
  let luma: UnsafeMutablePointer<Int32>
  /// Six tables one after the other: red, green and blue by Cb, then by Cr.
  let chroma: UnsafeMutablePointer<Int32>
  /// Samples of an alpha plane at the depth that comes out; always of the full range (ISO/IEC 23000-22 §7.3.5).
  let alpha: UnsafeMutablePointer<UInt16>
  let alphaMask: Int

  init(_ conversion: VideoColour.Conversion, isFullRange: Bool, bitDepth: Int, alphaDepth: Int, isDeep: Bool) {
    let fraction = isDeep ? 12 : 16
    let largest = isDeep ? 65_535 : 255
    self.fraction = Int32(fraction)
    self.largest = Int32(largest)
    let entries = 1 << bitDepth
    mask = entries - 1
    isIdentity = conversion == .identity
    luma = .allocate(capacity: entries)
    chroma = .allocate(capacity: 6 * entries)
    let unit = Double(1 << (bitDepth - 8))
    let top = Double(entries - 1)
    let one = Double(largest) * Double(1 << fraction)
    let (offset, lumaSpan, chromaSpan) = isFullRange ? (0, top, top) : (16 * unit, 219 * unit, 224 * unit)
    let weights = Self.weights(of: conversion)
    for sample in 0..<entries {
      luma[sample] = Self.rounded((Double(sample) - offset) / lumaSpan * one)
      let difference = (Double(sample) - Double(entries / 2)) / chromaSpan
      for (table, weight) in weights.enumerated() {
        chroma[table * entries + sample] = Self.rounded(difference * weight * one)
      }
    }
    alpha = .allocate(capacity: 1 << alphaDepth)
    alphaMask = (1 << alphaDepth) - 1
    for sample in 0...alphaMask { alpha[sample] = UInt16((sample * largest * 2 + alphaMask) / (2 * alphaMask)) }
  }

  deinit {
    luma.deallocate()
    chroma.deallocate()
    alpha.deallocate()
  }

  /// What Cb adds to red, green and blue, then what Cr adds.
  private static func weights(of conversion: VideoColour.Conversion) -> [Double] {
    switch conversion {
    case .weights(let red, let blue):
      let green = 1 - red - blue
      return [
        0, -2 * blue * (1 - blue) / green, 2 * (1 - blue), 2 * (1 - red), -2 * red * (1 - red) / green, 0,
      ]
    // Cb holds Cg, and Cr holds Co.
    case .yCgCo: return [-1, 1, -1, 1, 0, -1]
    case .identity: return [0, 0, 0, 0, 0, 0]
    }
  }

  private static func rounded(_ value: Double) -> Int32 { Int32((value + 0.5).rounded(.down)) }
}
