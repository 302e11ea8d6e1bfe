// SPDX-License-Identifier: Apache-2.0

import CAVIF
import ImageCoderPlugin

/// The bytes that libavif reads: the file's, with one box replaced where that is needed.
///
/// - Lifetime: Longer than the decoder that reads it; the file's bytes live as long as the session.
final class DecoderInput {
  /// What libavif calls.
  let io: UnsafeMutablePointer<avifIO>
  private let state: UnsafeMutablePointer<State>

  fileprivate struct State {
    let file: UnsafeRawBufferPointer
    /// Whether what is behind the end is on its way: libavif then decodes what is there.
    let isCut: Bool
    let replaced: Range<Int>
    let replacement: UnsafeMutableRawBufferPointer
  }

  /// A change of 32 bits or fewer.
  struct Patch {
    let offset: Int
    let bytes: [UInt8]
  }

  /// How much more than its bytes a cut file may claim, which bounds what libavif takes to join parts of an item.
  private static let claim = 1 << 24

  /// - Parameters:
  ///   - claimedEnd: Where the last box ends.
  ///   - patches: Changes inside `box`, which is copied for them.
  init(_ file: UnsafeRawBufferPointer, claimedEnd: Int, patches: [Patch] = [], in box: Box? = nil) {
    let range = box.map { $0.start..<min($0.end, file.count) } ?? 0..<0
    let replaced = patches.isEmpty ? 0..<0 : range
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: replaced.count, alignment: 1)
    copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: file[replaced]))
    for patch in patches {
      for (index, byte) in patch.bytes.enumerated() where replaced.contains(patch.offset + index) {
        copy[patch.offset + index - replaced.lowerBound] = byte
      }
    }
    state = .allocate(capacity: 1)
    state.initialize(
      to: State(file: file, isCut: claimedEnd > file.count, replaced: replaced, replacement: copy))
    io = .allocate(capacity: 1)
    io.initialize(to: avifIO())
    io.pointee.data = UnsafeMutableRawPointer(state)
    io.pointee.persistent = AVIF_TRUE
    let most = file.count.addingReportingOverflow(Self.claim)
    io.pointee.sizeHint = UInt64(
      claimedEnd > file.count
        ? min(claimedEnd, most.overflow ? .max : most.partialValue)
        : file.count)
    io.pointee.read = { io, flags, offset, size, out in
      guard let state = io?.pointee.data?.assumingMemoryBound(to: State.self), let out, flags == 0 else {
        return AVIF_RESULT_IO_ERROR
      }
      return state.pointee.show(size, at: offset, in: out)
    }
  }

  deinit {
    state.pointee.replacement.deallocate()
    state.deallocate()
    io.deallocate()
  }
}

extension DecoderInput.State {
  /// libavif looks for headers of boxes with reads of this size, which may be short at the end.
  private static var headerSize: Int { 32 }

  func show(_ size: Int, at offset: UInt64, in out: UnsafeMutablePointer<avifROData>) -> avifResult {
    guard let start = Int(exactly: offset), start <= file.count else {
      return isCut ? AVIF_RESULT_WAITING_ON_IO : AVIF_RESULT_IO_ERROR
    }
    let available = min(size, file.count - start)
    guard available == size || !isCut || size <= Self.headerSize else { return AVIF_RESULT_WAITING_ON_IO }
    let base =
      replaced.contains(start) && start + available <= replaced.upperBound
      ? UnsafeRawPointer(replacement.baseAddress).map { $0 + (start - replaced.lowerBound) }
      : file.baseAddress.map { $0 + start }
    out.pointee.data = base?.assumingMemoryBound(to: UInt8.self)
    out.pointee.size = available
    return AVIF_RESULT_OK
  }
}
