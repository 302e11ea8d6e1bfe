// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageIO
import Testing

@Suite(.serialized) struct AnimateTests {
  /// Frames that a block got, on the main queue.
  private final class Calls: @unchecked Sendable {
    var indices: [Int] = []
  }

  @MainActor private func play(_ path: String, _ options: [CFString: Any], stopsAfter count: Int) async -> [Int] {
    let calls = Calls()
    let status = CGAnimateImageAtURLWithBlock(Fixture.url(path) as CFURL, options as CFDictionary) {
      index, image, stop in
      calls.indices.append(index)
      if image.width == 0 || calls.indices.count == count { stop.pointee = true }
    }
    #expect(status == 0)
    // Nothing is called before the return.
    #expect(calls.indices.isEmpty)
    for _ in 0..<200 where calls.indices.count < count { try? await Task.sleep(for: .milliseconds(10)) }
    try? await Task.sleep(for: .milliseconds(60))
    return calls.indices
  }

  @Test @MainActor func framesAreShownInTurn() async {
    let fast: [CFString: Any] = [kCGImageAnimationDelayTime: 0.01, kCGImageAnimationLoopCount: 0]
    #expect(await play("gif/valid/loop-3.gif", fast, stopsAfter: 5) == [0, 1, 2, 0, 1])
    let start: [CFString: Any] = [
      kCGImageAnimationDelayTime: 0.01, kCGImageAnimationStartIndex: 1, kCGImageAnimationLoopCount: 2,
    ]
    // Two plays of three frames, from the second one on, and no more.
    #expect(await play("png/valid/apng-loop-3.png", start, stopsAfter: 6) == [1, 2, 0, 1, 2])
  }

  @Test func whatCannotBeShownIsRefused() throws {
    func status(_ path: String, _ options: [CFString: Any] = [:]) -> OSStatus {
      CGAnimateImageAtURLWithBlock(Fixture.url(path) as CFURL, options as CFDictionary) { _, _, _ in }
    }
    #expect(status("png/valid/rgb8.png") == CGImageAnimationStatus.unsupportedFormat.rawValue)
    #expect(status("README.md") == CGImageAnimationStatus.corruptInputImage.rawValue)
    #expect(status("no/such.gif") == CGImageAnimationStatus.parameterError.rawValue)
    #expect(
      status("gif/valid/loop-3.gif", [kCGImageAnimationStartIndex: 9]) == CGImageAnimationStatus.parameterError.rawValue
    )
    #expect(
      CGAnimateImageDataWithBlock(Data() as CFData, nil) { _, _, _ in }
        == CGImageAnimationStatus.parameterError.rawValue)
    let start = try Fixture.data("gif/valid/loop-3.gif").prefix(10)
    #expect(
      CGAnimateImageDataWithBlock(start as CFData, nil) { _, _, _ in }
        == CGImageAnimationStatus.incompleteInputImage.rawValue)
  }
}
