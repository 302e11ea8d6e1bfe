// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Names of tags that are used: TIFF 6.0 appendix A, its supplements, and Exif 2.32 §4.6.
enum Tag {
  static let newSubfileType = 254
  static let subfileType = 255
  static let imageWidth = 256
  static let imageLength = 257
  static let bitsPerSample = 258
  static let compression = 259
  static let photometric = 262
  static let fillOrder = 266
  static let documentName = 269
  static let imageDescription = 270
  static let make = 271
  static let model = 272
  static let stripOffsets = 273
  static let orientation = 274
  static let samplesPerPixel = 277
  static let rowsPerStrip = 278
  static let stripByteCounts = 279
  static let xResolution = 282
  static let yResolution = 283
  static let planarConfiguration = 284
  static let pageName = 285
  static let group3Options = 292
  static let group4Options = 293
  static let resolutionUnit = 296
  static let pageNumber = 297
  static let transferFunction = 301
  static let software = 305
  static let dateTime = 306
  static let artist = 315
  static let hostComputer = 316
  static let predictor = 317
  static let whitePoint = 318
  static let primaryChromaticities = 319
  static let colorMap = 320
  static let tileWidth = 322
  static let tileLength = 323
  static let tileOffsets = 324
  static let tileByteCounts = 325
  static let subIFDs = 330
  static let inkSet = 332
  static let extraSamples = 338
  static let sampleFormat = 339
  static let jpegTables = 347
  static let jpegInterchangeFormat = 513
  static let yCbCrCoefficients = 529
  static let yCbCrSubsampling = 530
  static let referenceBlackWhite = 532
  static let xmp = 700
  static let copyright = 33432
  static let iptc = 33723
  static let imageResources = 34377
  static let exif = 34665
  static let iccProfile = 34675
  static let gps = 34853
  static let imageSourceData = 37724
  static let interoperability = 40965
  static let printImageMatching = 50341
  static let lercParameters = 50674
  static let dngVersion = 50706

  /// What the page's own directory says of the picture, beside the Exif and GPS directories: what it is of, by whom and with
  /// what, and how it is turned (Exif 2.32 §4.6.4).
  static let descriptive: Set<Int> = [
    imageDescription, make, model, orientation, xResolution, yResolution, resolutionUnit, software, dateTime, artist,
    hostComputer, copyright,
  ]

  /// What of it is worth an Exif payload where the file has neither directory: what the picture is of, by whom, when and with
  /// what. Software alone is not, nor how the picture is turned, which other fields say.
  static let telling: Set<Int> = windows.union([imageDescription, make, model, dateTime, artist, copyright])
}

/// How values of a tag are stored.
typealias TagType = TIFFField.ValueType
