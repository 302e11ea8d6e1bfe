// SPDX-License-Identifier: Apache-2.0

// Who plays an animation also opens it, and says how much memory it may take: `import ImageAnimation` shows `ImageCoders` and
// `ImageMemory`.
@_exported public import ImageCoders
@_exported public import ImageMemory
