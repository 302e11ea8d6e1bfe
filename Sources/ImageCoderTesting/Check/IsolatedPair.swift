// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import Glibc
import ImageCoderEngine
import ImageCoderModel
package import ImageCoders

/// The coder that is checked, once in this process and once in workers.
struct IsolatedPair {
  /// Something that both have to say alike.
  struct Fact {
    let name: String
    let text: String
    /// The hash of bytes that the text does not show.
    var hash = 0
  }

  /// What was found until an error, or until the end.
  private struct Outcome {
    var facts: [Fact] = []
    var error: CoderError?

    init(_ registry: CoderRegistry, _ collect: (CoderRegistry, inout [Fact]) throws(CoderError) -> Void) {
      do throws(CoderError) { try collect(registry, &facts) } catch { self.error = error }
    }
  }

  /// What a worker says of a library that is wrong.
  private static let ofWorkers: Set<SkipReason.Code> = [
    .loadFailed, .entryMissing, .entryInvalid, .coderInvalid, .refused, .scanCrashed, .scanTimeout,
  ]

  let here: any Container
  let there: any Container
  private let registries: (here: CoderRegistry, there: CoderRegistry)

  /// - Throws: A skipped check where there can be no worker, and without a manifest; a failure for a library that no
  ///   worker can load.
  init(_ subject: CheckSubject) throws(CheckEnd) {
    let (bytes, id) = (try subject.manifestBytes, try subject.manifest.id)
    guard let describe = try subject.coder.entry.describe else { throw .skipped("there is no describe") }
    switch subject.plugin.isolated {
    case .failure(let reason) where reason.code == .isolationMissing: throw .skipped("no worker: \(reason.message)")
    case .failure(let reason) where !Self.ofWorkers.contains(reason.code):
      throw .skipped("no host uses the plugin: \(reason.message)")
    case .failure(let reason):
      throw .failed(
        "the library in a worker", expected: "a coder that loads and describes itself",
        found: "\(reason.code.rawValue): \(reason.message)", rule: reason.code == .scanCrashed ? .r2 : nil)
    case .success(let registry): registries.there = registry
    }
    // The library is loaded already, as `coder` says. What the user isolates is not asked here.
    unsetenv("CODERS_ISOLATION")
    registries.here = CoderRegistry(
      builtIn: [BuiltInCoder(manifest: bytes, describe: describe)], searchPath: .only([]),
      preferences: CoderPreferences(), policy: .standard)
    do throws(CoderError) {
      (here, there) = (try registries.here.loadPlugin(id), try registries.there.loadPlugin(id))
    } catch {
      throw .skipped("no host uses the plugin: \(error.message)")
    }
  }

  /// Fails at the first thing that is not the same in a worker.
  ///
  /// - Parameter collect: Finds out the same things in the same order with either registry.
  func compare(
    _ what: String, _ collect: (CoderRegistry, inout [Fact]) throws(CoderError) -> Void
  ) throws(CheckEnd) {
    let (here, there) = (Outcome(registries.here, collect), Outcome(registries.there, collect))
    for (own, other) in zip(here.facts, there.facts) where own.text != other.text || own.hash != other.hash {
      let isText = own.text != other.text
      throw .failed(
        "\(what): \(own.name)", expected: "\(isText ? own.text : "the same bytes"), as without a worker",
        found: isText ? other.text : "other bytes")
    }
    guard here.error != there.error else { return }
    let last = (here.facts.count < there.facts.count ? here : there).facts.last
    throw .failed(
      what + (last.map { ", after \($0.name)" } ?? ""),
      expected: "\(here.error.map { "\($0)" } ?? "no error"), as without a worker",
      found: there.error.map { "\($0)" } ?? "no error", rule: Self.rule(of: there.error))
  }

  /// A call that no worker may make is one that no plugin may make; any other end is a crash.
  private static func rule(of error: CoderError?) -> Rule? {
    guard let error, error.code == .coderCrashed else { return nil }
    return error.message.hasPrefix("SIGSYS") ? .r11 : .r2
  }
}

extension CheckedPlugin {
  /// A registry in which the plugin runs in workers, and nothing else does.
  ///
  /// - Returns: Or why there can be none: `isolationMissing` if the machine or the installation lacks something, else
  ///   what is wrong with the plugin.
  package var isolated: Result<CoderRegistry, SkipReason> {
    guard let path = manifest, let bytes = Self.contents(path) else {
      return .failure(SkipReason(.manifestUnreadable, "there is no manifest beside the library"))
    }
    return Result { () throws(SkipReason) in
      let id = try Manifest(json: bytes).id
      var preferences = CoderPreferences()
      preferences.allowed = [id]
      let folder = Self.folder(path)
      let registry = CoderRegistry(
        searchPath: .only([folder]).trusting([folder]), preferences: preferences, isolation: Isolation(.required),
        policy: .standard)
      guard let entry = registry.catalog.entries.first(where: { $0.path == path }) else {
        throw SkipReason(.manifestUnreadable, "\(path) is not found in its folder")
      }
      if let obstacle = IsolationReport.obstacle(of: entry) { throw obstacle }
      return registry
    }
  }
}
