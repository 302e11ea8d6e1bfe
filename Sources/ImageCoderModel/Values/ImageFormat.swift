// SPDX-License-Identifier: Apache-2.0

/// The name of an image format: a uniform type identifier, `public.png`.
///
/// It is a string rather than an enumeration, because plugins add formats.
public struct ImageFormat: RawRepresentable, Sendable, Hashable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public static let png = ImageFormat(rawValue: "public.png")
  public static let jpeg = ImageFormat(rawValue: "public.jpeg")
  public static let gif = ImageFormat(rawValue: "com.compuserve.gif")
  public static let webP = ImageFormat(rawValue: "org.webmproject.webp")
  public static let heic = ImageFormat(rawValue: "public.heic")
  public static let heics = ImageFormat(rawValue: "public.heics")
  public static let heif = ImageFormat(rawValue: "public.heif")
  public static let avif = ImageFormat(rawValue: "public.avif")
  public static let tiff = ImageFormat(rawValue: "public.tiff")
  public static let bmp = ImageFormat(rawValue: "com.microsoft.bmp")
  public static let ico = ImageFormat(rawValue: "com.microsoft.ico")
  public static let cur = ImageFormat(rawValue: "com.microsoft.cur")
  public static let icns = ImageFormat(rawValue: "com.apple.icns")
  public static let jpeg2000 = ImageFormat(rawValue: "public.jpeg-2000")
  public static let jpegXL = ImageFormat(rawValue: "public.jpeg-xl")
  public static let qoi = ImageFormat(rawValue: "org.qoiformat.qoi")
  public static let pnm = ImageFormat(rawValue: "net.sourceforge.netpbm")
}

extension ImageFormat: CustomStringConvertible {
  public var description: String { rawValue }
}
