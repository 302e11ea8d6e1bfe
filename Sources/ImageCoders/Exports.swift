// SPDX-License-Identifier: Apache-2.0

// What an application sees with `import ImageCoders`: the engine's public names, and of the model the values. Sessions,
// byte readers and C structs are for authors of coders, who import ImageCoderPlugin.
@_exported public import ImageCoderEngine

@_exported public import enum ImageCoderModel.AlphaMode
@_exported public import struct ImageCoderModel.AuxiliaryParts
@_exported public import struct ImageCoderModel.CoderError
@_exported public import struct ImageCoderModel.CodingIndependentCodePoints
@_exported public import struct ImageCoderModel.ContainerPropertyNames
@_exported public import enum ImageCoderModel.DelayPolicy
@_exported public import struct ImageCoderModel.FileOperation
@_exported public import struct ImageCoderModel.FrameDelay
@_exported public import struct ImageCoderModel.FrameHeader
@_exported public import struct ImageCoderModel.FrameSequence
@_exported public import struct ImageCoderModel.GainMapParts
@_exported public import struct ImageCoderModel.ImageFormat
@_exported public import struct ImageCoderModel.ImageHeader
@_exported public import enum ImageCoderModel.KnownOperation
@_exported public import struct ImageCoderModel.LightLevels
@_exported public import struct ImageCoderModel.Limits
@_exported public import enum ImageCoderModel.LogSeverity
@_exported public import enum ImageCoderModel.LoopCount
@_exported public import enum ImageCoderModel.MetadataBlock
@_exported public import struct ImageCoderModel.MetadataBlockEdits
@_exported public import enum ImageCoderModel.MetadataKind
@_exported public import struct ImageCoderModel.OperationDescription
@_exported public import struct ImageCoderModel.OptionDescription
@_exported public import enum ImageCoderModel.OptionValue
@_exported public import enum ImageCoderModel.Orientation
@_exported public import enum ImageCoderModel.PageKind
@_exported public import struct ImageCoderModel.PageRole
@_exported public import struct ImageCoderModel.PixelColor
@_exported public import enum ImageCoderModel.PixelFormat
@_exported public import struct ImageCoderModel.PixelLayout
@_exported public import struct ImageCoderModel.Properties
@_exported public import enum ImageCoderModel.PropertyValue
@_exported public import struct ImageCoderModel.Rect
@_exported public import struct ImageCoderModel.Size
@_exported public import struct ImageCoderModel.StoredColor
@_exported public import enum ImageCoderModel.Subsampling
@_exported public import struct ImageCoderModel.TurnedPart
@_exported public import struct ImageCoderModel.WriterFeatures
