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
  }

  private struct Entry: Sendable {
    let words: Range<Int>
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
        let first = words.count
        words += Self.words(signature)
        entries.append(Entry(words: first..<words.count, strength: signature.strength, group: group))
        reach = max(reach, signature.reach + Self.wordSize - 1)
      }
    }
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
    var answer = Answer.no
    var best = -1
    for entry in entries where entry.strength >= best && agrees(entry, prefix) {
      if entry.strength == best, answer != .yes(strength: best, group: entry.group) {
        answer = .several
      } else {
        (best, answer) = (entry.strength, .yes(strength: entry.strength, group: entry.group))
      }
    }
    return answer
  }

  private func agrees(_ entry: Entry, _ prefix: UnsafeRawBufferPointer) -> Bool {
    for index in entry.words {
      let word = words[index]
      let found = UInt64(littleEndian: prefix.loadUnaligned(fromByteOffset: word.offset, as: UInt64.self))
      if (found ^ word.bytes) & word.mask != 0 { return false }
    }
    return true
  }
}
