// SPDX-License-Identifier: Apache-2.0

import CDe265
import CHEIFShim
import HEVCBitstream
import ImageCoderPlugin

/// Decodes the pictures of a track, in any order.
///
/// The decoder stays where it is, so that the next frame goes on from there. Any other frame starts afresh at the sync
/// sample that it is decoded from; a run from one sync sample makes the same steps whatever is asked for, so a frame
/// comes out the same however it is reached.
///
/// - Library: libde265 1.0.9 or later, without threads.
/// - Threads: One at a time, as the session.
final class SequenceDecoder {
  private let source: SourceView
  private let host: CoderHost
  private var track: PictureTrack
  private var trustsSyncSamples = true
  private let memory: PictureMemory
  /// The sample up to which frames may be shown without starting afresh, and the state of the run.
  private var run: Run?

  /// Decoding from one sync sample on.
  private struct Run {
    let decoder: UnsafeMutableRawPointer
    let start: Int
    /// The sample that comes next.
    var next: Int
    /// Whether a picture's slices are decoded, and it is not complete.
    var isOpen = false
    /// Whether the decoder knows that nothing follows.
    var isFlushed = false
    /// The last frame that was let go.
    var passed = -1
    var references = ReferenceTracker()
    /// The first sample of which something could not be decoded, and why.
    var damage: (sample: Int, text: String)?
    /// Steps that brought nothing, one after the other.
    var idleSteps = 0
  }

  init(_ track: PictureTrack, sequence: SequenceParameters, source: SourceView, host: CoderHost) throws(CoderError) {
    guard heif_keep_tables() != 0 else { throw .libraryFailure("libde265 cannot be initialized") }
    self.track = track
    self.source = source
    self.host = host
    memory = PictureMemory(host: host, sequence: sequence)
  }

  deinit { stop() }

  /// Decodes a frame.
  ///
  /// What libde265 leaves out of a damaged picture is whatever its memory held before, so such a picture is no picture.
  ///
  /// - Returns: A picture of libde265, valid until the next one is asked for.
  /// - Throws: ``CoderError/Code/malformed`` when the bitstream has no such picture, or it is damaged, or one before it
  ///   is that it may refer to.
  func picture(of frame: Int) throws(CoderError) -> OpaquePointer {
    var start = track.order.start(of: frame)
    if run?.start != start || (run?.passed ?? frame) >= frame {
      if trustsSyncSamples, start > 0, try !track.isRandomAccess(start, in: source) {
        trustsSyncSamples = false
        try track.correctSyncSamples(from: source)
        start = track.order.start(of: frame)
      }
      // A run that has not come to its end, where it was too early, has made the same steps as a longer one.
      let goesOn = run.map { $0.start == start && $0.passed < frame && !$0.isFlushed } ?? false
      if !goesOn { try begin(at: start) }
    }
    do throws(CoderError) {
      return try seek(frame)
    } catch {
      // What was cancelled, or failed for want of memory, left the decoder somewhere in a step.
      if error.code != .malformed { stop() }
      throw error
    }
  }

  private func seek(_ frame: Int) throws(CoderError) -> OpaquePointer {
    let wanted = track.order.sample(of: frame)
    while var current = run {
      if host.isCancelled { throw .cancelled }
      if let failure = memory.takeFailure() { throw failure }
      if let image = de265_peek_next_picture(current.decoder) {
        let sample = Int(de265_get_image_PTS(image))
        // The bitstream's order counts within a run; a picture that the container shows earlier is passed over.
        let found = track.order.frame(of: sample) ?? -1
        if found == frame {
          try checkDamage(of: sample, in: current)
          return image
        }
        guard found < frame else { break }
        de265_release_next_picture(current.decoder)
        current.passed = max(current.passed, found)
        run = current
        continue
      }
      guard try advance(&current) else { break }
      run = current
    }
    if let failure = memory.takeFailure() { throw failure }
    throw .malformed(
      "frame \(frame) does not come out of the bitstream" + (run?.damage.map { ": \($0.text)" } ?? ""),
      at: track.samples[wanted].offset)
  }

  /// Damage stays in all pictures that are decoded after it, because they may refer to it.
  private func checkDamage(of sample: Int, in run: Run) throws(CoderError) {
    guard let damage = run.damage, damage.sample <= sample else { return }
    throw .malformed("sample \(damage.sample) is damaged: \(damage.text)", at: track.samples[damage.sample].offset)
  }

  /// Makes one step.
  ///
  /// - Returns: Whether another step may bring a picture.
  private func advance(_ run: inout Run) throws(CoderError) -> Bool {
    let pending = de265_get_number_of_NAL_units_pending(run.decoder)
    if pending == 0, !run.isFlushed {
      if run.isOpen {
        endPicture(in: &run)
      } else if run.damage == nil, run.next < track.order.end(of: run.start) {
        // After damage nothing counts, so what is there already is all that comes.
        try beginPicture(in: &run)
        return true
      } else {
        _ = de265_flush_data(run.decoder)
        run.isFlushed = true
      }
    }
    var more: Int32 = 0
    let status = de265_decode(run.decoder, &more)
    note(status, in: &run)
    while true {
      let warning = de265_get_warning(run.decoder)
      if warning == DE265_OK { break }
      note(warning, in: &run)
    }
    let left = de265_get_number_of_NAL_units_pending(run.decoder)
    // A full buffer of pictures that nobody waits for, or a decoder that does nothing: it does not go on.
    run.idleSteps = left < pending || pending == 0 && !run.isFlushed ? 0 : run.idleSteps + 1
    guard run.idleSteps < 64 else { return false }
    return left > 0 || !run.isFlushed || more != 0
  }

  /// Shows the next sample to the decoder.
  ///
  /// While its slices are decoded, libde265 believes that there is no sample adaptive offset: only then does it take the
  /// picture's memory from ``PictureMemory``. The filter runs when the picture is complete, and by then it is on.
  private func beginPicture(in run: inout Run) throws(CoderError) {
    de265_set_parameter_bool(run.decoder, DE265_DECODER_PARAM_DISABLE_SAO, 1)
    run.isOpen = try push(run.next, in: &run)
    run.next += 1
  }

  /// Says that the picture is complete. The one call of de265_decode that follows filters it; another one would take
  /// all pictures that wait for their turn to be shown.
  private func endPicture(in run: inout Run) {
    de265_set_parameter_bool(run.decoder, DE265_DECODER_PARAM_DISABLE_SAO, 0)
    de265_push_end_of_frame(run.decoder)
    run.isOpen = false
  }

  private func note(_ status: de265_error, in run: inout Run) {
    guard run.damage == nil, !LibDe265.isHarmless(status) else { return }
    run.damage = (max(run.start, run.next - 1), "libde265 says \(LibDe265.text(of: status))")
  }

  /// Shows a sample's slices to the decoder, and nothing else: messages and delimiters change no pixel, and parameter
  /// sets are those of the sample entry.
  ///
  /// - Returns: Whether it has been shown any.
  private func push(_ index: Int, in run: inout Run) throws(CoderError) -> Bool {
    let sample = track.samples[index]
    let bytes = try source.bytes(at: sample.offset, count: sample.size)
    guard bytes.byteCount == sample.size else {
      throw .truncated("a sample needs \(sample.size) bytes, \(bytes.byteCount) are there", at: source.size)
    }
    do throws(CoderError) {
      guard try check(bytes, references: &run.references) == .decoded else { return false }
    } catch {
      run.damage = (index, error.message)
      return false
    }
    var places = NALUnitPlaces(lengthBytes: track.configuration.lengthBytes)
    while let place = try places.next(in: bytes) {
      let unit = bytes.extracting(place)
      guard let type = NALUnit.type(of: unit), NALUnitType.isSlice(type), let count = Int32(exactly: unit.byteCount)
      else { continue }
      unit.withUnsafeBytes { _ = de265_push_NAL(run.decoder, $0.baseAddress, count, de265_PTS(index), nil) }
    }
    return true
  }

  /// Holds a sample to what a sample has to be: one picture that refers to pictures that are there.
  private func check(
    _ sample: RawSpan, references: inout ReferenceTracker
  ) throws(CoderError) -> ReferenceTracker.Fate {
    let configuration = track.configuration
    var first: (place: Range<Int>, type: UInt8)?
    var places = NALUnitPlaces(lengthBytes: configuration.lengthBytes)
    while let place = try places.next(in: sample) {
      let unit = sample.extracting(place)
      guard let type = NALUnit.type(of: unit) else { continue }
      if NALUnitType.isSlice(type) {
        guard unit.byteCount > 3 else { throw .malformed("a slice of \(unit.byteCount) bytes") }
        // first_slice_segment_in_pic_flag
        let isFirst = unit.unsafeLoad(fromByteOffset: 2, as: UInt8.self) & 0x80 != 0
        guard isFirst == (first == nil), first == nil || first?.type == type else {
          throw .malformed("a sample that is not one picture")
        }
        if isFirst { first = (place, type) }
      } else if NALUnitType.parameterSets.contains(type), !configuration.knows(unit) {
        throw .malformed("a parameter set changes inside the sequence")
      }
    }
    guard let first else { throw .malformed("a sample without a picture") }
    return try references.follow(sample.extracting(first.place), type: first.type, configuration: configuration)
  }

  private func begin(at start: Int) throws(CoderError) {
    stop()
    guard let decoder = de265_new_decoder() else {
      throw .outOfMemory(bytes: 1 << 20, for: "libde265's decoder")
    }
    de265_set_verbosity(0)
    memory.serve(decoder)
    var run = Run(decoder: decoder, start: start, next: start)
    for unit in track.configuration.units {
      guard let count = Int32(exactly: unit.count) else { continue }
      _ = de265_push_NAL(decoder, unit, count, -1, nil)
    }
    run.idleSteps = 0
    self.run = run
  }

  private func stop() {
    if let run { _ = de265_free_decoder(run.decoder) }
    run = nil
  }
}
