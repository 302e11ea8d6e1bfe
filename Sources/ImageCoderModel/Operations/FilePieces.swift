// SPDX-License-Identifier: Apache-2.0

/// A new file made of parts of another one and of new bytes, for a ``ContainerOperation``.
public struct FilePieces: Sendable {
  /// A part of the new file.
  public enum Piece: Sendable, Equatable {
    /// Bytes of the other file, by their place there.
    case kept(Range<Int>)
    /// New bytes.
    case new([UInt8])
  }

  /// In the order of the new file.
  public private(set) var pieces: [Piece] = []
  /// Bytes of the new file.
  public private(set) var count = 0

  /// Bytes that are copied at once, between looks at whether the caller still wants the file.
  private static let chunk = 1 << 20

  /// A file without bytes.
  public init() {}

  /// Appends bytes of the other file.
  public mutating func keep(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    count += range.count
    if case .kept(let last)? = pieces.last, last.upperBound == range.lowerBound {
      pieces[pieces.count - 1] = .kept(last.lowerBound..<range.upperBound)
    } else {
      pieces.append(.kept(range))
    }
  }

  /// Appends new bytes.
  public mutating func put(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    count += bytes.count
    pieces.append(.new(bytes))
  }

  /// Parts of ranges that are in none of others, in order and without overlaps: what may be overwritten of values that go,
  /// when values that stay have bytes there too.
  ///
  /// - Complexity: O(n log n) in the number of ranges.
  public static func parts(of ranges: [Range<Int>], without kept: [Range<Int>]) -> [Range<Int>] {
    let kept = kept.sorted { $0.lowerBound < $1.lowerBound }
    var parts: [Range<Int>] = []
    var index = 0
    /// Everything before is done with: in no kept range, or in a part.
    var place = Int.min
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      var start = max(range.lowerBound, place)
      while start < range.upperBound {
        while index < kept.count, kept[index].upperBound <= start { index += 1 }
        let next = index < kept.count ? kept[index] : Int.max..<Int.max
        let end = min(range.upperBound, max(start, next.lowerBound))
        if start < end { parts.append(start..<end) }
        start = max(end, min(next.upperBound, range.upperBound))
      }
      place = max(place, range.upperBound)
    }
    return parts
  }

  /// Writes the new file, unless the coder is only asked.
  ///
  /// - Throws: ``CoderError/Code/truncated`` if the other file lacks bytes that are kept;
  ///   ``CoderError/Code/cancelled``; what the output throws.
  public func write(in context: OperationContext) throws(CoderError) {
    guard !context.asksOnly else { return }
    let (source, output, host) = (context.source, context.output, context.host)
    for piece in pieces {
      switch piece {
      case .new(let bytes): try output.write(bytes)
      case .kept(let range):
        var start = range.lowerBound
        while start < range.upperBound {
          if host.isCancelled { throw .cancelled }
          let wanted = min(Self.chunk, range.upperBound - start)
          let bytes = try source.view(at: start, count: wanted)
          guard bytes.count == wanted else {
            throw .truncated("the file needs \(range.upperBound) bytes", at: start + bytes.count)
          }
          try output.write(bytes)
          start += wanted
        }
      }
    }
  }
}
