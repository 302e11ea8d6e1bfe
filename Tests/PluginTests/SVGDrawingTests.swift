// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Drawings through the built plugin: sizes, parts, and text in a worker.
@Suite(.needs("SVG")) struct SVGDrawingTests {
  private static let here = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())
  private static let isolated = IsolationWorker.registry()

  private static func document(_ attributes: String, _ content: String) -> [UInt8] {
    Array("<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(content)</svg>".utf8)
  }

  private static func pixels(_ image: Image) -> [UInt8] {
    var bytes: [UInt8] = []
    for y in 0..<image.pixels.size.height { image.pixels.withRow(y) { bytes.append(contentsOf: $0) } }
    return bytes
  }

  private static let text = document(
    "width='300' height='120'",
    """
    <text x='9' y='40' font-size='30' font-family='sans-serif'>Sans \u{6587} \u{3B1}</text>
    <text x='9' y='75' font-size='30' font-family='serif' font-weight='bold'>Serif</text>
    <text x='9' y='110' font-size='30' font-family='monospace' font-style='italic'>Mono</text>
    """)

  @Test(arguments: [1, 2]) func textIsTheSameInAWorker(_ turn: Int) throws {
    let image = try Self.here.decode(.bytes(Self.text))
    let other = try Self.isolated.decode(.bytes(Self.text))
    #expect(Self.pixels(image) == Self.pixels(other))
    #expect(Self.pixels(image).contains { $0 != 0 }, "no font draws text on this machine")
  }

  @Test func scaleAndPartAreExact() throws {
    let file = Self.document(
      "width='4' height='2'", "<rect width='2' height='2' fill='red'/><rect x='2' width='2' height='1' fill='blue'/>")
    var options = DecodeOptions()
    options.size = .scaled(1.5)
    options.pixelFormat = .rgba8
    let image = try Self.here.decode(.bytes(file), options: options)
    let (red, blue, none): ([UInt8], [UInt8], [UInt8]) = ([255, 0, 0, 255], [0, 0, 255, 255], [0, 0, 0, 0])
    // The boundary lies in the middle of the second row: 128 of 255 are blue.
    let half: [UInt8] = [0, 0, 255, 128]
    func row(_ right: [UInt8]) -> [UInt8] { [red, red, red, right, right, right].flatMap { $0 } }
    #expect(image.size == Size(width: 6, height: 3))
    #expect(Self.pixels(image) == row(blue) + row(half) + row(none))
    options.size = .scaled(2)
    options.part = Rect(x: 1, y: 0, width: 2, height: 1)
    let part = try Self.here.decode(.bytes(file), options: options)
    #expect(Self.pixels(part) == [red, red, blue, blue, red, red, blue, blue].flatMap { $0 })
  }

  /// In the program, in a worker with the message, and in one with memory of its own.
  @Test(arguments: [0, 40_000]) func aBackgroundIsTheSameInAWorker(_ spaces: Int) throws {
    let file = Self.document(
      "width='2' height='1'", "<rect width='1' height='1'/>" + String(repeating: " ", count: spaces))
    var options = DecodeOptions(pixelFormat: .rgba8)
    options.values["background"] = "#102030"
    for registry in [Self.here, Self.isolated] {
      let image = try registry.decode(.bytes(file), options: options)
      #expect(Self.pixels(image) == [0, 0, 0, 255, 16, 32, 48, 255])
      #expect(try registry.header(of: .bytes(file), options: options).alpha == .opaque)
      // What was given for one file is nothing for the next one.
      #expect(try registry.header(of: .bytes(file)).alpha == .premultiplied)
    }
    options.values["background"] = ""
    #expect(Self.pixels(try Self.isolated.decode(.bytes(file), options: options)) == [0, 0, 0, 255, 0, 0, 0, 0])
    for value in ["#1", "#1020301"] {
      options.values["background"] = .word(value)
      var messages: Set<String> = []
      for registry in [Self.here, Self.isolated] {
        let error = #expect(throws: CoderError.self) { try registry.decode(.bytes(file), options: options) }
        #expect(error?.code == .invalidArgument)
        messages.insert(error?.message ?? "")
      }
      #expect(messages.count == 1, "\(messages)")
    }
  }

  @Test func aFormatsOptionCountsInConversions() throws {
    let file = Self.document("width='2' height='1'", "")
    var reading = DecodeOptions()
    reading.formatValues[.svg] = ["background": "#102030"]
    let made = try Self.here.convert(.bytes(file), to: .png, at: .memory, reading: reading)
    #expect(try Self.here.decode(.bytes(made.bytes)).pixels.format == .rgb8)
  }

  @Test func compressedFilesNeedNoName() throws {
    let path = StagedTree.fixtures("svg") + "/valid/compressed.svgz"
    let bytes = try OpenSource(.file(path), limits: .standard).contents()
    #expect(try Self.here.open(.bytes(bytes)).header.format == .svg)
    #expect(try Self.isolated.open(.bytes(bytes)).header.format == .svg)
  }

  @Test(arguments: ["hello\n", "<html></html>", "<?xml version='1.0'?><html/>"]) func smallOtherFilesHaveNoCoder(
    _ text: String
  ) {
    let error = #expect(throws: CoderError.self) { try Self.here.open(.bytes(Array(text.utf8))) }
    #expect(error?.code == .noCoder, "\(error as Any)")
  }

  @Test func largePosterHasAThumbnail() throws {
    let file = Self.document("width='900000' height='450000'", "<rect width='100%' height='100%' fill='lime'/>")
    let image = try Self.here.decode(.bytes(file), options: .thumbnail(width: 8, height: 8))
    #expect(image.size == Size(width: 8, height: 4))
    #expect(throws: CoderError.self) { try Self.here.decode(.bytes(file)) }
  }
}
