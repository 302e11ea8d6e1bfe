// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel

/// The reader functions of the plugin interface over a reader written in Swift.
enum ReaderCalls {
  /// One open file.
  final class Session {
    let reader: any ContainerReader
    let host: CoderHost
    /// Payloads of each page that were shown: the interface lets the host look at them until close.
    var shown: [UInt32: [(kind: UInt32, bytes: UnsafeMutableBufferPointer<UInt8>)]] = [:]
    /// Names of pages that were shown, for the same reason.
    private var names: [Int: [StaticText]] = [:]
    /// Curves that were shown, for the same reason.
    var curves: [Int: [UnsafeMutableBufferPointer<UInt16>]] = [:]

    /// Offers that were made with alpha to a host that does not know them without it, as the reader has made them.
    private var narrowOffers: [DecodeOffer] = []
    /// Pages of the file, hidden ones too, once they were counted; they do not become fewer.
    private var pageCount: Int?
    /// Frames of pages, as they were counted last.
    private var frameCounts: [Int: Int] = [:]
    /// Pages whose frames are counted while bytes arrive.
    private var growing: Set<Int> = []

    init(reader: any ContainerReader, host: CoderHost) {
      self.reader = reader
      self.host = host
    }

    /// The header of a page that the file has.
    ///
    /// - Throws: ``CoderError/Code/invalidArgument`` for another page, of which the reader is not asked.
    func header(page: Int) throws(CoderError) -> ImageHeader {
      if page > 0 {
        var count = pageCount ?? 0
        // Hidden pages may be found late, when all bytes are there.
        if page >= count {
          let first = try reader.header(page: 0)
          count = first.pageCount + first.hiddenPageCount
          pageCount = count
          guard page < count else { throw .invalidArgument("page \(page) of a file that has \(first.pageCount)") }
        }
      }
      return try reader.header(page: page)
    }

    /// A page's name in memory that lives until close.
    func name(_ name: String, page: Int) -> imgcoder_string {
      guard !name.isEmpty else { return imgcoder_string() }
      if let known = names[page]?.first(where: { name.isEqual(to: $0.raw) }) { return known.raw }
      let text = StaticText(name)
      names[page, default: []].append(text)
      return text.raw
    }

    /// A raw payload of a page, or nil for one that it does not have.
    func payload(_ kind: UInt32, page: Int) throws(CoderError) -> [UInt8]? {
      let header = try header(page: page)
      if let kind = MetadataKind(rawValue: kind) { return try reader.metadata(kind, page: page) }
      guard header.role.kind == .gainMap, let block = GainMapBlock(rawValue: kind) else { return nil }
      return try reader.gainMap(block, page: page)
    }

    /// Checks that a page has a frame, as far as that is known. A header is made once for all frames: making one may cost
    /// as much as there are frames.
    func check(frame: Int, page: Int) throws(CoderError) {
      var count = frameCounts[page] ?? 0
      // Further frames may be found late, while bytes arrive.
      if count == 0 || (frame >= count && growing.contains(page)) {
        let header = try header(page: page)
        guard !header.hasOpenEnd else { return }
        frameCounts[page] = header.frameCount
        if header.isIncomplete { growing.insert(page) } else { growing.remove(page) }
        count = header.frameCount
      }
      guard frame > 0, frame >= count else { return }
      throw .invalidArgument("frame \(frame) of a page that has \(count)")
    }

    /// What the reader offers, in formats that the host knows.
    func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
      try check(frame: request.frame, page: request.page)
      let offer = try reader.offer(for: request)
      guard host.minorVersion < 1, let wide = offer.withAlpha else { return offer }
      if !narrowOffers.contains(offer) { narrowOffers.append(offer) }
      if narrowOffers.count > Self.mostOffers { narrowOffers.removeFirst() }
      return wide
    }

    /// Offers that a host of version 1.0 may have at once.
    private static let mostOffers = 64

    func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
      try check(frame: offer.frame, page: offer.page)
      guard host.minorVersion < 1, let own = narrowOffers.last(where: { $0.isMade(as: offer) }) else {
        return try reader.decode(offer, into: sink)
      }
      try sink.widening(own) { (rows) throws(CoderError) in try reader.decode(own, into: rows) }
    }

    deinit {
      for payload in shown.values.joined() { payload.bytes.deallocate() }
      for curve in curves.values.joined() { curve.deallocate() }
    }

    static func of(_ raw: OpaquePointer?) -> Session? {
      raw.map { Unmanaged<Session>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
    }
  }

  static let table: imgcoder_reader_table = {
    var table = imgcoder_reader_table_sized()
    table.open = { coder, host, source, options, result in
      guard let plugin = PluginExport.of(coder), let type = plugin.reader, let host, let source, let result else {
        return InterfaceStatus.invalidArgument
      }
      let session = CoderHost(host)
      return session.run { () throws(CoderError) in
        var requested = OpenOptions(options.map { imgcoder_open_options_read($0) } ?? imgcoder_open_options_sized())
        requested.values = try OptionDescription.checked(
          requested.values, for: plugin.readOptions, reading: "the coder")
        let reader = try type.init(SourceView(source), host: session, options: requested)
        result.pointee = OpaquePointer(Unmanaged.passRetained(Session(reader: reader, host: session)).toOpaque())
      }
    }
    table.info = { raw, page, result in
      guard let session = Session.of(raw), let result else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in
        let header = try session.header(page: Int(page))
        var info = header.raw(
          format: FormatNames.text(for: header.format), name: session.name(header.role.name, page: Int(page)))
        if session.host.minorVersion < 1, header.pixelFormat == .rgb16 {
          info.pixel_format = PixelFormat.rgba16.rawValue
        }
        imgcoder_info_write(&info, result)
      }
    }
    table.frame_info = { raw, page, frame, result in
      guard let session = Session.of(raw), let result else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in
        try session.check(frame: Int(frame), page: Int(page))
        var info = try session.reader.frame(Int(frame), page: Int(page)).raw
        imgcoder_frame_info_write(&info, result)
      }
    }
    table.negotiate = { raw, request, result in
      guard let session = Session.of(raw), let request, let result else {
        return InterfaceStatus.invalidArgument
      }
      let asked = imgcoder_request_read(request)
      let wanted = DecodeRequest(asked)
      return session.host.run { () throws(CoderError) in
        var offer = try session.offer(for: wanted).raw(for: wanted)
        // A pixel format that this side does not know is one that it does not offer.
        if asked.pixel_format != 0, wanted.pixelFormat == nil, wanted.rowFormat == nil {
          offer.unmet |= UInt32(IMGCODER_UNMET_PIXEL_FORMAT)
        }
        imgcoder_offer_write(&offer, result)
      }
    }
    table.decode = { raw, offer, sink in
      guard let session = Session.of(raw), let offer, let sink else {
        return InterfaceStatus.invalidArgument
      }
      return session.host.run { () throws(CoderError) in
        try session.decode(try DecodeOffer(imgcoder_offer_read(offer)), into: RowSink(sink))
      }
    }
    table.metadata = { raw, page, kind, bytes, length in
      guard let session = Session.of(raw), let bytes, let length else {
        return InterfaceStatus.invalidArgument
      }
      var isPresent = false
      let status = session.host.run { () throws(CoderError) in
        guard let payload = try session.payload(kind, page: Int(page)) else { return }
        isPresent = true
        // The host may look at every payload until it closes the session: a second look gets the same bytes.
        let copy: UnsafeMutableBufferPointer<UInt8>
        if let known = session.shown[page]?.first(where: { $0.kind == kind }),
          known.bytes.elementsEqual(payload)
        {
          copy = known.bytes
        } else {
          try ArrayMemory.check(bytes: payload.count, for: "metadata")
          copy = .allocate(capacity: payload.count)
          _ = copy.initialize(from: payload)
          session.shown[page, default: []].append((kind, copy))
        }
        bytes.pointee = UnsafePointer(copy.baseAddress)
        length.pointee = UInt64(copy.count)
      }
      let isOK = status == InterfaceStatus.ok
      return isOK && !isPresent ? InterfaceStatus.notPresent : status
    }
    table.properties = { raw, page, frame, properties in
      guard let session = Session.of(raw), let properties else {
        return InterfaceStatus.invalidArgument
      }
      return session.host.run { () throws(CoderError) in
        let frame = frame == .max ? nil : Int(frame)
        try session.check(frame: frame ?? 0, page: Int(page))
        try session.reader.properties(page: Int(page), frame: frame).put(into: properties)
      }
    }
    table.color = { raw, page, result in
      guard let session = Session.of(raw), let result else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in
        var color = try session.color(page: Int(page))
        imgcoder_color_write(&color, result)
      }
    }
    table.close = { raw in
      guard let raw else { return }
      Unmanaged<Session>.fromOpaque(UnsafeRawPointer(raw)).release()
    }
    return table
  }()
}

extension DecodeOffer {
  /// Whether a host of version 1.0 has got this offer with alpha as another one. It gives back what that version has of one.
  fileprivate func isMade(as other: DecodeOffer) -> Bool {
    guard let wide = withAlpha else { return false }
    return wide.page == other.page && wide.frame == other.frame && wide.size == other.size
      && wide.pixelFormat == other.pixelFormat && wide.rowOrder == other.rowOrder && wide.scaleCode == other.scaleCode
  }
}

/// Identifiers of formats in memory that lives as long as the plugin.
private enum FormatNames {
  private static let known = Lock<[(format: String, text: StaticText)]>([])

  static func text(for format: ImageFormat) -> imgcoder_string {
    known.withLock { known in
      if let (_, text) = known.first(where: { $0.format == format.rawValue }) { return text.raw }
      let text = StaticText(format.rawValue)
      known.append((format.rawValue, text))
      return text.raw
    }
  }
}
