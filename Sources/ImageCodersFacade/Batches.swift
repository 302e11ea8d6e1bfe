// SPDX-License-Identifier: Apache-2.0
//
// Functions have the names that the header gives them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CImageCodersFacade
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

@c @implementation
public func ic_batch(
  _ registry: OpaquePointer, _ jobs: UnsafeMutablePointer<ic_job>, _ count: UInt32, _ threads: UInt32,
  _ cancel: OpaquePointer?
) {
  guard count > 0 else { return }
  let registry = CoderRegistry.of(registry)
  let cancellation = cancel.map { object($0, as: Cancellation.self) }
  // Threads share the list; each job is one thread's alone.
  nonisolated(unsafe) let first = UnsafeMutableRawPointer(jobs)
  let step = Int(jobs.pointee.size)
  // Where the second job is, such a size does not say.
  guard step >= Int(ic_job.firstSize) else {
    jobs.pointee.status = Int32(CoderError.Code.invalidArgument.rawValue)
    return
  }
  ThreadPool.shared.run(Int(count), jobs: threads == 0 ? nil : Int(threads)) { index in
    let job = (first + index * step).assumingMemoryBound(to: ic_job.self)
    job.pointee.status = registry.run(job, cancellation)
  }
}

extension CoderRegistry {
  fileprivate func run(_ job: UnsafeMutablePointer<ic_job>, _ cancellation: Cancellation?) -> Int32 {
    // A job of a program that knows a smaller struct ends before this one's fields.
    let error = job.pointee.error
    return answer(error) { () throws(CoderError) in
      if cancellation?.isCancelled ?? false { throw .cancelled }
      let job = try UnsafePointer(job).known()
      guard let source = job.source else { throw .invalidArgument("ic_job.source is null") }
      guard try source.known().kind != UInt32(IC_SOURCE_FUNCTION) else {
        throw .invalidArgument("IC_SOURCE_FUNCTION in a batch, which would call it on other threads")
      }
      switch Int(job.operation) {
      case Int(IC_JOB_PROBE):
        guard let info = job.info else { throw .invalidArgument("ic_job.info is null") }
        try probe(source, with: job.request, into: info, cancellation: cancellation)
        return nil
      case Int(IC_JOB_DECODE):
        guard let pixels = job.pixels else { throw .invalidArgument("ic_job.pixels is null") }
        return try decode(source, with: job.request, into: pixels, cancellation: cancellation)
      case Int(IC_JOB_THUMBNAIL):
        guard let bytes = job.bytes else { throw .invalidArgument("ic_job.bytes is null") }
        return try makeThumbnail(
          of: source, with: job.request, as: job.encoding, into: bytes, cancellation: cancellation)
      default: throw .invalidArgument("ic_job.operation is \(job.operation), none of IC_JOB_…")
      }
    }
  }
}
