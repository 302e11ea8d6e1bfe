// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// What a caller who opens a file is known to ask for next: all of its picture, in its own size and colors.
///
/// A reader that works ahead goes on with it. A caller that asks for something else gets that all the same.
package struct ExpectedPicture: Sendable {
  /// The pixel format, or nil for the file's own.
  package let pixelFormat: PixelFormat?
  package let alpha: AlphaMode

  /// What the decode of a whole file with these options asks for; nil where that depends on more than its header.
  init?(_ options: DecodeOptions) {
    guard options.size == .own, options.part == nil, options.memoryBudget == nil, options.page ?? 0 == 0,
      !options.isAuxiliary,
      case .asStored = options.color, !options.linearLight, case .ignored = options.gainMap
    else { return nil }
    pixelFormat = options.pixelFormat
    alpha = options.alpha
  }

  /// The request for a file that holds one still picture.
  package func request(for header: ImageHeader) -> DecodeRequest {
    DecodeRequest(
      pixelFormat: pixelFormat ?? header.pixelFormat, alpha: header.alpha == .opaque ? .opaque : alpha)
  }
}
