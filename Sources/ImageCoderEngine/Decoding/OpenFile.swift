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
  /// The container's reader, which describes pages as its directory has them.
  private let listed: any ReaderSession
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
    listed = reader
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
    listed = reader
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

  /// The auxiliary pictures of the whole file, which are its hidden pages; none of one that is incomplete.
  ///
  /// A hidden page that its reader cannot describe is left out.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` for more of them than pages are allowed, and for blocks that are too large;
  ///   ``CoderError/Code/libraryFailure`` for one that is no part of a visible page.
  func auxiliaryPictures() throws(CoderError) -> [AuxiliaryPicture] {
    if let auxiliaries { return auxiliaries }
    guard source.isComplete else { return [] }
    let first = try listed.header(page: 0)
    let allowed = session.limits.maxPages
    guard first.hiddenPageCount <= allowed else {
      throw .limitExceeded(
        .maxPages, found: first.hiddenPageCount, allowed: allowed, what: "an auxiliary picture count of")
    }
    var pictures: [AuxiliaryPicture] = []
    for page in first.pageCount..<(first.pageCount + first.hiddenPageCount) {
      do throws(CoderError) {
        pictures.append(try auxiliaryPicture(try listed.header(page: page), page: page, pageCount: first.pageCount))
      } catch {
        guard error.code.group == .file || error.code == .unsupported else { throw error }
        context.options.log?(.warning, "hidden page \(page + 1) is left out: \(error.message)")
      }
    }
    auxiliaries = pictures
    return pictures
  }

  /// - Parameter header: What the container says of the page.
  private func auxiliaryPicture(
    _ header: ImageHeader, page: Int, pageCount: Int
  ) throws(CoderError) -> AuxiliaryPicture {
    let role = header.role
    guard role.kind != .picture, role.owner >= 0, role.owner < pageCount else {
      throw .libraryFailure(
        "the reader gives hidden page \(page) of a file of \(pageCount) pages the kind \(role.kind) and the owner "
          + "\(role.owner)")
    }
    // Layers are visible pages.
    let kind = role.kind == .layer ? PageKind.other : role.kind
    var picture = AuxiliaryPicture(kind, typeName: role.name, page: page, owner: role.owner)
    let size = Result { () throws(CoderError) in try self.header(page: page).canvas }
    picture.size = try? size.get()
    guard role.kind == .gainMap else { return picture }
    picture.gainMapMetadata = try listed.gainMap(.metadata, page: page)
    picture.alternateProfile = try listed.gainMap(.alternateProfile, page: page)
    picture.alternateColors = header.cicp
    return picture
  }

  /// The header of a page, or of the file that the page is. Nothing else is asked of a page before.
  private func header(page: Int) throws(CoderError) -> ImageHeader {
    var header = try reader.header(page: page)
    if header.embedded != nil, !opensEmbedded {
      opensEmbedded = true
      reader = PagesReader(reader, context, budget: session.budget)
      header = try reader.header(page: page)
    }
    // The code points of a gain map are those of what it leads to, and not of its own samples.
    if header.role.kind == .gainMap { header.cicp = nil }
    return header
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
    guard let box = options.size.box else { return (first.primaryPage, primary) }
    let found =
      first.pagesAreSizes
      ? bestSize(for: box, primary: primary, options)
      : preview(for: box, of: primary, page: first.primaryPage, options)
    return found ?? (first.primaryPage, primary)
  }

  /// The smallest preview that shows the picture itself and is large enough for a thumbnail of it.
  ///
  /// Metadata is that of the picture.
  private func preview(
    for box: Size, of picture: ImageHeader, page: Int, _ options: DecodeOptions
  ) -> (index: Int, header: ImageHeader)? {
    guard options.isThumbnail, picture.hiddenPageCount > 0, !picture.isIncomplete, options.part == nil else {
      return nil
    }
    let wanted = Fit.plan(displayed: picture.displayedSize, box: box, mode: options.size.mode).size
    var best: (index: Int, header: ImageHeader)?
    let end = picture.pageCount + min(picture.hiddenPageCount, options.limits.maxPages)
    for index in picture.pageCount..<end {
      // A page that cannot be read is no choice.
      let stated = Result { () throws(CoderError) in try listed.header(page: index).role }
      guard case .success(let role) = stated,
        role.kind == .preview, role.showsOwner, role.owner == page,
        case .success(var header) = Result(catching: { () throws(CoderError) in try header(page: index) }),
        header.displayedSize.width >= wanted.width, header.displayedSize.height >= wanted.height
      else { continue }
      if let best, best.header.canvas.pixelCount <= header.canvas.pixelCount { continue }
      header.metadata = picture.metadata.subtracting([.icc]).union(header.metadata.intersection([.icc]))
      best = (index, header)
    }
    return best
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
