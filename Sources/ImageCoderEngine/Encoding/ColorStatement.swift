// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// How a file says which colors samples have that nobody asked to convert. `docs/color.md` has it as a table.
enum ColorStatement {
  /// As the source does, or not at all where sRGB is what everybody takes them for.
  case asStored
  /// By a profile that is made for them.
  case stated(profile: [UInt8], was: String)
  /// Not at all: they are converted to sRGB.
  case converted(from: String)

  var profile: [UInt8]? { if case .stated(let profile, _) = self { profile } else { nil } }

  /// - Parameter keepsProfiles: Whether the file is to have a profile, as far as it has a place for one.
  init(of image: Image, in format: ImageFormat, keepsProfiles: Bool) {
    self = .asStored
    let isLight = image.pixels.format.isFloat
    let hasProfile = image.metadata[.icc] != nil
    let isHDR = image.cicp.map { $0.transfer == 16 || $0.transfer == 18 } ?? false
    // What most files are needs no look at their colors.
    if hasProfile, format.holdsProfiles || !keepsProfiles, !isLight, !isHDR { return }
    if image.cicp == nil, !hasProfile, !isLight, image.stored == StoredColor(), image.header?.gamma == nil,
      image.metadata[.exif] == nil || [.jpeg, .tiff].contains(format)
    {
      return
    }
    let picture = PictureColor(of: image, as: format)
    let space = picture.space
    guard !space.isSRGB, !space.isInks else { return }
    if isLight {
      if !format.holdsLight, space.isLight { self = .converted(from: space.name) }
      return
    }
    switch picture.origin {
    case .untagged, .chunk: return
    case .icc where format.holdsProfiles || !keepsProfiles: return
    case .cicp where format.holdsCodePoints: return
    case .exif where [.jpeg, .tiff].contains(format): return
    case .icc, .cicp, .exif, .chromaticities: break
    }
    let isGray = image.pixels.format.isGray
    if keepsProfiles, format.holdsProfiles, !space.isHDR, let profile = ICCProfile.bytes(of: space, isGray: isGray) {
      self = .stated(profile: profile, was: picture.origin.rawValue)
    } else if picture.origin != .exif || !keepsProfiles || !format.holdsProfiles {
      self = .converted(from: space.name)
    }
  }

  /// Why colors are not stated as in the source, or nil.
  func reason(in format: ImageFormat) -> String? {
    switch self {
    case .asStored: nil
    case .stated(_, let was): "a profile says what \(was) said"
    case .converted(let name): "\(name) is converted to sRGB, since \(format) has no place to say so"
    }
  }
}
