// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import HDRCoder

@Suite struct HDRHeaderTests {
  private func header(_ text: String, _ kind: MemorySource.Kind = .complete) throws(CoderError) -> HDRHeader {
    try HDRHeader(reading: MemorySource(Array(text.utf8), kind).view)
  }

  /// The variables of a header with these lines.
  private func variables(_ lines: String...) throws -> HeaderVariables {
    try header("#?RADIANCE\n\(lines.map { $0 + "\n" }.joined())\n-Y 1 +X 1\n").variables
  }

  @Test(arguments: [MemorySource.Kind.complete, .incremental])
  func readsSizeAndFormat(_ kind: MemorySource.Kind) throws {
    let text = "#?RADIANCE\n# a comment\nFORMAT=32-bit_rle_xyze\n\n-Y 20 +X 300\n"
    let header = try header(text + "pixels", kind)
    #expect(header.canvas == Size(width: 300, height: 20) && header.orientation == .up)
    #expect(header.isXYZ && header.raster == text.utf8.count)
  }

  /// Where the first scanline and the first pixel of each are shown, by the figure of the coordinate system.
  @Test(arguments: [
    ("-Y 2 +X 3", 1), ("-Y 2 -X 3", 2), ("+Y 2 -X 3", 3), ("+Y 2 +X 3", 4), ("+X 2 -Y 3", 5), ("-X 2 -Y 3", 6),
    ("-X 2 +Y 3", 7), ("+X 2 +Y 3", 8),
  ])
  func orientationFollowsTheAxes(_ resolution: String, _ orientation: Int) throws {
    let header = try header("#?RGBE\n\n\(resolution)\n")
    #expect(header.orientation.rawValue == orientation && header.canvas == Size(width: 3, height: 2))
  }

  /// PIXASPECT is height ÷ width of the upright picture's pixels; a header has width ÷ height of the stored ones.
  @Test(arguments: [
    ("-Y 1 +X 1", "0.5", Double?.some(2)), ("+Y 1 -X 1", "4", 0.25), ("+X 1 -Y 1", "0.5", 0.5), ("-Y 1 +X 1", "1", nil),
    ("-Y 1 +X 1", "0.01", nil), ("-Y 1 +X 1", "0.5\nPIXASPECT=2", nil),
  ])
  func theShapeOfPixelsIsThatOfTheFile(_ resolution: String, _ stated: String, _ aspect: Double?) throws {
    let text = "#?RADIANCE\nPIXASPECT=\(stated)\n\n\(resolution)\n"
    let reader = try HDRReader(MemorySource(Array(text.utf8)).view, host: MemoryHost().host, options: [])
    #expect(try reader.header(page: 0).pixelAspect == aspect)
  }

  @Test func exposuresAreMultiplied() throws {
    let variables = try variables("EXPOSURE=2", "COLORCORR=1 2 3", "EXPOSURE= 0.25", "COLORCORR= 4 5 6", "PIXASPECT=.5")
    #expect(variables.exposure == 0.5 && variables.correction == SIMD3(4, 10, 18) && variables.pixelAspect == 0.5)
  }

  @Test func numbersOutOfRangeAreIgnored() throws {
    let variables = try variables(
      "EXPOSURE=0", "EXPOSURE=-1", "EXPOSURE=nan", "EXPOSURE=1e31", "EXPOSURE=", "COLORCORR=1 2", "GAMMA=11",
      "PRIMARIES=0 0 0 0 0 0 0 0", "PRIMARIES=.1 .1 .2 .2 .3 .3 .3 .3")
    #expect(variables.exposure == nil && variables.correction == nil && variables.gamma == nil)
    #expect(variables.primaries == nil)
  }

  @Test func otherPicturesAndCommandsAreIgnored() throws {
    let variables = try variables("\tEXPOSURE=3", " EXPOSURE=3", "#EXPOSURE=3", "pfilt -e 3", "exposure=3")
    #expect(variables.exposure == nil)
  }

  @Test func textsAreTrimmedAndViewsAreJoined() throws {
    let variables = try variables("VIEW= -vtv -vp 1 2 3 ", "SOFTWARE=\ta b", "VIEW=-vh 40", "CAPDATE=2020:01:02")
    #expect(variables.view == "-vtv -vp 1 2 3 -vh 40" && variables.software == "a b")
    #expect(variables.captureDate == "2020:01:02")
  }

  @Test(
    arguments: [
      ("0.64 0.33 0.30 0.60 0.15 0.06 0.3127 0.3290", 1), ("0.708 0.292 0.17 0.797 0.131 0.046 0.3127 0.329", 9),
      ("0.68 0.32 0.265 0.69 0.15 0.06 0.3127 0.329", 12), ("0.64 0.33 0.29 0.60 0.15 0.06 0.333 0.333", 1),
      ("0.64 0.33 0.2900 0.6 0.15 0.06 0.3333 0.3333", 1), ("0.64 0.33 0.21 0.71 0.15 0.06 0.3127 0.329", nil),
    ] as [(String, UInt8?)])
  func primariesHaveTheirCodePoint(_ numbers: String, _ code: UInt8?) throws {
    let primaries = try #require(try variables("PRIMARIES= \(numbers)").primaries)
    #expect(primaries.code == code)
  }

  @Test(arguments: ["#?RADIANCE\nFORMAT=32-bit_rle_rgbe\nEXPOSURE=1\n\n-Y 8 +X 16\n", "#?RGBE\r\n\r\n-Y 8 +X 16\r\n"])
  func isTruncatedWhereverItIsCut(_ text: String) {
    for count in 1..<text.utf8.count {
      #expect("\(count) bytes") { _ = try header(String(decoding: text.utf8.prefix(count), as: UTF8.self)) } throws: {
        ($0 as? CoderError)?.code == .truncated
      }
    }
  }

  @Test func aHeaderHasALargestSize() throws {
    let comment = "# a comment of some length\n"
    func text(_ count: Int) -> String { "#?RGBE\n\(String(repeating: comment, count: count))\n-Y 1 +X 1\n" }
    #expect(try header(text(9_000)).canvas == Size(width: 1, height: 1))
    #expect(throws: CoderError.malformed("a header of more than 262144 bytes", at: 0)) { try header(text(20_000)) }
  }

  private static let resolution = "a resolution string that is not like \"-Y 480 +X 640\""
  private static let faults: [(String, CoderError)] = [
    ("P6 1 1 255\n", CoderError.wrongFormat("the file does not begin with \"#?\"", at: 0)),
    ("#?RA\u{7}\n", .wrongFormat("a signature that is not a line of text", at: 4)),
    ("#?sh\n\n-Y 1 +X 1\n", .wrongFormat("no line FORMAT, and a signature of neither RADIANCE nor RGBE", at: 0)),
    ("#?RADIANCE\nFORMAT=Radiance_octree\n\n", .wrongFormat("a line FORMAT that is no picture's", at: 0)),
    (
      "#?RADIANCE\nFORMAT=Radiance_rle_spectra\n\n",
      .unsupported("a format of pixels that is neither 32-bit_rle_rgbe nor 32-bit_rle_xyze", at: 0)
    ),
    ("#?RGBE\n\n-Y 1 -Y 1\n", .malformed(resolution, at: 8)), ("#?RGBE\n\n-Y 1\n", .malformed(resolution, at: 8)),
    ("#?RGBE\n\n-Y -1 +X 1\n", .malformed(resolution, at: 8)),
    ("#?RGBE\n\n-Y 0 +X 7\n", .malformed("a canvas of 7×0, at least 1×1 is needed", at: 8)),
    ("#?RGBE\n\n-Y 1", .truncated("the file ends in the resolution string", at: 12)),
  ]

  @Test(arguments: faults)
  func saysWhatIsWrongAndWhere(_ text: String, _ error: CoderError) {
    #expect(throws: error) { _ = try header(text) }
  }
}
