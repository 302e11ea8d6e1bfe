// SPDX-License-Identifier: Apache-2.0

import CChecking
import Glibc
import ImageCoders

/// The plugin that a check looks at, in the process of that check.
final class CheckSubject {
  /// A file of one of the plugin's formats.
  struct Sample {
    let name: String
    let bytes: [UInt8]
  }

  let plugin: CheckedPlugin
  /// The seed of the random generator.
  let seed: UInt64
  /// How long a check may go on with variations of its input.
  let effort: Double
  /// How long the check `fuzz` runs, or nil if it is not asked for.
  let fuzzing: Double?

  private let stageMemory: UnsafeMutablePointer<checking_stage>?
  private var loaded: Result<LoadedCoder, CheckFailure>?
  private var usable: [Sample]?
  private var found: (own: [Sample], foreign: [Sample])?
  private let start = CheckSubject.now

  init(
    _ plugin: CheckedPlugin, seed: UInt64, effort: Double, fuzzing: Double?,
    stage: UnsafeMutablePointer<checking_stage>?
  ) {
    self.plugin = plugin
    self.seed = seed
    self.effort = effort
    self.fuzzing = fuzzing
    stageMemory = stage
  }

  /// A coder that is loaded already, without files.
  convenience init(_ coder: LoadedCoder) {
    self.init(
      CheckedPlugin(manifest: nil, library: nil, files: []), seed: 0, effort: .infinity, fuzzing: nil, stage: nil)
    loaded = .success(coder)
  }

  /// Seconds of a clock that is never set back.
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Whether the time for variations is used up.
  var isOutOfTime: Bool { Self.now - start > effort }

  /// Notes what comes next, for the case that it ends the process.
  func stage(_ text: String) {
    guard let stageMemory else { return }
    let capacity = MemoryLayout.size(ofValue: stageMemory.pointee.text)
    withUnsafeMutableBytes(of: &stageMemory.pointee.text) { place in
      var count = 0
      for byte in text.utf8.prefix(capacity - 1) {
        place[count] = byte
        count += 1
      }
      place[count] = 0
    }
  }

  /// Notes the number of a variation.
  func stage(iteration: UInt64) { stageMemory?.pointee.iteration = iteration }

  /// What was noted last.
  var stageText: String {
    guard let stageMemory else { return "" }
    return withUnsafeBytes(of: &stageMemory.pointee.text) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// The bytes of the manifest.
  var manifestBytes: [UInt8] {
    get throws(CheckEnd) {
      guard let path = plugin.manifest else { throw .skipped("there is no manifest beside the library") }
      guard let bytes = CheckedPlugin.contents(path, atMost: 1 << 20) else {
        throw .failed(path, expected: "a file of at most 1 MiB", found: "none that can be read", rule: .manifest)
      }
      return bytes
    }
  }

  /// The manifest, or the reason why there is none.
  var manifest: Manifest {
    get throws(CheckEnd) {
      let bytes = try manifestBytes
      do throws(SkipReason) { return try Manifest(json: bytes) } catch {
        throw .skipped("the manifest is not valid, see manifest.readable")
      }
    }
  }

  /// Whether the manifest says that the wrapped library makes threads of its own.
  var waivesThreads: Bool {
    do throws(CheckEnd) { return try manifest.needs.contains(.threads) } catch { return false }
  }

  /// The path of the library.
  var library: String {
    get throws(CheckEnd) {
      guard let library = plugin.library else { throw .skipped("the manifest names no library") }
      return library
    }
  }

  /// The coder in the library, or the reason to skip a check.
  var coder: LoadedCoder {
    get throws(CheckEnd) {
      switch try loadedCoder {
      case .success(let coder): return coder
      case .failure:
        throw .skipped("the library cannot be used, see binary.load, interface.entry and interface.describe")
      }
    }
  }

  /// The coder in the library, or what is wrong with it.
  var loadedCoder: Result<LoadedCoder, CheckFailure> {
    get throws(CheckEnd) {
      if let loaded { return loaded }
      let path = try library
      let result = Result { () throws(CheckFailure) in try LoadedCoder(path) }
      loaded = result
      return result
    }
  }

  /// A coder that reads.
  var reader: LoadedCoder {
    get throws(CheckEnd) {
      let coder = try coder
      guard coder.reader != nil else { throw .skipped("the coder does not read") }
      guard coder.missingReaderCalls.isEmpty else { throw .skipped("calls are missing, see interface.callbacks") }
      return coder
    }
  }

  /// A coder that writes.
  var writer: LoadedCoder {
    get throws(CheckEnd) {
      let coder = try coder
      guard coder.writer != nil else { throw .skipped("the coder does not write") }
      guard coder.missingWriterCalls.isEmpty else { throw .skipped("calls are missing, see interface.callbacks") }
      return coder
    }
  }

  /// Files of the plugin's formats that it decodes, the smallest first; at least one. `decode.samples` says why it does
  /// not decode others.
  var samples: [Sample] {
    get throws(CheckEnd) {
      if let usable { return usable }
      var samples: [Sample] = []
      for sample in try everySample where try read(sample.bytes, sample.name).failures.isEmpty {
        samples.append(sample)
      }
      guard !samples.isEmpty else { throw .skipped("the coder decodes no sample, see decode.samples") }
      usable = samples
      return samples
    }
  }

  /// A reader with an open sample, in a session of its own, or nil if the sample does not open.
  func opened(_ sample: Sample) throws(CheckEnd) -> ReaderProbe? {
    let reader = ReaderProbe(try self.reader, sample.bytes, session: HostSessionProbe())
    return reader.open() == Status.ok ? reader : nil
  }

  /// Files of the plugin's formats, whether it decodes them or not; at least one.
  var everySample: [Sample] {
    get throws(CheckEnd) {
      _ = try reader
      let own = try allSamples.own
      if !own.isEmpty { return own }
      let made = try madeSamples()
      found?.own = made
      guard !made.isEmpty else {
        throw .skipped("there are no samples: none given, none in the folder samples, and none that the coder wrote")
      }
      return made
    }
  }

  /// Files that are not of the plugin's formats. They may be none.
  var foreignSamples: [Sample] { get throws(CheckEnd) { try allSamples.foreign } }

  /// Files that the caller or the folder beside the manifest has.
  var givenSamples: [Sample] { get throws(CheckEnd) { try allSamples.own } }

  private var allSamples: (own: [Sample], foreign: [Sample]) {
    get throws(CheckEnd) {
      if let found { return found }
      var paths = plugin.files
      if paths.isEmpty, let manifest = plugin.manifest {
        let folder = "\(CheckedPlugin.folder(manifest))/samples"
        paths = CheckedPlugin.names(in: folder).map { "\(folder)/\($0)" }
      }
      let extensions: Set<String>
      do throws(CheckEnd) { extensions = Set(try manifest.formats.flatMap(\.extensions)) } catch { extensions = [] }
      var (own, foreign): ([Sample], [Sample]) = ([], [])
      for path in paths {
        guard let bytes = CheckedPlugin.contents(path) else { continue }
        let sample = Sample(name: CheckedPlugin.lastName(path), bytes: bytes)
        let kind = CheckedPlugin.fileExtension(path)
        if extensions.isEmpty || kind.isEmpty || extensions.contains(kind) {
          own.append(sample)
        } else {
          foreign.append(sample)
        }
      }
      own.sort { ($0.bytes.count, $0.name) < ($1.bytes.count, $1.name) }
      foreign.sort { ($0.bytes.count, $0.name) < ($1.bytes.count, $1.name) }
      found = (own, foreign)
      return (own, foreign)
    }
  }
}

/// Numbers that a seed determines.
struct CheckRandom {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  // SplitMix64, Steele, Lea, Flood 2014.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// A number below a bound, which is at least 1.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
