// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import ImageCoderEngine
import ImageCoderPlugin
import ImageCoders
import TestSupport
import Testing

/// Notes what it is given.
private final class NotingWriter: ContainerWriter, FrameRowsWriter {
  private let output: ByteOutput

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) { self.output = output }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout { PixelLayout(.gray8, .opaque) }
  func setHeader(_ header: ImageHeader) throws(CoderError) {}

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    try output.write(Array("whole \(pixels.size);".utf8))
  }

  /// A frame of 3 columns is needed whole.
  func beginRows(_ frame: FrameHeader, size: Size, layout: PixelLayout) throws(CoderError) -> Bool {
    guard size.width != 3 else { return false }
    try output.write(Array("begin \(size) \(layout.format);".utf8))
    return true
  }

  func add(rows: PixelView) throws(CoderError) {
    try output.write(Array("\(rows.size.height) rows from \(rows.base.load(as: UInt8.self));".utf8))
  }

  func endRows() throws(CoderError) { try output.write(Array("end;".utf8)) }
  func finish() throws(CoderError) { try output.write(Array("finish".utf8)) }
}

private let noting = PluginExport(id: "org.example.noting", version: "1.0.0", writer: NotingWriter.self)

/// The draft for frames that come in rows, called as a host in C calls it.
@Suite struct FrameRowsTests {
  private struct Calls {
    let table: imgcoder_writer_table
    let rows: imgcoder_frame_rows_table
    let writer: OpaquePointer
    let session: HostSession
    var layout = PixelLayout(.gray8, .opaque)

    func pixels(_ bytes: UnsafePointer<UInt8>?, _ width: UInt32, _ height: UInt32) -> imgcoder_pixels {
      var raw = imgcoder_pixels()
      raw.struct_size = UInt32(MemoryLayout<imgcoder_pixels>.size)
      raw.pixel_format = layout.format.rawValue
      raw.alpha = layout.alpha.rawValue
      (raw.width, raw.height) = (width, height)
      raw.pixels = bytes
      raw.stride = UInt64(width) * UInt64(layout.format.bytesPerPixel)
      return raw
    }

    func begin(_ width: UInt32, _ height: UInt32) -> UInt32 {
      var frame = imgcoder_frame_info()
      frame.struct_size = UInt32(MemoryLayout<imgcoder_frame_info>.size)
      (frame.width, frame.height) = (width, height)
      frame.delay_denominator = 1
      var shape = pixels(nil, width, height)
      return rows.begin(writer, &frame, &shape)
    }

    func add(_ width: UInt32, _ height: UInt32, _ value: UInt8 = 7) -> UInt32 {
      let bytes = [UInt8](repeating: value, count: Int(width * height) * layout.format.bytesPerPixel)
      return bytes.withUnsafeBufferPointer {
        var view = pixels($0.baseAddress, width, height)
        return rows.add(writer, &view)
      }
    }

    func end() -> UInt32 { rows.end(writer) }
  }

  /// What the writer noted while `body` ran, on a canvas.
  private static func notes(_ width: Int, _ height: Int, _ body: (Calls) -> Void) throws -> String {
    let session = HostSession(source: nil, limits: .standard)
    let bytes = try session.output { (output) throws(CoderError) in
      let coder = noting.table
      let table = coder.pointee.writer.pointee
      var options = imgcoder_write_options()
      options.struct_size = UInt32(MemoryLayout<imgcoder_write_options>.size)
      var writer: OpaquePointer?
      guard table.open(coder, session.host.raw, output.raw, &options, &writer) == 0, let writer else {
        throw .libraryFailure("no writer")
      }
      defer { table.close(writer) }
      var info = imgcoder_info()
      info.struct_size = UInt32(MemoryLayout<imgcoder_info>.size)
      (info.width, info.height) = (UInt32(width), UInt32(height))
      info.pixel_format = PixelFormat.gray8.rawValue
      info.alpha = AlphaMode.opaque.rawValue
      info.bits_per_channel = 8
      info.orientation = 1
      (info.frame_count, info.page_count) = (1, 1)
      guard table.set_info(writer, &info) == 0 else { throw session.error(for: 1) }
      let rows = IMGCODER_EXTENSION_FRAME_ROWS.withCString { name -> UnsafeRawPointer? in
        table.get_extension(
          writer, imgcoder_string(bytes: name, length: UInt64(IMGCODER_EXTENSION_FRAME_ROWS.utf8.count)))
      }
      guard let rows else { throw .libraryFailure("no extension") }
      body(
        Calls(
          table: table, rows: rows.load(as: imgcoder_frame_rows_table.self), writer: writer, session: session))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let invalid = CoderError.Code.invalidArgument.rawValue
  private static let outOfOrder = CoderError.Code.outOfOrder.rawValue

  @Test func rowsArriveInTheirBands() throws {
    let notes = try Self.notes(4, 5) { calls in
      #expect(calls.begin(4, 5) == 0)
      #expect(calls.add(4, 2, 1) == 0)
      #expect(calls.add(4, 3, 2) == 0)
      #expect(calls.end() == 0)
    }
    #expect(notes == "begin 4×5 gray8;2 rows from 1;3 rows from 2;end;")
  }

  @Test func rowsOfAnotherAlphaAreRefused() throws {
    _ = try Self.notes(4, 5) { calls in
      var calls = calls
      calls.layout = PixelLayout(.rgba8, .straight)
      #expect(calls.begin(4, 5) == 0)
      calls.layout = PixelLayout(.rgba8, .opaque)
      #expect(calls.add(4, 2) == Self.invalid)
      let message = calls.session.error(for: Self.invalid).message
      #expect(message == "4×2 of opaque rgba8, 5 rows of 4 of straight rgba8 are left")
    }
  }

  @Test func aFrameThatIsNeededWholeIsUnsupported() throws {
    let notes = try Self.notes(3, 5) { calls in
      #expect(calls.begin(3, 5) == CoderError.Code.unsupported.rawValue)
    }
    #expect(notes == "")
  }

  @Test func noOtherRowsAreTaken() throws {
    let notes = try Self.notes(4, 5) { calls in
      #expect(calls.add(4, 1) == Self.outOfOrder)
      #expect(calls.end() == Self.outOfOrder)
      #expect(calls.begin(4, 6) == CoderError.Code.libraryFailure.rawValue)
      #expect(calls.begin(4, 5) == 0)
      #expect(calls.begin(4, 5) == Self.outOfOrder)
      #expect(calls.add(5, 1) == Self.invalid)
      #expect(calls.add(4, 6) == Self.invalid)
      #expect(calls.add(4, 4) == 0)
      #expect(calls.add(4, 2) == Self.invalid)
      #expect(calls.end() == Self.outOfOrder)
      #expect(calls.add(4, 1) == 0)
      #expect(calls.end() == 0)
      // One frame for each page.
      #expect(calls.begin(4, 5) == CoderError.Code.unsupported.rawValue)
    }
    #expect(notes == "begin 4×5 gray8;4 rows from 7;1 rows from 7;end;")
  }
}
