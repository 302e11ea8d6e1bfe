// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// Signatures of one coder as words of eight bytes, so that a file is held against all of them without a look at their arrays.
///
/// It answers for files that have all the bytes in question; others, and signatures that are searched for or stand at the end,
/// are left to ``Signature``.
struct SignatureTable: Sendable {
  /// Eight bytes at an offset, the first one in the lowest bits.
  private struct Word: Sendable {
    let offset: Int
    var bytes: UInt64 = 0
    var mask: UInt64 = 0

    /// - Parameter base: Of a prefix that has the word.
    @inline(__always)
    func agrees(with base: UnsafeRawPointer) -> Bool {
      let found = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      return (found ^ bytes) & mask == 0
    }
  }

  /// A signature. Nearly all have two words at most, which are here; the second is a copy of the first where there is none.
  private struct Entry: Sendable {
    let first: Word
    let second: Word
    /// Indexes of the words after them.
    let others: Range<Int>
    let strength: Int
    let group: Int
  }

  /// What agrees with a file.
  enum Answer: Equatable {
    case no
    /// The strongest signature is of this group.
    case yes(strength: Int, group: Int)
    /// Equally strong ones are of several groups.
    case several
  }

  private var words: [Word] = []
  /// The strongest first.
  private var entries: [Entry] = []
  /// Bytes from the start of a file that have to be there.
  private(set) var reach = 0

  /// Makes a table.
  ///
  /// - Parameter groups: Signatures of formats that are told apart.
  /// - Returns: Nil when a signature is searched for, stands at the end, or reaches further than `most` bytes.
  init?(_ groups: [[Signature]], most: Int) {
    for (group, signatures) in groups.enumerated() {
      for signature in signatures where !signature.bytes.isEmpty {
        guard signature.offset >= 0, signature.within == 0, signature.reach <= most - Self.wordSize else { return nil }
        let all = Self.words(signature)
        guard let first = all.first else { return nil }
        let start = words.count
        words += all.dropFirst(2)
        entries.append(
          Entry(
            first: first, second: all.count > 1 ? all[1] : first, others: start..<words.count,
            strength: signature.strength, group: group))
        reach = max(reach, signature.reach + Self.wordSize - 1)
      }
    }
    entries.sort { ($1.strength, $0.group) < ($0.strength, $1.group) }
  }

  private static let wordSize = 8

  /// Words of which some bit counts.
  private static func words(_ signature: Signature) -> [Word] {
    stride(from: 0, to: signature.bytes.count, by: wordSize).map { start in
      var word = Word(offset: signature.offset + start)
      for index in start..<min(start + wordSize, signature.bytes.count) {
        let shift = UInt64(8 * (index - start))
        let mask = signature.mask.isEmpty ? 0xFF : signature.mask[index]
        word.mask |= UInt64(mask) << shift
        word.bytes |= UInt64(signature.bytes[index] & mask) << shift
      }
      return word
    }.filter { $0.mask != 0 }
  }

  /// - Parameter prefix: The file's first ``reach`` bytes, at least.
  func look(at prefix: UnsafeRawBufferPointer) -> Answer {
    guard prefix.count >= reach, let base = prefix.baseAddress else { return .no }
    var best: (strength: Int, group: Int)?
    for entry in entries {
      if let best {
        if entry.strength < best.strength { break }
        if entry.group == best.group { continue }
      }
      // Within the reach, which the prefix has.
      guard entry.first.agrees(with: base), entry.second.agrees(with: base),
        entry.others.isEmpty || entry.others.allSatisfy({ words[$0].agrees(with: base) })
      else { continue }
      if best != nil { return .several }
      best = (entry.strength, entry.group)
    }
    return best.map { .yes(strength: $0.strength, group: $0.group) } ?? .no
  }
}
