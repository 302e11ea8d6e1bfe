// SPDX-License-Identifier: Apache-2.0

import AVIFCoder
public import CImageCoder
import ImageCoderPlugin

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
