// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderEngine
  import ImageCoderModel

  extension ImageRequest {
    /// Names what is decoded, with every value that the pixels depend on: equal texts are equal pictures of the same bytes.
    ///
    /// - Parameter includingSize: Without it, the same for pictures that differ in their box alone.
    func decodingText(_ options: ImageLoader.Options, includingSize: Bool = true) -> String {
      var words: [String] = []
      switch output.size {
      case .own: break
      case .fitting(let box, _): if includingSize { words.append("size=\(box.width)x\(box.height)") }
      case .scaled(let factor): words.append("scaled=\(factor)")
      case .resolution(let resolution): words.append("resolution=\(resolution)")
      }
      words.append("mode=\(output.size.mode)")
      if let part = output.part { words.append("part=\(part.width)x\(part.height)+\(part.x)+\(part.y)") }
      if output.thumbnailQuality != .exact { words.append("quality=\(output.thumbnailQuality)") }
      if output.firstFrameOnly { words.append("first-frame") }
      words.append("parts=\(output.zeroDelayFrames)")
      words.append("scale=\(output.scale)")
      if let budget = output.memoryBudget { words.append("budget=\(budget)") }
      if let format = output.pixelFormat { words.append("format=\(format)") }
      words.append("alpha=\(output.alpha)")
      if output.squaresPixels { words.append("square-pixels") }
      if !output.appliesOrientation { words.append("as-stored-orientation") }
      if let page = output.page { words.append("page=\(page)") }
      if output.color != .asStored { words.append("color=\(output.color)") }
      if output.gainMap != .ignored { words.append("gain-map=\(output.gainMap)") }
      if output.linearLight { words.append("linear-light") }
      words.append("metadata=" + output.metadata.map { "\($0)" }.sorted().joined(separator: ","))
      if output.isStrict { words.append("strict") }
      // Whether a picture is decoded at all.
      if let limits, limits != options.limits { words.append("limits=\(limits)") }
      if let allowedFormats, allowedFormats != options.allowedFormats {
        words.append("formats=" + allowedFormats.map(\.rawValue).sorted().joined(separator: ","))
      }
      return words.joined(separator: " ")
    }

    func decodeOptions(_ options: ImageLoader.Options) -> DecodeOptions {
      var result = DecodeOptions(
        limits: limits ?? options.limits, allowedFormats: allowedFormats ?? options.allowedFormats)
      result.output = output
      return result
    }
  }
#endif
