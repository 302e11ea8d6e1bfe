// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// Opens files that are pages of other files, with the coder for them.
package typealias EmbeddedFileOpener = @Sendable (_ file: DecodeContext) throws(CoderError) -> ImageDecoder

/// A requested decode: the open file, the caller's options, and what the host adds to them.
///
/// A registry makes it and passes it to a coder. A coder that reads files itself takes their ``contents()``; one that wraps
/// another coder passes the request on, as it is or for other bytes: ``reading(_:as:)``.
public struct DecodeContext {
  /// What the caller asked for.
  public package(set) var options: DecodeOptions {
    _read { yield held.options }
    _modify {
      if !isKnownUniquelyReferenced(&held) { held = HeldOptions(held.options) }
      yield &held.options
    }
  }

  /// Options have a dozen of parts that are counted, and a context passes through many hands.
  private final class HeldOptions {
    var options: DecodeOptions
    init(_ options: DecodeOptions) { self.options = options }
  }

  private var held: HeldOptions
  package let source: OpenSource
  /// Opens pages that are files of another format, or nil when they cannot be opened.
  package var openEmbedded: EmbeddedFileOpener?
  /// What a call may take, of a file in a file: that of the outer one.
  var budget: CallBudget?
  /// Whether all of the picture is decoded as soon as the file is open.
  package var isDecodedAtOnce = false
  /// What the file is by its first bytes, or nil if they leave a choice or nobody has looked.
  package var format: ImageFormat?
  /// The format of the file that the bytes come from, where a coder has made them of one.
  private var outerFormat: ImageFormat?
  /// How the picture is turned, where that is for the file outside to say.
  private var outerOrientation: Orientation?
  /// Receives the header and rows of an incomplete file, or nil.
  var incremental: IncrementalImage?

  package init(_ source: OpenSource, options: DecodeOptions, openEmbedded: EmbeddedFileOpener? = nil) {
    self.init(source, sharing: HeldOptions(options), openEmbedded: openEmbedded)
  }

  private init(_ source: OpenSource, sharing held: HeldOptions, openEmbedded: EmbeddedFileOpener?) {
    self.source = source
    self.held = held
    self.openEmbedded = openEmbedded
  }

  /// All bytes of the file; of one that arrives, waits for the last of them.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` for more than the limits allow to be in memory;
  ///   ``CoderError/Code/io``, ``CoderError/Code/outOfMemory``, ``CoderError/Code/cancelled``.
  public func contents() throws(CoderError) -> [UInt8] {
    try source.waitForAll()
    try options.limits.check(memory: source.size)
    return try source.contents()
  }

  /// The same request for other bytes, such as those that a coder has decrypted.
  ///
  /// Where the options allow some formats only, the format of these bytes has to be one of them too.
  ///
  /// - Parameters:
  ///   - bytes: A file that another coder reads.
  ///   - format: Of the file that they come from, which the header states.
  public func reading(_ bytes: [UInt8], as format: ImageFormat) throws(CoderError) -> DecodeContext {
    var context = DecodeContext(
      try OpenSource(.bytes(bytes), limits: options.limits), sharing: held, openEmbedded: openEmbedded)
    context.outerFormat = outerFormat ?? format
    context.budget = budget
    context.isDecodedAtOnce = isDecodedAtOnce
    context.incremental = incremental
    return context
  }

  /// Opens the file with the values of options that concern it.
  func openReader(
    of container: any Container, in session: HostSession, _ hints: OpenOptions.Hints
  ) throws(CoderError) -> any ReaderSession {
    func values(_ format: ImageFormat?) throws(CoderError) -> [String: OptionValue] {
      try options.checkedValues(for: container.readOptions, of: format, coder: container.id)
    }
    let likely = try values(container.formats.count == 1 ? container.formats[0] : format)
    let reader = try container.openReader(session, options: OpenOptions(hints, values: likely))
    guard !options.formatValues.isEmpty else { return reader }
    // The header knows better than the first bytes which format it is.
    let meant = try values(try reader.header(page: 0).format)
    return meant == likely ? reader : try container.openReader(session, options: OpenOptions(hints, values: meant))
  }

  /// What the header of the file states.
  func stated(_ header: ImageHeader) -> ImageHeader {
    guard outerFormat != nil || outerOrientation != nil else { return header }
    var header = header
    header.format = outerFormat ?? header.format
    header.orientation = outerOrientation ?? header.orientation
    return header
  }

  /// The same for a file in the file, which shows its own first page and frame and embeds nothing further.
  ///
  /// - Parameter orientation: How it is turned, or nil if it says so itself.
  func embedded(_ source: OpenSource, shownAs orientation: Orientation? = nil) -> DecodeContext {
    var inner = DecodeOptions(firstFrameOnly: true, limits: options.limits, allowedFormats: options.allowedFormats)
    inner.cancellation = options.cancellation
    inner.log = options.log
    inner.progress = options.progress
    inner.restrictions = options.restrictions
    // Values for all files are for the options of the outer file's coder.
    inner.formatValues = options.formatValues
    // A thumbnail needs less memory than the picture.
    if options.size.box != nil, options.part == nil { inner.size = options.size }
    inner.thumbnailQuality = options.thumbnailQuality
    var context = DecodeContext(source, options: inner) { (_) throws(CoderError) in
      throw .noCoder("a file inside a file in the file is not opened")
    }
    context.budget = budget
    context.outerOrientation = orientation
    return context
  }

  /// The same for one page of the file.
  func page(_ index: Int) -> DecodeContext {
    var context = self
    context.options.page = index
    context.options.isAuxiliary = false
    return context
  }

  /// The same for an auxiliary picture of the file, as it is stored.
  func auxiliary(_ picture: AuxiliaryPicture) -> DecodeContext {
    var context = self
    context.options.page = picture.page
    context.options.isAuxiliary = true
    context.options.color = .asStored
    context.options.destination = nil
    context.options.size = .own
    context.options.part = nil
    context.options.memoryBudget = nil
    context.options.pixelFormat = nil
    context.options.gainMap = .ignored
    context.options.firstFrameOnly = true
    context.incremental = nil
    return context
  }

  /// The same for the page's own pixels, in its own colors.
  func base() -> DecodeContext {
    var context = self
    context.options.color = .asStored
    context.options.destination = nil
    context.options.pixelFormat = nil
    context.options.alpha = .straight
    context.options.gainMap = .ignored
    context.options.firstFrameOnly = true
    return context
  }

  /// A session of a reader of the file, or of a file inside it.
  func session(for source: OpenSource) -> HostSession {
    let session = HostSession(
      source: source, limits: options.limits, cancellation: options.cancellation, log: options.log,
      progress: options.progress, budget: budget ?? CallBudget(options.limits))
    session.siblingRules = options.siblingRules
    return session
  }
}

extension DecodeOptions {
  /// Checks that a format may be decoded.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` with the formats that are allowed.
  package func checkAllowed(_ format: ImageFormat) throws(CoderError) {
    if let allowed = restrictions.formats, !allowed.contains(format) {
      let names = allowed.map(\.rawValue).sorted().joined(separator: ", ")
      throw .unsupported("the file is \(format), and only \(names) may be read (set by \(restrictions.formatsWords))")
    }
    guard let allowedFormats, !allowedFormats.contains(format) else { return }
    let names = allowedFormats.map(\.rawValue).sorted().joined(separator: ", ")
    throw .unsupported("the file is \(format), the caller allows \(names.isEmpty ? "no format" : names)")
  }
}
