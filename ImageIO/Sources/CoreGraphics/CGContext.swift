// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import Foundation

  /// A bitmap that pictures and rectangles are drawn on, with 8 bits for a sample. Its origin is at the bottom left.
  ///
  /// Colors are drawn as they are: neither a picture's space nor that of a color is converted to the context's.
  ///
  /// - Threads: One at a time.
  public final class CGContext: CGObject {
    public let width: Int
    public let height: Int
    public let bitsPerComponent: Int
    public let bitsPerPixel: Int
    /// From the start of a row to that of the next. The first row is the topmost.
    public let bytesPerRow: Int
    public let colorSpace: CGColorSpace?
    public let bitmapInfo: CGBitmapInfo
    /// The memory: the caller's, or the context's own as long as it lives.
    public let data: UnsafeMutableRawPointer?
    private let release: () -> Void
    /// Where the samples of a pixel are.
    let order: (red: Int, green: Int, blue: Int, alpha: Int)
    let isOpaque: Bool

    /// What is saved and restored.
    struct State {
      var transform = CGAffineTransform.identity
      /// Red, green, blue and alpha.
      var fill = SIMD4<Double>(0, 0, 0, 1)
      var alpha = 1.0
      var blend = CGBlendMode.normal
      var interpolation = CGInterpolationQuality.default
      /// In pixels, from the bottom left.
      var clip: CGRect
    }
    var state: State
    private var saved: [State] = []

    /// Nil where Quartz makes none: of three bytes for a pixel, of straight alpha; and for 5 and 16 bits, floating point and
    /// inks, which are not drawn here.
    ///
    /// - Parameters:
    ///   - data: Memory of `bytesPerRow × height` bytes that outlives the context, or nil for its own, which is clear.
    ///   - bytesPerRow: 0 for what the width needs, if the memory is the context's own.
    public convenience init?(
      data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
      space: CGColorSpace, bitmapInfo: UInt32
    ) {
      self.init(
        data: data, width: width, height: height, bitsPerComponent: bitsPerComponent, bytesPerRow: bytesPerRow,
        space: space, bitmapInfo: bitmapInfo, releaseCallback: nil, releaseInfo: nil)
    }

    /// As without the callback, which is called with the memory when the context is released.
    public init?(
      data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
      space: CGColorSpace, bitmapInfo: UInt32,
      releaseCallback: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void)?,
      releaseInfo: UnsafeMutableRawPointer?
    ) {
      let info = CGBitmapInfo(rawValue: bitmapInfo)
      let pixel: Int
      switch space.model {
      case .rgb:
        let known: [CGImageAlphaInfo] = [.premultipliedLast, .premultipliedFirst, .noneSkipLast, .noneSkipFirst]
        let orders: [CGImageByteOrderInfo] = [.orderDefault, .order32Big, .order32Little]
        guard known.contains(info.alpha), orders.contains(info.byteOrder) else { return nil }
        pixel = 4
      case .monochrome:
        guard info.alpha == .none, info.byteOrder == .orderDefault else { return nil }
        pixel = 1
      default: return nil
      }
      guard bitsPerComponent == 8, !info.contains(.floatComponents), width > 0, height > 0, width < 1 << 24,
        height < 1 << 24, bytesPerRow == 0 || bytesPerRow >= width * pixel, bytesPerRow < 1 << 32
      else { return nil }
      (self.width, self.height, self.bitsPerComponent, bitsPerPixel) = (width, height, 8, pixel * 8)
      (colorSpace, self.bitmapInfo) = (space, info)
      let places = DescribedPixels.order(of: info)
      order = (places[0], places[1], places[2], places[3])
      isOpaque = info.alpha.isOpaque
      let stride = bytesPerRow == 0 ? width * pixel : bytesPerRow
      self.bytesPerRow = stride
      if let data {
        self.data = data
        release = { releaseCallback?(releaseInfo, data) }
      } else {
        // Memory that is there and clear; none for a size that nobody has.
        guard let own = calloc(height, stride) else { return nil }
        self.data = own
        release = { free(own) }
      }
      state = State(clip: CGRect(x: 0, y: 0, width: width, height: height))
    }

    deinit { release() }

    public var alphaInfo: CGImageAlphaInfo { bitmapInfo.alpha }
    public var byteOrderInfo: CGImageByteOrderInfo { bitmapInfo.byteOrder }
    /// From coordinates of the caller to pixels, the origin at the bottom left.
    public var ctm: CGAffineTransform { state.transform }
    public var interpolationQuality: CGInterpolationQuality {
      get { state.interpolation }
      set { state.interpolation = newValue }
    }
    /// The part that is drawn on, in coordinates of the caller.
    public var boundingBoxOfClipPath: CGRect { state.clip.applying(state.transform.inverted()) }

    public func saveGState() { saved.append(state) }
    /// Nothing happens if nothing was saved.
    public func restoreGState() { state = saved.popLast() ?? state }

    public func translateBy(x: CGFloat, y: CGFloat) { state.transform = state.transform.translatedBy(x: x, y: y) }
    public func scaleBy(x: CGFloat, y: CGFloat) { state.transform = state.transform.scaledBy(x: x, y: y) }
    /// - Parameter angle: Radians, against the clock.
    public func rotate(by angle: CGFloat) { state.transform = state.transform.rotated(by: angle) }
    public func concatenate(_ transform: CGAffineTransform) {
      state.transform = transform.concatenating(state.transform)
    }

    public func setFillColor(_ color: CGColor) {
      let rgba = color.rgba
      state.fill = SIMD4(rgba[0], rgba[1], rgba[2], rgba[3])
    }
    public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
      setFillColor(CGColor(red: red, green: green, blue: blue, alpha: alpha))
    }
    public func setFillColor(gray: CGFloat, alpha: CGFloat) { setFillColor(CGColor(gray: gray, alpha: alpha)) }
    /// What all that is drawn is multiplied by, 0 to 1.
    public func setAlpha(_ alpha: CGFloat) { state.alpha = alpha.isNaN ? 0 : min(max(Double(alpha), 0), 1) }
    /// Modes that work on hue, saturation and luminosity, dodging, burning and the two lights are drawn as `normal`.
    public func setBlendMode(_ mode: CGBlendMode) { state.blend = mode }
    /// Edges of rectangles are always smooth.
    public func setAllowsAntialiasing(_ allows: Bool) {}
    /// Edges of rectangles are always smooth.
    public func setShouldAntialias(_ smooths: Bool) {}
    /// Everything is drawn at once.
    public func flush() {}
    /// Everything is drawn at once.
    public func synchronize() {}

    /// Draws only inside of a rectangle from now on; of a turned one, inside of the rectangle around it.
    public func clip(to rect: CGRect) {
      let area = rect.applying(state.transform)
      let part = area.isFinite ? area.intersection(state.clip) : .null
      state.clip = part.isNull ? .zero : part
    }

    /// What was drawn so far; nil if there is no memory for a copy.
    public func makeImage() -> CGImage? {
      guard let data, let colorSpace,
        let provider = CGDataProvider(data: NSData(bytes: data, length: bytesPerRow * height))
      else { return nil }
      return CGImage(
        width: width, height: height, bitsPerComponent: 8, bitsPerPixel: bitsPerPixel, bytesPerRow: bytesPerRow,
        space: colorSpace, bitmapInfo: bitmapInfo, provider: provider, decode: nil, shouldInterpolate: true,
        intent: .defaultIntent)
    }
  }
#endif
