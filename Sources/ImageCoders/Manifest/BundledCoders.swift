// SPDX-License-Identifier: Apache-2.0

/// The coders that come with this library.
enum BundledCoders {
  /// Whether an identifier is one of theirs. Nothing keeps another plugin from having such an identifier.
  static func contains(_ id: String) -> Bool { id.hasPrefix("org.imagecoders.") }
}
