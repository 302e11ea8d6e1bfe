// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// What files state by ImageIO's names, in the places that are easily forgotten.
@Suite(.needs("GIF", "JPEG", "PNG")) struct StatedPropertiesTests {
  private static let registry = EncodingPictures.registry

  private static func open(_ path: String) throws -> ImageDecoder {
    let parts = path.split(separator: "/").map(String.init)
    return try registry.open(.file("\(StagedTree.fixtures(parts[0]))/valid/\(parts[1])"))
  }

  /// How often an animation plays is in the header only if the file says it.
  @Test func playsAreStatedOrNot() throws {
    let stated = try Self.open("gif/loop-3.gif")
    #expect(stated.header.loopCount == .plays(3) && stated.loopCount == .plays(3))
    let unstated = try Self.open("gif/loop-unstated.gif")
    #expect(unstated.header.loopCount == nil && unstated.loopCount == .plays(1))
    #expect(try stated.properties()["{GIF}", "HasGlobalColorMap"] == .boolean(true))
  }

  @Test func keysAreSetAndTakenOutAlone() throws {
    var edit = MetadataEdit()
    edit.values["{IPTC}", "TimeCreated"] = .text("101112+0000")
    edit.values["{IPTC}", "DigitalCreationDate"] = .text("20240501")
    edit.values["{IPTC}", "DigitalCreationTime"] = .text("075613+0200")
    edit.values["{TIFF}", "Make"] = .text("Maker")
    edit.values["{TIFF}", "Model"] = .text("Model")
    let plain = try Self.registry.encode(Image(try EncodingPictures.photo(Size(width: 32, height: 24))), as: .jpeg)
    let file = try Self.registry.editMetadata(.bytes(plain), edit).bytes
    let all = try Self.registry.open(.bytes(file)).properties()
    // IIM 4.2: times in UTC are shown without their zone, as ImageIO does.
    #expect(all["{IPTC}", "TimeCreated"] == .text("101112"))
    #expect(all["{IPTC}", "DigitalCreationTime"] == .text("075613+0200"))
    #expect(all["{IPTC}", "DigitalCreationDate"] == .text("20240501"))
    edit = MetadataEdit()
    edit.values["{IPTC}", "DigitalCreationTime"] = .text("")
    edit.values["{TIFF}", "Model"] = .text("")
    let less = try Self.registry.open(.bytes(Self.registry.editMetadata(.bytes(file), edit).bytes)).properties()
    #expect(less["{IPTC}", "DigitalCreationTime"] == nil && less["{TIFF}", "Model"] == nil)
    #expect(less["{IPTC}", "TimeCreated"] == .text("101112") && less["{TIFF}", "Make"] == .text("Maker"))
  }

  @Test func resolutionIsThatOfTheFile() throws {
    var options = EncodeOptions()
    options.density = Density(300, vertical: 150)
    let image = Image(try EncodingPictures.photo(Size(width: 32, height: 24)))
    let made = try Self.registry.open(.bytes(try Self.registry.encode(image, as: .jpeg, options: options))).properties()
    #expect(made["DPIWidth"] == .number(300) && made["DPIHeight"] == .number(150))
  }

  @Test func textsOfPNGAreByTheirKeywords() throws {
    let found = try Self.open("png/text.png").properties()
    guard case .dictionary(let texts)? = found["{PNG}"] else {
      Issue.record("no {PNG}")
      return
    }
    #expect(texts["Title"] == .text("a") && texts["Author"] == .text("Grüße") && texts["Comment"] == .text("č"))
  }
}
