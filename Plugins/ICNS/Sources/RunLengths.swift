// SPDX-License-Identifier: Apache-2.0

/// The packing of planes: a byte below 128 comes before so many bytes and one more; one of at least 128 says, less 125,
/// how often the next byte is repeated.
enum RunLengths {
  /// Unpacks bytes.
  ///
  /// A run that would go beyond `count` is cut off.
  ///
  /// - Parameter target: Room for `count` bytes.
  /// - Returns: Bytes written, and bytes of `source` that were used.
  static func unpack(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutablePointer<UInt8>, count: Int
  ) -> (written: Int, used: Int) {
    var (written, used) = (0, 0)
    while written < count, used < source.count {
      let lead = Int(source[used])
      used += 1
      if lead < 128 {
        let length = min(lead + 1, count - written, source.count - used)
        for index in 0..<length { target[written + index] = source[used + index] }
        written += length
        used += length
      } else {
        guard used < source.count else { break }
        let length = min(lead - 125, count - written)
        (target + written).update(repeating: source[used], count: length)
        written += length
        used += 1
      }
    }
    return (written, used)
  }

  /// Packs one plane: runs of three and more as runs, all else as it is.
  static func pack(_ plane: [UInt8], to output: inout [UInt8]) {
    var start = 0
    var position = 0
    func run(at position: Int) -> Int {
      var end = position + 1
      while end < plane.count, end - position < 130, plane[end] == plane[position] { end += 1 }
      return end - position
    }
    func putLiterals(until end: Int) {
      var from = start
      while from < end {
        let length = min(128, end - from)
        output.append(UInt8(length - 1))
        output += plane[from..<(from + length)]
        from += length
      }
    }
    while position < plane.count {
      let length = run(at: position)
      if length >= 3 {
        putLiterals(until: position)
        output += [UInt8(length + 125), plane[position]]
        start = position + length
      }
      position += length
    }
    putLiterals(until: plane.count)
  }
}
