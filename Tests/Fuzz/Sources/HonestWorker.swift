// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import CIsolation
import ImageCoderModel

/// What a worker says that does all that it is asked for, with a picture of 8×6 pixels: one conversation for each wish.
enum HonestWorker {
  static let conversations: [[UInt8]] = ProtocolTargets.Wish.allCases.flatMap { wish in
    (0..<4).map { variant in conversation(wish, variant) }
  }

  private static let width: UInt32 = 8
  private static let height: UInt32 = 6

  private static func conversation(_ wish: ProtocolTargets.Wish, _ variant: UInt8) -> [UInt8] {
    // Flags 1, 2 and 4 in turn, and none: see ``ProtocolTargets``.
    var talk = Conversation(wish: wish.rawValue, flags: variant == 0 ? 0 : 1 << (variant - 1))
    talk.say(ISOLATION_HELLO, longs: [UInt64(ISOLATION_ALL_LAYERS)], payload: description)
    talk.say(ISOLATION_EXITED, words: [1, variant == 3 ? 6 : 0, 0])
    talk.say(ISOLATION_READY, longs: [UInt64(ISOLATION_ALL_LAYERS)])
    // The file before is closed.
    talk.reply()
    switch wish {
    case .image, .thumbnail: readImage(&talk, variant)
    case .arriving:
      talk.say(ISOLATION_NEED, longs: [0, 64, 64])
      // While bytes arrive, a header is asked for each time, and frames one by one.
      for _ in 0..<1 + variant % 2 { talk.reply(info(frames: 0)) }
      readImage(&talk, variant)
    case .light:
      talk.reply(info(frames: 1))
      collect(&talk, color, results: [])
      readRows(&talk, variant, ahead: true)
      talk.reply()
    case .frames:
      talk.reply(info(frames: 3))
      describeColor(&talk, variant)
      for _ in 0..<6 {
        readRows(&talk, variant, ahead: variant == 1)
        talk.reply()
      }
    case .metadata: readMetadata(&talk, variant)
    case .still, .animation: write(&talk, variant, frames: wish == .still ? 1 : 3)
    case .recognize: talk.reply(status: variant == 3 ? UInt32(IMGCODER_STATUS_NEED_MORE) : 0)
    case .operate, .ask:
      // The file is taken, then changed.
      talk.reply()
      talk.say(ISOLATION_NEED, longs: [16, 8, 4096])
      if wish == .operate {
        talk.say(ISOLATION_OUTPUT, words: [0, 0], longs: [4096])
        talk.say(ISOLATION_OUTPUT, words: [1, 1], longs: [100, 16])
      }
      talk.say(ISOLATION_CHUNK, payload: Array(properties.prefix(5)))
      talk.say(ISOLATION_CHUNK, payload: Array(properties.dropFirst(5)))
      talk.reply(status: variant == 3 ? UInt32(IMGCODER_STATUS_UNSUPPORTED) : 0, output: wish == .operate ? 300 : 0)
    }
    talk.reply()
    return talk.bytes
  }

  private static func readImage(_ talk: inout Conversation, _ variant: UInt8) {
    talk.reply(info(frames: 1))
    describeColor(&talk, variant)
    readRows(&talk, variant, ahead: variant == 1)
    talk.reply()
  }

  /// Asked for when colors are converted.
  private static func describeColor(_ talk: inout Conversation, _ variant: UInt8) {
    if variant == 2 { collect(&talk, color, results: []) }
  }

  /// An offer, and its rows without the answer that ends them.
  private static func readRows(_ talk: inout Conversation, _ variant: UInt8, ahead: Bool) {
    let comesInAnyOrder = variant == 3
    talk.reply(offer(comesInAnyOrder ? IMGCODER_ROWS_ANY : IMGCODER_ROWS_TOP_DOWN), ahead: ahead ? height : 0)
    talk.say(ISOLATION_PROGRESS, longs: [(0.5).bitPattern], lies: 4)
    talk.say(ISOLATION_LOG, words: [1], payload: Array("a line".utf8), lies: 4)
    if comesInAnyOrder {
      var rows: [UInt8] = []
      for (y, count) in [(3, 3), (0, 3)] as [(UInt32, UInt32)] {
        rows += Conversation.raw(isolation_rows(y: y, count: count, pass: 0))
      }
      talk.say(ISOLATION_ROWS, payload: rows)
    } else {
      talk.say(ISOLATION_BAND, words: [0, 4, 0, 0, 0], longs: [1])
      talk.say(ISOLATION_BAND, words: [4, 2, 0, 1, 4])
    }
  }

  private static func readMetadata(_ talk: inout Conversation, _ variant: UInt8) {
    let all = IMGCODER_INFO_HAS_ICC | IMGCODER_INFO_HAS_EXIF | IMGCODER_INFO_HAS_XMP
    talk.reply(info(frames: 1, pages: 2, flags: all, hidden: 1))
    for _ in 0..<3 { collect(&talk, [1, 2, 3, 4], results: Conversation.raw(UInt64(4))) }
    collect(&talk, properties, results: [])
    // A gain map with its metadata, and without a profile.
    talk.reply(info(frames: 1, pages: 2, hidden: 1, name: "a map"))
    collect(&talk, [UInt8](repeating: 1, count: 8), results: Conversation.raw(UInt64(8)))
    collect(&talk, [], results: Conversation.raw(UInt64(0)))
    readRows(&talk, variant, ahead: false)
    talk.reply()
  }

  /// Bytes in pieces, and the answer.
  private static func collect(_ talk: inout Conversation, _ bytes: [UInt8], results: [UInt8]) {
    talk.say(ISOLATION_CHUNK, payload: Array(bytes.prefix(3)))
    talk.say(ISOLATION_CHUNK, payload: Array(bytes.dropFirst(3)))
    talk.reply(results)
  }

  private static func write(_ talk: inout Conversation, _ variant: UInt8, frames: Int) {
    talk.reply()
    talk.reply(Conversation.raw(UInt32(IMGCODER_PIXEL_RGBA8)) + Conversation.raw(UInt32(IMGCODER_ALPHA_STRAIGHT)))
    talk.say(ISOLATION_OUTPUT, words: [0, 0], longs: [64])
    talk.reply()
    for _ in 0..<frames + (variant == 2 ? 1 : 0) {
      // A small picture is there already.
      if variant == 1 {
        talk.say(ISOLATION_WANT, words: [0, 100, 0])
        talk.say(ISOLATION_WANT, words: [100, 100, 1])
      }
      talk.say(ISOLATION_OUTPUT, words: [1, 0], longs: [2000])
      talk.reply(output: 100)
    }
    talk.say(ISOLATION_OUTPUT, words: [0, 1], longs: [4, 8])
    talk.reply(output: 12)
  }
}

/// The structs that it sends.
extension HonestWorker {
  private static var description: [UInt8] {
    var raw = isolation_description()
    raw.protocol = UInt32(ISOLATION_PROTOCOL)
    raw.size = UInt32(MemoryLayout<isolation_description>.size)
    raw.flags = UInt32(IMGCODER_CODER_READS_INCREMENTALLY | IMGCODER_CODER_WRITES_PAGES)
    raw.features = .max
    (raw.reads, raw.writes, raw.recognizes, raw.adds_thumbnails) = (1, 1, 1, 1)
    raw.has_container = 1
    raw.adds_metadata = 1
    let texts = ["org.example.liar", "1", "2", "{Liar}", "UnclampedDelayTime", "DelayTime", "LoopCount"].map {
      Array($0.utf8)
    }
    let lengths = texts.map { UInt32($0.count) }
    (raw.id, raw.version, raw.library, raw.dictionary) = (lengths[0], lengths[1], lengths[2], lengths[3])
    (raw.unclamped_delay, raw.delay, raw.loop_count) = (lengths[4], lengths[5], lengths[6])
    return Conversation.raw(raw) + texts.joined()
  }

  /// A page's header, its format, and its frames.
  private static func info(
    frames: Int, pages: UInt32 = 1, flags: Int = 0, hidden: UInt32 = 0, name pageName: String = ""
  ) -> [UInt8] {
    var raw = imgcoder_info_sized()
    raw.flags = UInt32(flags | IMGCODER_INFO_PLAYS_STATED | (frames > 1 ? IMGCODER_INFO_ANIMATED : 0))
    (raw.width, raw.height) = (width, height)
    raw.pixel_format = UInt32(IMGCODER_PIXEL_RGB8)
    raw.bits_per_channel = 8
    raw.frame_count = UInt32(max(frames, 1))
    raw.page_count = pages
    raw.hidden_page_count = hidden
    if !pageName.isEmpty { raw.page_kind = UInt32(IMGCODER_PAGE_GAIN_MAP) }
    let name = Array(ProtocolTargets.format.rawValue.utf8)
    var frame = imgcoder_frame_info_sized()
    (frame.width, frame.height) = (width, height)
    (frame.delay_numerator, frame.delay_denominator) = (1, 10)
    frame.depends_on = .max
    let list = [[UInt8]](repeating: Conversation.raw(frame), count: frames)
    let texts = [name, Array(pageName.utf8)].flatMap { Conversation.raw(UInt32($0.count)) + $0 }
    return Conversation.raw(raw) + texts + list.joined()
  }

  private static func offer(_ order: Int) -> [UInt8] {
    var raw = imgcoder_offer_sized()
    (raw.width, raw.height) = (width, height)
    raw.pixel_format = UInt32(IMGCODER_PIXEL_RGB8)
    raw.row_order = UInt32(order)
    raw.memory = 1000
    return Conversation.raw(raw)
  }

  /// A dictionary in a dictionary, a list, and a value of each kind.
  private static var properties: [UInt8] {
    func text(_ text: String) -> [UInt8] { Conversation.raw(UInt32(text.utf8.count)) + Array(text.utf8) }
    func kind(_ kind: Int) -> [UInt8] { [UInt8(kind)] }
    var bytes = kind(ISOLATION_PROPERTY_BEGIN) + text("{Liar}")
    bytes += kind(ISOLATION_PROPERTY_INTEGER) + text("LoopCount") + Conversation.raw(Int64(3))
    bytes += kind(ISOLATION_PROPERTY_BEGIN_LIST) + text("List")
    bytes += kind(ISOLATION_PROPERTY_NUMBER) + text("") + Conversation.raw(0.25)
    bytes += kind(ISOLATION_PROPERTY_END) + kind(ISOLATION_PROPERTY_TEXT) + text("Artist") + text("A. Author")
    return bytes + kind(ISOLATION_PROPERTY_END)
  }

  private static var color: [UInt8] {
    var raw = imgcoder_color_sized()
    raw.flags = UInt32(IMGCODER_COLOR_CURVES)
    raw.curve_length = 2
    let follows = UnsafePointer<UInt16>(bitPattern: ISOLATION_BLOCK_FOLLOWS)
    raw.curves = (follows, follows, follows)
    return Conversation.raw(raw) + [0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF]
  }
}
