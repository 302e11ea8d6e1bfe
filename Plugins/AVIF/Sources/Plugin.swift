// SPDX-License-Identifier: Apache-2.0

import CAVIF
import ISOBaseMediaFile
public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.avif", version: "1.0.0", library: LibAVIF.name,
  names: ContainerPropertyNames(dictionary: "{AVIS}", defaultLoopCount: .infinite), reader: AVIFReader.self,
  readsIncrementally: true, writer: AVIFWriter.self, writerFormats: [.avif],
  writerFeatures: [.frames, .orientation, .trailer],
  operations: [
    .editMetadata(of: [.avif], run: ItemMetadata.edit),
    .attachGainMap(to: [.avif], takesColors: true, run: GainMapItems.attach),
    .attachVideo(to: [.avif], run: VideoBox.attach),
    .attachAuxiliary(to: [.avif], run: AuxiliaryItems.attach),
  ],
  options: AVIFOption.table)
