// SPDX-License-Identifier: Apache-2.0

// A sheet is a source of frames: `import ImageSheets` shows `ImageAnimation`.
@_exported public import ImageAnimation
