// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders

/// The program: decodes a file again and again through the registry and a plugin, and prints
/// `min_ms X med_ms Y hash H` like the floor programs do.
@main
enum CoderBench {
  private static let usage = """
    usage: coder-bench full|thumbnail|thumbnail-srgb|gain-map|all FILE REPETITIONS [PLUGINS]
           coder-bench probe|memory|batch LIST REPETITIONS [PLUGINS]
           coder-bench pieces|passes|first|cancel FILE REPETITIONS [PLUGINS [SIZE]]
           coder-bench processor|player FILE REPETITIONS [PLUGINS]
           coder-bench color 8|16 REPETITIONS
           coder-bench process OPERATIONS REPETITIONS [PLUGINS [MEGAPIXELS]]
           coder-bench cache zipf-0.8|zipf-0.9|zipf-1.0|scan-0.9|drift-0.9|THREADS REPETITIONS
           coder-bench encode FILE REPETITIONS PLUGINS jpeg|jpeg-optimized|png|png-fast|pngN|webpN

    full       the first frame, RGBA8, upright, without metadata
    thumbnail  the first frame, to fit 256×256; thumbnail-srgb also converts its colors to sRGB
    gain-map   the first frame with its gain map applied, for a display 3 stops brighter than white, as light
    color      4 megapixels of noise of 8 or 16 bits, from Display P3 to sRGB
    process    operations of ImageProcessing, such as 'blur:2', on noise
    cache      what a cache in memory finds, beside one of the least recently used; or the time of a hit on so many threads
    all        every frame of an animation, one after the other
    processor  processor time of playing an animation once; time jumps to the next frame
    player     pixel memory beyond a budget of 8 MiB meanwhile, and the time of a step of the player
    probe      the headers of the files that LIST names, one a line, read from disk
    memory     resident memory after 1,000, 10,000 … mixed requests for the files that LIST names
    batch      peak memory, and when the first file was there, of a task for each file that LIST names
    encode     an opaque picture, as RGBA8 in memory: JPEG of quality 0.9, PNG of level N, WebP of quality 0.8 with method N

    Bytes that arrive SIZE at a time, all frames:

    pieces     beside one call, the two taking turns
    passes     the same, and a picture is made of each coarse pass
    first      with how many bytes the header and the first rows come
    cancel     the longest that a decode goes on after another thread has cancelled it, at several moments

    """

  static func main() async {
    let arguments = CommandLine.arguments
    let encodes = arguments.count == 6 && arguments[1] == "encode"
    guard arguments.count >= 4, let count = Int(arguments[3]), count > 0,
      let size = arguments.count > 5 && !encodes ? Int(arguments[5]) : 64 << 10, size > 0
    else {
      complain(usage)
      exit(2)
    }
    let plugins = arguments.count > 4 ? arguments[4] : "build/lib/coders/1"
    let registry = CoderRegistry(
      searchPath: .only([plugins]).trusting([plugins]),
      preferences: CoderPreferences())
    do {
      if encodes, let bench = try EncodeBench(registry, path: arguments[2], how: arguments[5]) {
        return print(try bench.report(repetitions: count))
      }
      if let operation = IncrementalOperation(rawValue: arguments[1]) {
        let bench = try IncrementalBench(registry, path: arguments[2])
        return print(try bench.report(operation, size: size, repetitions: count))
      }
      if arguments[1] == "processor" || arguments[1] == "player" {
        let bench = PlayBench(registry, path: arguments[2])
        return try await print(arguments[1] == "player" ? bench.player() : bench.processor(repetitions: count))
      }
      if arguments[1] == "memory" || arguments[1] == "batch" {
        let bench = try MemoryBench(registry, path: arguments[2])
        return await print(arguments[1] == "batch" ? bench.batch() : bench.report(requests: count), terminator: "")
      }
      if arguments[1] == "color", let bits = Int(arguments[2]), bits == 8 || bits == 16 {
        return print(try ColorBench(bits: bits).report(repetitions: count))
      }
      if arguments[1] == "cache", let bench = CacheBench(arguments[2]) {
        return print(bench.report(repetitions: count))
      }
      if arguments[1] == "process" {
        let megapixels = arguments.count > 5 ? size : 24
        return print(try ProcessBench(arguments[2], megapixels: megapixels).report(repetitions: count))
      }
      guard let operation = Operation(rawValue: arguments[1]) else {
        complain(usage)
        exit(2)
      }
      let bench = try Bench(registry, operation, path: arguments[2])
      var hash = Hash()
      let times = try (0..<count).map { (index) throws(CoderError) in try bench.run(&hash, hashes: index == 0) }
        .sorted()
      print("min_ms \(Time.text(times[0])) med_ms \(Time.text(times[count / 2])) hash \(hash.text)")
    } catch {
      complain("\(arguments[2]): \(error)\n")
      exit(1)
    }
  }

  private static func complain(_ text: String) {
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }
}

/// What is measured.
enum Operation: String {
  case full, thumbnail, all, probe
  case thumbnailSRGB = "thumbnail-srgb"
  case gainMap = "gain-map"
}

/// FNV-1a, 64 bits, of pixels row by row.
struct Hash {
  private var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ pixels: PixelBuffer) {
    for y in 0..<pixels.size.height {
      pixels.withRow(y) { row in
        for byte in row { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
      }
    }
  }

  var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
