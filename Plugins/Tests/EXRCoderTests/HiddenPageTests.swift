// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import EXRCoder

/// What a part has beside its picture.
@Suite struct HiddenPageTests {
  private static let rows = SmallFile(chunks: SmallFile.rows([1, 2, 3]))

  @Test func dataBeyondTheCanvasAreAPage() throws {
    var file = Self.rows
    file.display = [1, 1, 3, 3]
    let reader = try file.reader()
    let (picture, hidden) = (try reader.header(page: 0), try reader.header(page: 1))
    #expect(picture.pageCount == 1 && picture.hiddenPageCount == 1 && hidden.hiddenPageCount == 1)
    #expect(picture.canvas == Size(width: 3, height: 3) && picture.alpha == .premultiplied)
    #expect(picture.role == .picture)
    #expect(hidden.canvas == Size(width: 2, height: 3) && hidden.alpha == .opaque)
    #expect(hidden.role == PageRole(.overscan, owner: 0, x: -1, y: -1))
    let (samples, rows, problem) = try file.decoded(page: 1)
    #expect(samples == [1, 1, 2, 2, 3, 3] && rows == 3 && problem == nil)
    // The picture stays as it was.
    #expect(try file.decoded().samples == [2, 0, 0, 3, 0, 0, 0, 0, 0])
  }

  @Test func dataBelowTheCanvasBeginThere() throws {
    var file = Self.rows
    file.display = [-4, -2, -3, -1]
    #expect(try file.reader().header(page: 1).role == PageRole(.overscan, owner: 0, x: 4, y: 2))
  }

  @Test func dataThatAreAllOnTheCanvasAreNoPage() throws {
    var file = Self.rows
    file.display = [-1, 0, 2, 2]
    #expect(try file.reader().header(page: 0).hiddenPageCount == 0)
    #expect(throws: CoderError.self) { try file.reader().header(page: 1) }
  }

  @Test func dataBeyondTheLimitsAreNoPage() throws {
    var file = Self.rows
    file.display = [0, 0, 1, 1]
    var limits = Limits.standard
    limits.maxPixels = 5
    #expect(try file.reader(limits).header(page: 0).hiddenPageCount == 0)
    #expect(try file.decoded(limits: limits).samples == [1, 1, 2, 2])
    limits.maxPixels = 6
    #expect(try file.reader(limits).header(page: 0).hiddenPageCount == 1)
  }

  @Test(arguments: [(1, 2, Float16(2)), (2, 1, 3)]) func smallerPicturesArePages(
    _ page: Int, _ side: Int, _ sample: Float16
  ) throws {
    let reader = try SmallFile.levels.reader()
    let header = try reader.header(page: page)
    #expect(header.hiddenPageCount == 2 && header.role == PageRole(.reduced, owner: 0))
    #expect(header.canvas == Size(width: side, height: side) && header.alpha == .opaque)
    let (samples, _, problem) = try SmallFile.levels.decoded(page: page)
    #expect(samples == [Float16](repeating: sample, count: side * side) && problem == nil)
  }
}
