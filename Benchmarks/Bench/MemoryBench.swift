// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCaching
import ImageCoders

/// Resident memory of a program that works on files again and again, as a server does.
struct MemoryBench {
  private let registry: CoderRegistry
  private let paths: [String]
  private let cache: MemoryCache<Image>

  /// - Parameter path: Of a list of files, one a line.
  init(_ registry: CoderRegistry, path: String) throws(CoderError) {
    self.registry = registry
    let file = try OpenSource(.file(path), limits: .standard)
    let text = String(decoding: try file.view(at: 0, count: file.size), as: UTF8.self)
    paths = text.split(separator: "\n").map(String.init)
    guard !paths.isEmpty else { throw .invalidArgument("a list without files") }
    var options = MemoryCacheOptions()
    options.maxBytes = 16 << 20
    cache = MemoryCache(options: options)
  }

  /// Works, four requests at a time, and says what memory there is after 1,000 and after all.
  func report(requests: Int) async -> String {
    var text = ""
    var (done, first) = (0, 0)
    var goal = min(1000, requests)
    while done < requests {
      await work(done..<goal)
      done = goal
      goal = min(requests, goal * 10)
      // Threads that have had nothing to do for half a second give back what they keep.
      try? await Task.sleep(for: .seconds(1))
      let pages = Self.residentPages
      if first == 0 { first = pages }
      let megabytes = (pages * Int(sysconf(Int32(_SC_PAGESIZE)))) >> 20
      text += "after \(done) mb \(megabytes) ratio \(Double(pages) / Double(first))\n"
    }
    return text
  }

  /// A task for each file, which decodes it and writes it as JPEG: what a program does that converts many.
  func batch() async -> String {
    let start = ContinuousClock.now
    let first = await withTaskGroup(of: Duration?.self) { group in
      for path in paths {
        group.addTask { [registry] in
          guard let image = try? await registry.async.decode(.file(path)),
            (try? await registry.async.encode(image, as: .jpeg)) != nil
          else { return nil }
          return ContinuousClock.now - start
        }
      }
      return await group.reduce(nil) { found, next in found ?? next }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let firstSeconds = (first ?? .zero) / .seconds(1)
    return "files \(paths.count) seconds \(seconds) first \(firstSeconds) peak_mb \(Self.peak >> 10)\n"
  }

  /// The most resident memory so far, in KiB.
  private static var peak: Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss
  }

  private func work(_ numbers: Range<Int>) async {
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for number in numbers where number % 4 == worker { await request(number) }
        }
      }
    }
  }

  /// Thumbnails of several sizes and formats, pictures that are kept, headers, operations in turn. Files that cannot be read
  /// are a part of it.
  private func request(_ number: Int) async {
    let file = number * 7919 % paths.count
    let source = ByteSource.file(paths[file])
    switch number / 4 % 8 {
    case 0: _ = try? await registry.async.header(of: source)
    case 1:
      guard let image = try? await registry.async.decode(source) else { return }
      let bytes = image.frames.reduce(0) { $0 + $1.pixels.byteCount }
      cache.put(image, for: CacheKey("\(file)"), bytes: bytes, remakeTime: .milliseconds(1))
    case 2:
      guard let image = try? await registry.async.decode(source, options: .thumbnail(width: 100, height: 100)) else {
        return
      }
      _ = try? await registry.async.encode(image, as: .webP)
    default:
      var preset = ThumbnailPreset.web.sized(width: 32 + number * 37 % 300, height: 0)
      preset.format = number % 3 == 0 ? .png : number % 3 == 1 ? .jpeg : nil
      _ = try? await registry.async.makeThumbnail(of: source, preset, problem: { _ in })
    }
  }

  private static var residentPages: Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let words = text.split(separator: " ")
    return words.count > 1 ? Int(words[1]) ?? 0 : 0
  }
}
