// SPDX-License-Identifier: Apache-2.0

import ImageCoderCore
import Synchronization

/// Where a candidate stands among others: a total order, in which the first is tried first.
///
/// It does not depend on the order of directories: priority, the application's later registration, strength of the
/// signature, identifier.
struct CandidateRank: Comparable {
  let priority: Int
  let registration: Int
  /// 0 where no file is in question.
  let strength: Int
  let id: String

  init(_ candidate: Candidate, priority: Int, strength: Int = 0) {
    self.priority = priority
    registration = candidate.registration
    self.strength = strength
    id = candidate.id
  }

  static func < (one: CandidateRank, other: CandidateRank) -> Bool {
    if one.priority != other.priority { return one.priority > other.priority }
    if one.registration != other.registration { return one.registration > other.registration }
    if one.strength != other.strength { return one.strength > other.strength }
    return one.id < other.id
  }
}

/// A coder that can be chosen: of a plugin that is loaded when it is first needed, or of the application's own.
final class Candidate: Sendable {
  let id: String
  let formats: [ImageFormat]
  let canRead: Bool
  let canWrite: Bool
  /// Counts up with each coder that the application registers; 0 for plugins.
  let registration: Int
  /// What counts when nobody has set another one.
  let priority: Int
  let entry: CatalogEntry?

  /// What the manifest says of a file's first bytes, kept apart so that each file does not look through a manifest.
  private let signatures: [Signature]
  /// Extensions of the formats that have no signature.
  private let extensions: Set<String>

  private enum State {
    case unloaded
    case loaded(any ImageCoder)
    case failed(SkipReason)
  }

  private let state: Mutex<State>

  /// A coder of the application's own.
  init(_ coder: any ImageCoder, registration: Int) {
    id = coder.id
    formats = coder.formats
    canRead = true
    canWrite = true
    entry = nil
    priority = 100
    signatures = []
    extensions = []
    self.registration = registration
    state = Mutex(.loaded(coder))
  }

  /// A plugin.
  init?(_ entry: CatalogEntry) {
    guard let manifest = entry.manifest, entry.reason == nil else { return nil }
    id = manifest.id
    formats = manifest.formats.map(\.format)
    canRead = manifest.canRead
    canWrite = manifest.canWrite
    registration = 0
    self.entry = entry
    priority = entry.priority
    signatures = manifest.formats.flatMap(\.signatures)
    extensions = Set(manifest.formats.filter(\.signatures.isEmpty).flatMap(\.extensions))
    state = Mutex(.unloaded)
  }

  /// The coder, loaded if need be. A plugin that failed once is not tried again.
  ///
  /// The lock is this candidate's alone and is held while the library loads, so that a plugin describes itself once.
  ///
  /// - Parameter registry: Finds coders for files that are pages of other files.
  func coder(for registry: CoderRegistry?) throws(SkipReason) -> any ImageCoder {
    let result: Result<any ImageCoder, SkipReason> = state.withLock { state in
      switch state {
      case .loaded(let coder): return .success(coder)
      case .failed(let reason): return .failure(reason)
      case .unloaded:
        do throws(SkipReason) {
          let coder = try load(for: registry)
          state = .loaded(coder)
          return .success(coder)
        } catch {
          state = .failed(error)
          return .failure(error)
        }
      }
    }
    return try result.get()
  }

  private func load(for registry: CoderRegistry?) throws(SkipReason) -> any ImageCoder {
    guard let entry else { throw SkipReason(.manifestInvalid, "there is no manifest") }
    return AnimatedCoder(try PluginContainer(loading: entry)) { [weak registry] (source, session) throws(CoderError) in
      guard let registry else { throw .noCoder("the registry of the coder is gone") }
      return try registry.embeddedReader(source, session)
    }
  }

  /// Whether a file's bytes are of a format that the coder reads, from the manifest alone.
  func recognise(_ source: OpenSource) throws(CoderError) -> Recognition {
    guard entry != nil else {
      guard case .success(let coder) = Result(catching: { () throws(SkipReason) in try coder(for: nil) }) else {
        return .no
      }
      let prefix = try source.prefix(Self.prefixBytes)
      return coder.canDecode(prefix, isComplete: prefix.count == source.size)
    }
    var answer = Recognition.no
    for signature in signatures {
      switch (try signature.matches(source), answer) {
      case (.yes(let new), .yes(let old)): answer = .yes(strength: max(new, old))
      case (.yes(let new), _): answer = .yes(strength: new)
      case (.needMore(let new), .no): answer = .needMore(bytes: new)
      default: break
      }
    }
    if answer == .no, !extensions.isEmpty, let name = source.fileExtension, extensions.contains(name) {
      return .yes(strength: 0)
    }
    return answer
  }

  /// Enough for nearly every signature, and no more than one small read.
  static let prefixBytes = 4 << 10
}

extension Signature {
  /// Compares with an open source, and looks at its end for a signature that is there.
  fileprivate func matches(_ source: OpenSource) throws(CoderError) -> Recognition {
    if offset < 0 {
      // The end of what arrives is known when all is there.
      guard source.size < .max else { return .needMore(bytes: .max) }
      guard source.size >= -offset else { return .no }
      let tail = try source.view(at: source.size + offset, count: -offset)
      return Signature(bytes, at: 0, mask: mask).matches(tail, isComplete: true)
    }
    let prefix = try source.prefix(max(Candidate.prefixBytes, reach))
    // A file that ends inside the bytes that would decide is cut, not unknown.
    return matches(prefix, isComplete: false)
  }
}
