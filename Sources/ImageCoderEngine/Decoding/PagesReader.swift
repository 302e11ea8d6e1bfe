// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// A container's reader with those of its pages that are files of another format: ICO keeps PNG so, ICNS JPEG 2000.
///
/// The container's reader says where such a file is, and this opens it and stands between the two, for a file that has such
/// pages. An embedded file shows its own first page and frame, and embeds nothing further.
final class PagesReader: ReaderSession {
  private let outer: any ReaderSession
  private var context: DecodeContext

  private struct EmbeddedFile {
    let page: Int
    let decoder: ImageDecoder
    var header: ImageHeader

    var reader: any ReaderSession { decoder.reader }
  }

  /// The embedded file that was asked for last.
  private var file: EmbeddedFile?
  /// The page of the container's own that was asked for last.
  private var ownPage: Int?

  /// - Parameter budget: Of the file's session; the files in it share it.
  init(_ outer: any ReaderSession, _ context: DecodeContext, budget: CallBudget) {
    self.outer = outer
    self.context = context
    self.context.budget = budget
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    let listed = try outer.header(page: page)
    guard let place = listed.embedded else { return listed }
    if !listed.isIncomplete { try refreshHeader() }
    do throws(CoderError) {
      var header = try embedded(page, at: place).header
      header.format = listed.format
      header.pageCount = listed.pageCount
      header.primaryPage = listed.primaryPage
      header.pagesAreSizes = listed.pagesAreSizes
      header.role = listed.role
      header.hiddenPageCount = listed.hiddenPageCount
      header.embedded = place
      header.add(listed, isHidden: page >= listed.pageCount)
      return header
    } catch {
      // Without a coder for it there is still what the container's directory says.
      guard error.code == .noCoder || error.code == .pluginRejected else { throw error }
      return listed
    }
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    guard let file = try embedded(page) else { return try outer.frame(index, page: page) }
    guard index == 0 else { throw .invalidArgument("frame \(index) of a still picture, which has 1") }
    return FrameHeader(rect: Rect(covering: file.header.canvas), hasAlpha: file.header.alpha != .opaque)
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    guard let file = try embedded(request.page) else { return try outer.offer(for: request) }
    var inner = request
    inner.page = file.header.primaryPage
    var offer = try file.reader.offer(for: inner)
    offer.page = request.page
    return offer
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    guard let file = try embedded(offer.page) else { return try outer.decode(offer, into: sink) }
    var inner = offer
    inner.page = file.header.primaryPage
    try file.reader.decode(inner, into: sink)
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    guard let file = try embedded(page) else { return try outer.metadata(kind, page: page) }
    return try file.reader.metadata(kind, page: file.header.primaryPage)
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    guard let file = try embedded(page) else { return try outer.properties(page: page, frame: frame) }
    var properties = try file.reader.properties(page: file.header.primaryPage, frame: frame)
    properties.merge(try outer.properties(page: page, frame: frame))
    return properties
  }

  func gainMap(_ block: GainMapBlock, page: Int) throws(CoderError) -> [UInt8]? {
    try outer.gainMap(block, page: page)
  }

  func storedColor(page: Int) throws(CoderError) -> StoredColor {
    guard let file = try embedded(page) else { return try outer.storedColor(page: page) }
    return try file.reader.storedColor(page: file.header.primaryPage)
  }

  /// The file that a page is, or nil for a page of the container's own.
  private func embedded(_ page: Int) throws(CoderError) -> EmbeddedFile? {
    if page == ownPage { return nil }
    if let file, file.page == page { return file }
    guard let place = try outer.header(page: page).embedded else {
      ownPage = page
      return nil
    }
    return try embedded(page, at: place)
  }

  private func embedded(_ page: Int, at place: Range<Int>) throws(CoderError) -> EmbeddedFile {
    if let file, file.page == page { return file }
    guard let open = context.openEmbedded else {
      throw .noCoder("page \(page + 1) is a file of another format, and no registry is at hand to find its coder")
    }
    let inner: OpenSource
    if let part = context.source.incrementalPart(place) {
      inner = part
    } else {
      inner = try copy(of: place, page: page)
    }
    let decoder: ImageDecoder
    do throws(CoderError) { decoder = try open(context.embedded(inner)) } catch {
      var error = error
      // It is the container that cannot be read.
      error.coder = nil
      throw error
    }
    let file = EmbeddedFile(page: page, decoder: decoder, header: try header(of: decoder.reader, page: page))
    self.file = file
    return file
  }

  private func copy(of place: Range<Int>, page: Int) throws(CoderError) -> OpenSource {
    let source = context.source
    guard place.lowerBound >= 0, place.upperBound <= source.size else {
      throw .malformed(
        "page \(page + 1) is said to be at \(place.lowerBound) to \(place.upperBound) of \(source.size) bytes",
        at: source.size)
    }
    try context.options.limits.check(memory: place.count)
    return try withExtendedLifetime(source) { () throws(CoderError) in
      let bytes = try source.view(at: place.lowerBound, count: place.count)
      try ArrayMemory.check(bytes: bytes.count, for: "a file in the file")
      return try OpenSource(.bytes(bytes), limits: context.options.limits)
    }
  }

  /// Asks once more for the header of an embedded file whose last byte has arrived.
  private func refreshHeader() throws(CoderError) {
    guard let file, file.header.isIncomplete else { return }
    file.decoder.session.updateSize()
    self.file?.header = try header(of: file.reader, page: file.page)
  }

  /// The header of an embedded file, as that of one picture.
  private func header(of reader: any ReaderSession, page: Int) throws(CoderError) -> ImageHeader {
    var header = try reader.header(page: 0)
    if header.primaryPage != 0 { header = try reader.header(page: header.primaryPage) }
    try context.options.checkAllowed(header.format)
    guard header.embedded == nil else {
      throw .unsupported("page \(page + 1) is a file with a file inside; one inside another is allowed")
    }
    header.frameCount = 1
    header.isAnimated = false
    header.loopCount = nil
    return header
  }
}

extension ImageHeader {
  /// Adds to what a file inside says of itself what the container's directory states of the page.
  fileprivate mutating func add(_ listed: ImageHeader, isHidden: Bool) {
    // An auxiliary picture lies as its page does, whatever it says itself.
    if isHidden || orientation == .up { orientation = listed.orientation }
    pixelAspect = listed.pixelAspect ?? pixelAspect
    // The size of a drawing is in pixels of its own resolution.
    if anySize == nil { resolution = listed.resolution ?? resolution }
    standsIn = standsIn || listed.standsIn
    if standsIn { isLossless = false }
    isIncomplete = isIncomplete || listed.isIncomplete
  }
}
