// SPDX-License-Identifier: Apache-2.0

import CImageCoder
public import ImageCoderPlugin

/// Keeps the rows of one picture, and is never freed.
public final class MemorySink {
  private let raw: UnsafeMutablePointer<imgcoder_sink>
  private let memory: UnsafeMutableBufferPointer<UInt8>
  private let stride: Int
  private let height: Int
  /// Rows that are granted at a time.
  private let most: Int
  /// Rows that were reported done, as often as they were.
  public private(set) var rowsDone = 0

  public var sink: RowSink { RowSink(UnsafePointer(raw)) }
  /// The pixels so far, rows one after the other; zeros where none were written.
  public var pixels: [UInt8] { Array(memory) }

  public init(_ offer: DecodeOffer, most: Int = .max) {
    self.most = most
    stride = offer.size.width * offer.pixelFormat.bytesPerPixel
    height = offer.size.height
    memory = .allocate(capacity: stride * height)
    memory.initialize(repeating: 0)
    raw = .allocate(capacity: 1)
    raw.initialize(to: imgcoder_sink())
    raw.pointee.struct_size = UInt32(MemoryLayout<imgcoder_sink>.size)
    raw.pointee.context = Unmanaged.passRetained(self).toOpaque()
    raw.pointee.rows = { sink, y, count, rows in
      guard let own = MemorySink.object(sink), Int(y) + Int(count) <= own.height else {
        return UInt32(IMGCODER_STATUS_INVALID_ARGUMENT)
      }
      rows?.pointee.pixels = own.memory.baseAddress.map { $0 + Int(y) * own.stride }
      rows?.pointee.stride = UInt64(own.stride)
      rows?.pointee.count = min(count, UInt32(clamping: own.most))
      return UInt32(IMGCODER_STATUS_OK)
    }
    raw.pointee.done = { sink, _, count, _ in
      MemorySink.object(sink)?.rowsDone += Int(count)
      return UInt32(IMGCODER_STATUS_OK)
    }
  }

  private static func object(_ sink: UnsafePointer<imgcoder_sink>?) -> MemorySink? {
    sink?.pointee.context.map { Unmanaged<MemorySink>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension ContainerReader {
  /// What is offered for a request and delivered, and the error after it.
  public func delivered(
    for request: DecodeRequest
  ) throws(CoderError) -> (offer: DecodeOffer, pixels: [UInt8], rows: Int, problem: CoderError?) {
    let offer = try offer(for: request)
    let sink = MemorySink(offer)
    do throws(CoderError) { try decode(offer, into: sink.sink) } catch {
      return (offer, sink.pixels, sink.rowsDone, error)
    }
    return (offer, sink.pixels, sink.rowsDone, nil)
  }
}

extension DecodeOffer {
  /// The pixels of a part, of those of all that is offered.
  public func pixels(in part: Rect, of pixels: [UInt8]) -> [UInt8] {
    let (bytes, width) = (pixelFormat.bytesPerPixel, size.width)
    return (part.y..<(part.y + part.height)).flatMap { y in
      pixels[((y * width + part.x) * bytes)...].prefix(part.width * bytes)
    }
  }
}
