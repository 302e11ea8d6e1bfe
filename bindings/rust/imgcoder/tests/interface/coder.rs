// SPDX-License-Identifier: Apache-2.0

use crate::fake::{text, FakeHost};
use imgcoder::ffi::*;
use imgcoder::{
    boolean_option, choice_option, integer_option, number_option, text_option, Coder, CoderOption, Extension,
    Extensions, Host, Operation, OperationKind, OperationSession, Operations, Properties, Recognition, Recognizer,
    Result, Text,
};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

static WRITER: imgcoder_writer_table = imgcoder::writer_table::<crate::writer::Plain>();
static RUNS: CoderOption = boolean_option("runs", true, "Store equal pixels once.");
static LEVEL: CoderOption = integer_option("level", -1, 9, 6, "How much work to do.");
static QUALITY: CoderOption = number_option("quality", 0.0, 1.0, 0.75, "From 0, smallest, to 1, best.");
static WORDS: [Text; 3] = [Text::new("none"), Text::new("fast"), Text::new("small")];
static METHOD: CoderOption = choice_option("method", &WORDS, 1, "How to store rows.");
static COMMENT: CoderOption = text_option("comment", 200, "made by hand", "What to say in the file.");

static CODER: Coder = Coder::new("org.example.everything", "1.2.3")
    .library("libeverything 4.5")
    .writer(&WRITER, &[&RUNS, &LEVEL, &QUALITY, &METHOD, &COMMENT])
    .writes_pages()
    .recognizer::<Sixes>()
    .extensions::<Several>();

imgcoder::export!(describe: describe);

/// What `describe` has to do next.
static CALL: AtomicU32 = AtomicU32::new(0);

fn describe(host: &Host) -> Result<&'static Coder> {
    match CALL.fetch_add(1, SeqCst) {
        0 => Ok(&CODER),
        1 => Err(host.fail(STATUS_UNSUPPORTED, None, format_args!("libeverything 3, 4 is needed"))),
        _ => panic!("no library"),
    }
}

/// Files of sixes.
struct Sixes;

impl Recognizer for Sixes {
    fn recognize(prefix: &[u8], file_size: Option<u64>) -> Recognition {
        assert!(file_size != Some(13), "an unlucky size");
        match prefix.first() {
            None if file_size.is_none() => Recognition::NeedMore,
            Some(b'6') => Recognition::Yes,
            _ => Recognition::No,
        }
    }
}

struct Nothing;

impl Operations for Nothing {
    const KINDS: &'static [&'static OperationKind] = &[];

    fn run(_: &mut OperationSession, _: &Operation<'_>, _: &mut Properties<'_>) -> Result<()> {
        Ok(())
    }
}

struct Several;

impl Extensions for Several {
    fn extension(id: &str) -> Option<Extension> {
        static ANSWER: u32 = 42;
        match id {
            EXTENSION_FILE_OPERATIONS => Some(Extension::operations::<Nothing>()),
            "org.example.answer/1" => Some(Extension::new(&ANSWER)),
            "org.example.panic/1" => panic!("an extension"),
            _ => None,
        }
    }
}

fn string(text: imgcoder_string) -> &'static str {
    // SAFETY: texts of a coder are constants.
    unsafe { std::str::from_utf8(std::slice::from_raw_parts(text.bytes, text.length as usize)).unwrap() }
}

#[test]
fn the_entry_describes_the_coder_or_says_why_not() {
    assert_eq!(imgcoder_entry_v1.magic, *b"IMGCODER");
    assert_eq!((imgcoder_entry_v1.abi_major, imgcoder_entry_v1.abi_minor), (ABI_MAJOR, ABI_MINOR));
    let host = FakeHost::new();
    let described = [(); 3].map(|()| {
        let coder = call!(imgcoder_entry_v1, describe(host.raw()));
        // It silences panics of the plugin; those of tests are to be seen.
        drop(std::panic::take_hook());
        coder
    });
    assert_eq!(described, [&raw const CODER.0, std::ptr::null(), std::ptr::null()]);
    let failures = host.failures();
    assert_eq!(failures[0], (STATUS_UNSUPPORTED, -1, "libeverything 3, 4 is needed".into()));
    assert_eq!(failures[1], (STATUS_LIBRARY, -1, "the plugin panicked: no library".into()));
}

#[test]
fn a_coder_says_what_it_has() {
    assert_eq!((string(CODER.0.id), string(CODER.0.version)), ("org.example.everything", "1.2.3"));
    assert_eq!((string(CODER.0.library), CODER.0.flags), ("libeverything 4.5", CODER_WRITES_PAGES));
    let plain = Coder::new("org.example.plain", "1.0.0");
    assert!(plain.0.get_extension.is_none() && plain.0.recognize.is_none() && plain.0.reader.is_null());
}

#[test]
fn options_are_described() {
    // SAFETY: constants of this test.
    let options: Vec<&imgcoder_option> =
        (0..CODER.0.option_count as usize).map(|index| unsafe { &**CODER.0.options.add(index) }).collect();
    let told: Vec<_> = options
        .iter()
        .map(|option| (option.r#type, string(option.name), option.minimum, option.maximum, option.default_value))
        .collect();
    assert_eq!(
        told,
        [
            (OPTION_BOOLEAN, "runs", 0.0, 1.0, 1.0),
            (OPTION_INTEGER, "level", -1.0, 9.0, 6.0),
            (OPTION_NUMBER, "quality", 0.0, 1.0, 0.75),
            (OPTION_CHOICE, "method", 0.0, 2.0, 1.0),
            (OPTION_TEXT, "comment", 0.0, 200.0, 0.0),
        ]
    );
    assert!(options.iter().all(|option| option.struct_size as usize == size_of::<imgcoder_option>()));
    assert_eq!(options[3].choice_count, 3);
    // SAFETY: as above.
    assert_eq!(string(unsafe { *options[3].choices.add(2) }), "small");
    assert_eq!(string(options[4].default_text), "made by hand");
}

#[test]
fn files_are_recognized() {
    let ask = |bytes: &[u8], size| call!(CODER.0, recognize(&CODER.0, bytes.as_ptr(), bytes.len() as u64, size));
    assert_eq!(ask(b"666", 3), STATUS_OK);
    assert_eq!(ask(b"777", u64::MAX), STATUS_WRONG_FORMAT);
    assert_eq!(ask(b"", u64::MAX), STATUS_NEED_MORE);
    assert_eq!(ask(b"", 0), STATUS_WRONG_FORMAT);
    // None of the answers: a checker of plugins sees it.
    assert_eq!(ask(b"6", 13), STATUS_LIBRARY);
}

#[test]
fn extensions_are_found_by_their_ids() {
    let find = |id: &str| call!(CODER.0, get_extension(&CODER.0, text(id)));
    assert!(!find(EXTENSION_FILE_OPERATIONS).is_null());
    // SAFETY: the table of that extension is a number.
    assert_eq!(unsafe { *find("org.example.answer/1").cast::<u32>() }, 42);
    assert!(find("org.example.answer/2").is_null());
    assert!(find("org.example.panic/1").is_null());
}
