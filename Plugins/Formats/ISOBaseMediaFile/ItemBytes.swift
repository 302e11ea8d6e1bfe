// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The bytes of one item, in one piece.
public struct ItemBytes {
  /// Where they lie in the file, when they lie in one piece.
  public let range: Range<Int>?
  private let gathered: [UInt8]
  private let contents: UnsafeRawBufferPointer
  /// Where the item starts in the file, for errors; 0 for one in several pieces.
  public let offset: Int
  /// Whether the file ends before the item does.
  public let isCut: Bool

  /// - Throws: ``CoderError/Code/malformed``; ``CoderError/Code/unsupported`` for bytes that lie elsewhere.
  public init(of item: Item, in meta: MetaBox, _ file: FileBytes) throws(CoderError) {
    let places = try Places(of: item, in: meta, of: file, count: file.raw.count)
    contents = file.raw
    isCut = places.isCut
    if let only = places.only {
      range = only
      gathered = []
    } else {
      range = nil
      var bytes: [UInt8] = []
      bytes.reserveCapacity(places.total)
      for part in places.ranges { bytes.append(contentsOf: file.raw[part]) }
      gathered = bytes
    }
    offset = range?.lowerBound ?? 0
  }

  /// Of a file of which the first bytes are here: fetches those of an item that lies in the file, or where it has many, all.
  ///
  /// - Parameter isAlone: Whether bytes of others are not wanted, however many the item has.
  /// - Throws: As above.
  public init(
    of item: Item, in meta: MetaBox, _ first: FileBytes, source: SourceView, isAlone: Bool = false
  ) throws(CoderError) {
    let places = try Places(of: item, in: meta, of: first, count: first.end)
    guard isAlone || places.total <= Self.mostFetched else {
      self = try ItemBytes(of: item, in: meta, FileBytes(whole: try source.contents()))
      return
    }
    var bytes: [UInt8] = []
    try ArrayMemory.grow(&bytes, by: places.total, for: "an item")
    for part in places.ranges { bytes.append(contentsOf: try source.view(at: part.lowerBound, count: part.count)) }
    contents = UnsafeRawBufferPointer(start: nil, count: 0)
    gathered = bytes
    isCut = places.isCut
    range = places.only
    offset = range?.lowerBound ?? 0
  }

  /// Exif, XMP and what puts pictures together is smaller; a picture's own bytes are needed with those of others.
  private static let mostFetched = 64 << 10

  /// Whether the file ends before an item does, or nil for one that cannot be read.
  public static func isCut(_ item: Item, in meta: MetaBox, of file: FileBytes) -> Bool? {
    try? Places(of: item, in: meta, of: file, count: file.end).isCut
  }
}

/// Where the bytes of an item lie.
private struct Places {
  private(set) var ranges: [Range<Int>] = []
  /// Whether the file ends before the item does.
  private(set) var isCut = false
  private(set) var total = 0

  /// The place of an item in one piece.
  var only: Range<Int>? { ranges.count == 1 ? ranges[0] : nil }

  /// - Parameter count: Bytes of the file that can be read.
  init(of item: Item, in meta: MetaBox, of file: FileBytes, count fileCount: Int) throws(CoderError) {
    let whole: Range<Int>
    switch item.construction {
    case .file: whole = 0..<fileCount
    case .itemData:
      guard let data = meta.itemData else { throw .malformed("item \(item.id) lies in idat, which is not there") }
      whole = data
    case .elsewhere(let place): throw .unsupported("item \(item.id) lies in \(place.rawValue)")
    }
    for extent in meta.extents[item.extents] {
      let (start, overflow) = item.base.addingReportingOverflow(extent.offset)
      guard !overflow, let offset = Int(exactly: start) else {
        throw .malformed("item \(item.id) starts at \(item.base) + \(extent.offset)")
      }
      let available = max(whole.count - offset, 0)
      let length = extent.length == 0 ? available : Int(clamping: extent.length)
      if length > available {
        guard whole.upperBound == file.end else {
          throw .malformed("item \(item.id) needs \(length) bytes at \(offset) of idat, which has \(whole.count)")
        }
        isCut = true
      }
      let first = whole.lowerBound + min(offset, whole.count)
      let count = min(length, available)
      // Extents that overlap would let a small file ask for much memory.
      total += count
      guard total <= file.end else {
        throw .malformed("item \(item.id) takes \(total) bytes of a file of \(file.end)")
      }
      if count > 0 { ranges.append(first..<first + count) }
      if isCut { break }
    }
  }
}

extension ItemBytes {

  /// Waits for the bytes of an item that lies in the file.
  ///
  /// - Returns: nil when the file ended before they were there.
  public init?(of item: Item, in meta: MetaBox, incremental source: SourceView) throws(CoderError) {
    var ranges: [Range<Int>] = []
    var end = 0
    var total = 0
    for extent in meta.extents[item.extents] {
      let start = Int(clamping: item.base).addingReportingOverflow(Int(clamping: extent.offset))
      // A length of 0 reaches to the end of the file.
      let length = extent.length == 0 ? .max : Int(clamping: extent.length)
      let last = start.partialValue.addingReportingOverflow(length)
      // No item takes more bytes than its file has.
      let sum = total.addingReportingOverflow(length)
      guard !start.overflow, !last.overflow, !sum.overflow else {
        _ = try source.contents()
        return nil
      }
      ranges.append(start.partialValue..<last.partialValue)
      end = max(end, last.partialValue)
      total = sum.partialValue
    }
    let last = max(end, total)
    if last > 0 { _ = try source.view(at: last - 1, least: 1, most: 1) }
    guard source.size == .max else { return nil }
    contents = UnsafeRawBufferPointer(start: nil, count: 0)
    isCut = false
    range = nil
    offset = ranges.count == 1 ? ranges[0].lowerBound : 0
    var bytes: [UInt8] = []
    bytes.reserveCapacity(total)
    for range in ranges { bytes.append(contentsOf: try source.view(at: range.lowerBound, count: range.count)) }
    gathered = bytes
  }

  /// Bytes that are there.
  public var count: Int { contents.baseAddress == nil ? gathered.count : range?.count ?? gathered.count }

  /// Reads fields from the item's bytes.
  public func read<Result>(_ body: (inout ByteReader) throws(CoderError) -> Result) throws(CoderError) -> Result {
    try withBytes { bytes throws(CoderError) in
      var reader = ByteReader(bytes.bytes, at: offset, of: "an item", isCutOff: isCut)
      return try body(&reader)
    }
  }

  /// Shows all of the bytes.
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws(CoderError) -> Result) throws(CoderError)
    -> Result
  {
    if let range, contents.baseAddress != nil { return try body(UnsafeRawBufferPointer(rebasing: contents[range])) }
    var result: Swift.Result<Result, CoderError>?
    gathered.withUnsafeBytes { bytes in
      do throws(CoderError) { result = .success(try body(bytes)) } catch { result = .failure(error) }
    }
    guard let result else { throw .libraryFailure("an array without bytes") }
    return try result.get()
  }
}
