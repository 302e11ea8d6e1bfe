// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import TestSupport
import Testing

/// Tags in the directories of a TIFF file, as conditions of a signature.
@Suite struct TIFFTagTests {
  /// Counts what is read of a file.
  private final class CountedFile: RecognizableBytes {
    private let file: [UInt8]
    private let copy: UnsafeMutableRawBufferPointer
    private let isComplete: Bool
    private(set) var bytesRead = 0

    init(_ file: [UInt8], isComplete: Bool = true) {
      self.file = file
      self.isComplete = isComplete
      copy = .allocate(byteCount: file.count, alignment: 1)
      copy.copyBytes(from: file)
    }

    deinit { copy.deallocate() }

    var knownSize: Int? { isComplete ? file.count : nil }

    func bytes(at offset: Int, count: Int) throws(Never) -> UnsafeRawBufferPointer {
      let found = UnsafeRawBufferPointer(rebasing: copy.dropFirst(offset).prefix(count))
      bytesRead += found.count
      return found
    }
  }

  private typealias Entry = (tag: UInt16, type: UInt16, count: UInt64, value: UInt64)

  /// A file whose directories stand at the places that they have.
  private struct File {
    let isBig: Bool
    let isLittle: Bool
    var directories: [(place: Int, entries: [Entry], next: Int)]
    /// Numbers of 4 bytes, or of 8 of BigTIFF, by their place.
    var numbers: [(place: Int, values: [Int])] = []

    var bytes: [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 16)
      func put(_ value: UInt64, _ size: Int, at place: Int) {
        if bytes.count < place + size { bytes += [UInt8](repeating: 0, count: place + size - bytes.count) }
        for index in 0..<size {
          let shift = 8 * (isLittle ? index : size - 1 - index)
          bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(shift))
        }
      }
      put(isLittle ? 0x4949 : 0x4D4D, 2, at: 0)
      put(isBig ? 43 : 42, 2, at: 2)
      let offset = isBig ? 8 : 4
      if isBig { put(8, 2, at: 4) }
      put(UInt64(directories[0].place), offset, at: isBig ? 8 : 4)
      for directory in directories {
        var place = directory.place
        put(UInt64(directory.entries.count), isBig ? 8 : 2, at: place)
        place += isBig ? 8 : 2
        for entry in directory.entries {
          put(UInt64(entry.tag), 2, at: place)
          put(UInt64(entry.type), 2, at: place + 2)
          put(entry.count, offset, at: place + 4)
          // Values stand at the beginning of the field, in the order of the file.
          put(entry.value, entry.type == 3 ? 2 : offset, at: place + 4 + offset)
          place += 4 + 2 * offset
        }
        put(UInt64(directory.next), offset, at: place)
      }
      for (place, values) in numbers {
        for (index, value) in values.enumerated() { put(UInt64(value), offset, at: place + index * offset) }
      }
      return bytes
    }

    init(isBig: Bool = false, isLittle: Bool = true, _ directories: [(place: Int, entries: [Entry], next: Int)]) {
      self.isBig = isBig
      self.isLittle = isLittle
      self.directories = directories
    }
  }

  private static func signature(_ condition: TagCondition) -> FormatSignature {
    // Agrees with every file, so that the condition decides.
    var signature = FormatSignature([0], mask: [0])
    signature.conditions = [.tag(condition)]
    return signature
  }

  private static func look(_ bytes: [UInt8], _ condition: TagCondition, isComplete: Bool = true) -> Recognition {
    signature(condition).recognition(of: CountedFile(bytes, isComplete: isComplete))
  }

  private static let cfa = TagCondition(262, values: [32_803, 34_892], looksAtAll: true)
  private static let yes = Recognition.yes(strength: 32)

  @Test(arguments: [(false, true), (false, false), (true, true), (true, false)])
  func isFoundInBothKindsAndOrders(_ isBig: Bool, _ isLittle: Bool) {
    let file = File(isBig: isBig, isLittle: isLittle, [(300, [(256, 3, 1, 10), (262, 3, 1, 34_892)], 0)]).bytes
    #expect(Self.look(file, TagCondition(262)) == Self.yes)
    #expect(Self.look(file, TagCondition(262, values: [32_803, 34_892])) == Self.yes)
    #expect(Self.look(file, TagCondition(262, values: [32_803])) == .no)
    #expect(Self.look(file, TagCondition(263)) == .no)
  }

  @Test func allDirectoriesCountIfAsked() {
    let chain = File([(8, [(262, 3, 1, 2)], 100), (100, [(262, 3, 1, 1)], 200), (200, [(262, 3, 1, 32_803)], 0)]).bytes
    #expect(Self.look(chain, Self.cfa) == Self.yes)
    #expect(Self.look(chain, TagCondition(262, values: [32_803])) == .no)
    // A SubIFD, whose offset stands in the entry.
    let nested = File([(8, [(262, 3, 1, 2), (330, 4, 1, 100)], 0), (100, [(262, 3, 1, 32_803)], 0)]).bytes
    #expect(Self.look(nested, Self.cfa) == Self.yes)
    // The third of three, whose offsets stand elsewhere.
    for isBig in [false, true] {
      var several = File(
        isBig: isBig, [(16, [(330, isBig ? 18 : 13, 3, 900)], 0), (300, [(262, 3, 1, 32_803)], 0)])
      several.numbers = [(900, [0, 2_000, 300])]
      #expect(Self.look(several.bytes, Self.cfa) == Self.yes)
    }
  }

  @Test func aDirectoryThatLeadsToItselfEnds() {
    let file = File([(8, [(262, 3, 1, 2), (330, 4, 1, 8)], 8)]).bytes
    #expect(Self.look(file, Self.cfa) == .no)
  }

  /// The 16th directory of a chain counts, the 17th does not; 512 entries are looked through, 513 are not.
  @Test func whatIsLookedAtHasABound() {
    func chain(_ count: Int) -> [UInt8] {
      File((1...count).map { (100 * $0, [(262, 3, 1, $0 == count ? 32_803 : 2)], $0 == count ? 0 : 100 * $0 + 100) })
        .bytes
    }
    #expect(Self.look(chain(16), Self.cfa) == Self.yes)
    #expect(Self.look(chain(17), Self.cfa) == .no)
    func wide(_ count: Int) -> [UInt8] {
      File([(8, (1...count).map { (UInt16($0), 3, 1, 0) as Entry }, 0)]).bytes
    }
    #expect(Self.look(wide(512), TagCondition(512)) == Self.yes)
    #expect(Self.look(wide(513), TagCondition(512)) == .no)
  }

  @Test func aFileThatArrivesSaysHowMuchWouldDecide() {
    let file = File([(300, [(256, 3, 1, 10), (50_706, 1, 4, 1)], 0)]).bytes
    let condition = TagCondition(50_706)
    #expect(file.count == 330)
    let needed = [(4, 8), (8, 302), (301, 302), (302, 330), (320, 330)]
    for (count, wanted) in needed {
      #expect(Self.look(Array(file.prefix(count)), condition, isComplete: false) == .needMore(bytes: wanted))
      // A file that ends there does not have the tag.
      #expect(Self.look(Array(file.prefix(count)), condition) == .no)
    }
    // The link to the next directory may be missing.
    #expect(Self.look(Array(file.prefix(326)), condition, isComplete: false) == Self.yes)
  }

  /// Of any bytes, no more is read than 16 directories of 512 entries have, and the offsets of SubIFDs.
  @Test(arguments: 1...10) func mutatedDirectoriesStayWithinTheBounds(_ seed: UInt64) {
    var random = SplitMix(seed: seed)
    for _ in 0..<1_000 {
      let isBig = Bool.random(using: &random)
      let places = (0..<20).map { 16 + 400 * $0 }
      var file = File(
        isBig: isBig, isLittle: Bool.random(using: &random),
        places.map { place in
          let entries = (0..<Int.random(in: 0...6, using: &random)).map { _ -> Entry in
            let tag: UInt16 = Bool.random(using: &random) ? 330 : 262
            let type = [1, 3, 4, 13, 16, 18, 99].randomElement(using: &random)!
            let count = [0, 1, 5, 400, UInt64(UInt32.max), .max].randomElement(using: &random)!
            return (tag, UInt16(type), count, UInt64(places.randomElement(using: &random)!))
          }
          return (place, entries, places.randomElement(using: &random)!)
        }
      ).bytes
      for _ in 0..<Int.random(in: 0...30, using: &random) {
        file[Int.random(in: 4..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let counted = CountedFile(file, isComplete: Bool.random(using: &random))
      _ = Self.signature(Self.cfa).recognition(of: counted)
      #expect(counted.bytesRead <= 17 + 16 * (8 + 512 * 20 + 8 + 16 * 8), "seed \(seed)")
    }
  }
}
