// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

/// What errors carry for programs, beside their message.
@Suite struct ErrorTests {
  private let folder = Folder()

  private static func error<Result>(_ body: () throws(CoderError) -> Result) -> CoderError? {
    guard case .failure(let error) = Swift.Result(catching: body) else { return nil }
    return error
  }

  @Test func aLimitNamesItself() throws {
    let window = try Fixture.path("window.png")
    var reading = DecodeOptions()
    reading.limits.maxMemory = 10
    let tooBig = Self.error { () throws(CoderError) in try Decoded.registry.decode(.file(window), options: reading) }
    #expect(tooBig?.limit == .maxMemory)
    #expect(tooBig?.message.contains("maxMemory") == true)
    let limits = Limits(maxPixels: 10, maxSide: 20)
    let size = Size(width: 20, height: 20)
    #expect(Self.error { () throws(CoderError) in try limits.check(canvas: size) }?.limit == .maxPixels)
    let image = try Decoded.image(window)
    var options = EncodeOptions()
    options.maxFileSize = 10
    let error = Self.error { () throws(CoderError) in
      try Decoded.registry.encode(image, as: .jpeg, options: options)
    }
    #expect(error?.limit == .maxFileSize)
  }

  /// The path of an input is no reason to take its errors for those of the output.
  @Test func anInputNamedLikeALimitIsStillTheInput() throws {
    let file = folder.write("maxFileSize.png", try Package.bytes(try Fixture.path("window.png")))
    let run = Run.inProcess("convert", "--max-pixels", "10", file, "\(folder.path)/a.jpg")
    #expect(run.errors.hasPrefix("coders: \(file): limitExceeded: "))
  }

  @Test func errorsNameTheirFile() throws {
    let missing = "\(folder.path)/none.png"
    let opening = Self.error { () throws(CoderError) in try Decoded.registry.open(.file(missing)) }
    #expect(opening?.file == missing)
    #expect(opening?.description == "\(missing): io: no such file or directory")
    let unknown = folder.write("unknown.bin", "no picture")
    #expect(Self.error { () throws(CoderError) in try Decoded.registry.decode(.file(unknown)) }?.file == unknown)

    let whole = try Package.bytes(try Fixture.path("landscape-orientation-6.jpg"))
    let cut = folder.write("cut.jpg", Array(whole.prefix(whole.count / 2)))
    let image = try Decoded.registry.decode(.file(cut))
    #expect(image.problem?.file == cut)
    #expect(image.problem?.description.hasPrefix("\(cut): truncated at byte ") == true)
    let decoder = try Decoded.registry.open(.file(cut))
    #expect(try decoder.frame(at: 0).problem?.file == cut)
    #expect(Self.error { () throws(CoderError) in try decoder.page(7) }?.file == cut)
    #expect(try Decoded.registry.decode(.bytes(Array(whole.prefix(whole.count / 2)))).problem?.file == nil)

    let nowhere = "\(folder.path)/nowhere/a.png"
    let writing = Self.error { () throws(CoderError) in try NewFile.write([1], to: nowhere) }
    #expect(writing?.file == nowhere)
  }
}
