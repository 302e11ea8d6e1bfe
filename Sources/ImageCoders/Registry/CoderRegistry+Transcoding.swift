// SPDX-License-Identifier: Apache-2.0

public import ImageCoderCore

extension CoderRegistry {
  /// A file of another format that holds exactly what a file holds, made without decoding its pixels.
  ///
  /// JPEG XL keeps JPEG files so, at less than their size, and gives them back byte for byte.
  ///
  /// - Returns: The new file's bytes, or nil when no coder can carry this file over without loss.
  /// - Throws: ``CoderError`` for a file that is damaged, too large, or cannot be read.
  public func transcode(
    _ source: ByteSource, to format: ImageFormat, options: EncodeOptions = EncodeOptions()
  ) throws(CoderError) -> [UInt8]? {
    let open = try OpenSource(source, limits: options.limits)
    let pairs = catalog.entries.filter { $0.reason == nil }.compactMap(\.manifest).flatMap { manifest in
      manifest.transcodes.filter { $0.to == format }.map { (id: manifest.id, from: $0.from) }
    }
    guard !pairs.isEmpty else { return nil }
    // The header says what the file really is; a pair for another format is none for this one.
    let found = try self.open(source).header.format
    for pair in pairs where pair.from == found {
      do throws(CoderError) {
        guard let container = (try coder(pair.id) as? AnimatedCoder)?.container else { continue }
        let session = HostSession(
          source: open, limits: options.limits, cancellation: options.cancellation, log: options.log)
        return try session.output { (output) throws(CoderError) in
          try container.transcode(session, from: found, to: format, output: output)
        }
      } catch {
        guard error.allowsFallback else { throw error.attributed(to: pair.id) }
        options.log?(.info, "\(pair.id) does not carry the file over: \(error.message)")
      }
    }
    return nil
  }
}
