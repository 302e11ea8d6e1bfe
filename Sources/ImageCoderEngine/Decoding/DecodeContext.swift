// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// A requested decode: the open file, the caller's options, and what the host adds to them.
///
/// A registry makes it and passes it to a coder. A custom coder that wraps another coder passes it on.
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
  /// Receives the header and rows of an incomplete file, or nil.
  var incremental: IncrementalImage?

  package init(_ source: OpenSource, options: DecodeOptions, openEmbedded: EmbeddedFileOpener? = nil) {
    self.source = source
    held = HeldOptions(options)
    self.openEmbedded = openEmbedded
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
    context.options.thumbnailSize = nil
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
    HostSession(
      source: source, limits: options.limits, cancellation: options.cancellation, log: options.log,
      progress: options.progress, budget: budget ?? CallBudget(options.limits))
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
