// SPDX-License-Identifier: Apache-2.0

package import CImageCoder
package import ImageCoderModel

extension HostSession {
  /// What a coder says of a call that fails, in numbers of the plugin interface.
  package struct Failure {
    package let error: CoderError

    /// - Parameters:
    ///   - message: One line.
    ///   - offset: In the source; negative for none.
    ///   - limit: `IMGCODER_LIMIT_*`; 0 if the coder does not say it.
    ///   - found: What the file needs of the limit; 0 if the coder does not say it.
    package init(
      _ status: imgcoder_status, _ message: String, offset: Int64, limit: UInt32 = 0, found: UInt64 = 0,
      allowed: UInt64 = 0
    ) {
      let code = CoderError.Code(rawValue: status)
      let isLimit = code == .limitExceeded
      let isMeasured = isLimit && limit != 0 && found != 0
      error = CoderError(
        code: code, message: message, offset: offset < 0 ? nil : Int(offset),
        limit: isLimit ? Limits.Name(number: limit) ?? Self.limit(namedIn: message) : nil,
        found: isMeasured ? Int(clamping: found) : nil, allowed: isMeasured ? Int(clamping: allowed) : nil)
    }

    /// The limit that a plugin's sentence names, as `imgcoder_limits` or as ``Limits`` spells it.
    ///
    /// Only for plugins that report a limit through `fail`, and so do not say it as data. No other code reads sentences.
    private static func limit(namedIn sentence: String) -> Limits.Name? {
      Limits.table.first { $0.number != 0 && (sentence.has($0.field) || sentence.has($0.name.rawValue)) }?.name
    }
  }
}
