// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// What a page is: a picture or a sequence that libavif decodes, or a picture that is derived from several.
enum ShownPicture {
  case coded(OpenedFile)
  case derived(AVIFFile, DerivedPicture)

  /// - Parameters:
  ///   - isIncremental: Whether to wait for the boxes alone, where they come before the pixels.
  ///   - isHeaderOnly: Whether the first bytes are enough, where they tell all.
  init(
    _ source: SourceView, isIncremental: Bool = false, isHeaderOnly: Bool = false, host: CoderHost
  ) throws(CoderError) {
    if isHeaderOnly, !isIncremental, let file = try AVIFFile(headerOf: source),
      let open = try? OpenedFile(file, host: host), !open.needsPicture
    {
      self = .coded(open)
      return
    }
    if isIncremental {
      do throws(CoderError) {
        if let file = try AVIFFile(incremental: source) {
          self = .coded(try OpenedFile(file, host: host))
          return
        }
      } catch {
        // Only the last byte tells whether the error is due to missing bytes; the brands tell at once whose file it is.
        guard error.code != .wrongFormat else { throw error }
      }
    }
    self = try Self.whole(try AVIFFile(parsing: FileBytes(whole: try source.contents())), host: host)
  }

  /// What a file shows of which all bytes are there: its sequence, or its still where the sequence cannot be read.
  private static func whole(_ file: AVIFFile, host: CoderHost) throws(CoderError) -> ShownPicture {
    do throws(CoderError) {
      let shown = try ShownPicture(file, host: host)
      if case .coded(let open) = shown, file.isSequence { try open.checkStart(host) }
      return shown
    } catch {
      guard [.malformed, .unsupported, .truncated].contains(error.code), let still = file.stillBesides,
        let shown = try? ShownPicture(still, host: host)
      else { throw error }
      host.log("the image sequence is passed over: \(error.message)", severity: .warning)
      return shown
    }
  }

  init(_ file: AVIFFile, host: CoderHost) throws(CoderError) {
    self =
      file.isDerived
      ? .derived(file, try DerivedPicture(file, host: host)) : .coded(try OpenedFile(file, host: host))
  }

  var file: AVIFFile {
    switch self {
    case .coded(let open): open.file
    case .derived(let file, _): file
    }
  }
}
