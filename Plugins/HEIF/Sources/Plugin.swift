// SPDX-License-Identifier: Apache-2.0

import CHEIFLibrary
import ISOBaseMediaFile
public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin: PluginExport = {
  heif_library_load_if_asked()
  return PluginExport(
    id: "org.imagecoders.heif", version: "1.0.0",
    library: LibDe265.name,
    names: ContainerPropertyNames(dictionary: "{HEICS}", defaultLoopCount: .infinite),
    reader: HEIFReader.self, readsIncrementally: true, writer: HEIFWriter.self,
    writerFormats: [.heic, .heif, .heics], writesPages: true,
    writerFeatures: [.frames, .orientation, .thumbnail, .trailer],
    operations: [
      .editMetadata(of: [.heic, .heif, .heics], run: ItemMetadata.edit),
      .attachGainMap(to: [.heic, .heif], takesColors: true, run: GainMapItems.attach),
      .attachVideo(to: [.heic, .heif], run: VideoBox.attach),
      .attachAuxiliary(to: [.heic, .heif], run: AuxiliaryItems.attach),
    ], options: HEIFOption.table)
}()
