// SPDX-License-Identifier: Apache-2.0

/// The name of an image format: a uniform type identifier, `public.png`.
///
/// It is a string rather than an enumeration, because plugins add formats.
public struct ImageFormat: RawRepresentable, Sendable, Hashable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  /// PNG and APNG.
  public static let png = ImageFormat(rawValue: "public.png")
  /// JPEG, ITU-T T.81.
  public static let jpeg = ImageFormat(rawValue: "public.jpeg")
  /// GIF, still or animated.
  public static let gif = ImageFormat(rawValue: "com.compuserve.gif")
  /// WebP, still or animated.
  public static let webP = ImageFormat(rawValue: "org.webmproject.webp")
  /// Stills of HEVC in HEIF.
  public static let heic = ImageFormat(rawValue: "public.heic")
  /// Image sequences of HEVC in HEIF.
  public static let heics = ImageFormat(rawValue: "public.heics")
  /// Stills in HEIF whose brands do not name HEVC.
  public static let heif = ImageFormat(rawValue: "public.heif")
  /// Stills and image sequences of AV1 in HEIF.
  public static let avif = ImageFormat(rawValue: "public.avif")
  /// TIFF 6.0 and BigTIFF.
  public static let tiff = ImageFormat(rawValue: "public.tiff")
  /// Bitmaps of Windows and OS/2.
  public static let bmp = ImageFormat(rawValue: "com.microsoft.bmp")
  /// Icons of Windows: one picture in several sizes.
  public static let ico = ImageFormat(rawValue: "com.microsoft.ico")
  /// Cursors of Windows, stored like icons.
  public static let cur = ImageFormat(rawValue: "com.microsoft.cur")
  /// Icons of macOS: one picture in several sizes.
  public static let icns = ImageFormat(rawValue: "com.apple.icns")
  /// JPEG 2000, in boxes or as a bare codestream.
  public static let jpeg2000 = ImageFormat(rawValue: "public.jpeg-2000")
  /// JPEG XL, in boxes or as a bare codestream.
  public static let jpegXL = ImageFormat(rawValue: "public.jpeg-xl")
  /// OpenEXR: light of half and single precision.
  public static let openEXR = ImageFormat(rawValue: "com.ilm.openexr-image")
  /// Photoshop's files: PSD, and PSB for large pictures.
  public static let psd = ImageFormat(rawValue: "com.adobe.photoshop-image")
  /// QOI, the Quite OK Image format.
  public static let qoi = ImageFormat(rawValue: "org.qoiformat.qoi")
  /// The portable maps of Netpbm (PBM, PGM, PPM, PAM) and PFM.
  public static let pnm = ImageFormat(rawValue: "net.sourceforge.netpbm")
  /// SVG, drawings without pixels of their own.
  public static let svg = ImageFormat(rawValue: "public.svg-image")
  /// Pictures of Radiance (HDR): light as RGBE or XYZE.
  public static let radiance = ImageFormat(rawValue: "public.radiance")
}

extension ImageFormat: CustomStringConvertible {
  public var description: String { rawValue }
}
