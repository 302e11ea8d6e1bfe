// SPDX-License-Identifier: Apache-2.0

import HEVCBitstream
import ISOBaseMediaFile
import ImageCoderPlugin

/// A track of coded pictures, ready to be decoded: its samples in order, and what its sample entry says of them.
struct PictureTrack {
  private(set) var samples: [Sample]
  private(set) var order: FrameOrder
  /// How long each sample is shown, in units of the timescale.
  private let durations: [UInt64]
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
    durations = Self.durations(of: samples, in: order, total: table.duration)
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
      case .cleanAperture: aperture = try CleanAperture(parsing: box)
      case .pixelAspectRatio: pixelAspectRatio = (try box.uint32(at: 0), try box.uint32(at: 4))
      case .auxiliaryTypeInformation:
        let text = try box.copy(at: 4, count: max(0, box.count - 4))
        auxiliaryType = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
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

  /// How long a frame is shown: a fraction of a second in its lowest terms.
  func delay(of frame: Int) -> FrameDelay {
    var units = durations[order.sample(of: frame)]
    var scale = UInt64(timescale)
    let divisor = Self.greatestCommonDivisor(units, scale)
    units /= divisor
    scale /= divisor
    return FrameDelay(
      numerator: UInt32(clamping: units), denominator: UInt32(truncatingIfNeeded: scale))
  }

  /// A picture is shown until the next one is; the last one for what is left of the duration.
  private static func durations(of samples: [Sample], in order: FrameOrder, total: UInt64) -> [UInt64] {
    var result = [UInt64](repeating: 0, count: samples.count)
    guard let first = samples.indices.first else { return result }
    let start = samples[order.sample(of: first)].time
    for frame in samples.indices {
      let index = order.sample(of: frame)
      // Times are sorted, and their distance is below 2^63.
      if frame + 1 < samples.count {
        result[index] = UInt64(clamping: samples[order.sample(of: frame + 1)].time &- samples[index].time)
      } else {
        result[index] = UInt64(clamping: Int64(clamping: total) &- (samples[index].time &- start))
      }
    }
    return result
  }

  private static func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return max(a, 1)
  }
}

/// A `clap` box (ISO/IEC 14496-12 §12.1.4): a rectangle of a size, by how far its center is from the picture's.
struct CleanAperture {
  private let fields: [UInt32]

  init(parsing box: BoxBytes) throws(CoderError) {
    var fields: [UInt32] = []
    for index in 0..<8 { fields.append(try box.uint32(at: index * 4)) }
    self.fields = fields
  }

  /// The rectangle when it lies on whole pixels inside the picture, else nil.
  func window(in size: Size) -> Rect? {
    guard let width = whole(0), let height = whole(2), width > 0, height > 0,
      let x = start(of: width, in: size.width, offset: 4), let y = start(of: height, in: size.height, offset: 6)
    else { return nil }
    let rect = Rect(x: x, y: y, width: width, height: height)
    return rect.isInside(size) ? rect : nil
  }

  private func whole(_ index: Int) -> Int? {
    let (value, part) = (Int(fields[index]), Int(fields[index + 1]))
    guard part > 0, value % part == 0, value / part <= 65_535 else { return nil }
    return value / part
  }

  /// (side − width) / 2 + offset, when that is whole.
  private func start(of width: Int, in side: Int, offset index: Int) -> Int? {
    let value = Int(Int32(bitPattern: fields[index]))
    let part = Int(fields[index + 1])
    guard part > 0 else { return nil }
    // 32-bit numerators and denominators keep the products in 64 bits.
    let (twice, divisor) = ((side - width) * part + 2 * value, 2 * part)
    return twice >= 0 && twice % divisor == 0 ? twice / divisor : nil
  }
}
