// SPDX-License-Identifier: Apache-2.0

//! The declarations agree with imagecoders.h: its functions, and what a compiler of C says of its numbers and structs.

use imagecoders_sys::{FUNCTIONS, LAYOUT, NUMBERS};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The header of the source tree, or None in a crate that was taken from elsewhere.
fn header() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../Sources/CImageCodersFacade/include/imagecoders.h");
    path.is_file().then_some(path)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
}

#[test]
fn functions_and_numbers_are_the_headers() {
    let Some(header) = header() else { return };
    let types = header.with_file_name("imagecoders_types.h");
    let text = [types, header].map(|path| std::fs::read_to_string(path).unwrap()).concat();
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap()).collect();
    let code = code.join("\n");
    let declared: BTreeSet<&str> = code
        .match_indices('(')
        .filter_map(|(at, _)| words(&code[..at]).last().filter(|word| word.starts_with("ic_")))
        .collect();
    assert_eq!(declared, FUNCTIONS.iter().copied().collect());
    let constants: BTreeSet<&str> = code
        .match_indices(" = ")
        .filter_map(|(at, _)| words(&code[..at]).last().filter(|word| word.starts_with("IC_")))
        .collect();
    assert_eq!(constants, NUMBERS.iter().map(|(name, _)| *name).collect());
}

#[test]
fn layout_is_that_of_c() {
    let Some(header) = header() else { return };
    let mut program = format!("#include \"{}\"\n#include <stddef.h>\n", header.display());
    let mut assert = |what: String| writeln!(program, "_Static_assert({what}, \"{what}\");").unwrap();
    for (name, value) in NUMBERS {
        assert(format!("{name} == {value}"));
    }
    for (name, size, fields) in LAYOUT {
        assert(format!("sizeof({name}) == {size}"));
        for (field, offset) in *fields {
            assert(format!("offsetof({name}, {field}) == {offset}"));
        }
    }
    // Its folder is this test's own.
    let folder = std::env::temp_dir().join(format!("imagecoders-sys-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let source = folder.join("layout.c");
    std::fs::write(&source, program).unwrap();
    let output = Command::new("cc").args(["-std=c11", "-fsyntax-only"]).arg(&source).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
