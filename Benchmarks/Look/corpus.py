# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures by which encoders are compared at the same look.

usage: corpus.py PACKAGES FOLDER [HELD]

PACKAGES has Debian's plasma-workspace-wallpapers and mate-backgrounds as `dpkg-deb -x` unpacks them, and scikit-image's wheel.
Names begin with p for photographs and g for graphics. Photographs are made half as large or smaller, so that nothing is left of the
compression that they have been through. HELD gets twelve others, by which no number was searched.
"""

import io
import random
import sys
import zipfile
from pathlib import Path

from PIL import Image, ImageDraw

PLASMA = "Autumn BytheWater ColdRipple ColorfulCups DarkestHour EveningGlow FallenLeaf Grey Kite OneStandsOut Path".split()
MATE = "Blinds Dune Garden LadyBird RainDrops Storm TwoWings Wood YellowFlower".split()
SCIKIT = "astronaut chelsea coffee motorcycle_left".split()


# Divisors of pictures that no number was searched by.
HELD_MATE = {"Aqua": 2, "FreshFlower": 2, "GreenMeadow": 2}
HELD_SCIKIT = {"hubble_deep_field.jpg": 2, "rocket.jpg": 1, "retina.jpg": 2, "ihc.png": 1}
HELD_PLASMA = {"MilkyWay": "p", "Elarun": "g", "Canopee": "g", "PastelHills": "g"}


def reduced(path, divisor):
    picture = Image.open(path).convert("RGB")
    return picture.resize((picture.width // divisor, picture.height // divisor), Image.LANCZOS)


def window(seed):
    """A screen: a bar, a list, and lines of text, drawn without fonts of the system."""
    random.seed(seed)
    picture = Image.new("RGB", (960, 640), (250, 250, 252) if seed % 2 else (30, 32, 38))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, 960, 34), fill=(52, 101, 164))
    draw.rectangle((0, 34, 180, 640), fill=(233, 236, 240) if seed % 2 else (44, 46, 54))
    ink = (20, 20, 30) if seed % 2 else (220, 220, 220)
    letters = "etaoinshrdlucmfwypvbgk"
    for y in range(48, 620, 14):
        line = " ".join("".join(random.choices(letters, k=random.randint(1, 9))) for _ in range(16))
        draw.text((200, y), line, fill=ink)
        draw.text((12, y), line[:22], fill=(120, 130, 150))
    return picture


def save(made, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in made.items():
        picture.save(folder / f"{name}.png", compress_level=3, icc_profile=None)


def held(plasma, mate, wheel):
    """Twelve pictures: eight photographs and four drawings and screens."""
    made = {f"p_{name.lower()}": reduced(mate / "nature" / f"{name}.jpg", divisor) for name, divisor in HELD_MATE.items()}
    for name, divisor in HELD_SCIKIT.items():
        made[f"p_{name.split('.')[0]}"] = reduced(io.BytesIO(wheel.read(f"skimage/data/{name}")), divisor)
    for name, kind in HELD_PLASMA.items():
        path = max((plasma / name / "contents/images").glob("*.*"), key=lambda path: path.stat().st_size)
        picture = Image.open(path).convert("RGB")
        picture.thumbnail((1000, 1000), Image.LANCZOS)
        made[f"{kind}_{name.lower()}"] = picture
    made["g_window"] = window(5)
    return made


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    packages, folder = Path(sys.argv[1]), Path(sys.argv[2])
    plasma, mate = packages / "usr/share/wallpapers", packages / "usr/share/backgrounds/mate"
    made = {}
    for name in PLASMA:
        made[f"p_{name.lower()}"] = reduced(plasma / name / "contents/images/2560x1600.jpg", 3)
    for name in MATE:
        made[f"p_{name.lower()}"] = reduced(mate / "nature" / f"{name}.jpg", 2)
    wheel = zipfile.ZipFile(next(packages.glob("scikit_image*.whl")))
    for name in SCIKIT:
        made[f"p_{name}"] = Image.open(io.BytesIO(wheel.read(f"skimage/data/{name}.png"))).convert("RGB")
    made["g_konqui"] = reduced(plasma / "FlyingKonqui/contents/images/2560x1600.png", 2)
    made["g_patak"] = reduced(plasma / "Patak/contents/images/5120x2880.png", 5)
    made["g_shell"] = reduced(plasma / "Shell/contents/images/5120x2880.jpg", 5)
    made["g_screen_dark"], made["g_screen_light"] = window(2), window(3)
    save(made, folder)
    if len(sys.argv) == 4:
        save(held(plasma, mate, wheel), Path(sys.argv[3]))


main()
