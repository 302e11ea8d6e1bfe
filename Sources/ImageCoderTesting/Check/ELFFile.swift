// SPDX-License-Identifier: Apache-2.0

/// A shared library of 64 bits in ELF, little-endian. It may come from anywhere: every offset and count is checked.
///
/// - Format: System V ABI, edition 4.1, chapters 4 and 5; ELF-64 Object File Format, version 1.5.
struct ELFFile {
  /// What is wrong with a file.
  struct Damage: Error {
    let what: String
    init(_ what: String) { self.what = what }
  }

  struct Symbol: Equatable {
    let name: String
    let isDefined: Bool
    /// Whether other libraries see it: bound globally or weakly, with default or protected visibility.
    let isVisible: Bool
  }

  private(set) var machine: UInt16 = 0
  private(set) var needed: [String] = []
  /// DT_RPATH and DT_RUNPATH.
  private(set) var searchPaths: [String] = []
  private(set) var hasTextRelocations = false
  /// The flags of PT_GNU_STACK, or nil without one, which means an executable stack.
  private(set) var stackFlags: UInt32?
  private(set) var symbols: [Symbol] = []
  /// Entries of DT_INIT_ARRAY, and DT_INIT.
  private(set) var initializers = 0
  /// Segments that can be both written and executed.
  private(set) var writableCode = 0

  private let bytes: [UInt8]
  /// Where segments lie: address, offset and size in the file.
  private var loads: [(address: UInt64, offset: UInt64, size: UInt64)] = []

  init(_ bytes: [UInt8]) throws(Damage) {
    self.bytes = bytes
    guard bytes.count >= 64, bytes[0..<4].elementsEqual([0x7F, 0x45, 0x4C, 0x46]) else {
      throw Damage("the file does not begin as ELF does")
    }
    // e_ident: 64 bits, little-endian, version 1.
    guard bytes[4] == 2, bytes[5] == 1, bytes[6] == 1 else {
      throw Damage("class \(bytes[4]), data \(bytes[5]), version \(bytes[6]); 2, 1 and 1 are expected")
    }
    let type = try uint16(16)
    guard type == 3 else { throw Damage("type \(type); a shared library has 3, ET_DYN") }
    machine = try uint16(18)
    let (offset, size, count) = (try uint64(32), try uint16(54), try uint16(56))
    guard size >= 56, count > 0, count <= 512 else { throw Damage("\(count) program headers of \(size) bytes") }
    var dynamic: (offset: UInt64, size: UInt64)?
    for index in 0..<UInt64(count) {
      let at = try sum(offset, index * UInt64(size))
      let (kind, flags) = (try uint32(at), try uint32(at + 4))
      let (place, address, length) = (
        try uint64(try sum(at, 8)), try uint64(try sum(at, 16)), try uint64(try sum(at, 32))
      )
      switch kind {
      case 1:
        loads.append((address, place, length))
        if flags & 3 == 3 { writableCode += 1 }
      case 2: dynamic = (place, length)
      case 0x6474_E551: stackFlags = flags
      default: break
      }
    }
    guard let dynamic else { throw Damage("there is no dynamic section") }
    try readDynamic(dynamic.offset, dynamic.size)
  }

  private mutating func readDynamic(_ offset: UInt64, _ size: UInt64) throws(Damage) {
    var values: [UInt64: UInt64] = [:]
    var (neededNames, paths): ([UInt64], [UInt64]) = ([], [])
    var isEnded = false
    for index in 0..<min(size / 16, 65_536) {
      let at = try sum(offset, index * 16)
      let (tag, value) = (try uint64(at), try uint64(try sum(at, 8)))
      if tag == 0 {
        isEnded = true
        break
      }
      switch tag {
      case 1: neededNames.append(value)
      case 15, 29: paths.append(value)
      case 22: hasTextRelocations = true
      // DT_FLAGS, DF_TEXTREL.
      case 30: if value & 4 != 0 { hasTextRelocations = true }
      default: values[tag] = value
      }
    }
    guard isEnded else { throw Damage("the dynamic section has no end") }
    guard let strings = values[5], let stringSize = values[10], let table = values[6] else {
      throw Damage("the dynamic section has no DT_STRTAB, DT_STRSZ or DT_SYMTAB")
    }
    let names = try place(strings, stringSize)
    for name in neededNames { needed.append(try text(names, stringSize, name)) }
    for path in paths { searchPaths.append(try text(names, stringSize, path)) }
    initializers = Int(clamping: (values[27] ?? 0) / 8) + (values[12] == nil ? 0 : 1)
    let count = try symbolCount(values)
    let start = try place(table, count * 24)
    for index in 1..<max(count, 1) {
      let at = try sum(start, index * 24)
      let (info, other, section) = (try uint8(try sum(at, 4)), try uint8(try sum(at, 5)), try uint16(try sum(at, 6)))
      let isVisible = [1, 2, 10].contains(info >> 4) && [0, 3].contains(other & 3)
      symbols.append(
        Symbol(name: try text(names, stringSize, UInt64(try uint32(at))), isDefined: section != 0, isVisible: isVisible)
      )
    }
  }

  /// How many symbols there are, from DT_HASH or DT_GNU_HASH: nothing else in a loaded library says it.
  private func symbolCount(_ values: [UInt64: UInt64]) throws(Damage) -> UInt64 {
    if let hash = values[4] { return try limited(UInt64(try uint32(try place(hash, 8) + 4))) }
    guard let hash = values[0x6FFF_FEF5] else { throw Damage("there is neither DT_HASH nor DT_GNU_HASH") }
    let at = try place(hash, 16)
    let (buckets, first, bloom) = (UInt64(try uint32(at)), UInt64(try uint32(at + 4)), UInt64(try uint32(at + 8)))
    guard buckets <= 1 << 20, bloom <= 1 << 20 else { throw Damage("a hash table of \(buckets) buckets") }
    let start = try sum(at, 16 + bloom * 8)
    var last: UInt64 = 0
    for index in 0..<buckets { last = max(last, UInt64(try uint32(try sum(start, index * 4)))) }
    guard last >= first else { return try limited(first) }
    // The last chain ends where the lowest bit is set.
    let chains = try sum(start, buckets * 4)
    while try uint32(try sum(chains, (last - first) * 4)) & 1 == 0 { last = try limited(last + 1) }
    return try limited(last + 1)
  }

  private func limited(_ count: UInt64) throws(Damage) -> UInt64 {
    guard count <= 1 << 20 else { throw Damage("\(count) symbols, 1048576 are read at most") }
    return count
  }

  /// The offset in the file of an address.
  private func place(_ address: UInt64, _ size: UInt64) throws(Damage) -> UInt64 {
    for load in loads where address >= load.address && address - load.address < load.size {
      let distance = address - load.address
      guard size <= load.size - distance else { break }
      let offset = try sum(load.offset, distance)
      guard offset <= UInt64(bytes.count), size <= UInt64(bytes.count) - offset else { break }
      return offset
    }
    throw Damage("\(size) bytes at address 0x\(String(address, radix: 16)) are in no segment of the file")
  }

  private func text(_ table: UInt64, _ size: UInt64, _ offset: UInt64) throws(Damage) -> String {
    guard offset < size else { throw Damage("a name at \(offset) of \(size) bytes of names") }
    let start = Int(table + offset)
    let rest = bytes[start..<min(bytes.count, Int(table + size))]
    guard let end = rest.firstIndex(of: 0) else { throw Damage("a name without an end") }
    return String(decoding: rest[..<end], as: UTF8.self)
  }

  private func sum(_ a: UInt64, _ b: UInt64) throws(Damage) -> UInt64 {
    let (sum, isOver) = a.addingReportingOverflow(b)
    guard !isOver else { throw Damage("an offset over 64 bits") }
    return sum
  }

  private func number(_ offset: UInt64, _ size: Int) throws(Damage) -> UInt64 {
    guard offset <= UInt64(bytes.count), UInt64(bytes.count) - offset >= UInt64(size) else {
      throw Damage("\(size) bytes at \(offset) of a file of \(bytes.count)")
    }
    return (0..<size).reduce(0) { $0 | UInt64(bytes[Int(offset) + $1]) << (8 * UInt64($1)) }
  }

  private func uint8(_ offset: UInt64) throws(Damage) -> UInt8 { UInt8(try number(offset, 1)) }
  private func uint16(_ offset: UInt64) throws(Damage) -> UInt16 { UInt16(try number(offset, 2)) }
  private func uint32(_ offset: UInt64) throws(Damage) -> UInt32 { UInt32(try number(offset, 4)) }
  private func uint64(_ offset: UInt64) throws(Damage) -> UInt64 { try number(offset, 8) }
}
