// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import HEVCBitstream

@Suite struct HEVCConfigurationTests {
  private let sets = ParameterSets()

  private func sample(_ units: [[UInt8]]) -> [UInt8] { units.flatMap { [0, 0, 0, UInt8($0.count)] + $0 } }

  @Test func keepsTheSetsInTheOrderInWhichTheyRefer() throws {
    let units = [sets.picture.unit, sets.sequence.unit, sets.video.unit, sets.sequence.unit]
    let configuration = try HEVCConfiguration(of: ParameterSets.record(units))
    #expect(configuration.units == [sets.video.unit, sets.sequence.unit, sets.picture.unit])
    #expect(configuration.lengthBytes == 4)
    #expect(configuration.isComplete)
    #expect(try configuration.sequence().size == Size(width: 64, height: 64))
  }

  @Test func refusesLengthsOfThreeBytes() {
    #expect(throws: CoderError.malformed("NAL units have a length of 3 bytes; 1, 2 and 4 are allowed", at: 21)) {
      _ = try HEVCConfiguration(of: ParameterSets.record([], lengthBytes: 3))
    }
  }

  @Test func aRecordThatIsCutIsMalformed() {
    let record = sets.record
    for count in 0..<record.count {
      let cut = Array(record.prefix(count))
      #expect(throws: CoderError.self) { _ = try HEVCConfiguration(of: cut) }
    }
  }

  @Test func hasAtMost256Units() throws {
    var record = ParameterSets.record([])
    record[22] = 1
    let unit: [UInt8] = [0, 3, 0x4E, 1, 0]
    record += [0x27, 1, 0] + (0..<256).flatMap { _ in unit }
    #expect(try HEVCConfiguration(of: record).units.isEmpty)
    record[25] = 1
    record[24] = 1
    #expect(throws: CoderError.malformed("more than 256 parameter sets", at: record.count + 2)) {
      _ = try HEVCConfiguration(of: record + unit)
    }
  }

  @Test func namesWhatIsMissing() throws {
    let none = try HEVCConfiguration(of: ParameterSets.record([]))
    #expect(!none.isComplete)
    #expect(throws: CoderError.malformed("there is no sequence parameter set")) { _ = try none.sequence() }
    for units in [[sets.sequence.unit, sets.picture.unit], [sets.video.unit, sets.sequence.unit]] {
      let part = try HEVCConfiguration(of: ParameterSets.record(units))
      #expect(throws: CoderError.malformed("there is no video or no picture parameter set")) { _ = try part.sequence() }
    }
  }

  @Test func takesSetsBeforeTheFirstSlice() throws {
    var configuration = try HEVCConfiguration(of: ParameterSets.record([]))
    let delimiter: [UInt8] = [0x46, 1, 0x50]
    let slice: [UInt8] = [0x26, 1, 0xAF, 0]
    let first = sample([delimiter, sets.video.unit, sets.sequence.unit, slice, sets.picture.unit])
    try configuration.add(from: first.span.bytes)
    #expect(configuration.units == [sets.video.unit, sets.sequence.unit])
    try configuration.add(from: sample([sets.picture.unit]).span.bytes)
    #expect(configuration.isComplete)
    let (picture, other) = (sets.picture.unit, [0x44, 1, 2] as [UInt8])
    let (isKnown, isOtherKnown) = (configuration.knows(picture.span.bytes), configuration.knows(other.span.bytes))
    #expect(isKnown)
    #expect(!isOtherKnown)
  }

  /// ITU-T H.265 §7.4.1.3.
  @Test func ofTwoPictureSetsWithANumberTheLaterOneCounts() throws {
    var (other, later) = (sets, sets)
    other.picture.identifier = 2
    later.picture.allowsBypass = true
    var configuration = try HEVCConfiguration(
      of: ParameterSets.record([sets.video.unit, sets.sequence.unit, sets.picture.unit, other.picture.unit]))
    #expect(configuration.picture(0)?.allowsBypass == false)
    let found = sample([later.picture.unit])
    try configuration.add(from: found.span.bytes)
    #expect(configuration.picture(0)?.allowsBypass == true)
    #expect(configuration.picture(2)?.allowsBypass == false)
    #expect(configuration.picture(1) == nil)
    #expect(!configuration.allowsBypass)
  }

  @Test func checksKnownSetsAgainstALaterOne() throws {
    var wide = sets
    wide.sequence.width = 128
    wide.sequence.coding = [0, 1]
    wide.sequence.transform = [0, 2]
    wide.picture.tiles = (columns: 7, rows: 0, sizes: nil)
    var configuration = try HEVCConfiguration(of: wide.record)
    // The same number and size with blocks of 64: 8 columns of tiles do not fit in.
    var larger = wide
    larger.sequence.coding = [0, 3]
    let found = sample([larger.sequence.unit])
    #expect(throws: CoderError.self) { try configuration.add(from: found.span.bytes) }
  }

  @Test func refusesSetsOfTwoSizes() throws {
    var configuration = try HEVCConfiguration(of: sets.record)
    var other = sets
    other.sequence.width = 128
    let found = sample([other.sequence.unit])
    let message = "parameter sets of 64×64 and of 128×64 or another pixel format"
    #expect(throws: CoderError.unsupported(message, at: 104)) {
      try configuration.add(from: found.span.bytes, at: 100)
    }
  }

  @Test func unitsOfOtherLayersCountForNothing() {
    let units: [[UInt8]] = [[0x42, 0x09], [0x43, 0x01], [0x42, 0x00], [0xC2, 0x01], [0x42]]
    for unit in units {
      let type = NALUnit.type(of: unit.span.bytes)
      #expect(type == nil)
    }
    let unit: [UInt8] = [0x42, 0x01]
    let type = NALUnit.type(of: unit.span.bytes)
    #expect(type == 33)
  }
}

@Suite struct NALUnitPlacesTests {
  private func places(
    in bytes: [UInt8], lengthBytes: Int = 2, isCut: Bool = false
  ) throws(CoderError) -> (places: [Range<Int>], isUnitCut: Bool) {
    var places = NALUnitPlaces(lengthBytes: lengthBytes, isCut: isCut, at: 1000)
    var found: [Range<Int>] = []
    while let place = try places.next(in: bytes.span.bytes) { found.append(place) }
    return (found, places.isUnitCut)
  }

  @Test func findsEachUnit() throws {
    #expect(try places(in: [0, 3, 1, 2, 3, 0, 4, 1, 2, 3, 4]).places == [2..<5, 7..<11])
    #expect(try places(in: [3, 1, 2, 3], lengthBytes: 1).places == [1..<4])
    #expect(try places(in: [0, 0, 0, 3, 1, 2, 3], lengthBytes: 4).places == [4..<7])
    #expect(try places(in: []).places == [])
  }

  @Test func passesOverUnitsWithoutPayload() throws {
    #expect(try places(in: [0, 2, 1, 2, 0, 0, 0, 3, 1, 2, 3]).places == [8..<11])
  }

  @Test func aUnitBeyondTheBytesIsMalformed() {
    let message = "a NAL unit of 4 bytes, where 5 are left with its length"
    #expect(throws: CoderError.malformed(message, at: 1002)) { _ = try places(in: [0, 0, 0, 4, 1, 2, 3]) }
    #expect(throws: CoderError.self) { _ = try places(in: [0xFF, 0xFF, 0xFF, 0xFF, 1], lengthBytes: 4) }
    #expect(throws: CoderError.self) { _ = try places(in: [0]) }
  }

  @Test func ofACutUnitThereIsAPart() throws {
    let cut = try places(in: [0, 3, 1, 2, 3, 0, 9, 1, 2, 3], isCut: true)
    #expect(cut.places == [2..<5, 7..<10])
    #expect(cut.isUnitCut)
    let short = try places(in: [0, 9, 1, 2], isCut: true)
    #expect(short.places == [])
    #expect(short.isUnitCut)
  }

  @Test func bytesThatPreventStartCodesAreTakenOut() {
    let unit: [UInt8] = [0x42, 1, 0, 0, 3, 1, 0, 0, 0, 3, 3, 0, 3]
    let (all, some) = (NALUnit.payload(of: unit.span.bytes), NALUnit.payload(of: unit.span.bytes, limit: 6))
    #expect(all == [0, 0, 1, 0, 0, 0, 3, 0, 3])
    #expect(some == [0, 0, 1])
  }
}
