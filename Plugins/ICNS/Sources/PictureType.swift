// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What the code of an element says of the picture in it.
struct PictureType {
  /// How pixels may be stored.
  enum Storage {
    /// One bit, 1 is black.
    case bits
    /// One bit, then as many bits of mask.
    case bitsAndMask
    /// Indexes of four or eight bits into the system's palette.
    case indexes(bits: Int)
    /// Planes of red, green and blue, packed; `padding` bytes of zero before them.
    case planes(padding: Int)
    /// A PNG or JPEG 2000 file, planes of red, green and blue, or those with alpha before them after `ARGB`.
    case fileOrPlanes
  }

  let code: FourCC
  let size: Size
  /// Pixels for each point, in each direction.
  let scale: Int
  let storage: Storage
  /// The elements that may hold its mask, the best first.
  let masks: [FourCC]

  private init(
    _ code: StaticString, _ width: Int, height: Int? = nil, scale: Int = 1, _ storage: Storage,
    masks: [StaticString] = []
  ) {
    self.code = FourCC(code)
    self.size = Size(width: width, height: height ?? width)
    self.scale = scale
    self.storage = storage
    self.masks = masks.map { FourCC($0) }
  }

  static let all: [FourCC: PictureType] = {
    let types = [
      PictureType("ICON", 32, .bits), PictureType("ICN#", 32, .bitsAndMask),
      PictureType("icm#", 16, height: 12, .bitsAndMask),
      PictureType("ics#", 16, .bitsAndMask), PictureType("ich#", 48, .bitsAndMask),
      PictureType("icm4", 16, height: 12, .indexes(bits: 4), masks: ["icm#"]),
      PictureType("ics4", 16, .indexes(bits: 4), masks: ["ics#"]),
      PictureType("icl4", 32, .indexes(bits: 4), masks: ["ICN#"]),
      PictureType("ich4", 48, .indexes(bits: 4), masks: ["ich#"]),
      PictureType("icm8", 16, height: 12, .indexes(bits: 8), masks: ["icm#"]),
      PictureType("ics8", 16, .indexes(bits: 8), masks: ["ics#"]),
      PictureType("icl8", 32, .indexes(bits: 8), masks: ["ICN#"]),
      PictureType("ich8", 48, .indexes(bits: 8), masks: ["ich#"]),
      PictureType("is32", 16, .planes(padding: 0), masks: ["s8mk", "ics#"]),
      PictureType("il32", 32, .planes(padding: 0), masks: ["l8mk", "ICN#"]),
      PictureType("ih32", 48, .planes(padding: 0), masks: ["h8mk", "ich#"]),
      PictureType("it32", 128, .planes(padding: 4), masks: ["t8mk"]),
      PictureType("icp4", 16, .fileOrPlanes, masks: ["s8mk"]), PictureType("icp5", 32, .fileOrPlanes, masks: ["l8mk"]),
      PictureType("icp6", 64, .fileOrPlanes), PictureType("ic04", 16, .fileOrPlanes),
      PictureType("ic05", 32, .fileOrPlanes), PictureType("icsb", 18, .fileOrPlanes),
      PictureType("icsB", 36, scale: 2, .fileOrPlanes), PictureType("sb24", 24, .fileOrPlanes),
      PictureType("SB24", 48, scale: 2, .fileOrPlanes), PictureType("ic07", 128, .fileOrPlanes),
      PictureType("ic08", 256, .fileOrPlanes), PictureType("ic09", 512, .fileOrPlanes),
      PictureType("ic10", 1_024, scale: 2, .fileOrPlanes), PictureType("ic11", 32, scale: 2, .fileOrPlanes),
      PictureType("ic12", 64, scale: 2, .fileOrPlanes), PictureType("ic13", 256, scale: 2, .fileOrPlanes),
      PictureType("ic14", 512, scale: 2, .fileOrPlanes),
    ]
    return Dictionary(types.map { ($0.code, $0) }) { first, _ in first }
  }()

  /// The masks of eight bits, and their sides.
  static let byteMasks: [FourCC: Int] = [
    FourCC("s8mk"): 16, FourCC("l8mk"): 32, FourCC("h8mk"): 48, FourCC("t8mk"): 128,
  ]
}
