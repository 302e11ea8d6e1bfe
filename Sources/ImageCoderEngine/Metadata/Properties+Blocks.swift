// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

extension Properties {
  /// What blocks of metadata say.
  ///
  /// - Parameter payload: A block, or nil for one that is not there.
  package init(describing payload: (MetadataKind) -> [UInt8]?, iptc: [UInt8]?) {
    self.init()
    if let iptc { self = IPTCProperties(iptc).properties }
    // What XMP says too is newer, or the same.
    if let xmp = payload(.xmp) { merge(XMPProperties.read(xmp)) }
    if let exif = payload(.exif) { merge(ExifProperties.read(exif.span.bytes)) }
    if let profile = payload(.icc), let name = ICCProfile.name(of: profile.span.bytes) {
      self["ProfileName"] = .text(name)
    }
  }
}
