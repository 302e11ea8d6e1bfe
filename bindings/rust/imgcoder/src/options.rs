// SPDX-License-Identifier: Apache-2.0

//! The options of a reader or writer and the values of an operation, as the manifest describes them too.

use crate::ffi::*;

const fn option(r#type: u32, name: &'static str, text: &'static str) -> imgcoder_option {
    imgcoder_option {
        struct_size: core::mem::size_of::<imgcoder_option>() as u32,
        r#type,
        name: imgcoder_string::new(name),
        text: imgcoder_string::new(text),
        minimum: 0.0,
        maximum: 0.0,
        default_value: 0.0,
        choices: core::ptr::null(),
        choice_count: 0,
        default_text: imgcoder_string::new(""),
        flags: 0,
        reserved: 0,
    }
}

/// Describes an option that is true or false.
pub const fn boolean_option(name: &'static str, default: bool, text: &'static str) -> imgcoder_option {
    let mut option = option(OPTION_BOOLEAN, name, text);
    option.maximum = 1.0;
    option.default_value = if default { 1.0 } else { 0.0 };
    option
}

/// Describes an option that is a whole number from `minimum` to `maximum`.
pub const fn integer_option(
    name: &'static str,
    minimum: i32,
    maximum: i32,
    default: i32,
    text: &'static str,
) -> imgcoder_option {
    let mut option = number_option(name, minimum as f64, maximum as f64, default as f64, text);
    option.r#type = OPTION_INTEGER;
    option
}

/// Describes an option that is a number from `minimum` to `maximum`.
///
/// # Panics
/// When the constant is compiled, if the default is not in the range.
pub const fn number_option(
    name: &'static str,
    minimum: f64,
    maximum: f64,
    default: f64,
    text: &'static str,
) -> imgcoder_option {
    assert!(minimum <= default && default <= maximum, "the default is not in the range");
    let mut option = option(OPTION_NUMBER, name, text);
    option.minimum = minimum;
    option.maximum = maximum;
    option.default_value = default;
    option
}

/// Describes an option that is one of some words, each `Text::new("word")`. `default` is an index.
///
/// # Panics
/// When the constant is compiled, if there is no word for the default.
pub const fn choice_option(
    name: &'static str,
    choices: &'static [imgcoder_string],
    default: usize,
    text: &'static str,
) -> imgcoder_option {
    assert!(default < choices.len(), "the default is not one of the words");
    let mut option = option(OPTION_CHOICE, name, text);
    option.maximum = (choices.len() - 1) as f64;
    option.default_value = default as f64;
    option.choices = choices.as_ptr();
    option.choice_count = choices.len() as u64;
    option
}

/// Describes an option that is a text of at most `longest` bytes.
///
/// # Panics
/// When the constant is compiled, if the default is longer.
pub const fn text_option(
    name: &'static str,
    longest: u32,
    default: &'static str,
    text: &'static str,
) -> imgcoder_option {
    assert!(default.len() <= longest as usize, "the default is too long");
    let mut option = option(OPTION_TEXT, name, text);
    option.maximum = longest as f64;
    option.default_text = imgcoder_string::new(default);
    option
}

/// Describes an option that is a text of at most `longest` bytes, empty by default, which is shown and kept nowhere.
pub const fn secret_option(name: &'static str, longest: u32, text: &'static str) -> imgcoder_option {
    let mut option = text_option(name, longest, "", text);
    option.flags = OPTION_SECRET;
    option
}

/// Values that the host gives, checked against their descriptions.
pub(crate) struct Values<'a>(&'a [*const imgcoder_option_value]);

impl<'a> Values<'a> {
    /// # Safety
    /// The list has `count` values, which live as long as this one, or is null.
    pub(crate) unsafe fn new(list: *const *const imgcoder_option_value, count: u64) -> Self {
        if list.is_null() {
            return Values(&[]);
        }
        // SAFETY: the caller's promise.
        Values(unsafe { core::slice::from_raw_parts(list, count as usize) })
    }

    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.value(name).map(|value| value.number)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        // SAFETY: the host's text lives as long as the value.
        self.value(name).map(|value| unsafe { value.text.text() })
    }

    fn value(&self, name: &str) -> Option<&'a imgcoder_option_value> {
        // SAFETY: the promise of `new`.
        let mut values = self.0.iter().filter_map(|value| unsafe { value.as_ref() });
        // SAFETY: the host's text lives as long as the value.
        values.find(|value| unsafe { value.name.text() } == name)
    }
}
