// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCaching
  import ImageCoderEngine
  import ImageCoderModel
  import ImageCoders

  extension ImageRequest {
    /// Names the size that is wanted; empty for that of the file.
    ///
    /// - Parameter drawing: The header of the file if it is known to be a drawing: all names of the same pixels are equal then.
    func sizeWord(drawing: ImageHeader? = nil) -> String {
      switch output.size {
      case .own: return ""
      case .fitting(let box, _): return "size=\(box.width)x\(box.height)"
      case .scaled(let factor):
        return drawn(drawing) ?? "scaled=\(factor)"
      case .resolution(let resolution):
        return drawn(drawing) ?? "resolution=\(resolution)"
      }
    }

    private func drawn(_ drawing: ImageHeader?) -> String? {
      drawing?.pixels(drawnAt: output.size, part: output.part, isUpright: output.appliesOrientation)
        .map { "drawn=\($0)" }
    }

    /// Names what is decoded, with every value that the pixels depend on: equal texts are equal pictures of the same bytes.
    ///
    /// It begins with the word of the size.
    func decodingText(_ options: ImageLoader.Options, _ registry: CoderRegistry, includingBox: Bool = true) -> String {
      var words: [String] = []
      if output.size != .own, includingBox || output.size.box == nil { words.append(sizeWord()) }
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
      words += registry.keyWords(output.values, of: nil)
      for (format, values) in output.formatValues.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        words += registry.keyWords(values, of: format)
      }
      if let siblings = output.siblings { words.append("siblings=\(siblings)") }
      // Whether a picture is decoded at all.
      if let limits, limits != options.limits { words.append("limits=\(limits)") }
      if let allowedFormats, allowedFormats != options.allowedFormats {
        words.append("formats=" + allowedFormats.map(\.rawValue).sorted().joined(separator: ","))
      }
      return words.joined(separator: " ")
    }

    /// Whether the file is opened with a password or the like: what comes out is not kept on disk.
    func hasSecret(_ registry: CoderRegistry) -> Bool {
      ([output.values] + output.formatValues.values).contains { $0.keys.contains(where: registry.isSecret) }
    }

    func decodeOptions(_ options: ImageLoader.Options) -> DecodeOptions {
      var result = DecodeOptions(
        limits: limits ?? options.limits, allowedFormats: allowedFormats ?? options.allowedFormats)
      result.output = output
      return result
    }
  }

  extension CoderRegistry {
    /// Words of a key for values of options, in the order of their names. Values that are the default of each coder that has
    /// the option are left out; of secrets a digest counts that only this process can make.
    fileprivate func keyWords(_ values: [String: OptionValue], of format: ImageFormat?) -> [String] {
      values.sorted { $0.key < $1.key }.compactMap { name, value in
        let known = readOptions(named: name)
        let checked = known.map { option in try? option.checked(value) }
        if !known.isEmpty, zip(known, checked).allSatisfy({ $1.map($0.isDefault) ?? false }) { return nil }
        let same = checked.first.flatMap { first in checked.allSatisfy { $0 == first } ? first : nil }
        let text: String
        switch same ?? value {
        case .word(let word) where isSecret(readOption: name): text = CacheKey("\(name)\n\(word)").digits
        case .word(let word): text = word.onOneWord
        case let value: text = "\(value)"
        }
        return (format.map { "\($0):" } ?? "") + "\(name)=\(text)"
      }
    }
  }

  extension String {
    /// Without spaces and ends of lines, which are between the words of a key.
    fileprivate var onOneWord: String {
      unicodeScalars.map { $0.value <= 0x20 || $0 == "\\" ? "\\\($0.value);" : "\($0)" }.joined()
    }
  }
#endif
