// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel
import Synchronization
import TestSupport
import Testing

/// When the reader of an incremental decode goes on, and that nothing of it is left when nobody wants it any more.
///
/// Whoever appends waits until the reader sleeps again, so what the reader was shown is known after each call.
@Suite struct IncrementalTurnsTests {
  /// What a reader was shown by each view, and the error that ended it.
  private final class Record: Sendable {
    private let state = Mutex<(shown: [[UInt8]], error: CoderError?)>(([], nil))

    var shown: [[UInt8]] { state.withLock { $0.shown } }
    var counts: [Int] { shown.map(\.count) }
    var error: CoderError? { state.withLock { $0.error } }

    func add(_ bytes: UnsafeRawBufferPointer) { state.withLock { $0.shown.append([UInt8](bytes)) } }
    func end(_ error: CoderError) { state.withLock { $0.error = error } }
  }

  private static let end = CoderError.truncated("no byte is left")

  /// A decoder whose reader looks at the bytes in order, at least `least` and at most `most` at a time.
  private static func decoder(
    _ record: Record, least: Int, most: Int, _ options: DecodeOptions = DecodeOptions()
  ) -> IncrementalDecoder {
    IncrementalDecoder(options: options) { (_) throws(CoderError) in
      nil
    } body: { (context) throws(CoderError) in
      do throws(CoderError) {
        var offset = 0
        while true {
          let bytes = try context.source.view(at: offset, least: least, most: most)
          record.add(bytes)
          offset += bytes.count
          if bytes.isEmpty { throw Self.end }
        }
      } catch {
        record.end(error)
        throw error
      }
    }
  }

  private static func append(_ bytes: some Sequence<UInt8>, to decoder: IncrementalDecoder) throws {
    try Array(bytes).withUnsafeBytes { try decoder.append($0) }
  }

  // MARK: Before there is a header

  @Test func theReaderGoesOnWithTheByteThatItWaitsFor() throws {
    let record = Record()
    let decoder = Self.decoder(record, least: 3, most: 10)
    for count in 1...10 {
      try Self.append([UInt8(count)], to: decoder)
      #expect(record.counts == [Int](repeating: 3, count: count / 3))
    }
    #expect(throws: Self.end) { try decoder.finish() }
    #expect(record.shown == [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10], []])
  }

  @Test func theReaderIsShownWhatIsThereUpToTheMost() throws {
    let record = Record()
    let decoder = Self.decoder(record, least: 3, most: 10)
    try Self.append(0..<25, to: decoder)
    #expect(record.counts == [10, 10, 5])
    try Self.append([25, 26], to: decoder)
    #expect(record.counts == [10, 10, 5])
    try Self.append([27], to: decoder)
    #expect(record.counts == [10, 10, 5, 3])
    #expect(throws: Self.end) { try decoder.finish() }
    #expect(record.counts == [10, 10, 5, 3, 0])
    #expect(record.shown.flatMap(\.self) == [UInt8](0..<28))
  }

  @Test func aReaderThatWantsAllWaitsForTheEnd() throws {
    let record = Record()
    let decoder = Self.decoder(record, least: .max, most: .max)
    for byte in 0..<200 as Range<UInt8> { try Self.append([byte], to: decoder) }
    #expect(record.counts == [])
    #expect(throws: Self.end) { try decoder.finish() }
    #expect(record.shown == [[UInt8](0..<200), []])
  }

  @Test func aReaderThatHasEndedIsShownNothingMore() throws {
    let record = Record()
    let decoder = Self.decoder(record, least: 2, most: 2)
    try Self.append([1, 2, 3], to: decoder)
    #expect(throws: Self.end) { try decoder.finish() }
    #expect(record.counts == [2, 1, 0])
    #expect(throws: CoderError.outOfOrder("bytes after the end")) { try Self.append([4], to: decoder) }
    #expect(throws: Self.end) { try decoder.finish() }
    #expect(record.counts == [2, 1, 0])
  }

  @Test func cancellingEndsAReaderThatSleeps() throws {
    var options = DecodeOptions()
    let cancellation = Cancellation()
    options.cancellation = cancellation
    let record = Record()
    let decoder = Self.decoder(record, least: 4, most: 4, options)
    try Self.append([1, 2, 3, 4, 5], to: decoder)
    cancellation.cancel()
    #expect(record.counts == [4] && record.error == nil)
    try Self.append([6, 7], to: decoder)
    #expect(throws: CoderError.cancelled) { try Self.append([8], to: decoder) }
    #expect(record.counts == [4] && record.error == .cancelled)
  }

  // MARK: While bytes are gathered

  /// A still of 100 × 200, whose reader wants row by row, and when it goes on: an eighth of the bytes has to be new.
  private struct Still {
    static let header: [UInt8] = [0x73, 100, 200, 0, 0, 200, 0]
    static let row = 100
    static let rows = 200

    private(set) var count = header.count
    private(set) var rowsSent = 0
    private var countSeen = header.count

    private var isNextRowThere: Bool { count >= Self.header.count + Self.row * (rowsSent + 1) }

    mutating func append(_ bytes: Int) {
      count += bytes
      if isNextRowThere, count - countSeen >= count / 8 { goOn() }
    }

    mutating func look() { if isNextRowThere { goOn() } }

    private mutating func goOn() {
      countSeen = count
      rowsSent = min((count - Self.header.count) / Self.row, Self.rows)
    }
  }

  @Test(arguments: [1...1, 3...3, 64...64, 999...999, 1500...1500, 1...30, 1...2000], [0, 7, 50])
  func gatheredBytesAreReadWhenAnEighthIsNewOrSomebodyLooks(_ sizes: ClosedRange<Int>, _ callsPerLook: Int) throws {
    var random = SeededGenerator(seed: 11)
    let container = StripContainer()
    let decoder = container.decoder()
    try Self.append(Still.header, to: decoder)
    var still = Still()
    var calls = 0
    while still.rowsSent < Still.rows {
      let size = Int.random(in: sizes, using: &random)
      try Self.append(repeatElement(1, count: size), to: decoder)
      still.append(size)
      try #require(container.rowsSent.value == still.rowsSent, "after \(still.count) bytes")
      calls += 1
      guard callsPerLook > 0, calls % callsPerLook == 0 else { continue }
      still.look()
      #expect(decoder.status == (still.rowsSent < Still.rows ? .incomplete : .complete))
      try #require(container.rowsSent.value == still.rowsSent, "a look after \(still.count) bytes")
    }
    _ = try decoder.finish()
  }

  // MARK: Decoders that are dropped

  @Test(arguments: [1, 3, 4, 5, 1000]) func aDroppedDecoderEndsItsReader(_ count: Int) throws {
    let record = Record()
    do {
      let decoder = Self.decoder(record, least: 4, most: 4)
      try Self.append(repeatElement(1, count: count), to: decoder)
      withExtendedLifetime(decoder) { #expect(record.error == nil) }
    }
    #expect(record.error == .cancelled)
    #expect(record.counts == [Int](repeating: 4, count: count / 4))
  }

  /// The reader holds the container: as long as it is there, so is this.
  @Test func aDecoderMayBeDroppedAtAnyByte() throws {
    let file = Still.header + [UInt8](repeating: 1, count: Still.row * Still.rows)
    for count in [0, 1, 4, 6, 7, 8, 107, 5_000, file.count - 1, file.count] {
      weak var held: StripContainer.Counter?
      do {
        let container = StripContainer()
        held = container.rowsSent
        let decoder = container.decoder()
        try Self.append(file.prefix(count), to: decoder)
        withExtendedLifetime(decoder) { #expect(held != nil) }
      }
      for _ in 0..<6_000 where held != nil { usleep(10_000) }
      #expect(held == nil, "after \(count) bytes")
    }
  }

  @Test func droppedDecodersLeaveNoThread() async {
    await #expect(processExitsWith: .success) {
      func drop(_ number: Int) throws {
        for count in 0..<number {
          let decoder = StripContainer().decoder()
          try Self.append((Still.header + [UInt8](repeating: 1, count: 500)).prefix(count % 300), to: decoder)
        }
      }
      try drop(20)
      let threads = ProcessThreads.count
      try drop(300)
      #expect(ProcessThreads.countLeft(atMost: threads) <= threads)
    }
  }
}
