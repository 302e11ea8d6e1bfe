// SPDX-License-Identifier: Apache-2.0

import CHostileCoder
import Glibc
import ImageCodersBuiltIn
import ImageCodersWorker

/// A program with coders that are built in, of which one is taken over by its files: `built-in-program [OPTION]… MODE` reads what to
/// do from its standard input, a line for each, and answers each with a line.
///
///     decode FILE, thumbnail FILE, encode FORMAT FILE   what comes out, as a hash
///     hostile ACT                                       a file of Tests/HostilePlugin
///     forked COUNT FILE                                 what children of `fork()` decode while threads do: each different answer
///     time COUNT FILE                                   nanoseconds of a decode: of so many, a tenth takes less
///     workers                                           the numbers of the workers that wait
///
/// `--unasked` leaves the call of `CoderWorker` out, `--late` makes a thread before it, `--few` names one coder of several,
/// `--fresh` has a worker for each file, and `--plugins FOLDER` takes plugins in place of what is built in.
@main struct BuiltInProgram {
  /// The manifest of the coder, whose code is Tests/HostilePlugin.
  private static let hostile = BuiltInCoder(
    manifest: Array(
      """
      {"manifest": 1, "id": "org.example.hostile", "name": "Hostile", "version": "1.0.0", \
      "abi": {"major": 1, "min_minor": 0}, "library": "libhostile.so", \
      "formats": [{"uti": "org.example.hostile", "extensions": ["hostile"], "match": [{"bytes": "484f5354494c4520"}]}], \
      "capabilities": ["read", "write"]}
      """.utf8), describe: imgcoder_entry_v1.describe)

  static func main() {
    var words = Array(CommandLine.arguments.dropFirst())
    func takes(_ option: String) -> Bool {
      words.firstIndex(of: option).map { words.remove(at: $0) } != nil
    }
    let coders = [hostile] + .all
    // Two descriptors that a program which it starts would inherit: the one is seen before it is closed.
    dup2(STDIN_FILENO, 186)
    if takes("--late") { dup2(STDIN_FILENO, 187) }
    if fcntl(187, F_GETFD) >= 0 { makeThread() }
    if !takes("--unasked") { CoderWorker.runIfAsked(takes("--few") ? [hostile] : coders) }
    let isFresh = takes("--fresh")
    let plugins = words.firstIndex(of: "--plugins").map { words[$0 + 1] }
    guard let mode = words.last.flatMap(Isolation.Mode.init(word:)) else { exit(64) }
    let registry = CoderRegistry(
      builtIn: plugins == nil ? coders : [],
      searchPath: plugins.map { .only([$0]).trusting([$0]) } ?? .only([]), preferences: CoderPreferences(),
      isolation: Isolation(mode, usesFreshWorkers: isFresh, processorSeconds: 1, clockSeconds: 4))
    while let line = readLine() {
      do throws(CoderError) {
        print(try answer(line.split(separator: " ").map(String.init), registry))
      } catch {
        print("\(error)")
      }
      fflush(nil)
    }
  }

  private static func makeThread() {
    var thread = pthread_t()
    let wait: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
      sleep(600)
      return nil
    }
    pthread_create(&thread, nil, wait, nil)
  }

  private static func answer(_ words: [String], _ registry: CoderRegistry) throws(CoderError) -> String {
    switch (words.first, words.count) {
    case ("decode", 2): return hash(of: try registry.decode(.file(words[1])))
    case ("thumbnail", 2):
      var preset = ThumbnailPreset.web.sized(width: 20, height: 20)
      preset.format = .gif
      return hash(of: try registry.makeThumbnail(of: .file(words[1]), preset).bytes)
    case ("encode", 3):
      guard let format = registry.format(forExtension: words[1]) else { throw .unsupported("no format \(words[1])") }
      return hash(of: try registry.encode(try registry.decode(.file(words[2])), as: format))
    case ("hostile", 2):
      let bytes = Array("HOSTILE \(words[1])".utf8) + [UInt8](repeating: 0, count: 40_000)
      return hash(of: try registry.decode(.bytes(bytes)))
    case ("forked", 3): return forked(Int(words[1]) ?? 1, words[2], registry)
    case ("time", 3): return "\(try time(Int(words[1]) ?? 1, of: words[2], registry))"
    case ("workers", 1): return WorkerPool.idleProcesses(in: "").map { "\($0)" }.joined(separator: " ")
    default: throw .invalidArgument("\(words)")
    }
  }

  /// Forks while two threads decode, each time at another moment. A child starts workers of its own.
  private static func forked(_ count: Int, _ path: String, _ registry: CoderRegistry) -> String {
    guard let symbol = dlsym(nil, "fork") else { return "no fork" }
    let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    let stop = Cancellation()
    for _ in 0..<2 {
      try? ThreadPool.shared.start(for: "a busy thread") {
        while !stop.isCancelled { _ = outcome(path, registry) }
      }
    }
    defer { stop.cancel() }
    let answers = (0..<count).map { inChild(of: fork, round: $0, path, registry) }
    return Set(answers).sorted().joined(separator: "; ")
  }

  /// What a child decodes, twice, or how it ends.
  private static func inChild(
    of fork: @convention(c) () -> pid_t, round: Int, _ path: String, _ registry: CoderRegistry
  ) -> String {
    usleep(UInt32(round * 7919 % 20_000))
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return "no pipe" }
    let child = fork()
    if child == 0 {
      alarm(120)
      let answers = [outcome(path, registry), outcome(path, registry)]
      let text = answers[0] == answers[1] ? answers[0] : "\(answers)"
      _ = text.withCString { write(ends[1], $0, strlen($0)) }
      _exit(0)
    }
    close(ends[1])
    var bytes = [UInt8](repeating: 0, count: 4096)
    let said = max(read(ends[0], &bytes, bytes.count), 0)
    close(ends[0])
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status == 0 ? String(decoding: bytes[..<said], as: UTF8.self) : "a child ends with \(status)"
  }

  private static func outcome(_ path: String, _ registry: CoderRegistry) -> String {
    do throws(CoderError) { return hash(of: try registry.decode(.file(path))) } catch { return "\(error)" }
  }

  private static func time(_ count: Int, of path: String, _ registry: CoderRegistry) throws(CoderError) -> Int {
    // The first file starts a server.
    _ = try registry.decode(.file(path))
    var times: [Duration] = []
    for _ in 0..<count {
      let start = ContinuousClock.now
      _ = try registry.decode(.file(path))
      times.append(ContinuousClock.now - start)
    }
    return Int(times.sorted()[count / 10].components.attoseconds / 1_000_000_000)
  }

  private static func hash(of image: Image) -> String {
    let frames = image.frames.map { frame in
      let pixels = frame.pixels
      let rows = (0..<pixels.size.height).flatMap { y in pixels.withRow(y) { Array($0) } }
      return "\(pixels.size) \(pixels.layout) \(frame.delay.seconds) \(hash(of: rows))"
    }
    return frames.joined(separator: ", ") + (image.problem.map { ": \($0)" } ?? "")
  }

  /// FNV-1a, of 64 bits.
  private static func hash(of bytes: [UInt8]) -> String {
    String(bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
  }
}
