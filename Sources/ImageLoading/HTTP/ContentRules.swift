// SPDX-License-Identifier: Apache-2.0
#if Loading
  public import HTTPTypes

  /// Which answers are no pictures, as far as their headers tell. What they do not tell, the first bytes do.
  public enum ContentRules {
    /// Why an answer carries no picture, or nil if it may.
    ///
    /// Refused are HTML, XML, JSON, scripts, style sheets, sound, films, fonts and archives. `text/plain`,
    /// `application/octet-stream` and no type at all are what servers say of files that they do not know, pictures of new
    /// formats among them: these may be pictures.
    public static func refusal(_ headers: HTTPFields) -> String? {
      guard let text = headers[.contentType] else { return nil }
      let type = String(text.prefix { $0 != ";" && $0 != "," }.filter { $0 != " " }).lowercased()
      let group = type.prefix { $0 != "/" }
      let isRefused =
        switch group {
        case "text": type != "text/plain"
        case "audio", "video", "font", "model", "message", "multipart": true
        case "application":
          ["json", "javascript", "xml", "zip", "gzip", "x-javascript", "wasm"].contains(String(type.dropFirst(12)))
            || type.hasSuffix("+json") || type.hasSuffix("+xml") || type.hasSuffix("+zip")
        default: false
        }
      return isRefused ? "content of the type \(type.prefix(60))" : nil
    }
  }
#endif
