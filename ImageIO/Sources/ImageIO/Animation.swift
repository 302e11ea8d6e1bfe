// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import CoreGraphics
  import Dispatch
  public import Foundation

  /// Called with the number of a frame and the frame; what the pointer leads to is set to stop.
  public typealias CGImageSourceAnimationBlock = (Int, CGImage, UnsafeMutablePointer<Bool>) -> Void

  /// Shows an animation: calls a block on the main queue with each frame, when its time has come. The first call comes after
  /// the return.
  ///
  /// - Parameter options: `kCGImageAnimationStartIndex`; `kCGImageAnimationDelayTime`, seconds for each frame;
  ///   `kCGImageAnimationLoopCount`, plays, 0 for ever. Without them the file counts.
  /// - Returns: 0, or a number of ``CGImageAnimationStatus``.
  @discardableResult
  public func CGAnimateImageAtURLWithBlock(
    _ url: CFURL, _ options: CFDictionary?, _ block: @escaping CGImageSourceAnimationBlock
  ) -> OSStatus { animate(CGImageSourceCreateWithURL(url, nil), options, showing: block) }

  /// As ``CGAnimateImageAtURLWithBlock(_:_:_:)``.
  @discardableResult
  public func CGAnimateImageDataWithBlock(
    _ data: CFData, _ options: CFDictionary?, _ block: @escaping CGImageSourceAnimationBlock
  ) -> OSStatus { animate(CGImageSourceCreateWithData(data, nil), options, showing: block) }

  private func animate(
    _ source: CGImageSource?, _ options: CFDictionary?, showing block: @escaping CGImageSourceAnimationBlock
  ) -> OSStatus {
    func status(_ status: CGImageAnimationStatus) -> OSStatus { status.rawValue }
    guard let source else { return status(.parameterError) }
    guard let decoder = source.decoder else {
      return status(source.status == .statusUnexpectedEOF ? .incompleteInputImage : .corruptInputImage)
    }
    guard source.isSequence else { return status(.unsupportedFormat) }
    let start = options?.integer(kCGImageAnimationStartIndex) ?? 0
    let delay = options?.number(kCGImageAnimationDelayTime)
    let plays = options?.integer(kCGImageAnimationLoopCount) ?? Int(decoder.loopCount.plays)
    guard start >= 0, start < source.count, delay.map({ $0 >= 0 }) ?? true, plays >= 0 else {
      return status(.parameterError)
    }
    let player = Player(source: source, delay: delay, plays: plays, block: block)
    DispatchQueue.main.async { player.show(start, play: 1) }
    return 0
  }

  private final class Player: @unchecked Sendable {
    // Unchecked: the main queue alone uses it.
    private let source: CGImageSource
    private let delay: Double?
    private let plays: Int
    private let block: CGImageSourceAnimationBlock

    init(source: CGImageSource, delay: Double?, plays: Int, block: @escaping CGImageSourceAnimationBlock) {
      (self.source, self.delay, self.plays, self.block) = (source, delay, plays, block)
    }

    func show(_ index: Int, play: Int) {
      guard let image = CGImageSourceCreateImageAtIndex(source, index, nil) else { return }
      var stops = false
      block(index, image, &stops)
      let isLast = index + 1 == source.count
      guard !stops, !(isLast && plays > 0 && play >= plays) else { return }
      DispatchQueue.main.asyncAfter(deadline: .now() + (delay ?? source.delay(of: index).shown)) {
        self.show(isLast ? 0 : index + 1, play: isLast ? play + 1 : play)
      }
    }
  }
#endif
