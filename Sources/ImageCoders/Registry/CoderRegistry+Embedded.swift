// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

// Files that are pages of other files.
extension CoderRegistry {
  var embeddedFileOpener: EmbeddedFileOpener {
    { (context) throws(CoderError) in try self.openEmbedded(context) }
  }

  /// Opens a file that is a page of another one.
  func openEmbedded(_ context: DecodeContext) throws(CoderError) -> ImageDecoder {
    let (source, allowed) = (context.source, context.options.allowedFormats)
    while !source.isComplete, let needed = try bytesNeededToChoose(source, allowed) {
      _ = try source.view(at: 0, least: needed, most: needed)
    }
    let policy = policy
    return try choose(source, options: context.options, coder: nil, explain: nil) {
      (coder, formats) throws(CoderError) in
      var restricted = context
      restricted.options.limits = policy.limits(context.options.limits, for: formats).limits
      return try coder.makeDecoder(restricted)
    }
  }
}
