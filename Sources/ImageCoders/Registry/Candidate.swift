// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

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
  /// What it does with whole files without decoding their pixels.
  let operations: [OperationDescription]
  /// Options of its reader.
  let readOptions: [OptionDescription]
  /// Counts up with each coder that the application registers; 0 for plugins.
  let registration: Int
  /// The priority unless the program has set another.
  let priority: Int
  /// The priority among strangers, unless the user or the program has set one.
  let ownPriority: Int
  let entry: CatalogEntry?
  /// Whether it is one of this project's, as its place says.
  let isBundled: Bool
  /// Whether it is a plugin that is not bundled.
  var isStranger: Bool { registration == 0 && !isBundled }
  /// Extensions of all its formats, lower case.
  let extensions: Set<String>
  /// Recognizes files, kept apart so that each file does not look through a manifest.
  let recognizer: FormatRecognizer
  /// Whether it looks itself at files that no signature knows.
  let isAsked: Bool
  /// The formats of such files.
  let askedFormats: [ImageFormat]
  /// Its formats that are kinds of other formats.
  let refining: [RefiningFormat]
  /// Plugins of the same identifier, used one after the other if the library cannot be loaded.
  private let alternatives: [CatalogEntry]

  private enum State {
    /// - Parameter instead: Of a plugin that could not be loaded: its reason, and which one took its place.
    case loaded(any ImageCoder, instead: String?)
    case failed(SkipReason)
  }

  /// By how the coder is isolated, which a registry may change: nearly always one.
  private let states: Lock<[(isolation: IsolationOfCode, state: State)]>
  /// A coder of the application's own.
  private let own: (any ImageCoder)?

  /// A coder of the application's own.
  init(_ coder: any ImageCoder, registration: Int) {
    id = coder.id
    isBundled = false
    formats = coder.formats
    canRead = coder.canRead
    writtenFormats = coder.formats.filter(coder.canEncode)
    canWrite = !writtenFormats.isEmpty
    writesPages = coder.writesPages
    writesFrames = coder.writerFeatures.contains(.frames)
    operations = coder.operations
    readOptions = coder.readOptions
    entry = nil
    priority = CatalogEntry.usualPriority
    ownPriority = priority
    extensions = []
    // It costs no load to ask it, and it may know more of its files than their first bytes.
    isAsked = true
    askedFormats = coder.formats
    refining = []
    recognizer = FormatRecognizer(coder.formats, signatures: coder.signatures)
    alternatives = []
    self.registration = registration
    own = coder
    states = Lock([])
  }

  /// A plugin.
  ///
  /// - Parameter alternatives: Plugins of the same identifier, used one after the other if the library cannot be loaded.
  init?(_ entry: CatalogEntry, alternatives: [CatalogEntry]) {
    guard let manifest = entry.manifest, entry.reason == nil else { return nil }
    id = manifest.id
    isBundled = entry.isBundled
    formats = manifest.formats.map(\.format)
    canRead = manifest.canRead
    canWrite = manifest.canWrite
    writesPages = manifest.writesPages
    writesFrames = manifest.writesFrames
    writtenFormats = manifest.writtenFormats.map(\.format)
    operations = manifest.operations
    readOptions = manifest.readOptions
    registration = 0
    self.entry = entry
    self.alternatives = alternatives
    priority = entry.standing
    ownPriority = entry.ownPriority
    extensions = Set(manifest.formats.flatMap(\.extensions))
    recognizer = FormatRecognizer(manifest)
    let isAsked = manifest.capabilities.contains("recognize")
    refining = manifest.formats.filter { !$0.refines.isEmpty }.map {
      RefiningFormat(
        format: $0.format, refines: $0.refines, extensions: $0.extensions, isAsked: isAsked && $0.signatures.isEmpty)
    }
    // About a kind of another format it is asked where that one agrees.
    let unsigned = manifest.formats.filter { $0.signatures.isEmpty && $0.refines.isEmpty }
    self.isAsked = isAsked && (!unsigned.isEmpty || !refining.contains(where: \.isAsked))
    askedFormats = (unsigned.isEmpty ? manifest.formats : unsigned).map(\.format)
    own = nil
    states = Lock([])
  }

  /// The coder, loaded if necessary. A plugin that failed once is not tried again, unless the process had no descriptors or
  /// no memory left.
  ///
  /// The lock is this candidate's alone and is held while the library loads, so that a plugin describes itself once.
  ///
  /// - Parameters:
  ///   - registry: Finds coders for files that are pages of other files.
  ///   - isSecondReader: Whether another reader has refused the file before, so that this one needs a worker unless it is
  ///     in pure Swift.
  func coder(
    for registry: CoderRegistry, isSecondReader: Bool = false
  ) throws(SkipReason) -> any ImageCoder {
    var isolation = registry.isolation(of: formats)
    if isSecondReader { isolation.other = isolation.other.atLeast(.required) }
    if let own {
      guard isolation.other.mode < .required else {
        throw SkipReason(
          .isolationMissing, "isolation is \(isolation.other.mode.word), and \(id) is a coder of the program itself")
      }
      return own
    }
    let result: Result<any ImageCoder, SkipReason> = states.withLock { states in
      switch states.first(where: { $0.isolation == isolation })?.state {
      case .loaded(let coder, _): return .success(coder)
      case .failed(let reason): return .failure(reason)
      case nil:
        do throws(SkipReason) {
          let (coder, instead) = try load(for: registry, isolation)
          states.append((isolation, .loaded(coder, instead: instead)))
          return .success(coder)
        } catch {
          if !error.isPassing { states.append((isolation, .failed(error))) }
          return .failure(error)
        }
      }
    }
    return try result.get()
  }

  /// Whether its reader wraps no library, whichever plugin of its identifier is used.
  var isPureSwift: Bool { entry.map { ([$0] + alternatives).allSatisfy(\.isPureSwift) } ?? false }

  /// Why another plugin of the same identifier is used than the first one, or nil.
  var substitution: String? {
    states.withLock { states in
      for case .loaded(_, let instead?) in states.map(\.state) { return instead }
      return nil
    }
  }

  /// - Throws: What is wrong with the first plugin, when none of the same identifier can be loaded.
  private func load(
    for registry: CoderRegistry, _ isolation: IsolationOfCode
  ) throws(SkipReason) -> (coder: any ImageCoder, instead: String?) {
    guard let entry else { throw SkipReason(.manifestInvalid, "there is no manifest") }
    let reason: SkipReason
    do throws(SkipReason) { return (try load(entry, for: registry, isolation), nil) } catch { reason = error }
    for other in alternatives {
      // What is wrong with the first one is what has to be repaired; `coders doctor` tells of the others.
      let loaded = Result { () throws(SkipReason) in try load(other, for: registry, isolation) }
      guard case .success(let coder) = loaded else { continue }
      return (coder, "\(entry.path): \(reason.code.rawValue): \(reason.message); \(other.path) is used in its place")
    }
    throw reason
  }

  private func load(
    _ entry: CatalogEntry, for registry: CoderRegistry, _ isolation: IsolationOfCode
  ) throws(SkipReason) -> any ImageCoder {
    AnimatedCoder(try container(entry, isolation.of(entry), advisories: registry.policy.advisories)) {
      [weak registry] (context) throws(CoderError) in
      guard let registry else { throw .noCoder("the registry of the coder is gone") }
      return try registry.openEmbedded(context)
    }
  }

  /// The code of a plugin as it is isolated, without a coder around it.
  func loadPlugin(for registry: CoderRegistry) throws(SkipReason) -> any Container {
    guard let entry else { throw SkipReason(.manifestInvalid, "there is no manifest") }
    return try container(entry, registry.isolation(of: formats).of(entry), advisories: registry.policy.advisories)
  }

  /// The code of a plugin as it is isolated, if its library may be used: its version is known when it is loaded, before it
  /// sees a file.
  private func container(
    _ entry: CatalogEntry, _ isolation: Isolation, advisories rule: SecurityPolicy.Rule<AdvisoryRule>?
  ) throws(SkipReason) -> any Container {
    let container = try container(entry, isolation)
    guard let rule, rule.value != .ignore, let library = (container as? any LibraryWrapping)?.library, !library.isEmpty,
      let objection = Advisories.current.objection(to: library, of: entry.manifest)
    else { return container }
    guard rule.value == .isolate else {
      throw SkipReason(.advisoryOpen, "\(objection) (set by \(rule.words))")
    }
    return isolation.mode >= .required ? container : try self.container(entry, isolation.atLeast(.required))
  }

  private func container(_ entry: CatalogEntry, _ isolation: Isolation) throws(SkipReason) -> any Container {
    guard isolation.mode > .inProcess else { return try PluginContainer(loading: entry) }
    do throws(SkipReason) { return try IsolatedContainer(loading: entry, isolation: isolation) } catch {
      // What cannot be isolated runs here if that is good enough; what is wrong with the plugin is wrong here too.
      guard isolation.mode == .preferred, error.code == .isolationMissing else { throw error }
      return try PluginContainer(loading: entry)
    }
  }

  /// Bytes of a file that a coder sees at most.
  private static let maxAskedBytes = 1 << 20

  /// What a coder says of a file that no signature knows.
  static func ask(_ coder: any ImageCoder, _ source: OpenSource) throws(CoderError) -> Recognition {
    var count = SignatureTable.prefixBytes
    while true {
      let prefix = try source.prefix(count)
      let answer = coder.canDecode(prefix, fileSize: source.isComplete ? source.size : nil)
      guard case .needMore(let bytes) = answer, prefix.count == count else { return answer }
      guard count < maxAskedBytes else { return .no }
      count = min(max(bytes, 2 * count), maxAskedBytes)
    }
  }
}
