// SPDX-License-Identifier: Apache-2.0

package import ImageCoders

/// What became of a file whose bytes arrived in pieces, and what was to be seen on the way.
///
package struct ChunkedDecode {
  /// What `finish()` gave.
  package let outcome: Result<Image, CoderError>
  /// The bytes that were there before the piece with which the header came, and those with it; nil when it came with the
  /// end, or not at all.
  package private(set) var header: (before: Int, with: Int)?
  /// The header at the end.
  package let lastHeader: ImageHeader?
  package let status: IncrementalStatus
  package var rows = FinalRows()

  /// Lets the bytes arrive.
  ///
  /// - Parameter looks: How often at most final rows are held against what they were: each time the picture is copied.
  ///   0 for a picture that is turned or made smaller: rows are counted as they are stored.
  package init(
    of bytes: UnsafeRawBufferPointer, in chunking: Chunking, to decoder: IncrementalDecoder, looks: Int = 64
  ) {
    var chunking = chunking
    var offset = 0
    var nextLook = 0
    var seen = (framesComplete: 0, finalRows: 0)
    var early: CoderError?
    while offset < bytes.count, early == nil {
      let size = chunking.next(left: bytes.count - offset, of: bytes.count)
      do throws(CoderError) {
        try decoder.append(UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + size)]))
      } catch {
        early = error
      }
      offset += size
      if header == nil, decoder.header != nil { header = (offset - size, offset) }
      guard looks > 0, header != nil, offset >= nextLook else { continue }
      let state = decoder.progress
      let progress = (framesComplete: state.framesComplete, finalRows: state.finalRows)
      guard progress != seen else { continue }
      if progress.framesComplete < seen.framesComplete {
        rows.complain("\(seen.framesComplete) frames were complete, now \(progress.framesComplete) are")
      }
      seen = progress
      nextLook = offset + bytes.count / looks
      do throws(CoderError) {
        if let picture = try decoder.picture() { rows.look(at: picture, progress) }
      } catch {
        rows.complain("no picture of what is there: \(error)")
      }
    }
    outcome = Result { () throws(CoderError) in try decoder.finish() }
    lastHeader = decoder.header
    status = decoder.status
    switch (outcome, early) {
    case (.success, let early?): rows.complain("append says \(early), finish gives an image")
    case (.failure(let error), let early?) where error != early:
      rows.complain("append says \(early), finish says \(error)")
    case (.success(let image), nil): rows.compare(with: image)
    default: break
    }
  }
}
