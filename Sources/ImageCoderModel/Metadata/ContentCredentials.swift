// SPDX-License-Identifier: Apache-2.0

/// A manifest store of C2PA: the JUMBF box that ``MetadataKind/c2pa`` stands for.
///
/// - Format: C2PA Technical Specification 2.1 §11.1.4 and Annex A; ISO/IEC 19566-5 §A.3.
public enum ContentCredentials {
  /// Whether a box is a manifest store: its description has the type of one.
  ///
  /// - Parameter box: From the length of the box on; 48 bytes of it are enough.
  public static func isStore(_ box: RawSpan) -> Bool {
    let reader = ByteReader(box)
    guard reader.has("jumb", at: 4), let length = try? reader.uint32(at: 0) else { return false }
    let description = length == 1 ? 16 : 8
    // The type is the UUID 63327061-0011-0010-8000-00AA00389B71.
    return reader.has("jumdc2pa", at: description + 4)
      && reader.has("\u{0}\u{11}\u{0}\u{10}", at: description + 12)
  }
}
