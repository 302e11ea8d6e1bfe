// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// Limits for verbs that decode, with the library's names and defaults.
struct LimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Refuse pictures with more pixels than this.", valueName: "n"))
  var maxPixels = Limits.standard.maxPixels

  @Option(help: ArgumentHelp("Refuse pictures with a side longer than this.", valueName: "n"))
  var maxSide = Limits.standard.maxSide

  @Option(
    help: ArgumentHelp("Refuse pictures whose pixels take more bytes than this in all frames.", valueName: "n"),
    transform: ByteCountArgument.parsed)
  var maxMemory = ByteCountArgument(bytes: Limits.standard.maxMemory)

  @Option(help: ArgumentHelp("Refuse animations with more frames than this.", valueName: "n"))
  var maxFrames = Limits.standard.maxFrames

  @Option(
    help: ArgumentHelp("Refuse metadata blocks with more bytes than this.", valueName: "n"),
    transform: ByteCountArgument.parsed)
  var maxMetadata = ByteCountArgument(bytes: Limits.standard.maxMetadata)

  @Option(help: ArgumentHelp("Refuse files with more pages than this.", valueName: "n"))
  var maxPages = Limits.standard.maxPages

  @Option(help: ArgumentHelp("Refuse progressive pictures with more passes than this.", valueName: "n"))
  var maxScans = Limits.standard.maxScans

  @Option(
    help: ArgumentHelp("Refuse animations with more pixels than this in all their frames.", valueName: "n"))
  var maxComposedPixels = Limits.standard.maxComposedPixels

  @Option(
    help: ArgumentHelp("Give up a picture or frame that takes longer than this, in milliseconds.", valueName: "n"))
  var maxMilliseconds = Limits.standard.maxMilliseconds

  @Option(
    help: ArgumentHelp("Give up a file that takes more reads than this, box by box or line by line.", valueName: "n"))
  var maxReads = Limits.standard.maxReads

  @Option(
    help: ArgumentHelp("Give up a picture that inflates to more bytes than this, metadata among them.", valueName: "n"),
    transform: ByteCountArgument.parsed)
  var maxInflated = ByteCountArgument(bytes: Limits.standard.maxInflated)

  var limits: Limits {
    Limits(
      maxPixels: maxPixels, maxSide: maxSide, maxMemory: maxMemory.bytes, maxFrames: maxFrames,
      maxMetadata: maxMetadata.bytes, maxPages: maxPages, maxScans: maxScans,
      maxComposedPixels: maxComposedPixels, maxMilliseconds: maxMilliseconds, maxReads: maxReads,
      maxInflated: maxInflated.bytes)
  }

  func validate() throws {
    let values = [maxPixels, maxSide, maxFrames, maxPages, maxScans, maxComposedPixels, maxMilliseconds, maxReads]
    guard values.allSatisfy({ $0 >= 0 }) else { throw ValidationError("a limit must not be negative") }
  }
}
