// SPDX-License-Identifier: Apache-2.0

// Who loads pictures also keeps, plays and changes them. Without the trait Loading the module is empty but for this.
@_exported public import ImageAnimation
@_exported public import ImageCaching
@_exported public import ImageProcessing
