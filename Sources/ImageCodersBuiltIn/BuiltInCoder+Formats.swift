// SPDX-License-Identifier: Apache-2.0
//
// Written by scripts/make-tables from the manifests in Registry.

import CManifests
import ImageCoderPlugin
@_exported public import ImageCoders

#if AVIF
  import AVIFCoder
#endif
#if BMP
  import BMPCoder
#endif
#if EXR
  import EXRCoder
#endif
#if GIF
  import GIFCoder
#endif
#if GIFLib
  import GIFLibCoder
#endif
#if HDR
  import HDRCoder
#endif
#if HEIF
  import HEIFCoder
#endif
#if ICNS
  import ICNSCoder
#endif
#if ICO
  import ICOCoder
#endif
#if JPEG
  import JPEGCoder
#endif
#if JPEG2000
  import JPEG2000Coder
#endif
#if JXL
  import JXLCoder
#endif
#if LibHEIF
  import LibHEIFCoder
#endif
#if PNG
  import PNGCoder
#endif
#if PNM
  import PNMCoder
#endif
#if PSD
  import PSDCoder
#endif
#if QOI
  import QOICoder
#endif
#if RAW
  import RAWCoder
#endif
#if SVG
  import SVGCoder
#endif
#if TIFF
  import TIFFCoder
#endif
#if WebP
  import WebPCoder
#endif

// Each coder is the one of the plugin, by the same sources: its table is what the plugin's entry describes.
extension BuiltInCoder {
  #if AVIF
    /// AVIF. There with the trait `AVIF`.
    public static let avif = BuiltInCoder(cmanifests_named("avif")) { _ in AVIFCoder.plugin.table }
  #else
    /// AVIF. There with the trait `AVIF`.
    @available(*, unavailable, message: "name the trait AVIF where you depend on ImageCoders")
    public static var avif: BuiltInCoder { fatalError() }
  #endif
  #if BMP
    /// BMP. There with the trait `BMP`.
    public static let bmp = BuiltInCoder(cmanifests_named("bmp")) { _ in BMPCoder.plugin.table }
  #else
    /// BMP. There with the trait `BMP`.
    @available(*, unavailable, message: "name the trait BMP where you depend on ImageCoders")
    public static var bmp: BuiltInCoder { fatalError() }
  #endif
  #if EXR
    /// OpenEXR. There with the trait `EXR`.
    public static let exr = BuiltInCoder(cmanifests_named("exr")) { _ in EXRCoder.plugin.table }
  #else
    /// OpenEXR. There with the trait `EXR`.
    @available(*, unavailable, message: "name the trait EXR where you depend on ImageCoders")
    public static var exr: BuiltInCoder { fatalError() }
  #endif
  #if GIF
    /// GIF. There with the trait `GIF`.
    public static let gif = BuiltInCoder(cmanifests_named("gif")) { _ in GIFCoder.plugin.table }
  #else
    /// GIF. There with the trait `GIF`.
    @available(*, unavailable, message: "name the trait GIF where you depend on ImageCoders")
    public static var gif: BuiltInCoder { fatalError() }
  #endif
  #if GIFLib
    /// GIF (giflib), a second reader. There with the trait `GIFLib`.
    public static let gifLib = BuiltInCoder(cmanifests_named("giflib")) { _ in GIFLibCoder.plugin.table }
  #else
    /// GIF (giflib), a second reader. There with the trait `GIFLib`.
    @available(*, unavailable, message: "name the trait GIFLib where you depend on ImageCoders")
    public static var gifLib: BuiltInCoder { fatalError() }
  #endif
  #if HDR
    /// Radiance HDR. There with the trait `HDR`.
    public static let hdr = BuiltInCoder(cmanifests_named("hdr")) { _ in HDRCoder.plugin.table }
  #else
    /// Radiance HDR. There with the trait `HDR`.
    @available(*, unavailable, message: "name the trait HDR where you depend on ImageCoders")
    public static var hdr: BuiltInCoder { fatalError() }
  #endif
  #if HEIF
    /// HEIF. There with the trait `HEIF`.
    public static let heif = BuiltInCoder(cmanifests_named("heif")) { _ in HEIFCoder.plugin.table }
  #else
    /// HEIF. There with the trait `HEIF`.
    @available(*, unavailable, message: "name the trait HEIF where you depend on ImageCoders")
    public static var heif: BuiltInCoder { fatalError() }
  #endif
  #if ICNS
    /// ICNS. There with the trait `ICNS`.
    public static let icns = BuiltInCoder(cmanifests_named("icns")) { _ in ICNSCoder.plugin.table }
  #else
    /// ICNS. There with the trait `ICNS`.
    @available(*, unavailable, message: "name the trait ICNS where you depend on ImageCoders")
    public static var icns: BuiltInCoder { fatalError() }
  #endif
  #if ICO
    /// ICO. There with the trait `ICO`.
    public static let ico = BuiltInCoder(cmanifests_named("ico")) { _ in ICOCoder.plugin.table }
  #else
    /// ICO. There with the trait `ICO`.
    @available(*, unavailable, message: "name the trait ICO where you depend on ImageCoders")
    public static var ico: BuiltInCoder { fatalError() }
  #endif
  #if JPEG
    /// JPEG. There with the trait `JPEG`.
    public static let jpeg = BuiltInCoder(cmanifests_named("jpeg")) { _ in JPEGCoder.plugin.table }
  #else
    /// JPEG. There with the trait `JPEG`.
    @available(*, unavailable, message: "name the trait JPEG where you depend on ImageCoders")
    public static var jpeg: BuiltInCoder { fatalError() }
  #endif
  #if JPEG2000
    /// JPEG 2000. There with the trait `JPEG2000`.
    public static let jpeg2000 = BuiltInCoder(cmanifests_named("jpeg2000")) { _ in JPEG2000Coder.plugin.table }
  #else
    /// JPEG 2000. There with the trait `JPEG2000`.
    @available(*, unavailable, message: "name the trait JPEG2000 where you depend on ImageCoders")
    public static var jpeg2000: BuiltInCoder { fatalError() }
  #endif
  #if JXL
    /// JPEG XL. There with the trait `JXL`.
    public static let jxl = BuiltInCoder(cmanifests_named("jxl")) { _ in JXLCoder.plugin.table }
  #else
    /// JPEG XL. There with the trait `JXL`.
    @available(*, unavailable, message: "name the trait JXL where you depend on ImageCoders")
    public static var jxl: BuiltInCoder { fatalError() }
  #endif
  #if LibHEIF
    /// HEIF (libheif), a second reader. There with the trait `LibHEIF`.
    public static let libHEIF = BuiltInCoder(cmanifests_named("libheif")) { _ in LibHEIFCoder.plugin.table }
  #else
    /// HEIF (libheif), a second reader. There with the trait `LibHEIF`.
    @available(*, unavailable, message: "name the trait LibHEIF where you depend on ImageCoders")
    public static var libHEIF: BuiltInCoder { fatalError() }
  #endif
  #if PNG
    /// PNG and APNG. There with the trait `PNG`.
    public static let png = BuiltInCoder(cmanifests_named("png")) { _ in PNGCoder.plugin.table }
  #else
    /// PNG and APNG. There with the trait `PNG`.
    @available(*, unavailable, message: "name the trait PNG where you depend on ImageCoders")
    public static var png: BuiltInCoder { fatalError() }
  #endif
  #if PNM
    /// PNM. There with the trait `PNM`.
    public static let pnm = BuiltInCoder(cmanifests_named("pnm")) { _ in PNMCoder.plugin.table }
  #else
    /// PNM. There with the trait `PNM`.
    @available(*, unavailable, message: "name the trait PNM where you depend on ImageCoders")
    public static var pnm: BuiltInCoder { fatalError() }
  #endif
  #if PSD
    /// PSD. There with the trait `PSD`.
    public static let psd = BuiltInCoder(cmanifests_named("psd")) { _ in PSDCoder.plugin.table }
  #else
    /// PSD. There with the trait `PSD`.
    @available(*, unavailable, message: "name the trait PSD where you depend on ImageCoders")
    public static var psd: BuiltInCoder { fatalError() }
  #endif
  #if QOI
    /// QOI. There with the trait `QOI`.
    public static let qoi = BuiltInCoder(cmanifests_named("qoi")) { _ in QOICoder.plugin.table }
  #else
    /// QOI. There with the trait `QOI`.
    @available(*, unavailable, message: "name the trait QOI where you depend on ImageCoders")
    public static var qoi: BuiltInCoder { fatalError() }
  #endif
  #if RAW
    /// camera raw. There with the trait `RAW`.
    public static let raw = BuiltInCoder(cmanifests_named("raw")) { _ in RAWCoder.plugin.table }
  #else
    /// camera raw. There with the trait `RAW`.
    @available(*, unavailable, message: "name the trait RAW where you depend on ImageCoders")
    public static var raw: BuiltInCoder { fatalError() }
  #endif
  #if SVG
    /// SVG. There with the trait `SVG`.
    public static let svg = BuiltInCoder(cmanifests_named("svg")) { _ in SVGCoder.plugin.table }
  #else
    /// SVG. There with the trait `SVG`.
    @available(*, unavailable, message: "name the trait SVG where you depend on ImageCoders")
    public static var svg: BuiltInCoder { fatalError() }
  #endif
  #if TIFF
    /// TIFF. There with the trait `TIFF`.
    public static let tiff = BuiltInCoder(cmanifests_named("tiff")) { _ in TIFFCoder.plugin.table }
  #else
    /// TIFF. There with the trait `TIFF`.
    @available(*, unavailable, message: "name the trait TIFF where you depend on ImageCoders")
    public static var tiff: BuiltInCoder { fatalError() }
  #endif
  #if WebP
    /// WebP. There with the trait `WebP`.
    public static let webP = BuiltInCoder(cmanifests_named("webp")) { _ in WebPCoder.plugin.table }
  #else
    /// WebP. There with the trait `WebP`.
    @available(*, unavailable, message: "name the trait WebP where you depend on ImageCoders")
    public static var webP: BuiltInCoder { fatalError() }
  #endif

  private init(_ manifest: cmanifests_text, describe: @escaping Describe) {
    self.init(
      manifest: Array(UnsafeBufferPointer(start: manifest.bytes, count: Int(clamping: manifest.count))),
      describe: describe)
  }
}

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
    #if EXR
      coders.append(.exr)
    #endif
    #if GIF
      coders.append(.gif)
    #endif
    #if GIFLib
      coders.append(.gifLib)
    #endif
    #if HDR
      coders.append(.hdr)
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
    #if PSD
      coders.append(.psd)
    #endif
    #if QOI
      coders.append(.qoi)
    #endif
    #if RAW
      coders.append(.raw)
    #endif
    #if SVG
      coders.append(.svg)
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
