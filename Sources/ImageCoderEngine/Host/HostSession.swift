// SPDX-License-Identifier: Apache-2.0

package import CImageCoder
import CImageCoderStructs
import Glibc
package import ImageCoderModel
import Synchronization

/// A flag that stops work. It may be set from any thread.
public final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)

  /// Makes a flag that is not set. One flag may stop several decodes and encodes.
  public init() {}

  /// Asks all work that uses this flag to stop.
  public func cancel() { flag.store(true, ordering: .relaxed) }

  /// Whether ``cancel()`` was called. Once true, it stays true.
  public var isCancelled: Bool { flag.load(ordering: .relaxed) }
}

/// The host's side of one session: what a reader or writer is handed, and what it reports.
///
/// Owns the C structs that the session sees; they live as long as this object.
///
/// - Threads: One at a time, as the session.
package final class HostSession {
  /// What a reader or writer in Swift sees.
  package var host: CoderHost { CoderHost(UnsafePointer(structs.host)) }
  /// The bytes that are read. Empty for a writer.
  package var view: SourceView { SourceView(UnsafePointer(structs.source)) }
  package let limits: Limits

  /// What the session's messages go to, or nil for nowhere.
  let log: (@Sendable (LogSeverity, String) -> Void)?
  let source: OpenSource?
  /// Called with the completed share of the current call, 0 to 1.
  let progress: (@Sendable (Double) -> Void)?

  private let cancellation: Cancellation?
  private let structs: Structs
  private var failure: CoderError?
  /// Why the file that is written takes no more bytes. Whatever the writer says after that comes from it.
  var outputFailure: CoderError?
  private let used = Atomic<Int>(0)

  /// C structs in memory that does not move.
  private struct Structs {
    let host = UnsafeMutablePointer<imgcoder_host>.allocate(capacity: 1)
    let limits = UnsafeMutablePointer<imgcoder_limits>.allocate(capacity: 1)
    let source = UnsafeMutablePointer<imgcoder_source>.allocate(capacity: 1)
  }

  /// - Parameters:
  ///   - source: What is read, or nil for a writer.
  ///   - cancellation: Stops the session's work, or nil.
  ///   - log: Receives the session's messages from any thread.
  ///   - progress: Called with the completed share of the current call, on the session's thread.
  package init(
    source: OpenSource?, limits: Limits, cancellation: Cancellation? = nil,
    log: (@Sendable (LogSeverity, String) -> Void)? = nil, progress: (@Sendable (Double) -> Void)? = nil
  ) {
    self.source = source
    self.limits = limits
    self.cancellation = cancellation
    self.log = log
    self.progress = progress
    structs = Structs()
    structs.limits.initialize(to: limits.raw)
    structs.source.initialize(to: imgcoder_source_sized())
    structs.host.initialize(to: imgcoder_host())
    let context = Unmanaged.passUnretained(self).toOpaque()
    structs.source.pointee.context = context
    structs.source.pointee.size = Self.size(of: source)
    structs.source.pointee.view = HostCalls.view
    structs.source.pointee.view_available = HostCalls.viewAvailable
    structs.host.pointee = HostCalls.makeTable()
    structs.host.pointee.context = context
    structs.host.pointee.limits = UnsafePointer(structs.limits)
  }

  deinit {
    structs.host.deallocate()
    structs.limits.deallocate()
    structs.source.deallocate()
  }

  /// Tells the reader the size of a source whose last byte has arrived.
  package func updateSize() { structs.source.pointee.size = Self.size(of: source) }

  private static func size(of source: OpenSource?) -> UInt64 {
    guard let source else { return 0 }
    return source.isComplete ? UInt64(source.size) : .max
  }

  /// The error of a call that returned `status`: what the session recorded, or a general sentence.
  package func error(for status: imgcoder_status) -> CoderError {
    defer { failure = nil }
    // Results are no errors; a plugin that gives one where none is due breaks the interface.
    guard status >= CoderError.Code.wrongFormat.rawValue else {
      return .library("the coder returned status \(status), which this call does not define")
    }
    if let outputFailure { return outputFailure }
    if let failure, failure.code.rawValue == status { return failure }
    if status == CoderError.Code.cancelled.rawValue { return .cancelled }
    // A reader passes on what its sink or source returned; the record of that call explains more than a number does.
    return failure ?? CoderError(code: CoderError.Code(rawValue: status), message: "the coder gives no reason")
  }

  /// Forgets what an earlier call recorded.
  package func clearError() { failure = nil }

  func record(_ error: CoderError) { failure = error }

  var isCancelled: Bool { cancellation?.isCancelled ?? false }

  /// Each block is preceded by its whole size and the width of this prefix, so that giving it back can be counted.
  private struct BlockPrefix {
    var span: Int
    var total: Int
  }

  func allocate(_ size: Int, alignment: Int) -> UnsafeMutableRawPointer? {
    guard size >= 0, alignment <= 4096, alignment & (alignment - 1) == 0, size <= limits.maxMemory else { return nil }
    let span = max(alignment, MemoryLayout<BlockPrefix>.size)
    let total = size + span
    guard used.load(ordering: .relaxed) <= limits.maxMemory - size else { return nil }
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, span, total) == 0, let memory else { return nil }
    used.add(total, ordering: .relaxed)
    let block = memory + span
    (block - MemoryLayout<BlockPrefix>.size).storeBytes(of: BlockPrefix(span: span, total: total), as: BlockPrefix.self)
    return block
  }

  func release(_ block: UnsafeMutableRawPointer) {
    let prefix = (block - MemoryLayout<BlockPrefix>.size).load(as: BlockPrefix.self)
    used.subtract(prefix.total, ordering: .relaxed)
    free(block - prefix.span)
  }
}
