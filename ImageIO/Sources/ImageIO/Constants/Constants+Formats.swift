// SPDX-License-Identifier: Apache-2.0
//
// Written by scripts/make-imageio from ImageIO/symbols.tsv, which says which values are known and which derived.

#if !canImport(Darwin)
  public import CoreGraphics

  // MARK: APNG

  nonisolated(unsafe) public let kCGImagePropertyAPNGCanvasPixelHeight: CFString = "CanvasPixelHeight"
  nonisolated(unsafe) public let kCGImagePropertyAPNGCanvasPixelWidth: CFString = "CanvasPixelWidth"
  nonisolated(unsafe) public let kCGImagePropertyAPNGDelayTime: CFString = "DelayTime"
  nonisolated(unsafe) public let kCGImagePropertyAPNGFrameInfoArray: CFString = "FrameInfo"
  nonisolated(unsafe) public let kCGImagePropertyAPNGLoopCount: CFString = "LoopCount"
  nonisolated(unsafe) public let kCGImagePropertyAPNGUnclampedDelayTime: CFString = "UnclampedDelayTime"

  // MARK: PNG

  nonisolated(unsafe) public let kCGImagePropertyPNGAuthor: CFString = "Author"
  nonisolated(unsafe) public let kCGImagePropertyPNGChromaticities: CFString = "Chromaticities"
  nonisolated(unsafe) public let kCGImagePropertyPNGComment: CFString = "Comment"
  nonisolated(unsafe) public let kCGImagePropertyPNGCompressionFilter: CFString = "CompressionFilter"
  nonisolated(unsafe) public let kCGImagePropertyPNGCopyright: CFString = "Copyright"
  nonisolated(unsafe) public let kCGImagePropertyPNGCreationTime: CFString = "CreationTime"
  nonisolated(unsafe) public let kCGImagePropertyPNGDescription: CFString = "Description"
  nonisolated(unsafe) public let kCGImagePropertyPNGDisclaimer: CFString = "Disclaimer"
  nonisolated(unsafe) public let kCGImagePropertyPNGGamma: CFString = "Gamma"
  nonisolated(unsafe) public let kCGImagePropertyPNGInterlaceType: CFString = "InterlaceType"
  nonisolated(unsafe) public let kCGImagePropertyPNGModificationTime: CFString = "ModificationTime"
  nonisolated(unsafe) public let kCGImagePropertyPNGPixelsAspectRatio: CFString = "PixelsAspectRatio"
  nonisolated(unsafe) public let kCGImagePropertyPNGSoftware: CFString = "Software"
  nonisolated(unsafe) public let kCGImagePropertyPNGSource: CFString = "Source"
  nonisolated(unsafe) public let kCGImagePropertyPNGTitle: CFString = "Title"
  nonisolated(unsafe) public let kCGImagePropertyPNGTransparency: CFString = "Transparency"
  nonisolated(unsafe) public let kCGImagePropertyPNGWarning: CFString = "Warning"
  nonisolated(unsafe) public let kCGImagePropertyPNGXPixelsPerMeter: CFString = "XPixelsPerMeter"
  nonisolated(unsafe) public let kCGImagePropertyPNGYPixelsPerMeter: CFString = "YPixelsPerMeter"
  nonisolated(unsafe) public let kCGImagePropertyPNGsRGBIntent: CFString = "sRGBIntent"
  public var IMAGEIO_PNG_NO_FILTERS: Int32 { 0x00 }
  public var IMAGEIO_PNG_FILTER_NONE: Int32 { 0x08 }
  public var IMAGEIO_PNG_FILTER_SUB: Int32 { 0x10 }
  public var IMAGEIO_PNG_FILTER_UP: Int32 { 0x20 }
  public var IMAGEIO_PNG_FILTER_AVG: Int32 { 0x40 }
  public var IMAGEIO_PNG_FILTER_PAETH: Int32 { 0x80 }

  // MARK: GIF

  nonisolated(unsafe) public let kCGImagePropertyGIFCanvasPixelHeight: CFString = "CanvasPixelHeight"
  nonisolated(unsafe) public let kCGImagePropertyGIFCanvasPixelWidth: CFString = "CanvasPixelWidth"
  nonisolated(unsafe) public let kCGImagePropertyGIFDelayTime: CFString = "DelayTime"
  nonisolated(unsafe) public let kCGImagePropertyGIFFrameInfoArray: CFString = "FrameInfo"
  nonisolated(unsafe) public let kCGImagePropertyGIFHasGlobalColorMap: CFString = "HasGlobalColorMap"
  nonisolated(unsafe) public let kCGImagePropertyGIFImageColorMap: CFString = "ImageColorMap"
  nonisolated(unsafe) public let kCGImagePropertyGIFLoopCount: CFString = "LoopCount"
  nonisolated(unsafe) public let kCGImagePropertyGIFUnclampedDelayTime: CFString = "UnclampedDelayTime"

  // MARK: HEICS

  nonisolated(unsafe) public let kCGImagePropertyHEICSCanvasPixelHeight: CFString = "CanvasPixelHeight"
  nonisolated(unsafe) public let kCGImagePropertyHEICSCanvasPixelWidth: CFString = "CanvasPixelWidth"
  nonisolated(unsafe) public let kCGImagePropertyHEICSDelayTime: CFString = "DelayTime"
  nonisolated(unsafe) public let kCGImagePropertyHEICSFrameInfoArray: CFString = "FrameInfo"
  nonisolated(unsafe) public let kCGImagePropertyHEICSLoopCount: CFString = "LoopCount"
  nonisolated(unsafe) public let kCGImagePropertyHEICSUnclampedDelayTime: CFString = "UnclampedDelayTime"

  // MARK: WebP

  nonisolated(unsafe) public let kCGImagePropertyWebPCanvasPixelHeight: CFString = "CanvasPixelHeight"
  nonisolated(unsafe) public let kCGImagePropertyWebPCanvasPixelWidth: CFString = "CanvasPixelWidth"
  nonisolated(unsafe) public let kCGImagePropertyWebPDelayTime: CFString = "DelayTime"
  nonisolated(unsafe) public let kCGImagePropertyWebPFrameInfoArray: CFString = "FrameInfo"
  nonisolated(unsafe) public let kCGImagePropertyWebPLoopCount: CFString = "LoopCount"
  nonisolated(unsafe) public let kCGImagePropertyWebPUnclampedDelayTime: CFString = "UnclampedDelayTime"

  // MARK: ASTC

  nonisolated(unsafe) public let kCGImagePropertyASTCBlockSize: CFString = "BlockSize"
  nonisolated(unsafe) public let kCGImagePropertyASTCBlockSize4x4: CFString = "BlockSize4x4"
  nonisolated(unsafe) public let kCGImagePropertyASTCBlockSize8x8: CFString = "BlockSize8x8"
  nonisolated(unsafe) public let kCGImagePropertyASTCEncoder: CFString = "Encoder"

  // MARK: BC

  nonisolated(unsafe) public let kCGImagePropertyBCEncoder: CFString = "Encoder"
  nonisolated(unsafe) public let kCGImagePropertyBCFormat: CFString = "Format"

  // MARK: OpenEXR

  nonisolated(unsafe) public let kCGImagePropertyOpenEXRAspectRatio: CFString = "AspectRatio"
  nonisolated(unsafe) public let kCGImagePropertyOpenEXRCompression: CFString = "Compression"

  // MARK: PVR

  nonisolated(unsafe) public let kCGImagePropertyPVREncoder: CFString = "Encoder"

  // MARK: TGA

  nonisolated(unsafe) public let kCGImagePropertyTGACompression: CFString = "Compression"

  // MARK: DNG

  nonisolated(unsafe) public let kCGImagePropertyDNGActiveArea: CFString = "ActiveArea"
  nonisolated(unsafe) public let kCGImagePropertyDNGAnalogBalance: CFString = "AnalogBalance"
  nonisolated(unsafe) public let kCGImagePropertyDNGAntiAliasStrength: CFString = "AntiAliasStrength"
  nonisolated(unsafe) public let kCGImagePropertyDNGAsShotICCProfile: CFString = "AsShotICCProfile"
  nonisolated(unsafe) public let kCGImagePropertyDNGAsShotNeutral: CFString = "AsShotNeutral"
  nonisolated(unsafe) public let kCGImagePropertyDNGAsShotPreProfileMatrix: CFString = "AsShotPreProfileMatrix"
  nonisolated(unsafe) public let kCGImagePropertyDNGAsShotProfileName: CFString = "AsShotProfileName"
  nonisolated(unsafe) public let kCGImagePropertyDNGAsShotWhiteXY: CFString = "AsShotWhiteXY"
  nonisolated(unsafe) public let kCGImagePropertyDNGBackwardVersion: CFString = "DNGBackwardVersion"
  nonisolated(unsafe) public let kCGImagePropertyDNGBaselineExposure: CFString = "BaselineExposure"
  nonisolated(unsafe) public let kCGImagePropertyDNGBaselineExposureOffset: CFString = "BaselineExposureOffset"
  nonisolated(unsafe) public let kCGImagePropertyDNGBaselineNoise: CFString = "BaselineNoise"
  nonisolated(unsafe) public let kCGImagePropertyDNGBaselineSharpness: CFString = "BaselineSharpness"
  nonisolated(unsafe) public let kCGImagePropertyDNGBayerGreenSplit: CFString = "BayerGreenSplit"
  nonisolated(unsafe) public let kCGImagePropertyDNGBestQualityScale: CFString = "BestQualityScale"
  nonisolated(unsafe) public let kCGImagePropertyDNGBlackLevel: CFString = "BlackLevel"
  nonisolated(unsafe) public let kCGImagePropertyDNGBlackLevelDeltaH: CFString = "BlackLevelDeltaH"
  nonisolated(unsafe) public let kCGImagePropertyDNGBlackLevelDeltaV: CFString = "BlackLevelDeltaV"
  nonisolated(unsafe) public let kCGImagePropertyDNGBlackLevelRepeatDim: CFString = "BlackLevelRepeatDim"
  nonisolated(unsafe) public let kCGImagePropertyDNGCFALayout: CFString = "CFALayout"
  nonisolated(unsafe) public let kCGImagePropertyDNGCFAPlaneColor: CFString = "CFAPlaneColor"
  nonisolated(unsafe) public let kCGImagePropertyDNGCalibrationIlluminant1: CFString = "CalibrationIlluminant1"
  nonisolated(unsafe) public let kCGImagePropertyDNGCalibrationIlluminant2: CFString = "CalibrationIlluminant2"
  nonisolated(unsafe) public let kCGImagePropertyDNGCameraCalibration1: CFString = "CameraCalibration1"
  nonisolated(unsafe) public let kCGImagePropertyDNGCameraCalibration2: CFString = "CameraCalibration2"
  nonisolated(unsafe) public let kCGImagePropertyDNGCameraCalibrationSignature: CFString = "CameraCalibrationSignature"
  nonisolated(unsafe) public let kCGImagePropertyDNGCameraSerialNumber: CFString = "CameraSerialNumber"
  nonisolated(unsafe) public let kCGImagePropertyDNGChromaBlurRadius: CFString = "ChromaBlurRadius"
  nonisolated(unsafe) public let kCGImagePropertyDNGColorMatrix1: CFString = "ColorMatrix1"
  nonisolated(unsafe) public let kCGImagePropertyDNGColorMatrix2: CFString = "ColorMatrix2"
  nonisolated(unsafe) public let kCGImagePropertyDNGColorimetricReference: CFString = "ColorimetricReference"
  nonisolated(unsafe) public let kCGImagePropertyDNGCurrentICCProfile: CFString = "CurrentICCProfile"
  nonisolated(unsafe) public let kCGImagePropertyDNGCurrentPreProfileMatrix: CFString = "CurrentPreProfileMatrix"
  nonisolated(unsafe) public let kCGImagePropertyDNGDefaultBlackRender: CFString = "DefaultBlackRender"
  nonisolated(unsafe) public let kCGImagePropertyDNGDefaultCropOrigin: CFString = "DefaultCropOrigin"
  nonisolated(unsafe) public let kCGImagePropertyDNGDefaultCropSize: CFString = "DefaultCropSize"
  nonisolated(unsafe) public let kCGImagePropertyDNGDefaultScale: CFString = "DefaultScale"
  nonisolated(unsafe) public let kCGImagePropertyDNGDefaultUserCrop: CFString = "DefaultUserCrop"
  nonisolated(unsafe) public let kCGImagePropertyDNGExtraCameraProfiles: CFString = "ExtraCameraProfiles"
  nonisolated(unsafe) public let kCGImagePropertyDNGFixVignetteRadial: CFString = "FixVignetteRadial"
  nonisolated(unsafe) public let kCGImagePropertyDNGForwardMatrix1: CFString = "ForwardMatrix1"
  nonisolated(unsafe) public let kCGImagePropertyDNGForwardMatrix2: CFString = "ForwardMatrix2"
  nonisolated(unsafe) public let kCGImagePropertyDNGLensInfo: CFString = "LensInfo"
  nonisolated(unsafe) public let kCGImagePropertyDNGLinearResponseLimit: CFString = "LinearResponseLimit"
  nonisolated(unsafe) public let kCGImagePropertyDNGLinearizationTable: CFString = "LinearizationTable"
  nonisolated(unsafe) public let kCGImagePropertyDNGLocalizedCameraModel: CFString = "LocalizedCameraModel"
  nonisolated(unsafe) public let kCGImagePropertyDNGMakerNoteSafety: CFString = "MakerNoteSafety"
  nonisolated(unsafe) public let kCGImagePropertyDNGMaskedAreas: CFString = "MaskedAreas"
  nonisolated(unsafe) public let kCGImagePropertyDNGNewRawImageDigest: CFString = "NewRawImageDigest"
  nonisolated(unsafe) public let kCGImagePropertyDNGNoiseProfile: CFString = "NoiseProfile"
  nonisolated(unsafe) public let kCGImagePropertyDNGNoiseReductionApplied: CFString = "NoiseReductionApplied"
  nonisolated(unsafe) public let kCGImagePropertyDNGOpcodeList1: CFString = "OpcodeList1"
  nonisolated(unsafe) public let kCGImagePropertyDNGOpcodeList2: CFString = "OpcodeList2"
  nonisolated(unsafe) public let kCGImagePropertyDNGOpcodeList3: CFString = "OpcodeList3"
  nonisolated(unsafe) public let kCGImagePropertyDNGOriginalBestQualityFinalSize: CFString =
    "OriginalBestQualityFinalSize"
  nonisolated(unsafe) public let kCGImagePropertyDNGOriginalDefaultCropSize: CFString = "OriginalDefaultCropSize"
  nonisolated(unsafe) public let kCGImagePropertyDNGOriginalDefaultFinalSize: CFString = "OriginalDefaultFinalSize"
  nonisolated(unsafe) public let kCGImagePropertyDNGOriginalRawFileData: CFString = "OriginalRawFileData"
  nonisolated(unsafe) public let kCGImagePropertyDNGOriginalRawFileDigest: CFString = "OriginalRawFileDigest"
  nonisolated(unsafe) public let kCGImagePropertyDNGOriginalRawFileName: CFString = "OriginalRawFileName"
  nonisolated(unsafe) public let kCGImagePropertyDNGPreviewApplicationName: CFString = "PreviewApplicationName"
  nonisolated(unsafe) public let kCGImagePropertyDNGPreviewApplicationVersion: CFString = "PreviewApplicationVersion"
  nonisolated(unsafe) public let kCGImagePropertyDNGPreviewColorSpace: CFString = "PreviewColorSpace"
  nonisolated(unsafe) public let kCGImagePropertyDNGPreviewDateTime: CFString = "PreviewDateTime"
  nonisolated(unsafe) public let kCGImagePropertyDNGPreviewSettingsDigest: CFString = "PreviewSettingsDigest"
  nonisolated(unsafe) public let kCGImagePropertyDNGPreviewSettingsName: CFString = "PreviewSettingsName"
  nonisolated(unsafe) public let kCGImagePropertyDNGPrivateData: CFString = "PrivateData"
  nonisolated(unsafe) public let kCGImagePropertyDNGProfileCalibrationSignature: CFString =
    "ProfileCalibrationSignature"
  nonisolated(unsafe) public let kCGImagePropertyDNGProfileCopyright: CFString = "ProfileCopyright"
  nonisolated(unsafe) public let kCGImagePropertyDNGProfileEmbedPolicy: CFString = "ProfileEmbedPolicy"
  nonisolated(unsafe) public let kCGImagePropertyDNGProfileHueSatMapData1: CFString = "ProfileHueSatMapData1"
  nonisolated(unsafe) public let kCGImagePropertyDNGProfileHueSatMapData2: CFString = "ProfileHueSatMapData2"
  nonisolated(unsafe) public let kCGImagePropertyDNGProfileHueSatMapDims: CFString = "ProfileHueSatMapDims"
  nonisolated(unsafe) public let kCGImagePropertyDNGProfileHueSatMapEncoding: CFString = "ProfileHueSatMapEncoding"
  nonisolated(unsafe) public let kCGImagePropertyDNGProfileLookTableData: CFString = "ProfileLookTableData"
  nonisolated(unsafe) public let kCGImagePropertyDNGProfileLookTableDims: CFString = "ProfileLookTableDims"
  nonisolated(unsafe) public let kCGImagePropertyDNGProfileLookTableEncoding: CFString = "ProfileLookTableEncoding"
  nonisolated(unsafe) public let kCGImagePropertyDNGProfileName: CFString = "ProfileName"
  nonisolated(unsafe) public let kCGImagePropertyDNGProfileToneCurve: CFString = "ProfileToneCurve"
  nonisolated(unsafe) public let kCGImagePropertyDNGRawDataUniqueID: CFString = "RawDataUniqueID"
  nonisolated(unsafe) public let kCGImagePropertyDNGRawImageDigest: CFString = "RawImageDigest"
  nonisolated(unsafe) public let kCGImagePropertyDNGRawToPreviewGain: CFString = "RawToPreviewGain"
  nonisolated(unsafe) public let kCGImagePropertyDNGReductionMatrix1: CFString = "ReductionMatrix1"
  nonisolated(unsafe) public let kCGImagePropertyDNGReductionMatrix2: CFString = "ReductionMatrix2"
  nonisolated(unsafe) public let kCGImagePropertyDNGRowInterleaveFactor: CFString = "RowInterleaveFactor"
  nonisolated(unsafe) public let kCGImagePropertyDNGShadowScale: CFString = "ShadowScale"
  nonisolated(unsafe) public let kCGImagePropertyDNGSubTileBlockSize: CFString = "SubTileBlockSize"
  nonisolated(unsafe) public let kCGImagePropertyDNGUniqueCameraModel: CFString = "UniqueCameraModel"
  nonisolated(unsafe) public let kCGImagePropertyDNGVersion: CFString = "DNGVersion"
  nonisolated(unsafe) public let kCGImagePropertyDNGWarpFisheye: CFString = "WarpFisheye"
  nonisolated(unsafe) public let kCGImagePropertyDNGWarpRectilinear: CFString = "WarpRectilinear"
  nonisolated(unsafe) public let kCGImagePropertyDNGWhiteLevel: CFString = "WhiteLevel"
#endif
