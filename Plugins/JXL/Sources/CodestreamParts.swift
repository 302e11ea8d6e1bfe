// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The codestream of a file whose bytes are all there, in as many boxes as it lies in.
struct CodestreamParts {
  private let file: UnsafeRawBufferPointer
  private var parts: [Range<Int>] = []
  /// Bytes of all parts.
  private(set) var count = 0

  private static let most = 1 << 16

  /// - Parameters:
  ///   - file: The whole file, alive as long as this is used.
  ///   - start: Where the first frame begins in the file; all before it lies in the first part.
  /// - Returns: nil for more parts than a file needs, and where the first frame is in none of them.
  init?(_ source: SourceView, _ first: BoxIndex.Part, file: UnsafeRawBufferPointer, from start: Int) throws(CoderError)
  {
    self.file = file
    var range = first.range.clamped(to: 0..<file.count)
    var skipped = start
    var hasMore = first.mayContinue
    while true {
      let begin = min(max(skipped, range.lowerBound), range.upperBound)
      let kept = begin..<range.upperBound
      if !kept.isEmpty {
        parts.append(kept)
        count += kept.count
        skipped = 0
      }
      guard hasMore, let box = try source.boxIfAny(at: range.upperBound) else { break }
      guard parts.count < Self.most else { return nil }
      let payload = box.payload.clamped(to: 0..<file.count)
      switch box.type {
      case .partialCodestream: range = payload.dropFirst(4)
      default: range = payload.upperBound..<payload.upperBound
      }
      if box.isCut || payload.isEmpty && range.upperBound >= file.count { hasMore = false }
    }
    if parts.isEmpty { return nil }
  }

  /// The bytes of a range, counted from where the first frame begins; fewer at the end.
  func slices(_ range: Range<Int>) -> [UnsafeRawBufferPointer] {
    var slices: [UnsafeRawBufferPointer] = []
    var start = 0
    for part in parts {
      let wanted = range.clamped(to: start..<start + part.count)
      if !wanted.isEmpty {
        let first = part.lowerBound + wanted.lowerBound - start
        slices.append(UnsafeRawBufferPointer(rebasing: file[first..<first + wanted.count]))
      }
      start += part.count
      if start >= range.upperBound { break }
    }
    return slices
  }
}
