// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gallery
import ImageCoders
import TestSupport
import Testing

/// A folder of pictures as a page.
@Suite struct GalleryTests {
  /// A folder for one test, which goes away with it.
  final class Folders {
    let root = FileManager.default.temporaryDirectory.appending(path: "gallery-tests-\(UUID().uuidString)").path
    var photos: String { "\(root)/photos" }
    var site: String { "\(root)/site" }

    init() throws { try FileManager.default.createDirectory(atPath: photos, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func add(_ name: String, _ size: Size, as format: ImageFormat) async throws {
      let file = try await PostPicturesTests.registry.async.encode(try PostPicturesTests.picture(size), as: format)
      try Data(file).write(to: URL(filePath: "\(photos)/\(name)"))
    }

    var pictures: [String] {
      get throws { try FileManager.default.contentsOfDirectory(atPath: "\(site)/pictures").sorted() }
    }
  }

  let gallery = Gallery(registry: PostPicturesTests.registry)

  @Test func aPageHasPicturesInSeveralSizes() async throws {
    let folders = try Folders()
    try await folders.add("a & b.jpg", Size(width: 1000, height: 500), as: .jpeg)
    try await folders.add("small.png", Size(width: 64, height: 48), as: .png)
    try Data("no picture".utf8).write(to: URL(filePath: "\(folders.photos)/notes.txt"))
    let report = try await gallery.build(folders.photos, into: folders.site)
    #expect(report.made == 4 && report.kept == 0 && report.removed == 0)
    #expect(report.failures == ["notes.txt": .noCoder])
    let page = try String(contentsOfFile: "\(folders.site)/index.html", encoding: .utf8)
    let images = page.split(separator: "\n").filter { $0.contains("<img") }
    #expect(images.count == 2)
    #expect(images[0].contains("width=\"1000\" height=\"500\" alt=\"a &amp; b.jpg\""))
    #expect(images[0].contains(" 320w, ") && images[0].contains(" 800w, ") && images[0].contains(" 1000w\""))
    // Each address leads to a file of that width.
    let addresses = images.flatMap { $0.matches(of: /(pictures\/[^ "]*) ([0-9]+)w/).map { ($0.1, $0.2) } }
    #expect(addresses.count == 4)
    for (address, width) in addresses {
      let path = try #require(String(address).replacing("&amp;", with: "&").removingPercentEncoding)
      let header = try await PostPicturesTests.registry.async.header(of: .file("\(folders.site)/\(path)"))
      #expect(header.canvas.width == Int(width))
    }
  }

  @Test func onlyWhatHasChangedIsMade() async throws {
    let folders = try Folders()
    try await folders.add("one.jpg", Size(width: 400, height: 300), as: .jpeg)
    try await folders.add("two.jpg", Size(width: 400, height: 300), as: .jpeg)
    func build() async throws -> [Int] {
      let report = try await gallery.build(folders.photos, into: folders.site)
      #expect(report.failures.isEmpty)
      return [report.made, report.kept, report.removed]
    }
    #expect(try await build() == [4, 0, 0])
    let first = try folders.pictures
    #expect(try await build() == [0, 4, 0])
    #expect(try folders.pictures == first)
    // Another picture by the same name, even if it is older.
    try await folders.add("one.jpg", Size(width: 350, height: 300), as: .jpeg)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: "\(folders.photos)/one.jpg")
    #expect(try await build() == [2, 2, 2])
    try FileManager.default.removeItem(atPath: "\(folders.photos)/two.jpg")
    #expect(try await build() == [0, 2, 2])
    #expect(try folders.pictures.count == 2)
  }
}
