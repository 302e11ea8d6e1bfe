// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

extension ImageCoder {
  /// What a file says of the page that the options mean.
  ///
  /// - Parameters:
  ///   - source: A file that is there whole.
  ///   - openEmbedded: Opens pages that are files of another format.
  package func header(
    of source: OpenSource, options: DecodeOptions, openEmbedded: @autoclosure () -> EmbeddedFileOpener
  ) throws(CoderError) -> ImageHeader {
    guard let coder = self as? AnimatedCoder, let container = coder.container?.container else {
      // What stands between this coder and a container is its own affair.
      return try makeDecoder(DecodeContext(source, options: options, openEmbedded: openEmbedded())).header
    }
    do throws(CoderError) {
      return try OpenFile.header(of: source, container, options, openEmbedded)
    } catch {
      throw error.annotated(coder: id, setBy: options.restrictions.setter(of: error))
    }
  }
}

extension OpenFile {
  /// The header of a file of one picture as its reader gives it; of another file, that of the page that is meant.
  fileprivate static func header(
    of source: OpenSource, _ container: any Container, _ options: DecodeOptions,
    _ openEmbedded: () -> EmbeddedFileOpener
  ) throws(CoderError) -> ImageHeader {
    let session = HostSession(
      source: source, limits: options.limits, cancellation: options.cancellation, log: options.log, progress: nil,
      budget: CallBudget(options.limits))
    _ = session.budget.beginCall()
    defer { session.budget.endCall() }
    do throws(CoderError) {
      let requested: OpenOptions = options.firstFrameOnly ? [.headerOnly, .firstFrameOnly] : .headerOnly
      let reader = try container.openReader(session, options: requested)
      let first = try reader.header(page: 0)
      let isPlain = first.pageCount == 1 && first.embedded == nil && !first.isIncomplete
      if isPlain, options.page ?? 0 == 0, options.limits.maxPages > 0 {
        try options.check(first)
        return first
      }
      let context = DecodeContext(source, options: options, openEmbedded: openEmbedded())
      return try OpenFile(container, context, session, reader).allowedPage(for: options).header
    } catch {
      throw session.reason(for: error)
    }
  }
}
