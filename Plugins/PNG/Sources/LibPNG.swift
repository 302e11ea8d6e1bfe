// SPDX-License-Identifier: Apache-2.0

import CPNGShim
import ImageCoderPlugin

/// libpng, zlib and libdeflate through the shim. ``PNGWriter`` describes a picture in the shim's own struct; every call of
/// a function in C is here, or in ``RowEncoder``.
enum LibPNG {
  static let version = String(cString: cpng_version())

  /// Decodes a picture into a sink.
  ///
  /// - Parameters:
  ///   - lead: Signature, IHDR, PLTE and tRNS.
  ///   - transforms: `CPNG_*`.
  ///   - rowBytes: Of a row in memory.
  static func decode(
    _ data: ImageData, of source: SourceView, lead: [UInt8], transforms: Transforms, rowBytes: Int, into sink: RowSink,
    host: CoderHost, isIncremental: Bool
  ) throws(CoderError) {
    var failure = cpng_failure()
    let status = lead.withUnsafeBufferPointer { lead in
      var picture = cpng_picture()
      picture.host = host.raw
      picture.source = source.raw
      picture.lead = lead.baseAddress
      picture.lead_length = UInt64(lead.count)
      picture.data_start = UInt64(data.start)
      picture.data_end = UInt64(data.end)
      picture.data_name = data.name.rawValue
      picture.transforms = transforms.rawValue
      picture.row_bytes = UInt64(rowBytes)
      picture.is_incremental = isIncremental ? 1 : 0
      return cpng_decode(&picture, sink.raw, &failure)
    }
    guard status == 0 else { throw CoderError(failure, status: status) }
  }

  /// Encodes a picture into chunks.
  ///
  /// - Parameter image: All but its host and output.
  static func encode(_ image: inout cpng_image, to output: ByteOutput, host: CoderHost) throws(CoderError) {
    var failure = cpng_failure()
    image.host = host.raw
    image.output = output.raw
    let status = cpng_encode(&image, &failure)
    guard status == 0 else { throw CoderError(failure, status: status) }
  }

  /// What happens to samples between file and memory.
  struct Transforms: OptionSet {
    let rawValue: UInt32
    static let scale16 = Transforms(rawValue: UInt32(CPNG_SCALE_16))
    static let expand16 = Transforms(rawValue: UInt32(CPNG_EXPAND_16))
    static let grayToRGB = Transforms(rawValue: UInt32(CPNG_GRAY_TO_RGB))
    static let addAlpha = Transforms(rawValue: UInt32(CPNG_ADD_ALPHA))
    static let bgr = Transforms(rawValue: UInt32(CPNG_BGR))
    static let dropAlpha = Transforms(rawValue: UInt32(CPNG_DROP_ALPHA))
  }

  /// Bytes of some bands of a picture's rows, compressed in the way that takes least.
  static func measure(_ image: inout cpng_image, host: CoderHost) throws(CoderError) -> Int {
    var (failure, size) = (cpng_failure(), UInt64(0))
    image.host = host.raw
    let status = cpng_measure(&image, &size, &failure)
    guard status == 0 else { throw CoderError(failure, status: status) }
    return Int(clamping: size)
  }

  /// What a zlib stream came to.
  struct Inflated {
    enum Outcome {
      case whole
      /// The stream goes on beyond the limit.
      case overLimit
      /// The stream breaks off or is damaged after these bytes.
      case damaged
    }

    let bytes: [UInt8]
    let outcome: Outcome
  }

  /// - Parameter limit: Bytes that are inflated at most.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  static func inflate(_ bytes: ArraySlice<UInt8>, limit: Int, host: CoderHost) throws(CoderError) -> Inflated {
    var output: UnsafeMutablePointer<UInt8>?
    var length: UInt64 = 0
    let status = bytes.withUnsafeBufferPointer {
      cpng_inflate(host.raw, $0.baseAddress, UInt64($0.count), UInt64(clamping: limit), &output, &length)
    }
    defer { host.free(output) }
    let inflated = try ArrayMemory.copy(
      UnsafeRawBufferPointer(start: output, count: output == nil ? 0 : Int(length)), for: "inflated metadata")
    try host.countInflated(inflated.count)
    switch CoderError.Code(rawValue: status) {
    case .outOfMemory: throw .outOfMemory(bytes: limit, for: "inflated metadata, at most")
    case .limitExceeded: return Inflated(bytes: inflated, outcome: .overLimit)
    case .malformed: return Inflated(bytes: inflated, outcome: .damaged)
    default: return Inflated(bytes: inflated, outcome: .whole)
    }
  }

  /// - Throws: ``CoderError/Code/outOfMemory``.
  static func deflate(_ bytes: [UInt8], host: CoderHost) throws(CoderError) -> [UInt8] {
    var output: UnsafeMutablePointer<UInt8>?
    var length: UInt64 = 0
    let status = bytes.withUnsafeBufferPointer {
      cpng_deflate(host.raw, $0.baseAddress, UInt64($0.count), &output, &length)
    }
    defer { host.free(output) }
    guard status == 0 else { throw .outOfMemory(bytes: bytes.count, for: "deflated metadata") }
    return [UInt8](UnsafeBufferPointer(start: output, count: Int(length)))
  }

  /// The CRC of PNG chunks (PNG Third Edition §5.5).
  static func crc(_ bytes: RawSpan) -> UInt32 {
    bytes.withUnsafeBytes { cpng_crc(0, $0.bindMemory(to: UInt8.self).baseAddress, UInt64($0.count)) }
  }

  /// A whole chunk: length, name, data, CRC.
  static func chunk(_ name: FourCC, _ data: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: data.count + 12)
    writer.put(UInt32(clamping: data.count))
    writer.put(name)
    writer.put(data)
    writer.put(crc((name.bytes + data).span.bytes))
    return writer.bytes
  }

  /// iCCP with a whole profile (§11.3.2.3).
  static func profileChunk(_ profile: [UInt8], host: CoderHost) throws(CoderError) -> [UInt8] {
    chunk(.iccp, [UInt8]("ICC profile".utf8) + [0, 0] + (try deflate(profile, host: host)))
  }

  /// iTXt with an XMP packet, neither compressed nor translated, as the XMP Specification asks for (Part 3 §1.1.5).
  static func xmpChunk(_ packet: [UInt8]) -> [UInt8] {
    chunk(.itxt, [UInt8]("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + packet)
  }
}

extension CoderError {
  /// What the C part reports.
  init(_ failure: cpng_failure, status: imgcoder_status) {
    let message = withUnsafeBytes(of: failure.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    self.init(
      code: Code(rawValue: status), message: message, offset: failure.offset < 0 ? nil : Int(failure.offset))
  }
}
