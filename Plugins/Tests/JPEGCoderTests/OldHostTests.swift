// SPDX-License-Identifier: Apache-2.0

import CJPEGShim
import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JPEGCoder

/// A host from before `view_available`: whoever calls it goes through a null pointer.
@Suite struct OldHostTests {
  /// 16×8 pixels of gray 200.
  private static func file(isProgressive: Bool) throws -> [UInt8] {
    let memory = MemoryHost()
    let output = MemoryOutput()
    let options = cjpeg_encode_options(
      width: 16, height: 8, pixel_format: PixelFormat.gray8.rawValue, quality: 100, horizontal: 1, vertical: 1,
      effort: CJPEG_EFFORT_FAST, is_progressive: isProgressive ? 1 : 0, is_optimized: 0, counted_bytes: 0,
      may_be_gray: 0, restart_rows: 0, is_thumbnail: 0, density_unit: 0, density_x: 0, density_y: 0, segments: nil,
      segments_length: 0)
    var samples = [UInt8](repeating: 200, count: 16 * 8)
    try samples.withUnsafeMutableBytes { bytes in
      let base = try #require(bytes.baseAddress)
      let pixels = PixelView(
        layout: PixelLayout(.gray8, .opaque), size: Size(width: 16, height: 8), base: UnsafeRawPointer(base), stride: 16
      )
      try LibJPEG.encode(pixels, options: options, segments: [], to: output.output, host: memory.host)
    }
    return output.bytes
  }

  @Test(arguments: [false, true], [MemorySource.Kind.complete, .incremental, .ofOldHost, .incrementalOfOldHost])
  func decodes(_ isProgressive: Bool, _ kind: MemorySource.Kind) throws {
    let source = MemorySource(try Self.file(isProgressive: isProgressive), kind)
    let memory = MemoryHost()
    let reader = try JPEGReader(source.view, host: memory.host, options: [.incremental])
    let offer = try reader.offer(for: DecodeRequest())
    let sink = MemorySink(offer)
    try reader.decode(offer, into: sink.sink)
    #expect(sink.pixels == [UInt8](repeating: 200, count: 16 * 8))
  }
}
