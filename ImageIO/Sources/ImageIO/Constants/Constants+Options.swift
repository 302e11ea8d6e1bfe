// SPDX-License-Identifier: Apache-2.0
//
// Written by scripts/make-imageio from ImageIO/symbols.tsv, which says which values are known and which derived.

#if !canImport(Darwin)
  public import CoreGraphics

  // MARK: source option

  nonisolated(unsafe) public let kCGComputeHDRStats: CFString = "kCGComputeHDRStats"
  nonisolated(unsafe) public let kCGImageSourceAllowableTypes: CFString = "kCGImageSourceAllowableTypes"
  nonisolated(unsafe) public let kCGImageSourceCreateThumbnailFromImageAlways: CFString =
    "kCGImageSourceCreateThumbnailFromImageAlways"
  nonisolated(unsafe) public let kCGImageSourceCreateThumbnailFromImageIfAbsent: CFString =
    "kCGImageSourceCreateThumbnailFromImageIfAbsent"
  nonisolated(unsafe) public let kCGImageSourceCreateThumbnailWithTransform: CFString =
    "kCGImageSourceCreateThumbnailWithTransform"
  nonisolated(unsafe) public let kCGImageSourceDecodeRequest: CFString = "kCGImageSourceDecodeRequest"
  nonisolated(unsafe) public let kCGImageSourceDecodeRequestOptions: CFString = "kCGImageSourceDecodeRequestOptions"
  nonisolated(unsafe) public let kCGImageSourceDecodeToHDR: CFString = "kCGImageSourceDecodeToHDR"
  nonisolated(unsafe) public let kCGImageSourceDecodeToSDR: CFString = "kCGImageSourceDecodeToSDR"
  nonisolated(unsafe) public let kCGImageSourceGenerateImageSpecificLumaScaling: CFString =
    "kCGImageSourceGenerateImageSpecificLumaScaling"
  nonisolated(unsafe) public let kCGImageSourceShouldAllowFloat: CFString = "kCGImageSourceShouldAllowFloat"
  nonisolated(unsafe) public let kCGImageSourceShouldCache: CFString = "kCGImageSourceShouldCache"
  nonisolated(unsafe) public let kCGImageSourceShouldCacheImmediately: CFString = "kCGImageSourceShouldCacheImmediately"
  nonisolated(unsafe) public let kCGImageSourceSubsampleFactor: CFString = "kCGImageSourceSubsampleFactor"
  nonisolated(unsafe) public let kCGImageSourceThumbnailMaxPixelSize: CFString = "kCGImageSourceThumbnailMaxPixelSize"
  nonisolated(unsafe) public let kCGImageSourceTypeIdentifierHint: CFString = "kCGImageSourceTypeIdentifierHint"

  // MARK: destination option

  nonisolated(unsafe) public let kCGImageDestinationBackgroundColor: CFString = "kCGImageDestinationBackgroundColor"
  nonisolated(unsafe) public let kCGImageDestinationDateTime: CFString = "kCGImageDestinationDateTime"
  nonisolated(unsafe) public let kCGImageDestinationEmbedThumbnail: CFString = "kCGImageDestinationEmbedThumbnail"
  nonisolated(unsafe) public let kCGImageDestinationEncodeAlternateColorSpace: CFString =
    "kCGImageDestinationEncodeAlternateColorSpace"
  nonisolated(unsafe) public let kCGImageDestinationEncodeBaseColorSpace: CFString =
    "kCGImageDestinationEncodeBaseColorSpace"
  nonisolated(unsafe) public let kCGImageDestinationEncodeBaseIsSDR: CFString = "kCGImageDestinationEncodeBaseIsSDR"
  nonisolated(unsafe) public let kCGImageDestinationEncodeBasePixelFormatRequest: CFString =
    "kCGImageDestinationEncodeBasePixelFormatRequest"
  nonisolated(unsafe) public let kCGImageDestinationEncodeGainMapPixelFormatRequest: CFString =
    "kCGImageDestinationEncodeGainMapPixelFormatRequest"
  nonisolated(unsafe) public let kCGImageDestinationEncodeGainMapSubsampleFactor: CFString =
    "kCGImageDestinationEncodeGainMapSubsampleFactor"
  nonisolated(unsafe) public let kCGImageDestinationEncodeGenerateGainMapWithBaseImage: CFString =
    "kCGImageDestinationEncodeGenerateGainMapWithBaseImage"
  nonisolated(unsafe) public let kCGImageDestinationEncodeIsBaseImage: CFString = "kCGImageDestinationEncodeIsBaseImage"
  nonisolated(unsafe) public let kCGImageDestinationEncodeRequest: CFString = "kCGImageDestinationEncodeRequest"
  nonisolated(unsafe) public let kCGImageDestinationEncodeRequestOptions: CFString =
    "kCGImageDestinationEncodeRequestOptions"
  nonisolated(unsafe) public let kCGImageDestinationEncodeToISOGainmap: CFString =
    "kCGImageDestinationEncodeToISOGainmap"
  nonisolated(unsafe) public let kCGImageDestinationEncodeToISOHDR: CFString = "kCGImageDestinationEncodeToISOHDR"
  nonisolated(unsafe) public let kCGImageDestinationEncodeToSDR: CFString = "kCGImageDestinationEncodeToSDR"
  nonisolated(unsafe) public let kCGImageDestinationEncodeTonemapMode: CFString = "kCGImageDestinationEncodeTonemapMode"
  nonisolated(unsafe) public let kCGImageDestinationImageMaxPixelSize: CFString = "kCGImageDestinationImageMaxPixelSize"
  nonisolated(unsafe) public let kCGImageDestinationLossyCompressionQuality: CFString =
    "kCGImageDestinationLossyCompressionQuality"
  nonisolated(unsafe) public let kCGImageDestinationMergeMetadata: CFString = "kCGImageDestinationMergeMetadata"
  nonisolated(unsafe) public let kCGImageDestinationMetadata: CFString = "kCGImageDestinationMetadata"
  nonisolated(unsafe) public let kCGImageDestinationOptimizeColorForSharing: CFString =
    "kCGImageDestinationOptimizeColorForSharing"
  nonisolated(unsafe) public let kCGImageDestinationOrientation: CFString = "kCGImageDestinationOrientation"
  nonisolated(unsafe) public let kCGImageDestinationPreserveGainMap: CFString = "kCGImageDestinationPreserveGainMap"
  nonisolated(unsafe) public let kCGImageMetadataShouldExcludeGPS: CFString = "kCGImageMetadataShouldExcludeGPS"
  nonisolated(unsafe) public let kCGImageMetadataShouldExcludeXMP: CFString = "kCGImageMetadataShouldExcludeXMP"

  // MARK: container dictionary

  nonisolated(unsafe) public let kCGImageProperty8BIMDictionary: CFString = "{8BIM}"
  nonisolated(unsafe) public let kCGImagePropertyAVISDictionary: CFString = "{AVIS}"
  nonisolated(unsafe) public let kCGImagePropertyCIFFDictionary: CFString = "{CIFF}"
  nonisolated(unsafe) public let kCGImagePropertyDNGDictionary: CFString = "{DNG}"
  nonisolated(unsafe) public let kCGImagePropertyExifAuxDictionary: CFString = "{ExifAux}"
  nonisolated(unsafe) public let kCGImagePropertyExifDictionary: CFString = "{Exif}"
  nonisolated(unsafe) public let kCGImagePropertyFileContentsDictionary: CFString = "{FileContents}"
  nonisolated(unsafe) public let kCGImagePropertyGIFDictionary: CFString = "{GIF}"
  nonisolated(unsafe) public let kCGImagePropertyGPSDictionary: CFString = "{GPS}"
  nonisolated(unsafe) public let kCGImagePropertyHEICSDictionary: CFString = "{HEICS}"
  nonisolated(unsafe) public let kCGImagePropertyHEIFDictionary: CFString = "{HEIF}"
  nonisolated(unsafe) public let kCGImagePropertyIPTCDictionary: CFString = "{IPTC}"
  nonisolated(unsafe) public let kCGImagePropertyJFIFDictionary: CFString = "{JFIF}"
  nonisolated(unsafe) public let kCGImagePropertyMakerAppleDictionary: CFString = "{MakerApple}"
  nonisolated(unsafe) public let kCGImagePropertyMakerCanonDictionary: CFString = "{MakerCanon}"
  nonisolated(unsafe) public let kCGImagePropertyMakerFujiDictionary: CFString = "{MakerFuji}"
  nonisolated(unsafe) public let kCGImagePropertyMakerMinoltaDictionary: CFString = "{MakerMinolta}"
  nonisolated(unsafe) public let kCGImagePropertyMakerNikonDictionary: CFString = "{MakerNikon}"
  nonisolated(unsafe) public let kCGImagePropertyMakerOlympusDictionary: CFString = "{MakerOlympus}"
  nonisolated(unsafe) public let kCGImagePropertyMakerPentaxDictionary: CFString = "{MakerPentax}"
  nonisolated(unsafe) public let kCGImagePropertyOpenEXRDictionary: CFString = "{OpenEXR}"
  nonisolated(unsafe) public let kCGImagePropertyPNGDictionary: CFString = "{PNG}"
  nonisolated(unsafe) public let kCGImagePropertyRawDictionary: CFString = "{Raw}"
  nonisolated(unsafe) public let kCGImagePropertyTGADictionary: CFString = "{TGA}"
  nonisolated(unsafe) public let kCGImagePropertyTIFFDictionary: CFString = "{TIFF}"
  nonisolated(unsafe) public let kCGImagePropertyWebPDictionary: CFString = "{WebP}"

  // MARK: metadata

  nonisolated(unsafe) public let kCFErrorDomainCGImageMetadata: CFString = "com.apple.ImageIO.cgimagemetadata"
  nonisolated(unsafe) public let kCGImageMetadataEnumerateRecursively: CFString = "kCGImageMetadataEnumerateRecursively"
  nonisolated(unsafe) public let kCGImageMetadataNamespaceDublinCore: CFString = "http://purl.org/dc/elements/1.1/"
  nonisolated(unsafe) public let kCGImageMetadataNamespaceExif: CFString = "http://ns.adobe.com/exif/1.0/"
  nonisolated(unsafe) public let kCGImageMetadataNamespaceExifAux: CFString = "http://ns.adobe.com/exif/1.0/aux/"
  nonisolated(unsafe) public let kCGImageMetadataNamespaceExifEX: CFString = "http://cipa.jp/exif/1.0/"
  nonisolated(unsafe) public let kCGImageMetadataNamespaceIPTCCore: CFString =
    "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"
  nonisolated(unsafe) public let kCGImageMetadataNamespaceIPTCExtension: CFString =
    "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
  nonisolated(unsafe) public let kCGImageMetadataNamespacePhotoshop: CFString = "http://ns.adobe.com/photoshop/1.0/"
  nonisolated(unsafe) public let kCGImageMetadataNamespaceTIFF: CFString = "http://ns.adobe.com/tiff/1.0/"
  nonisolated(unsafe) public let kCGImageMetadataNamespaceXMPBasic: CFString = "http://ns.adobe.com/xap/1.0/"
  nonisolated(unsafe) public let kCGImageMetadataNamespaceXMPRights: CFString = "http://ns.adobe.com/xap/1.0/rights/"
  nonisolated(unsafe) public let kCGImageMetadataPrefixDublinCore: CFString = "dc"
  nonisolated(unsafe) public let kCGImageMetadataPrefixExif: CFString = "exif"
  nonisolated(unsafe) public let kCGImageMetadataPrefixExifAux: CFString = "aux"
  nonisolated(unsafe) public let kCGImageMetadataPrefixExifEX: CFString = "exifEX"
  nonisolated(unsafe) public let kCGImageMetadataPrefixIPTCCore: CFString = "Iptc4xmpCore"
  nonisolated(unsafe) public let kCGImageMetadataPrefixIPTCExtension: CFString = "Iptc4xmpExt"
  nonisolated(unsafe) public let kCGImageMetadataPrefixPhotoshop: CFString = "photoshop"
  nonisolated(unsafe) public let kCGImageMetadataPrefixTIFF: CFString = "tiff"
  nonisolated(unsafe) public let kCGImageMetadataPrefixXMPBasic: CFString = "xmp"
  nonisolated(unsafe) public let kCGImageMetadataPrefixXMPRights: CFString = "xmpRights"

  // MARK: animation

  nonisolated(unsafe) public let kCGImageAnimationDelayTime: CFString = "kCGImageAnimationDelayTime"
  nonisolated(unsafe) public let kCGImageAnimationLoopCount: CFString = "kCGImageAnimationLoopCount"
  nonisolated(unsafe) public let kCGImageAnimationStartIndex: CFString = "kCGImageAnimationStartIndex"

  // MARK: general

  nonisolated(unsafe) public let kCGImageAuxiliaryDataInfoColorSpace: CFString = "kCGImageAuxiliaryDataInfoColorSpace"
  nonisolated(unsafe) public let kCGImageAuxiliaryDataInfoData: CFString = "kCGImageAuxiliaryDataInfoData"
  nonisolated(unsafe) public let kCGImageAuxiliaryDataInfoDataDescription: CFString =
    "kCGImageAuxiliaryDataInfoDataDescription"
  nonisolated(unsafe) public let kCGImageAuxiliaryDataInfoMetadata: CFString = "kCGImageAuxiliaryDataInfoMetadata"
  nonisolated(unsafe) public let kCGImageAuxiliaryDataTypeDepth: CFString = "kCGImageAuxiliaryDataTypeDepth"
  nonisolated(unsafe) public let kCGImageAuxiliaryDataTypeDisparity: CFString = "kCGImageAuxiliaryDataTypeDisparity"
  nonisolated(unsafe) public let kCGImageAuxiliaryDataTypeHDRGainMap: CFString = "kCGImageAuxiliaryDataTypeHDRGainMap"
  nonisolated(unsafe) public let kCGImageAuxiliaryDataTypeISOGainMap: CFString = "kCGImageAuxiliaryDataTypeISOGainMap"
  nonisolated(unsafe) public let kCGImageAuxiliaryDataTypePortraitEffectsMatte: CFString =
    "kCGImageAuxiliaryDataTypePortraitEffectsMatte"
  nonisolated(unsafe) public let kCGImageAuxiliaryDataTypeSemanticSegmentationGlassesMatte: CFString =
    "kCGImageAuxiliaryDataTypeSemanticSegmentationGlassesMatte"
  nonisolated(unsafe) public let kCGImageAuxiliaryDataTypeSemanticSegmentationHairMatte: CFString =
    "kCGImageAuxiliaryDataTypeSemanticSegmentationHairMatte"
  nonisolated(unsafe) public let kCGImageAuxiliaryDataTypeSemanticSegmentationSkinMatte: CFString =
    "kCGImageAuxiliaryDataTypeSemanticSegmentationSkinMatte"
  nonisolated(unsafe) public let kCGImageAuxiliaryDataTypeSemanticSegmentationSkyMatte: CFString =
    "kCGImageAuxiliaryDataTypeSemanticSegmentationSkyMatte"
  nonisolated(unsafe) public let kCGImageAuxiliaryDataTypeSemanticSegmentationTeethMatte: CFString =
    "kCGImageAuxiliaryDataTypeSemanticSegmentationTeethMatte"
  nonisolated(unsafe) public let kCGImagePropertyAuxiliaryData: CFString = "AuxiliaryData"
  nonisolated(unsafe) public let kCGImagePropertyAuxiliaryDataType: CFString = "AuxiliaryDataType"
  nonisolated(unsafe) public let kCGImagePropertyBytesPerRow: CFString = "BytesPerRow"
  nonisolated(unsafe) public let kCGImagePropertyColorModel: CFString = "ColorModel"
  nonisolated(unsafe) public let kCGImagePropertyColorModelCMYK: CFString = "CMYK"
  nonisolated(unsafe) public let kCGImagePropertyColorModelGray: CFString = "Gray"
  nonisolated(unsafe) public let kCGImagePropertyColorModelLab: CFString = "Lab"
  nonisolated(unsafe) public let kCGImagePropertyColorModelRGB: CFString = "RGB"
  nonisolated(unsafe) public let kCGImagePropertyDPIHeight: CFString = "DPIHeight"
  nonisolated(unsafe) public let kCGImagePropertyDPIWidth: CFString = "DPIWidth"
  nonisolated(unsafe) public let kCGImagePropertyDepth: CFString = "Depth"
  nonisolated(unsafe) public let kCGImagePropertyEncoder: CFString = "Encoder"
  nonisolated(unsafe) public let kCGImagePropertyFileSize: CFString = "FileSize"
  nonisolated(unsafe) public let kCGImagePropertyGroupImageBaseline: CFString = "GroupImageBaseline"
  nonisolated(unsafe) public let kCGImagePropertyGroupImageDisparityAdjustment: CFString =
    "GroupImageDisparityAdjustment"
  nonisolated(unsafe) public let kCGImagePropertyGroupImageIndexLeft: CFString = "GroupImageIndexLeft"
  nonisolated(unsafe) public let kCGImagePropertyGroupImageIndexMonoscopic: CFString = "GroupImageIndexMonoscopic"
  nonisolated(unsafe) public let kCGImagePropertyGroupImageIndexRight: CFString = "GroupImageIndexRight"
  nonisolated(unsafe) public let kCGImagePropertyGroupImageIsAlternateImage: CFString = "GroupImageIsAlternateImage"
  nonisolated(unsafe) public let kCGImagePropertyGroupImageIsLeftImage: CFString = "GroupImageIsLeftImage"
  nonisolated(unsafe) public let kCGImagePropertyGroupImageIsMonoscopicImage: CFString = "GroupImageIsMonoscopicImage"
  nonisolated(unsafe) public let kCGImagePropertyGroupImageIsRightImage: CFString = "GroupImageIsRightImage"
  nonisolated(unsafe) public let kCGImagePropertyGroupImageStereoAggressors: CFString = "GroupImageStereoAggressors"
  nonisolated(unsafe) public let kCGImagePropertyGroupImagesAlternate: CFString = "GroupImagesAlternate"
  nonisolated(unsafe) public let kCGImagePropertyGroupIndex: CFString = "GroupIndex"
  nonisolated(unsafe) public let kCGImagePropertyGroupMonoscopicImageLocation: CFString = "GroupMonoscopicImageLocation"
  nonisolated(unsafe) public let kCGImagePropertyGroupType: CFString = "GroupType"
  nonisolated(unsafe) public let kCGImagePropertyGroupTypeAlternate: CFString = "GroupTypeAlternate"
  nonisolated(unsafe) public let kCGImagePropertyGroupTypeStereoPair: CFString = "GroupTypeStereoPair"
  nonisolated(unsafe) public let kCGImagePropertyGroups: CFString = "Groups"
  nonisolated(unsafe) public let kCGImagePropertyHasAlpha: CFString = "HasAlpha"
  nonisolated(unsafe) public let kCGImagePropertyHeight: CFString = "Height"
  nonisolated(unsafe) public let kCGImagePropertyImageCount: CFString = "ImageCount"
  nonisolated(unsafe) public let kCGImagePropertyImageIndex: CFString = "ImageIndex"
  nonisolated(unsafe) public let kCGImagePropertyImages: CFString = "Images"
  nonisolated(unsafe) public let kCGImagePropertyIsFloat: CFString = "IsFloat"
  nonisolated(unsafe) public let kCGImagePropertyIsIndexed: CFString = "IsIndexed"
  nonisolated(unsafe) public let kCGImagePropertyNamedColorSpace: CFString = "NamedColorSpace"
  nonisolated(unsafe) public let kCGImagePropertyOrientation: CFString = "Orientation"
  nonisolated(unsafe) public let kCGImagePropertyPixelFormat: CFString = "PixelFormat"
  nonisolated(unsafe) public let kCGImagePropertyPixelHeight: CFString = "PixelHeight"
  nonisolated(unsafe) public let kCGImagePropertyPixelWidth: CFString = "PixelWidth"
  nonisolated(unsafe) public let kCGImagePropertyPrimaryImage: CFString = "PrimaryImage"
  nonisolated(unsafe) public let kCGImagePropertyProfileName: CFString = "ProfileName"
  nonisolated(unsafe) public let kCGImagePropertyThumbnailImages: CFString = "ThumbnailImages"
  nonisolated(unsafe) public let kCGImagePropertyWidth: CFString = "Width"
  nonisolated(unsafe) public let kCGImageProviderPreferredTileHeight: CFString = "kCGImageProviderPreferredTileHeight"
  nonisolated(unsafe) public let kCGImageProviderPreferredTileWidth: CFString = "kCGImageProviderPreferredTileWidth"

  // MARK: spatial/groups

  nonisolated(unsafe) public let kIIOCameraExtrinsics_CoordinateSystemID: CFString =
    "kIIOCameraExtrinsics_CoordinateSystemID"
  nonisolated(unsafe) public let kIIOCameraExtrinsics_Position: CFString = "kIIOCameraExtrinsics_Position"
  nonisolated(unsafe) public let kIIOCameraExtrinsics_Rotation: CFString = "kIIOCameraExtrinsics_Rotation"
  nonisolated(unsafe) public let kIIOCameraModelType_GenericPinhole: CFString = "kIIOCameraModelType_GenericPinhole"
  nonisolated(unsafe) public let kIIOCameraModelType_SimplifiedPinhole: CFString =
    "kIIOCameraModelType_SimplifiedPinhole"
  nonisolated(unsafe) public let kIIOCameraModel_Intrinsics: CFString = "kIIOCameraModel_Intrinsics"
  nonisolated(unsafe) public let kIIOCameraModel_ModelType: CFString = "kIIOCameraModel_ModelType"
  nonisolated(unsafe) public let kIIOMetadata_CameraExtrinsicsKey: CFString = "kIIOMetadata_CameraExtrinsicsKey"
  nonisolated(unsafe) public let kIIOMetadata_CameraModelKey: CFString = "kIIOMetadata_CameraModelKey"
  nonisolated(unsafe) public let kIIOMonoscopicImageLocation_Center: CFString = "kIIOMonoscopicImageLocation_Center"
  nonisolated(unsafe) public let kIIOMonoscopicImageLocation_Left: CFString = "kIIOMonoscopicImageLocation_Left"
  nonisolated(unsafe) public let kIIOMonoscopicImageLocation_Right: CFString = "kIIOMonoscopicImageLocation_Right"
  nonisolated(unsafe) public let kIIOMonoscopicImageLocation_Unspecified: CFString =
    "kIIOMonoscopicImageLocation_Unspecified"
  nonisolated(unsafe) public let kIIOStereoAggressors_Severity: CFString = "kIIOStereoAggressors_Severity"
  nonisolated(unsafe) public let kIIOStereoAggressors_SubTypeURI: CFString = "kIIOStereoAggressors_SubTypeURI"
  nonisolated(unsafe) public let kIIOStereoAggressors_Type: CFString = "kIIOStereoAggressors_Type"
#endif
