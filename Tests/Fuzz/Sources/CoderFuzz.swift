// SPDX-License-Identifier: Apache-2.0

import CFuzzing
import FuzzStructures
import Glibc
import ImageCoders
import ImageCodersBuiltIn

/// Feeds pieces of the library with bytes that may be anything: with libFuzzer, or again with files and their mutants.
@main struct CoderFuzz {
  /// Inputs of a corpus that are fed again with the seeds.
  private static let mostOfCorpus = 100

  static let usage = """
    usage: coder-fuzz --list
           coder-fuzz --seeds TARGET FOLDER
           coder-fuzz --replay TARGET [--mutants N] [--corpora FOLDER] [--plugins FOLDER] [FILE|FOLDER]…
           coder-fuzz TARGET [libFuzzer's options] [FOLDER]…

    --list            the targets, and what they are fed to
    --seeds TARGET    puts the target's seeds into a folder
    --replay TARGET   runs the target on each file, or, if there is none, on its seeds and on what was found with it;
                      `all` for all targets
    --mutants N       after each file, N changed ones, the same each time
    --corpora FOLDER  also up to \(mostOfCorpus) inputs of FOLDER/TARGET, as they are
    --plugins FOLDER  readers and writers of staged plugins, and not those that are built in

    The third form is there in a build by scripts/fuzz.

    """

  static func main() {
    var arguments = CommandLine.arguments.dropFirst()
    guard let first = arguments.popFirst() else { end(usage) }
    switch first {
    case "--help", "-h": print(usage, terminator: "")
    case "--list":
      for target in all(nil) { print(target.name, target.about, separator: "\t") }
    case "--seeds":
      guard arguments.count == 2, let target = all(nil).first(where: { $0.name == arguments.first }) else { end(usage) }
      for (number, seed) in target.seeds.inputs().enumerated() {
        Files.write(seed.bytes, to: "\(arguments[arguments.startIndex + 1])/seed-\(number)")
      }
    case "--replay": replay(arguments)
    default:
      // libFuzzer starts the program again with its own options alone, to merge corpora and to make a failing input small.
      guard first.hasPrefix("-"), let name = getenv("CODER_FUZZ_TARGET") else { return fuzz(first, Array(arguments)) }
      fuzz(String(cString: name), [first] + arguments)
    }
  }

  private static func end(_ message: String) -> Never {
    _ = message.utf8.withContiguousStorageIfAvailable { Glibc.write(2, $0.baseAddress, $0.count) }
    exit(64)
  }

  /// The targets, with coders that are built in, or plugins of a folder.
  private static func all(_ plugins: String?) -> [FuzzTarget] {
    func registry(_ coders: Set<String>?) -> CoderRegistry {
      var preferences = CoderPreferences()
      preferences.allowed = coders
      return CoderRegistry(
        builtIn: plugins == nil ? .all : [], searchPath: .only(plugins.map { [$0] } ?? []), preferences: preferences)
    }
    return ReaderTargets(registry: registry).targets() + WriterTargets(registry: registry(nil)).targets()
      + OperationTargets(registry: registry(nil)).targets() + ParserTargets.all + TextTargets.all + InterfaceTargets.all
      + ProtocolTargets.all + InflateTargets.all + LosslessTargets.all + CacheTargets.all
  }

  private static func replay(_ given: ArraySlice<String>) {
    var arguments = given
    guard let name = arguments.popFirst() else { end(usage) }
    var (mutants, plugins, corpora) = (0, String?.none, String?.none)
    var paths: [String] = []
    while let argument = arguments.popFirst() {
      switch argument {
      case "--mutants": mutants = arguments.popFirst().flatMap { Int($0) } ?? 0
      case "--plugins": plugins = arguments.popFirst()
      case "--corpora": corpora = arguments.popFirst()
      default: paths.append(argument)
      }
    }
    let targets = all(plugins).filter { name == "all" || $0.name == name }
    guard !targets.isEmpty else { end("coder-fuzz: no target \(name); --list names them\n") }
    for target in targets {
      let found = Seeds.files(["Tests/Fuzz/found/\(target.name)"])
      let seeds = paths.isEmpty ? target.seeds.inputs() + found.inputs() : Seeds.files(paths).inputs()
      var runs = 0
      for (path, seed) in seeds {
        run(target, seed, path)
        for mutant in 0..<mutants {
          var choices = Choices(seed + Array("\(mutant)".utf8))
          var bytes = seed
          Mutation.mutate(&bytes, target.structure, &choices)
          run(target, bytes, "mutant \(mutant) of \(path)")
        }
        runs += 1 + mutants
      }
      for path in corpora.map({ sample(of: "\($0)/\(target.name)") }) ?? [] {
        guard let input = Files.bytes(path) else { continue }
        run(target, input, path)
        runs += 1
      }
      print("\(target.name): \(runs) inputs of \(seeds.count) seeds")
    }
  }

  /// Files of a folder at equal distances in the order of their names, which are checksums.
  private static func sample(of folder: String) -> [String] {
    let files = Files.below(folder)
    let step = max(1, (files.count + mostOfCorpus - 1) / mostOfCorpus)
    return stride(from: 0, to: files.count, by: step).map { files[$0] }
  }

  /// Notes what is fed before it is fed, for the report of a crash.
  private static func run(_ target: FuzzTarget, _ bytes: [UInt8], _ what: String) {
    if let note = getenv("CODER_FUZZ_INPUT").map({ String(cString: $0) }) {
      Files.write(bytes, to: note)
      Files.write(Array(what.utf8), to: "\(note).name")
    }
    target.run(bytes)
  }

  #if FUZZING
    nonisolated(unsafe) static var target: FuzzTarget?

    private static func fuzz(_ name: String, _ arguments: [String]) {
      target = all(nil).first { $0.name == name }
      guard target != nil else { end("coder-fuzz: no target \(name); --list names them\n") }
      setenv("CODER_FUZZ_TARGET", name, 1)
      var list = ([CommandLine.arguments[0]] + arguments).map { strdup($0) } + [nil]
      var count = Int32(list.count - 1)
      let status = list.withUnsafeMutableBufferPointer { pointers in
        var base = pointers.baseAddress
        return LLVMFuzzerRunDriver(&count, &base) { bytes, size in
          CoderFuzz.target?.run(Array(UnsafeBufferPointer(start: bytes, count: size)))
          return 0
        }
      }
      exit(status)
    }
  #else
    private static func fuzz(_ name: String, _ arguments: [String]) {
      end("coder-fuzz: this build has no libFuzzer; use scripts/fuzz \(name)\n\n\(usage)")
    }
  #endif
}

#if FUZZING
  /// libFuzzer's own changes, then a change of the structure one time of four, and what a checksum would find is mended.
  @_cdecl("LLVMFuzzerCustomMutator") public func mutate(
    _ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ most: Int, _ seed: UInt32
  ) -> Int {
    var size = size
    guard let structure = CoderFuzz.target?.structure else { return LLVMFuzzerMutate(bytes, size, most) }
    var choices = Choices((0..<4).map { UInt8(truncatingIfNeeded: seed >> (8 * $0)) })
    let rearranges = choices.below(4) == 0
    if !rearranges { size = LLVMFuzzerMutate(bytes, size, most) }
    var changed = Array(UnsafeBufferPointer(start: bytes, count: size))
    if rearranges { structure.rearrange(&changed, most: most, &choices) }
    if choices.below(8) > 0 { structure.repair(&changed) }
    guard !changed.isEmpty, changed.count <= most else { return size }
    for (index, byte) in changed.enumerated() { bytes[index] = byte }
    return changed.count
  }
#endif
