// SPDX-License-Identifier: Apache-2.0

import COpenJPEG
import ImageCoderPlugin
import Testing

@testable import JPEG2000Coder

@Suite struct EncodingSettingsTests {
  private func parameters(
    _ size: Size, isLossless: Bool = false, isProgressive: Bool = false, _ values: [String: OptionValue]
  ) -> opj_cparameters_t {
    var options = WriteOptions(format: .jpeg2000)
    options.isLossless = isLossless
    options.values = values
    if isProgressive { options.values["progressive"] = 1 }
    return EncodingSettings(options).parameters(for: size, colors: 3)
  }

  @Test func eachOptionReachesTheLibrary() {
    let parameters = parameters(
      Size(width: 300, height: 200), ["resolutions": 3, "tile": 100, "progression": 2, "layers": 4])
    #expect(parameters.numresolution == 3)
    #expect(parameters.cp_tdx == 100)
    #expect(parameters.prog_order == OPJ_RPCL)
    #expect(parameters.tcp_numlayers == 4)
  }

  @Test func progressivePicturesHaveFiveLayersUnlessTheNumberIsGiven() {
    let size = Size(width: 300, height: 200)
    #expect(parameters(size, [:]).tcp_numlayers == 1)
    #expect(parameters(size, isProgressive: true, [:]).tcp_numlayers == 5)
    #expect(parameters(size, isProgressive: true, ["layers": 2]).tcp_numlayers == 2)
  }

  /// 128 pixels in tiles of 40 end with a tile of 8, which can be halved three times.
  @Test func aLossyPictureIsHalvedOnlyAsOftenAsItsSmallestTile() {
    let size = Size(width: 128, height: 128)
    #expect(parameters(size, ["tile": 40]).numresolution == 4)
    #expect(parameters(size, isLossless: true, ["tile": 40]).numresolution == 6)
    #expect(parameters(Size(width: 80, height: 80), ["tile": 40]).numresolution == 6)
    #expect(parameters(Size(width: 128, height: 3), ["tile": 40]).numresolution == 2)
  }
}
