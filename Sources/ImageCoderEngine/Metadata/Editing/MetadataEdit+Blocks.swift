// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

extension MetadataEdit {
  /// What the edit means for the blocks of a file.
  ///
  /// - Parameters:
  ///   - orientation: How the file turns the picture. It stays if Exif is taken out.
  ///   - repeated: Kinds of which the file has further blocks. Where something is changed, those go: they would say what
  ///     is asked to go, or what is true no more.
  ///   - block: The block of a kind, as the file has it: Exif, XMP or IPTC.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a property that cannot be set; what `block` throws.
  package func blocks(
    orientation: Orientation, repeated: Set<MetadataBlock> = [],
    block: (MetadataBlock) throws(CoderError) -> [UInt8]?
  ) throws(CoderError) -> MetadataBlockEdits {
    var edits = MetadataBlockEdits()
    let whole: [(Part, MetadataBlock)] = [(.icc, .icc), (.text, .text), (.other, .other), (.c2pa, .c2pa)]
    for (part, kind) in whole where removed.contains(part) { edits.removed.insert(kind) }
    if removesGPS, try block(.geoTIFF) != nil { edits.removed.insert(.geoTIFF) }
    let settings = try settings()
    try editExif(&edits, settings.exif, orientation, block)
    try editIPTC(&edits, settings.iptc, block)
    try editXMP(&edits, settings.xmp, settings.exif, block)
    // Both blocks have places, thumbnails, and copies of what is set in Exif.
    var changed: Set<MetadataBlock> = []
    if !removed.isDisjoint(with: [.gps, .location, .thumbnail]) || !settings.exif.isEmpty { changed = [.exif, .xmp] }
    if !settings.xmp.isEmpty { changed.insert(.xmp) }
    for kind in repeated.intersection(changed).subtracting(edits.removed) {
      edits.replace(kind, with: try block(kind))
    }
    return edits
  }

  private typealias Setting = (dictionary: String, name: String, value: PropertyValue)

  /// The properties that are set, by the block that has them.
  private func settings() throws(CoderError) -> (exif: [Setting], iptc: [Setting], xmp: [Setting]) {
    var (exif, iptc, xmp): ([Setting], [Setting], [Setting]) = ([], [], [])
    for (dictionary, value) in values.sorted {
      guard case .dictionary(let properties) = value else {
        throw .invalidArgument("\(dictionary) cannot be set; properties in {TIFF}, {Exif}, {GPS}, {IPTC} and {XMP} can")
      }
      for (name, value) in properties.sorted {
        switch dictionary {
        case "{TIFF}", "{Exif}", "{GPS}": exif.append((dictionary, name, value))
        case "{XMP}": xmp.append((dictionary, name, value))
        case "{IPTC}":
          guard IPTCProperties.isName(name) else { throw .invalidArgument("{IPTC} has no property \(name)") }
          iptc.append((dictionary, name, value))
          if let newer = XMPNamespaces.olderNames.first(where: { $0.1 == name })?.0 {
            xmp.append((dictionary, newer, value))
          }
        default:
          throw .invalidArgument(
            "\(dictionary) cannot be set; properties in {TIFF}, {Exif}, {GPS}, {IPTC} and {XMP} can")
        }
      }
    }
    return (exif, iptc, xmp)
  }

  /// Whether parts of an Exif block can be changed: all of it can be read.
  package static func canChange(exif payload: [UInt8]) -> Bool { ExifDirectories(payload) != nil }

  private func editExif(
    _ edits: inout MetadataBlockEdits, _ settings: [Setting], _ orientation: Orientation,
    _ block: (MetadataBlock) throws(CoderError) -> [UInt8]?
  ) throws(CoderError) {
    guard !removed.isDisjoint(with: [.exif, .gps, .location, .thumbnail]) || !settings.isEmpty else { return }
    let stored = try block(.exif)
    var payload = removed.contains(.exif) ? nil : stored
    if removed.contains(.exif), orientation != .up { payload = ExifOrientation.payload(orientation) }
    var directories = ExifDirectories()
    if let payload {
      guard let read = ExifDirectories(payload) else {
        throw .unsupported("the Exif block cannot be read, so a part of it cannot be changed; exif takes out all of it")
      }
      directories = read
    } else if settings.isEmpty {
      if stored != nil { edits.replace(.exif, with: nil) }
      return
    }
    if removesGPS { directories.remove(.gps) }
    if removed.contains(.thumbnail) { directories.remove(.thumbnail) }
    for setting in settings {
      try ExifEditing.set(setting.name, of: setting.dictionary, to: setting.value, in: &directories)
    }
    let changed = directories.isEmpty ? nil : directories.payload()
    if changed != stored { edits.replace(.exif, with: changed) }
  }

  private var removesGPS: Bool { !removed.isDisjoint(with: [.gps, .location]) }

  private func editIPTC(
    _ edits: inout MetadataBlockEdits, _ settings: [Setting], _ block: (MetadataBlock) throws(CoderError) -> [UInt8]?
  ) throws(CoderError) {
    if removed.contains(.iptc) { edits.replace(.iptc, with: nil) }
    let removesPlaces = removed.contains(.location) && !removed.contains(.iptc)
    let stored = removed.contains(.iptc) || settings.isEmpty && !removesPlaces ? nil : try block(.iptc)
    if removesPlaces, let stored {
      var properties = IPTCProperties(stored)
      properties.removePlaces()
      if properties.block != stored { edits.replace(.iptc, with: properties.block) }
    }
    // What XMP says too is not repeated in a file that has nothing of the older standard.
    let needed = settings.filter { setting in
      stored != nil || !XMPNamespaces.olderNames.contains { $0.1 == setting.name }
    }
    guard !needed.isEmpty else { return }
    var properties = IPTCProperties(stored)
    if removesPlaces { properties.removePlaces() }
    for setting in needed { try properties.set(setting.name, to: setting.value) }
    edits.replace(.iptc, with: properties.block)
  }

  private func editXMP(
    _ edits: inout MetadataBlockEdits, _ settings: [Setting], _ exif: [Setting],
    _ block: (MetadataBlock) throws(CoderError) -> [UInt8]?
  ) throws(CoderError) {
    guard !removed.isDisjoint(with: [.xmp, .gps, .location, .thumbnail]) || !settings.isEmpty || !exif.isEmpty else {
      return
    }
    let stored = try block(.xmp)
    if removed.contains(.xmp), stored != nil { edits.replace(.xmp, with: nil) }
    let kept = removed.contains(.xmp) ? nil : stored
    guard kept != nil || !settings.isEmpty else { return }
    var packet = try XMPEditing(kept)
    let before = packet.packet
    let (removesGPS, removesPlaces) = (removesGPS, removed.contains(.location))
    let removesThumbnails = removed.contains(.thumbnail)
    // What is set in Exif is not to be contradicted by its copy here.
    let copies = Set(exif.map(\.name))
    packet.remove { namespace, local in
      if removesPlaces, XMPFacts.contains(XMPFacts.places, namespace: namespace, local: local) { return true }
      return switch namespace {
      case "http://ns.adobe.com/exif/1.0/": removesGPS && local.hasPrefix("GPS") || copies.contains(local)
      case "http://ns.adobe.com/tiff/1.0/": copies.contains(local)
      case "http://ns.adobe.com/xap/1.0/": removesThumbnails && local == "Thumbnails"
      default: false
      }
    }
    for setting in settings { try packet.set(setting.name, to: setting.value) }
    if packet.packet != before || kept == nil { edits.replace(.xmp, with: packet.packet) }
  }
}
