// SPDX-License-Identifier: Apache-2.0

import CAVIF
import ISOBaseMediaFile
import ImageCoderPlugin

/// The bytes that libavif reads: the file's, with a box and the last box's header replaced where that is needed.
///
/// Of an incomplete file, a read waits for its bytes, unless ``isPatient`` says otherwise.
///
/// - Lifetime: Longer than the decoder that reads it; the file's bytes live as long as the session.
final class DecoderInput {
  /// What libavif calls.
  let io: UnsafeMutablePointer<avifIO>
  private let state: UnsafeMutablePointer<State>
  private let host: CoderHost

  fileprivate struct State {
    let file: UnsafeRawBufferPointer
    /// Whether bytes follow those that were not read: who asks for them is refused, and all of the file is read.
    let isPartial: Bool
    /// Where bytes after those of `file` come from, or nil when that is all.
    let source: SourceView?
    var isPatient = true
    /// Where the first bytes that were missing end.
    var missing = Int.max
    var failure: CoderError?
    /// Whether bytes are missing at the end: libavif then decodes what is there.
    let isCut: Bool
    /// Parts of the file of which libavif reads a changed copy, when a read lies in one.
    var replacements: [(range: Range<Int>, copy: UnsafeMutableRawBufferPointer)] = []
  }

  /// - Parameter patches: Changes inside `box`, which is copied for them.
  init(_ whole: AVIFFile, patches: [Patch] = [], in box: Box? = nil, host: CoderHost) throws(CoderError) {
    self.host = host
    let (file, claimedEnd) = (whole.bytes.raw, whole.claimedEnd)
    let fileEnd = whole.isPartial ? whole.bytes.end : file.count
    let source = whole.incremental?.source
    state = .allocate(capacity: 1)
    state.initialize(
      to: State(
        file: file, isPartial: whole.isPartial, source: source, isCut: source != nil || claimedEnd > fileEnd))
    io = .allocate(capacity: 1)
    io.initialize(to: avifIO())
    io.pointee.data = UnsafeMutableRawPointer(state)
    // The bytes of an incomplete file move when more of them are received, and their number is not known.
    io.pointee.persistent = source == nil ? AVIF_TRUE : AVIF_FALSE
    let most = fileEnd.addingReportingOverflow(AVIFFile.claim)
    io.pointee.sizeHint = UInt64(
      source != nil
        ? 0
        : claimedEnd > fileEnd
          ? min(claimedEnd, most.overflow ? .max : most.partialValue)
          : fileEnd)
    io.pointee.read = { io, flags, offset, size, out in
      guard let state = io?.pointee.data?.assumingMemoryBound(to: State.self), let out, flags == 0 else {
        return AVIF_RESULT_IO_ERROR
      }
      return state.pointee.show(size, at: offset, in: out)
    }
    if let box, !patches.isEmpty { try replace(box.start..<min(box.end, file.count), of: file, patches) }
    if let open = whole.openBox, let patch = AVIFFile.sizePatch(open) {
      try replace(open.start..<min(open.start + State.headerSize, file.count), of: file, [patch])
    }
  }

  private func replace(
    _ range: Range<Int>, of file: UnsafeRawBufferPointer, _ patches: [Patch]
  ) throws(CoderError) {
    let copy = UnsafeMutableRawBufferPointer(
      start: try host.allocate(bytes: max(1, range.count), for: "a changed box"), count: range.count)
    copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: file[range]))
    for patch in patches {
      for (index, byte) in patch.bytes.enumerated() where range.contains(patch.place + index) {
        copy[patch.place + index - range.lowerBound] = byte
      }
    }
    state.pointee.replacements.append((range, copy))
  }

  deinit {
    for replacement in state.pointee.replacements { host.free(replacement.copy.baseAddress) }
    state.deinitialize(count: 1)
    state.deallocate()
    io.deallocate()
  }
}

extension DecoderInput {
  /// Whether reads wait for bytes that are not there yet.
  var isPatient: Bool {
    get { state.pointee.isPatient }
    set { state.pointee.isPatient = newValue }
  }

  /// Why the source gave no bytes, when it did not.
  var failure: CoderError? { state.pointee.failure }

  /// Whether a read failed for bytes that may still come.
  var isWaiting: Bool { state.pointee.missing < .max && state.pointee.source?.size == .max }

  /// Waits for the first bytes that a read missed.
  ///
  /// - Returns: Whether they are there.
  func waitForMissing() throws(CoderError) -> Bool {
    guard let source = state.pointee.source, isWaiting else { return false }
    let missing = state.pointee.missing
    state.pointee.missing = .max
    return try source.view(at: missing - 1, least: 1, most: 1).count > 0
  }
}

extension DecoderInput.State {
  /// libavif looks for headers of boxes with reads of this size, which may be short at the end.
  fileprivate static var headerSize: Int { 32 }

  mutating func show(_ size: Int, at offset: UInt64, in out: UnsafeMutablePointer<avifROData>) -> avifResult {
    if let source, let start = Int(exactly: offset), start > file.count || size > file.count - start {
      do throws(CoderError) {
        return try show(size, at: start, of: source, in: out)
      } catch {
        failure = error
        return AVIF_RESULT_IO_ERROR
      }
    }
    guard let start = Int(exactly: offset), start <= file.count else {
      return isCut ? AVIF_RESULT_WAITING_ON_IO : AVIF_RESULT_IO_ERROR
    }
    let available = min(size, file.count - start)
    guard available == size || !isPartial else { return AVIF_RESULT_IO_ERROR }
    guard available == size || !isCut || size <= Self.headerSize else { return AVIF_RESULT_WAITING_ON_IO }
    let changed = replacements.first { $0.range.contains(start) && start + available <= $0.range.upperBound }
    let base =
      if let changed {
        UnsafeRawPointer(changed.copy.baseAddress).map { $0 + (start - changed.range.lowerBound) }
      } else {
        file.baseAddress.map { $0 + start }
      }
    out.pointee.data = base?.assumingMemoryBound(to: UInt8.self)
    out.pointee.size = available
    return AVIF_RESULT_OK
  }

  private mutating func show(
    _ size: Int, at start: Int, of source: SourceView, in out: UnsafeMutablePointer<avifROData>
  ) throws(CoderError) -> avifResult {
    let end = start.addingReportingOverflow(size)
    if !isPatient, source.size == .max {
      let available = try source.view(at: 0, least: 0, most: .max).count
      guard !end.overflow, end.partialValue <= available else {
        missing = min(missing, end.overflow ? .max - 1 : end.partialValue)
        return AVIF_RESULT_WAITING_ON_IO
      }
    }
    let bytes = try source.view(at: start, count: size)
    guard bytes.count == size || size <= Self.headerSize else { return AVIF_RESULT_WAITING_ON_IO }
    out.pointee.data = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    out.pointee.size = bytes.count
    return AVIF_RESULT_OK
  }
}
