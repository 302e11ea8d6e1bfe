// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  // A Mac's Foundation and ImageIO bring these with them, and so does MobileCoreServices: a module of their own is what both
  // of them give on here.
  @_exported public import CoreGraphics

  nonisolated(unsafe) public let kUTTypeItem: CFString = "public.item"
  nonisolated(unsafe) public let kUTTypeContent: CFString = "public.content"
  nonisolated(unsafe) public let kUTTypeData: CFString = "public.data"
  nonisolated(unsafe) public let kUTTypeFolder: CFString = "public.folder"
  nonisolated(unsafe) public let kUTTypeDirectory: CFString = "public.directory"
  nonisolated(unsafe) public let kUTTypeImage: CFString = "public.image"
  nonisolated(unsafe) public let kUTTypeJPEG: CFString = "public.jpeg"
  nonisolated(unsafe) public let kUTTypeJPEG2000: CFString = "public.jpeg-2000"
  nonisolated(unsafe) public let kUTTypeTIFF: CFString = "public.tiff"
  nonisolated(unsafe) public let kUTTypePICT: CFString = "com.apple.pict"
  nonisolated(unsafe) public let kUTTypeGIF: CFString = "com.compuserve.gif"
  nonisolated(unsafe) public let kUTTypePNG: CFString = "public.png"
  nonisolated(unsafe) public let kUTTypeQuickTimeImage: CFString = "com.apple.quicktime-image"
  nonisolated(unsafe) public let kUTTypeAppleICNS: CFString = "com.apple.icns"
  nonisolated(unsafe) public let kUTTypeBMP: CFString = "com.microsoft.bmp"
  nonisolated(unsafe) public let kUTTypeICO: CFString = "com.microsoft.ico"
  nonisolated(unsafe) public let kUTTypeRawImage: CFString = "public.camera-raw-image"
  nonisolated(unsafe) public let kUTTypeScalableVectorGraphics: CFString = "public.svg-image"
  nonisolated(unsafe) public let kUTTypeLivePhoto: CFString = "com.apple.live-photo"
  nonisolated(unsafe) public let kUTTypePDF: CFString = "com.adobe.pdf"
  nonisolated(unsafe) public let kUTTypeMovie: CFString = "public.movie"
  nonisolated(unsafe) public let kUTTypeVideo: CFString = "public.video"
  nonisolated(unsafe) public let kUTTypeAudio: CFString = "public.audio"
  nonisolated(unsafe) public let kUTTypeQuickTimeMovie: CFString = "com.apple.quicktime-movie"
  nonisolated(unsafe) public let kUTTypeMPEG4: CFString = "public.mpeg-4"
  nonisolated(unsafe) public let kUTTypeText: CFString = "public.text"
  nonisolated(unsafe) public let kUTTypePlainText: CFString = "public.plain-text"
  nonisolated(unsafe) public let kUTTypeURL: CFString = "public.url"
  nonisolated(unsafe) public let kUTTypeFileURL: CFString = "public.file-url"
  nonisolated(unsafe) public let kUTTagClassFilenameExtension: CFString = "public.filename-extension"
  nonisolated(unsafe) public let kUTTagClassMIMEType: CFString = "public.mime-type"
#endif
