// SPDX-License-Identifier: Apache-2.0

/// The name of an image format: a uniform type identifier, `public.png`.
///
/// A string and not a closed list, because formats come with plugins.
public struct ImageFormat: RawRepresentable, Sendable, Hashable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public static let png = ImageFormat(rawValue: "public.png")
  public static let jpeg = ImageFormat(rawValue: "public.jpeg")
  public static let gif = ImageFormat(rawValue: "com.compuserve.gif")
  public static let webP = ImageFormat(rawValue: "org.webmproject.webp")
}

extension ImageFormat: CustomStringConvertible {
  public var description: String { rawValue }
}
