// SPDX-License-Identifier: Apache-2.0

// Who plays an animation also opens it: `import ImageAnimation` shows `ImageCoders`.
@_exported public import ImageCoders
