// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// Limits of verbs that decode, with the library's names and defaults.
struct LimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Refuse pictures with more pixels.", valueName: "n"))
  var maxPixels = Limits.standard.maxPixels

  @Option(help: ArgumentHelp("Refuse pictures with a longer side.", valueName: "n"))
  var maxSide = Limits.standard.maxSide

  @Option(help: ArgumentHelp("Bytes that one picture's pixels may take, all frames together.", valueName: "n"))
  var maxMemory = Limits.standard.maxMemory

  @Option(help: ArgumentHelp("Refuse animations with more frames.", valueName: "n"))
  var maxFrames = Limits.standard.maxFrames

  @Option(help: ArgumentHelp("Refuse metadata blocks with more bytes.", valueName: "n"))
  var maxMetadata = Limits.standard.maxMetadata

  @Option(help: ArgumentHelp("Refuse files with more pages.", valueName: "n"))
  var maxPages = Limits.standard.maxPages

  @Option(help: ArgumentHelp("Refuse pictures that are sent in more passes.", valueName: "n"))
  var maxScans = Limits.standard.maxScans

  var limits: Limits {
    Limits(
      maxPixels: maxPixels, maxSide: maxSide, maxMemory: maxMemory, maxFrames: maxFrames, maxMetadata: maxMetadata,
      maxPages: maxPages, maxScans: maxScans)
  }

  func validate() throws {
    let values = [maxPixels, maxSide, maxMemory, maxFrames, maxMetadata, maxPages, maxScans]
    guard values.allSatisfy({ $0 >= 0 }) else { throw ValidationError("a limit is a number from 0 on") }
  }
}
