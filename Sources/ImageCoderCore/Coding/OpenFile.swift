// SPDX-License-Identifier: Apache-2.0

/// A file that is open with a container's reader: what all its pages have in common.
///
/// - Threads: One at a time, any thread.
final class OpenFile {
  let coder: String
  let names: ContainerNames?
  let session: HostSession
  let reader: any ReaderSession

  init(_ container: any Container, source: OpenSource, options: DecodeOptions) throws(CoderError) {
    session = HostSession(
      source: source, limits: options.limits, cancellation: options.cancellation, log: options.log,
      progress: options.progress)
    let outer = try container.openReader(session, options: options.firstFrameOnly ? .firstFrameOnly : [])
    reader = PagesReader(outer, source: source, options: options)
    coder = container.id
    names = container.names
  }

  /// The page that the options mean: the one that they name, the one that fits a thumbnail best, or the primary one.
  func page(for options: DecodeOptions) throws(CoderError) -> (index: Int, header: ImageHeader) {
    let first = try reader.header(page: options.page ?? 0)
    guard first.pageCount <= options.limits.maxPages else {
      throw .limitExceeded(
        "maxPages", found: first.pageCount, allowed: options.limits.maxPages, what: "a page count of")
    }
    if let page = options.page {
      guard page >= 0, page < first.pageCount else { throw .invalidArgument("page \(page) of \(first.pageCount)") }
      return (page, first)
    }
    let primary = first.primaryPage == 0 ? first : try reader.header(page: first.primaryPage)
    guard first.pagesAreSizes, let box = options.thumbnailSize else { return (first.primaryPage, primary) }
    return bestSize(for: box, primary: primary, options) ?? (first.primaryPage, primary)
  }

  /// The smallest page from which a thumbnail can be made as well as from the largest, of those the richest in colours.
  private func bestSize(
    for box: Size, primary: ImageHeader, _ options: DecodeOptions
  ) -> (index: Int, header: ImageHeader)? {
    let wanted = Fit.plan(displayed: primary.displayedSize, box: box, mode: options.thumbnailMode).size
    var best: (index: Int, header: ImageHeader)?
    for index in 0..<primary.pageCount {
      // A page that cannot be read is no choice.
      guard case .success(let header) = Result(catching: { () throws(CoderError) in try reader.header(page: index) }),
        header.displayedSize.width >= wanted.width, header.displayedSize.height >= wanted.height
      else { continue }
      if let best, !header.serves(betterThan: best.header) { continue }
      best = (index, header)
    }
    return best
  }
}

extension ImageHeader {
  /// Whether the page is the better one of two that are large enough.
  fileprivate func serves(betterThan other: ImageHeader) -> Bool {
    if canvas.pixelCount != other.canvas.pixelCount { return canvas.pixelCount < other.canvas.pixelCount }
    if hasPalette != other.hasPalette { return !hasPalette }
    return bitsPerChannel > other.bitsPerChannel
  }
}
