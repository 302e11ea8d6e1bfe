// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

extension ImageDecoder {
  /// The gain map of the page, turned as the page is, or nil if it has none.
  ///
  /// Of several, the one with metadata of ISO 21496-1 counts, then of Ultra HDR, then of Apple. Samples of Apple's map are
  /// rewritten in the curve of the standard.
  ///
  /// - Throws: ``CoderError/Code/malformed`` or ``CoderError/Code/unsupported`` for a map that cannot be used; as
  ///   ``decodeAuxiliary(_:)``.
  public func gainMap() throws(CoderError) -> GainMap? {
    try attributing { () throws(CoderError) in
      guard let found = try StatedGainMap.find(page: page, in: file) else { return nil }
      return try gainMap(found)
    }
  }

  /// As ``gainMap()``, with the bytes of a map that is a file inside the file.
  package func gainMapWithFile() throws(CoderError) -> GainMap? {
    try attributing { () throws(CoderError) in
      guard let found = try StatedGainMap.find(page: page, in: file) else { return nil }
      var map = try gainMap(found)
      // What is rewritten is no longer what the file has.
      if found.table == nil { map.file = try fileOfAuxiliary(found.picture) }
      return map
    }
  }

  private func gainMap(_ found: StatedGainMap) throws(CoderError) -> GainMap {
    let stored = try auxiliaryDecoder(found.picture).frame(at: 0)
    if let problem = stored.problem { throw problem }
    let isGray = stored.pixels.format.isGray
    let pixels = try stored.pixels.converted(to: PixelLayout(found.table != nil || isGray ? .gray8 : .rgb8, .opaque))
    var map = GainMap(found.parameters, pixels: pixels)
    map.alternateColors = found.picture.alternateColors
    map.alternateProfile = found.picture.alternateProfile
    // In a JPEG, the profile of the map's file is that of the other rendition.
    if !map.parameters.usesBaseColors, map.alternateProfile == nil, map.alternateColors == nil {
      map.alternateProfile = try file.reader.metadata(.icc, page: found.picture.page)
    }
    guard let table = found.table else { return map }
    let rewritten = try PixelBuffer(size: pixels.size, format: .gray8, alpha: .opaque)
    for y in 0..<pixels.size.height {
      let (from, to) = (pixels.row(y), rewritten.row(y))
      for x in 0..<pixels.size.width {
        to.storeBytes(of: table[Int(from.load(fromByteOffset: x, as: UInt8.self))], toByteOffset: x, as: UInt8.self)
      }
    }
    map.pixels = rewritten
    return map
  }

  /// The first frame with its gain map applied.
  func rendition(_ applied: AppliedGainMap) throws(CoderError) -> Frame {
    let (width, height) = (outputSize.width, outputSize.height)
    let (bytes, overflow) = width.multipliedReportingOverflow(by: height * 2 * PixelFormat.rgbaFloat32.bytesPerPixel)
    try session.limits.check(memory: overflow ? .max : bytes)
    let decoder = try ImageDecoder(file, context.base())
    let frame = try decoder.frame(at: 0)
    let map = try gainMap(applied.stated)
    let (base, working) = (applied.base, map.workingSpace(base: applied.base))
    let float = PixelLayout(.rgbaFloat32, frame.pixels.alpha == .opaque ? .opaque : .straight)
    let toLight = RowRecoder(
      from: frame.pixels.layout, to: float, color: try ColorTransform(from: base, to: working, toneMapping: .clip))
    let weight = map.parameters.weight(headroom: applied.headroom)
    let gains = weight == 0 ? nil : try GainMapRows(map, to: frame.pixels.size, region: shownShare, weight: weight)
    // Where each row of the result depends on that row alone, there is never a whole picture of light.
    let fromLight = try applied.recoder(from: working, float, to: plan.layout)
    let layout = fromLight == nil ? float : plan.layout
    let result = try PixelBuffer(
      size: frame.pixels.size, format: layout.format, alpha: layout.alpha, pool: fromLight == nil ? nil : options.pool)
    let (stored, cancellation) = (frame.pixels, options.cancellation)
    result.forEachRow { y in
      guard !(cancellation?.isCancelled ?? false) else { return }
      let count = stored.size.width
      withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: count) { line in
        guard let light = line.baseAddress else { return }
        toLight.convert(stored.row(y), into: light, count: count)
        gains?.apply(to: light, y: y)
        if let fromLight {
          fromLight.convert(light, into: result.row(y), count: count)
        } else {
          result.row(y).copyMemory(from: light, byteCount: count * float.format.bytesPerPixel)
        }
      }
    }
    if cancellation?.isCancelled ?? false { throw .cancelled }
    let pixels =
      try fromLight == nil ? applied.finish(result, from: working, layout: plan.layout, pool: options.pool) : result
    return Frame(pixels: pixels, delay: frame.delay, problem: frame.problem)
  }

  /// The part of the upright picture that comes out, as shares of its sides.
  private var shownShare: (x: Double, y: Double, width: Double, height: Double) {
    let (region, canvas) = (plan.region, header.canvas)
    let share = (
      x: region.x / Double(canvas.width), y: region.y / Double(canvas.height),
      width: region.width / Double(canvas.width), height: region.height / Double(canvas.height)
    )
    // The part is in the middle, so that mirroring and turning do not move it.
    return plan.orientation.swapsSides ? (share.y, share.x, share.height, share.width) : share
  }
}

/// A gain map as a file states it, without pixels.
struct StatedGainMap {
  let picture: AuxiliaryPicture
  let parameters: GainMapParameters
  /// What becomes of samples of Apple's map, or nil.
  let table: [UInt8]?

  /// The map of a page that counts, or nil without one.
  ///
  /// - Throws: What is wrong with the first one, if none can be used.
  static func find(page: Int, in file: OpenFile) throws(CoderError) -> StatedGainMap? {
    let pictures = try file.auxiliaryPictures().filter { $0.owner == page && $0.kind == .gainMap }
    var fault: CoderError?
    for carrier in Carrier.allCases {
      for picture in pictures {
        do throws(CoderError) {
          if let found = try read(carrier, picture, file) { return found }
        } catch {
          fault = fault ?? error
        }
      }
    }
    if let fault { throw fault }
    return nil
  }

  /// Who says how a map is read, in the order in which they count.
  private enum Carrier: CaseIterable {
    case standard, ultraHDR, apple
  }

  private static func read(
    _ carrier: Carrier, _ picture: AuxiliaryPicture, _ file: OpenFile
  ) throws(CoderError) -> StatedGainMap? {
    if carrier == .standard {
      guard let bytes = picture.gainMapMetadata else { return nil }
      return StatedGainMap(picture: picture, parameters: try GainMapParameters(iso: bytes), table: nil)
    }
    let packet = try file.reader.metadata(.xmp, page: picture.page)
    if carrier == .ultraHDR {
      guard let packet, let parameters = try GainMapParameters(xmp: packet) else { return nil }
      return StatedGainMap(picture: picture, parameters: parameters, table: nil)
    }
    let exif = try file.reader.metadata(.exif, page: picture.owner)
    guard let map = try AppleGainMap(xmp: packet, exif: exif) else { return nil }
    return StatedGainMap(picture: picture, parameters: map.parameters, table: map.table)
  }
}

/// A gain map that is applied, and the colors before and after.
struct AppliedGainMap {
  let stated: StatedGainMap
  let headroom: Double
  /// The colors of the page.
  let base: ColorSpace
  /// The colors of the result.
  let result: ColorSpace
  /// How to get there, or nil for the usual form of HDR.
  let conversion: ColorConversion?

  /// - Parameter isLight: Whether samples of the result hold light above 1.
  init(
    _ stated: StatedGainMap, headroom: Double, base: ColorSpace, _ output: OutputColor, isLight: Bool
  ) throws(CoderError) {
    self.stated = stated
    self.headroom = headroom
    self.base = base
    switch output {
    case .asStored:
      conversion = nil
      result = isLight ? Self.light(of: base) : .named(9, 16)
    case .convert(let wanted):
      conversion = wanted
      result = try ColorPlan.space(of: wanted.target)
    }
  }

  /// Light in primaries that have a name and hold those of a space.
  private static func light(of space: ColorSpace) -> ColorSpace {
    guard case .rgb(let matrix, _) = space.model else {
      if case .gray = space.model { return .linearSRGB }
      return .named(9, 8)
    }
    for code in [1, 12, 9] as [UInt8] {
      guard case .rgb(let known, _) = ColorSpace.named(code, 8).model else { continue }
      let columns = [(matrix.first, known.first), (matrix.second, known.second), (matrix.third, known.third)]
      if columns.allSatisfy({ pair in (0..<3).allSatisfy { abs(pair.0[$0] - pair.1[$0]) < 1e-3 } }) {
        return .named(code, 8)
      }
    }
    return .named(9, 8)
  }

  /// What brings rows of light to the result's colors and layout, or nil where the whole picture has to be seen before.
  func recoder(
    from working: ColorSpace, _ light: PixelLayout, to layout: PixelLayout
  ) throws(CoderError) -> RowRecoder? {
    guard result.isHDR || result.isLight && layout.format.isFloat else { return nil }
    return RowRecoder(
      from: light, to: layout, color: try ColorTransform(from: working, to: result, toneMapping: .clip))
  }

  /// Brings light to colors of SDR, by tone mapping.
  func finish(
    _ light: PixelBuffer, from working: ColorSpace, layout: PixelLayout, pool: PixelPool?
  ) throws(CoderError) -> PixelBuffer {
    let high = ColorSpace.named(9, 16)
    let coded = try light.converted(
      to: light.layout, color: try ColorTransform(from: working, to: high, toneMapping: .clip))
    let transform = try ColorTransform(
      from: high, to: result, toneMapping: conversion?.toneMapping ?? .bt2390,
      intent: conversion?.intent ?? .relativeColorimetric, blackPoint: conversion?.blackPoint ?? .compensated)
    return try coded.converted(to: layout, color: transform, pool: pool)
  }
}

extension ImageDecoder {
  /// The gain map that the options want applied, or nil. A map that cannot be used leaves the picture as it is.
  static func gainMapToApply(
    _ header: ImageHeader, page: Int, _ file: OpenFile, _ options: DecodeOptions
  ) throws(CoderError) -> AppliedGainMap? {
    guard case .applied(let headroom) = options.gainMap, !header.isAnimated, !options.isAuxiliary else { return nil }
    guard headroom.isFinite, headroom >= 1 else {
      throw .invalidArgument("a headroom of \(headroom); at least 1 is needed")
    }
    do throws(CoderError) {
      guard let stated = try StatedGainMap.find(page: page, in: file) else { return nil }
      return try AppliedGainMap(
        stated, headroom: headroom, base: color(of: header, page: page, file).space, options.color,
        isLight: options.pixelFormat?.isFloat ?? true)
    } catch {
      guard error.code.group == .file || error.code == .unsupported else { throw error }
      options.log?(.warning, "the gain map is not applied: \(error.message)")
      return nil
    }
  }
}
