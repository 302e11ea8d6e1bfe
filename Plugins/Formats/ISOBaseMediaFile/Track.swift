// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// A track of the movie: what its boxes say, without its sample tables.
///
/// - Format: ISO/IEC 14496-12 §8.3 to §8.6, ISO/IEC 23008-12 §7.
public struct Track {
  public let identifier: UInt32
  public let isEnabled: Bool
  public let handler: FourCC
  /// The duration in units of the movie's timescale, or nil without end.
  public let duration: UInt64?
  public let orientation: Orientation
  /// Units of a second.
  public let timescale: UInt32
  public let repetition: Repetition
  /// What of the media is shown when; empty for all of it.
  public let edits: [Edit]
  private let references: [FourCC: [UInt32]]
  public let sampleTable: BoxBytes
  /// The sample entry's format, `hvc1`; the first entry counts.
  public let format: FourCC
  private let entry: BoxBytes
  /// The formats of all sample entries.
  public let formats: [FourCC]

  /// What the edit list says.
  public enum Repetition: Equatable {
    case unstated
    case once
    /// Again and again, each time for so many units of the movie's timescale in so many edits.
    case repeated(UInt64, edits: Int)
  }

  /// A part of the media that is shown (ISO/IEC 14496-12 §8.6.6).
  public struct Edit: Equatable, Sendable {
    /// Units of the movie's timescale.
    public let duration: UInt64
    /// Where the part begins, in units of the media's timescale; below 0 for a pause.
    public let mediaTime: Int64
    /// 65,536ths: 0 shows one picture all the time, below 0 goes backwards.
    public let rate: Int32

    /// Shows a part of the media at its own rate, unless another one is given.
    public init(duration: UInt64, mediaTime: Int64, rate: Int32 = 1 << 16) {
      self.duration = duration
      self.mediaTime = mediaTime
      self.rate = rate
    }
  }

  public init(parsing box: BoxBytes) throws(CoderError) {
    let header = try box.required(.trackHeader)
    let isLong = try header.uint8(at: 0) == 1
    isEnabled = try header.uint8(at: 3) & 1 != 0
    identifier = try header.uint32(at: isLong ? 20 : 12)
    let stated = try header.number(at: isLong ? 28 : 20, bytes: isLong ? 8 : 4)
    duration = stated == (isLong ? .max : UInt64(UInt32.max)) ? nil : stated
    orientation = try Self.orientation(of: header, at: isLong ? 52 : 40)

    references = try Self.references(of: box)
    let list = try box.child(.edit)?.child(.editList)
    edits = try list.map { (list) throws(CoderError) in try Self.edits(in: list) } ?? []
    repetition = try Self.repetition(list, edits)

    let media = try box.required(.media)
    let mediaHeader = try media.required(.mediaHeader)
    timescale = try mediaHeader.uint32(at: try mediaHeader.uint8(at: 0) == 1 ? 20 : 12)
    handler = try media.required(.handler).fourCC(at: 8)
    sampleTable = try media.required(.mediaInformation).required(.sampleTable)
    let description = try sampleTable.required(.sampleDescription)
    let entries = try description.uint32(at: 4) > 0 ? description.children(from: 8) : []
    guard let first = entries.first else {
      throw .malformed("the track has no sample entry", at: description.offset)
    }
    format = first.type
    formats = entries.map(\.type)
    entry = first
  }

  /// Whether samples are pictures in HEVC, one layer each.
  public var isHEVC: Bool { format == .hvc1 || format == .hev1 }
  /// Whether the track is there to be looked at: no alpha, depth or thumbnails of another one.
  public var isShown: Bool {
    (handler == .picture || handler == .video) && references[.auxiliary] == nil && references[.thumbnail] == nil
  }

  public func refers(to track: UInt32, as kind: FourCC) -> Bool { references[kind]?.contains(track) ?? false }

  /// The first track that this one refers to in some way.
  public func target(of kind: FourCC) -> UInt32? { references[kind]?.first }

  /// The width and height that the sample entry states (ISO/IEC 14496-12 §12.1.3).
  public func entrySize() throws(CoderError) -> Size {
    Size(width: try entry.uint16(at: 24), height: try entry.uint16(at: 26))
  }

  /// The boxes after the fields of a visual sample entry.
  public func entryBoxes() throws(CoderError) -> [BoxBytes] {
    guard entry.count >= 78 else {
      throw .malformed("a sample entry of \(entry.count) bytes, 78 are needed", at: entry.offset)
    }
    return try entry.children(from: 78)
  }

  /// How the matrix turns the picture, when it does nothing else (ISO/IEC 14496-12 §8.3.2, §6.2.2).
  ///
  /// Rows are those of the box: a picture's x goes by a and b, its y by c and d, into x and y of the display.
  private static func orientation(of header: BoxBytes, at place: Int) throws(CoderError) -> Orientation {
    func sign(_ index: Int) throws(CoderError) -> Int {
      Int(Int32(bitPattern: try header.uint32(at: place + 4 * index)).signum())
    }
    let (a, b, c, d) = (try sign(0), try sign(1), try sign(3), try sign(4))
    switch (a, b, c, d) {
    case (-1, 0, 0, 1): return .upMirrored
    case (-1, 0, 0, -1): return .down
    case (1, 0, 0, -1): return .downMirrored
    case (0, 1, 1, 0): return .leftMirrored
    case (0, 1, -1, 0): return .right
    case (0, -1, -1, 0): return .rightMirrored
    case (0, -1, 1, 0): return .left
    default: return .up
    }
  }

  private static func references(of box: BoxBytes) throws(CoderError) -> [FourCC: [UInt32]] {
    guard let references = try box.child(.trackReference) else { return [:] }
    var result: [FourCC: [UInt32]] = [:]
    for reference in try references.children() {
      // More references than tracks say nothing.
      for index in 0..<min(reference.count / 4, 256) {
        result[reference.type, default: []].append(try reference.uint32(at: index * 4))
      }
    }
    return result
  }

  /// ISO/IEC 14496-12 §8.6.6: flag 1 repeats the edits until the track's duration is over.
  private static func repetition(_ list: BoxBytes?, _ edits: [Edit]) throws(CoderError) -> Repetition {
    guard let list else { return .unstated }
    guard try list.uint8(at: 3) & 1 != 0 else { return .once }
    var total: UInt64 = 0
    for edit in edits {
      let (sum, overflow) = total.addingReportingOverflow(edit.duration)
      total = overflow ? .max : sum
    }
    return .repeated(total, edits: edits.count)
  }

  private static func edits(in list: BoxBytes) throws(CoderError) -> [Edit] {
    let width = try list.uint8(at: 0) == 1 ? 8 : 4
    let count = try list.tableCount(at: 4, entryBytes: 2 * width + 4)
    var edits: [Edit] = []
    for index in 0..<count {
      let place = 8 + index * (2 * width + 4)
      let time = try list.number(at: place + width, bytes: width)
      edits.append(
        Edit(
          duration: try list.number(at: place, bytes: width),
          mediaTime: width == 8
            ? Int64(bitPattern: time) : Int64(Int32(bitPattern: UInt32(truncatingIfNeeded: time))),
          rate: Int32(bitPattern: try list.uint32(at: place + 2 * width))))
    }
    return edits
  }

  /// How often the track plays in all, or nil when the file does not say.
  public var loopCount: LoopCount? {
    switch repetition {
    case .unstated: return nil
    case .once: return .plays(1)
    case .repeated(let length, _):
      guard let duration else { return .infinite }
      guard length > 0 else { return nil }
      // A last round that the track's duration cuts short counts as one.
      let (rounds, rest) = duration.quotientAndRemainder(dividingBy: length)
      return .plays(UInt32(clamping: max(1, rest == 0 ? rounds : rounds &+ 1)))
    }
  }
}
