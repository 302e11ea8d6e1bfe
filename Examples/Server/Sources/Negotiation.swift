// SPDX-License-Identifier: Apache-2.0

import ImageCodersBuiltIn

/// Which format a client gets that names none, by its `Accept` (RFC 9110 §12.5.1).
enum Negotiation {
  /// AVIF, then WebP, where the client names them: `*/*` is what programs send that show neither. Then JPEG, or PNG for a
  /// picture with alpha.
  static func format(accepting accept: String?, hasAlpha: Bool, writable: (ImageFormat) -> Bool) -> ImageFormat {
    let weights = weights(accept ?? "")
    for (type, format) in [("image/avif", ImageFormat.avif), ("image/webp", .webP)]
    where weights[type] ?? 0 > 0 && writable(format) {
      return format
    }
    return hasAlpha ? .png : .jpeg
  }

  /// The quality of each type that is named; 0 means that it is refused.
  static func weights(_ accept: String) -> [String: Double] {
    var weights: [String: Double] = [:]
    for part in accept.split(separator: ",") {
      let words = part.split(separator: ";").map { String($0.filter { $0 != " " && $0 != "\t" }).lowercased() }
      guard let type = words.first else { continue }
      let quality = words.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      weights[type] = quality
    }
    return weights
  }
}
