// SPDX-License-Identifier: Apache-2.0

public import ImageCoders

extension [BuiltInCoder] {
  /// All coders whose traits the package is built with.
  ///
  ///     .package(url: "…", traits: ["PNG", "JPEG", "WebP"])
  public static var all: [BuiltInCoder] {
    var coders: [BuiltInCoder] = []
    #if AVIF
      coders.append(.avif)
    #endif
    #if BMP
      coders.append(.bmp)
    #endif
    #if GIF
      coders.append(.gif)
    #endif
    #if GIFLib
      coders.append(.gifLib)
    #endif
    #if HEIF
      coders.append(.heif)
    #endif
    #if ICNS
      coders.append(.icns)
    #endif
    #if ICO
      coders.append(.ico)
    #endif
    #if JPEG
      coders.append(.jpeg)
    #endif
    #if JPEG2000
      coders.append(.jpeg2000)
    #endif
    #if JXL
      coders.append(.jxl)
    #endif
    #if LibHEIF
      coders.append(.libHEIF)
    #endif
    #if PNG
      coders.append(.png)
    #endif
    #if PNM
      coders.append(.pnm)
    #endif
    #if QOI
      coders.append(.qoi)
    #endif
    #if TIFF
      coders.append(.tiff)
    #endif
    #if WebP
      coders.append(.webP)
    #endif
    return coders
  }
}
