// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

extension CoderRegistry {
  /// Whether a page has a gain map, as far as its file can be read.
  func hasGainMap(_ decoder: ImageDecoder) -> Bool {
    let pictures = Result { () throws(CoderError) in try decoder.auxiliaryPictures() }
    return (try? pictures.get())?.contains { $0.kind == .gainMap } ?? false
  }

  /// The gain map that a conversion keeps, or nil. A warning says why one is left out.
  func gainMapToKeep(
    _ decoder: ImageDecoder, as format: ImageFormat, _ options: EncodeOptions, _ reading: DecodeOptions
  ) -> GainMap? {
    guard options.gainMap == .kept, reading.gainMap == .ignored else { return nil }
    var reason = ""
    if !attachesGainMaps(to: format) {
      reason = "\(format) is written without one"
    } else if !decoder.keepsColors {
      reason = "the colors are converted"
    } else if reading.part != nil || (reading.size.box != options.maxSize && !options.edit.isIdentity) {
      reason = "a part of the picture is read, or at another size"
    } else if let work = options.edit.work, work.changes != .scaled {
      reason = "the picture is changed in ways in which a gain map is not"
    } else {
      do throws(CoderError) {
        if let map = try decoder.gainMapWithFile() { return map }
        reason = "nothing says what its samples mean"
      } catch {
        reason = error.message
      }
    }
    options.log?(.warning, "the gain map is left out: \(reason)")
    return nil
  }

  /// A file with a gain map, which is cut, turned and scaled as its picture was.
  ///
  /// - Parameters:
  ///   - map: Of the whole picture.
  ///   - picture: The size of that picture.
  /// - Returns: Nil if a map does not fit; a warning says so.
  func attaching(
    _ map: GainMap, of picture: Size, to bytes: [UInt8], format: ImageFormat, _ options: EncodeOptions
  ) throws(CoderError) -> [UInt8]? {
    let decoder = try open(.bytes(bytes), options: DecodeOptions(limits: options.limits))
    let header = decoder.header
    let written = header.canvas
    let whole = options.edit.crop ?? Rect(covering: picture)
    let edited = try options.edit.size(of: picture)
    let scale = Double(written.width) / Double(edited.width)
    func side(_ side: Int, _ own: Int, _ whole: Int) -> Int {
      max(1, Int((Double(side) * Double(own) / Double(whole) * scale).rounded()))
    }
    var part = try map.part(
      whole, of: picture,
      size: Size(
        width: side(whole.width, map.pixels.size.width, picture.width),
        height: side(whole.height, map.pixels.size.height, picture.height)))
    for turn in options.edit.turns {
      part.pixels = try part.pixels.oriented(by: turn)
      part.file = nil
    }
    let takesColors =
      operations(for: format).first { $0.operation.name == KnownOperation.attachGainMap.name }?
      .operation.takesColorsApart ?? false
    let file = try mapFile(part, besides: header, as: format, hasColors: !takesColors, options)
    let (iso, xmp) = part.metadata
    var parts = GainMapParts(file: file, iso: iso, xmp: xmp)
    if takesColors { (parts.alternateColors, parts.alternateProfile) = (part.alternateColors, part.alternateProfile) }
    let operation = FileOperation.attachGainMap(parts)
    let context = options.context(try OpenSource(.bytes(bytes), limits: options.limits), limits: options.limits)
    let outcome = try attempt(operation.name, from: format, to: format, readBy: decoder.coderID) {
      (_, error) throws(CoderError) in
      options.log?(.warning, "the gain map is left out: \(error.message)")
    } _: { (coder) throws(CoderError) in
      try coder.apply(operation, from: format, to: format, in: context, asksOnly: false).bytes
    }
    guard case .done(let made) = outcome else { return nil }
    guard made.count <= options.maxFileSize ?? .max else {
      options.log?(.warning, "the gain map is left out: with it, the file has \(made.count) bytes")
      return nil
    }
    return made
  }

  /// The map as a file: its own bytes if the format takes them, or else encoded.
  private func mapFile(
    _ map: GainMap, besides base: ImageHeader, as format: ImageFormat, hasColors: Bool, _ options: EncodeOptions
  ) throws(CoderError) -> [UInt8] {
    var copying = EncodeOptions(limits: options.limits, cancellation: options.cancellation)
    copying.log = options.log
    if let file = map.file, let kept = try transcode(.bytes(file), to: format, options: copying) {
      // A profile of the other rendition would be that of the samples in another format.
      if kept == file || map.alternateProfile == nil { return kept }
    }
    var settings = EncodeOptions(quality: Self.mapQuality, limits: options.limits, cancellation: options.cancellation)
    settings.metadata = [.icc]
    if !map.pixels.format.isGray {
      // Gains of red and blue are no chroma that nobody misses. A format without a choice stores colors as eyes see them: at
      // the same quality, samples of JPEG XL were off by up to 55.
      settings.subsampling = .s444
      settings.isLossless = !writesChroma(format)
    }
    var stored = hasColors ? map.picture(besides: base, as: format) : Image(map.pixels)
    // Samples of a map are no light that could be measured, whatever curve the other rendition has.
    var own = ImageHeader(
      format: format, canvas: stored.pixels.size, pixelFormat: stored.pixels.format, bitsPerChannel: 8,
      alpha: stored.pixels.alpha)
    own.cicp = stored.cicp
    stored.header = own
    return try encode(stored, as: format, options: settings)
  }

  /// A file that was made of another one without decoding it, with that one's gain map where it would not be found.
  func keepingGainMap(
    of decoder: ImageDecoder, from source: ByteSource, in bytes: [UInt8], as format: ImageFormat,
    _ options: EncodeOptions, _ reading: DecodeOptions
  ) throws(CoderError) -> [UInt8] {
    guard hasGainMap(decoder),
      !hasGainMap(try open(.bytes(bytes), options: DecodeOptions(limits: options.limits)))
    else { return bytes }
    var reading = reading
    reading.appliesOrientation = false
    let stored = try open(source, options: reading)
    guard let map = gainMapToKeep(stored, as: format, options, reading) else { return bytes }
    return try attaching(map, of: stored.header.canvas, to: bytes, format: format, options) ?? bytes
  }

  /// A file with a gain map, or without one, which its changes say.
  ///
  /// - Parameter map: Nil if a warning said already why there is none.
  /// - Throws: With strict options, ``CoderError/Code/unsupported`` for a file without one.
  func attaching(
    _ map: GainMap?, of picture: Size, to file: EncodedFile, _ options: EncodeOptions
  ) throws(CoderError) -> EncodedFile {
    var file = file
    if let map, let bytes = try attaching(map, of: picture, to: file.bytes, format: file.format, options) {
      (file.bytes, file.byteCount) = (bytes, bytes.count)
    } else if options.gainMap == .kept {
      let change = FactChange(.gainMap, .dropped, because: "the file is written without one")
      if !file.changes.contains(change) { file.changes.append(change) }
      try change.tell(options, isLogged: true)
    }
    return file
  }

  /// Whether a coder puts gain maps into files of a format.
  func attachesGainMaps(to format: ImageFormat) -> Bool { hasOperation(.attachGainMap, from: format, to: format) }

  /// Whether the coder of a format lets its caller choose the samples of chroma.
  private func writesChroma(_ format: ImageFormat) -> Bool {
    let options = candidates(writing: format).first?.entry?.manifest?.options
    return options?.contains { $0.name == CommonOption.subsampling.name } ?? true
  }

  /// What a map is encoded with: its errors are multiplied by the gain.
  private static let mapQuality = 0.92

  /// Writes an HDR picture as one for every display, with a gain map for those that show more.
  func convertMakingGainMap(
    _ source: ByteSource, to format: ImageFormat, at destination: EncodeDestination, options: EncodeOptions,
    reading: DecodeOptions, reader: String?, coder: String?, problem: ((CoderError) -> Void)?
  ) throws(CoderError) -> EncodedFile {
    guard attachesGainMaps(to: format) else {
      let formats = operations().filter { $0.operation.name == KnownOperation.attachGainMap.name }
        .flatMap { $0.operation.formats.map { "\($0.to)" } }
      throw .unsupported(
        "\(format) is written without gain maps; with them: \(formats.isEmpty ? "none" : formats.joined(separator: ", "))"
      )
    }
    var reading = reading
    reading.firstFrameOnly = true
    reading.appliesOrientation = true
    reading.color = .convert(to: .linearDisplayP3, toneMapping: .clip)
    reading.pixelFormat = .rgbaFloat32
    var light = try options.edit.applied(to: try open(source, options: reading, coder: reader).frame(at: 0).pixels)
    reading.color = .convert(to: .displayP3)
    reading.pixelFormat = .rgb8
    var image = try open(source, options: reading, coder: reader).image()
    if let found = image.problem {
      guard let problem else { throw found }
      problem(found)
    }
    image.frames = [Frame(pixels: try options.edit.applied(to: image.pixels))]
    let picture = image.size
    var settings = options
    settings.edit = PixelEdit()
    settings.maxSize = nil
    settings.gainMap = .dropped
    settings.color = .asStored
    if let box = options.maxSize {
      let size = Fit.plan(displayed: picture, box: box, mode: .fit).size
      light = try light.resampled(to: size)
      image.frames = [Frame(pixels: try image.pixels.resampled(to: size))]
    }
    if let packet = image.metadata[.xmp] { image.metadata[.xmp] = GainMap.without(mapIn: packet) }
    let map = try GainMap.made(for: image.pixels, light: light)
    var file = EncodedFile(
      format: format, bytes: try encode(image, as: format, options: settings, coder: coder), byteCount: 0,
      frameCount: 1, quality: options.quality)
    if let map {
      file.bytes = try attaching(map, of: image.size, to: file.bytes, format: format, settings) ?? file.bytes
    } else {
      options.log?(.warning, "no gain map is written: no light is above the white of an SDR picture")
    }
    file.byteCount = file.bytes.count
    return try file.put(at: destination)
  }
}

extension GainMap {
  /// The map as a picture of its own, whose colors are those of the other rendition.
  ///
  /// JPEG has a profile for them only where gains are applied in them. Files of items state them in any case: without
  /// others, light in the primaries of the picture.
  fileprivate func picture(besides base: ImageHeader, as format: ImageFormat) -> Image {
    var picture = Image(pixels)
    guard format != .jpeg else {
      if !parameters.usesBaseColors { picture.metadata[.icc] = alternateProfile }
      return picture
    }
    picture.metadata[.icc] = alternateProfile
    picture.cicp =
      alternateColors
      ?? CodingIndependentCodePoints(
        primaries: base.cicp?.primaries ?? 2, transfer: 16, matrix: 6, isFullRange: true)
    return picture
  }
}
