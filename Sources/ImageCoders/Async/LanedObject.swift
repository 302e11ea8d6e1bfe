// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// An object for one thread at a time, which any task may use: its calls are jobs of one lane of the queue.
///
/// A task that is cancelled gives up its own call only.
struct LanedObject<Object>: @unchecked Sendable {
  // Unchecked: only jobs in the lane use the object, one at a time.
  private let object: Object
  private let lane: WorkQueue.Lane
  /// Stops the call that runs.
  private let cancellation: Cancellation

  /// Makes the object as the first job of its lane.
  ///
  /// - Parameters:
  ///   - outer: The caller's flag, which stops every call, or nil.
  ///   - make: Gets the flag that the object has to look at.
  init(
    within outer: Cancellation?, _ make: @escaping @Sendable (Cancellation) throws(CoderError) -> Object
  ) async throws(CoderError) {
    let (lane, cancellation) = (WorkQueue.Lane(), Cancellation(within: outer))
    self = try await WorkQueue.shared.value(cancellation, in: lane) { () throws(CoderError) in
      LanedObject(try make(cancellation), in: lane, cancellation)
    }
  }

  private init(_ object: Object, in lane: WorkQueue.Lane, _ cancellation: Cancellation) {
    self.object = object
    self.lane = lane
    self.cancellation = cancellation
  }

  /// What never changes of the object.
  func constant<Value>(_ property: KeyPath<Object, Value>) -> Value { object[keyPath: property] }

  /// Uses the object in turn.
  ///
  /// - Throws: What `body` throws; ``CoderError/Code/cancelled`` when the task is cancelled.
  func use<Value: Sendable>(
    _ body: @escaping @Sendable (Object) throws(CoderError) -> Value
  ) async throws(CoderError) -> Value {
    try await WorkQueue.shared.value(cancellation, kind: .continues, in: lane) { [self] () throws(CoderError) in
      try body(object)
    }
  }

  /// Another object that shares what this one uses, and so its lane.
  func sibling(
    _ make: @escaping @Sendable (Object) throws(CoderError) -> Object
  ) async throws(CoderError) -> LanedObject {
    try await WorkQueue.shared.value(cancellation, kind: .continues, in: lane) { [self] () throws(CoderError) in
      LanedObject(try make(object), in: lane, cancellation)
    }
  }
}
