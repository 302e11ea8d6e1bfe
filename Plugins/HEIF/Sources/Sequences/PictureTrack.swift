// SPDX-License-Identifier: Apache-2.0

import HEVCBitstream
import ISOBaseMediaFile
import ImageCoderPlugin

/// A track of coded pictures, ready to be decoded: its samples in order, and what its sample entry says of them.
struct PictureTrack {
  private(set) var samples: [Sample]
  private(set) var order: FrameOrder
  /// When the media ends, in units of the timescale.
  private let duration: UInt64
  private let edits: [Track.Edit]
  let timescale: UInt32
  private(set) var configuration: HEVCConfiguration
  /// What the parameter sets say; nil until one is found.
  private(set) var sequence: SequenceParameters?
  /// What the `colr` box says.
  private var boxPoints: CodingIndependentCodePoints?
  /// Where the ICC profile lies in the file.
  private(set) var profile: Range<Int>?
  private(set) var pixelAspectRatio: (horizontal: UInt32, vertical: UInt32)?
  /// The type of auxiliary pictures, an URN.
  private(set) var auxiliaryType: String?
  private var aperture: CleanAperture?
  /// How bright light is, by the boxes of the sample entry.
  private(set) var light = LightLevels()
  private let entrySize: Size
  /// Samples that the tables announce, whether they are there or not.
  let announced: Int

  init(_ track: Track, limits: Limits) throws(CoderError) {
    guard track.timescale > 0 else { throw .malformed("a timescale of 0", at: track.sampleTable.offset) }
    let table = try SampleTable(parsing: track.sampleTable, limits: limits)
    samples = table.samples
    announced = table.announced
    timescale = track.timescale
    order = FrameOrder(samples)
    duration = table.duration
    edits = track.edits
    entrySize = try track.entrySize()
    let boxes = try track.entryBoxes()
    guard let record = boxes.first(where: { $0.type == .hevcConfiguration }) else {
      throw .malformed("the sample entry has no hvcC", at: track.sampleTable.offset)
    }
    configuration = try record.read { reader throws(CoderError) in try HEVCConfiguration(parsing: &reader) }
    sequence = configuration.sequences.first
    for box in boxes {
      switch box.type {
      case .color: try readColor(box)
      case .cleanAperture:
        aperture = try box.read { content throws(CoderError) in try CleanAperture(parsing: &content) }
      case .pixelAspectRatio: pixelAspectRatio = (try box.uint32(at: 0), try box.uint32(at: 4))
      case .auxiliaryTypeInformation:
        let text = try box.copy(at: 4, count: max(0, box.count - 4))
        auxiliaryType = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
      case let type where LightLevels.isLight(type):
        try box.read { content throws(CoderError) in try light.read(&content, of: type) }
      default: continue
      }
    }
  }

  /// A `colr` box: code points and a profile may both be there (ISO/IEC 14496-12 §12.1.5).
  private mutating func readColor(_ box: BoxBytes) throws(CoderError) {
    switch try box.fourCC(at: 0) {
    case .nclx:
      boxPoints = CodingIndependentCodePoints(
        primaries: UInt8(truncatingIfNeeded: try box.uint16(at: 4)),
        transfer: UInt8(truncatingIfNeeded: try box.uint16(at: 6)),
        matrix: UInt8(truncatingIfNeeded: try box.uint16(at: 8)), isFullRange: try box.uint8(at: 10) & 0x80 != 0)
    case .profile, .restrictedProfile: profile = try box.place(of: 4, count: box.count - 4)
    default: return
    }
  }

  /// Takes parameter sets from the first sample, where `hev1` may have them (ISO/IEC 14496-15 §8.4.3), and checks what
  /// is known of the pictures.
  mutating func complete(from source: SourceView) throws(CoderError) {
    if !configuration.isComplete, let first = samples.first {
      try configuration.add(from: try source.bytes(at: first.offset, count: first.size), at: first.offset)
    }
    let sequence = try configuration.sequence()
    self.sequence = sequence
    guard entrySize.isEmpty || entrySize == sequence.size else {
      throw .malformed("the track states \(entrySize), its bitstream \(sequence.size)")
    }
  }

  /// Keeps the first samples only.
  mutating func keep(_ count: Int) {
    guard count < samples.count else { return }
    samples.removeLast(samples.count - count)
    order = FrameOrder(samples)
  }

  /// Whether a sample is a picture at which decoding can start, by its bitstream.
  func isRandomAccess(_ index: Int, in source: SourceView) throws(CoderError) -> Bool {
    let bytes = try source.bytes(at: samples[index].offset, count: samples[index].size)
    // A cut sample is damaged when it is decoded, and says as much here as a whole one.
    var places = NALUnitPlaces(lengthBytes: configuration.lengthBytes, isCut: true)
    while let place = try places.next(in: bytes) {
      guard let type = NALUnit.type(of: bytes.extracting(place)), NALUnitType.isSlice(type) else { continue }
      return NALUnitType.isIntraRandomAccess(type)
    }
    return false
  }

  /// Whether the first sample is a picture at which decoding can start. A sample without a picture, and what only more bytes
  /// would tell of an incremental file, count as one that is.
  func canStart(in source: SourceView, isIncremental: Bool) throws(CoderError) -> Bool {
    guard let first = samples.first else { return true }
    let bytes = try source.bytes(at: first.offset, count: isIncremental ? min(first.size, 64) : first.size)
    var places = NALUnitPlaces(lengthBytes: configuration.lengthBytes, isCut: true)
    while let place = try places.next(in: bytes) {
      guard let type = NALUnit.type(of: bytes.extracting(place)), NALUnitType.isSlice(type) else { continue }
      return NALUnitType.isIntraRandomAccess(type)
    }
    return true
  }

  /// Takes the bitstream's word for where decoding can start. Some writers list pictures as sync samples that are
  /// intra pictures in the middle of a group.
  mutating func correctSyncSamples(from source: SourceView) throws(CoderError) {
    for index in samples.indices.dropFirst() where samples[index].isSync {
      samples[index].isSync = try isRandomAccess(index, in: source)
    }
    order = FrameOrder(samples)
  }

  /// How many samples, from the first on, lie wholly in a source.
  func wholeSamples(in size: Int) -> Int {
    samples.firstIndex { $0.offset > size || $0.size > size - $0.offset } ?? samples.count
  }

  /// What the bitstream says of its colors.
  private var signal: VideoSignal { sequence?.signal ?? VideoSignal() }
  /// What samples mean: by the `colr` box, else by the bitstream.
  var points: CodingIndependentCodePoints { boxPoints ?? signal.points }
  /// The same, when the file says it.
  var statedPoints: CodingIndependentCodePoints? { boxPoints ?? (signal.hasDescription ? signal.points : nil) }

  /// What is shown of a picture.
  func window() throws(CoderError) -> Rect {
    guard let sequence else { throw .malformed("the track has no sequence parameter set") }
    return aperture?.window(in: sequence.size) ?? Rect(covering: sequence.size)
  }

  /// Which of its pictures are shown when.
  ///
  /// - Parameter movieTimescale: Units of a second in which edits count.
  func presentation(movieTimescale: UInt32, limits: Limits) throws(CoderError) -> EditedFrames {
    var times = (0..<order.count).map { samples[order.sample(of: $0)].time }
    // The last picture is shown for what is left of the duration.
    if let first = times.first, let last = times.last {
      times.append(max(last, first &+ Int64(clamping: duration)))
    }
    return try EditedFrames(
      times: times, edits: edits, timescale: timescale, movieTimescale: movieTimescale, limits: limits)
  }

  /// The sample of a picture, which is counted in the order in which pictures are composed.
  func sample(of frame: Int) -> Int { order.sample(of: frame) }

  /// Pictures by their samples.
  var framesBySample: [Int: Int] {
    Dictionary((0..<order.count).map { (sample(of: $0), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// A duration as a fraction of a second in its lowest terms.
  func delay(of duration: UInt64) -> FrameDelay {
    let divisor = Self.greatestCommonDivisor(duration, UInt64(timescale))
    return FrameDelay(
      numerator: UInt32(clamping: duration / divisor),
      denominator: UInt32(truncatingIfNeeded: UInt64(timescale) / divisor))
  }

  private static func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return max(a, 1)
  }
}
