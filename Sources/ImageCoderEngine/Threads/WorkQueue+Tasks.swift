// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

extension WorkQueue {
  /// Runs work of the application in turn, on a thread of the library: what takes long and has no async form of its own.
  ///
  ///     let hash = try await WorkQueue.shared.run { try ThumbHash.bytes(of: image.pixels) }
  ///
  /// It blocks none of the cooperative pool, and no more of it runs at a time than there are processors. It must not wait
  /// for other work of the queue.
  ///
  /// - Parameters:
  ///   - kind: Whether it has pictures that were made for it.
  ///   - cancellation: Is cancelled when the task is, for work that looks at it; cancelling it also takes the work out of the
  ///     queue.
  /// - Throws: ``CoderError/Code/cancelled`` when the task is cancelled before its turn;
  ///   ``CoderError/Code/overloaded`` when ``policy`` refuses it; what `body` throws.
  public func run<Value: Sendable>(
    _ kind: Kind = .continues, cancellation: Cancellation = Cancellation(),
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withTaskCancellationHandler {
      try await value(Cancellation(within: cancellation), kind: kind) { () throws(CoderError) in
        Result { try body() }
      }.get()
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// Runs work in turn for the task: with its priority, and until it is cancelled.
  ///
  /// - Parameter cancellation: Is set when the task is cancelled; setting it also cancels the work.
  package func value<Value: Sendable>(
    _ cancellation: Cancellation, kind: Kind = .begins, in lane: Lane? = nil,
    _ body: @escaping @Sendable () throws(CoderError) -> Value
  ) async throws(CoderError) -> Value {
    let job = Job(Rank(Task.currentPriority), kind, in: lane, cancellation: cancellation)
    let forget = cancellation.onCancel { self.cancel(job) }
    defer { forget() }
    let result: Result<Value, CoderError> = await withTaskPriorityEscalationHandler {
      await withTaskCancellationHandler {
        do throws(CoderError) {
          return .success(try await self.value(of: job, body))
        } catch {
          return .failure(error)
        }
      } onCancel: {
        self.cancel(job)
      }
    } onPriorityEscalated: { _, priority in
      self.raise(job, to: Rank(priority))
    }
    return try result.get()
  }
}
