// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Synchronization

/// Where a candidate stands among others: a total order, in which the first is tried first.
///
/// It does not depend on the order of directories: priority, the application's later registration, strength of the
/// signature, whether the file's name has an extension of the coder, identifier.
struct CandidateRank: Comparable {
  let priority: Int
  let registration: Int
  /// 0 if there is no file.
  let strength: Int
  /// Whether the file's name has an extension of the coder.
  let isNamed: Bool
  let id: String

  init(_ candidate: Candidate, priority: Int, strength: Int = 0, isNamed: Bool = false) {
    self.priority = priority
    registration = candidate.registration
    self.strength = strength
    self.isNamed = isNamed
    id = candidate.id
  }

  static func < (one: CandidateRank, other: CandidateRank) -> Bool {
    if one.priority != other.priority { return one.priority > other.priority }
    if one.registration != other.registration { return one.registration > other.registration }
    if one.strength != other.strength { return one.strength > other.strength }
    if one.isNamed != other.isNamed { return one.isNamed }
    return one.id < other.id
  }
}

/// A coder that can be chosen: of a plugin that is loaded when it is first needed, or of the application's own.
final class Candidate: Sendable {
  let id: String
  let formats: [ImageFormat]
  let canRead: Bool
  let canWrite: Bool
  /// Whether it writes several pages into one file.
  let writesPages: Bool
  /// Whether it writes the frames of an animation.
  let writesFrames: Bool
  /// The formats that it writes.
  let writtenFormats: [ImageFormat]
  /// Counts up with each coder that the application registers; 0 for plugins.
  let registration: Int
  /// The priority unless the program has set another.
  let priority: Int
  let entry: CatalogEntry?
  /// Whether there is an entry, told without a look at it: that would copy it for each file.
  private let isPlugin: Bool

  /// What the manifest says of a file's first bytes, kept apart so that each file does not look through a manifest.
  private let signatures: [Signature]
  /// Extensions of all its formats, lower case.
  let extensions: Set<String>
  /// Those of formats that have no signature.
  private let identifyingExtensions: Set<String>
  /// First bytes of files that a signature may agree with, or nil when every one has to be asked.
  private let firstBytes: FirstBytes?

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
    let container = coder.container?.container
    canRead = container?.canRead ?? true
    canWrite = container?.canWrite ?? true
    writesPages = container?.writesPages ?? true
    writesFrames = container?.writerFeatures.contains(.frames) ?? true
    writtenFormats = container?.writtenFormats ?? coder.formats
    entry = nil
    isPlugin = false
    priority = 100
    signatures = []
    extensions = []
    identifyingExtensions = []
    firstBytes = nil
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
    writesPages = manifest.writesPages
    writesFrames = manifest.writesFrames
    writtenFormats = manifest.writtenFormats.map(\.format)
    registration = 0
    self.entry = entry
    isPlugin = true
    priority = entry.priority
    signatures = manifest.formats.flatMap(\.signatures)
    extensions = Set(manifest.formats.flatMap(\.extensions))
    identifyingExtensions = Set(manifest.formats.filter(\.signatures.isEmpty).flatMap(\.extensions))
    firstBytes = identifyingExtensions.isEmpty ? FirstBytes(signatures) : nil
    state = Mutex(.unloaded)
  }

  /// The coder, loaded if necessary. A plugin that failed once is not tried again.
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
    return AnimatedCoder(try PluginContainer(loading: entry)) {
      [weak registry] (source, session, allowed) throws(CoderError) in
      guard let registry else { throw .noCoder("the registry of the coder is gone") }
      return try registry.embeddedReader(source, session, allowed: allowed)
    }
  }

  /// Whether a file's bytes are of a format that the coder reads, from the manifest alone.
  func recognize(_ source: OpenSource) throws(CoderError) -> Recognition {
    if let firstBytes, let first = try source.prefix(1).first, !firstBytes.contains(first) { return .no }
    guard isPlugin else {
      guard case .success(let coder) = Result(catching: { () throws(SkipReason) in try coder(for: nil) }) else {
        return .no
      }
      let prefix = try source.prefix(Self.prefixBytes)
      return coder.canDecode(prefix, isComplete: prefix.count == source.size)
    }
    var answer = Recognition.no
    for signature in signatures { answer.merge(try signature.matches(source)) }
    if answer == .no, let name = source.fileExtension, identifyingExtensions.contains(name) {
      return .yes(strength: 0)
    }
    return answer
  }

  /// Enough for nearly every signature, and no more than one small read.
  static let prefixBytes = 4 << 10
}

/// The bytes with which files of some signatures may begin: most coders are ruled out by one look at them.
private struct FirstBytes: Sendable {
  private var words = SIMD4<UInt64>.zero

  /// Nil when some signature says nothing of the first byte.
  init?(_ signatures: [Signature]) {
    for signature in signatures {
      guard signature.offset == 0, signature.within == 0, let byte = signature.bytes.first,
        signature.mask.first ?? 0xFF == 0xFF
      else { return nil }
      words[Int(byte) >> 6] |= 1 << UInt64(byte & 63)
    }
  }

  func contains(_ byte: UInt8) -> Bool { words[Int(byte) >> 6] >> UInt64(byte & 63) & 1 != 0 }
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
