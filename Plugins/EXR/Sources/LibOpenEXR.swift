// SPDX-License-Identifier: Apache-2.0

import COpenEXR
import ImageCoderPlugin

/// Decompresses chunks with OpenEXRCore.
///
/// The library never sees a file: it gets a small header in memory that says how chunks are compressed and which channels they
/// have, and the bytes of one chunk at a time.
///
/// - Threads: Any, several at a time.
final class ChunkDecompressor: @unchecked Sendable {
  // The library changes nothing of a context while it decodes.
  private let context: exr_context_t
  private let compression: Compression

  /// What the library says of itself: `openexr 3.1.5`.
  static var libraryName: String {
    var numbers: (Int32, Int32, Int32) = (0, 0, 0)
    exr_get_library_version(&numbers.0, &numbers.1, &numbers.2, nil)
    return "openexr \(numbers.0).\(numbers.1).\(numbers.2)"
  }

  /// - Parameter chunk: The size of the largest chunk.
  init(_ channels: [Channel], compression: Compression, chunk: Size) throws(CoderError) {
    self.compression = compression
    let header = Self.header(channels, compression: compression, chunk: chunk)
    var found: exr_context_t?
    let status = header.withUnsafeBytes { bytes in
      var bytes = bytes
      return withUnsafeMutablePointer(to: &bytes) { stored in
        var setup = exr_context_initializer_t()
        setup.size = MemoryLayout<exr_context_initializer_t>.size
        setup.zip_level = -1
        setup.dwa_quality = -1
        setup.user_data = UnsafeMutableRawPointer(stored)
        // Without a handler, messages go to standard error.
        setup.error_handler_fn = { _, _, _ in }
        setup.size_fn = { _, stored in Int64(ChunkDecompressor.bytes(stored)?.count ?? 0) }
        setup.read_fn = { _, stored, target, count, offset, _ in
          guard let bytes = ChunkDecompressor.bytes(stored), let target, offset <= UInt64(bytes.count) else {
            return -1
          }
          let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(Int(offset)).prefix(Int(clamping: count)))
          UnsafeMutableRawBufferPointer(start: target, count: rest.count).copyMemory(from: rest)
          return Int64(rest.count)
        }
        return exr_start_read(&found, "chunks", &setup)
      }
    }
    guard status == 0, let found else {
      throw .libraryFailure("openexr cannot be set up for \(compression.name): \(Self.text(of: status))")
    }
    context = found
  }

  deinit {
    var closed: exr_context_t? = context
    exr_finish(&closed)
  }

  private static func bytes(_ stored: UnsafeMutableRawPointer?) -> UnsafeRawBufferPointer? {
    stored?.assumingMemoryBound(to: UnsafeRawBufferPointer.self).pointee
  }

  /// What a status means.
  static func text(of status: exr_result_t) -> String {
    exr_get_default_error_message(status).map { String(cString: $0) } ?? "status \(status)"
  }

  /// Bytes that the library needs for a chunk beside the chunk itself: buffers of its own size, tables of Huffman codes.
  static func scratch(chunkBytes: Int) -> Int { 3 * chunkBytes + (1 << 20) }

  /// Decompresses a chunk.
  ///
  /// - Parameters:
  ///   - packed: What the file has. The library writes nothing there.
  ///   - size: Columns and rows of the chunk.
  ///   - firstRow: The chunk's place in the picture; only subsampled channels make a difference.
  ///   - target: As many bytes as the chunk has.
  /// - Returns: The library's status: 0 if all went well.
  func decompress(
    _ packed: UnsafeMutableRawBufferPointer, size: Size, firstRow: Int, to target: UnsafeMutableRawBufferPointer
  ) -> exr_result_t {
    var chunk = exr_chunk_info_t()
    chunk.start_y = Int32(clamping: firstRow)
    chunk.width = Int32(clamping: size.width)
    chunk.height = Int32(clamping: size.height)
    chunk.type = UInt8(EXR_STORAGE_SCANLINE.rawValue)
    chunk.compression = UInt8(compression.rawValue)
    chunk.packed_size = UInt64(packed.count)
    chunk.unpacked_size = UInt64(target.count)
    var pipeline = exr_decode_pipeline_t()
    var status = exr_decoding_initialize(context, 0, &chunk, &pipeline)
    defer {
      // The buffers are not the library's.
      pipeline.packed_buffer = nil
      pipeline.packed_alloc_size = 0
      if pipeline.unpacked_buffer == target.baseAddress { pipeline.unpacked_buffer = nil }
      if pipeline.unpacked_buffer == nil { pipeline.unpacked_alloc_size = 0 }
      exr_decoding_destroy(context, &pipeline)
    }
    guard status == 0 else { return status }
    status = exr_decoding_choose_default_routines(context, 0, &pipeline)
    guard status == 0 else { return status }
    pipeline.read_fn = { _ in 0 }
    pipeline.unpack_and_convert_fn = nil
    pipeline.packed_buffer = packed.baseAddress
    pipeline.packed_alloc_size = 0
    pipeline.unpacked_buffer = target.baseAddress
    pipeline.unpacked_alloc_size = target.count
    status = exr_decoding_run(context, 0, &pipeline)
    // A library that decompressed into memory of its own is not one that is known here.
    return status == 0 && pipeline.unpacked_buffer != target.baseAddress ? -1 : status
  }

  /// A header of one part of scan lines, as large as a chunk.
  private static func header(_ channels: [Channel], compression: Compression, chunk: Size) -> [UInt8] {
    var bytes: [UInt8] = [0x76, 0x2F, 0x31, 0x01, 2, 4, 0, 0]
    func number(_ value: Int) -> [UInt8] { withUnsafeBytes(of: Int32(clamping: value).littleEndian) { Array($0) } }
    func add(_ name: String, _ type: String, _ value: [UInt8]) {
      bytes += Array(name.utf8) + [0] + Array(type.utf8) + [0] + number(value.count) + value
    }
    var list: [UInt8] = []
    for channel in channels {
      // DWA goes by names.
      list += Array(channel.name.utf8) + [0] + number(channel.type.rawValue)
      list += [channel.isPerceptuallyLinear ? 1 : 0, 0, 0, 0]
      list += number(channel.sampling.width) + number(channel.sampling.height)
    }
    let window = number(0) + number(0) + number(chunk.width - 1) + number(chunk.height - 1)
    let one: [UInt8] = [0, 0, 0x80, 0x3F]
    add("channels", "chlist", list + [0])
    add("compression", "compression", [UInt8(compression.rawValue)])
    add("dataWindow", "box2i", window)
    add("displayWindow", "box2i", window)
    add("lineOrder", "lineOrder", [0])
    add("pixelAspectRatio", "float", one)
    add("screenWindowCenter", "v2f", [UInt8](repeating: 0, count: 8))
    add("screenWindowWidth", "float", one)
    return bytes + [0]
  }
}
