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
    try self.init(try AVIFFile(parsing: FileBytes(whole: try source.contents())), host: host)
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
