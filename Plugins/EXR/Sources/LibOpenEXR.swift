// SPDX-License-Identifier: Apache-2.0

import CEXRShim
import COpenEXR
import ImageCoderPlugin

/// Decompresses chunks with OpenEXR's libraries: that in C, and that in C++ for DWA, which the former does not have, and for
/// PIZ, which takes the former twice as long.
///
/// The libraries never see a file: they get a small header in memory that says how chunks are compressed and which channels they
/// have, and the bytes of one chunk at a time.
///
/// - Threads: Any, several at a time.
final class ChunkDecompressor: @unchecked Sendable {
  // The library changes nothing of a context while it decodes. Nil for PIZ and DWA.
  private let context: exr_context_t?
  private let channels: [Channel]
  private let compression: Compression

  /// What the library says of itself: `openexr 3.1.5`.
  static var libraryName: String {
    var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
    exr_get_library_version(&major, &minor, &patch, nil)
    return "openexr \(major).\(minor).\(patch)"
  }

  /// - Parameter chunk: The size of the largest chunk.
  init(_ channels: [Channel], compression: Compression, chunk: Size) throws(CoderError) {
    self.channels = channels
    self.compression = compression
    guard ![.piz, .dwaa, .dwab].contains(compression) else {
      context = nil
      return
    }
    context = try Self.context(ChunkFile.header(channels, compression: compression, size: chunk))
  }

  deinit {
    guard var closed = context else { return }
    _ = withUnsafeMutablePointer(to: &closed) {
      $0.withMemoryRebound(to: exr_context_t?.self, capacity: 1) { exr_finish($0) }
    }
  }

  private static func context(_ header: [UInt8]) throws(CoderError) -> exr_context_t {
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
      let text = exr_get_default_error_message(status).map { String(cString: $0) } ?? "status \(status)"
      throw .libraryFailure("openexr takes no chunks of these channels: \(text)")
    }
    return found
  }

  private static func bytes(_ stored: UnsafeMutableRawPointer?) -> UnsafeRawBufferPointer? {
    stored?.assumingMemoryBound(to: UnsafeRawBufferPointer.self).pointee
  }

  /// Bytes that a library needs for a chunk beside the chunk itself: buffers of its own size, tables of Huffman codes.
  static func scratch(chunkBytes: Int) -> Int { 4 * chunkBytes + (1 << 20) }

  /// Decompresses a chunk.
  ///
  /// - Parameters:
  ///   - packed: What the file has. The library writes nothing there.
  ///   - size: Columns and rows of the chunk.
  ///   - firstRow: The chunk's place in the picture; only subsampled channels make a difference.
  ///   - target: As many bytes as the chunk has.
  /// - Returns: Whether all went well.
  func decompress(
    _ packed: UnsafeMutableRawBufferPointer, size: Size, firstRow: Int, to target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard let context else { return decompressFile(UnsafeRawBufferPointer(packed), size: size, to: target) }
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
    guard status == 0 else { return false }
    status = exr_decoding_choose_default_routines(context, 0, &pipeline)
    guard status == 0 else { return false }
    pipeline.read_fn = { _ in 0 }
    pipeline.unpack_and_convert_fn = nil
    pipeline.packed_buffer = packed.baseAddress
    pipeline.packed_alloc_size = 0
    pipeline.unpacked_buffer = target.baseAddress
    pipeline.unpacked_alloc_size = target.count
    status = exr_decoding_run(context, 0, &pipeline)
    // A library that decompressed into memory of its own is not one that is known here.
    return status == 0 && pipeline.unpacked_buffer == target.baseAddress
  }

  private func decompressFile(
    _ packed: UnsafeRawBufferPointer, size: Size, to target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let file = ChunkFile.file(channels, compression: compression, size: size, packed: packed)
    var names: [UInt8] = []
    let starts = channels.map { channel in
      defer { names += Array(channel.name.utf8) + [0] }
      return names.count
    }
    return names.withUnsafeBytes { names in
      let list = zip(channels, starts).map { channel, start in
        cexr_channel(
          name: names.baseAddress.map { ($0 + start).assumingMemoryBound(to: CChar.self) },
          type: UInt32(channel.type.rawValue), x: UInt32(channel.sampling.width), y: UInt32(channel.sampling.height))
      }
      return cexr_decompress(
        file, file.count, list, UInt32(list.count), UInt32(size.width), UInt32(size.height),
        target.baseAddress?.assumingMemoryBound(to: UInt8.self), target.count) == 1
    }
  }
}

/// Files that hold one chunk.
///
/// - Format: OpenEXR File Layout.
private enum ChunkFile {
  private static func number(_ value: Int) -> [UInt8] {
    withUnsafeBytes(of: Int32(clamping: value).littleEndian) { Array($0) }
  }

  /// A header of one part of scan lines, or of one tile, whose window is as large as the chunk.
  static func header(_ channels: [Channel], compression: Compression, size: Size, isTile: Bool = false) -> [UInt8] {
    // Version 2, with long names.
    var bytes: [UInt8] = [0x76, 0x2F, 0x31, 0x01, 2, isTile ? 6 : 4, 0, 0]
    func add(_ name: String, type: String, _ value: [UInt8]) {
      bytes += Array(name.utf8) + [0] + Array(type.utf8) + [0] + number(value.count) + value
    }
    var list: [UInt8] = []
    for channel in channels {
      // DWA goes by names.
      list += Array(channel.name.utf8) + [0] + number(channel.type.rawValue)
      list += [channel.isPerceptuallyLinear ? 1 : 0, 0, 0, 0]
      list += number(channel.sampling.width) + number(channel.sampling.height)
    }
    let window = number(0) + number(0) + number(size.width - 1) + number(size.height - 1)
    let one: [UInt8] = [0, 0, 0x80, 0x3F]
    add("channels", type: "chlist", list + [0])
    add("compression", type: "compression", [UInt8(compression.rawValue)])
    add("dataWindow", type: "box2i", window)
    add("displayWindow", type: "box2i", window)
    add("lineOrder", type: "lineOrder", [0])
    add("pixelAspectRatio", type: "float", one)
    add("screenWindowCenter", type: "v2f", [UInt8](repeating: 0, count: 8))
    add("screenWindowWidth", type: "float", one)
    if isTile { add("tiles", type: "tiledesc", number(size.width) + number(size.height) + [0]) }
    return bytes + [0]
  }

  /// A file of one chunk. Tiles may have more rows than chunks of scan lines, and no subsampled channels.
  static func file(
    _ channels: [Channel], compression: Compression, size: Size, packed: UnsafeRawBufferPointer
  ) -> [UInt8] {
    let isTile = size.height > compression.rows
    var bytes = header(channels, compression: compression, size: size, isTile: isTile)
    let table = withUnsafeBytes(of: UInt64(bytes.count + 8).littleEndian) { Array($0) }
    bytes += table + [UInt8](repeating: 0, count: isTile ? 16 : 4) + number(packed.count)
    bytes.append(contentsOf: packed)
    return bytes
  }
}
