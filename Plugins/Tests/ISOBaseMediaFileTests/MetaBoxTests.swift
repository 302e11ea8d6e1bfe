// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import ISOBaseMediaFile

@Suite struct MetaBoxTests {
  private static func bytes(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    writer.fullBox(.meta, body)
    return writer.bytes
  }

  private func meta(_ bytes: [UInt8], isLenient: Bool = false) throws(CoderError) -> MetaBox {
    var result: Result<MetaBox, CoderError>?
    bytes.withUnsafeBytes { raw in
      let file = FileBytes(whole: raw)
      guard let box = file.box(at: 0, before: raw.count) else { return }
      do throws(CoderError) {
        result = .success(try MetaBox(parsing: box, in: file, isLenient: isLenient))
      } catch {
        result = .failure(error)
      }
    }
    guard let result else { throw .malformed("no box") }
    return try result.get()
  }

  private static func putItem(_ number: UInt16, _ type: StaticString, isHidden: Bool, to writer: inout ByteWriter) {
    writer.fullBox(.itemInformationEntry, version: 2, flags: isHidden ? 1 : 0) { entry in
      entry.put(number)
      entry.put(UInt16(0))
      entry.put(type)
      entry.put("a name\0application/rdf+xml\0deflate\0")
    }
  }

  @Test func readsItemsLocationsReferencesAndProperties() throws {
    let bytes = Self.bytes { meta in
      // Locations and associations come before the items that they name.
      meta.fullBox(.itemLocation, version: 1) { box in
        for number in [0x4440, 1, 7, 1, 0] as [UInt16] { box.put(number) }
        box.put(UInt32(1000))
        box.put(UInt16(2))
        for number in [10, 20, 30, 40] as [UInt32] { box.put(number) }
      }
      meta.box(.itemProperties) { box in
        box.fullBox(.propertyAssociation) { inner in
          inner.put(UInt32(1))
          inner.put(UInt16(7))
          inner.put([3, 0x82, 0, 0x01])
        }
        box.box(.propertyContainer) { inner in
          inner.box(.rotation) { $0.put(UInt8(1)) }
          inner.box(.mirror) { $0.put(UInt8(0)) }
        }
      }
      meta.fullBox(.primaryItem) { $0.put(UInt16(7)) }
      meta.fullBox(.itemInformation) { box in
        box.put(UInt16(2))
        Self.putItem(7, "hvc1", isHidden: true, to: &box)
        Self.putItem(8, "mime", isHidden: false, to: &box)
      }
      meta.fullBox(.itemReference) { box in
        box.box(.describes) { inner in
          for number in [8, 1, 7] as [UInt16] { inner.put(number) }
        }
      }
    }
    let meta = try meta(bytes)
    #expect(meta.primary == 7)
    #expect(meta.items.map(\.id) == [7, 8])
    #expect(meta.items.map(\.type) == [.hvc1, .mime])
    #expect(meta.items.map(\.isHidden) == [true, false])
    #expect(meta.items.map(\.isXMP) == [false, true])
    #expect(meta.items.map(\.contentEncoding) == [.none, .deflate])
    #expect(meta.items[0].base == 1000)
    #expect(meta.items[0].construction == .itemData)
    #expect(meta.extents[meta.items[0].extents].map(\.offset) == [10, 30])
    #expect(meta.extents[meta.items[0].extents].map(\.length) == [20, 40])
    // 0 stands for no property; the highest bit says that one is essential.
    #expect(meta.associations[meta.items[0].associations].map { meta.properties[$0].type } == [.mirror, .rotation])
    #expect(Array(meta.references(from: 8, as: .describes)) == [7])
  }

  @Test func twoItemsOfOneNumberAreMalformed() throws {
    let bytes = Self.bytes { meta in
      meta.fullBox(.primaryItem) { $0.put(UInt16(7)) }
      meta.fullBox(.itemInformation) { box in
        box.put(UInt16(2))
        Self.putItem(7, "hvc1", isHidden: false, to: &box)
        Self.putItem(7, "hvc1", isHidden: false, to: &box)
      }
    }
    // The second entry follows 12 + 14 + 14 bytes and the first one's 55.
    #expect(throws: CoderError.malformed("two items with the number 7", at: 95)) { _ = try meta(bytes) }
    #expect(try meta(bytes, isLenient: true).items.count == 1)
  }

  /// Items are found in any order of their numbers, and a number that comes twice is found too.
  @Test(arguments: [[5, 3, 4, 9, 1], [1, 2, 3], [2, 7, 6], [9, 8]] as [[UInt16]])
  func itemsAreFoundInAnyOrder(numbers: [UInt16]) throws {
    func bytes(_ numbers: [UInt16]) -> [UInt8] {
      Self.bytes { meta in
        meta.fullBox(.itemInformation) { box in
          box.put(UInt16(numbers.count))
          for number in numbers { Self.putItem(number, "hvc1", isHidden: false, to: &box) }
        }
      }
    }
    let meta = try meta(bytes(numbers))
    for number in 0...10 as ClosedRange<UInt32> {
      #expect(meta.item(number)?.id == (numbers.contains(UInt16(number)) ? number : nil))
    }
    for number in numbers {
      let error = #expect(throws: CoderError.self) { _ = try self.meta(bytes(numbers + [number])) }
      #expect(error?.message == "two items with the number \(number)")
    }
  }

  @Test func aBoxBeyondTheMetaBoxIsMalformed() throws {
    var bytes = Self.bytes { meta in meta.fullBox(.primaryItem) { $0.put(UInt16(7)) } }
    bytes[15] = 15
    #expect(throws: CoderError.malformed("a box pitm of 15 bytes in meta, which has 14 left", at: 12)) {
      _ = try meta(bytes)
    }
  }

  @Test func aMetaBoxThatTheFileCutsIsTruncated() throws {
    let bytes = Self.bytes { meta in meta.fullBox(.primaryItem) { $0.put(UInt16(7)) } }
    for count in 8..<bytes.count {
      do throws(CoderError) {
        _ = try meta(Array(bytes.prefix(count)))
        Issue.record("\(count) bytes are read")
      } catch {
        #expect(error.code == .truncated)
      }
    }
  }
}
