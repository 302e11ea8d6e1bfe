// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoderModel
import ImageCoderTesting
import ImageCoders
import TestSupport
import Testing

/// The GIF coder over giflib: what it reads by itself, and that it agrees with our own.
@Suite(.needs("GIFLib")) struct GIFLibTests {
  static let own = "org.imagecoders.gif"
  static let giflib = "org.imagecoders.gif.giflib"

  /// What giflib, or this coder, does not do: XMP packets, comments and content credentials; the rows of a sub-block whose end
  /// is cut off.
  static let notCovered = ["xmp.gif", "comment.gif", "c2pa.gif", "truncated-data.gif"]

  static let checks = CoderConformance(
    pluginDirectory: StagedTree.plugins, id: giflib, fixtures: StagedTree.fixtures("gif")
  ).checks.filter { !notCovered.contains($0.subject) }

  static let validNames = names("valid").filter { $0 != "no-image.gif" }
  static let invalidNames = names("invalid")

  private static func names(_ kind: String) -> [String] {
    Command.run("cd '\(StagedTree.fixtures("gif"))/\(kind)' && ls *.gif").output.split(separator: "\n").map(String.init)
  }

  /// A registry that prefers one of the two coders.
  private static func registry(preferring id: String? = nil, without other: String? = nil) -> CoderRegistry {
    var preferences = CoderPreferences()
    if let id { preferences.priorities[id] = 200 }
    if let other { preferences.disabled.insert(other) }
    return CoderRegistry(
      searchPath: .only([StagedTree.plugins]),
      preferences: preferences)
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(StagedTree.fixtures("gif"))/\(path)")))
  }

  /// A picture or animation as far as both coders have to agree on it.
  private struct Answer: Equatable {
    var canvas: Size
    var isAnimated: Bool
    var loopCount: LoopCount?
    var delays: [FrameDelay?]
    var rows: [[[UInt8]]]
  }

  private static func answer(_ bytes: [UInt8], of id: String) throws -> Answer {
    var options = DecodeOptions()
    options.pixelFormat = .rgba8
    let decoder = try registry(preferring: id).open(.bytes(bytes), options: options)
    #expect(decoder.coderID == id)
    let image = try decoder.image()
    #expect(image.problem == nil)
    return Answer(
      canvas: decoder.header.canvas, isAnimated: decoder.header.isAnimated, loopCount: decoder.header.loopCount,
      delays: image.frames.map(\.delay),
      rows: image.frames.map { rows($0.pixels) })
  }

  private static func rows(_ pixels: PixelBuffer) -> [[UInt8]] {
    (0..<pixels.size.height).map { y in pixels.withRow(y) { [UInt8]($0) } }
  }

  @Test(arguments: checks) func passes(_ check: ConformanceCheck) throws { try check.run() }

  @Test(arguments: validNames) func agreesWithOurOwnCoder(_ name: String) throws {
    let bytes = try Self.bytes("valid/\(name)")
    #expect(try Self.answer(bytes, of: Self.giflib) == Self.answer(bytes, of: Self.own))
  }

  @Test(arguments: invalidNames) func blamesAFileAsOurOwnCoderDoes(_ name: String) throws {
    let bytes = try Self.bytes("invalid/\(name)")
    let codes = [Self.own, Self.giflib].map { id -> CoderError.Code? in
      do throws(CoderError) {
        return try Self.registry(preferring: id).decode(.bytes(bytes)).problem?.code
      } catch {
        return error.code
      }
    }
    #expect(codes[0] == codes[1])
    #expect(codes[0] != nil)
  }

  /// Images whose code tables fill many times, interlaced or not, as another decoder reads them.
  @Test(arguments: [2, 5, 16, 130, 256], [false, true])
  func readsWhatOurOwnCoderWrites(_ colors: Int, isInterlaced: Bool) throws {
    var random = SplitMix(seed: UInt64(colors))
    let size = Size(width: 211, height: 97)
    let frames = try (0..<4).map { number in
      let pixels = try PixelBuffer(size: size, format: .rgba8, alpha: .straight)
      for y in 0..<size.height {
        let row = pixels.row(y).assumingMemoryBound(to: UInt32.self)
        for x in 0..<size.width {
          let index = y < 40 || (number > 0 && x < 90) ? x / 9 % colors : random.below(colors)
          row[x] = (0xFF00_0000 | UInt32(index &* 0x3779B1 & 0xFF_FFFF)).littleEndian
        }
      }
      return Frame(pixels: pixels, delay: FrameDelay(numerator: UInt32(number + 3), denominator: 100))
    }
    var options = EncodeOptions()
    options.isLossless = true
    options.isProgressive = isInterlaced
    let written = try Self.registry().encode(Image(frames: frames, loopCount: .plays(3)), as: .gif, options: options)
    let answer = try Self.answer(written, of: Self.giflib)
    #expect(answer.rows == frames.map { Self.rows($0.pixels) })
    #expect(answer.delays == frames.map(\.delay))
    #expect(answer.loopCount == .plays(3))
  }

  @Test func isChosenWhenPreferredOrAlone() throws {
    let bytes = try Self.bytes("valid/comment.gif")
    #expect(try Self.registry().open(.bytes(bytes)).coderID == Self.own)
    #expect(try Self.registry(preferring: Self.giflib).open(.bytes(bytes)).coderID == Self.giflib)
    #expect(try Self.registry(without: Self.own).open(.bytes(bytes)).coderID == Self.giflib)
  }

  /// A frame is found again in any order.
  @Test func goesBackToAnEarlierFrame() throws {
    let decoder = try Self.registry(preferring: Self.giflib).open(
      .bytes(try Self.bytes("valid/frame-local-palette.gif")))
    let forwards = try (0..<decoder.frameCount).map { Self.rows(try decoder.frame(at: $0).pixels) }
    let backwards = try (0..<decoder.frameCount).reversed().map { Self.rows(try decoder.frame(at: $0).pixels) }
    #expect(forwards.count > 1)
    #expect(forwards == backwards.reversed())
  }

  /// Changed bytes end in an image or in an error that blames the file.
  @Test func mutantsAreAnswered() throws {
    let registry = Self.registry(without: Self.own)
    let files = try Self.validNames.map { try Self.bytes("valid/\($0)") }
    var answers = 0
    for number in 0..<5_000 {
      var random = SplitMix(seed: 0x61F_11B &+ UInt64(number))
      var bytes = files[number % files.count]
      for _ in 0...random.below(3) {
        Mutation.allCases[random.below(Mutation.allCases.count)].apply(to: &bytes, &random)
      }
      var options = DecodeOptions()
      options.limits = Limits(maxPixels: 1 << 20, maxMemory: 64 << 20, maxFrames: 500)
      do throws(CoderError) {
        _ = try registry.decode(.bytes(bytes), options: options)
      } catch {
        #expect([.file, .unsupported, .limits].contains(error.code.group), "mutant \(number): \(error)")
      }
      answers += 1
    }
    #expect(answers == 5_000)
  }
}
