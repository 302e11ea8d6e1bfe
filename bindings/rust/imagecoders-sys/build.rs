// SPDX-License-Identifier: Apache-2.0

//! Finds libimagecoders: in the folder that `IMAGECODERS_DIR` names, as `make facade` makes it, or by pkg-config.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=IMAGECODERS_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    println!("cargo:rustc-link-lib=dylib=imagecoders");
    if let Some(folder) = std::env::var_os("IMAGECODERS_DIR") {
        let library = std::path::Path::new(&folder).join("lib");
        println!("cargo:rustc-link-search=native={}", library.display());
        // For crates that depend on this one: DEP_IMAGECODERS_LIB.
        println!("cargo:lib={}", library.display());
        return;
    }
    let found = Command::new("pkg-config").args(["--libs-only-L", "imagecoders"]).output();
    if let Ok(output) = found.as_ref().map(|output| String::from_utf8_lossy(&output.stdout)) {
        for folder in output.split_whitespace().filter_map(|word| word.strip_prefix("-L")) {
            println!("cargo:rustc-link-search=native={folder}");
            println!("cargo:lib={folder}");
        }
    }
}
