// SPDX-License-Identifier: Apache-2.0

//! The bindings agree with the headers of C. A copy of the bindings in a plugin's folder has no headers beside it; there
//! these tests say so, and pass.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn headers() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../Sources/CImageCoder/include");
    if !folder.join("imgcoder/layout.h").is_file() {
        eprintln!("skipped: {} is not here", folder.display());
        return None;
    }
    Some(folder)
}

fn header(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join("imgcoder").join(name)).unwrap()
}

/// What `prefix(…);` holds, for each line that is one.
fn arguments<'a>(text: &'a str, prefix: &str) -> Vec<&'a str> {
    text.lines().filter_map(|line| line.strip_prefix(prefix)?.strip_prefix('(')?.strip_suffix(");")).collect()
}

// `src/layout.rs` is compiled with the crate: what it lists is what the structs of Rust are.
#[test]
fn layout_is_that_of_layout_h() {
    let Some(folder) = headers() else { return };
    let (c, rust) = (header(&folder, "layout.h"), include_str!("../../src/layout.rs").replace("r#", ""));
    assert!(arguments(&c, "IMGCODER_SIZE").len() > 20 && arguments(&c, "IMGCODER_OFFSET").len() > 100);
    assert_eq!(arguments(&rust, "size!"), arguments(&c, "IMGCODER_SIZE"));
    assert_eq!(arguments(&rust, "offset!"), arguments(&c, "IMGCODER_OFFSET"));
}

macro_rules! sizes {
    ($($type:ident),* $(,)?) => { vec![$((stringify!($type), size_of::<imgcoder::ffi::$type>())),*] };
}

// Sizes in layout.h are lower bounds. A compiler of C says what they are.
#[test]
fn sizes_are_those_of_c() {
    let Some(folder) = headers() else { return };
    let expected = sizes![
        imgcoder_string,
        imgcoder_limits,
        imgcoder_cicp,
        imgcoder_failure,
        imgcoder_primaries,
        imgcoder_color,
        imgcoder_option,
        imgcoder_option_value,
        imgcoder_host,
        imgcoder_source,
        imgcoder_rows,
        imgcoder_sink,
        imgcoder_output,
        imgcoder_properties,
        imgcoder_open_options,
        imgcoder_info,
        imgcoder_frame_info,
        imgcoder_request,
        imgcoder_offer,
        imgcoder_reader_table,
        imgcoder_write_options,
        imgcoder_pixels,
        imgcoder_writer_table,
        imgcoder_transcode_table,
        imgcoder_block,
        imgcoder_operation,
        imgcoder_operation_kind,
        imgcoder_file_operations_table,
        imgcoder_frame_rows_table,
        imgcoder_look_table,
        imgcoder_siblings_table,
        imgcoder_container,
        imgcoder_coder,
        imgcoder_entry,
    ];
    let listed = header(&folder, "layout.h");
    let listed: Vec<_> =
        arguments(&listed, "IMGCODER_SIZE").into_iter().filter_map(|size| size.split(',').next()).collect();
    assert_eq!(expected.iter().map(|(name, _)| *name).collect::<Vec<_>>(), listed);
    let mut unit = String::from("#include <imgcoder/imgcoder.h>\n");
    for (name, size) in &expected {
        unit += &format!("typedef char size_of_{name}[sizeof({name}) == {size} ? 1 : -1];\n");
    }
    compile(&folder, &unit);
}

#[test]
fn names_of_extensions_are_those_of_c() {
    let Some(folder) = headers() else { return };
    let names = [
        ("file_operations.h", "FILE_OPERATIONS", imgcoder::ffi::EXTENSION_FILE_OPERATIONS),
        ("frame_rows.h", "FRAME_ROWS", imgcoder::ffi::EXTENSION_FRAME_ROWS),
        ("look.h", "LOOK", imgcoder::ffi::EXTENSION_LOOK),
        ("siblings.h", "SIBLINGS", imgcoder::ffi::EXTENSION_SIBLINGS),
    ];
    for (file, name, id) in names {
        assert!(header(&folder, file).contains(&format!("#define IMGCODER_EXTENSION_{name} \"{id}\"\n")), "{file}");
    }
}

/// Compiles a unit of C, which has no code.
fn compile(folder: &Path, unit: &str) {
    let compiler = Command::new("cc")
        .args(["-std=c99", "-fsyntax-only", "-x", "c", "-I"])
        .arg(folder)
        .arg("-")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut compiler) = compiler else {
        eprintln!("skipped: cc is not on this machine");
        return;
    };
    compiler.stdin.take().unwrap().write_all(unit.as_bytes()).unwrap();
    let result = compiler.wait_with_output().unwrap();
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
}

fn number(text: &str) -> Option<u32> {
    let text = text.trim();
    text.strip_prefix("0x").map_or_else(|| text.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())
}

#[test]
fn constants_are_those_of_the_headers() {
    let Some(folder) = headers() else { return };
    let mut c = BTreeMap::new();
    for name in ["types.h", "host.h", "reader.h", "writer.h", "plugin.h", "file_operations.h"] {
        for line in header(&folder, name).lines() {
            let code = line.split("//").next().unwrap().trim().trim_end_matches(',');
            let code = code.trim_start_matches("enum { ").trim_end_matches(" };");
            if let Some((name, value)) = code.strip_prefix("IMGCODER_").and_then(|code| code.split_once(" = ")) {
                c.insert(name.to_owned(), number(value).unwrap());
            }
        }
    }
    let mut rust = BTreeMap::new();
    for line in include_str!("../../src/constants.rs").lines() {
        if let Some((name, value)) = line.strip_prefix("pub const ").and_then(|code| code.split_once(": u32 = ")) {
            rust.insert(name.to_owned(), number(value.trim_end_matches(';')).unwrap());
        }
    }
    assert!(c.len() > 80);
    assert_eq!(rust, c);
    let version = header(&folder, "version.h");
    assert!(version.contains(&format!("#define IMGCODER_ABI_MAJOR {}\n", imgcoder::ffi::ABI_MAJOR)));
    assert!(version.contains(&format!("#define IMGCODER_ABI_MINOR {}\n", imgcoder::ffi::ABI_MINOR)));
    let id = format!("#define IMGCODER_EXTENSION_TRANSCODE \"{}\"\n", imgcoder::ffi::EXTENSION_TRANSCODE);
    assert!(header(&folder, "transcode.h").contains(&id));
}
