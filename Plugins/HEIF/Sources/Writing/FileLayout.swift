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
    /// Indexes of properties, from 0, and whether a reader has to know them.
    var properties: [(index: Int, isEssential: Bool)] = []
  }

  private var items: [Item] = []
  /// Whole boxes; items share those that are alike.
  private var properties: [[UInt8]] = []
  private var references: [(type: FourCC, from: Int, to: Int)] = []

  /// What is said of a picture beside its bitstream.
  struct PictureProperties {
    var points: CodingIndependentCodePoints?
    var profile: [UInt8]?
    var orientation = Orientation.up
    var auxiliaryType: String?
  }

  var itemCount: Int { items.count }

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
    case .icc: return
    }
    refer(.describes, from: items.count - 1, to: picture)
  }

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
  /// - Parameter primary: The item of the first page.
  /// - Throws: ``CoderError/Code/unsupported`` for more than 4 GiB.
  func write(to output: ByteOutput, primary: Int, brand: FourCC) throws(CoderError) {
    var head = ByteWriter()
    head.box(.fileType) { writer in
      for name in [brand, FourCC(rawValue: 0), FourCC("mif1"), brand] { writer.put(name) }
    }
    // The box's size does not depend on the offsets in it.
    var measured = ByteWriter()
    writeMeta(to: &measured, primary: primary, dataAt: 0)
    let start = head.bytes.count + measured.bytes.count + 8
    let total = items.reduce(start) { $0 + $1.data.count }
    guard total <= Self.maxFile else { throw .unsupported("a file of \(total) bytes, \(Self.maxFile) are allowed") }
    writeMeta(to: &head, primary: primary, dataAt: start)
    head.put(UInt32(clamping: total - start + 8))
    head.put(FourCC.mediaData)
    try output.write(head.bytes)
    for item in items { try output.write(item.data) }
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
          offset += item.data.count
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
    }
  }

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
