// SPDX-License-Identifier: Apache-2.0

import CDav1d
import Glibc
import ImageCoderPlugin

/// dav1d, for pictures that do not depend on each other. What it takes for one serves the next.
///
/// - Threads: One at a time. It starts none of its own.
final class AV1Decoder: @unchecked Sendable {
  // Unchecked: the thread that decodes with it is the only one that has it.
  private var context: OpaquePointer?
  private let memory = AV1PictureMemory()

  /// - Returns: nil if there is no memory for it.
  init?(maxPixels: Int) {
    var settings = Dav1dSettings()
    dav1d_default_settings(&settings)
    settings.n_threads = 1
    settings.max_frame_delay = 1
    settings.all_layers = 0
    settings.frame_size_limit = UInt32(clamping: maxPixels)
    settings.allocator = memory.allocator
    settings.logger.callback = nil
    guard dav1d_open(&context, &settings) == 0 else { return nil }
  }

  deinit { dav1d_close(&context) }

  /// Decodes the first picture of an item, by nothing but its own bytes.
  ///
  /// - Returns: nil where dav1d gives none.
  func decode(_ bytes: UnsafeRawBufferPointer) -> AV1Picture? {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return nil }
    var data = Dav1dData()
    guard dav1d_data_wrap(&data, start.assumingMemoryBound(to: UInt8.self), bytes.count, { _, _ in }, nil) == 0 else {
      return nil
    }
    defer {
      dav1d_data_unref(&data)
      // Neither headers nor references are left for the next item.
      dav1d_flush(context)
    }
    let picture = AV1Picture(memory)
    while true {
      let sent = data.data == nil ? 0 : dav1d_send_data(context, &data)
      guard sent == 0 || sent == -EAGAIN else { return nil }
      let isLast = data.data == nil
      let given = dav1d_get_picture(context, &picture.raw)
      if given == 0 { return picture }
      guard given == -EAGAIN, !isLast else { return nil }
    }
  }
}

/// A decoded picture, whose planes live as long as it.
final class AV1Picture {
  fileprivate var raw = Dav1dPicture()
  /// Where the planes are given back to, when the decoder may be gone.
  private let memory: AV1PictureMemory

  fileprivate init(_ memory: AV1PictureMemory) { self.memory = memory }

  deinit { dav1d_picture_unref(&raw) }

  var size: Size { Size(width: Int(raw.p.w), height: Int(raw.p.h)) }
  var bits: Int { Int(raw.p.bpc) }
  var layout: Dav1dPixelLayout { raw.p.layout }

  /// What the sequence header says of the colors (AV1 §5.5.2).
  struct Colors: Equatable {
    let isFullRange: Bool
    let primaries: UInt32
    let transfer: UInt32
    let matrix: UInt32
  }

  var colors: Colors {
    let header = raw.seq_hdr.pointee
    return Colors(
      isFullRange: header.color_range != 0, primaries: header.pri.rawValue, transfer: header.trc.rawValue,
      matrix: header.mtrx.rawValue)
  }

  /// - Parameter index: 0 for luma, 1 and 2 for chroma.
  /// - Returns: nil for chroma of a picture without.
  func plane(_ index: Int) -> StillPlanes.Plane? {
    let base =
      switch index {
      case 0: raw.data.0
      case 1: raw.data.1
      default: raw.data.2
      }
    return base.map { StillPlanes.Plane(base: $0, stride: index == 0 ? raw.stride.0 : raw.stride.1) }
  }
}

/// Memory for dav1d's pictures. The block of one that is not shown any more is the next one's.
private final class AV1PictureMemory: @unchecked Sendable {
  // Unchecked: as the decoder's, and the owner of the decoder releases a picture.
  private var spare: (block: UnsafeMutableRawPointer, bytes: Int)?

  deinit { free(spare?.block) }

  /// dav1d keeps what it points to until the last picture is gone.
  var allocator: Dav1dPicAllocator {
    Dav1dPicAllocator(
      cookie: Unmanaged.passUnretained(self).toOpaque(),
      alloc_picture_callback: { picture, cookie in
        guard let picture, let cookie else { return -EINVAL }
        let memory = Unmanaged<AV1PictureMemory>.fromOpaque(cookie).takeUnretainedValue()
        return memory.provide(&picture.pointee) ? 0 : -ENOMEM
      },
      release_picture_callback: { picture, cookie in
        guard let picture, let cookie else { return }
        Unmanaged<AV1PictureMemory>.fromOpaque(cookie).takeUnretainedValue().takeBack(picture.pointee)
      })
  }

  /// Blocks of at least this size are on huge pages: to fault small ones costs a sixth of decoding.
  private static let hugeThreshold = 2 << 20
  private static let hugePage = 2 << 20
  /// dav1d reads and writes whole vectors, and blocks of 128 × 128.
  private static let vector = Int(DAV1D_PICTURE_ALIGNMENT)
  private static let block = 128

  private func provide(_ picture: inout Dav1dPicture) -> Bool {
    let sample = picture.p.bpc > 8 ? 2 : 1
    func rounded(_ side: Int32) -> Int { (Int(side) + Self.block - 1) / Self.block * Self.block }
    // Rows a power of two apart would share the same few lines of a cache.
    func stride(_ bytes: Int) -> Int { bytes % 1024 == 0 ? bytes + Self.vector : bytes }
    let (width, height) = (rounded(picture.p.w) * sample, rounded(picture.p.h))
    let luma = stride(width)
    var (chroma, chromaHeight) = (0, 0)
    switch picture.p.layout {
    case DAV1D_PIXEL_LAYOUT_I400: break
    case DAV1D_PIXEL_LAYOUT_I420: (chroma, chromaHeight) = (stride(width / 2), height / 2)
    case DAV1D_PIXEL_LAYOUT_I422: (chroma, chromaHeight) = (stride(width / 2), height)
    default: (chroma, chromaHeight) = (luma, height)
    }
    let bytes = luma * height + 2 * chroma * chromaHeight + Self.vector
    guard let base = take(bytes) else { return false }
    picture.data.0 = base
    picture.data.1 = chroma == 0 ? nil : base + luma * height
    picture.data.2 = chroma == 0 ? nil : base + luma * height + chroma * chromaHeight
    picture.stride = (luma, chroma)
    picture.allocator_data = UnsafeMutableRawPointer(bitPattern: bytes)
    return true
  }

  private func take(_ bytes: Int) -> UnsafeMutableRawPointer? {
    if let spare, spare.bytes == bytes {
      self.spare = nil
      return spare.block
    }
    let isHuge = bytes >= Self.hugeThreshold
    var block: UnsafeMutableRawPointer?
    guard posix_memalign(&block, isHuge ? Self.hugePage : Self.vector, bytes) == 0 else { return nil }
    // Advice that is refused changes nothing but speed.
    if isHuge { _ = madvise(block, bytes, MADV_HUGEPAGE) }
    return block
  }

  private func takeBack(_ picture: Dav1dPicture) {
    guard let block = picture.data.0 else { return }
    free(spare?.block)
    spare = (block, Int(bitPattern: picture.allocator_data))
  }
}
