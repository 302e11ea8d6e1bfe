// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageProcessing
import Testing

/// Sizes of results, and what stays of a picture that is cut.
@Suite struct ResizeTests {
  @Test(arguments: [
    ("resize:50x50", 50, 25), ("resize:50x", 50, 25), ("resize:x25", 50, 25), ("resize:300x300", 100, 50),
    ("resize:300x300,enlarge", 300, 150), ("resize:x100,enlarge", 200, 100), ("resize:30x40,fill", 30, 40),
    ("resize:300x40,fill", 100, 40), ("resize:300x40,fill,enlarge", 300, 40), ("resize:30x200,stretch", 30, 50),
    ("resize:30x200,stretch,enlarge", 30, 200), ("resize:1x1", 1, 1), ("resize:33x", 33, 17),
  ])
  func sizeIsAsAsked(operation: String, width: Int, height: Int) throws {
    let size = Size(width: 100, height: 50)
    #expect(try ImageOperation(parsing: operation).size(of: size) == Size(width: width, height: height))
  }

  @Test(arguments: [("left", [0, 1]), ("center", [2, 3]), ("right", [4, 5])] as [(String, [UInt8])])
  func anchorSaysWhatStays(anchor: String, columns: [UInt8]) throws {
    let pixels = try Pictures.bytes([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5], 6, .gray8)
    let result = try ImageOperation(parsing: "resize:2x2,fill,\(anchor)").applied(to: pixels)
    #expect(result.copyBytes() == columns + columns)
  }

  @Test func enlargingKeepsAPlainPictureAndItsAlpha() throws {
    let pixels = try Pictures.bytes(Array(repeating: [10, 200, 30, 77], count: 6).flatMap { $0 }, 3, .rgba8)
    let result = try ImageOperation(parsing: "resize:7x9,stretch,enlarge").applied(to: pixels)
    #expect(result.size == Size(width: 7, height: 9) && result.layout == pixels.layout)
    #expect(result.copyBytes() == Array(repeating: [10, 200, 30, 77], count: 63).flatMap { $0 })
  }

  @Test func sizesThatAreNoneAreRefused() throws {
    let pixels = try Pictures.bytes([1], 1, .gray8)
    for size in [Size(width: 0, height: 0), Size(width: -1, height: 5)] {
      let error = #expect(throws: CoderError.self) { try ImageOperation.resize(.init(size)).applied(to: pixels) }
      #expect(error?.code == .invalidArgument)
    }
  }
}
