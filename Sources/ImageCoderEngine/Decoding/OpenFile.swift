// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// A file that is open with a reader: what all its pages have in common.
///
/// - Threads: One at a time, any thread.
final class OpenFile {
  let coder: String
  let names: ContainerPropertyNames?
  let session: HostSession
  /// The container's reader; once a page turns out to be a file of another format, one that opens such files too.
  private(set) var reader: any ReaderSession
  private var opensEmbedded = false
  private let context: DecodeContext
  /// Nil for pictures that are there already.
  private let container: (any Container)?
  private var source: OpenSource { context.source }
  /// The file's path, or nil for bytes from elsewhere.
  var path: String? { source.path }

  convenience init(_ container: any Container, _ context: DecodeContext) throws(CoderError) {
    let source = context.source
    // How small frames have to be for a budget depends on their number.
    if !source.isComplete, !container.readsIncrementally || context.options.memoryBudget != nil {
      if let image = context.incremental { try Self.lookAhead(container, context, for: image) }
      try source.waitForAll()
    }
    let session = context.session(for: source)
    if context.isDecodedAtOnce { session.expected = ExpectedPicture(context.options) }
    let isOutermost = session.budget.beginCall()
    defer { if isOutermost { session.budget.endCall() } }
    var requested: OpenOptions.Hints = context.options.firstFrameOnly ? .firstFrameOnly : []
    if !source.isComplete { requested.insert(.incremental) }
    do throws(CoderError) {
      self.init(container, context, session, try context.openReader(of: container, in: session, requested))
    } catch {
      throw session.reason(for: error)
    }
  }

  /// - Parameter reader: The container's, in the session.
  private init(
    _ container: any Container, _ context: DecodeContext, _ session: HostSession, _ reader: any ReaderSession
  ) {
    self.session = session
    self.reader = reader
    self.context = context
    self.container = container
    coder = container.id
    names = container.names
  }

  /// Pictures that are there already.
  ///
  /// - Parameter coder: The identifier of the coder that made them.
  init(_ reader: PictureReader, coder: String, _ context: DecodeContext) {
    session = context.session(for: context.source)
    self.reader = reader
    self.context = context
    self.coder = coder
    container = nil
    names = nil
  }

  /// The header of a file of one picture as its reader gives it; of another file, that of the page that is meant.
  static func header(_ container: any Container, _ context: DecodeContext) throws(CoderError) -> ImageHeader {
    let options = context.options
    let session = context.session(for: context.source)
    let isOutermost = session.budget.beginCall()
    defer { if isOutermost { session.budget.endCall() } }
    do throws(CoderError) {
      let requested: OpenOptions.Hints = options.firstFrameOnly ? [.headerOnly, .firstFrameOnly] : .headerOnly
      let reader = try context.openReader(of: container, in: session, requested)
      let first = try reader.header(page: 0)
      let isPlain = first.pageCount == 1 && first.embedded == nil && !first.isIncomplete
      if isPlain, options.page ?? 0 == 0, options.limits.maxPages > 0 {
        try options.check(first)
        return context.stated(first)
      }
      return context.stated(try OpenFile(container, context, session, reader).allowedPage(for: options).header)
    } catch {
      throw session.reason(for: error)
    }
  }

  /// The IPTC-IIM block of a file that is there whole, or nil; also for one that cannot be read.
  func iptc(format: ImageFormat) -> [UInt8]? {
    guard let container, source.isComplete, let operation = container.operations.readingMetadata(.iptc, of: format)
    else { return nil }
    let result = try? container.run(operation, from: format, to: format, in: session, asksOnly: false)
    guard let block = result?.bytes, block.count <= session.limits.maxMetadata else { return nil }
    return block
  }

  /// Sleeps until all bytes are there, where they arrive.
  func waitForAll() throws(CoderError) {
    try session.budget.pausing { () throws(CoderError) in try source.waitForAll() }
    session.updateSize()
  }

  /// Tells the header of a file whose coder needs all bytes as soon as a part is enough for it.
  ///
  /// Each try has twice the bytes of the one before, so that all together cost no more than a constant times the bytes.
  private static func lookAhead(
    _ container: any Container, _ context: DecodeContext, for image: IncrementalImage
  ) throws(CoderError) {
    let (source, options) = (context.source, context.options)
    var count = 64
    while true {
      _ = try source.view(at: 0, least: count, most: count)
      guard !source.isComplete else { return }
      let part = try OpenSource(.bytes([UInt8](try source.prefix(count))), limits: options.limits)
      let session = HostSession(source: part, limits: options.limits, cancellation: options.cancellation)
      do throws(CoderError) {
        let reader = try context.openReader(of: container, in: session, .headerOnly)
        let page = try reader.header(page: 0)
        let header = page.primaryPage == 0 ? page : try reader.header(page: page.primaryPage)
        image.preview(header, coder: container.id)
        return
      } catch {
        // Whatever else is wrong with a part, all bytes will show.
        guard error.code == .truncated else { return }
      }
      count *= 2
    }
  }

  /// The auxiliary pictures of the whole file, once they were asked for.
  private var auxiliaries: [AuxiliaryPicture]?

  /// The auxiliary pictures of the whole file, with sizes; none of one that is incomplete.
  ///
  /// - Throws: ``CoderError/Code/libraryFailure`` for one that is a page of the file, or belongs to none.
  func auxiliaryPictures() throws(CoderError) -> [AuxiliaryPicture] {
    if let auxiliaries { return auxiliaries }
    guard source.isComplete else { return [] }
    var pictures = try reader.auxiliaryPictures()
    if !pictures.isEmpty {
      let count = try header(page: 0).pageCount
      var pages: Set<Int> = []
      for index in pictures.indices {
        let picture = pictures[index]
        guard picture.page >= count, picture.owner >= 0, picture.owner < count, pages.insert(picture.page).inserted
        else {
          throw .libraryFailure(
            "the reader gives an auxiliary picture of page \(picture.owner) the number \(picture.page), in a file of "
              + "\(count) pages")
        }
        let size = Result { () throws(CoderError) in try header(page: picture.page).canvas }
        pictures[index].size = try? size.get()
      }
    }
    auxiliaries = pictures
    return pictures
  }

  /// The header of a page, or of the file that the page is. Nothing else is asked of a page before.
  private func header(page: Int) throws(CoderError) -> ImageHeader {
    let header = try reader.header(page: page)
    guard header.embedded != nil, !opensEmbedded else { return header }
    opensEmbedded = true
    reader = PagesReader(reader, context, budget: session.budget)
    return try reader.header(page: page)
  }

  /// The header of a page that the caller names.
  ///
  /// - Throws: For a page that the file does not have, the same error with every reader.
  private func headerOfPage(_ page: Int) throws(CoderError) -> ImageHeader {
    do throws(CoderError) { return try header(page: page) } catch {
      guard error.code == .invalidArgument, page != 0 else { throw error }
      throw .missing("page", index: page, count: try header(page: 0).pageCount)
    }
  }

  /// The page that the options mean, with a header that they allow.
  ///
  /// - Throws: ``CoderError/Code/unsupported``, ``CoderError/Code/limitExceeded``, any error of the reader.
  func allowedPage(for options: DecodeOptions) throws(CoderError) -> (index: Int, header: ImageHeader) {
    let (page, header) = try page(for: options)
    guard !header.isIncomplete || source.isIncremental else {
      throw .libraryFailure("the coder says that bytes of the file are still arriving, and all are there")
    }
    try options.check(header)
    return (page, header)
  }

  /// The page that the options mean: the one that they name, the one that fits a thumbnail best, or the primary one.
  func page(for options: DecodeOptions) throws(CoderError) -> (index: Int, header: ImageHeader) {
    let first = try headerOfPage(options.page ?? 0)
    guard first.pageCount <= options.limits.maxPages else {
      throw .limitExceeded(
        .maxPages, found: first.pageCount, allowed: options.limits.maxPages, what: "a page count of")
    }
    if let page = options.page {
      guard page >= 0, page < first.pageCount || options.isAuxiliary else {
        throw .missing("page", index: page, count: first.pageCount)
      }
      return (page, first)
    }
    let primary = first.primaryPage == 0 ? first : try header(page: first.primaryPage)
    guard first.pagesAreSizes, let box = options.size.box else { return (first.primaryPage, primary) }
    return bestSize(for: box, primary: primary, options) ?? (first.primaryPage, primary)
  }

  /// The smallest page from which a thumbnail can be made as well as from the largest, of those the richest in colors.
  private func bestSize(
    for box: Size, primary: ImageHeader, _ options: DecodeOptions
  ) -> (index: Int, header: ImageHeader)? {
    let wanted = Fit.plan(displayed: primary.displayedSize, box: box, mode: options.size.mode).size
    var best: (index: Int, header: ImageHeader)?
    for index in 0..<primary.pageCount {
      // A page that cannot be read is no choice.
      guard case .success(let header) = Result(catching: { () throws(CoderError) in try header(page: index) }),
        header.displayedSize.width >= wanted.width, header.displayedSize.height >= wanted.height
      else { continue }
      if let best, !header.isBetterSource(than: best.header) { continue }
      best = (index, header)
    }
    return best
  }
}

extension DecodeOptions {
  /// Checks what a reader says of a page.
  ///
  /// - Throws: ``CoderError/Code/unsupported``, ``CoderError/Code/limitExceeded``.
  func check(_ header: ImageHeader) throws(CoderError) {
    try checkAllowed(header.format)
    // A poster of 100,000 pixels has a thumbnail: what is drawn is held to the limits.
    if header.drawnSize == nil { try limits.check(canvas: header.canvas) }
    try limits.check(frames: header.frameCount)
    try limits.check(memory: FrameTable.frameBytes * header.frameCount, of: "the table of frames")
  }
}

extension ImageHeader {
  /// Whether a thumbnail is better made of this page than of another one, where both are large enough.
  fileprivate func isBetterSource(than other: ImageHeader) -> Bool {
    if canvas.pixelCount != other.canvas.pixelCount { return canvas.pixelCount < other.canvas.pixelCount }
    if hasPalette != other.hasPalette { return !hasPalette }
    return bitsPerChannel > other.bitsPerChannel
  }
}
