// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

extension CoderRegistry {
  /// Makes a motion photo of a file: the video after its pictures, and what says so in XMP.
  ///
  /// - Parameter edit: What else is changed, before.
  func attachVideo(
    _ video: [UInt8], to source: ByteSource, _ edit: MetadataEdit, reading: DecodeOptions, coder id: String?
  ) throws(CoderError) -> EncodedFile {
    guard MotionPhoto.video(in: video) == 0..<video.count else {
      throw .invalidArgument(
        "a video of \(video.count) bytes that is no MP4 or QuickTime file, or goes on after its end")
    }
    var (source, rest) = (try rereadable(source, reading), edit)
    rest.video = nil
    var changes: [FactChange] = []
    if !rest.isEmpty {
      let edited = try editMetadata(source, rest, reading: reading, coder: id)
      (source, changes) = (.bytes(edited.bytes), edited.changes)
    }
    let attached = try apply(.attachVideo(video), to: source, reading: reading, coder: id)
    guard let bytes = attached.file?.bytes else { throw .libraryFailure("\(attached.coder) gives no file") }
    let decoder = try open(.bytes(bytes), options: reading)
    let format = decoder.header.format
    var edits = MetadataBlockEdits()
    edits.replace(
      .xmp,
      with: try MotionPhoto.packet(
        try decoder.metadata(.xmp), video: video, format: format, keepsItems: format == .jpeg))
    if decoder.header.metadata.contains(.c2pa) {
      edits.removed.insert(.c2pa)
      let change = FactChange(
        .credentials, .dropped, because: "content credentials sign the bytes of the file, which were changed")
      if reading.isStrict { throw .unsupported("\(change.message); with strict options that is an error") }
      reading.log?(.warning, change.message)
      changes.append(change)
    }
    var file = try apply(.editMetadata(edits), to: .bytes(bytes), reading: reading, coder: id).file
    guard try file.map({ (file) throws(CoderError) in try isMotionPhoto(file.bytes, with: video, reading) }) ?? false
    else { throw .libraryFailure("the new file does not have the video") }
    file?.changes = changes
    return file ?? EncodedFile(format: format, bytes: [], byteCount: 0)
  }

  /// The coder may come from elsewhere.
  private func isMotionPhoto(
    _ bytes: [UInt8], with video: [UInt8], _ reading: DecodeOptions
  ) throws(CoderError) -> Bool {
    let decoder = try open(.bytes(bytes), options: reading)
    guard try decoder.metadata(.trailer) == video else { return false }
    return MotionPhoto.isStated(inFile: try decoder.properties())
  }
}
