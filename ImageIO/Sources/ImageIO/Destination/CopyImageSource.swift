// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import CoreGraphics
  public import Foundation
  import ImageCodersBuiltIn

  /// Copies a file with other metadata; pixels stay as they are stored. The destination is finished by it.
  ///
  /// - Parameters:
  ///   - options: `kCGImageDestinationMetadata` replaces all metadata, or with `kCGImageDestinationMergeMetadata` goes over them;
  ///     a tag whose value is `kCFNull` takes one out. `kCGImageDestinationDateTime` and `kCGImageDestinationOrientation` set these
  ///     alone, and may not stand beside metadata. `kCGImageMetadataShouldExcludeGPS`, `kCGImageMetadataShouldExcludeXMP`.
  ///   - error: Set where false is returned: `unsupportedFormat` for types that differ and for formats whose metadata are not
  ///     edited, `badArgument`, `conflictingArguments`.
  @discardableResult
  public func CGImageDestinationCopyImageSource(
    _ destination: CGImageDestination, _ source: CGImageSource, _ options: CFDictionary?,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
  ) -> Bool {
    guard !destination.isDone, destination.items.isEmpty else {
      fail(.badArgument, "the destination is finished, or has pictures", to: error)
      return false
    }
    destination.isDone = true
    guard source.type == destination.format, source.isFinal, let contents = source.contents else {
      fail(.unsupportedFormat, "a copy has the type of its source, \(source.type?.rawValue ?? "none")", to: error)
      return false
    }
    let options = options ?? [:]
    let metadata = options.object(forKey: kCGImageDestinationMetadata) as? CGImageMetadata
    let changesOne =
      options.object(forKey: kCGImageDestinationDateTime) != nil
      || options.object(forKey: kCGImageDestinationOrientation) != nil
    guard metadata == nil || !changesOne else {
      fail(.conflictingArguments, "a date or an orientation beside metadata", to: error)
      return false
    }
    var first = MetadataEdit()
    if options.flag(kCGImageMetadataShouldExcludeGPS) == true { first.removed.insert(.gps) }
    if options.flag(kCGImageMetadataShouldExcludeXMP) == true { first.removed.insert(.xmp) }
    if let value = options.object(forKey: kCGImageDestinationOrientation) {
      guard let orientation = number(value), (1...8).contains(orientation) else {
        fail(.badArgument, "an orientation is 1 to 8", to: error)
        return false
      }
      first.values["{TIFF}", "Orientation"] = .integer(Int64(orientation))
    }
    if let value = options.object(forKey: kCGImageDestinationDateTime) {
      guard let date = dateText(value) else {
        fail(.badArgument, "a date is a CFDate, or text as Exif or ISO 8601 have it", to: error)
        return false
      }
      first.values["{TIFF}", "DateTime"] = .text(date)
      first.values["{Exif}", "DateTimeOriginal"] = .text(date)
      first.values["{Exif}", "DateTimeDigitized"] = .text(date)
    }
    let merges = options.flag(kCGImageDestinationMergeMetadata) ?? false
    if metadata != nil, !merges { first.removed.formUnion([.exif, .iptc, .xmp]) }
    do throws(CoderError) {
      var file = [UInt8](contents)
      if !first.isEmpty { file = try Coders.registry.editMetadata(.bytes(file), first).bytes }
      if let metadata { file = try MetadataWriting.apply(merges ? merged(metadata, source) : metadata, to: file) }
      guard destination.write(Data(file)) else {
        fail(.unknown, "the bytes cannot be written", to: error)
        return false
      }
      return true
    } catch let problem {
      let code: CGImageMetadataErrors =
        switch problem.code {
        case .unsupported, .noCoder: .unsupportedFormat
        case .invalidArgument: .badArgument
        default: .unknown
        }
      fail(code, problem.description, to: error)
      return false
    }
  }

  /// The source's own tags of XMP, and the caller's over them.
  private func merged(_ metadata: CGImageMetadata, _ source: CGImageSource) -> CGImageMetadata {
    let packet = source.lock.withLock { try? source.decoder?.metadata(.xmp) }
    let result = CGImageMetadata(packet.flatMap { try? XMPPacket($0) } ?? XMPPacket())
    for node in metadata.nodes { _ = result.put(node, at: [node.step]) }
    return result
  }

  /// `2024:05:01 10:07:05` of any way to say it; nil for something else.
  private func dateText(_ value: Any) -> String? {
    if let date = value as? Date { return exifDate(date) }
    guard let text = value as? String, text.utf8.count >= 19 else { return nil }
    var letters = Array(text.prefix(19))
    for place in [4, 7] where letters[place] == "-" { letters[place] = ":" }
    if letters[10] == "T" { letters[10] = " " }
    let isDate = letters.indices.allSatisfy { place in
      switch place {
      case 4, 7, 13, 16: letters[place] == ":"
      case 10: letters[place] == " "
      default: letters[place].isASCII && letters[place].isNumber
      }
    }
    return isDate ? String(letters) : nil
  }
#endif
