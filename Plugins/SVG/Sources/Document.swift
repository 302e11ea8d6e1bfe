// SPDX-License-Identifier: Apache-2.0

import CSVGShim
import ImageCoderPlugin

/// A file as a document of XML.
struct Document {
  let drawing: LibRSVG.Drawing
  let traits: DocumentTraits
  /// A manifest store of C2PA.
  let credentials: [UInt8]?
  /// What its title, its description and its metadata say.
  let texts: DrawingTexts

  /// Parses the file, and looks for what librsvg does not tell.
  ///
  /// - Throws: ``CoderError/Code/wrongFormat`` for a document whose first element is not `svg`.
  static func open(_ source: SourceView, host: CoderHost) throws(CoderError) -> Document {
    let contents = try source.contents()
    guard SVGRecognizer.isCompressed(contents) else { return try parse(contents, host: host) }
    let text = try inflate(contents, host: host)
    // A gzip file in a gzip file is none: librsvg would inflate it without a limit.
    return try withBytes(of: text) { (bytes) throws(CoderError) in try parse(bytes, host: host) }
  }

  /// Bytes of memory that librsvg 2.54 takes for each byte of a document, and for each element besides, as measured: a path is
  /// 25 times as long in memory, and the shortest element has 1,250 bytes.
  private static let bytesOfByte = 25
  private static let bytesOfElement = 1300
  /// Cairo goes through all stops of a gradient for each of them, and that each time something is drawn with it.
  static let mostStops = 1024

  /// - Parameter elements: Less than the bytes of the text.
  private static func check(bytes: Int, elements: Int, _ host: CoderHost) throws(CoderError) {
    let isTooMuch = bytes.multipliedReportingOverflow(by: bytesOfByte + bytesOfElement).overflow
    try host.limits.check(memory: isTooMuch ? .max : bytes * bytesOfByte + elements * bytesOfElement)
  }

  /// - Parameter looksBeside: Whether pictures of the drawing's folder are not in the text yet.
  private static func parse(
    _ text: UnsafeRawBufferPointer, host: CoderHost, looksBeside: Bool = true
  ) throws(CoderError) -> Document {
    let markup = MarkupText(text)
    switch SVGRecognizer.recognize(markup) {
    case .yes: break
    case .no: throw .wrongFormat("the document's first element is not svg", at: 0)
    case .needMore where markup.afterSpace(0) == markup.count: throw .wrongFormat("the file has no element", at: 0)
    case .needMore: throw .truncated("the document ends before its first element", at: text.count)
    }
    let traits = DocumentTraits(markup)
    try check(bytes: text.count, elements: traits.elements, host)
    guard traits.stops <= mostStops else {
      throw .unsupported("a gradient of \(traits.stops) stops; at most \(mostStops) are drawn")
    }
    if looksBeside, !traits.pictures.isEmpty {
      let filled = try PicturesBeside.filled(text, at: traits.pictures, host: host) { (bytes) throws(CoderError) in
        try check(bytes: bytes, elements: traits.elements, host)
      }
      if let filled {
        return try withBytes(of: filled) { (bytes) throws(CoderError) in
          try parse(bytes, host: host, looksBeside: false)
        }
      }
    }
    do throws(CoderError) {
      let drawing = try LibRSVG.Drawing(text)
      let store = try traits.credentials.map { (place) throws(CoderError) in
        try decoded(UnsafeRawBufferPointer(rebasing: text[place]), host)
      }
      let texts = DrawingTexts(markup, text, limit: host.limits.maxMetadata)
      if texts.isCut { host.log("texts beyond the limit of metadata are left out", severity: .warning) }
      return Document(drawing: drawing, traits: traits, credentials: store, texts: texts)
    } catch {
      guard error.code == .malformed, !markup.endsWithMarkup else { throw error }
      throw .truncated(error.message, at: text.count)
    }
  }

  /// The bytes that letters of Base64 are.
  private static func decoded(_ letters: UnsafeRawBufferPointer, _ host: CoderHost) throws(CoderError) -> [UInt8] {
    try host.limits.check(metadata: letters.count)
    var bytes: [UInt8] = []
    try ArrayMemory.grow(&bytes, by: letters.count + 1, for: "content credentials")
    bytes.append(contentsOf: letters)
    bytes.append(0)
    let count = bytes.withUnsafeMutableBufferPointer { csvg_base64_decode($0.baseAddress, letters.count) }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  private static let pieceBytes = 256 << 10

  private static func inflate(
    _ bytes: UnsafeRawBufferPointer, host: CoderHost
  ) throws(CoderError) -> [UInt8] {
    guard let gzip = csvg_gzip_begin(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count) else {
      throw CoderError(code: .outOfMemory, message: "no memory for the state of inflating")
    }
    defer { csvg_gzip_end(gzip) }
    let piece = try host.allocate(bytes: pieceBytes, for: "a piece of the document")
    defer { host.free(piece) }
    let room = piece.assumingMemoryBound(to: UInt8.self)
    var text: [UInt8] = []
    while true {
      guard !host.isCancelled else { throw .cancelled }
      var written = 0
      let state = csvg_gzip_inflate(gzip, room, pieceBytes, &written)
      try host.countInflated(written)
      try check(bytes: text.count + written, elements: 0, host)
      try ArrayMemory.grow(&text, by: written, for: "the document")
      text.append(contentsOf: UnsafeBufferPointer(start: room, count: written))
      switch Int(state) {
      case Int(CSVG_GZIP_MORE): continue
      case Int(CSVG_GZIP_DONE): return text
      case Int(CSVG_GZIP_TRUNCATED): throw .truncated("the compressed document ends early", at: bytes.count)
      default: throw .malformed("the compressed document is damaged after \(text.count) bytes of text")
      }
    }
  }

  private static func withBytes<Result>(
    of text: [UInt8], _ body: (UnsafeRawBufferPointer) throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    let answer: Swift.Result<Result, CoderError> = text.withUnsafeBytes { bytes in
      do throws(CoderError) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try answer.get()
  }
}
