// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import LibHEIFCoder

/// What libheif would not survive is refused before it sees the file.
@Suite struct CheckedItemsTests {
  typealias Item = FileOfItems.Item

  private static func picture(_ type: String = "hvc1", _ more: [UInt8]..., side: Int = 64) -> Item {
    var sets = ParameterSets()
    (sets.sequence.width, sets.sequence.height) = (side, side)
    let configuration = type == "hvc1" ? [FileOfItems.box("hvcC", sets.record)] : []
    return Item(type: type, properties: [FileOfItems.ispe(side, side)] + configuration + more)
  }

  private static func alpha() -> Item { picture("hvc1", FileOfItems.auxC("urn:mpeg:hevc:2015:auxid:1")) }

  private static func grid(tiles: Int, _ width: Int, _ height: Int) -> Item {
    Item(
      type: "grid", bytes: FileOfItems.grid(tiles: tiles, width, height),
      properties: [FileOfItems.ispe(64 * tiles, 64)])
  }

  /// The code of the error for the primary item, or nil.
  private static func refusal(
    _ file: FileOfItems, limits: Limits = .standard
  ) -> (code: CoderError.Code?, work: Int?) { refusal(file.bytes, limits: limits) }

  private static func refusal(
    _ file: [UInt8], limits: Limits = .standard
  ) -> (code: CoderError.Code?, work: Int?) {
    file.withUnsafeBytes { bytes in
      do throws(CoderError) {
        let items = try CheckedItems(bytes, limits: limits)
        return (nil, try items.picture(items.primary, limits: limits).work)
      } catch {
        return (error.code, nil)
      }
    }
  }

  @Test func picturesAndTheirPartsAreTaken() {
    #expect(Self.refusal(FileOfItems(items: [Self.picture()])) == (nil, 64 * 64))
    let grid = FileOfItems(
      items: [Self.grid(tiles: 2, 128, 64), Self.picture(), Self.picture()], references: [("dimg", 1, [2, 3])])
    #expect(Self.refusal(grid) == (nil, 2 * 64 * 64))
    let withAlpha = FileOfItems(items: [Self.picture(), Self.alpha()], references: [("auxl", 2, [1])])
    #expect(Self.refusal(withAlpha) == (nil, 2 * 64 * 64))
  }

  @Test func picturesOfThemselvesAreMalformed() {
    #expect(
      Self.refusal(FileOfItems(items: [Self.picture("iden")], references: [("dimg", 1, [1])])).code == .malformed)
    let pair = FileOfItems(
      items: [Self.picture("iden"), Self.picture("iden")], references: [("dimg", 1, [2]), ("dimg", 2, [1])])
    #expect(Self.refusal(pair).code == .malformed)
    let alpha = FileOfItems(items: [Self.alpha(), Self.alpha()], references: [("auxl", 1, [2]), ("auxl", 2, [1])])
    #expect(Self.refusal(alpha).code == .malformed)
  }

  @Test func partsThatAreNoPicturesAreRefused() {
    let missing = FileOfItems(items: [Self.picture("iden")], references: [("dimg", 1, [9])])
    #expect(Self.refusal(missing).code == .malformed)
    let text = FileOfItems(items: [Self.picture("iden"), Self.picture("mime")], references: [("dimg", 1, [2])])
    #expect(Self.refusal(text).code == .unsupported)
  }

  /// What libheif takes for them grows with their square.
  @Test func manyItemsAreUnsupported() {
    let text = Item(type: "mime", isHidden: true)
    func file(_ count: Int) -> FileOfItems {
      FileOfItems(items: [Self.picture()] + [Item](repeating: text, count: count - 1))
    }
    #expect(Self.refusal(file(1000)) == (nil, 64 * 64))
    #expect(Self.refusal(file(1001)).code == .unsupported)
  }

  /// libheif 1.15 copies more bytes than an overlay's layers have.
  @Test func overlaysAreUnsupported() {
    let file = FileOfItems(items: [Self.picture("iovl"), Self.picture()], references: [("dimg", 1, [2])])
    #expect(Self.refusal(file).code == .unsupported)
  }

  /// libheif 1.15 copies a tile's alpha by the size of its colors, and adds up what `clap` says.
  @Test func tilesWithAlphaOrACropAreUnsupported() {
    let alpha = FileOfItems(
      items: [Self.grid(tiles: 1, 64, 64), Self.picture(), Self.alpha()],
      references: [("dimg", 1, [2]), ("auxl", 3, [2])])
    #expect(Self.refusal(alpha).code == .unsupported)
    let clap = FileOfItems.box("clap", [UInt8](repeating: 1, count: 32))
    let crop = FileOfItems(
      items: [Self.grid(tiles: 1, 64, 64), Self.picture("hvc1", clap)], references: [("dimg", 1, [2])])
    #expect(Self.refusal(crop).code == .unsupported)
  }

  @Test func gridsOfAnotherSizeThanTheyStateAreMalformed() {
    let file = FileOfItems(
      items: [Self.grid(tiles: 2, 1_000, 64), Self.picture(), Self.picture()], references: [("dimg", 1, [2, 3])])
    #expect(Self.refusal(file).code == .malformed)
  }

  @Test func eightStepsAreTaken() {
    func chain(_ count: Int) -> FileOfItems {
      FileOfItems(
        items: (1..<count).map { _ in Self.picture("iden") } + [Self.picture()],
        references: (1..<count).map { ("dimg", $0, [$0 + 1]) })
    }
    #expect(Self.refusal(chain(8)) == (nil, 64 * 64))
    #expect(Self.refusal(chain(9)).code == .unsupported)
  }

  @Test func limitsHoldBeforeLibHEIFTakesMemory() {
    var limits = Limits.standard
    limits.maxMemory = 64 * 64 - 1
    #expect(Self.refusal(FileOfItems(items: [Self.picture()]), limits: limits).code == .limitExceeded)
    limits.maxMemory = 64 * 64
    #expect(Self.refusal(FileOfItems(items: [Self.picture()]), limits: limits).code == nil)
    let items = [Self.picture(), Item(type: "Exif", length: 10_000)]
    limits.maxMemory = 9_999
    #expect(Self.refusal(FileOfItems(items: items), limits: limits).code == .limitExceeded)
    limits.maxMemory = 10_000
    #expect(Self.refusal(FileOfItems(items: items), limits: limits).code == nil)
  }

  /// A large picture that is shown small, many times over: 18 tiles of 2²² pixels on a canvas of 18 × 64 × 64.
  @Test func workIsLimited() {
    func file(side: Int) -> FileOfItems {
      FileOfItems(
        items: [Self.grid(tiles: 18, 18 * 64, 64), Self.picture(side: side)],
        references: [("dimg", 1, [Int](repeating: 2, count: 18))])
    }
    #expect(Self.refusal(file(side: 512)) == (nil, 18 << 18))
    #expect(Self.refusal(file(side: 2_048)).code == .limitExceeded)
  }

  /// What libde265 does not survive does not reach it by way of libheif.
  @Test func parameterSetsAreChecked() {
    func refusal(_ record: [UInt8], bytes: [UInt8] = [], side: Int = 64) -> CoderError.Code? {
      let properties = [FileOfItems.ispe(side, side), FileOfItems.box("hvcC", record)]
      return Self.refusal(FileOfItems(items: [Item(type: "hvc1", bytes: bytes, properties: properties)])).code
    }
    let sets = ParameterSets()
    #expect(refusal(sets.record) == nil)
    #expect(refusal(sets.record, side: 63) == .malformed)
    #expect(refusal(ParameterSets.record([], lengthBytes: 4)) == .malformed)
    #expect(
      refusal(ParameterSets.record([sets.video.unit, sets.sequence.unit, sets.picture.unit], lengthBytes: 2))
        == .unsupported)
    var deep = sets
    deep.sequence.depths = [6, 6]
    #expect(refusal(deep.record) == .unsupported)
    // The same in the item: before its slice, and after it.
    let unit = deep.sequence.unit
    let slice: [UInt8] = [0, 0, 0, 3, 0x26, 1, 0x80]
    let inItem = FileOfItems.number(unit.count, 4) + unit
    #expect(refusal(sets.record, bytes: slice) == nil)
    #expect(refusal(sets.record, bytes: inItem + slice) == .unsupported)
    #expect(refusal(sets.record, bytes: slice + inItem) == .malformed)
  }

  /// libheif takes the first of two, the reader of boxes the last.
  @Test func whatIsStatedTwiceIsRefused() throws {
    let file = FileOfItems(items: [Self.picture()]).bytes
    func doubled(_ name: String, inside outer: [String]) -> [UInt8] {
      func start(_ name: String) -> Int {
        (4..<file.count).first { file[$0...].starts(with: name.utf8) }.map { $0 - 4 } ?? 0
      }
      func size(_ place: Int, _ bytes: [UInt8]) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
      let copy = Array(file[start(name)..<start(name) + size(start(name), file)])
      var bytes = file
      bytes.insert(contentsOf: copy, at: start(name))
      for box in outer {
        let place = start(box)
        bytes.replaceSubrange(place..<place + 4, with: FileOfItems.number(size(place, file) + copy.count, 4))
      }
      return bytes
    }
    #expect(Self.refusal(file).code == nil)
    for name in ["iloc", "iref", "pitm", "iprp"] {
      #expect(Self.refusal(doubled(name, inside: ["meta"])).code == .malformed, "\(name)")
    }
    #expect(Self.refusal(doubled("ipco", inside: ["meta", "iprp"])).code == .malformed)
    #expect(Self.refusal(doubled("ipma", inside: ["meta", "iprp"])).code == .unsupported)
    #expect(Self.refusal(doubled("meta", inside: [])).code == .malformed)
  }

  @Test func compressedItemsAreUnsupported() {
    let file = FileOfItems(items: [Self.picture(), Item(type: "mime", encoding: "deflate")])
    #expect(Self.refusal(file).code == .unsupported)
  }

  @Test(arguments: ["heic", "heix", "mif1", "mif2"]) func brandsOfStillsAreTaken(_ brand: String) {
    #expect(Self.refusal(FileOfItems(brand: brand, items: [Self.picture()])).code == nil)
  }

  @Test(arguments: ["avif", "msf1", "hevc"]) func otherBrandsAreAnotherFormat(_ brand: String) {
    #expect(Self.refusal(FileOfItems(brand: brand, items: [Self.picture()])).code == .wrongFormat)
  }

  @Test func hiddenPrimaryItemsAndMissingSizesAreLeftToOthers() {
    var hidden = Self.picture()
    hidden.isHidden = true
    #expect(Self.refusal(FileOfItems(items: [hidden])).code == .unsupported)
    #expect(Self.refusal(FileOfItems(items: [Item(type: "hvc1")])).code == .unsupported)
  }
}
