// SPDX-License-Identifier: Apache-2.0

// Who changes a picture also opens and writes it: `import ImageProcessing` shows `ImageCoders`.
@_exported public import ImageCoders
