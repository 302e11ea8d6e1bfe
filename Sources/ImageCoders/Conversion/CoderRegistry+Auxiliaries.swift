// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// A picture that belongs to a page, on its way into another file.
struct CarriedAuxiliary {
  let kind: PageKind
  /// What it is, as files name it.
  let typeName: String
  /// What the file that it comes from calls it.
  let ownName: String
  /// All of it, turned as its page is.
  let image: Image
  /// What a packet beside it says, or nil.
  var xmp: [UInt8]?
  /// The file that it was read from, if it is one of its own and lies in the same way.
  var file: [UInt8]?
}

extension CoderRegistry {
  /// The depth, mattes and the like of a page that a conversion keeps, and what becomes of the others.
  func auxiliariesToKeep(
    _ decoder: ImageDecoder, as format: ImageFormat, _ options: EncodeOptions, _ reading: DecodeOptions
  ) -> (kept: [CarriedAuxiliary], notes: [FactChange]) {
    guard !options.metadata.isDisjoint(with: [.exif, .xmp]) else { return ([], []) }
    let pictures = Result { () throws(CoderError) in try decoder.auxiliaryPictures() }
    let found = ((try? pictures.get()) ?? []).filter { Fact.auxiliaryKinds.contains($0.kind) }
    guard !found.isEmpty else { return ([], []) }
    var reason: String?
    if !attachesAuxiliaries(to: format) {
      reason = "\(format) is written without; --auxiliary writes one of them"
    } else if reading.part != nil || (reading.size.box != options.maxSize && !options.edit.isIdentity) {
      reason = "a part of the picture is read, or at another size"
    } else if Fact.auxiliaries.rules.rule(for: options.edit.changes) == .goes {
      reason = "the picture is changed in ways in which they are not"
    }
    if let reason { return ([], [FactChange(leavingOut: found.map(\.kind), because: reason)]) }
    var (kept, notes) = ([CarriedAuxiliary](), [FactChange]())
    var rest = found
    if encodesDepth(in: format) {
      rest = Array(found.filter { $0.kind == .depth }.prefix(1))
      let others = found.filter { !rest.contains($0) }
      let isSearched = options.maxFileSize != nil || options.look != nil
      if isSearched { rest = [] }
      let left = isSearched ? found : others
      if !left.isEmpty {
        let reason =
          isSearched ? "sizes and looks are searched without depth" : "\(format) has a channel for one picture of depth"
        notes.append(FactChange(leavingOut: left.map(\.kind), because: "\(reason); --auxiliary writes one of them"))
      }
    }
    let keepsPackets = options.edit.changes.isDisjoint(with: [.cropped, .turned])
    for picture in rest {
      do throws(CoderError) {
        kept.append(try decoder.carried(picture, keepsPacket: keepsPackets))
      } catch {
        notes.append(FactChange(leavingOut: [picture.kind], because: error.message))
      }
    }
    return (kept, notes)
  }

  /// Whether a coder puts such pictures into files of a format.
  func attachesAuxiliaries(to format: ImageFormat) -> Bool { hasOperation(.attachAuxiliary, from: format, to: format) }

  /// A file with pictures that belong to its own, which are cut, turned and scaled as that was. What cannot be put into
  /// it is among its changes.
  ///
  /// - Parameter picture: The size of the whole picture that they belong to.
  /// - Throws: With strict options, ``CoderError/Code/unsupported`` for one that is left out.
  func attaching(
    _ pictures: [CarriedAuxiliary], of picture: Size, to file: EncodedFile, _ options: EncodeOptions
  ) throws(CoderError) -> EncodedFile {
    var file = file
    for auxiliary in pictures {
      do throws(CoderError) {
        let bytes = try attached(auxiliary, of: picture, to: file.bytes, format: file.format, options)
        try options.limits.check(memory: bytes.count)
        if let most = options.maxFileSize, bytes.count > most {
          throw .unsupported("with it, the file has \(bytes.count) bytes")
        }
        (file.bytes, file.byteCount) = (bytes, bytes.count)
      } catch {
        guard error.code != .cancelled else { throw error }
        let change = FactChange(leavingOut: [auxiliary.kind], because: error.message)
        try change.tell(options)
        file.changes.append(change)
      }
    }
    return file
  }

  func attached(
    _ auxiliary: CarriedAuxiliary, of picture: Size, to bytes: [UInt8], format: ImageFormat, _ options: EncodeOptions
  ) throws(CoderError) -> [UInt8] {
    let decoder = try open(.bytes(bytes), options: DecodeOptions(limits: options.limits))
    let parts = AuxiliaryParts(
      file: try file(of: auxiliary, of: picture, writtenAs: decoder.header, options),
      typeName: auxiliary.typeName, xmp: auxiliary.xmp)
    let context = options.context(try OpenSource(.bytes(bytes), limits: options.limits), limits: options.limits)
    var operation = FileOperation.attachAuxiliary(parts)
    if encodesDepth(in: format) {
      operation.values = valuesOfDepth(options, in: format)
      if !auxiliary.ownName.isEmpty { operation.blocks["name"] = Array(auxiliary.ownName.utf8) }
    }
    let outcome = try attempt(operation.name, from: format, to: format, readBy: decoder.coderID) {
      (coder) throws(CoderError) in
      try coder.apply(operation, from: format, to: format, in: context, asksOnly: false).bytes
    }
    switch outcome {
    case .done(let made): return made
    case .refused(let error): throw error ?? .unsupported("\(format) is written without")
    }
  }

  /// The picture as a file of a format: its own bytes if nothing of it changes, or else encoded.
  private func file(
    of auxiliary: CarriedAuxiliary, of picture: Size, writtenAs header: ImageHeader, _ options: EncodeOptions
  ) throws(CoderError) -> [UInt8] {
    let own = auxiliary.image.pixels.size
    let whole = options.edit.crop ?? Rect(covering: picture)
    let edited = try options.edit.size(of: picture)
    let scale = Double(header.canvas.width) / Double(edited.width)
    let (across, down) = (
      Double(own.width) / Double(picture.width), Double(own.height) / Double(picture.height)
    )
    var size = Size(
      width: max(1, Int((Double(whole.width) * across * scale).rounded())),
      height: max(1, Int((Double(whole.height) * down * scale).rounded())))
    let encodes = encodesDepth(in: header.format)
    if encodes {
      // A channel of the picture is as large as that, once it is turned, too.
      let swapsSides = options.edit.turns.count { $0.swapsSides } % 2 == 1
      size = swapsSides ? Size(width: header.canvas.height, height: header.canvas.width) : header.canvas
    }
    let region = ResamplingRegion(
      x: Double(whole.x) * across, y: Double(whole.y) * down, width: Double(whole.width) * across,
      height: Double(whole.height) * down)
    let isSame = size == own && whole == Rect(covering: picture) && options.edit.turns.isEmpty
    if isSame, !encodes, let file = auxiliary.file {
      var copying = EncodeOptions(limits: options.limits, cancellation: options.cancellation)
      copying.log = options.log
      if let kept = try transcode(.bytes(file), to: header.format, options: copying) { return kept }
    }
    var pixels = try auxiliary.image.pixels.resampled(to: size, region: region)
    for turn in options.edit.turns { pixels = try pixels.oriented(by: turn) }
    let isGray = pixels.format.isGray
    let isDeep = pixels.format.bytesPerChannel > 1 && header.format != .jpeg
    pixels = try pixels.converted(
      to: PixelLayout(isGray ? (isDeep ? .gray16 : .gray8) : isDeep ? .rgb16 : .rgb8, .opaque))
    var stored = Image(pixels)
    var own16 = ImageHeader(
      format: header.format, canvas: size, pixelFormat: pixels.format,
      bitsPerChannel: isDeep ? auxiliary.image.header?.bitsPerChannel ?? 16 : 8, alpha: .opaque)
    var settings = EncodeOptions(
      quality: Self.auxiliaryQuality, limits: options.limits, cancellation: options.cancellation)
    settings.metadata = [.icc]
    settings.isLossless = encodes
    if !isGray {
      stored.metadata[.icc] = auxiliary.image.metadata[.icc]
      stored.cicp = auxiliary.image.cicp
      own16.cicp = auxiliary.image.cicp
    }
    stored.header = own16
    return try encode(stored, as: header.format, options: settings)
  }

  /// What depth is encoded with: its samples are distances, and not only seen.
  private static let auxiliaryQuality = 0.95
}

extension CoderRegistry {
  /// Puts pictures beside the one of a file: depth, mattes.
  ///
  /// - Parameter edit: What else is changed, before.
  func attachPictures(
    to source: ByteSource, _ edit: MetadataEdit, reading: DecodeOptions, coder id: String?
  ) throws(CoderError) -> EncodedFile {
    var (source, rest) = (try rereadable(source, reading), edit)
    rest.pictures = [:]
    var changes: [FactChange] = []
    if !rest.isEmpty {
      let edited = try editMetadata(source, rest, reading: reading, coder: id)
      (source, changes) = (.bytes(edited.bytes), edited.changes)
    }
    let decoder = try open(source, options: reading)
    let format = decoder.header.format
    guard attachesAuxiliaries(to: format) else {
      throw .unsupported("\(format) is written without pictures beside its own")
    }
    let old = try decoder.auxiliaryPictures()
    let bytes = try OpenSource(source, limits: reading.limits).contents()
    var file = EncodedFile(format: format, bytes: bytes, byteCount: bytes.count)
    var options = EncodeOptions(limits: reading.limits, cancellation: reading.cancellation)
    (options.log, options.isStrict) = (reading.log, true)
    // Where the picture is encoded again, it stays as it is.
    options.isLossless = true
    for (kind, picture) in edit.pictures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard Fact.auxiliaryKinds.contains(kind), kind != .other else {
        throw .invalidArgument(
          "a picture of the kind \(kind) is not put beside another; depth, disparity and mattes are")
      }
      guard !old.contains(where: { $0.kind == kind }) else {
        throw .unsupported("the file has a picture of the kind \(kind); without other, it has none")
      }
      let given = try open(.bytes(picture), options: DecodeOptions(limits: reading.limits)).image()
      if let problem = given.problem { throw problem }
      // It is turned as the picture beside it is, by the tag of that.
      let stored = try given.pixels.converted(
        to: PixelLayout(given.pixels.format.bytesPerChannel > 1 ? .gray16 : .gray8, .opaque)
      ).oriented(by: decoder.header.orientation.undone)
      var image = Image(stored)
      image.header = given.header
      let carried = CarriedAuxiliary(
        kind: kind, typeName: ImageDecoder.typeName(of: kind), ownName: "", image: image,
        xmp: kind == .disparity ? ImageDecoder.disparityPacket : nil)
      file = try attaching([carried], of: decoder.header.canvas, to: file, options)
    }
    file.changes += changes
    return try withoutCredentials(file, of: decoder, reading: reading, coder: id)
  }

  /// A file that was changed without the credentials that signed its bytes.
  func withoutCredentials(
    _ file: EncodedFile, of old: ImageDecoder, reading: DecodeOptions, coder id: String?
  ) throws(CoderError) -> EncodedFile {
    guard old.header.metadata.contains(.c2pa) else { return file }
    let change = FactChange(
      .credentials, .dropped, because: "content credentials sign the bytes of the file, which were changed")
    if reading.isStrict { throw .unsupported("\(change.message); with strict options that is an error") }
    reading.log?(.warning, change.message)
    let edits = MetadataBlockEdits(removed: [.c2pa])
    let applied = try apply(.editMetadata(edits), to: .bytes(file.bytes), reading: reading, coder: id)
    guard var edited = applied.file else { throw .libraryFailure("\(applied.coder) gives no file") }
    edited.changes = file.changes + [change]
    return edited
  }
}

extension Orientation {
  /// What turns back what this one turns.
  fileprivate var undone: Orientation {
    switch self {
    case .right: .left
    case .left: .right
    default: self
    }
  }
}

extension ImageDecoder {
  /// A picture that belongs to the page, to be written beside another one.
  ///
  /// - Parameter keepsPacket: Whether what XMP says of it stays true. Apple's says where the optical axis is, in pixels.
  fileprivate func carried(_ picture: AuxiliaryPicture, keepsPacket: Bool) throws(CoderError) -> CarriedAuxiliary {
    let image = try decodeAuxiliary(picture)
    if let problem = image.problem { throw problem }
    // Of names that no other format knows, that of MPEG says the same.
    let hasName = picture.typeName.contains(":") || picture.typeName.hasPrefix("MPF")
    let type = hasName ? picture.typeName : Self.typeName(of: picture.kind)
    let packet = keepsPacket ? image.metadata[.xmp] : nil
    let isNamed = picture.kind == .disparity && type.contains(":") && packet == nil
    return CarriedAuxiliary(
      kind: picture.kind, typeName: type, ownName: picture.typeName, image: image,
      xmp: isNamed ? Self.disparityPacket : packet,
      file: try fileOfAuxiliary(picture))
  }

  /// What files call a kind, where nothing else is known.
  static func typeName(of kind: PageKind) -> String {
    switch kind {
    case .matte: "urn:com:apple:photo:2018:aux:portraiteffectsmatte"
    case .depth, .disparity: "urn:mpeg:mpegB:cicp:systems:auxiliary:depth"
    default: "MPF"
    }
  }

  /// What says that depth is disparity, since both have the same name in files.
  static let disparityPacket = Array(
    """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
    <rdf:Description rdf:about="" xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" \
    apdi:AuxiliaryImageSubType="disparity"/></rdf:RDF></x:xmpmeta>
    """.utf8)
}

extension FactChange {
  /// Pictures beside the main one that are not written.
  init(leavingOut kinds: [PageKind], because reason: String) {
    let words = Set(kinds.map { "\($0)" }).sorted().joined(separator: ", ")
    self.init(.auxiliaries, .dropped, because: "\(kinds.count) (\(words)): \(reason)")
  }
}
