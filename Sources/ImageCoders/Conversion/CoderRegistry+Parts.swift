// SPDX-License-Identifier: Apache-2.0

package import ImageCoderEngine
import ImageCoderModel

extension CoderRegistry {
  /// What a file carries beside its picture, the JPEG file that a JPEG XL stores among it.
  ///
  /// - Parameter source: That of the decoder; it is read again.
  package func parts(of decoder: ImageDecoder, in source: ByteSource, _ reading: DecodeOptions) -> [FilePart] {
    decoder.parts() + storedParts(of: decoder, in: source, reading)
  }

  private func storedParts(of decoder: ImageDecoder, in source: ByteSource, _ reading: DecodeOptions) -> [FilePart] {
    guard decoder.header.format == .jpegXL else { return [] }
    let restored = Result { () throws(CoderError) in
      try apply(.transcode, to: source, as: .jpeg, reading: DecodeOptions(limits: reading.limits)).file?.bytes
    }
    guard let bytes = (try? restored.get()) ?? nil else { return [] }
    return [FilePart(.storedJPEG, .bytes(bytes), suffix: "jpg", note: "restored byte for byte")]
  }

  /// A part as the bytes of a file: a picture that is none by itself is written as PNG, with its profile.
  ///
  /// - Throws: What its coder throws.
  package func file(
    of part: FilePart, in decoder: ImageDecoder, cancellation: Cancellation?
  ) throws(CoderError) -> [UInt8] {
    switch part.content {
    case .bytes(let bytes): return bytes
    case .words: return Array(part.note.utf8)
    case .page(let index, _):
      var image = try decoder.picture(ofPart: index).image()
      image.metadata = image.metadata.filter { $0.key == .icc }
      var options = EncodeOptions()
      options.cancellation = cancellation
      return try encode(image, as: .png, options: options)
    }
  }
}

extension ImageDecoder {
  /// A decoder of a part's page, visible or hidden.
  package func picture(ofPart index: Int) throws(CoderError) -> ImageDecoder {
    let isHidden = index >= header.pageCount
    guard isHidden, let picture = try auxiliaryPictures().first(where: { $0.page == index }) else {
      return try page(index)
    }
    return try auxiliaryDecoder(picture)
  }
}
