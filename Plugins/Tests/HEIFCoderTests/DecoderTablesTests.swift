// SPDX-License-Identifier: Apache-2.0

import CDe265
import CHEIFShim
import Testing

/// The tables of libde265, which take longer to make than a small picture takes to decode.
@Suite struct DecoderTablesTests {
  @Test func outliveTheLastDecoder() {
    heif_decoder_free(heif_decoder_new())
    // libde265 counts who needs its tables, and says so when nobody does.
    #expect(de265_free() == DE265_OK)
    #expect(de265_init() == DE265_OK)
  }
}
