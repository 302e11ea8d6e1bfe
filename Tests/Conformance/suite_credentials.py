# SPDX-License-Identifier: Apache-2.0
"""Content credentials beside c2pa-python: files that it signs, what we say of them, and what is left of them."""

import json
import os
import subprocess
import tempfile

import c2pa
import pillow_heif
from PIL import Image

from encoded import CODERS
from score import Score

TYPES = {
    "jpg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp", "tif": "image/tiff",
    "avif": "image/avif", "heic": "image/heic", "jxl": "image/jxl", "svg": "image/svg+xml"}
# What a camera, an editor and a signer with a second claim would write.
ASSERTIONS = [
    {"label": "c2pa.actions", "data": {"actions": [{
        "action": "c2pa.created",
        "digitalSourceType": "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"}]}},
    {"label": "org.example.light", "data": {"meter": 12.5}}]
# C2PA Technical Specification 2.1 §14.5: what the certificate of a signer has to state.
CERTIFICATES = """
[req]
distinguished_name = name
[name]
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[signer]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = emailProtection
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
"""


def run(digest, _corpora):
    said = Score("Content credentials", "c2pa-python")
    kept = Score("Content credentials kept or named", "c2pa-python")
    with tempfile.TemporaryDirectory() as folder:
        signer = signer_info(folder)
        make_pictures(folder, digest)
        for extension, media_type in TYPES.items():
            try:
                path = sign(folder, extension, media_type, signer)
            except c2pa.C2paError as failure:
                said.note(f"{extension}: c2pa-python signs none: {failure}")
                continue
            said.add(extension, compare(digest, path, media_type))
            # A second manifest, whose ingredient is the first.
            again = sign(folder, extension, media_type, signer, source=path)
            said.add(f"{extension}, twice", compare(digest, again, media_type))
            for name, problem in operations(digest, folder, path, media_type):
                kept.add(f"{extension}, {name}", problem)
    return [said, kept]


def signer_info(folder):
    """A root and a signer with one of its certificates, made for this run."""

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    def read(name):
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()

    with open(os.path.join(folder, "certificates.cnf"), "w", encoding="ascii") as file:
        file.write(CERTIFICATES)
    for name in ("root", "signer"):
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", f"{name}.key")
    common = ["-sha256", "-days", "30", "-out"]
    openssl("req", "-x509", "-new", "-key", "root.key", "-subj", "/CN=Example Root/O=Example Roots", "-config",
            "certificates.cnf", "-extensions", "root", *common, "root.pem")
    openssl("req", "-new", "-key", "signer.key", "-subj", "/CN=Example Signer/O=Example House", "-config",
            "certificates.cnf", "-out", "signer.csr")
    openssl("x509", "-req", "-in", "signer.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-extfile",
            "certificates.cnf", "-extensions", "signer", *common, "signer.pem")
    return c2pa.C2paSignerInfo(
        alg=c2pa.C2paSigningAlg.ES256, sign_cert=read("signer.pem") + read("root.pem"), private_key=read("signer.key"),
        ta_url=None)


def make_pictures(folder, digest):
    pillow_heif.register_heif_opener()
    picture = Image.linear_gradient("L").convert("RGB").resize((96, 64))
    for extension in ("jpg", "png", "gif", "webp", "tif", "avif", "heic"):
        picture.save(os.path.join(folder, f"a.{extension}"))
    # JPEG XL has a container for its Exif alone.
    picture.save(os.path.join(folder, "exif.png"), exif=b"Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0")
    coders(digest, "convert", os.path.join(folder, "exif.png"), os.path.join(folder, "a.jxl"))
    with open(os.path.join(folder, "a.svg"), "w", encoding="ascii") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="96" height="64"><rect width="9" height="9"/></svg>')


def coders(digest, verb, *arguments):
    return subprocess.run(
        [CODERS, verb, "--plugin-dir", digest.plugins, *arguments], capture_output=True, text=True, check=False)


def sign(folder, extension, media_type, signer, source=None):
    """The path of a signed file: of `source`, or of the plain picture."""
    is_first = source is None
    target = os.path.join(folder, f"{'signed' if is_first else 'again'}.{extension}")
    manifest = {
        "claim_generator_info": [{"name": "Example Camera" if is_first else "Example Editor", "version": "2.5"}],
        "title": f"picture of {extension}", "format": media_type, "assertions": ASSERTIONS if is_first else ASSERTIONS[1:]}
    builder = c2pa.Builder(manifest)
    if not is_first:
        builder.set_intent(c2pa.C2paBuilderIntent.EDIT)
    with open(source or os.path.join(folder, f"a.{extension}"), "rb") as given, open(target, "w+b") as made:
        builder.sign(c2pa.Signer.from_info(signer), media_type, given, made)
    return target


def stored(path, media_type):
    """What c2pa-python says of a file's active manifest and of its bytes; None where there is no manifest."""
    try:
        with open(path, "rb") as file:
            found = json.loads(c2pa.Reader(media_type, file).detailed_json())
    except c2pa.C2paError as failure:
        if "ManifestNotFound" in str(failure) or "no JUMBF" in str(failure):
            return None
        raise
    return found


def compare(digest, path, media_type):
    found = stored(path, media_type)
    if found is None or found["validation_state"] != "Valid":
        return f"c2pa-python takes its own file for {found and found['validation_state']}"
    active = found["manifests"][found["active_manifest"]]
    claim = active.get("claim.v2") or active["claim"]
    generator = claim["claim_generator_info"]
    generator = generator[0] if isinstance(generator, list) else generator
    signature = active["signature"]
    expected = {
        "assertions": sorted(active["assertion_store"]), "generator": f"{generator['name']} {generator['version']}",
        "manifests": len(found["manifests"]), "organization": signature["issuer"], "signer": signature["common_name"],
        "title": claim["dc:title"]}
    answer = json.loads(coders(digest, "probe", "--json", path).stdout)["files"][0]
    said = answer.get("credentials")
    if said is None:
        return f"no credentials where c2pa-python has {expected}"
    said["assertions"].sort()
    return None if said == expected else f"{said} where c2pa-python has {expected}"


def operations(digest, folder, path, media_type):
    """Each way of making a file of a signed one: its name, and what is wrong with what became of the credentials."""
    extension = path.rsplit(".", 1)[-1]
    ways = {"edit": ["metadata", "--set", "dc:title=New"], "strip": ["metadata", "--strip", "text"]}
    targets = ("png",) if extension == "svg" else (extension, "png" if extension != "png" else "jpg")
    for target in targets:
        ways[f"convert to {target}"] = ["convert"]
    for name, words in ways.items():
        target = name.rsplit(" ", 1)[-1] if words == ["convert"] else extension
        made = os.path.join(folder, f"made.{target}")
        if os.path.exists(made):
            os.remove(made)
        answer = coders(digest, words[0], "--json", *words[1:], path, "-o", made)
        if not os.path.exists(made):
            continue
        left = stored(made, TYPES[target])
        report = answer.stdout + answer.stderr
        if left is not None and left["validation_state"] == "Valid":
            yield name, None
        elif left is not None:
            yield name, f"credentials are left that no longer hold: {left['validation_state']}"
        elif "C2PA" not in report:
            yield name, f"the credentials are gone, and nothing says so: {report[:300]}"
        else:
            yield name, None
