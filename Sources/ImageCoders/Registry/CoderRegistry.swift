// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

/// The coders that an application can use: plugins that were found, and coders that it registered itself.
///
///     import ImageCoders
///
///     let image = try CoderRegistry.standard.decode(.file("photo.webp"))
///     print(image.size, image.frames.count)
///
/// Plugins are found by their manifests and loaded when they are first needed.
///
/// - Threads: May be used from any thread.
public final class CoderRegistry: Sendable {
  /// The registry for the standard search path and the user's settings, created at first use.
  public static let standard = CoderRegistry()

  /// What was found on the search path, used or not.
  package let catalog: Catalog

  private let state: Lock<RegistrySnapshot>

  /// Makes a registry of coders that are built into the program, and of the plugins on a search path.
  ///
  /// - Parameters:
  ///   - builtIn: Coders of the product `ImageCodersBuiltIn`. One that is built in takes the place of a plugin with the same
  ///     identifier; apart from that, both kinds are ordered by the same rules.
  ///   - searchPath: Where manifests are searched.
  ///   - preferences: The user's priorities, preferred coders, and coders that may not be used.
  ///   - isolation: Where the code of plugins sees files. The stricter of this and the policy applies.
  ///   - policy: What files may ask for.
  public init(
    builtIn: [BuiltInCoder] = [], searchPath: PluginSearchPath = PluginSearchPath(),
    preferences: CoderPreferences = .user,
    isolation: Isolation = Isolation(.inProcess), policy: SecurityPolicy = .user
  ) {
    let catalog = Catalog(searchPath, builtIn: builtIn, preferences: preferences)
    self.catalog = catalog
    let candidates = catalog.entries.compactMap { Candidate($0, alternatives: catalog.alternatives(to: $0.id)) }
    state = Lock(RegistrySnapshot(RegistryState(candidates, preferences, catalog, isolation, policy)))
  }

  /// Adds a coder of the application. Among coders of equal priority the one registered last is tried first.
  ///
  /// - Parameter priority: If nil, 100, the default priority of plugins.
  public func register(_ coder: any ImageCoder, priority: Int? = nil) {
    var number = 0
    change { state in
      state.registrations += 1
      number = state.registrations
    }
    // Outside of the lock: a coder that wraps another one may ask this registry for it.
    let candidate = Candidate(coder, registration: number)
    change { state in
      state.candidates = state.candidates.filter { $0.id != candidate.id } + [candidate]
      if let priority { state.priorities[candidate.id] = priority }
      state.resolve(catalog)
    }
  }

  /// Removes a coder, of a plugin or of the application. Open decoders keep working.
  public func unregister(_ id: String) {
    change { state in state.candidates.removeAll { $0.id == id } }
  }

  /// Sets a coder's priority; it overrides those of the manifest and the user.
  public func setPriority(_ priority: Int, of id: String) {
    change { state in state.priorities[id] = priority }
  }

  /// Sets the coders that are tried before all others for files of a format, whatever their priorities.
  ///
  /// - Parameter ids: Identifiers, the first to try first; empty for no preference. They replace those of the user.
  public func prefer(_ ids: [String], toRead format: ImageFormat) {
    change { state in state.preferredReaders[format] = ids }
  }

  /// Sets the coders that are tried before all others to write a format, whatever their priorities.
  ///
  /// - Parameter ids: Identifiers, the first to try first; empty for no preference. They replace those of the user.
  public func prefer(_ ids: [String], toWrite format: ImageFormat) {
    change { state in state.preferredWriters[format] = ids }
  }

  /// Sets how plugins are isolated from now on. Files that are open stay where they are.
  ///
  /// - Parameter format: Only for coders of this format, or nil for all that no format's own setting applies to. A coder of
  ///   several formats is isolated as the strictest of them asks for.
  public func setIsolation(_ isolation: Isolation, format: ImageFormat? = nil) {
    change { state in
      if let format { state.isolationOfFormats[format] = isolation } else { state.isolation = isolation }
    }
  }

  /// The identifiers of all coders, in the order in which they are tried for a file that all of them recognize equally
  /// and of which no coder is preferred.
  public var coderIDs: [String] { candidatesInOrder().map(\.id) }

  /// Returns the coder with an identifier; loads it if necessary.
  ///
  /// - Throws: ``CoderError/Code/noCoder`` for an unknown identifier; ``CoderError/Code/pluginRejected``.
  public func coder(_ id: String) throws(CoderError) -> any ImageCoder {
    let candidate = try candidate(id)
    do throws(SkipReason) { return try candidate.coder(for: self) } catch { throw CoderError(error, coder: id) }
  }

  /// Loads the code of a plugin as ``coder(_:)`` does, without a coder around it: for tests of the code itself.
  package func loadPlugin(_ id: String) throws(CoderError) -> any Container {
    let candidate = try candidate(id)
    do throws(SkipReason) { return try candidate.loadPlugin(for: self) } catch { throw CoderError(error, coder: id) }
  }

  private func candidate(_ id: String) throws(CoderError) -> Candidate {
    let state = snapshot().state
    if let problem = state.policy.problem { throw problem }
    guard let candidate = state.candidates.first(where: { $0.id == id }) else { throw unknown(id) }
    try state.policy.checkAllowed(coder: id)
    return candidate
  }

  /// Opens an image for access to its header, frames and metadata.
  ///
  /// - Parameters:
  ///   - coder: The identifier of the only coder to use, or nil to choose.
  ///   - explain: Receives each step of the choice.
  /// - Throws: ``CoderError``. The next coder is tried if one does not recognize the file, does not support its
  ///   content, cannot be loaded, or wraps a library that fails without a reason; never after damage, an exceeded limit, or cancellation.
  @available(*, noasync, message: "this blocks a thread: await registry.async.open(…)")
  public func open(
    _ source: ByteSource, options: DecodeOptions = DecodeOptions(), coder: String? = nil,
    explain: ((SelectionStep) -> Void)? = nil
  ) throws(CoderError) -> ImageDecoder {
    try naming(source) { () throws(CoderError) in
      try attempt(try context(source, options), coder: coder, explain: explain) { (decoder) throws(CoderError) in
        decoder
      }
    }
  }

  /// Decodes an image: all frames, or the first.
  ///
  /// - Returns: The image. If the file is truncated or damaged after its header, the part that can be decoded, with
  ///   ``Image/problem``.
  /// - Throws: As for ``open(_:options:coder:explain:)``.
  @available(*, noasync, message: "this blocks a thread: await registry.async.decode(…)")
  public func decode(
    _ source: ByteSource, options: DecodeOptions = DecodeOptions(), coder: String? = nil
  ) throws(CoderError) -> Image {
    try naming(source) { () throws(CoderError) in
      var context = try context(source, options)
      context.isDecodedAtOnce = true
      return try attempt(context, coder: coder, explain: nil) { (decoder) throws(CoderError) in try decoder.image() }
    }
  }

  /// The options stay the caller's own: what a policy makes of them depends on the file's format.
  private func context(_ source: ByteSource, _ options: DecodeOptions) throws(CoderError) -> DecodeContext {
    DecodeContext(try opened(source, options), options: options)
  }

  /// The bytes of a source, within the limits of the options and of the policy.
  func opened(_ source: ByteSource, _ options: DecodeOptions) throws(CoderError) -> OpenSource {
    let snapshot = snapshot()
    guard snapshot.restrictsFiles else {
      return try OpenSource(source, limits: options.limits) { mayBeImage($0, options.allowedFormats) }
    }
    let allowed = try snapshot.state.policy.restricting(options)
    do throws(CoderError) {
      return try OpenSource(source, limits: allowed.limits) { mayBeImage($0, options.allowedFormats) }
    } catch {
      throw error.annotated(setBy: allowed.restrictions.setter(of: error))
    }
  }

  /// Names the file in errors of `body`.
  func naming<Result>(
    _ source: ByteSource, _ body: () throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    do throws(CoderError) { return try body() } catch { throw error.annotated(file: source.path) }
  }

  /// Names the coder in errors that it throws.
  func naming<Result>(
    _ coder: any ImageCoder, options: DecodeOptions, _ body: () throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    do throws(CoderError) { return try body() } catch {
      throw error.annotated(coder: coder.id, setBy: options.restrictions.setter(of: error))
    }
  }

  /// Begins incremental decoding. The coder is chosen as soon as there are enough bytes to choose one.
  public func makeIncrementalDecoder(options: DecodeOptions = DecodeOptions()) -> IncrementalDecoder {
    makeIncrementalDecoder(options: options) { (decoder) throws(CoderError) in try decoder.image() }
  }

  /// The same for `read`, which runs on the reading thread, and begins anew if that thread was needed elsewhere.
  package func makeIncrementalDecoder(
    options: DecodeOptions, _ read: @escaping (ImageDecoder) throws(CoderError) -> Image
  ) -> IncrementalDecoder {
    let policy = policy
    // A policy that cannot be loaded is an error of the first call that looks at the bytes.
    let allowed = (try? policy.restricting(options)) ?? options
    return IncrementalDecoder(options: allowed) { (source) throws(CoderError) in
      if let problem = policy.problem { throw problem }
      return try self.bytesNeededToChoose(source, options.allowedFormats)
    } body: { (context) throws(CoderError) in
      var context = context
      context.options = options
      return try self.attempt(context, coder: nil, explain: nil, read)
    }
  }

  /// How many bytes are needed to choose a coder, or nil if these are enough. A coder that may still turn out to be the
  /// right one is not skipped in favor of one that is recognized sooner.
  func bytesNeededToChoose(_ source: OpenSource, _ allowed: Set<ImageFormat>?) throws(CoderError) -> Int? {
    let selection = try selection(source, coder: nil, allowed, explains: false).0
    if let needed = selection.bytesNeeded { return needed }
    // What no coder recognizes is refused with as many of its bytes as in one call.
    guard selection.candidates.isEmpty, selection.refused == nil, !source.isComplete,
      try source.prefix(Self.shownBytes).count < Self.shownBytes
    else { return nil }
    return Self.shownBytes
  }

  /// Bytes of a file that no coder recognizes, as an error shows them.
  static let shownBytes = 16

  /// Whether a file that begins with these bytes may be an image, as far as the bytes tell.
  ///
  /// - Parameter prefix: The first bytes; more come.
  /// - Returns: Whether a coder recognizes them; nil as long as more bytes are needed to say so.
  /// - Throws: ``CoderError/Code/noCoder`` if no coder ever will; ``CoderError/Code/unsupported`` for a format that is not
  ///   allowed.
  package func recognizes(prefix: [UInt8], allowed: Set<ImageFormat>?) throws(CoderError) -> Bool? {
    let source = try OpenSource(beginning: prefix)
    let (selection, count) = try selection(source, coder: nil, allowed, explains: false)
    if !selection.candidates.isEmpty { return true }
    if selection.bytesNeeded != nil { return nil }
    throw unrecognized(source, selection, coders: count)
  }

  /// A source that can be opened more than once; of a pipe that no coder recognizes, the beginning.
  package func rereadable(_ source: ByteSource, _ options: DecodeOptions) throws(CoderError) -> ByteSource {
    try source.rereadable(options.limits) { mayBeImage($0, options.allowedFormats) }
  }

  /// Whether a file that begins with these bytes may be an image, or nil as long as more are needed to say so.
  package func mayBeImage(_ prefix: [UInt8], _ allowed: Set<ImageFormat>? = nil) -> Bool? {
    do throws(CoderError) { return try recognizes(prefix: prefix, allowed: allowed) } catch { return false }
  }

  /// The order in which coders are tried for a file.
  ///
  /// - Parameter coder: The identifier of the only coder, or nil for all.
  func selection(
    _ source: OpenSource, coder: String?, _ allowed: Set<ImageFormat>?, explains: Bool
  ) throws(CoderError) -> (Selection, coderCount: Int) {
    let snapshot = snapshot()
    if let problem = snapshot.policyProblem { throw problem }
    if let coder, !snapshot.state.candidates.contains(where: { $0.id == coder }) { throw unknown(coder) }
    let selection = try Selection(source, among: snapshot, only: coder, allowed: allowed, explains: explains) {
      (candidate) throws(SkipReason) in
      try candidate.coder(for: self)
    }
    return (selection, coder == nil ? snapshot.state.candidates.count : 1)
  }

  private func attempt<Result>(
    _ context: DecodeContext, coder: String?, explain: ((SelectionStep) -> Void)?,
    _ body: (ImageDecoder) throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    var context = context
    context.openEmbedded = embeddedFileOpener
    let opened = context
    var refusals: [(coder: any ImageCoder, error: CoderError)] = []
    return try choose(opened.source, options: opened.options, coder: coder, explain: explain) {
      (coder, formats) throws(CoderError) in
      let decoder = try restricting(opened.options, formats) { (options) throws(CoderError) in
        var restricted = opened
        restricted.options = options
        restricted.format = formats.only
        return try naming(coder, options: options) { () throws(CoderError) in
          try coder.checkValues(of: restricted)
          do throws(CoderError) { return try coder.makeDecoder(restricted) } catch {
            refusals.append((coder, error))
            throw error
          }
        }
      } format: {
        $0.header.format
      }
      if decoder.header.standsIn, let log = opened.options.log {
        log(.warning, try standIn(opened.source, coder.id, after: refusals))
      }
      return try body(decoder)
    }
  }

  /// Opens a file with the options that the policy leaves the caller for its format.
  ///
  /// - Parameters:
  ///   - formats: What the file may be by its signature.
  ///   - open: Opens it with what is left.
  ///   - format: What it turned out to be.
  func restricting<Opened>(
    _ options: DecodeOptions, _ formats: [ImageFormat],
    open: (DecodeOptions) throws(CoderError) -> Opened, format: (Opened) -> ImageFormat
  ) throws(CoderError) -> Opened {
    let snapshot = snapshot()
    guard snapshot.restrictsFiles else { return try open(options) }
    let opened = try open(try snapshot.state.policy.restricting(options, for: formats))
    let found = format(opened)
    guard !formats.contains(found), snapshot.state.policy.formatRules[found] != nil else { return opened }
    // The header knows better than the signature, and the format has rules of its own.
    return try open(try snapshot.state.policy.restricting(options, for: formats + [found]))
  }

  /// Tries the coders that may read a file, in their order, until one does.
  ///
  /// A file chooses how the first reader of its format fails. So it does not get to a second one in the program, where that
  /// one wraps a library in C and nobody named it: that one is tried in a worker or not at all.
  func choose<Result>(
    _ open: OpenSource, options: DecodeOptions, coder: String?, explain: ((SelectionStep) -> Void)?,
    _ body: (_ coder: any ImageCoder, _ formats: [ImageFormat]) throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    let (selection, coderCount) = try selection(
      open, coder: coder, options.allowedFormats, explains: explain != nil)
    for step in selection.steps { explain?(step) }
    var first: CoderError?
    // Formats whose readers have seen the file, and why further readers have not.
    var (seen, untried) = (Set<ImageFormat>(), [String]())
    for (candidate, formats) in selection.candidates {
      if first != nil, let name = options.output.missingOption(in: candidate.readOptions, for: formats.only) {
        let reason = "not tried: it has no option \(name)"
        explain?(SelectionStep(coder: candidate.id, code: .failed, message: reason))
        untried.append("\(candidate.id) is \(reason)")
        continue
      }
      let isSecond = !seen.isDisjoint(with: formats) && !isNamed(candidate, formats)
      if first != nil {
        let message = isSecond && !candidate.isPureSwift ? "is tried next, in a worker" : "is tried next"
        explain?(SelectionStep(coder: candidate.id, code: .fallback, message: message))
      }
      let loaded = Swift.Result { () throws(SkipReason) in
        try candidate.coder(for: self, isSecondReader: isSecond)
      }
      if isSecond, case .failure(let reason) = loaded, reason.code == .isolationMissing {
        explain?(SelectionStep(coder: candidate.id, code: .failed, message: reason.ofSecondReader))
        untried.append("\(candidate.id) is \(reason.ofSecondReader)")
        continue
      }
      do throws(CoderError) {
        let coder = try loaded.orError(of: candidate.id)
        seen.formUnion(formats)
        if let explain, let message = candidate.substitution {
          explain(SelectionStep(coder: candidate.id, code: .failed, message: message))
        }
        let result = try body(coder, formats)
        explain?(SelectionStep(coder: candidate.id, code: .chosen, message: "reads the file"))
        return result
      } catch {
        explain?(SelectionStep(coder: candidate.id, code: .failed, message: error.descriptionWithoutFile))
        guard error.allowsFallback else { throw error }
        // A coder that knows the file and lacks a feature says more than one that does not know it.
        if first == nil || first?.code == .wrongFormat { first = error }
      }
    }
    throw first?.adding(untried) ?? unrecognized(open, selection, coders: coderCount)
  }

  func load(_ candidate: Candidate) throws(CoderError) -> any ImageCoder {
    try Result { () throws(SkipReason) in try candidate.coder(for: self) }.orError(of: candidate.id)
  }

  private func unknown(_ id: String) -> CoderError {
    catalog.shortage ?? .noCoder(hasCoders ? "no coder has the id \(id)\(catalog.unusedHint)" : catalog.emptiness)
  }

  /// Whether there is any coder to choose from.
  var hasCoders: Bool { !snapshot().state.candidates.isEmpty }

  /// What files may ask for. It changes what is opened from now on.
  public var policy: SecurityPolicy {
    get { snapshot().state.policy }
    set { change { [catalog] state in state.resolve(catalog, newValue) } }
  }

  func snapshot() -> RegistrySnapshot { state.withLock { $0 } }

  private func change(_ body: (inout RegistryState) -> Void) {
    state.withLock { snapshot in
      var next = snapshot.state
      body(&next)
      snapshot = RegistrySnapshot(next)
    }
  }
}
