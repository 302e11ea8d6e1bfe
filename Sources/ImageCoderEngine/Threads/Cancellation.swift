// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Synchronization

/// A flag that stops work. It may be set from any thread.
public final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  /// Flags of the caller that stop this work too.
  private let outer: Cancellation?
  private let other: Cancellation?
  private let listeners = Lock(Listeners())

  /// Whom to tell.
  private struct Listeners {
    var next = 0
    var all: [Int: @Sendable () -> Void] = [:]
  }

  /// Makes a flag that is not set. One flag may stop several decodes and encodes.
  public init() {
    outer = nil
    other = nil
  }

  /// Makes a flag for a part of some work.
  package init(within outer: Cancellation?, and other: Cancellation? = nil) {
    self.outer = outer
    self.other = other
  }

  /// Asks all work that uses this flag to stop.
  public func cancel() {
    flag.store(true, ordering: .relaxed)
    let told = listeners.withLock { listeners in
      defer { listeners.all = [:] }
      return listeners.all.values
    }
    for tell in told { tell() }
  }

  /// Whether ``cancel()`` was called. Once true, it stays true.
  public var isCancelled: Bool {
    flag.load(ordering: .relaxed) || outer?.isCancelled ?? false || other?.isCancelled ?? false
  }

  /// Stops the work that runs, or lets further work begin, and tells nobody. Only for a flag that no caller sees.
  package func set(_ isCancelled: Bool) { flag.store(isCancelled, ordering: .relaxed) }

  /// Calls `tell` when the flag is cancelled, or one that this is within; at once if that has happened.
  ///
  /// - Returns: Ends that when it is called.
  package func onCancel(_ tell: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let mine = listen(tell)
    let outers = [outer, other].compactMap { $0?.onCancel(tell) }
    return {
      mine()
      for end in outers { end() }
    }
  }

  private func listen(_ tell: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let number = listeners.withLock { listeners in
      listeners.next += 1
      listeners.all[listeners.next] = tell
      return listeners.next
    }
    // It may have been set before there was somebody to tell.
    if flag.load(ordering: .relaxed), let tell = take(number) { tell() }
    return { [self] in _ = take(number) }
  }

  private func take(_ number: Int) -> (@Sendable () -> Void)? {
    listeners.withLock { $0.all.removeValue(forKey: number) }
  }
}
