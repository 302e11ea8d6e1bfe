// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// How a verb reads images: what its options say, or what holds without them.
struct ReadSettings {
  var coders = CoderSettings()
  var limits = Limits.standard
  /// The coder that was asked for, by its identifier or the last part of it, or nil.
  var coder: String?
  /// Counted from 1, or nil for the file's primary page.
  var page: Int?
  /// Options of the files' coders.
  var values: [ReadValue] = []
  var size = PictureSize.own
  /// The part of the upright picture that is read, or nil for all of it.
  var part: Rect?
  var isolation = Isolation.Mode.inProcess
  /// A policy's name or file, or nil.
  var policy: String?
  /// What is read beside a file, or nil for what the policy says.
  var siblings: SiblingAccess?

  init() {}

  /// The coders of this run.
  func registry(_ console: Console) -> CoderRegistry {
    let registry = coders.registry(console, policy: policy)
    registry.setIsolation(Isolation(isolation))
    return registry
  }

  /// The decode options for one input file.
  ///
  /// - Throws: As ``ReadValue/apply(to:_:_:)``; ``CoderError/Code/invalidArgument`` if both the file and a value are standard
  ///   input.
  func decodeOptions(_ registry: CoderRegistry, _ console: Console, file: String) throws(CoderError) -> DecodeOptions {
    if file == "-" { try checkStandardInput(for: "no picture") }
    var options = DecodeOptions()
    options.limits = limits
    options.page = page.map { $0 - 1 }
    options.size = size
    options.part = part
    for value in values { try value.apply(to: &options, registry, console) }
    options.siblings = siblings
    options.cancellation = console.cancellation
    options.log = console.log(for: file, isQuiet: coders.isQuiet)
    return options
  }

  /// Opens an input.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a page that the file does not have, counted as the user does.
  func open(
    _ source: ByteSource, _ registry: CoderRegistry, options: DecodeOptions, explain: ((SelectionStep) -> Void)? = nil
  ) throws(CoderError) -> ImageDecoder {
    try checkingPage(of: source, registry, options) { (coder) throws(CoderError) in
      try registry.open(source, options: options, coder: coder, explain: explain)
    }
  }

  /// Decodes an input.
  ///
  /// - Throws: As for `open`.
  func decode(
    _ source: ByteSource, _ registry: CoderRegistry, options: DecodeOptions
  ) throws(CoderError) -> Image {
    try checkingPage(of: source, registry, options) { (coder) throws(CoderError) in
      try registry.decode(source, options: options, coder: coder)
    }
  }

  private func checkingPage<Result>(
    of source: ByteSource, _ registry: CoderRegistry, _ options: DecodeOptions,
    _ body: (_ coder: String?) throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    let coder = try registry.coderID(named: coder)
    do throws(CoderError) { return try body(coder) } catch {
      guard let page, error.code == .invalidArgument else { throw error }
      var options = options
      options.page = nil
      let count = try registry.header(of: source, options: options, coder: coder).pageCount
      guard page > count else { throw error }
      throw .invalidArgument("--page is \(page), the file has \(count == 1 ? "1 page" : "pages 1 to \(count)")")
    }
  }

  /// The input that an argument names; `-` is standard input, which is read to its end, or as far as it takes to see that no
  /// coder of `registry` recognizes it.
  ///
  /// - Throws: ``CoderError/Code/cancelled``, ``CoderError/Code/io``, ``CoderError/Code/limitExceeded``;
  ///   ``CoderError/Code/invalidArgument`` if standard input is that of a value.
  func source(
    _ argument: String, _ registry: CoderRegistry, _ console: Console
  ) throws(CoderError) -> ByteSource {
    guard argument == "-" else { return .file(console.location(of: argument)) }
    try checkStandardInput(for: "no picture")
    return .bytes(
      try StandardInput.read(most: limits.maxMemory, console.cancellation) { registry.mayBeImage($0) })
  }

  /// Checks that standard input is not that of a value.
  ///
  /// - Parameter absent: What it cannot have then.
  func checkStandardInput(for absent: String) throws(CoderError) {
    guard let value = values.first(where: \.takesStandardInput) else { return }
    throw .invalidArgument("standard input has the value of --read-option \(value.name), and \(absent)")
  }
}

extension CoderRegistry {
  /// The identifier of a coder that the user named, whole or by its last parts: `webp` for `org.imagecoders.webp`.
  ///
  /// - Returns: Nil for nil.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a name that several coders have; ``CoderError/Code/noCoder`` for
  ///   one that none has, if it looks like another one.
  func coderID(named name: String?) throws(CoderError) -> String? {
    guard let name else { return nil }
    let ids = coderIDs
    guard !ids.contains(name) else { return name }
    let matches = ids.filter { $0.hasSuffix(".\(name)") }
    guard matches.count <= 1 else {
      throw .invalidArgument("\(name) is the name of several coders: \(matches.joined(separator: ", "))")
    }
    if let match = matches.first { return match }
    // A name that is like no other is told by the registry, with what else there is.
    let known = name.contains(".") ? ids : ids.map { String($0.split(separator: ".").last ?? "") }
    guard let meant = Spelling.closest(to: name, in: known) else { return name }
    throw .noCoder("no coder has the id \(name); did you mean \(meant)?")
  }
}
