// SPDX-License-Identifier: Apache-2.0

import CInterfaceFakes
import ImageCoderPlugin
import Testing

/// Offers the format whose number the file begins with, in the row order that its second byte is.
private final class NarrowReader: ContainerReader {
  private let format: UInt32
  private let order: RowOrder

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    let bytes = try source.bytes(at: 0, count: 2, of: "the format")
    format = UInt32(bytes[0])
    order = bytes[1] == 0 ? .topDown : .any
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    ImageHeader(
      format: .png, canvas: Size(width: 3, height: 2), pixelFormat: PixelFormat(rawValue: format) ?? .rgbaFloat32,
      bitsPerChannel: 16, alpha: .opaque)
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let size = Size(width: 3, height: 2)
    guard let rows = RowFormat(rawValue: format) else {
      return DecodeOffer(request, size: size, pixelFormat: .rgb16, alpha: .opaque, rowOrder: order, scaleCode: 9)
    }
    return DecodeOffer(request, size: size, rowFormat: rows, rowOrder: order, scaleCode: 9)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    guard offer.scaleCode == 9 else { throw .invalidArgument("another offer") }
    for pass in 0..<(order == .any ? 2 : 1) {
      for y in 0..<2 {
        let rows = try sink.rows(at: y)
        let bytes = UnsafeMutableRawBufferPointer(start: rows.base, count: 3 * offer.bytesPerPixel)
        if pass == 1, bytes.contains(where: { $0 != 0x5A }) { throw .libraryFailure("rows are not kept") }
        for index in bytes.indices {
          bytes[index] = order == .any && pass == 0 ? 0x5A : UInt8(truncatingIfNeeded: 50 * y + index + 1)
        }
        try sink.done(at: y, pass: pass)
      }
    }
  }
}

private let narrow = PluginExport(id: "org.example.narrow", version: "1.0.0", reader: NarrowReader.self)

/// What the kit makes of formats of version 1.1 for hosts that do not know them.
@Suite struct FirstHostTests {
  private struct Answer {
    var infoFormat: UInt32 = 0
    var offer = imgcoder_offer()
    var status: imgcoder_status = 0
    /// Two rows of 48 bytes.
    var rows: [[UInt8]] = []
  }

  private static func answer(minor: UInt32, format: UInt8, order: UInt8, wanted: UInt32 = 0) throws -> Answer {
    let host = UnsafeMutablePointer<fakes_host>.allocate(capacity: 1)
    let source = UnsafeMutablePointer<UInt8>.allocate(capacity: 2)
    defer {
      host.deallocate()
      source.deallocate()
    }
    source.initialize(to: format)
    (source + 1).initialize(to: order)
    var limits = HostVersionTests.Session.limits()
    fakes_host_make(host, &limits, source, 2)
    host.pointee.table.abi_minor = minor
    var options = fakes_poisoned(4)
    var reader: OpaquePointer?
    #expect(fakes_open(narrow.table, host, &options, &reader) == 0)
    defer { fakes_close(narrow.table, reader) }
    let table = try #require(narrow.table.pointee.reader?.pointee)
    var answer = Answer()
    var info = imgcoder_info()
    info.struct_size = UInt32(MemoryLayout<imgcoder_info>.size)
    #expect(table.info(reader, 0, &info) == 0)
    answer.infoFormat = info.pixel_format
    var request = imgcoder_request()
    request.struct_size = UInt32(MemoryLayout<imgcoder_request>.size)
    request.pixel_format = wanted
    answer.offer.struct_size = UInt32(MemoryLayout<imgcoder_offer>.size)
    #expect(table.negotiate(reader, &request, &answer.offer) == 0)
    // A host of version 1.0 gives back what it knows.
    if minor == 0 { answer.offer.struct_size = 48 }
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 96)
    memory.initialize(repeating: 0, count: 96)
    defer { memory.deallocate() }
    var sink = imgcoder_sink()
    sink.struct_size = UInt32(MemoryLayout<imgcoder_sink>.size)
    sink.context = UnsafeMutableRawPointer(memory)
    sink.rows = { sink, y, count, granted in
      guard let base = sink?.pointee.context, y < 2 else { return 1 }
      granted?.pointee.pixels = base.assumingMemoryBound(to: UInt8.self) + Int(y) * 48
      granted?.pointee.stride = 48
      granted?.pointee.count = min(count, 2 - y)
      return 0
    }
    sink.done = { _, _, _, _ in 0 }
    answer.status = table.decode(reader, &answer.offer, &sink)
    answer.rows = (0..<2).map { y in (0..<48).map { memory[48 * y + $0] } }
    return answer
  }

  /// A row as the reader writes it, with what stands for opaque after each pixel, and zeros to 48 bytes.
  private static func row(_ y: Int, pixel: Int, repeats: Int = 1, opaque: [UInt8]) -> [UInt8] {
    let stored = (0..<(3 * pixel)).map { UInt8(50 * y + $0 + 1) }
    let row = (0..<3).flatMap { x in
      (0..<repeats).flatMap { _ in stored[(pixel * x)..<(pixel * (x + 1))] } + opaque
    }
    return row + [UInt8](repeating: 0, count: 48 - row.count)
  }

  @Test(arguments: [UInt8(0), 1]) func hostsOfTodayGetRowsAsTheyAre(_ order: UInt8) throws {
    for (format, pixel) in [(UInt8(11), 6), (12, 6), (13, 12), (14, 4)] {
      let answer = try Self.answer(minor: 1, format: format, order: order)
      #expect(answer.infoFormat == (format == 11 ? 11 : 10))
      #expect(answer.offer.pixel_format == UInt32(format) && answer.offer.alpha == 0 && answer.status == 0)
      #expect(answer.rows == (0..<2).map { Self.row($0, pixel: pixel, opaque: []) })
    }
  }

  @Test(arguments: [UInt8(0), 1]) func hostsOfTheFirstVersionGetRowsWithAlpha(_ order: UInt8) throws {
    let one: [UInt8] = [0, 0, 0x80, 0x3F]
    for (format, wide, pixel, repeats, opaque) in [
      (UInt8(11), UInt32(8), 6, 1, [0xFF, 0xFF]), (12, 9, 6, 1, [0, 0x3C]), (13, 10, 12, 1, one), (14, 10, 4, 3, one),
    ] {
      let answer = try Self.answer(minor: 0, format: format, order: order)
      #expect(answer.infoFormat == (format == 11 ? 8 : 10))
      #expect(answer.offer.pixel_format == wide && answer.offer.alpha == 0 && answer.status == 0)
      #expect(answer.rows == (0..<2).map { Self.row($0, pixel: pixel, repeats: repeats, opaque: opaque) })
    }
  }

  @Test func anOfferSaysWhatItDoesNotMeet() throws {
    for (minor, wanted, unmet): (UInt32, UInt32, UInt32) in [(1, 11, 0), (1, 8, 2), (0, 8, 0), (0, 6, 2), (1, 15, 2)] {
      #expect(try Self.answer(minor: minor, format: 11, order: 0, wanted: wanted).offer.unmet == unmet)
    }
  }
}
