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
    use(BoxWriter.property(.hevcConfiguration) { $0.put(picture.configuration) }, essential: true)
    let coded = picture.codedSize
    use(
      BoxWriter.fullProperty(.imageSize) { writer in
        writer.put(coded.width, bytes: 4)
        writer.put(coded.height, bytes: 4)
      })
    use(
      BoxWriter.fullProperty(.pixelInformation) { writer in
        writer.put(picture.depths.count, bytes: 1)
        writer.put(picture.depths)
      })
    if let profile = stated.profile {
      use(
        BoxWriter.property(.color) { writer in
          writer.put(FourCC.profile)
          writer.put(profile)
        })
    }
    if let points = stated.points {
      use(
        BoxWriter.property(.color) { writer in
          writer.put(FourCC.nclx)
          writer.put(Int(points.primaries), bytes: 2)
          writer.put(Int(points.transfer), bytes: 2)
          writer.put(Int(points.matrix), bytes: 2)
          writer.put(points.isFullRange ? 0x80 : 0, bytes: 1)
        })
    }
    if let type = stated.auxiliaryType { use(BoxWriter.fullProperty(.auxiliaryType) { $0.put(type) }, essential: true) }
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
        BoxWriter.property(.cleanAperture) { writer in
          // The first pixel stays: the center moves by half of what is cut off.
          let numbers = [
            size.width, 1, size.height, 1, size.width - coded.width, 2, size.height - coded.height, 2,
          ]
          for number in numbers { writer.put(number, bytes: 4) }
        })
    }
    let transform = ImageTransform(orientation)
    if transform.turns > 0 {
      boxes.append(BoxWriter.property(.rotation) { $0.put(transform.turns, bytes: 1) })
    }
    if let mirror = transform.mirror { boxes.append(BoxWriter.property(.mirror) { $0.put(mirror, bytes: 1) }) }
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
    var head = BoxWriter()
    head.box(.fileType) { writer in
      for name in [brand, FourCC(rawValue: 0), FourCC("mif1"), brand] { writer.put(name) }
    }
    // The box's size does not depend on the offsets in it.
    var measured = BoxWriter()
    writeMeta(to: &measured, primary: primary, dataAt: 0)
    let start = head.bytes.count + measured.bytes.count + 8
    let total = items.reduce(start) { $0 + $1.data.count }
    guard total <= Self.maxFile else { throw .unsupported("a file of \(total) bytes, \(Self.maxFile) are allowed") }
    writeMeta(to: &head, primary: primary, dataAt: start)
    head.put(total - start + 8, bytes: 4)
    head.put(FourCC.mediaData)
    try output.write(head.bytes)
    for item in items { try output.write(item.data) }
  }

  private func writeMeta(to writer: inout BoxWriter, primary: Int, dataAt start: Int) {
    // Numbers of 16 bits do for as many items as anybody writes; more take the wide versions of the boxes.
    let isWide = items.count >= 0xFFFF
    let idSize = isWide ? 4 : 2
    writer.fullBox(.meta) { meta in
      meta.fullBox(.handler) { box in
        box.put(0, bytes: 4)
        box.put(FourCC("pict"))
        box.put([UInt8](repeating: 0, count: 13))
      }
      meta.fullBox(.primaryItem, version: isWide ? 1 : 0) { $0.put(primary + 1, bytes: idSize) }
      meta.fullBox(.itemLocation, version: isWide ? 2 : 0) { box in
        box.put(0x4400, bytes: 2)
        box.put(items.count, bytes: idSize)
        var offset = start
        for (index, item) in items.enumerated() {
          box.put(index + 1, bytes: idSize)
          if isWide { box.put(0, bytes: 2) }
          box.put(0, bytes: 2)
          box.put(1, bytes: 2)
          box.put(offset, bytes: 4)
          box.put(item.data.count, bytes: 4)
          offset += item.data.count
        }
      }
      meta.fullBox(.itemInformation, version: isWide ? 1 : 0) { box in
        box.put(items.count, bytes: idSize)
        for (index, item) in items.enumerated() {
          box.fullBox(.itemInformationEntry, version: isWide ? 3 : 2, flags: item.isHidden ? 1 : 0) { entry in
            entry.put(index + 1, bytes: idSize)
            entry.put(0, bytes: 2)
            entry.put(item.type)
            entry.put("")
            if item.type == .mime { entry.put(item.contentType) }
          }
        }
      }
      if !references.isEmpty {
        meta.fullBox(.itemReference, version: isWide ? 1 : 0) { box in
          for reference in references {
            box.box(reference.type) { inner in
              inner.put(reference.from + 1, bytes: idSize)
              inner.put(1, bytes: 2)
              inner.put(reference.to + 1, bytes: idSize)
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
  private func writeAssociations(to writer: inout BoxWriter, isWide: Bool) {
    let described = items.enumerated().filter { !$0.element.properties.isEmpty }
    let hasMany = properties.count > 0x7F
    writer.fullBox(.propertyAssociation, version: isWide ? 1 : 0, flags: hasMany ? 1 : 0) { box in
      box.put(described.count, bytes: 4)
      for (index, item) in described {
        box.put(index + 1, bytes: isWide ? 4 : 2)
        box.put(item.properties.count, bytes: 1)
        for (property, isEssential) in item.properties {
          box.put((isEssential ? 1 << (hasMany ? 15 : 7) : 0) | property + 1, bytes: hasMany ? 2 : 1)
        }
      }
    }
  }
}
