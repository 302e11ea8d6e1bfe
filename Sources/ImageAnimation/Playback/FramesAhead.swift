// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Synchronization

/// The frame that a playback needs next, which is decoded while the one before it is shown.
final class FramesAhead: Sendable {
  private struct Request {
    let index: Int
    let task: Task<Result<Frame, CoderError>, Never>
  }

  private let request = Mutex<Request?>(nil)

  /// Begins to decode a frame. One that is being decoded is given up.
  func begin(_ index: Int, of source: any FrameSource) {
    request.withLock { request in
      guard request?.index != index else { return }
      request?.task.cancel()
      request = Request(index: index, task: Task { await Self.decode(index, of: source) })
    }
  }

  /// The frame, decoded now unless it was begun.
  func frame(_ index: Int, of source: any FrameSource) async -> Result<Frame, CoderError> {
    let begun = request.withLock { request -> Task<Result<Frame, CoderError>, Never>? in
      defer { request = nil }
      guard let begun = request, begun.index == index else {
        request?.task.cancel()
        return nil
      }
      return begun.task
    }
    guard let begun else { return await Self.decode(index, of: source) }
    return await withTaskCancellationHandler {
      await begun.value
    } onCancel: {
      begun.cancel()
    }
  }

  /// Gives up what was begun.
  func cancel() {
    request.withLock { request in
      request?.task.cancel()
      request = nil
    }
  }

  private static func decode(_ index: Int, of source: any FrameSource) async -> Result<Frame, CoderError> {
    do throws(CoderError) {
      if let image = source as? AnimatedImage { return .success(try await image.decodedFrame(at: index)) }
      return .success(
        try await WorkQueue.shared.value(Cancellation()) { () throws(CoderError) in try source.frame(at: index) })
    } catch {
      return .failure(error)
    }
  }
}
