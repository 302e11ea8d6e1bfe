// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoders
import TestSupport
import Testing

/// What the command says of pages that belong to others, and of frames that nobody has counted.
@Suite struct PageKindTests {
  private static let uncounted = ForeignPlugin.folder("UncountedPlugin", "uncounted")
  private let folder = TemporaryFolder()

  private func write(_ bytes: [UInt8], _ name: String) throws -> String {
    let path = "\(folder.path)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func field(_ name: String, of run: Run) -> String? {
    let line = run.output.split(separator: "\n").first { $0.hasPrefix("  \(name) ") }
    return line.map { String($0.dropFirst(15)) }
  }

  @Test func framesAreCountedOnRequest() throws {
    let file = try write(Array("REEL\u{2}".utf8) + [10, 20, 30, 40], "clip.reel")
    let plain = Run.inProcess(["probe", file], plugins: Self.uncounted.path)
    #expect(field("frames", of: plain) == "not counted, 83.5 s", "\(plain.output)\(plain.errors)")
    #expect(field("poster", of: plain) == "frame 3")
    #expect(field("auxiliary", of: plain)?.hasPrefix("gain-map 1×1, nnn") == true)
    let counted = Run.inProcess(["probe", "--count", file], plugins: Self.uncounted.path)
    #expect(field("frames", of: counted) == "4" && field("duration", of: counted) == "83.5 s")
    let json = Run.inProcess(["probe", "--json", file], plugins: Self.uncounted.path).output
    #expect(json.contains("\"frame_count\": null") && json.contains("\"duration\": 83.5"))
    #expect(json.contains("\"access\": \"first-frame\"") && json.contains("\"poster_frame\": 3"))
    // Listing frames reads all of them.
    let frames = Run.inProcess(["frames", "--quiet", file], plugins: Self.uncounted.path)
    #expect(frames.output.split(separator: "\n").count == 5, "\(frames.output)")
  }

  /// A PSD of 1×1 pixel, and over it a layer of 2×1, at 4, 3.
  private static let layered: [UInt8] = {
    func word(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    let header = Array("8BPS".utf8) + [0, 1, 0, 0, 0, 0, 0, 0, 0, 3] + word(1) + word(1) + [0, 8, 0, 3]
    var record = word(3) + word(4) + word(4) + word(6) + [0, 3]
    for channel in 0..<3 { record += [0, UInt8(channel)] + word(4) }
    record += Array("8BIMscrn".utf8) + [255, 0, 0, 0] + word(12) + word(0) + word(0) + [3] + Array("Sky".utf8)
    let pixels: [UInt8] = [0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 5, 6]
    let info = [0, 1] + record + pixels
    let layers = word(info.count) + info + word(0)
    return header + word(0) + word(0) + word(layers.count) + layers + [0, 0, 7, 8, 9]
  }()

  @Test func layersArePagesThatConversionsLeaveOut() throws {
    let file = try write(Self.layered, "layers.psd")
    let probe = Run.inProcess("probe", file)
    #expect(field("pages", of: probe) == "2, primary page 1", "\(probe.output)\(probe.errors)")
    #expect(field("page 2", of: probe) == "2×1, rgb8, 8 bits, opaque, layer \"Sky\" at 4,3")
    #expect(field("page kind", of: Run.inProcess("probe", "--page", "2", file)) == "layer \"Sky\" at 4,3")
    #expect(Run.inProcess("frames", file).output.contains("layer \"Sky\" at 4,3"))
    let out = "\(folder.path)/out.tiff"
    #expect(Run.inProcess("convert", file, out).status == 0)
    #expect(try Decoded.image(out).header?.pageCount == 1)
    #expect(Run.inProcess("convert", "--page", "2", file, out).status == 0)
    #expect(try Decoded.image(out).pixels.withRow(0) { Array($0) } == [1, 3, 5, 2, 4, 6])
  }
}
