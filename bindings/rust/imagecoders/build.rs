// SPDX-License-Identifier: Apache-2.0

//! Tests and examples of this crate find the library where imagecoders-sys found it.

fn main() {
    if let Ok(folder) = std::env::var("DEP_IMAGECODERS_LIB") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
