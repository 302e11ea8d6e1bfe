// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The bytes of a file that are there, as one buffer, and a way to wait for more.
///
/// All bytes of a file are there from the beginning, unless it is incremental, or only its first frame is wanted: then the
/// buffer grows, and its address may change with each wait and with each call of the host. A caller that keeps the
/// buffer takes it again after these. If only the header is wanted, a walk over the file gets its bytes part by part.
final class GIFBytes {
  private(set) var available: UnsafeRawBufferPointer
  /// Whether no byte follows those that are there.
  private(set) var isComplete: Bool
  /// Whether bytes are still to come over time.
  var isArriving: Bool { growth == .overTime && !isComplete }

  /// Bytes of the file, as far as that is known.
  var size: Int { source.size }

  private let source: SourceView
  private let growth: Growth
  /// Whether a walk sees the file part by part, and nothing is kept.
  private let isHeaderOnly: Bool

  /// How more bytes come to be there.
  private enum Growth {
    /// Bytes of a file that is there whole, when they are asked for.
    case onDemand
    /// Bytes of an incremental file, when they arrive.
    case overTime
  }

  /// The bytes that are fetched first of a file of which only the first frame is wanted, unless it is small: a still is needed
  /// whole, and a part takes as long to ask for as these take to copy.
  private static let firstPart = 4 << 10
  private static let smallFile = 64 << 10
  private static let largestPart = 64 << 10

  init(_ source: SourceView, options: OpenOptions) throws(CoderError) {
    self.source = source
    available = UnsafeRawBufferPointer(start: nil, count: 0)
    growth = options.contains(.incremental) ? .overTime : .onDemand
    isComplete = false
    isHeaderOnly = options.contains(.headerOnly) && growth == .onDemand && source.size > Self.smallFile
    guard growth == .onDemand else { return }
    let isWhole = !options.contains(.firstFrameOnly) && !isHeaderOnly || source.size <= Self.smallFile
    try fetch(isWhole ? .max : Self.firstPart)
  }

  /// The next part of the file for a walk that needs nothing before `offset` any more.
  ///
  /// - Parameters:
  ///   - count: How many bytes it needs there.
  ///   - last: How many the part had that it comes from.
  /// - Returns: nil if all bytes are to be kept; otherwise ``available`` is empty until ``restore()``.
  func part(at offset: Int, count: Int, after last: Int) throws(CoderError) -> UnsafeRawBufferPointer? {
    guard isHeaderOnly else { return nil }
    available = UnsafeRawBufferPointer(start: nil, count: 0)
    isComplete = false
    return try source.view(at: offset, count: max(count, min(4 * last, Self.largestPart)))
  }

  /// Waits until there are `count` bytes, or all.
  func wait(for count: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    guard !isComplete, available.count < count else { return available }
    switch growth {
    case .onDemand: try fetch(max(count, available.count * (available.count < 64 << 10 ? 4 : 2)))
    case .overTime: try update(least: count)
    }
    return available
  }

  /// Sees the bytes that have come since the last call, without waiting.
  func refresh() throws(CoderError) {
    if isArriving { try update(least: available.count) }
  }

  /// The same; what a walk by parts has released is fetched again.
  func restore() throws(CoderError) {
    try refresh()
    if isHeaderOnly, available.isEmpty { try fetch(.max) }
  }

  private func fetch(_ count: Int) throws(CoderError) {
    available = try source.view(at: 0, count: count)
    isComplete = available.count >= source.size
  }

  private func update(least: Int) throws(CoderError) {
    available = try source.view(at: 0, least: least, most: .max)
    isComplete = source.size < .max
  }
}
