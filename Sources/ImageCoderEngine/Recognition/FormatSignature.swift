// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Bytes that identify a format.
public struct FormatSignature: Sendable, Equatable {
  /// Where the bytes are looked for: from the start of the file, or, when negative, from its end.
  public var offset: Int
  /// The bytes to find. A signature without bytes matches no file.
  public var bytes: [UInt8]
  /// The bits to compare, as long as ``bytes``; empty for all bits.
  public var mask: [UInt8]
  /// How many offsets after ``offset`` are searched too.
  public var within: Int
  /// The distance between the offsets that are searched.
  package var step = 1
  /// What else has to hold. The bytes alone are necessary, so that most files need no look at it.
  package var conditions: [FormatCondition] = []

  /// Makes a signature.
  ///
  /// - Parameters:
  ///   - bytes: The bytes to find.
  ///   - offset: From the start of the file or, if negative, from its end.
  ///   - mask: The bits to compare, as long as `bytes`; empty for all bits.
  ///   - within: How many offsets after `offset` are searched too, at least 0.
  public init(_ bytes: [UInt8], at offset: Int = 0, mask: [UInt8] = [], within: Int = 0) {
    self.bytes = bytes
    self.offset = offset
    self.mask = mask
    self.within = within
  }

  /// The number of bits that have to match, without those of ``conditions``: how reliable a match is.
  package var strength: Int {
    mask.isEmpty ? bytes.count * 8 : mask.reduce(0) { $0 + $1.nonzeroBitCount }
  }

  /// The same with those of ``conditions``.
  package var fullStrength: Int {
    conditions.reduce(strength) { sum, condition in
      if case .bytes(let further) = condition { sum + further.fullStrength } else { sum + FormatCondition.strength }
    }
  }

  /// How many bytes from the start of the file are needed to decide.
  package var reach: Int { offset < 0 ? 0 : offset + within + bytes.count }

  /// Compares with the first bytes of a file, which have to tell whether the conditions hold, too.
  ///
  /// - Parameters:
  ///   - prefix: The available bytes from the start of the file.
  ///   - isComplete: Whether no byte follows.
  package func matches(_ prefix: UnsafeRawBufferPointer, isComplete: Bool) -> Recognition {
    let answer = compare(prefix, isComplete: isComplete)
    guard case .yes(let strength) = answer, !conditions.isEmpty else { return answer }
    return adding(strength, of: FilePrefix(prefix, isComplete: isComplete))
  }

  /// Compares with a file whose bytes may all be looked at.
  package func recognition<File: RecognizableBytes>(of file: File) throws(File.Failure) -> Recognition {
    let answer: Recognition
    if offset < 0 {
      // The end of what arrives is known when all is there.
      guard let size = file.knownSize else { return .needMore(bytes: .max) }
      guard size >= -offset else { return .no }
      let tail = try file.bytes(at: size + offset, count: -offset)
      answer = FormatSignature(bytes, at: 0, mask: mask).compare(tail, isComplete: true)
    } else {
      // A file that ends inside the bytes that would decide is cut, not unknown.
      answer = compare(try file.bytes(at: 0, count: reach), isComplete: false)
    }
    guard case .yes(let strength) = answer, !conditions.isEmpty else { return answer }
    return try adding(strength, of: file)
  }

  /// The answer of bytes that agree, and of the conditions.
  private func adding<File: RecognizableBytes>(_ strength: Int, of file: File) throws(File.Failure) -> Recognition {
    var sum = strength
    var needed: Int?
    for condition in conditions {
      switch try condition.recognition(of: file) {
      case .no: return .no
      case .needMore(let bytes): needed = max(needed ?? 0, bytes)
      case .yes(let bits): sum += bits
      }
    }
    return needed.map { .needMore(bytes: $0) } ?? .yes(strength: sum)
  }

  /// Compares the bytes alone.
  private func compare(_ prefix: UnsafeRawBufferPointer, isComplete: Bool) -> Recognition {
    guard !bytes.isEmpty else { return .no }
    if offset < 0 {
      guard isComplete else { return .needMore(bytes: .max) }
      let start = prefix.count + offset
      return start >= 0 && agrees(prefix, at: start) == .yes(strength: strength) ? .yes(strength: strength) : .no
    }
    var undecided = false
    for start in stride(from: offset, through: offset + within, by: step) {
      switch agrees(prefix, at: start) {
      case .yes(let strength): return .yes(strength: strength)
      case .needMore: undecided = true
      case .no: break
      }
    }
    return undecided && !isComplete ? .needMore(bytes: reach) : .no
  }

  /// A byte that differs decides at once, even when others are not there yet.
  private func agrees(_ prefix: UnsafeRawBufferPointer, at start: Int) -> Recognition {
    for index in bytes.indices {
      let place = start + index
      guard place < prefix.count else { return .needMore(bytes: start + bytes.count) }
      let bits = mask.isEmpty ? 0xFF : mask[index]
      if (prefix[place] ^ bytes[index]) & bits != 0 { return .no }
    }
    return .yes(strength: strength)
  }
}

extension Recognition {
  /// Adds the answer of another signature of the same coder: the surest yes counts, else the fewest bytes that decide.
  package mutating func merge(_ other: Recognition) {
    switch (other, self) {
    case (.yes(let new), .yes(let old)): self = .yes(strength: max(new, old))
    case (.yes, _): self = other
    case (.needMore(let new), .needMore(let old)): self = .needMore(bytes: min(new, old))
    case (.needMore, .no): self = other
    default: break
    }
  }
}

/// Whether bytes are of a format.
public enum Recognition: Sendable, Equatable {
  /// They are not of the format.
  case no
  /// They match so far; this many bytes from the start are needed to decide, `Int.max` if it takes the whole file.
  case needMore(bytes: Int)
  /// They are of the format. `strength` is the number of bits that match; 0 if only the file's name matches.
  case yes(strength: Int)
}
