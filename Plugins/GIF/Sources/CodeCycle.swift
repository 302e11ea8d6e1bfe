// SPDX-License-Identifier: Apache-2.0

/// Codes from one clear code to the next, or a stretch of them.
struct CodeCycle: ~Copyable {
  /// Codes at most: a full table's, and one that goes beyond what they may take.
  private static let capacity = CodeTable.limit + 1

  private let codes: UnsafeMutablePointer<(code: UInt16, count: Int32)>
  private(set) var count = 0
  /// What they take.
  private(set) var bits = 0

  private let minimumCodeSize: Int
  private var table = CodeTable()
  private var width = 0
  /// The code that the next string gets.
  private var next = 0
  private var match = LZWMatch()

  /// - Parameter minimumCodeSize: 2 to 8.
  init(minimumCodeSize: Int) {
    self.minimumCodeSize = minimumCodeSize
    codes = .allocate(capacity: Self.capacity)
  }

  deinit { codes.deallocate() }

  /// Codes and how many pixels each stands for.
  var entries: UnsafeBufferPointer<(code: UInt16, count: Int32)> { UnsafeBufferPointer(start: codes, count: count) }

  /// Starts with an empty table.
  mutating func restart() {
    table.clear()
    width = minimumCodeSize + 1
    next = (1 << minimumCodeSize) + 2
    removeCodes()
  }

  /// Removes the codes, and keeps the strings.
  mutating func removeCodes() {
    count = 0
    bits = 0
  }

  /// Adds codes until the table gets full.
  ///
  /// - Returns: The first pixel that is not in them.
  mutating func fill(_ image: IndexChoices, from start: Int) -> Int {
    image.hasChoices ? fillChoosing(image, from: start) : fillPlainly(image, from: start)
  }

  /// Adds codes of a full table until a pixel is reached or they take too much.
  ///
  /// - Returns: The first pixel that is not in them.
  mutating func follow(_ image: IndexChoices, from start: Int, to end: Int, maxBits: Int) -> Int {
    var position = start
    while position < end, bits < maxBits, count < Self.capacity {
      if image.hasChoices {
        match.search(image, at: position, after: -1, adding: next, to: &table)
        append(match.code, match.count)
        position &+= match.count
      } else {
        var (code, length) = (Int(image.indexes[position]), 1)
        while position &+ length < image.count {
          let longer = table.find(code, image.indexes[position &+ length])
          guard longer >= 0 else { break }
          code = longer
          length &+= 1
        }
        append(code, length)
        position &+= length
      }
    }
    return position
  }

  /// Replaces the indexes of pixels that had a choice by those that the codes stand for.
  func replaceChosenIndexes(of image: IndexChoices, from start: Int, count: Int) {
    guard image.hasChoices else { return }
    var position = start
    for (code, length) in entries.prefix(count) {
      table.copy(Int(code), count: Int(length), to: image.indexes + position)
      position += Int(length)
    }
  }

  private mutating func fillPlainly(_ image: IndexChoices, from start: Int) -> Int {
    guard start < image.count else { return start }
    var begin = start
    var position = start &+ 1
    var prefix = Int(image.indexes[start])
    while position < image.count {
      let symbol = image.indexes[position]
      let found = table.find(prefix, symbol)
      if found >= 0 {
        prefix = found
      } else {
        append(prefix, position &- begin)
        begin = position
        add(prefix, symbol, at: ~found)
        guard next < CodeTable.limit else { return position }
        prefix = Int(symbol)
      }
      position &+= 1
    }
    append(prefix, position &- begin)
    return position
  }

  private mutating func fillChoosing(_ image: IndexChoices, from start: Int) -> Int {
    var position = start
    var previous = -1
    while position < image.count {
      match.search(image, at: position, after: previous, adding: next, to: &table)
      if previous >= 0 { add(previous, match.symbol, at: ~table.find(previous, match.symbol)) }
      append(match.code, match.count)
      position &+= match.count
      previous = match.code
      guard next < CodeTable.limit else { break }
    }
    return position
  }

  @inline(__always)
  private mutating func append(_ code: Int, _ count: Int) {
    codes[self.count] = (UInt16(truncatingIfNeeded: code), Int32(truncatingIfNeeded: count))
    self.count &+= 1
    bits &+= width
  }

  @inline(__always)
  private mutating func add(_ prefix: Int, _ symbol: UInt8, at slot: Int) {
    if next == 1 << width { width &+= 1 }
    // A decoder counts a string that is there already, too.
    if slot >= 0 { table.insert(next, prefix, symbol, at: slot) }
    next &+= 1
  }
}
