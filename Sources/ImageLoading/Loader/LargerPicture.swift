// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderEngine
  import ImageCoderModel
  import ImageCoders

  /// Which larger picture a smaller one can be made of, without a visible difference from decoding it.
  ///
  /// - A picture whose box leads to the same size is the same picture.
  /// - One that is at least twice as large in both directions is made smaller by the same filter that a decode uses. A
  ///   decode also lets a format's own scaler begin, as long as it leaves twice the size.
  ///
  /// Both need one still picture in `fit` or `stretch`, in its own colors, with samples of 8 or 16 bits. Pages that are sizes of one
  /// picture differ in more than their size, and are left alone.
  struct LargerPicture {
    private let output: DecodeOptions.Output

    /// Nil if a picture of this kind is never made of another one.
    init?(_ output: DecodeOptions.Output) {
      guard output.size == .own || output.size.box != nil, output.size.mode != .fill, output.memoryBudget == nil,
        output.color == .asStored,
        output.gainMap == .ignored, !output.linearLight, output.appliesOrientation
      else { return nil }
      self.output = output
    }

    /// The best of some pictures that differ in their box alone, and the size that it has to get.
    func choice(among pictures: [Picture]) -> (Picture, Size)? {
      var best: (Picture, Size)?
      for picture in pictures {
        guard let full = picture.fullSize, isUsable(picture) else { continue }
        let wanted = Fit.plan(displayed: full, box: output.size.box, mode: output.size.mode).size
        let size = picture.loaded.image.size
        if size == wanted { return (picture, wanted) }
        guard size.width >= 2 * wanted.width, size.height >= 2 * wanted.height else { continue }
        // The smallest that is large enough costs least.
        if best.map({ size.pixelCount < $0.0.loaded.image.size.pixelCount }) ?? true { best = (picture, wanted) }
      }
      return best
    }

    private func isUsable(_ picture: Picture) -> Bool {
      let image = picture.loaded.image
      return image.frames.count == 1 && image.problem == nil && image.header?.isScalable != true
        && image.orientation == .up
        && image.pixels.format != .rgbaFloat16 && image.pixels.format != .rgbaFloat32
    }
  }

  extension Picture {
    /// The same picture in a smaller size, made on a thread of the library.
    func resampled(to size: Size) async throws(CoderError) -> Picture {
      guard size != loaded.image.size else { return self }
      var result = self
      let pixels = loaded.image.pixels
      let smaller = try await WorkQueue.shared.value(Cancellation(), kind: .continues) { () throws(CoderError) in
        try pixels.resampled(to: size)
      }
      result.loaded.image.frames[0].pixels = smaller
      return result
    }
  }
#endif
