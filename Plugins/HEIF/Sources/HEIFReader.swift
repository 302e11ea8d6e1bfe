// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// Reads HEIF with pictures in HEVC: stills, or the image sequence of a file that announces one.
///
/// - Format: ISO/IEC 23008-12 and 14496-12. Library: libde265 1.0.
final class HEIFReader: ContainerReader {
  private let reader: any ReaderSession
  private let source: SourceView
  private let limits: Limits
  /// Looked for once the file is complete.
  private var outside: OutsideBoxes?
  /// Whether stills are shown in place of a sequence that cannot be read.
  private let standsIn: Bool

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    limits = host.limits
    guard try Self.announcesSequence(source) else {
      reader = try StillReader(source, host: host, options: options)
      standsIn = false
      return
    }
    do throws(CoderError) {
      let sequence = try SequenceReader(source, host: host, options: options)
      let stills = try sequence.canStart ? nil : Self.stills(source, host: host, options: options)
      reader = stills ?? sequence
      standsIn = stills != nil
    } catch {
      // A file that names brands of sequences may hold stills alone, or a sequence that cannot be read beside them.
      guard [.wrongFormat, .unsupported, .malformed].contains(error.code) else { throw error }
      reader = try Self.stills(source, host: host, options: options, insteadOf: error)
      standsIn = error.code != .wrongFormat
    }
  }

  /// The stills beside a sequence whose first picture refers to others that are not there; nil where there are none.
  private static func stills(
    _ source: SourceView, host: CoderHost, options: OpenOptions
  ) throws(CoderError) -> StillReader? {
    do throws(CoderError) {
      let reader = try StillReader(source, host: host, options: options)
      host.log("the image sequence is passed over: decoding cannot start at its first picture", severity: .warning)
      return reader
    } catch {
      guard error.code.group == .file || error.code == .unsupported else { throw error }
      return nil
    }
  }

  private static func stills(
    _ source: SourceView, host: CoderHost, options: OpenOptions, insteadOf refusal: CoderError
  ) throws(CoderError) -> StillReader {
    do throws(CoderError) {
      let reader = try StillReader(source, host: host, options: options)
      if refusal.code != .wrongFormat {
        host.log("the image sequence is passed over: \(refusal.message)", severity: .warning)
      }
      return reader
    } catch {
      throw error.code == .wrongFormat || refusal.code == .malformed ? refusal : error
    }
  }

  /// The brands of the file type box that a host looks at: those in 4 KiB.
  private static let brandCount = 1_020

  /// Whether the major brand is that of image sequences, or one of the brands is one of sequences in HEVC: hevc,
  /// hevx, hevm, hevs (ISO/IEC 23008-12 §10.3, annex B). Sequences in AV1 name the former beside their own.
  private static func announcesSequence(_ source: SourceView) throws(CoderError) -> Bool {
    guard let box = try source.box(at: 0, before: source.size), box.type == .fileType else { return false }
    // The major brand, the minor version, and the other brands.
    let count = min(box.payload.count, 4 + 4 * brandCount)
    var reader = ByteReader(try source.bytes(at: box.content, count: count), of: "ftyp")
    while reader.remaining >= 4 {
      let isMajor = reader.position == 0
      let brand = try reader.fourCC()
      if sequenceBrands.contains(brand) || isMajor && brand == .imageSequence { return true }
      if isMajor, reader.remaining >= 4 { try reader.skip(4) }
    }
    return false
  }

  private static let sequenceBrands = [FourCC("hevc"), FourCC("hevx"), FourCC("hevm"), FourCC("hevs")]

  func header(page: Int) throws(CoderError) -> ImageHeader {
    var header = try reader.header(page: page)
    header.standsIn = standsIn
    if page < header.pageCount, try outsideBoxes()?.credentials != nil { header.metadata.insert(.c2pa) }
    header.isLossless = header.isLossless && !standsIn
    return header
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader { try reader.frame(index, page: page) }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer { try reader.offer(for: request) }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) { try reader.decode(offer, into: sink) }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    if kind == .other { return page == 0 ? try OtherBoxes.names(in: source) : nil }
    guard kind == .c2pa || kind == .trailer else { return try reader.metadata(kind, page: page) }
    guard try page < reader.header(page: page).pageCount else { return nil }
    return try outsideBoxes()?.metadata(kind, in: source, limits: limits)
  }

  private func outsideBoxes() throws(CoderError) -> OutsideBoxes? {
    guard outside == nil, source.size < .max else { return outside }
    let found = try OutsideBoxes(source)
    outside = found
    return found
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    try reader.properties(page: page, frame: frame)
  }

  func storedColor(page: Int) throws(CoderError) -> StoredColor {
    try reader.storedColor(page: page)
  }

  func gainMap(_ block: GainMapBlock, page: Int) throws(CoderError) -> [UInt8]? {
    try reader.gainMap(block, page: page)
  }
}
