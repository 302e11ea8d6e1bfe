// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

extension CoderRegistry {
  /// Changes the metadata of a file without decoding its pixels. Everything else stays byte for byte.
  ///
  /// JPEG, PNG, WebP, TIFF, GIF, JPEG 2000, JPEG XL, HEIF and AVIF can be edited, and what coders from elsewhere add.
  ///
  /// - Parameters:
  ///   - reading: How the file is read: its limits and allowed formats apply.
  ///   - destination: A file is replaced when the new one is whole; it may be the source.
  ///   - id: The identifier of the only coder to edit with, or nil to choose.
  /// - Returns: The new file; its bytes, if the destination is memory.
  /// - Throws: ``CoderError/Code/unsupported`` if no coder edits files of the format, or not this one;
  ///   ``CoderError/Code/invalidArgument`` for a property that cannot be set; ``CoderError`` for a file that cannot be
  ///   read.
  @available(*, noasync, message: "this blocks a thread: await registry.async.editMetadata(…)")
  @discardableResult
  public func editMetadata(
    _ source: ByteSource, _ edit: MetadataEdit, at destination: EncodeDestination = .memory,
    reading: DecodeOptions = DecodeOptions(), coder id: String? = nil
  ) throws(CoderError) -> EncodedFile {
    if !edit.pictures.isEmpty {
      return try attachPictures(to: source, edit, reading: reading, coder: id).put(at: destination)
    }
    if let video = edit.video {
      return try attachVideo(video, to: source, edit, reading: reading, coder: id).put(at: destination)
    }
    let source = try rereadable(source, reading)
    let decoder = try open(source, options: reading)
    let format = decoder.header.format
    let caller = reading
    let reading = try policy.restricting(caller, for: [format])
    if let words = reading.restrictions.metadata {
      throw .unsupported("metadata may not be read (set by \(words)), so that it cannot be changed")
    }
    let open = try OpenSource(source, limits: reading.limits)
    try reading.limits.check(memory: open.size)
    let context = DecodeContext(open, options: reading)
    let name = KnownOperation.editMetadata.name
    let repeated = decoder.repeatedBlocks
    let outcome = try attempt(name, from: format, to: format, readBy: decoder.coderID, coder: id) {
      (coder) throws(CoderError) -> EncodedFile? in
      var edits = try edit.blocks(orientation: decoder.header.orientation, repeated: repeated) {
        (kind) throws(CoderError) in try decoder.block(kind, by: coder, in: context)
      }
      var result = try coder.apply(.editMetadata(edits), from: format, to: format, in: context, asksOnly: false)
      var changes = FactChange.leavingOut(
        repeated.filter { kind in
          edits.removed.contains(kind) && !edit.removed.contains(kind == .exif ? .exif : .xmp)
        })
      // Credentials sign the bytes of the file, so that they go with the first of them that changes.
      if decoder.header.metadata.contains(.c2pa), !edits.removed.contains(.c2pa), try !open.holds(result.bytes ?? []) {
        edits.removed.insert(.c2pa)
        result = try coder.apply(.editMetadata(edits), from: format, to: format, in: context, asksOnly: false)
        changes.append(
          FactChange(
            .credentials, .dropped, because: "content credentials sign the bytes of the file, which were changed"))
      }
      if case .text(let words)? = result.facts["dropped"] {
        changes.append(FactChange(.storedJPEG, .dropped, because: words))
      }
      let bytes = result.bytes ?? []
      try check(bytes, against: decoder, edit, caller)
      for change in changes {
        if caller.isStrict { throw .unsupported("\(change.message); with strict options that is an error") }
        caller.log?(.warning, change.message)
      }
      return try EncodedFile(format: format, bytes: bytes, byteCount: bytes.count, changes: changes)
        .put(at: destination)
    }
    switch outcome {
    case .done(let file): return file
    case .refused(let error): throw error ?? .unsupported("no coder edits the metadata of \(format)")
    }
  }

  /// What can be read of the metadata of a file that cannot be opened, by the first coder that reads some of it.
  ///
  /// - Returns: Nil for a file of which no coder reads any.
  package func properties(
    ofDamaged source: ByteSource, reading: DecodeOptions = DecodeOptions(), coder id: String? = nil
  ) -> (format: ImageFormat, properties: Properties)? {
    func read() throws(CoderError) -> (format: ImageFormat, properties: Properties) {
      let open = try opened(source, reading)
      return try choose(open, options: reading, coder: id, explain: nil) { (coder, formats) throws(CoderError) in
        try restricting(reading, formats) { (options) throws(CoderError) in
          guard let format = formats.only, options.restrictions.metadata == nil else {
            throw .wrongFormat("no metadata")
          }
          let context = DecodeContext(open, options: options)
          func block(_ kind: MetadataBlock) -> [UInt8]? {
            coder.operations.readingMetadata(kind, of: format).flatMap { operation in
              (try? coder.apply(operation, from: format, to: format, in: context, asksOnly: false))?.bytes
            }
          }
          let blocks: [MetadataKind: [UInt8]] = [.exif: block(.exif), .xmp: block(.xmp), .icc: block(.icc)]
            .compactMapValues(\.self)
          let properties = Properties(describing: { blocks[$0] }, iptc: block(.iptc))
          guard !properties.isEmpty else { throw .wrongFormat("no metadata") }
          return (format, properties)
        } format: {
          $0.format
        }
      }
    }
    return try? read()
  }

  /// The coder may come from elsewhere: the new file has to hold the same picture, upright in the same way.
  private func check(
    _ bytes: [UInt8], against old: ImageDecoder, _ edit: MetadataEdit, _ reading: DecodeOptions
  ) throws(CoderError) {
    let new = try open(.bytes(bytes), options: reading)
    guard new.header.canvas == old.header.canvas, new.header.format == old.header.format,
      new.header.pageCount == old.header.pageCount, new.header.frameCount == old.header.frameCount
    else { throw .libraryFailure("the edited file does not hold the same picture") }
    try Self.check(new, follows: edit)
    let orientation = edit.values["{TIFF}", "Orientation"]
    guard orientation != .text("") else { return }
    let wanted = orientation?.integer.map { Int($0) } ?? old.header.orientation.rawValue
    guard new.header.orientation.rawValue == wanted else {
      throw .unsupported("files of \(new.header.format) do not state the orientation in their Exif")
    }
  }
  /// What was taken out is gone, and what was set is there, for programs that read the file with this library: a
  /// sequence may keep its metadata in a track, where nothing was changed.
  private static func check(_ new: ImageDecoder, follows edit: MetadataEdit) throws(CoderError) {
    let properties = try new.properties()
    let hasExif = ["{TIFF}", "{Exif}", "{GPS}"].contains { edit.values[$0] != nil }
    let isGone =
      (!edit.removed.contains(.gps) || edit.values["{GPS}"] != nil || properties["{GPS}"] == nil)
      && (!edit.removed.contains(.exif) || hasExif || new.header.orientation != .up
        || !new.header.metadata.contains(.exif))
      && (!edit.removed.contains(.xmp) || edit.values["{XMP}"] != nil || edit.values["{IPTC}"] != nil
        || !new.header.metadata.contains(.xmp))
    var isThere = true
    for (dictionary, value) in edit.values.sorted {
      guard case .dictionary(let set) = value else { continue }
      for (name, value) in set.sorted where value != .text("") && properties[dictionary, name] == nil {
        isThere = false
      }
    }
    guard isGone, isThere else {
      throw .unsupported("the file has its metadata in a place that \(new.coderID) does not edit")
    }
  }
}

extension OpenSource {
  /// Whether a new file is the same, byte for byte.
  fileprivate func holds(_ bytes: [UInt8]) throws(CoderError) -> Bool {
    guard bytes.count == size else { return false }
    return try view(at: 0, count: size).elementsEqual(bytes)
  }
}

extension ImageDecoder {
  /// A block of metadata as the file has it: the reader does not say all of each kind.
  fileprivate func block(
    _ kind: MetadataBlock, by coder: any ImageCoder, in context: DecodeContext
  ) throws(CoderError) -> [UInt8]? {
    let format = header.format
    guard let operation = coder.operations.readingMetadata(kind, of: format) else {
      return try kind.kind.flatMap { (kind) throws(CoderError) in try metadata(kind) }
    }
    return try coder.apply(operation, from: format, to: format, in: context, asksOnly: false).bytes
  }
}
