// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// The metadata of a new file: what the source states, as true as it was there.
///
/// It is made once for each picture that is written, whichever way the picture went. What is changed or left out is in
/// `facts`; the rules of each say why.
struct CarriedMetadata {
  /// What the new file is like.
  struct Target {
    let format: ImageFormat
    let size: Size
    /// How the new file says that the picture has to be turned.
    let orientation: Orientation
    /// Whether columns of the source have become rows.
    let swapsSides: Bool
    let features: WriterFeatures
    /// What the file is to have.
    let kinds: Set<MetadataKind>
    /// Instead of what the source states.
    let density: Density?
    /// The part of the upright source that the picture shows.
    let part: Rect
  }

  private(set) var payloads: [MetadataKind: [UInt8]]
  /// What the container states, or Exif where the container has no place for it.
  private(set) var density: Density?
  private(set) var facts: [FactChange] = []

  private let changes: PictureChanges
  private let target: Target
  private let source: Image

  init(_ image: Image, changes: PictureChanges, target: Target) {
    self.changes = changes
    self.target = target
    source = image
    payloads = image.metadata.filter { target.kinds.contains($0.key) }
    let stated = image.density ?? image.metadata[.exif].flatMap { Density(exif: $0) }
    density = target.density ?? (target.swapsSides ? stated?.turned : stated)
    if let stated, target.density == nil, target.swapsSides, stated.turned != stated { noteChange(.density) }
    if let header = image.header, header.orientation != target.orientation { noteChange(.orientation) }
    carryCredentials()
    nameCompanions()
    carryTrailer()
    carryIPTC()
    carryTexts()
    nameApplicationData()
    carryPlace()
    carryExif()
    carryXMP()
  }

  private func rule(_ fact: Fact) -> FactRule { fact.rules.rule(for: changes) }

  private mutating func note(_ fact: Fact, _ outcome: FactChange.Outcome, because reason: String) {
    facts.append(FactChange(fact, outcome, because: reason))
  }

  /// Why a fact went that is not true of the new picture.
  private var reason: String {
    if changes.contains(.cropped) { return "it shows more than the part that is kept" }
    if changes.contains(.turned) { return "the picture is turned" }
    return "the picture is changed"
  }

  // MARK: Exif

  private mutating func carryExif() {
    guard var exif = payloads[.exif] else {
      guard needsExifForDensity, let density else { return }
      var directories = ExifDirectories()
      directories.set(density)
      payloads[.exif] = directories.payload()
      return
    }
    // The directories of a TIFF file are its Exif, and the second of them is a page.
    let losesThumbnail = target.format == .tiff
    let needsEdit = !changes.isEmpty || target.density != nil || needsExifForDensity || losesThumbnail
    if needsEdit {
      if var directories = ExifDirectories(exif) {
        let isGone = rule(.thumbnail) == .goes
        if isGone || losesThumbnail, directories.has(.thumbnail) {
          directories.remove(.thumbnail)
          note(.thumbnail, .dropped, because: isGone ? reason : "TIFF has no place for it")
        }
        setSizes(in: &directories)
        if rule(.regions) == .goes {
          // Exif 2.32 §4.6.5: SubjectArea and SubjectLocation are in pixels.
          for tag: UInt16 in [0x9214, 0xA214] where directories.has(tag, in: .exif) {
            directories.remove(tag, from: .exif)
            note(.regions, .dropped, because: reason)
          }
        }
        if let density, target.density != nil || target.swapsSides || needsExifForDensity { directories.set(density) }
        exif = directories.payload()
      } else if rule(.thumbnail) == .goes {
        payloads[.exif] = nil
        note(.exif, .dropped, because: "it cannot be read, and the picture is changed")
        return
      }
    }
    // A tag that turns the pixels again would turn them twice.
    ExifOrientation.set(target.orientation, in: &exif)
    payloads[.exif] = exif
  }

  /// A fact that says something else now, as the picture was changed.
  private mutating func noteChange(_ fact: Fact) {
    guard !facts.contains(where: { $0.fact == fact }) else { return }
    note(fact, .changed, because: "as the picture was")
  }

  /// A container without a place of its own for it has that of Exif.
  private var needsExifForDensity: Bool {
    guard let density, !target.features.contains(.resolution), target.kinds.contains(.exif) else { return false }
    return payloads[.exif].flatMap { Density(exif: $0) }.map { !$0.isNear(density) } ?? true
  }

  private mutating func setSizes(in directories: inout ExifDirectories) {
    guard rule(.dimensions) == .follows else { return }
    let sides = [target.size.width, target.size.height].map { UInt32(clamping: $0) }
    // Exif 2.32 §4.6.5: PixelXDimension and PixelYDimension; TIFF 6.0: ImageWidth and ImageLength.
    let tags: [(UInt16, ExifDirectories.Name, Int)] = [
      (0xA002, .exif, 0), (0xA003, .exif, 1), (0x0100, .main, 0), (0x0101, .main, 1),
    ]
    for (tag, name, side) in tags
    where directories.has(tag, in: name) && directories.wholeNumber(tag, in: name) != Int(sides[side]) {
      directories.set(tag, in: name, to: .long([sides[side]]))
      noteChange(.dimensions)
    }
  }

  // MARK: XMP

  private mutating func carryXMP() {
    guard let packet = payloads[.xmp], case .dictionary(let values)? = XMPProperties.read(packet)["{XMP}"] else {
      return
    }
    let (edits, gone) = XMPFacts.edits(
      values, changes: changes, orientation: target.orientation, size: target.size, part: target.part,
      hasVideo: payloads[.trailer] != nil)
    let video = payloads[.trailer].flatMap { MotionPhoto.video(in: $0) == 0..<$0.count ? $0 : nil }
    let statedVideo = MotionPhoto.isStated(in: values) ? video : nil
    guard !edits.isEmpty || statedVideo != nil else { return }
    do throws(CoderError) {
      var editing = try XMPEditing(packet)
      for (name, value) in edits {
        try editing.set(name, to: value)
        if let fact = XMPFacts.changing(name), value != .text("") { noteChange(fact) }
      }
      for fact in gone where !facts.contains(where: { $0.fact == fact }) {
        note(fact, .dropped, because: fact == .video ? "the new file has none" : reason)
      }
      payloads[.xmp] = editing.packet
      if let statedVideo {
        // What else followed the picture of the source is written by who knows how.
        payloads[.xmp] = try MotionPhoto.packet(
          editing.packet, video: statedVideo, format: target.format, keepsItems: false)
      }
    } catch {
      payloads[.xmp] = nil
      note(.xmp, .dropped, because: "it cannot be read to its end, and the picture is changed")
    }
  }

  // MARK: What other containers have no place for

  private mutating func carryCredentials() {
    payloads[.c2pa] = nil
    guard wantsAll, source.header?.metadata.contains(.c2pa) ?? (source.metadata[.c2pa] != nil) else { return }
    note(.credentials, .dropped, because: "content credentials sign the bytes of the file that they are in")
  }

  /// Pictures beside the picture are written by those who know how; here they are named.
  private mutating func nameCompanions() {
    guard wantsAll else { return }
    if source.companions.contains(.gainMap) { note(.gainMap, .dropped, because: "the file is written without one") }
    if source.companions.contains(.preview) { note(.thumbnail, .dropped, because: "previews are not written anew") }
    let others = source.companions.filter { Fact.auxiliaryKinds.contains($0) }
    guard !others.isEmpty else { return }
    let words = Set(others.map { "\($0)" }).sorted().joined(separator: ", ")
    note(.auxiliaries, .dropped, because: "\(others.count) (\(words)); --auxiliary writes one of them")
  }

  /// Whether nobody asked for a file that says less.
  private var wantsAll: Bool { !target.kinds.isDisjoint(with: [.exif, .xmp]) }

  private mutating func carryTrailer() {
    guard let trailer = payloads[.trailer], !trailer.isEmpty else {
      payloads[.trailer] = nil
      return
    }
    let goes = rule(.video) == .goes
    if !goes, target.features.contains(.trailer) {
      guard target.format != .jpeg else { return }
      // Other formats have a box for a video, and none for what a camera puts around it.
      if let video = MotionPhoto.video(in: trailer) {
        payloads[.trailer] = Array(trailer[video])
        guard video.count < trailer.count else { return }
        return note(.video, .changed, because: "\(trailer.count - video.count) bytes beside the video are left out")
      }
    }
    payloads[.trailer] = nil
    note(
      .video, .dropped,
      because: "\(trailer.count) bytes after the picture; " + (goes ? reason : "the format has no place for them"))
  }

  private mutating func carryIPTC() {
    guard let iptc = payloads[.iptc], !target.features.contains(.iptc) else { return }
    payloads[.iptc] = nil
    guard case .dictionary(let values)? = IPTCProperties(iptc).properties["{IPTC}"] else { return }
    var moved = Properties()
    for (name, older) in XMPNamespaces.olderNames { moved[name] = values[older] }
    guard addToXMP(moved) else {
      note(.iptc, .dropped, because: "the format has no place for it")
      return
    }
    note(.iptc, .moved, because: "into XMP, as the IPTC says")
    let left = values.sorted.map(\.0).filter { name in !XMPNamespaces.olderNames.contains { $0.1 == name } }
    if !left.isEmpty { note(.iptc, .dropped, because: "XMP has no \(left.joined(separator: ", "))") }
  }

  private mutating func carryTexts() {
    let isTIFF = target.format == .tiff
    guard let payload = payloads[.text], isTIFF || !target.features.contains(.text) else { return }
    let all = ContainerText.texts(in: payload)
    // TIFF 6.0 §12 has a field for these, and none for others.
    let kept = isTIFF ? all.filter { ["DocumentName", "PageName"].contains($0.keyword) } : []
    payloads[.text] = kept.isEmpty ? nil : ContainerText.payload(kept)
    let texts = all.filter { !kept.contains($0) }
    var (moved, left) = (Properties(), [String]())
    for text in texts {
      // PNG Third Edition §11.3.3.1 names the keywords.
      switch text.keyword {
      case "Title": moved["dc:title"] = .text(text.text)
      case "Author": moved["dc:creator"] = .text(text.text)
      case "Description": moved["dc:description"] = .text(text.text)
      case "Copyright": moved["dc:rights"] = .text(text.text)
      default: left.append(text.keyword)
      }
    }
    if !moved.isEmpty {
      if addToXMP(moved) { note(.texts, .moved, because: "into XMP") } else { left = texts.map(\.keyword) }
    }
    if !left.isEmpty { note(.texts, .dropped, because: "the format has no place for \(left.joined(separator: ", "))") }
  }

  /// What programs have left goes, but for what it says of rights: XMP Specification Part 3 has places for that.
  private mutating func nameApplicationData() {
    payloads[.other] = nil
    guard wantsAll, let payload = source.metadata[.other] else { return }
    for change in FactChange.leavingOut(ApplicationData.repeatedBlocks(in: payload)) { facts.append(change) }
    var (rights, names) = (Properties(), [String]())
    for data in ContainerText.texts(in: payload) {
      switch data.keyword {
      case ApplicationData.copyrightFlag: rights["xmpRights:Marked"] = .text("True")
      case ApplicationData.copyrightAddress: rights["xmpRights:WebStatement"] = .text(data.text)
      case ApplicationData.secondExif, ApplicationData.secondXMP: break
      default: names.append(data.keyword)
      }
    }
    if case .dictionary(let known)? = payloads[.xmp].flatMap({ XMPProperties.read($0)["{XMP}"] }) {
      for (name, _) in rights.sorted where known[name] != nil { rights[name] = nil }
    }
    if !rights.isEmpty {
      let isMoved = addToXMP(rights)
      note(.rights, isMoved ? .moved : .dropped, because: isMoved ? "into XMP" : "the format has no place for it")
    }
    if !names.isEmpty {
      note(.applicationData, .dropped, because: "\(names.joined(separator: ", ")); nobody else knows what it says")
    }
  }

  /// Adds properties that the packet does not have. What XMP says already is newer, or the same.
  private mutating func addToXMP(_ values: Properties) -> Bool {
    guard target.kinds.contains(.xmp), !values.isEmpty else { return false }
    let known = payloads[.xmp].flatMap { XMPProperties.read($0)["{XMP}"] }
    do throws(CoderError) {
      var editing = try XMPEditing(payloads[.xmp])
      for (name, value) in values.sorted {
        if case .dictionary(let known)? = known, known[name] != nil { continue }
        try editing.set(name, to: value)
      }
      payloads[.xmp] = editing.packet
      return true
    } catch { return false }
  }

  private mutating func carryPlace() {
    guard let place = payloads[.geoTIFF] else { return }
    guard target.features.contains(.geoTIFF), rule(.georeference) != .goes else {
      payloads[.geoTIFF] = nil
      note(.georeference, .dropped, because: rule(.georeference) == .goes ? reason : "the format has no place for it")
      return
    }
    guard rule(.georeference) == .follows else { return }
    payloads[.geoTIFF] = GeoReference.moved(place, to: target.part, size: target.size)
    let isThere = payloads[.geoTIFF] != nil
    note(
      .georeference, isThere ? .changed : .dropped,
      because: isThere ? "as the picture was" : "it cannot be changed as the picture was")
  }
}
