// SPDX-License-Identifier: Apache-2.0

import CInterfaceFakes
import ImageCoderPlugin
import Synchronization
import Testing

/// An animation of as many thousand frames as its only byte says, which counts how often it is asked for its header.
private final class LongReader: ContainerReader {
  static let headers = Mutex(0)
  private let frames: Int

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    frames = try Int(source.bytes(at: 0, count: 1, of: "the number of frames")[0]) * 1000
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    Self.headers.withLock { $0 += 1 }
    var header = ImageHeader(
      format: .gif, canvas: Size(width: 1, height: 1), pixelFormat: .rgba8, bitsPerChannel: 8, alpha: .straight)
    header.frameCount = frames
    header.isAnimated = true
    return header
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    FrameHeader(rect: Rect(x: 0, y: 0, width: 1, height: 1), hasAlpha: true)
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    DecodeOffer(request, size: Size(width: 1, height: 1), pixelFormat: .rgba8, alpha: .straight, rowOrder: .topDown)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {}
}

private let long = PluginExport(id: "org.example.long", version: "1.0.0", reader: LongReader.self)

/// A header may cost as much as there are frames: it is not made for each of them.
@Suite(.serialized) struct FrameHeaderCallsTests {
  @Test(arguments: [10, 20, 40] as [UInt8]) func aHeaderIsMadeOnceForAllFrames(_ thousands: UInt8) throws {
    let host = UnsafeMutablePointer<fakes_host>.allocate(capacity: 1)
    let source = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    defer {
      host.deallocate()
      source.deallocate()
    }
    source.initialize(to: thousands)
    var limits = HostVersionTests.Session.limits()
    fakes_host_make(host, &limits, source, 1)
    var options = fakes_poisoned(4)
    var reader: OpaquePointer?
    #expect(fakes_open(long.table, host, &options, &reader) == 0)
    defer { fakes_close(long.table, reader) }
    LongReader.headers.withLock { $0 = 0 }
    let describe = try #require(long.table.pointee.reader?.pointee.frame_info)
    var info = imgcoder_frame_info()
    info.struct_size = UInt32(MemoryLayout<imgcoder_frame_info>.size)
    let count = UInt32(thousands) * 1000
    for frame in 0..<count where describe(reader, 0, frame, &info) != 0 { Issue.record("frame \(frame)") }
    #expect(describe(reader, 0, count, &info) == CoderError.Code.invalidArgument.rawValue)
    #expect(LongReader.headers.withLock { $0 } == 1)
  }
}
