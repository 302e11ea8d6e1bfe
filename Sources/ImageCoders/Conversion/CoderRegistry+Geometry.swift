// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

extension CoderRegistry {
  /// A file with its picture cropped and turned without decoding it, upright and with the metadata that the options keep.
  ///
  /// - Parameter source: Can be read more than once.
  /// - Returns: Nil if the options ask for more, if a part of the picture is missing, or if no coder can do it without
  ///   loss.
  /// - Throws: ``CoderError/Code/unsupported`` if the options allow no loss, and a coder that turns files of the format
  ///   cannot do it without; ``CoderError`` for a file that is damaged, too large, not allowed, or cannot be read.
  func turned(
    _ source: ByteSource, to format: ImageFormat, options: EncodeOptions, reading: DecodeOptions
  ) throws(CoderError) -> EncodedFile? {
    guard options.allowsCopy, options.output.isMetByTurning, reading.output.isWhole else { return nil }
    let decoder = try open(source, options: reading)
    let header = decoder.header
    guard header.format == format, header.pageCount == 1, header.frameCount == 1, decoder.keepsColors,
      reading.output.values(for: format).isEmpty
    else {
      return nil
    }
    let size = try options.edit.size(of: header.displayedSize)
    let orientation = options.edit.turns.reduce(header.orientation) { $0.followed(by: $1) }
    let whole = Rect(x: 0, y: 0, width: header.displayedSize.width, height: header.displayedSize.height)
    let part = header.orientation.stored(options.edit.crop ?? whole, in: header.canvas)
    let takesAll = part.size == header.canvas
    if takesAll, orientation == .up, header.orientation == .up {
      var copied = options
      copied.edit = PixelEdit()
      return try transcode(source, to: format, options: copied, reading: reading).map {
        EncodedFile(format: format, bytes: $0, byteCount: $0.count)
      }
    }
    let limits = try policy.restricting(reading, for: [header.format]).limits
    let open = try OpenSource(source, limits: limits)
    let context = options.context(open, limits: limits)
    let operation = FileOperation.turn(TurnedPart(part, orientation: orientation))
    var isKnownWhole: Bool?
    let outcome = try attempt(operation.name, from: format, to: format, readBy: decoder.coderID) {
      (id, error) throws(CoderError) in
      if options.isLossless { throw error }
      options.log?(
        .info, "\(id) decodes the picture and encodes it again: \(error.message)")
    } _: { (coder) throws(CoderError) -> EncodedFile? in
      if isKnownWhole == nil { isKnownWhole = try isWhole(decoder) }
      guard isKnownWhole ?? false else { return nil }
      var bytes: [UInt8]?
      if takesAll, orientation == .up {
        // Turned back to how it is stored: only the tag goes.
        bytes = try ArrayMemory.copy(try open.view(at: 0, count: open.size), for: "the file")
      } else {
        bytes = try coder.apply(operation, from: format, to: format, in: context, asksOnly: false).bytes
      }
      var file = try upright(bytes ?? [], size: size, part: part, of: decoder, options, reading)
      if hasGainMap(decoder) {
        let map = gainMapToKeep(decoder, as: format, options, reading)
        file = try attaching(map, of: header.displayedSize, to: file, options)
      }
      let beside = auxiliariesToKeep(decoder, as: format, options, reading)
      for note in beside.notes { try note.tell(options) }
      file.changes += beside.notes
      // Those of a file that is turned back to how it is stored are there still.
      let new = try self.open(.bytes(file.bytes), options: DecodeOptions(limits: options.limits))
      guard try !new.auxiliaryPictures().contains(where: { Fact.auxiliaryKinds.contains($0.kind) }) else { return file }
      return try attaching(beside.kept, of: header.displayedSize, to: file, options)
    }
    guard case .done(let file) = outcome, file.byteCount <= options.maxFileSize ?? .max else { return nil }
    return file
  }

  /// Lets the metadata of a file that was turned say what is true of it.
  private func upright(
    _ bytes: [UInt8], size: Size, part: Rect, of old: ImageDecoder, _ options: EncodeOptions, _ reading: DecodeOptions
  ) throws(CoderError) -> EncodedFile {
    var edit = MetadataEdit()
    var changes: [FactChange] = []
    var changed: Set<Fact> = []
    let trailer = Result { () throws(CoderError) in try old.metadata(.trailer) }
    if let bytes = (try? trailer.get()) ?? nil, !bytes.isEmpty {
      changes.append(
        FactChange(.video, .dropped, because: "\(bytes.count) bytes after the picture, which is turned or cropped"))
    }
    let kinds: [(MetadataKind, MetadataEdit.Part)] = [(.icc, .icc), (.exif, .exif), (.xmp, .xmp), (.iptc, .iptc)]
    for (kind, part) in kinds where !options.metadata.contains(kind) { edit.removed.insert(part) }
    // Who takes something out does not expect to find it in another place.
    if !edit.removed.isEmpty { edit.removed.formUnion([.iptc, .text, .other]) }
    if old.header.metadata.contains(.c2pa) { edit.removed.insert(.c2pa) }
    var writesExif = options.metadata.contains(.exif)
    if writesExif, let exif = try old.metadata(.exif), !MetadataEdit.canChange(exif: exif) {
      writesExif = false
      // What cannot be read says nothing that has become wrong, but for an orientation in front of the fault.
      let isLeft = old.header.orientation == .up
      if !isLeft { edit.removed.insert(.exif) }
      options.log?(.warning, "the Exif block cannot be read, and \(isLeft ? "stays as it is" : "is left out")")
    }
    if writesExif, old.header.metadata.contains(.exif) {
      edit.removed.insert(.thumbnail)
      if old.parts().contains(where: { $0.kind == .thumbnail }) {
        changes.append(FactChange(.thumbnail, .dropped, because: "the picture is turned or cropped"))
      }
      let properties = try old.properties()
      for (name, side) in [("PixelXDimension", size.width), ("PixelYDimension", size.height)] {
        guard let old = properties["{Exif}", name] else { continue }
        edit.values["{Exif}", name] = .integer(Int64(side))
        if old != .integer(Int64(side)) { changed.insert(.dimensions) }
      }
    }
    if options.metadata.contains(.xmp), case .dictionary(let values)? = try old.properties()["{XMP}"] {
      var done = options.edit.changes
      if old.header.orientation != .up { done.insert(.turned) }
      let (edits, gone) = XMPFacts.edits(
        values, changes: done, orientation: .up, size: size, part: part, hasVideo: false)
      for (name, value) in edits {
        edit.values["{XMP}", name] = value
        if let fact = XMPFacts.changing(name), value != .text("") { changed.insert(fact) }
      }
      changes += gone.filter { fact in !changes.contains { $0.fact == fact } }.map {
        FactChange($0, .dropped, because: "the picture is turned or cropped")
      }
    }
    if old.header.orientation != .up {
      edit.values["{TIFF}", "Orientation"] = writesExif ? .integer(1) : .text("")
      changed.insert(.orientation)
    }
    changes += Fact.allCases.filter(changed.contains).map { FactChange($0, .changed, because: "as the picture was") }
    if hasGainMap(old), old.header.metadata.contains(.xmp), options.metadata.contains(.xmp) {
      // What follows the picture is not there any more.
      for name in ["hdrgm:Version", "Container:Directory"] { edit.values["{XMP}", name] = .text("") }
    }
    if edit.removed.contains(.c2pa) {
      changes.append(
        FactChange(
          .credentials, .dropped, because: "content credentials sign the bytes of the file, which were changed"))
    }
    let repeated = FactChange.leavingOut(old.repeatedBlocks)
    for change in changes + repeated { try change.tell(options) }
    changes += repeated
    guard !edit.isEmpty else {
      return EncodedFile(format: old.header.format, bytes: bytes, byteCount: bytes.count, changes: changes)
    }
    var quiet = reading
    // What goes was told already.
    if !repeated.isEmpty { (quiet.log, quiet.isStrict) = (nil, false) }
    var new = try editMetadata(.bytes(bytes), edit, reading: quiet)
    guard try self.open(.bytes(new.bytes), options: reading).header.displayedSize == size else {
      throw .libraryFailure("the file was not turned")
    }
    new.changes = new.changes.filter { !changes.contains($0) } + changes
    return new
  }
}
