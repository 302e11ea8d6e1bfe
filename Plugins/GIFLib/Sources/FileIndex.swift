// SPDX-License-Identifier: Apache-2.0

import CGIF
import ImageCoderPlugin

/// What a file holds: its records, read once without decoding a pixel.
struct FileIndex {
  /// One image, and what the Graphic Control Extension before it says.
  struct Image {
    let x, y: Int
    let size: Size
    let isInterlaced: Bool
    /// In 1/100 s.
    let delay: UInt32
    let disposal: FrameHeader.Disposal
    /// Nil when no code of the image can stand for it.
    let transparentIndex: Int?
    /// The offset of its descriptor in the file.
    let offset: Int

    /// The part that lies on the canvas, or nil when nothing does.
    func visibleRect(on canvas: Size) -> Rect? {
      let rect = Rect(
        x: x, y: y, width: min(size.width, canvas.width - x), height: min(size.height, canvas.height - y))
      return rect.isEmpty ? nil : rect
    }
  }

  private(set) var canvas: Size
  private(set) var images: [Image] = []
  /// As often as the animation starts again, 0 for without end; nil when the file does not say.
  private(set) var repetitions: UInt32?
  /// As far as the limit of metadata goes, and a little more when it is larger.
  private(set) var profile: [UInt8] = []
  /// Whether the records end without a trailer.
  private(set) var isTruncated = false

  private var control = GraphicsControlBlock()

  /// - Throws: What giflib reports before the first image; ``CoderError/Code/limitExceeded``.
  init(_ library: LibGIF, limits: Limits) throws(CoderError) {
    canvas = library.canvas
    control.TransparentColor = NO_TRANSPARENT_COLOR
    do throws(CoderError) {
      try readRecords(library, limits: limits)
    } catch {
      // What cannot be read after an image ends the file.
      guard !images.isEmpty, error.code.group == .file else { throw error }
      isTruncated = true
    }
    // Browsers take the first image's extent for a side of 0.
    if let first = images.first {
      if canvas.width == 0 { canvas.width = first.x + first.size.width }
      if canvas.height == 0 { canvas.height = first.y + first.size.height }
    }
    try limits.check(canvas: canvas)
    // A file without images shows its canvas: an image that lies beside it stands for that.
    if images.isEmpty {
      images = [
        Image(
          x: canvas.width, y: canvas.height, size: Size(width: 1, height: 1), isInterlaced: false, delay: 0,
          disposal: .keep, transparentIndex: nil, offset: 0)
      ]
    }
  }

  private mutating func readRecords(_ library: LibGIF, limits: Limits) throws(CoderError) {
    while true {
      switch try library.nextRecord() {
      case .trailer: return
      case .extension: try readExtension(library, limits: limits)
      case .image:
        try limits.check(frames: images.count + 1)
        let offset = library.offset
        let descriptor = try library.nextDescriptor()
        images.append(image(descriptor, at: offset))
        control = GraphicsControlBlock()
        control.TransparentColor = NO_TRANSPARENT_COLOR
        try library.skipImageData()
      }
    }
  }

  private func image(_ descriptor: LibGIF.Descriptor, at offset: Int) -> Image {
    let transparent = Int(control.TransparentColor)
    let isReached = transparent >= 0 && transparent < 1 << min(descriptor.codeSize, 8)
    let disposal: FrameHeader.Disposal =
      switch control.DisposalMode {
      case DISPOSE_BACKGROUND: .restoreBackground
      case DISPOSE_PREVIOUS: .restorePrevious
      default: .keep
      }
    return Image(
      x: descriptor.x, y: descriptor.y, size: descriptor.size, isInterlaced: descriptor.isInterlaced,
      delay: UInt32(clamping: control.DelayTime), disposal: disposal,
      transparentIndex: isReached ? transparent : nil, offset: offset)
  }

  private mutating func readExtension(_ library: LibGIF, limits: Limits) throws(CoderError) {
    var application = ""
    var (control, repetitions, profile) = (self.control, self.repetitions, self.profile)
    let maxMetadata = limits.maxMetadata
    var isFirst = true
    try library.nextExtension { (label, block) in
      defer { isFirst = false }
      switch Int32(label) {
      case GRAPHICS_EXT_FUNC_CODE where isFirst:
        control = LibGIF.control(block) ?? control
        return false
      case APPLICATION_EXT_FUNC_CODE where isFirst:
        application = String(decoding: block, as: UTF8.self)
        return ["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"].contains(application)
      case APPLICATION_EXT_FUNC_CODE where application == "ICCRGBG1012":
        profile += block
        return profile.count <= maxMetadata
      case APPLICATION_EXT_FUNC_CODE:
        if block.count >= 3, block[0] & 7 == 1 { repetitions = UInt32(block[1]) | UInt32(block[2]) << 8 }
        return false
      default: return false
      }
    }
    (self.control, self.repetitions, self.profile) = (control, repetitions, profile)
  }
}

extension FileIndex {
  /// Netscape's number says how often the animation starts again: 1 means two plays.
  var loopCount: LoopCount? { repetitions.map { $0 == 0 ? .infinite : .plays($0 + 1) } }

  /// Whether images are steps in time: several images without any delay and loop make one picture together.
  var isAnimated: Bool {
    (images.count > 1 || isTruncated) && (repetitions != nil || images.contains { $0.delay > 0 })
  }

  /// Whether the first image alone is the whole picture, with no transparent pixel.
  var isOpaqueStill: Bool {
    guard images.count == 1, let image = images.first, !isAnimated else { return false }
    return image.visibleRect(on: canvas) == Rect(covering: canvas) && image.transparentIndex == nil
  }
}
