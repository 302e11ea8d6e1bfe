// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// The items of a file that is written, and the boxes that tell of them.
struct FileLayout {
  /// One item.
  private struct Item {
    let type: FourCC
    let isHidden: Bool
    var contentType = ""
    let data: [UInt8]
    /// Samples of a track that lie after the item's bytes, which are its first one.
    var samples: [[UInt8]] = []
    /// Indexes of properties, from 0, and whether a reader has to know them.
    var properties: [(index: Int, isEssential: Bool)] = []

    /// The number of bytes of the item and the samples after it.
    var byteCount: Int { samples.reduce(data.count) { $0 + $1.count } }
  }

  private var items: [Item] = []
  /// Whole boxes; items share those that are alike.
  private var properties: [[UInt8]] = []
  private var references: [(type: FourCC, from: Int, to: Int)] = []
  /// Pictures that belong together.
  var groups: [(type: FourCC, items: [Int])] = []

  /// What is said of a picture beside its bitstream.
  struct PictureProperties {
    var points: CodingIndependentCodePoints?
    var profile: [UInt8]?
    var light = LightLevels()
    var orientation = Orientation.up
    var auxiliaryType: String?
  }

  /// The movie of a sequence, whose tracks begin with pictures that are items.
  struct Sequence {
    let movie: MovieLayout
    /// The primary item and its alpha, whose bytes are the first samples.
    let items: [Int]
    /// The coded size of the pictures, as the encoder has enlarged them.
    let codedSize: Size
  }

  /// Adds a coded picture.
  ///
  /// - Returns: Its item, for references.
  mutating func add(_ picture: EncodedPicture, _ stated: PictureProperties, isHidden: Bool) -> Int {
    var item = Item(type: .hvc1, isHidden: isHidden, data: picture.data)
    func use(_ box: [UInt8], essential isEssential: Bool = false) {
      item.properties.append((property(box), isEssential))
    }
    use(Self.property(.hevcConfiguration) { $0.put(picture.configuration) }, essential: true)
    let coded = picture.codedSize
    use(
      Self.fullProperty(.imageSize) { writer in
        writer.put(UInt32(clamping: coded.width))
        writer.put(UInt32(clamping: coded.height))
      })
    use(
      Self.fullProperty(.pixelInformation) { writer in
        writer.put(UInt8(clamping: picture.depths.count))
        writer.put(picture.depths)
      })
    if let profile = stated.profile {
      use(
        Self.property(.color) { writer in
          writer.put(FourCC.profile)
          writer.put(profile)
        })
    }
    if let points = stated.points {
      use(
        Self.property(.color) { writer in
          writer.put(FourCC.nclx)
          writer.put(UInt16(points.primaries))
          writer.put(UInt16(points.transfer))
          writer.put(UInt16(points.matrix))
          writer.put(points.isFullRange ? 0x80 : 0 as UInt8)
        })
    }
    for box in stated.light.boxes { use(box) }
    if let type = stated.auxiliaryType {
      use(Self.fullProperty(.auxiliaryType) { $0.put(Array(type.utf8) + [0]) }, essential: true)
    }
    for box in Self.transformations(of: picture, stated.orientation) { use(box, essential: true) }
    items.append(item)
    return items.count - 1
  }

  /// Adds metadata of a picture.
  mutating func add(_ payload: [UInt8], as kind: MetadataKind, of picture: Int) {
    switch kind {
    case .exif:
      // ISO/IEC 23008-12 Annex A.2.1: the TIFF header follows at once.
      items.append(Item(type: .exif, isHidden: true, data: [0, 0, 0, 0] + payload))
    case .xmp:
      items.append(Item(type: .mime, isHidden: true, contentType: "application/rdf+xml", data: payload))
    case .icc, .iptc, .c2pa, .geoTIFF, .text, .trailer, .other: return
    }
    refer(.describes, from: items.count - 1, to: picture)
  }

  /// Adds a sample to the track that begins with an item.
  mutating func add(sample: [UInt8], behind item: Int) { items[item].samples.append(sample) }

  mutating func refer(_ type: FourCC, from: Int, to: Int) { references.append((type, from, to)) }

  private static func property(_ name: FourCC, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    writer.box(name, body)
    return writer.bytes
  }

  private static func fullProperty(_ name: FourCC, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    writer.fullBox(name, body)
    return writer.bytes
  }

  private mutating func property(_ box: [UInt8]) -> Int {
    if let index = properties.firstIndex(of: box) { return index }
    properties.append(box)
    return properties.count - 1
  }

  /// Crop, rotation and mirror, in the order that MIAF wants (ISO/IEC 23000-22 §7.3.6.7).
  private static func transformations(of picture: EncodedPicture, _ orientation: Orientation) -> [[UInt8]] {
    var boxes: [[UInt8]] = []
    let (size, coded) = (picture.size, picture.codedSize)
    if size != coded {
      boxes.append(
        Self.property(.cleanAperture) { writer in
          // The first pixel stays: the center moves by half of what is cut off.
          let numbers = [
            size.width, 1, size.height, 1, size.width - coded.width, 2, size.height - coded.height, 2,
          ]
          for number in numbers { writer.put(Int32(clamping: number)) }
        })
    }
    let transform = ImageTransform(orientation)
    if transform.turns > 0 {
      boxes.append(Self.property(.rotation) { $0.put(UInt8(transform.turns)) })
    }
    if let mirror = transform.mirror { boxes.append(Self.property(.mirror) { $0.put(UInt8(mirror)) }) }
    return boxes
  }
}

extension FileLayout {
  /// The most that offsets of 32 bits reach.
  private static let maxFile = Int(UInt32.max)

  /// Writes the file.
  ///
  /// - Parameters:
  ///   - primary: The item of the first page.
  ///   - brands: The major one first.
  ///   - sequence: Of a file that is an animation.
  /// - Throws: ``CoderError/Code/unsupported`` for more than 4 GiB.
  func write(
    to output: ByteOutput, primary: Int, brands: [FourCC], sequence: Sequence? = nil
  ) throws(CoderError) {
    var head = ByteWriter()
    head.box(.fileType) { writer in
      writer.put(brands[0])
      writer.put(UInt32(0))
      for name in brands { writer.put(name) }
    }
    // The boxes' size does not depend on the offsets in them.
    var measured = ByteWriter()
    writeBoxes(to: &measured, primary: primary, sequence: sequence, dataAt: 0)
    let start = head.count + measured.count + 8
    let total = items.reduce(start) { $0 + $1.byteCount }
    guard total <= Self.maxFile else { throw .unsupported("a file of \(total) bytes, \(Self.maxFile) are allowed") }
    writeBoxes(to: &head, primary: primary, sequence: sequence, dataAt: start)
    head.put(UInt32(clamping: total - start + 8))
    head.put(FourCC.mediaData)
    try output.write(head.bytes)
    for item in items {
      try output.write(item.data)
      for sample in item.samples { try output.write(sample) }
    }
  }

  private func writeBoxes(to writer: inout ByteWriter, primary: Int, sequence: Sequence?, dataAt start: Int) {
    writeMeta(to: &writer, primary: primary, dataAt: start)
    guard let sequence else { return }
    let tracks = sequence.items.enumerated().map { index, item in
      MovieLayout.Track(
        start: items[..<item].reduce(start) { $0 + $1.byteCount },
        sizes: [items[item].data.count] + items[item].samples.map(\.count), codedSize: sequence.codedSize,
        entry: sampleEntry(of: items[item]), isAlpha: index > 0)
    }
    sequence.movie.write(tracks, to: &writer)
  }

  /// The properties of an item that a sample entry has as boxes too: what they are for has another box there.
  private func sampleEntry(of item: Item) -> [[UInt8]] {
    let known: [FourCC] = [.hevcConfiguration, .color, .lightLevel, .masteringDisplay, .cleanAperture]
    return item.properties.compactMap { property in
      let box = properties[property.index]
      let name = box[4..<8]
      if known.contains(where: { $0.bytes.elementsEqual(name) }) { return box }
      guard FourCC.auxiliaryType.bytes.elementsEqual(name) else { return nil }
      // Version, flags and the text are those of auxC.
      return Self.property(.auxiliaryTypeInformation) { $0.put(Array(box[8...])) }
    }
  }

  private func writeMeta(to writer: inout ByteWriter, primary: Int, dataAt start: Int) {
    // Numbers of 16 bits do for as many items as anybody writes; more take the wide versions of the boxes.
    let isWide = items.count >= 0xFFFF
    let idSize = isWide ? 4 : 2
    writer.fullBox(.meta) { meta in
      meta.fullBox(.handler) { box in
        box.put(UInt32(0))
        box.put(FourCC("pict"))
        box.putZeros(13)
      }
      meta.fullBox(.primaryItem, version: isWide ? 1 : 0) { $0.put(UInt64(primary + 1), bytes: idSize) }
      meta.fullBox(.itemLocation, version: isWide ? 2 : 0) { box in
        box.put(0x4400 as UInt16)
        box.put(UInt64(items.count), bytes: idSize)
        var offset = start
        for (index, item) in items.enumerated() {
          box.put(UInt64(index + 1), bytes: idSize)
          if isWide { box.put(0 as UInt16) }
          box.put(0 as UInt16)
          box.put(1 as UInt16)
          box.put(UInt32(clamping: offset))
          box.put(UInt32(clamping: item.data.count))
          offset += item.byteCount
        }
      }
      meta.fullBox(.itemInformation, version: isWide ? 1 : 0) { box in
        box.put(UInt64(items.count), bytes: idSize)
        for (index, item) in items.enumerated() {
          box.fullBox(.itemInformationEntry, version: isWide ? 3 : 2, flags: item.isHidden ? 1 : 0) { entry in
            entry.put(UInt64(index + 1), bytes: idSize)
            entry.put(0 as UInt16)
            entry.put(item.type)
            entry.put(0 as UInt8)
            if item.type == .mime { entry.put(Array(item.contentType.utf8) + [0]) }
          }
        }
      }
      if !references.isEmpty {
        meta.fullBox(.itemReference, version: isWide ? 1 : 0) { box in
          for reference in references {
            box.box(reference.type) { inner in
              inner.put(UInt64(reference.from + 1), bytes: idSize)
              inner.put(1 as UInt16)
              inner.put(UInt64(reference.to + 1), bytes: idSize)
            }
          }
        }
      }
      meta.box(.itemProperties) { box in
        box.box(.propertyContainer) { inner in
          for property in properties { inner.put(property) }
        }
        writeAssociations(to: &box, isWide: isWide)
      }
      if !groups.isEmpty { meta.box(.groups) { writeGroups(to: &$0) } }
    }
  }

  /// ISO/IEC 14496-12 §8.18.3. The number of a group is that of no item.
  private func writeGroups(to writer: inout ByteWriter) {
    for (index, group) in groups.enumerated() {
      writer.fullBox(group.type) { box in
        box.put(Self.firstGroup + UInt32(clamping: index))
        box.put(UInt32(clamping: group.items.count))
        for item in group.items { box.put(UInt32(clamping: item + 1)) }
      }
    }
  }

  private static let firstGroup: UInt32 = 0x2000_0000

  /// ISO/IEC 23008-12 §9.3: numbers of properties have 7 bits, or 15 where there are many.
  private func writeAssociations(to writer: inout ByteWriter, isWide: Bool) {
    let described = items.enumerated().filter { !$0.element.properties.isEmpty }
    let hasMany = properties.count > 0x7F
    writer.fullBox(.propertyAssociation, version: isWide ? 1 : 0, flags: hasMany ? 1 : 0) { box in
      box.put(UInt32(clamping: described.count))
      for (index, item) in described {
        box.put(UInt64(index + 1), bytes: isWide ? 4 : 2)
        box.put(UInt8(clamping: item.properties.count))
        for (property, isEssential) in item.properties {
          let mark: UInt64 = isEssential ? 1 << (hasMany ? 15 : 7) : 0
          box.put(mark | UInt64(property + 1), bytes: hasMany ? 2 : 1)
        }
      }
    }
  }
}
