// SPDX-License-Identifier: Apache-2.0

/// One channel's bits in a pixel of 16 or 32 bits.
///
/// Samples are scaled from 0 … the mask's largest value to 0 … 255 or 65,535, to the nearest. A mask with holes is read
/// as a number with zeros in them.
struct ChannelMask {
  let mask: UInt32
  let shift: UInt32
  /// The largest sample; 0 when there is no mask.
  let largest: Int

  init(_ mask: UInt32) {
    guard mask != 0 else {
      (self.mask, shift, largest) = (0, 0, 0)
      return
    }
    let width = 32 - mask.leadingZeroBitCount - mask.trailingZeroBitCount
    // Samples wider than 16 bits lose their lowest ones: 16 are what comes out.
    let shift = mask.trailingZeroBitCount + max(0, width - 16)
    self.mask = (mask >> UInt32(shift)) << UInt32(shift)
    self.shift = UInt32(shift)
    largest = Int(mask >> UInt32(shift))
  }

  /// Bits from the lowest to the highest, at most 16.
  var width: Int { Int.bitWidth - largest.leadingZeroBitCount }

  /// Samples of 8 bits for each value of the mask, each at its place in a pixel of four bytes.
  func bytes(shiftedBy place: UInt32, missing: UInt32) -> [UInt32] {
    guard largest > 0 else { return [missing << place] }
    guard width > 8 else {
      return (0...largest).map { UInt32(truncatingIfNeeded: ($0 * 510 + largest) / (2 * largest)) << place }
    }
    // By way of 16 bits, so that the host's conversion and this one agree.
    return words(missing: 0).map { ((UInt32($0) * 255 + 32_895) >> 16) << place }
  }

  /// Samples of 16 bits for each value of the mask.
  func words(missing: UInt16) -> [UInt16] {
    guard largest > 0 else { return [missing] }
    return (0...largest).map { UInt16(truncatingIfNeeded: ($0 * 131_070 + largest) / (2 * largest)) }
  }
}

/// The four channels of pixels that are stored as numbers of 16 or 32 bits.
struct PixelMasks: Equatable {
  let red: UInt32
  let green: UInt32
  let blue: UInt32
  let alpha: UInt32

  init(red: UInt32, green: UInt32, blue: UInt32, alpha: UInt32 = 0) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// BI_RGB of 16 bits: five bits each.
  static let rgb555 = PixelMasks(red: 0x7C00, green: 0x03E0, blue: 0x001F)
  /// BI_RGB of 32 bits: bytes of blue, green, red, and one without meaning.
  static let bgrx = PixelMasks(red: 0xFF_0000, green: 0xFF00, blue: 0xFF)
  static let bgra = PixelMasks(red: 0xFF_0000, green: 0xFF00, blue: 0xFF, alpha: 0xFF00_0000)

  var all: [UInt32] { [red, green, blue, alpha] }

  /// The widest channel in bits.
  var widest: Int { all.map { ChannelMask($0).width }.max() ?? 0 }

  /// The masks that hold for a header.
  ///
  /// BI_BITFIELDS has them; masks that are all 0 count as none. With BI_RGB, those of the colors are as they always
  /// are, and alpha counts when a header of version 3 or later has a mask for it, as the field's description says.
  init?(_ header: BitmapHeader) {
    let ordinary: PixelMasks
    switch header.bitCount {
    case 16: ordinary = .rgb555
    case 32: ordinary = .bgrx
    default: return nil
    }
    let used: UInt32 = header.bitCount == 16 ? 0xFFFF : .max
    let stated = header.masks.map { $0 & used }
    // BI_BITFIELDS after BITMAPINFOHEADER has three masks, BI_ALPHABITFIELDS four; version 2 has three.
    let alpha = header.version == .windows3RGB ? 0 : stated[3]
    let isStated = header.compression == .bitFields && (stated[0] | stated[1] | stated[2]) != 0
    self.init(
      red: isStated ? stated[0] : ordinary.red, green: isStated ? stated[1] : ordinary.green,
      blue: isStated ? stated[2] : ordinary.blue, alpha: alpha)
  }
}
