// SPDX-License-Identifier: Apache-2.0

package import CImageCoder
import CImageCoderStructs
import Glibc
package import ImageCoderModel

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
  package let source: OpenSource?
  /// Called with the completed share of the current call, 0 to 1.
  let progress: (@Sendable (Double) -> Void)?

  /// What will be asked for as soon as the file is open, or nil where that is not known.
  package var expected: ExpectedPicture?

  private let cancellation: Cancellation?
  /// What a call may take; shared with the sessions of files in the file.
  let budget: CallBudget
  private let structs: Structs
  private var failure: CoderError?
  /// Why the file that is written takes no more bytes. Whatever the writer says after that comes from it.
  var outputFailure: CoderError?
  /// The error of the source, or of the limit of inflated bytes. Later errors of the reader are consequences of it.
  var sourceFailure: CoderError?
  private let blocks = Lock(HostBlocks())

  /// C structs in memory that does not move, in one block, because every file has a session.
  private struct Structs {
    let host: UnsafeMutablePointer<imgcoder_host>
    let limits: UnsafeMutablePointer<imgcoder_limits>
    let source: UnsafeMutablePointer<imgcoder_source>

    init(_ limits: Limits) {
      // A stride is a multiple of eight, and no struct asks for more.
      let sizes = (MemoryLayout<imgcoder_host>.stride, MemoryLayout<imgcoder_limits>.stride)
      let block = UnsafeMutableRawPointer.allocate(
        byteCount: sizes.0 + sizes.1 + MemoryLayout<imgcoder_source>.stride, alignment: 8)
      host = block.initializeMemory(as: imgcoder_host.self, to: HostCalls.table)
      self.limits = (block + sizes.0).initializeMemory(as: imgcoder_limits.self, to: limits.raw)
      source = (block + sizes.0 + sizes.1).initializeMemory(as: imgcoder_source.self, to: imgcoder_source_sized())
    }

    func deallocate() { UnsafeMutableRawPointer(host).deallocate() }
  }

  /// - Parameters:
  ///   - source: What is read, or nil for a writer.
  ///   - cancellation: Stops the session's work, or nil.
  ///   - log: Receives the session's messages from any thread.
  ///   - progress: Called with the completed share of the current call, on the session's thread.
  package convenience init(
    source: OpenSource?, limits: Limits, cancellation: Cancellation? = nil,
    log: (@Sendable (LogSeverity, String) -> Void)? = nil, progress: (@Sendable (Double) -> Void)? = nil
  ) {
    self.init(
      source: source, limits: limits, cancellation: cancellation, log: log, progress: progress,
      budget: CallBudget(limits))
  }

  init(
    source: OpenSource?, limits: Limits, cancellation: Cancellation?, log: (@Sendable (LogSeverity, String) -> Void)?,
    progress: (@Sendable (Double) -> Void)?, budget: CallBudget
  ) {
    self.budget = budget
    self.source = source
    self.limits = limits
    self.cancellation = cancellation
    self.log = log
    self.progress = progress
    structs = Structs(limits)
    let context = Unmanaged.passUnretained(self).toOpaque()
    structs.source.pointee.context = context
    structs.source.pointee.size = Self.size(of: source)
    structs.source.pointee.view = HostCalls.view
    structs.source.pointee.view_available = HostCalls.viewAvailable
    structs.host.pointee.context = context
    structs.host.pointee.limits = UnsafePointer(structs.limits)
  }

  /// What the coder may read beside the source, and the words that say who set that; nil for nothing.
  var siblingRules: (access: SiblingAccess, setBy: String)?
  /// The files beside the source, if the coder's manifest names any.
  private(set) var siblings: Siblings?

  /// Lets the coder ask for the files beside the source that its manifest names.
  package func allowSiblings(_ patterns: [SiblingPattern]) {
    guard !patterns.isEmpty, let siblingRules else { return }
    siblings = Siblings(of: source?.path, patterns, siblingRules)
  }

  /// Whether rows are cleared before a reader gets them, so that a reader that reports rows which it has not written
  /// shows nothing of this process's memory. It costs a few percent of a fast decode.
  package var clearsRows = false

  deinit {
    let left = blocks.withLock { $0.freeAll() }
    if left.count > 0 {
      log?(.warning, "the coder left \(left.count) blocks of \(left.bytes) bytes at close")
    }
    structs.deallocate()
  }

  /// Bytes of the source, which are waited for where they arrive; none without a source.
  func show(at offset: Int, least: Int, most: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    guard let source else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    try budget.countRead(isFetch: !source.holds(most, at: offset))
    guard source.isIncremental else { return try source.view(at: offset, count: most) }
    let shown = try budget.pausing { () throws(CoderError) in
      try source.view(at: offset, least: least, most: most)
    }
    updateSize()
    if isCancelled { throw .cancelled }
    return shown
  }

  /// Bytes that the current call may still inflate.
  package var inflatable: Int { budget.inflatable }

  /// Counts bytes that a reader inflates.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``, which is also what the reader's call comes to.
  package func countInflated(_ bytes: Int) throws(CoderError) {
    do throws(CoderError) { try budget.countInflated(bytes) } catch {
      record(error)
      sourceFailure = error
      throw error
    }
  }

  /// Tells the reader the size of a source whose last byte has arrived.
  package func updateSize() { structs.source.pointee.size = Self.size(of: source) }

  private static func size(of source: OpenSource?) -> UInt64 {
    guard let source else { return 0 }
    return source.isComplete ? UInt64(source.size) : .max
  }

  /// The error of a call that returned `status`: what the session recorded, or a general sentence.
  package func error(for status: imgcoder_status) -> CoderError {
    defer { (failure, sourceFailure) = (nil, nil) }
    // Results are no errors; a plugin that gives one where none is due breaks the interface.
    guard status >= CoderError.Code.wrongFormat.rawValue else {
      return .libraryFailure("the coder returned status \(status), which this call does not define")
    }
    if let outputFailure { return outputFailure }
    if let sourceFailure, sourceFailure.code.rawValue == status { return sourceFailure }
    if let failure, failure.code.rawValue == status { return failure }
    if status == CoderError.Code.cancelled.rawValue { return .cancelled }
    // A reader passes on what its sink or source returned; the record of that call explains more than a number does.
    return failure ?? CoderError(code: CoderError.Code(rawValue: status), message: "the coder gives no reason")
  }

  /// Forgets what an earlier call recorded.
  package func clearError() { (failure, sourceFailure) = (nil, nil) }

  /// Takes an error of the host for the reason of the current call.
  package func record(_ error: CoderError) { failure = error }

  /// Takes what a coder says for the reason of its call.
  package func record(_ failure: Failure) { record(failure.error) }

  /// Whether the work has to stop: the caller asks for that, or the call has taken too long.
  var isCancelled: Bool { isCancelledByCaller || budget.isOver }

  private var isCancelledByCaller: Bool { cancellation?.isCancelled ?? false }

  /// The error of a call of a decoder: where its time is over, the coder only knows that it had to stop.
  func reason(for error: CoderError) -> CoderError {
    guard error.code == .cancelled, !isCancelledByCaller, let timeError = budget.timeError else { return error }
    return timeError
  }

  func allocate(_ size: Int, alignment: Int) -> UnsafeMutableRawPointer? {
    // The block is the caller's; only the list of blocks is guarded, which the compiler cannot see of a pointer.
    let address = blocks.withLock { blocks in
      blocks.allocate(size, alignment: alignment, budget: limits.maxMemory).map { UInt(bitPattern: $0) }
    }
    return address.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
  }

  func release(_ block: UnsafeMutableRawPointer) {
    let address = UInt(bitPattern: block)
    blocks.withLock { blocks in UnsafeMutableRawPointer(bitPattern: address).map { blocks.free($0) } }
  }
}
