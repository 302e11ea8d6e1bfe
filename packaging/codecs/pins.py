# SPDX-License-Identifier: Apache-2.0
"""The pinned libraries of codecs.json, and how their archives are fetched."""
import functools
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import urllib.request
from pathlib import Path

folder = Path(__file__).resolve().parent
pins = json.loads((folder / "codecs.json").read_text(encoding="utf-8"))
libraries = {library["name"]: library for library in pins["libraries"]}
cache = Path(os.environ.get("CODECS_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "imagecoders/codecs")


class FetchError(Exception):
    pass


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@functools.cache
def output(*command):
    """What a command prints, or nothing if it is not here."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


@functools.cache
def mirrors():
    """Debian's archive as this machine is set up to reach it, and where it is for everybody."""
    configured = output("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages").split()
    return list(dict.fromkeys([uri.rstrip("/") for uri in configured if "security" not in uri] + ["http://deb.debian.org/debian"]))


def python_index():
    """Where this machine's pip looks packages up."""
    set_by_hand = os.environ.get("PIP_INDEX_URL") or output("python3", "-m", "pip", "config", "get", "global.index-url").strip()
    return (set_by_hand or "https://pypi.org/simple").rstrip("/")


def python_files(project):
    """The files of a project on the Python index, as PEP 691 has them."""
    request = urllib.request.Request(f"{python_index()}/{project}/", headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["files"]


def addresses(source):
    """Where an archive may be, the best place first. A pool forgets versions; the snapshot of a day does not."""
    if "pypi" in source:
        # Not `pip download`, which runs the package's own program to learn its name.
        yield from (file["url"] for file in python_files(source["pypi"]) if file["filename"] == source["file"])
    else:
        yield from (f"{mirror}/pool/main/{source['pool']}" for mirror in mirrors())
        yield f"https://snapshot.debian.org/archive/debian/{pins['snapshot']}/pool/main/{source['pool']}"


def download(address, path, checksum):
    """By apt's own client, which knows this machine's proxies and keys, if it is here."""
    helper = "/usr/lib/apt/apt-helper"
    if "/pool/main/" in address and os.access(helper, os.X_OK):
        # As another user than root it could not write here.
        command = [helper, "-o", "APT::Sandbox::User=root", "download-file", address, str(path), f"SHA256:{checksum}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            raise OSError(" ".join(line for line in done.stderr.splitlines() if line.startswith("E:")) or "it is not there")
    else:
        with urllib.request.urlopen(address, timeout=60) as answer, open(path, "wb") as file:
            shutil.copyfileobj(answer, file)


def archive(source):
    """The file of a source, fetched unless it is here, with the checksum that it is pinned to."""
    name = source.get("file") or Path(source["pool"]).name
    path = cache / "archives" / name
    if path.exists() and sha256(path) == source["sha256"]:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    tried = []
    with tempfile.TemporaryDirectory(dir=path.parent) as place:
        fetched = Path(place) / name
        try:
            for address in addresses(source):
                try:
                    download(address, fetched, source["sha256"])
                    found = sha256(fetched)
                    if found == source["sha256"]:
                        fetched.replace(path)
                        return path
                    tried.append(f"{address} has SHA-256 {found}")
                except (OSError, subprocess.SubprocessError) as error:
                    tried.append(f"{address}: {error}")
        except OSError as error:
            tried.append(f"{python_index()}: {error}")
    raise FetchError(f"{name} with SHA-256 {source['sha256']} was not found:\n  " + "\n  ".join(tried or ["no place has it"]))
