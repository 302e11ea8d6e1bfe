// SPDX-License-Identifier: Apache-2.0

import CJPEGEighths
import CJPEGShim
import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JPEGCoder

/// Pictures of 1/8 that are decoded without libjpeg, held against libjpeg's.
@Suite struct EighthsTests {
  private typealias Coding = DeepFileTests.Coding

  static let codings: [DeepFileTests.Coding] = [
    .init(isGray: true, size: Size(width: 333, height: 129)), .init(size: Size(width: 257, height: 200)),
    .init(horizontal: 2, vertical: 2, size: Size(width: 401, height: 259)),
    .init(horizontal: 2, vertical: 2, restartRows: 1, size: Size(width: 200, height: 300)),
    .init(horizontal: 2, size: Size(width: 249, height: 131)), .init(vertical: 2, size: Size(width: 131, height: 249)),
    .init(restartRows: 2, size: Size(width: 128, height: 128)),
  ]

  /// The entropy-coded data in windows of so many bytes.
  private final class Windows {
    let bytes: UnsafeBufferPointer<UInt8>
    let length: Int
    var end = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, length: Int) {
      self.bytes = bytes
      self.length = length
    }
  }

  /// RGB or gray of the kernel alone, or nil where it gives up.
  private static func alone(_ file: [UInt8], window: Int = .max, times: Int = 1) throws -> [UInt8]? {
    let (frame, data) = try frame(of: file)
    var described = frame
    let bytes = eighths_bytes(&described)
    guard bytes > 0 else { return nil }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
    defer { memory.deallocate() }
    var pixels: [UInt8]?
    for time in 0..<times {
      guard let picture = eighths_make(memory, &described, time > 0 ? 1 : 0) else { return nil }
      pixels = file[data...].withUnsafeBufferPointer { bytes in
        let windows = Windows(bytes, length: min(window, bytes.count))
        var input = eighths_input(
          next: bytes.baseAddress, end: bytes.baseAddress, context: Unmanaged.passUnretained(windows).toOpaque(),
          more: { input in
            guard let input, let context = input.pointee.context else { return 0 }
            let windows = Unmanaged<Windows>.fromOpaque(context).takeUnretainedValue()
            guard windows.end < windows.bytes.count else { return 0 }
            windows.end = min(windows.end + windows.length, windows.bytes.count)
            input.pointee.end = windows.bytes.baseAddress.map { $0 + windows.end }
            return 1
          })
        return eighths_decode(picture, &input) != 0 ? Self.pixels(picture, described) : nil
      }
    }
    return pixels
  }

  private static func pixels(_ picture: OpaquePointer, _ frame: eighths_frame) -> [UInt8] {
    let (width, height) = ((Int(frame.width) + 7) / 8, (Int(frame.height) + 7) / 8)
    let channels = Int(frame.channel_count)
    var pixels = [UInt8](repeating: 0, count: width * height * channels)
    for y in 0..<height {
      let lines = (0..<UInt32(3)).map { eighths_line(picture, min($0, frame.channel_count - 1), UInt32(y)) }
      pixels.withUnsafeMutableBufferPointer { pixels in
        let row = pixels.baseAddress.map { $0 + y * width * channels }
        eighths_pixels(lines, width, channels == 3 ? 1 : 0, channels == 3 ? EIGHTHS_RGB : EIGHTHS_GRAY, row)
      }
    }
    return pixels
  }

  /// What the segments of a file say, and where its scan's data begins.
  private static func frame(of file: [UInt8]) throws -> (eighths_frame, Int) {
    var frame = eighths_frame()
    var quantizers: [Int: [UInt16]] = [:]
    var codes: [Int: eighths_codes] = [:]
    var channels: [(identifier: UInt8, factors: UInt8, quantizer: Int)] = []
    var place = 2
    while true {
      let marker = file[place + 1]
      let segment = Array(file[(place + 4)..<(place + 2 + Int(file[place + 2]) << 8 + Int(file[place + 3]))])
      place += 4 + segment.count
      switch marker {
      case 0xC0, 0xC1:
        frame.height = UInt32(segment[1]) << 8 | UInt32(segment[2])
        frame.width = UInt32(segment[3]) << 8 | UInt32(segment[4])
        frame.channel_count = UInt32(segment[5])
        channels = stride(from: 6, to: segment.count, by: 3).map {
          (segment[$0], segment[$0 + 1], Int(segment[$0 + 2]))
        }
      case 0xC4:
        var at = 0
        while at < segment.count {
          let counts = segment[(at + 1)..<(at + 17)]
          let values = segment[(at + 17)..<(at + 17 + counts.reduce(0) { $0 + Int($1) })]
          var table = eighths_codes()
          withUnsafeMutableBytes(of: &table.counts) { $0.copyBytes(from: counts) }
          withUnsafeMutableBytes(of: &table.values) { $0.copyBytes(from: values) }
          codes[Int(segment[at])] = table
          at += 17 + values.count
        }
      case 0xDB:
        for at in stride(from: 0, to: segment.count, by: 65) {
          var steps = [UInt16](repeating: 0, count: 64)
          for (index, order) in TransformScan.order.enumerated() { steps[order] = UInt16(segment[at + 1 + index]) }
          quantizers[Int(segment[at])] = steps
        }
      case 0xDD: frame.restart_interval = UInt32(segment[0]) << 8 | UInt32(segment[1])
      case 0xDA:
        try withUnsafeMutableBytes(of: &frame.channels) { memory in
          let all = memory.bindMemory(to: eighths_channel.self)
          for (index, channel) in channels.enumerated() {
            all[index].horizontal = UInt32(channel.factors >> 4)
            all[index].vertical = UInt32(channel.factors & 15)
            let steps = try #require(quantizers[channel.quantizer])
            steps.withUnsafeBytes { steps in withUnsafeMutableBytes(of: &all[index].steps) { $0.copyBytes(from: steps) }
            }
            let tables = Int(segment[2 + 2 * index])
            all[index].dc = try #require(codes[tables >> 4])
            all[index].ac = try #require(codes[0x10 | tables & 15])
          }
        }
        return (frame, place)
      default: break
      }
    }
  }

  /// What a reader gives for the smallest thumbnail; libjpeg's is that of an arriving file.
  private static func read(
    _ bytes: [UInt8], _ options: OpenOptions.Hints = [], format: PixelFormat? = nil
  ) throws(CoderError) -> (pixels: [UInt8], rows: Int, problem: CoderError?) {
    let source = MemorySource(bytes)
    defer { withExtendedLifetime(source) {} }
    let reader = try JPEGReader(source.view, host: MemoryHost().host, options: OpenOptions(options))
    var request = DecodeRequest()
    request.size = Size(width: 1, height: 1)
    request.pixelFormat = format
    let offer = try reader.offer(for: request)
    let sink = MemorySink(offer)
    do throws(CoderError) { try reader.decode(offer, into: sink.sink) } catch {
      return (sink.pixels, sink.rowsDone, error)
    }
    return (sink.pixels, sink.rowsDone, nil)
  }

  private static func noise(_ x: Int, _ y: Int, _ channel: Int) -> Int {
    var value = UInt32(truncatingIfNeeded: x &* 7919 &+ y &* 104_729 &+ channel &* 31) &* 2_654_435_761
    value ^= value >> 15
    return Int(value >> 9 & 0xFF)
  }

  @Test(arguments: codings, [false, true])
  func givesWhatLibjpegGives(_ coding: DeepFileTests.Coding, _ isNoise: Bool) throws {
    let bytes = isNoise ? try DeepFileTests.file(coding, sample: Self.noise) : try DeepFileTests.file(coding)
    let expected = try Self.read(bytes, .incremental)
    #expect(expected.problem == nil && expected.rows == (coding.size.height + 7) / 8)
    let isSame = try Self.alone(bytes) == expected.pixels
    #expect(isSame)
    for format in [nil, PixelFormat.rgb8, .rgba8, .bgra8] {
      let found = try Self.read(bytes, format: format)
      let libjpegs = try Self.read(bytes, .incremental, format: format)
      let isSame = found.pixels == libjpegs.pixels
      #expect(isSame && found.problem == nil && found.rows == expected.rows, "\(String(describing: format))")
    }
  }

  /// Huffman codes of the picture's own are longer than those that are looked up at once.
  @Test(arguments: codings) func givesWhatLibjpegGivesOfOtherCodes(_ coding: DeepFileTests.Coding) throws {
    let bytes = try DeepFileTests.file(coding, isOptimized: true) { x, y, channel in
      x % 64 < 8 ? Self.noise(x, y, channel) : x / 3
    }
    let isSame = try Self.alone(bytes) == Self.read(bytes, .incremental).pixels
    #expect(isSame)
  }

  @Test(arguments: [2, 3, 7, 100, 4099]) func bytesComeInWindows(_ length: Int) throws {
    for coding in Self.codings {
      let bytes = try DeepFileTests.file(coding, sample: Self.noise)
      let whole = try #require(try Self.alone(bytes))
      let isSame = try Self.alone(bytes, window: length) == whole
      #expect(isSame)
    }
  }

  /// Tables of an earlier picture are taken where codes are the same, and only there.
  @Test func tablesAreKept() throws {
    for coding in Self.codings {
      let bytes = try DeepFileTests.file(coding, isOptimized: true, sample: Self.noise)
      let isSame = try Self.alone(bytes, times: 3) == Self.read(bytes, .incremental).pixels
      #expect(isSame)
    }
    let (first, second) = (Self.codings[1], Self.codings[2])
    let one = try Self.frame(of: try DeepFileTests.file(first, sample: Self.noise))
    let bytes = try DeepFileTests.file(first, isOptimized: true)
    let other = try Self.frame(of: bytes)
    var (before, after) = (one.0, other.0)
    #expect(second.size != first.size && eighths_bytes(&before) == eighths_bytes(&after))
    let memory = UnsafeMutableRawPointer.allocate(byteCount: eighths_bytes(&after), alignment: 16)
    defer { memory.deallocate() }
    _ = eighths_make(memory, &before, 0)
    let picture = try #require(eighths_make(memory, &after, 1))
    let found: [UInt8]? = bytes[other.1...].withUnsafeBufferPointer { data in
      var input = eighths_input(
        next: data.baseAddress, end: data.baseAddress.map { $0 + data.count }, context: nil, more: { _ in 0 })
      return eighths_decode(picture, &input) != 0 ? Self.pixels(picture, after) : nil
    }
    let isSame = try found == Self.read(bytes, .incremental).pixels
    #expect(isSame)
  }

  @Test func otherFilesAreNotDecoded() throws {
    // Chroma of a quarter of the columns.
    var (frame, _) = try Self.frame(
      of: try DeepFileTests.file(.init(horizontal: 4, size: Size(width: 200, height: 200))))
    #expect(eighths_bytes(&frame) == 0)
    (frame, _) = try Self.frame(of: try DeepFileTests.file(Self.codings[1]))
    #expect(eighths_bytes(&frame) > 0)
    frame.width = 0
    #expect(eighths_bytes(&frame) == 0)
    frame.width = 200
    frame.channel_count = 2
    #expect(eighths_bytes(&frame) == 0)
  }

  /// Where something is missing or wrong, libjpeg shows what there is, and says what is wrong.
  @Test(arguments: codings) func aCutFileIsLibjpegs(_ coding: DeepFileTests.Coding) throws {
    let bytes = try DeepFileTests.file(coding)
    for count in stride(from: 640, to: bytes.count - 2, by: max(61, bytes.count / 40)) {
      let cut = Array(bytes.prefix(count))
      guard let found = try? Self.read(cut) else { continue }
      let expected = try Self.read(cut, .incremental)
      let isSame = found.pixels == expected.pixels
      #expect(isSame && found.problem == expected.problem && found.problem != nil, "\(count) of \(bytes.count)")
    }
  }

  @Test(arguments: codings) func aDamagedFileIsLibjpegs(_ coding: DeepFileTests.Coding) throws {
    let bytes = try DeepFileTests.file(coding)
    var seed: UInt32 = 9
    for _ in 0..<300 {
      var damaged = bytes
      for _ in 0..<2 {
        seed = seed &* 1_664_525 &+ 1_013_904_223
        damaged[20 + Int(seed >> 10) % (bytes.count - 20)] = UInt8(truncatingIfNeeded: seed >> 3)
      }
      guard let found = try? Self.read(damaged), let expected = try? Self.read(damaged, .incremental) else { continue }
      let isSame = found.pixels == expected.pixels
      // Where in the file is another place in each: libjpeg has looked at more or less of it.
      #expect(isSame && found.problem?.code == expected.problem?.code)
    }
  }
}
