// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Finds the smallest file that looks as it is asked to.
struct LookEncoding {
  /// Files of the whole picture that are tried with the same options.
  private static let mostTries = 8
  /// Files of parts of it, and how near a score of one has to be to tell where that of the whole is.
  private static let (mostParts, nearEnough) = (2, 8.0)
  /// Parts that are so many times as large without loss tell that the whole is larger, too.
  private static let farLarger = 2
  /// What is asked for, as the options have it.
  private let target: Double
  private let plan: EncodePlan
  private let open: ImageEncoder.Opener
  private let pages: [Image]
  private let curve: LookCurve
  private let judge: LookJudge
  private let progress: LookProgress
  private var tries = 0
  private var partTries = 0

  /// A file, and how it looks.
  private struct Trial {
    let file: EncodedFile
    let score: Double
  }

  /// - Throws: ``CoderError/Code/unsupported`` for what SSIMULACRA2 cannot judge.
  init(
    _ plan: EncodePlan, look target: Double, _ pages: [Image], open: @escaping ImageEncoder.Opener
  ) throws(CoderError) {
    (self.target, self.open, self.pages) = (target, open, pages)
    progress = LookProgress(plan.options.progress)
    self.plan = plan.reporting(to: progress.report)
    curve = LookCurve(plan.format)
    judge = try LookJudge(plan, pages)
  }

  /// - Throws: ``CoderError/Code/unsupported`` with the best score, if no file has the one that is asked for;
  ///   ``CoderError/Code/limitExceeded`` for a file that is larger than allowed.
  mutating func file() throws(CoderError) -> EncodedFile {
    var best = try reached()
    if let allowed = plan.options.maxFileSize, best.file.byteCount > allowed {
      var options = best.options
      options.quality = best.trial.file.quality
      let file = try plan.with(options).largestFile(pages) { tries += 1 }
      best.trial = Trial(file: file, score: try score(file))
    }
    var file = best.trial.file
    file.look = LookResult(score: best.trial.score, tries: tries, partTries: partTries)
    progress.finish()
    return file
  }

  /// A trial with the options that it was made with.
  private struct Best {
    var trial: Trial
    var options: EncodeOptions
    var file: EncodedFile { trial.file }
  }

  private mutating func reached() throws(CoderError) -> Best {
    var options = LookOptions.preferred(plan.options, for: plan, look: target)
    guard plan.container.follows(.quality), !options.isLossless else {
      let trial = try attempt(plan, nil)
      guard isReached(trial) else { throw unreachable(trial.score) }
      return Best(trial: trial, options: options)
    }
    var exact = plan.options
    exact.isLossless = true
    exact.quality = nil
    var lossless: Trial?
    var triesLossless = LookOptions.triesLossless(plan.format) && judge.isGraphic
    if triesLossless { triesLossless = try mayBeSmaller(exact, than: options) }
    if triesLossless { lossless = try losslessTrial(exact) }
    var found = Best(trial: try searched(options, below: lossless?.file.byteCount), options: options)
    // What is larger than a lossless file and looks worse leaves nothing to look for.
    let isOutdone = found.trial.file.byteCount >= lossless?.file.byteCount ?? .max
    if !isReached(found.trial), !isOutdone, let finer = LookOptions.finer(options, for: plan) {
      options = finer
      let trial = try searched(options, below: lossless?.file.byteCount)
      if trial.score > found.trial.score { found = Best(trial: trial, options: options) }
    }
    if !isReached(found.trial), !triesLossless { lossless = try losslessTrial(exact) }
    if let lossless, !isReached(found.trial) || lossless.file.byteCount < found.file.byteCount {
      found = Best(trial: lossless, options: exact)
    }
    guard isReached(found.trial) else { throw unreachable(found.trial.score) }
    return found
  }

  private func isReached(_ trial: Trial) -> Bool { trial.score >= target - LookSearch.tolerance }

  /// Whether a lossless file of the whole may be the smallest, as far as parts of it tell.
  private mutating func mayBeSmaller(_ exact: EncodeOptions, than options: EncodeOptions) throws(CoderError) -> Bool {
    guard let mosaic = judge.mosaic else { return true }
    let lossy = try plan.with(LookOptions.part(options))
    let lossless = try plan.with(LookOptions.part(exact))
    partTries += 2
    let allowed = try encoded(lossy, of: [mosaic.image], quality: curve.quality(at: target)).byteCount
    let found = try encoded(lossless, of: [mosaic.image], quality: nil).byteCount
    return found <= Self.farLarger * allowed
  }

  /// The smallest file that is near enough, or the one that looks best.
  ///
  /// - Parameter allowed: The bytes of a lossless file: a larger one that is not good enough ends the search.
  private mutating func searched(_ options: EncodeOptions, below allowed: Int?) throws(CoderError) -> Trial {
    let plan = try plan.with(options)
    var search = LookSearch(target, along: curve)
    if let mosaic = judge.mosaic {
      let parts = try plan.with(LookOptions.part(options))
      search = LookSearch(target, along: curve, tolerance: Self.nearEnough)
      while let quality = search.next, search.tried.count < Self.mostParts {
        partTries += 1
        let file = try encoded(parts, of: [mosaic.image], quality: quality)
        let score = try mosaic.judge.score(file, open: open, cancellation: plan.options.cancellation)
        search.add(quality: quality, score: score)
      }
      let found = search.estimate
      search = LookSearch(target, along: curve, start: found?.usual, slope: found?.slope ?? 1)
    }
    var trials: [Trial] = []
    while let quality = search.next, trials.count < Self.mostTries {
      let trial = try attempt(plan, quality)
      trials.append(trial)
      search.add(quality: quality, score: trial.score)
      if !isReached(trial), trial.file.byteCount >= allowed ?? .max { break }
    }
    let best = trials.filter(isReached).min { $0.file.byteCount < $1.file.byteCount }
    guard let best = best ?? trials.max(by: { $0.score < $1.score }) else {
      throw .libraryFailure("a search without a file")
    }
    return best
  }

  private mutating func losslessTrial(_ options: EncodeOptions) throws(CoderError) -> Trial? {
    do throws(CoderError) { return try attempt(try plan.with(options), nil) } catch {
      guard error.code == .unsupported else { throw error }
      return nil
    }
  }

  private mutating func attempt(_ plan: EncodePlan, _ quality: Double?) throws(CoderError) -> Trial {
    tries += 1
    let file = try encoded(plan, of: pages, quality: quality)
    return Trial(file: file, score: try score(file))
  }

  private func score(_ file: EncodedFile) throws(CoderError) -> Double {
    try judge.score(file, open: open, cancellation: plan.options.cancellation)
  }

  private mutating func encoded(
    _ plan: EncodePlan, of pages: [Image], quality: Double?
  ) throws(CoderError) -> EncodedFile {
    defer { progress.next() }
    return try plan.file(of: pages, quality: quality, isSilent: tries + partTries > 1)
  }

  private func unreachable(_ best: Double) -> CoderError {
    let rounded = (best * 10).rounded(.down) / 10
    return .unsupported("a look of \(target) is not reached in \(plan.format): the best score is \(rounded)")
  }
}
