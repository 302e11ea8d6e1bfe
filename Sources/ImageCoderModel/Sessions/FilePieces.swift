// SPDX-License-Identifier: Apache-2.0

/// A new file made of parts of another one and of new bytes, for a ``ContainerMetadataEditor``.
///
/// A part of a draft: see `imgcoder/draft/metadata_blocks.h`.
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

  /// Writes the new file.
  ///
  /// - Throws: ``CoderError/Code/truncated`` if the other file lacks bytes that are kept;
  ///   ``CoderError/Code/cancelled``; what the output throws.
  public func write(from source: SourceView, to output: ByteOutput, host: CoderHost) throws(CoderError) {
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
