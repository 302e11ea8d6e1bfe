// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Finds the smallest file that looks as it is asked to.
struct LookEncoding {
  /// Files of the whole picture that are tried with the same options.
  private static let mostTries = 8
  /// A score of a part of the picture this near tells where that of the whole is.
  private static let nearEnough = 1.5
  /// What is asked for, as the options have it.
  private let target: Double
  private let plan: EncodePlan
  private let open: ImageEncoder.Opener
  private let pages: [Image]
  private let curve: LookCurve
  private let judge: LookJudge
  private let progress: LookProgress
  private var tries = 0

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
    file.look = LookResult(score: best.trial.score, tries: tries)
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
      guard trial.score >= target - LookSearch.tolerance else { throw unreachable(trial.score) }
      return Best(trial: trial, options: options)
    }
    var found = Best(trial: try searched(options), options: options)
    if found.trial.score < target - LookSearch.tolerance, let finer = LookOptions.finer(options, for: plan) {
      options = finer
      let trial = try searched(options)
      if trial.score > found.trial.score { found = Best(trial: trial, options: options) }
    }
    let isReached = found.trial.score >= target - LookSearch.tolerance
    if !isReached || LookOptions.triesLossless(plan.format) && judge.isGraphic {
      var exact = plan.options
      exact.isLossless = true
      exact.quality = nil
      if let trial = try losslessTrial(exact), !isReached || trial.file.byteCount < found.file.byteCount {
        found = Best(trial: trial, options: exact)
      }
    }
    guard found.trial.score >= target - LookSearch.tolerance else { throw unreachable(found.trial.score) }
    return found
  }

  /// The smallest file that is near enough, or the one that looks best.
  private mutating func searched(_ options: EncodeOptions) throws(CoderError) -> Trial {
    let plan = try plan.with(options)
    var search = LookSearch(target, along: curve)
    if let mosaic = judge.mosaic {
      let parts = try plan.with(LookOptions.part(options))
      search = LookSearch(target, along: curve, tolerance: Self.nearEnough)
      while let quality = search.next, search.tried.count < Self.mostTries {
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
    }
    let reached = trials.filter { $0.score >= target - LookSearch.tolerance }
    let best = reached.min { $0.file.byteCount < $1.file.byteCount } ?? trials.max { $0.score < $1.score }
    guard let best else { throw .libraryFailure("a search without a file") }
    return best
  }

  private mutating func losslessTrial(_ options: EncodeOptions) throws(CoderError) -> Trial? {
    do throws(CoderError) { return try attempt(try plan.with(options), nil) } catch {
      guard error.code == .unsupported else { throw error }
      return nil
    }
  }

  private mutating func attempt(_ plan: EncodePlan, _ quality: Double?) throws(CoderError) -> Trial {
    let file = try encoded(plan, of: pages, quality: quality)
    return Trial(file: file, score: try score(file))
  }

  private func score(_ file: EncodedFile) throws(CoderError) -> Double {
    try judge.score(file, open: open, cancellation: plan.options.cancellation)
  }

  private mutating func encoded(
    _ plan: EncodePlan, of pages: [Image], quality: Double?
  ) throws(CoderError) -> EncodedFile {
    tries += 1
    defer { progress.next() }
    return try plan.file(of: pages, quality: quality, isSilent: tries > 1)
  }

  private func unreachable(_ best: Double) -> CoderError {
    let rounded = (best * 10).rounded(.down) / 10
    return .unsupported("a look of \(target) is not reached in \(plan.format): the best score is \(rounded)")
  }
}
