// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine

/// The signatures of all coders of a registry, for a quick look at a file that has all the bytes in question.
///
/// Three bytes of the file, each looked up by itself, rule out nearly every coder. The signatures of the others are compared
/// in words of eight bytes, without a look at their arrays. What a word cannot hold is left to ``FormatSignature``, which is exact:
/// signatures that are searched for, stand at the end of the file or reach far, and files that are too short.
struct SignatureTable: Sendable {
  /// Eight bytes at an offset, the first one in the lowest bits.
  private struct Word: Sendable {
    let offset: Int
    var bytes: UInt64 = 0
    var mask: UInt64 = 0

    init(_ signature: FormatSignature, from start: Int) {
      offset = signature.offset + start
      for index in start..<min(start + Self.size, signature.bytes.count) {
        let (byte, mask) = signature.byte(index)
        self.mask |= UInt64(mask) << UInt64(8 * (index - start))
        bytes |= UInt64(byte) << UInt64(8 * (index - start))
      }
    }

    static let size = 8

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
    let format: Int
  }

  /// The signatures of a coder.
  private struct Row: Sendable {
    /// Indexes of its entries, the strongest first.
    var entries: Range<Int>
    /// Bytes from the start of a file that have to be there; the largest integer where the entries are not all signatures.
    var reach = 0
    /// Whether a signature that agrees is not the whole answer: it has conditions, or other formats may agree as well.
    let listsMatches: Bool
  }

  /// What the signatures of a coder say of a file.
  enum Answer: Equatable {
    case no
    /// The strongest signature that agrees is of this format.
    case yes(strength: Int, format: Int)
    /// Every signature has to be compared: those of several formats agree equally, or are kinds of each other, or have
    /// conditions, or not all are in the table.
    case undecided
  }

  /// Bytes that tell formats apart; boxes and chunks have their type from the fifth on.
  private static let places = [0, 1, 4]
  /// Enough for nearly every signature, and no more than one small read.
  static let prefixBytes = 4 << 10

  /// For each of the places and each byte, the coders whose files may have it there, as bits.
  private var beginnings: [UInt64]
  private var words: [Word] = []
  private var entries: [Entry] = []
  private var rows: [Row] = []

  /// - Parameter coders: The recognizer of each, and whether it is asked about every file.
  init(_ coders: [(recognizer: FormatRecognizer, isAlwaysAsked: Bool)]) {
    beginnings = [UInt64](repeating: 0, count: Self.places.count << 8)
    rows.reserveCapacity(coders.count)
    /// For each of the places, the coders whose files may have any byte there.
    var anyByte = [UInt64](repeating: 0, count: Self.places.count)
    let refined = coders.reduce(into: Set()) { $0.formUnion($1.recognizer.refined) }
    for (coder, isAlwaysAsked) in coders {
      let bit: UInt64 = rows.count < UInt64.bitWidth ? 1 << UInt64(rows.count) : 0
      for signature in coder.signatures.joined() where !signature.bytes.isEmpty {
        for place in anyByte.indices { addBeginning(of: signature, at: place, bit, &anyByte[place]) }
      }
      if isAlwaysAsked || coder.isNamed { for place in anyByte.indices { anyByte[place] |= bit } }
      add(coder.signatures, listsMatches: coder.listsMatches(refined: refined))
    }
    for index in beginnings.indices { beginnings[index] |= anyByte[index >> 8] }
  }

  /// Notes what a signature of a coder says of the byte at one of the places.
  private mutating func addBeginning(
    of signature: FormatSignature, at place: Int, _ coder: UInt64, _ anyByte: inout UInt64
  ) {
    switch signature.byte(at: Self.places[place]) {
    case (_, 0): anyByte |= coder
    case (let byte, 0xFF): beginnings[place << 8 | Int(byte)] |= coder
    case (let byte, let mask):
      for other in 0...UInt8.max where (other ^ byte) & mask == 0 { beginnings[place << 8 | Int(other)] |= coder }
    }
  }

  private mutating func add(_ formats: [[FormatSignature]], listsMatches: Bool) {
    var row = Row(entries: entries.count..<entries.count, listsMatches: listsMatches)
    for (format, signatures) in formats.enumerated() {
      for signature in signatures where !signature.bytes.isEmpty {
        guard row.reach < .max, let entry = entry(signature, format: format) else {
          row.reach = .max
          continue
        }
        entries.append(entry)
        row.reach = max(row.reach, signature.reach + Word.size - 1)
      }
    }
    row.entries = row.entries.lowerBound..<entries.count
    entries[row.entries].sort { ($1.strength, $0.format) < ($0.strength, $1.format) }
    rows.append(row)
  }

  /// Nil for a signature that words cannot hold.
  private mutating func entry(_ signature: FormatSignature, format: Int) -> Entry? {
    guard signature.hasOnePlace, signature.reach <= Self.prefixBytes - Word.size else { return nil }
    let start = words.count
    var (first, second): (Word?, Word?)
    for place in stride(from: 0, to: signature.bytes.count, by: Word.size) {
      let word = Word(signature, from: place)
      guard word.mask != 0 else { continue }
      if first == nil { first = word } else if second == nil { second = word } else { words.append(word) }
    }
    guard let first else { return nil }
    return Entry(
      first: first, second: second ?? first, others: start..<words.count, strength: signature.strength, format: format)
  }

  /// The coders that have to be asked about a file, as bits. Those from the 65th on have none, and are always asked.
  func coders(beginning prefix: UnsafeRawBufferPointer) -> UInt64 {
    // A shorter file rules nothing out.
    guard prefix.count > 4 else { return .max }
    return beginnings[Int(prefix[0])] & beginnings[1 << 8 | Int(prefix[1])] & beginnings[2 << 8 | Int(prefix[4])]
  }

  /// Compares the signatures of a coder.
  ///
  /// - Parameter prefix: The first bytes of the file; ``prefixBytes``, or as many as there are.
  func look(at prefix: UnsafeRawBufferPointer, for coder: Int) -> Answer {
    let row = rows[coder]
    guard prefix.count >= row.reach, let base = prefix.baseAddress else { return .undecided }
    var best: (strength: Int, format: Int)?
    for index in row.entries {
      let entry = entries[index]
      if let best {
        if entry.strength < best.strength { break }
        if entry.format == best.format { continue }
      }
      // Within the reach, which the prefix has.
      guard entry.first.agrees(with: base), entry.second.agrees(with: base),
        entry.others.isEmpty || entry.others.allSatisfy({ words[$0].agrees(with: base) })
      else { continue }
      if best != nil || row.listsMatches { return .undecided }
      best = (entry.strength, entry.format)
    }
    return best.map { .yes(strength: $0.strength, format: $0.format) } ?? .no
  }
}

extension FormatSignature {
  /// Whether its bytes stand at one place from the start of the file.
  fileprivate var hasOnePlace: Bool { offset >= 0 && within == 0 }

  /// One of its bytes, and the bits of it that count.
  fileprivate func byte(_ index: Int) -> (byte: UInt8, mask: UInt8) {
    let mask = mask.isEmpty ? 0xFF : mask[index]
    return (bytes[index] & mask, mask)
  }

  /// What it says of the byte of a file at a place; no bits of it count where it says nothing.
  fileprivate func byte(at place: Int) -> (byte: UInt8, mask: UInt8) {
    guard hasOnePlace, bytes.indices.contains(place - offset) else { return (0, 0) }
    return byte(place - offset)
  }
}
