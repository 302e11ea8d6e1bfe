// SPDX-License-Identifier: Apache-2.0

//! The crate as its users have it, over the fixtures.

use imagecoders::{
    Alpha, Cancel, Encoding, Fit, Isolation, MetadataKind, PixelFormat, Pixels, Registry, RegistryOptions, Request,
    Sink, Source, Status,
};
use std::os::fd::AsFd;
use std::path::PathBuf;

const PPM: &[u8] = b"P6 2 1 255\n\x01\x02\x03\xfd\xfe\xff";

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../Tests/Fixtures")).join(name)
}

fn rgb() -> Request {
    Request::new().pixel_format(PixelFormat::Rgb8)
}

fn is_shared<T: Send + Sync>(_: &T) {}

#[test]
fn pixels_are_those_of_the_file() {
    let registry = Registry::new().unwrap();
    is_shared(&registry);
    let picture = registry.decode(PPM, &rgb()).unwrap();
    is_shared(&picture);
    assert_eq!((picture.width(), picture.height(), picture.pixel_format()), (2, 1, PixelFormat::Rgb8));
    assert_eq!((picture.data(), picture.alpha()), (&[1, 2, 3, 253, 254, 255][..], Alpha::Opaque));
    assert!(picture.problem().is_none());
    drop(registry);
    assert_eq!(picture.rows().next().unwrap()[3], 253);
}

#[test]
fn sources_are_paths_bytes_and_descriptors() {
    let registry = Registry::new().unwrap();
    let path = fixture("png/valid/rgb8.png");
    let bytes = std::fs::read(&path).unwrap();
    let file = std::fs::File::open(&path).unwrap();
    let all = [Source::path(&path), Source::bytes(&bytes), Source::descriptor(file.as_fd())];
    let pictures = all.map(|source| registry.decode(source, &rgb()).unwrap());
    assert_eq!(pictures[0].width(), 21);
    assert!(pictures.iter().all(|picture| picture.data() == pictures[0].data()));
    let info = registry.probe(&path).unwrap();
    assert_eq!((&*info.name, &*info.format, &*info.media_type), ("PNG", "public.png", "image/png"));
    assert!(info.is_lossless && !info.is_animated && !info.has(MetadataKind::Exif));
}

#[test]
fn requests_reach_the_decoder() {
    let registry = Registry::new().unwrap();
    let picture = |request: Request| registry.decode(&fixture("png/valid/rgb8.png"), &request).unwrap();
    let size = |request: Request| {
        let made = picture(request);
        (made.width(), made.height())
    };
    let whole = size(Request::new());
    assert_eq!(size(Request::new().size(7, 0)).0, 7);
    assert_eq!(size(Request::new().size(5, 5).fit(Fit::Stretch)), (5, 5));
    assert_eq!(size(Request::new().size(5, 5).fit(Fit::Fill)), (5, 5));
    assert!(picture(Request::new().pixel_format(PixelFormat::Rgba16)).stride() >= 8 * whole.0);
    let refused = registry.decode(PPM, &Request::new().formats(["png"])).unwrap_err();
    assert_eq!(refused.status, Status::Unsupported);
    let small = registry.decode(PPM, &Request::new().max_pixels(1)).unwrap_err();
    assert_eq!((small.status, &*small.limit), (Status::LimitExceeded, "maxPixels"));
}

#[test]
fn damage_is_a_problem_and_strict_an_error() {
    let registry = Registry::new().unwrap();
    let mut bytes = std::fs::read(fixture("png/valid/rgb8.png")).unwrap();
    bytes.truncate(bytes.len() - 60);
    assert_eq!(registry.decode(&bytes, &rgb()).unwrap().problem().unwrap().status, Status::Truncated);
    assert_eq!(registry.decode(&bytes, &rgb().strict()).unwrap_err().status.name(), "truncated");
    let unknown = registry.decode(&b"no picture at all"[..], &rgb()).unwrap_err();
    assert_eq!((unknown.status, unknown.status.number()), (Status::NoCoder, 0x21));
    assert_eq!(registry.probe("/nowhere.png").unwrap_err().status, Status::Io);
    assert_eq!(registry.probe("a\0b").unwrap_err().status, Status::InvalidArgument);
}

#[test]
fn images_that_make_one_picture_are_one_frame() {
    let registry = Registry::new().unwrap();
    let whole = std::fs::read(fixture("gif/valid/pixels-1x1.gif")).unwrap();
    let (head, image) = (&whole[..13 + 8 * 3], &whole[13 + 8 * 3..whole.len() - 1]);
    let parts = [head, image, image, image, image, b";"].concat();
    assert_eq!(registry.probe(&parts[..]).unwrap().frames, 1);
    assert_eq!(registry.open(&parts[..], &rgb()).unwrap().info().unwrap().frames, 1);
}

#[test]
fn frames_are_encoded_and_read_again() {
    let registry = Registry::new().unwrap();
    let shades = [0u8, 128, 255].map(|shade| vec![shade; 4 * 4 * 3]);
    let frames: Vec<_> = (1..)
        .zip(&shades)
        .map(|(tenths, data)| Pixels::new(data, 4, 4, 12, PixelFormat::Rgb8).unwrap().delay(tenths, 10))
        .collect();
    let encoding = Encoding::new().format("png").loop_count(2).exif(b"II*\0\x08\0\0\0\0\0\0\0\0\0".to_vec());
    let file = registry.encode(&frames, &encoding, None).unwrap();
    let opened = registry.open(&file[..], &rgb()).unwrap();
    let info = opened.info().unwrap();
    assert_eq!((info.frames, info.loop_count, info.is_animated), (3, 2, true));
    for (index, shade) in [0u8, 128, 255].into_iter().enumerate() {
        let frame = opened.frame(index as u32).unwrap();
        assert_eq!(frame.data(), vec![shade; 48]);
        let (numerator, denominator) = frame.delay();
        assert_eq!(numerator * 10, denominator * (index as u32 + 1));
    }
    assert_eq!(opened.frame(3).unwrap_err().status, Status::InvalidArgument);
    assert!(info.has(MetadataKind::Exif) && opened.metadata(MetadataKind::Exif).unwrap().starts_with(b"II"));
    assert!(opened.metadata(MetadataKind::Xmp).unwrap().is_empty());
    assert!(opened.properties().unwrap().starts_with('{'));
}

#[test]
fn pages_borrow_their_file() {
    let registry = Registry::new().unwrap();
    let path = fixture("tiff/valid/pages.tif");
    let mut file = registry.open(&path, &rgb()).unwrap();
    assert_eq!(file.info().unwrap().pages, 3);
    let last = file.page(3).unwrap().frame(0).unwrap();
    assert_eq!(last.data(), registry.decode(&path, &rgb().page(3)).unwrap().data());
    assert!(file.page(4).is_err());
}

#[test]
fn pixels_that_do_not_fit_are_refused() {
    let data = [0u8; 12];
    for (width, height, stride) in [(0, 1, 3), (2, 3, 6), (5, 1, 15), (1, 2, 2), (usize::MAX, 2, 1), (1, usize::MAX, 3)]
    {
        let refused = Pixels::new(&data, width, height, stride, PixelFormat::Rgb8).unwrap_err();
        assert_eq!(refused.status, Status::InvalidArgument);
    }
    // The last row ends with its last pixel.
    assert!(Pixels::new(&data[..9], 1, 2, 6, PixelFormat::Rgb8).is_ok());
}

#[test]
fn files_arrive_piece_by_piece() {
    let registry = Registry::new().unwrap();
    let bytes = std::fs::read(fixture("png/valid/rgb8.png")).unwrap();
    let mut feed = registry.feed(&rgb()).unwrap();
    assert!(feed.info().unwrap().is_none() && feed.look().unwrap().is_none());
    for byte in bytes.chunks(1) {
        feed.append(byte).unwrap();
    }
    assert_eq!(feed.info().unwrap().unwrap().width, 21);
    assert_eq!(feed.finish().unwrap().data(), registry.decode(&bytes, &rgb()).unwrap().data());
}

#[test]
fn batches_answer_for_each_item() {
    let registry = Registry::new().unwrap();
    let path = fixture("png/valid/rgb8.png");
    let sources = [Source::path(&path), Source::bytes(b"no picture"), Source::path("a\0b"), Source::bytes(PPM)];
    let pictures = registry.decode_all(&sources, &rgb(), 2, None);
    assert_eq!(pictures[0].as_ref().unwrap().data(), registry.decode(&path, &rgb()).unwrap().data());
    assert_eq!(pictures[1].as_ref().unwrap_err().status, Status::NoCoder);
    assert_eq!(pictures[2].as_ref().unwrap_err().status, Status::InvalidArgument);
    assert_eq!(pictures[3].as_ref().unwrap().data().len(), 6);
    let encoding = Encoding::new().format("jpeg").quality(0.9);
    let request = Request::new().size(8, 8);
    let files = registry.thumbnail_all(&sources, &request, &encoding, 0, None);
    assert_eq!(**files[0].as_ref().unwrap(), *registry.thumbnail(&path, &request, &encoding).unwrap());
    let cancel = Cancel::new();
    cancel.clone().cancel();
    let stopped = registry.decode_all(&sources[..1], &rgb(), 1, Some(&cancel));
    assert_eq!(stopped[0].as_ref().unwrap_err().status, Status::Cancelled);
    assert_eq!(registry.decode(&path, &rgb().cancel(&cancel)).unwrap_err().status, Status::Cancelled);
}

#[test]
fn registries_follow_their_options() {
    let options = RegistryOptions::new().policy("web").isolation(Isolation::Preferred);
    assert!(Registry::with(&options).unwrap().formats().unwrap().contains("\"public.jpeg\""));
    let refused = Registry::with(&RegistryOptions::new().policy("/nowhere.policy")).unwrap_err();
    assert_eq!(refused.status.number() >> 4, 5);
}

/// A file in memory that is read by a function, and fails or panics at an offset.
struct Pieces<'a>(&'a [u8], u64, bool);

impl imagecoders::ReadAt for Pieces<'_> {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, target: &mut [u8]) -> std::io::Result<()> {
        if offset + target.len() as u64 > self.1 {
            assert!(!self.2, "on purpose");
            return Err(std::io::Error::from_raw_os_error(5));
        }
        target.copy_from_slice(&self.0[offset as usize..][..target.len()]);
        Ok(())
    }
}

#[test]
fn functions_are_sources() {
    let registry = Registry::new().unwrap();
    let bytes = std::fs::read(fixture("tiff/valid/pages.tif")).unwrap();
    let pieces = Pieces(&bytes, u64::MAX, false);
    let picture = registry.decode(Source::function(&pieces), &rgb()).unwrap();
    assert_eq!(picture.data(), registry.decode(&bytes, &rgb()).unwrap().data());
    // The file keeps the function, wherever it is moved.
    let file = Box::new(registry.open(Source::function(&pieces), &rgb()).unwrap());
    assert_eq!(file.frame(0).unwrap().data(), picture.data());
    for panics in [false, true] {
        let failing = Pieces(&bytes, 100, panics);
        assert_eq!(registry.decode(Source::function(&failing), &rgb()).unwrap_err().status, Status::Io);
    }
    let batch = registry.decode_all(&[Source::function(&pieces)], &rgb(), 1, None);
    assert_eq!(batch[0].as_ref().unwrap_err().status, Status::InvalidArgument);
}

/// Takes a file, and fails at an offset.
struct Taken(Vec<u8>, usize);

impl imagecoders::WriteAt for Taken {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> std::io::Result<()> {
        let end = offset as usize + bytes.len();
        if end > self.1 {
            return Err(std::io::Error::other("on purpose"));
        }
        self.0.resize(self.0.len().max(end), 0);
        self.0[offset as usize..end].copy_from_slice(bytes);
        Ok(())
    }
}

#[test]
fn writers_write_to_memory_paths_and_functions() {
    let registry = Registry::new().unwrap();
    let shades = [[9u8; 48], [99; 48]];
    let encoding = Encoding::new().format("gif").loop_count(3);
    let write = |sink: Sink<'_>| {
        let mut writer = registry.writer(&encoding, sink, None)?;
        for shade in &shades {
            writer.add(&Pixels::new(shade, 4, 4, 12, PixelFormat::Rgb8)?.delay(1, 5))?;
        }
        writer.finish()
    };
    let file = write(Sink::Memory).unwrap();
    let opened = registry.open(&*file, &rgb()).unwrap();
    assert_eq!((opened.info().unwrap().frames, opened.info().unwrap().loop_count), (2, 3));
    assert_eq!(opened.frame(1).unwrap().data(), [99; 48]);
    let mut taken = Taken(Vec::new(), usize::MAX);
    assert!(write(Sink::Function(&mut taken)).unwrap().is_empty());
    assert_eq!(taken.0, *file);
    assert_eq!(write(Sink::Function(&mut Taken(Vec::new(), 20))).unwrap_err().status, Status::Io);
    let path = std::env::temp_dir().join(format!("imagecoders-{}.gif", std::process::id()));
    assert!(write(Sink::path(&path)).unwrap().is_empty());
    let stored = std::fs::read(&path);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(stored.unwrap(), *file);
}

#[test]
fn files_are_converted_and_worked_on_whole() {
    let registry = Registry::new().unwrap();
    let path = fixture("tiff/valid/pages.tif");
    let made = registry.convert(&path, &Request::new(), &Encoding::new().format("png"), Sink::Memory).unwrap();
    assert_eq!(registry.decode(&*made.file, &rgb()).unwrap().data(), registry.decode(&path, &rgb()).unwrap().data());
    assert!(made.report.starts_with('{') && made.report.contains("\"pages\""), "{}", made.report);
    let turned = registry
        .operate(
            &fixture("jpeg/valid/orientation-6.jpg"),
            &Request::new(),
            r#"{"set": {"Copyright": "A. Author"}}"#,
            Sink::Memory,
        )
        .unwrap();
    let opened = registry.open(&*turned.file, &Request::new()).unwrap();
    assert!(opened.properties().unwrap().contains("A. Author"));
    let refused = registry.operate(&path, &Request::new(), "no object", Sink::Memory).unwrap_err();
    assert_eq!(refused.status, Status::InvalidArgument);
}

#[test]
fn parts_are_listed_and_opened() {
    let registry = Registry::new().unwrap();
    let path = fixture("tiff/valid/pages.tif");
    let mut file = registry.open(&path, &rgb()).unwrap();
    let list = file.parts().unwrap();
    assert!(list.contains("\"page\""), "{list}");
    let part = file.part(1).unwrap().len();
    assert!(part > 0);
    let second = registry.decode(&path, &rgb().page(2)).unwrap();
    assert_eq!(file.open_part(1).unwrap().frame(0).unwrap().data(), second.data());
    assert!(file.part(99).is_err());
}
