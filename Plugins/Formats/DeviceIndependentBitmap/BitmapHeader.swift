// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The header of a device-independent bitmap, in any of its versions.
///
/// - Format: Windows GDI, BITMAPCOREHEADER, BITMAPINFOHEADER, BITMAPV4HEADER, BITMAPV5HEADER; OS/2 Presentation
///   Manager, BITMAPINFOHEADER2.
public struct BitmapHeader: Sendable {
  /// Which of the headers it is; they are told apart by their size alone.
  public enum Version: String, Sendable {
    case os2Version1 = "OS/2 1"
    case os2Version2 = "OS/2 2"
    case windows3 = "Windows 3"
    case windows3RGB = "Windows 3 with RGB masks"
    case windows3RGBA = "Windows 3 with RGBA masks"
    case windows4 = "Windows 4"
    case windows5 = "Windows 5"
  }

  /// How pixels are stored (MS-WMF 2.1.1.7, Compression; OS/2, ulCompression).
  public enum Compression: String, Sendable {
    case none = "none"
    case runLength8 = "RLE8"
    case runLength4 = "RLE4"
    case runLength24 = "RLE24"
    case huffman = "Huffman 1D"
    case bitFields = "bit fields"
    case jpeg = "JPEG"
    case png = "PNG"
  }

  /// Where the header begins in the source.
  public let offset: Int
  /// Bytes of the header.
  public let byteCount: Int
  public let version: Version
  public let width: Int
  /// Rows, as stated and without its sign: an icon's counts its mask too.
  public let height: Int
  public let isTopDown: Bool
  public let bitCount: Int
  public let compression: Compression
  /// Bytes of the pixels as stated, often 0 or wrong.
  public let imageByteCount: Int
  /// Pixels per metre, or 0.
  public let density: (x: Int, y: Int)
  /// Colors of the palette as stated; 0 means all that the bit count allows.
  public let statedColors: Int
  /// Masks of red, green, blue and alpha; those of a header that has none are 0.
  let masks: [UInt32]
  /// Bytes of the masks that follow the header.
  public let trailingMaskBytes: Int
  public let colors: BitmapColorSpace?

  /// Reads a header.
  ///
  /// - Throws: ``CoderError/Code/truncated``; ``CoderError/Code/malformed`` for a width of 0 or less, or a height of 0;
  ///   ``CoderError/Code/unsupported`` for sizes, depths and compressions that are of no known version.
  public init(parsing source: SourceView, at offset: Int) throws(CoderError) {
    let size = try source.reader(at: offset, count: 4, order: .littleEndian, of: "the bitmap header")
    let count = Int(try size.uint32(at: 0, "the size"))
    guard let version = Self.version(of: count) else {
      throw .unsupported("a bitmap header of \(count) bytes, which no version has", at: offset)
    }
    // Fields that an older version lacks read as 0.
    let stored = try source.bytes(at: offset, count: count, of: "the bitmap header")
    let padded = stored + [UInt8](repeating: 0, count: Self.largestSize - count)
    let fields = ByteReader(padded.span.bytes, order: .littleEndian, at: offset, of: "the bitmap header")
    self.offset = offset
    self.version = version
    byteCount = count
    let isCore = version == .os2Version1
    let storedHeight = isCore ? Int(try fields.uint16(at: 6)) : try fields.signed32(at: 8)
    width = isCore ? Int(try fields.uint16(at: 4)) : try fields.signed32(at: 4)
    height = abs(storedHeight)
    isTopDown = storedHeight < 0
    guard width > 0, height > 0 else {
      throw .malformed("a bitmap of \(width)×\(storedHeight) pixels, at least 1×1 is needed", at: offset &+ 4)
    }
    bitCount = Int(try fields.uint16(at: isCore ? 10 : 14))
    let stated = isCore ? 0 : Int(try fields.uint32(at: 16))
    compression = try Self.compression(stated, bits: bitCount, version: version, at: offset &+ 16)
    imageByteCount = isCore ? 0 : Int(try fields.uint32(at: 20))
    density = isCore ? (0, 0) : (max(0, try fields.signed32(at: 24)), max(0, try fields.signed32(at: 28)))
    statedColors = isCore ? 0 : Int(try fields.uint32(at: 32))
    (masks, trailingMaskBytes) = try Self.masks(
      fields, version: version, stated: stated, compression: compression, source: source, offset: offset)
    colors =
      version == .windows4 || version == .windows5 ? try BitmapColorSpace(parsing: fields, version: version) : nil
  }

  /// Bytes of BITMAPV5HEADER.
  private static let largestSize = 124

  /// The version that has headers of so many bytes.
  private static func version(of count: Int) -> Version? {
    switch count {
    case 12: .os2Version1
    case 40: .windows3
    case 52: .windows3RGB
    case 56: .windows3RGBA
    case 108: .windows4
    case 124: .windows5
    // BITMAPINFOHEADER2 may end after any of its fields.
    case 16...64: .os2Version2
    default: nil
    }
  }

  private static func compression(
    _ stated: Int, bits: Int, version: Version, at offset: Int
  ) throws(CoderError) -> Compression {
    let isOS2 = version == .os2Version2
    switch (stated, bits) {
    case (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 24), (0, 32), (0, 64): return .none
    case (1, 8): return .runLength8
    case (2, 4): return .runLength4
    case (3, 1) where isOS2: return .huffman
    case (4, 24) where isOS2: return .runLength24
    case (3, 16), (3, 32), (6, 16), (6, 32): return .bitFields
    // Masks of 24-bit pixels are written by some, and are of no use.
    case (3, 24), (6, 24): return .none
    case (4, _) where !isOS2: return .jpeg
    case (5, _) where !isOS2: return .png
    default: throw .unsupported("compression \(stated) of \(bits) bits per pixel, which is not known", at: offset)
    }
  }

  /// The masks, and how many bytes of them follow the header: only BITMAPINFOHEADER has none of its own.
  private static func masks(
    _ fields: ByteReader, version: Version, stated: Int, compression: Compression, source: SourceView, offset: Int
  ) throws(CoderError) -> ([UInt32], Int) {
    switch version {
    case .os2Version1, .os2Version2: return ([0, 0, 0, 0], 0)
    case .windows3RGB, .windows3RGBA, .windows4, .windows5: return (try fields.masks(at: 40), 0)
    case .windows3:
      // BI_BITFIELDS and BI_ALPHABITFIELDS, whatever the depth: the palette comes after them.
      guard stated == 3 || stated == 6 else { return ([0, 0, 0, 0], 0) }
      let count = stated == 3 ? 12 : 16
      let found = try source.bytes(at: offset &+ 40, count: count, of: "the color masks")
      let padded = found + [UInt8](repeating: 0, count: 16 - count)
      return (try ByteReader(padded.span.bytes, order: .littleEndian).masks(at: 0), count)
    }
  }
}

extension ByteReader {
  fileprivate func signed32(at place: Int) throws(CoderError) -> Int {
    Int(Int32(bitPattern: try uint32(at: place)))
  }

  /// The masks of red, green, blue and alpha.
  fileprivate func masks(at place: Int) throws(CoderError) -> [UInt32] {
    [
      try uint32(at: place), try uint32(at: place &+ 4), try uint32(at: place &+ 8), try uint32(at: place &+ 12),
    ]
  }
}

/// The colors that a header of version 4 or 5 states (MS-WMF 2.2.2.4 and 2.2.2.5).
public struct BitmapColorSpace: Sendable {
  /// What the field ColorSpaceType says.
  public enum Kind: Sendable {
    case calibrated, sRGB, windows, linked, embedded, unknown
  }

  public let kind: Kind
  /// The gamma of encoding, 1 / 2.2, when it is stated and the same for red, green and blue.
  public let gamma: Double?
  /// The exponents of red, green and blue, when all three are stated.
  public let gammas: SIMD3<Double>?
  /// The end points as chromaticities, with their sum as the white, when they are stated and can be those of light.
  public let primaries: StoredColor.Primaries?
  /// For version 5: the profile, or the name of its file, from the header's beginning on.
  let profile: Range<Int>?
  /// The rendering intent of version 5: LCS_GM_…
  public let intent: Int

  init(parsing fields: ByteReader, version: BitmapHeader.Version) throws(CoderError) {
    switch try fields.uint32(at: 56, "the color space") {
    case 0: kind = .calibrated
    case 0x7352_4742: kind = .sRGB
    case 0x5769_6E20: kind = .windows
    case 0x4C49_4E4B: kind = .linked
    case 0x4D42_4544: kind = .embedded
    default: kind = .unknown
    }
    let gammas = (try fields.uint32(at: 96), try fields.uint32(at: 100), try fields.uint32(at: 104))
    let isSame = gammas.0 > 0 && gammas.0 == gammas.1 && gammas.0 == gammas.2
    // 16.16 fixed point; the field has the exponent of decoding.
    gamma = kind == .calibrated && isSame ? 65_536 / Double(gammas.0) : nil
    let isCalibrated = kind == .calibrated
    let stated = SIMD3(Double(gammas.0), Double(gammas.1), Double(gammas.2)) / 65_536
    self.gammas = isCalibrated && stated.min() > 0 ? stated : nil
    primaries = isCalibrated ? try Self.primaries(fields) : nil
    intent = version == .windows5 ? Int(try fields.uint32(at: 108)) : 0
    let (start, count) = (Int(try fields.uint32(at: 112)), Int(try fields.uint32(at: 116)))
    profile = version == .windows5 && start > 0 && count > 0 ? start..<(start &+ count) : nil
  }

  /// CIEXYZTRIPLE: X, Y and Z of red, green and blue as signed fixed point with 30 bits of fraction, and their sum is white.
  /// Most writers put chromaticities there, x, y and z, or x and y alone, whose white is D65.
  private static func primaries(_ fields: ByteReader) throws(CoderError) -> StoredColor.Primaries? {
    var points: [SIMD3<Double>] = []
    for index in 0..<3 {
      let place = 60 + index * 12
      points.append(
        SIMD3(
          Double(try fields.signed32(at: place)), Double(try fields.signed32(at: place + 4)),
          Double(try fields.signed32(at: place + 8))) / Double(1 << 30))
    }
    guard points.allSatisfy({ $0.min() >= 0 && $0.y > 0 }) else { return nil }
    let isFlat = points.allSatisfy { $0.z == 0 }
    let isChromatic = isFlat || points.allSatisfy { abs($0.sum() - 1) < 0.02 }
    let sum = points[0] + points[1] + points[2]
    let places = points.map { SIMD2($0.x, $0.y) / (isFlat ? 1 : $0.sum()) }
    let white = isChromatic ? SIMD2(0.3127, 0.3290) : SIMD2(sum.x, sum.y) / sum.sum()
    let found = StoredColor.Primaries(red: places[0], green: places[1], blue: places[2], white: white)
    return found.hasWhiteInside ? found : nil
  }
}

extension StoredColor.Primaries {
  /// Whether lights of red, green and blue make white: it lies inside the triangle that they span.
  fileprivate var hasWhiteInside: Bool {
    func side(_ from: SIMD2<Double>, _ to: SIMD2<Double>) -> Double {
      (to.x - from.x) * (white.y - from.y) - (to.y - from.y) * (white.x - from.x)
    }
    let sides = [side(red, green), side(green, blue), side(blue, red)]
    return sides.allSatisfy { $0 > 1e-4 } || sides.allSatisfy { $0 < -1e-4 }
  }
}
