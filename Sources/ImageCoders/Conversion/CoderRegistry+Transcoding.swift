// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

extension CoderRegistry {
  /// Converts a file to another format with exactly the same content, without decoding its pixels. If the file already
  /// has the format, the result is the file itself.
  ///
  /// JPEG XL can store a JPEG file in this way, in less space, and restore it byte for byte. The file is decoded once, to see
  /// that nothing of it is missing; that its pixels are not kept saves memory and keeps them exact.
  ///
  /// - Parameters:
  ///   - reading: How the file is read: its limits and allowed formats apply, although no pixels are decoded. Nil for
  ///     the limits of `options` and all formats.
  /// - Returns: The new file's bytes, or nil if no coder can convert the file in this way, if the options require
  ///   changes to it, or if a part of the picture is missing.
  /// - Throws: ``CoderError`` for a file that is damaged, too large, not allowed, or cannot be read.
  @available(*, noasync, message: "this blocks a thread: await registry.async.transcode(…)")
  public func transcode(
    _ source: ByteSource, to format: ImageFormat, options: EncodeOptions = EncodeOptions(),
    reading: DecodeOptions? = nil
  ) throws(CoderError) -> [UInt8]? {
    guard options.allowsCopy, options.output.isMetByACopy, reading?.output.isWhole ?? true else { return nil }
    var limited = DecodeOptions()
    limited.limits = options.limits
    let reading = reading ?? limited
    let source = try rereadable(source, reading)
    // The header says what the file really is; a pair for another format is none for this one.
    let decoder = try self.open(source, options: reading)
    let found = decoder.header.format
    guard reading.output.values(for: found).isEmpty,
      found == format || hasOperation(.transcode, from: found, to: format), decoder.keepsColors,
      try isWhole(decoder)
    else { return nil }
    let limits = try policy.restricting(reading, for: [found]).limits
    let open = try OpenSource(source, limits: limits)
    try limits.check(memory: open.size)
    if found == format {
      let bytes = try ArrayMemory.copy(try open.view(at: 0, count: open.size), for: "the file")
      return bytes.count <= options.maxFileSize ?? .max ? bytes : nil
    }
    let context = options.context(open, limits: limits)
    let operation = FileOperation.transcode
    let outcome = try attempt(operation.name, from: found, to: format, readBy: decoder.coderID) {
      (id, error) throws(CoderError) in
      options.log?(.info, "\(id) cannot convert the file without decoding: \(error.message)")
    } _: { (coder) throws(CoderError) in
      let result = try coder.apply(operation, from: found, to: format, in: context, asksOnly: false)
      return result.bytes.flatMap { $0.count <= options.maxFileSize ?? .max ? $0 : nil }
    }
    guard case .done(let bytes) = outcome else { return nil }
    return try keepingGainMap(of: decoder, from: source, in: bytes, as: format, options, reading)
  }

  /// Whether every page and frame can be decoded whole. What is missing or damaged is to be told, which a copy would not.
  func isWhole(_ decoder: ImageDecoder) throws(CoderError) -> Bool {
    for index in 0..<max(1, decoder.header.pageCount) {
      let page = try index == decoder.page ? decoder : decoder.page(index)
      guard !page.header.isTruncated, !page.header.isDamaged else { return false }
      page.reuseFrameMemory()
      for frame in 0..<page.frameCount {
        do throws(CoderError) {
          let problem = page.frameCount == 1 ? try page.problemOfStill() : try page.frame(at: frame).problem
          guard problem == nil else { return false }
        } catch {
          // What no coder here decodes is copied as it is.
          if error.code.group == .unsupported { break }
          guard error.keepsEarlierFrames else { throw error }
          return false
        }
      }
    }
    return true
  }

  /// Converts a file. Frames, delays, loop count and metadata are kept; only one frame at a time is in memory.
  ///
  /// If the options require no changes, the file is converted as by ``transcode(_:to:options:reading:)``. A file that is
  /// only cropped and turned is not decoded if its format allows that. All pages are kept if the format holds pages, else
  /// only the primary one.
  ///
  /// - Parameters:
  ///   - reading: How the file is read. Its orientation and first-frame options are set from `options`, as is its size
  ///     unless it names one. Changes of the picture are made to the part and at the size that are read.
  ///   - reader: The identifier of the only coder to read with, or nil to choose.
  ///   - coder: The identifier of the only coder to write with, or nil for the first that writes the format.
  ///   - problem: Called for each page or frame that was decoded only in part. If nil, or if `reading` is strict, such a
  ///     page or frame is an error.
  /// - Returns: The new file; its bytes, if the destination is memory.
  @available(*, noasync, message: "this blocks a thread: await registry.async.convert(…)")
  @discardableResult
  public func convert(
    _ source: ByteSource, to format: ImageFormat, at destination: EncodeDestination,
    options: EncodeOptions = EncodeOptions(), reading: DecodeOptions = DecodeOptions(), reader: String? = nil,
    coder: String? = nil, problem: ((CoderError) -> Void)? = nil
  ) throws(CoderError) -> EncodedFile {
    let source = try rereadable(source, reading)
    let problem = reading.isStrict ? nil : problem
    if coder == nil, reader == nil, reading.page == nil {
      if let bytes = try transcode(source, to: format, options: options, reading: reading) {
        return try EncodedFile(format: format, bytes: bytes, byteCount: bytes.count).put(at: destination)
      }
      if let file = try turned(source, to: format, options: options, reading: reading) {
        return try file.put(at: destination)
      }
    }
    if let range = options.range {
      return try convertStretching(
        source, range, to: format, at: destination, options: options, reading: reading, reader: reader, coder: coder,
        problem: problem)
    }
    if options.gainMap == .made {
      return try convertMakingGainMap(
        source, to: format, at: destination, options: options, reading: reading, reader: reader, coder: coder,
        problem: problem)
    }
    var (options, reading) = (options, reading)
    reading.firstFrameOnly = options.firstFrameOnly
    reading.appliesOrientation = !options.preservesOrientation
    // Colors that are asked for are those of the file, whichever options ask.
    if reading.color == .asStored { reading.color = options.color } else { options.color = reading.color }
    // A reader may have a way to a smaller picture; the encoder makes it exact.
    if !options.preservesOrientation, options.iconSizes.isEmpty, options.edit.isIdentity {
      if let box = options.maxSize, reading.size == .own { reading.size = .fitting(box) }
      reading.linearLight = options.linearLight
      options.linearLight = false
    }
    var decoder = try open(source, options: reading, coder: reader)
    // No format that is written holds inks, and what they look like is in their profile.
    if decoder.header.hasInks, reading.color == .asStored {
      reading.color = .convert(to: .sRGB)
      decoder = try open(source, options: reading, coder: reader)
    }
    guard options.iconSizes.isEmpty else {
      var image = try decoder.image()
      image.frames[0].pixels = try options.edit.applied(to: image.pixels)
      if let found = image.problem {
        guard let problem else { throw found }
        problem(found)
      }
      return try encodeSizes(of: image, as: format, to: destination, options, coder)
    }
    let writer = candidates(writing: format).first { coder == nil || $0.id == coder }
    var notes: [FactChange] = []
    let pages = pagesToWrite(decoder, as: format, options, reading, writer, notes: &notes)
    if !options.firstFrameOnly, decoder.frameCount > 1, pages.count > 1 || !(writer?.writesFrames ?? true) {
      let reason = pages.count > 1 ? "a page holds no animation" : "\(format) is written without animation"
      notes.append(
        FactChange(.frames, .dropped, because: "\(reason): the first of \(decoder.frameCount) frames is written"))
      options.firstFrameOnly = true
    }
    notes += carryGroups(of: decoder, writing: pages, writer, &options)
    if let note = carryHotSpot(of: decoder, as: format, &options) { notes.append(note) }
    let hasMap = pages.count == 1 && hasGainMap(decoder)
    let map = hasMap ? gainMapToKeep(decoder, as: format, options, reading) : nil
    var beside = pages.count == 1 ? auxiliariesToKeep(decoder, as: format, options, reading) : (kept: [], notes: [])
    let partner = stereoPartner(of: decoder, among: &beside.kept, writer, &options)
    if let right = rightPicture(of: decoder, in: source, as: format, options, reading, reader: reader) {
      beside.kept.append(right)
      // Of two pages, none is left out.
      if decoder.header.pageCount == 2 { notes.removeAll { $0.fact == .pages && $0.outcome == .dropped } }
      notes.append(FactChange(.pages, .moved, because: "the right picture of the stereo pair follows the left one"))
    }
    let isAlone = map == nil && beside.kept.isEmpty
    let depth = encodesDepth(in: format) ? beside.kept.popLast() : nil
    let encoder = try makeEncoder(
      as: format, to: isAlone ? destination : .memory, options: depth == nil ? options : beforeDepth(options),
      pageCount: pages.count + (partner == nil ? 0 : 1), coder: coder)
    encoder.leavesGainMapOut = hasMap
    encoder.leavesAuxiliariesOut = pages.count == 1
    notes += beside.notes
    for note in notes { try encoder.note(note) }
    if let stored = storedJPEG(of: decoder.header.format, in: source, reading) {
      try encoder.note(FactChange(.storedJPEG, .dropped, because: "the picture is encoded anew"))
      let payloads = [MetadataKind.iptc, .text, .trailer, .other].compactMap { kind in
        ((try? Result { () throws(CoderError) in try stored.metadata(kind) }.get()) ?? nil).map { (kind, $0) }
      }
      encoder.inner = (Dictionary(payloads) { first, _ in first }, Density(stored.header))
    }
    if hasMap, map == nil, options.gainMap == .kept {
      try encoder.note(FactChange(.gainMap, .dropped, because: "the file is written without one"), isLogged: true)
    }
    for (index, page) in pages.enumerated() {
      if index > 0 { try encoder.endPage() }
      try encoder.addPage(page == decoder.page ? decoder : decoder.page(page), problem: problem)
    }
    if let partner {
      try encoder.note(FactChange(.auxiliaries, .moved, because: "the other picture of the stereo pair is page 2"))
      try encoder.endPage()
      try encoder.addPage(decoder.auxiliaryDecoder(partner), problem: problem)
    }
    var file = try encoder.finish()
    guard !isAlone else { return file }
    let picture = options.preservesOrientation ? decoder.header.canvas : decoder.header.displayedSize
    if let depth { file = try encoding(depth, of: picture, in: file, options) }
    if let map { file = try attaching(map, of: picture, to: file, options) }
    return try attaching(beside.kept, of: picture, to: file, options).put(at: destination)
  }

  /// Writes one picture in several sizes.
  private func encodeSizes(
    of image: Image, as format: ImageFormat, to destination: EncodeDestination, _ options: EncodeOptions,
    _ coder: String?
  ) throws(CoderError) -> EncodedFile {
    let pages = try options.sizes(of: [image])
    var options = options
    options.iconSizes = []
    options.edit = PixelEdit()
    options.firstFrameOnly = true
    let encoder = try makeEncoder(
      as: format, to: destination, options: options, pageCount: pages.count, coder: coder)
    for (index, page) in pages.enumerated() {
      if index > 0 { try encoder.endPage() }
      try encoder.add(page)
    }
    return try encoder.finish()
  }

  /// Where a cursor points, as options of the writer of another one.
  ///
  /// - Returns: What became of it, if it is not where it was.
  private func carryHotSpot(
    of decoder: ImageDecoder, as format: ImageFormat, _ options: inout EncodeOptions
  ) -> FactChange? {
    let names = ["hot-spot-x", "hot-spot-y"]
    guard decoder.header.format == .cur, names.allSatisfy({ options.values[$0] == nil }) else { return nil }
    guard format == .cur else {
      return FactChange(.hotSpot, .dropped, because: "\(format) is written without one")
    }
    let found = Result { () throws(CoderError) in try decoder.properties() }
    guard let properties = try? found.get(), let x = properties["{ICO}", "HotSpotX"]?.integer,
      let y = properties["{ICO}", "HotSpotY"]?.integer
    else { return nil }
    guard decoder.header.pageCount == 1, options.edit.isIdentity else {
      return FactChange(.hotSpot, .dropped, because: "the pictures of the cursor are changed, or are several")
    }
    // A reader may give a smaller picture already.
    let (own, shown) = (decoder.header.displayedSize, decoder.outputSize)
    for (name, place, side, whole) in [(names[0], x, shown.width, own.width), (names[1], y, shown.height, own.height)] {
      options.values[name] = .number(Double(Int(place) * side / max(1, whole)))
    }
    return shown == own ? nil : FactChange(.hotSpot, .changed, because: "as the picture was")
  }

  /// The JPEG file that a JPEG XL stores, or nil.
  private func storedJPEG(
    of format: ImageFormat, in source: ByteSource, _ reading: DecodeOptions
  ) -> ImageDecoder? {
    guard format == .jpegXL, hasOperation(.transcode, from: .jpegXL, to: .jpeg) else { return nil }
    return try? Result { () throws(CoderError) -> ImageDecoder? in
      guard try ask(.transcode, of: source, as: .jpeg, reading: reading).refusal == nil,
        let file = try apply(.transcode, to: source, as: .jpeg, reading: reading).file
      else { return nil }
      return try open(.bytes(file.bytes), options: DecodeOptions(limits: reading.limits))
    }.get()
  }

  /// Adds what the JPEG file in a JPEG XL says, and the JPEG XL itself does not.
  ///
  /// - Parameter source: It is read again.
  package func addStoredFacts(to image: inout Image, of source: ByteSource, _ reading: DecodeOptions) {
    let kinds = reading.metadata.intersection([.iptc, .text])
    guard image.header?.format == .jpegXL, !kinds.isEmpty,
      let stored = storedJPEG(of: .jpegXL, in: source, reading)
    else { return }
    for kind in kinds where image.metadata[kind] == nil {
      let payload = Result { () throws(CoderError) in try stored.metadata(kind) }
      image.metadata[kind] = (try? payload.get()) ?? nil
    }
  }

  /// Numbers of the pages that are kept.
  private func pagesToWrite(
    _ decoder: ImageDecoder, as format: ImageFormat, _ options: EncodeOptions, _ reading: DecodeOptions,
    _ writer: Candidate?, notes: inout [FactChange]
  ) -> [Int] {
    let header = decoder.header
    // Sizes of one picture are pages of an icon, and nothing that another kind of file would show one after the other.
    let isRow = header.pageCount > 1 && (!header.pagesAreSizes || header.format == format)
    if header.pageCount > 1, !isRow, reading.page == nil {
      notes.append(
        FactChange(.pages, .changed, because: "the best of \(header.pageCount) sizes of the picture is written"))
    }
    guard isRow, reading.page == nil, !options.firstFrameOnly else { return [decoder.page] }
    // Layers are parts of the picture, which is written whole: they are written where they are asked for by number.
    let pictures = (0..<header.pageCount).filter { decoder.kind(ofPage: $0) == .picture }
    if pictures.count < header.pageCount {
      options.log?(.info, "\(header.pageCount - pictures.count) pages that are parts of others are left out")
    }
    guard pictures.count > 1 else { return [decoder.page] }
    guard writer?.writesPages ?? false else {
      let groups = PageGroups(decoder, writing: pictures)
      notes.append(
        FactChange(
          .pages, .dropped,
          because: "\(format) holds 1 page: page \(decoder.page + 1) of \(pictures.count) is written"
            + (groups.isEmpty ? "" : ", of \(groups.words)")))
      return [decoder.page]
    }
    return pictures
  }
}

extension EncodeOptions {
  /// What an operation on a file is to keep to.
  func context(_ source: OpenSource, limits: Limits) -> DecodeContext {
    var reading = DecodeOptions(limits: limits)
    (reading.cancellation, reading.log) = (cancellation, log)
    return DecodeContext(source, options: reading)
  }
}
