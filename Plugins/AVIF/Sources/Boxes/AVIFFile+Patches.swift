// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// Changes of boxes, each in its place, with which libavif 0.11 reads what they mean.
extension AVIFFile {
  /// For a still.
  ///
  /// - Parameter showsAlpha: Whether the alpha of a grid's tiles is read in place of their colors.
  func itemPatches(showsAlpha: Bool = false) -> [Patch] {
    guard let items else { return [] }
    var patches = associationPatches + openBoxPatches + alternativePatches
    if items.primary != items.stated {
      patches.append(Patch(place: items.primaryPlace.lowerBound, bytes: number(items.primary, in: items.primaryPlace)))
    }
    // libavif passes thumbnails over, so the references that say what it is have to be something else.
    patches += items.thumbnailMarks.map { Patch(place: $0, bytes: FourCC.free.bytes) }
    if showsAlpha {
      patches += tileAlphaPatches
    } else {
      for item in [items.primary] + items.auxiliaries where items.type(of: item) == .grid {
        patches += orderPatches(items.sources(of: item))
      }
    }
    return patches
  }

  /// For a sequence.
  var trackPatches: [Patch] { timingPatches + otherTrackPatches }

  private func number(_ value: UInt32, in place: Range<Int>) -> [UInt8] {
    var writer = ByteWriter()
    writer.put(UInt64(value), bytes: place.count)
    return writer.bytes
  }

  /// libavif adds up all delays before a frame each time it decodes one, and searches each in the table. The delays are
  /// read here, so it gets a table of one entry in place of a long one.
  private var timingPatches: [Patch] {
    guard let runs = track?.runs, runs.count > Self.maxRuns else { return [] }
    return [Patch(place: runs.place, bytes: [0, 0, 0, 1])]
  }

  private static let maxRuns = 16

  /// libavif takes any auxiliary track for alpha, and refuses a track without a size, such as one of sound.
  private var otherTrackPatches: [Patch] {
    guard let movie, let track else { return [] }
    return bytes.children(of: movie).filter { $0.type == .track && !track.isUsed($0.content) }
      .map { Patch(place: $0.start + 4, bytes: FourCC.free.bytes) }
  }

  /// libavif refuses a second table of associations with the version and flags of the first (ISO/IEC 23008-12 §9.3.1),
  /// which old writers made. It looks at no flag but the lowest, so the others tell such tables apart.
  private var associationPatches: [Patch] {
    guard let items, let table = bytes.child(.itemProperties, of: items.box, skipping: 4) else { return [] }
    var patches: [Patch] = []
    var first: UInt32?
    var others: Set<UInt32> = []
    for box in bytes.children(of: table) where box.type == .propertyAssociation {
      guard let head = bytes.uint32(at: box.content) else { continue }
      guard let first, first == head || !others.insert(head).inserted else {
        first = first ?? head
        continue
      }
      let mark = patches.count + 1
      let flags = [mark >> 15, mark >> 7, mark << 1 | Int(head & 1)]
      patches.append(Patch(place: box.content + 1, bytes: flags.map { UInt8(truncatingIfNeeded: $0) }))
    }
    return patches
  }

  /// libavif 1.2 and later refuse a file for what is wrong with its gain map, which is read here. They look for one where a
  /// tone map comes before the picture in a group of alternatives.
  private var alternativePatches: [Patch] {
    guard let items, let groups = bytes.child(.groups, of: items.box, skipping: 4) else { return [] }
    return bytes.children(of: groups).filter { $0.type == .alternatives }
      .map { Patch(place: $0.start + 4, bytes: FourCC.free.bytes) }
  }

  /// libavif knows no box that reaches to the end of what it is in (ISO/IEC 14496-12 §4.2.2).
  private var openBoxPatches: [Patch] {
    guard let items else { return [] }
    var patches: [Patch] = []
    func look(at box: Box) {
      if bytes.uint32(at: box.start) == 0, let patch = Self.sizePatch(box) { patches.append(patch) }
    }
    look(at: items.box)
    for box in bytes.children(of: items.box, skipping: 4) { look(at: box) }
    return patches
  }

  /// The size of a box that states none.
  static func sizePatch(_ box: Box) -> Patch? {
    guard let size = UInt32(exactly: box.end - box.start) else { return nil }
    var writer = ByteWriter()
    writer.put(size)
    return Patch(place: box.start, bytes: writer.bytes)
  }

  /// libavif puts tiles together in the order in which it meets items; what counts is that of the reference (ISO/IEC
  /// 23008-12 §6.6.2.3). So each item gets the place in the file of the one whose turn it is.
  private func orderPatches(_ wanted: [UInt32]) -> [Patch] {
    guard let items else { return [] }
    let members = Set(wanted)
    let met = items.inOrderOfMention(in: bytes).filter { members.contains($0) }
    guard met.count == wanted.count else { return [] }
    return zip(met, wanted).compactMap { item, turn in
      guard item != turn, let old = items.location(of: item), let new = items.location(of: turn),
        old.count == new.count
      else { return nil }
      return Patch(place: old.lowerBound, bytes: Array(bytes.raw[new]))
    }
  }

  /// The grid refers to its tiles' alpha in their place.
  private var tileAlphaPatches: [Patch] {
    guard let items, let alpha = tileAlpha, let reference = items.derivation(of: items.primary) else { return [] }
    let width = reference.isShort ? 2 : 4
    var patches: [Patch] = []
    for (index, item) in alpha.enumerated() {
      let place = reference.targets + index * width
      patches.append(Patch(place: place, bytes: number(item, in: place..<place + width)))
    }
    return patches + orderPatches(alpha)
  }

  /// The alpha of each tile of a grid that has none as a whole, or nil unless every tile has one.
  var tileAlpha: [UInt32]? {
    guard isGrid, let items, !items.auxiliaries.contains(where: isAlpha) else { return nil }
    let tiles = items.sources(of: items.primary)
    let alpha = items.auxiliaries(ofAll: Set(tiles)).filter { isAlpha($0.item) }
    let places = Dictionary(alpha.map { ($0.target, $0.item) }, uniquingKeysWith: { first, _ in first })
    let found = tiles.compactMap { places[$0] }
    return found.isEmpty || found.count < tiles.count ? nil : found
  }

  /// The alpha of the picture as a whole. One at most counts.
  var alphaItems: [UInt32] { items?.auxiliaries.filter(isAlpha) ?? [] }

  private func isAlpha(_ item: UInt32) -> Bool { auxiliaryType(of: item).map { AuxiliaryKind($0) == .alpha } ?? false }
}
