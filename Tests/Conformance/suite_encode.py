# SPDX-License-Identifier: Apache-2.0
"""What is written, read again by decoders of others: stills without loss, lossy ones beside the reference encoders, and
animations frame by frame."""

import glob
import os
import subprocess
import tempfile

import numpy

import encoded
from encoded import DECODERS, MOVIES
from score import Score, difference, visible
from suite_jpeg import short

# What formats cannot hold without loss is refused, and counts as right when it is.
REFUSALS = ("lossless", "partly transparent", "partial", "holds 8 bits", "unsupported")


def run(digest, corpora):
    with tempfile.TemporaryDirectory() as folder:
        sources = {}
        for name, pixels in encoded.pictures().items():
            sources[name] = os.path.join(folder, name.replace(" ", "-") + ".png")
            encoded.save(sources[name], pixels)
        return [exact(digest, folder, sources), lossy(digest, folder, sources), animations(digest, corpora, folder)]


def exact(digest, folder, sources):
    score = Score("Encoded, stills without loss", "decoders of others, exact")
    for extension, read in DECODERS.items():
        if extension == "jpg":
            continue
        for name, pixels in encoded.pictures().items():
            target = os.path.join(folder, f"out.{extension}")
            said = encoded.convert(digest, sources[name], target, "--lossless")
            label = f"{name} as {extension}"
            if said is not None:
                score.add(label, None if any(word in said for word in REFUSALS) else said)
                continue
            try:
                found = read(target)
            except Exception as error:  # a file that the other decoder does not read is ours to explain
                score.add(label, f"not read: {error}")
                continue
            wanted = encoded.rgba(pixels)
            if found.dtype != wanted.dtype:
                found, wanted = sixteen(found), sixteen(wanted)
            score.add(label, difference(visible(found), visible(wanted)))
    return score


def sixteen(pixels):
    return pixels.astype(numpy.uint16) * 257 if pixels.dtype == numpy.uint8 else pixels


def lossy(digest, folder, sources):
    """As near to the picture as the reference encoder comes at the same settings, to 0.2 dB."""
    score = Score("Encoded, lossy stills", "the format's own encoder at the same settings, within 0.2 dB")
    source = os.path.join(folder, "photo.ppm")
    pixels = encoded.pictures()["photo"]
    with open(source, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (pixels.shape[1], pixels.shape[0]) + pixels.tobytes())
    cases = [
        (f"JPEG at {q}, {s}", "jpg", ["--quality", str(q / 100), "--subsampling", s],
         ["cjpeg", "-quality", str(q), "-sample", {"420": "2x2", "422": "2x1", "444": "1x1"}[s], "-outfile", "{}", source])
        for q in (50, 75, 90) for s in ("420", "422", "444")]
    cases += [
        (f"WebP at {q}, method {m}", "webp", ["--quality", str(q / 100), "--option", f"method={m}"],
         ["cwebp", "-quiet", "-q", str(q), "-m", str(m), source, "-o", "{}"]) for q in (50, 80) for m in (0, 4, 6)]
    cases += [
        (f"JPEG XL at distance {d}", "jxl", ["--option", f"distance={d}"], ["cjxl", "--quiet", source, "{}", "-d", str(d)])
        for d in (1, 3)]
    for label, extension, options, reference in cases:
        ours, theirs = (os.path.join(folder, f"{name}.{extension}") for name in ("ours", "theirs"))
        said = encoded.convert(digest, source, ours, *options)
        if said is not None:
            score.add(label, said)
            continue
        subprocess.run([part.format(theirs) for part in reference], capture_output=True, check=True)
        near = [encoded.psnr(DECODERS[extension](path), pixels) for path in (ours, theirs)]
        problem = f"{near[0]:.2f} dB where the reference has {near[1]:.2f}" if near[0] < near[1] - 0.2 else None
        score.add(label, problem)
    return score


def animations(digest, corpora, folder):
    """Animations of the suites to every animated format: what is shown, for how long, and how often."""
    score = Score("Encoded, animations", "decoders of others, frame by frame; exact, GIF of many colors above 30 dB")
    for path, movie in sources_of(corpora):
        # Of WebP, decoders round differently where frames blend.
        tolerance = 1 if path.endswith(".webp") else 0
        is_partial = any(((frame[:, :, 3] % 255) != 0).any() for frame in movie.frames)
        for extension, read in MOVIES.items():
            if path.endswith("." + extension) or extension == "gif" and is_partial:
                continue
            target = os.path.join(folder, f"movie.{extension}")
            if movie.frames[0].size * len(movie.frames) > 40_000_000 and extension in ("avif", "jxl"):
                continue
            said = encoded.convert(digest, path, target, *([] if extension == "gif" else ["--lossless"]))
            label = f"{short(path)} as {extension}"
            score.add(label, said if said is not None else compared(read(target), movie, extension, tolerance))
    return score


def sources_of(corpora):
    """Animations whose own decoders agree with the specification: GIF and WebP as Pillow shows them."""
    found = 0
    for path in sorted(glob.glob(f"{corpora}/**/*.gif", recursive=True) + glob.glob(f"{corpora}/**/*.webp", recursive=True)):
        if found == 40:
            return
        try:
            movie = encoded.pillow_movie(path)
        except Exception:  # broken, or not what its name says
            continue
        # Frames without a delay are parts of one picture; and Pillow has a ground of its own for one file.
        if sum(movie.delays) == 0 or path.endswith("dispose-restore-background.gif"):
            continue
        if 1 < len(movie.frames) <= 80 and movie.frames[0].size <= 4_000_000:
            found += 1
            yield path, movie


def compared(found, wanted, extension, tolerance):
    if len(found.frames) != len(wanted.frames):
        return f"{len(found.frames)} frames of {len(wanted.frames)}"
    if found.plays is not None and found.plays != wanted.plays:
        return f"{found.plays} plays of {wanted.plays}"
    if abs(sum(found.delays) - sum(wanted.delays)) > 0.006:
        return f"{sum(found.delays):.3f} s of {sum(wanted.delays):.3f}"
    for index, (ours, theirs) in enumerate(zip(found.frames, wanted.frames)):
        if abs(found.delays[index] - wanted.delays[index]) > 0.006:
            return f"frame {index}: {found.delays[index]} s of {wanted.delays[index]}"
        problem = difference(visible(ours), visible(theirs), tolerance)
        if problem and extension == "gif" and encoded.psnr(visible(ours), visible(theirs)) > 30:
            problem = None
        if problem:
            return f"frame {index}: {problem}"
    return None
