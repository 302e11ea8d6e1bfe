# SPDX-License-Identifier: Apache-2.0
import functools
import io
import os
import pathlib
import socket
import subprocess
import sys
import tarfile
import time
import urllib.request

import pytest

pa = pytest.importorskip("pyarrow")

import generated  # noqa: E402
import pyarrow.fs  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from imagecoders.manifest import Manifest, shards_of, write_manifest  # noqa: E402
from imagecoders.places import Place, places  # noqa: E402
from imagecoders.plan import main as plan_main  # noqa: E402
from imagecoders.plan import plan  # noqa: E402
from imagecoders.run import run_shard  # noqa: E402
from imagecoders.stages import thumbnails  # noqa: E402
from imagecoders.storage import retried  # noqa: E402

TINY = functools.partial(thumbnails, size=32)


def place(name, length):
    return Place(name, name, None, length)


def made_of(manifest, sink):
    """The rows of all shards, by id."""
    for name in Manifest.open(str(manifest)).names():
        run_shard(name, manifest=str(manifest), sink=str(sink), op=TINY)
    return {row["id"]: row for name in sorted(os.listdir(sink)) if name.endswith(".parquet")
            for row in pq.read_table(os.path.join(sink, name)).to_pylist()}


def test_shards_end_at_bytes_and_files():
    files = [place("a", 5), place("b", 5), place("c", 1), place("d", 20), place("e", 1), place("f", 1), place("g", 1), place("h", 1)]
    assert ["".join(file.id for file in shard) for shard in shards_of(files, 10, 3)] == ["ab", "c", "d", "efg", "h"]


def test_manifests_of_the_same_folder_are_the_same(tmp_path):
    generated.mixed(str(tmp_path / "pictures"), 2)
    for name in ("a", "b"):
        plan(str(tmp_path / "pictures"), str(tmp_path / name), max_files=5)
    a, b = (sorted((tmp_path / name).iterdir()) for name in ("a", "b"))
    assert [file.name for file in a] == ["_plan.json", "part-000000.parquet"]
    assert [file.read_bytes() for file in a] == [file.read_bytes() for file in b]
    with pytest.raises(FileExistsError):
        plan(str(tmp_path / "pictures"), str(tmp_path / "a"))


def test_manifests_of_many_shards_have_parts(tmp_path):
    made = write_manifest(str(tmp_path), "/nowhere", (place(str(index), 1) for index in range(2500)), [], max_files=1)
    assert made.shards == 2500 and sorted(os.listdir(tmp_path))[1:] == [f"part-{part:06d}.parquet" for part in range(3)]
    assert [made.rows(f"{index:06d}")[0].id for index in (0, 999, 1000, 2499)] == ["0", "999", "1000", "2499"]
    assert [ids for _, ids in made.shards_with_ids()] == [[str(index)] for index in range(2500)]
    with pytest.raises(ValueError):
        made.rows("002500")


def test_folders_are_listed_whole_in_the_order_of_names(tmp_path):
    names = ["b", "a/c.jpg", "a/b.JPG", "a.jpg", ".hidden", "ü.png", "100% #1?.gif"]
    for name in names:
        generated.write(str(tmp_path), name, b"no picture at all")
    odd = os.fsencode(tmp_path) + b"/\xff.jpg"
    with open(odd, "wb") as file:
        file.write(generated.BOMB)
    problems = []
    (tmp_path / "loop").symlink_to(".")
    found = list(places(str(tmp_path), problem=problems.append))
    assert [item.id for item in found] == [".hidden", "100% #1?.gif", "a/b.JPG", "a/c.jpg", "a.jpg", "b", "ü.png", "\\xff.jpg"]
    assert problems == ["loop: a link to a folder, which is not followed"]
    plan(str(tmp_path), str(tmp_path / "manifest"), skip=["manifest/*"])
    rows = made_of(tmp_path / "manifest", tmp_path / "sink")
    assert rows["\\xff.jpg"]["error"] == "limitExceeded" and rows["100% #1?.gif"]["error"] == "noCoder"


def packed(folder, pictures):
    """The files of a folder as two tars and as a table of Parquet; returns their ids, in order."""
    paths = sorted(path for path in pathlib.Path(pictures).rglob("*") if path.is_file())
    ids = [str(path.relative_to(pictures)) for path in paths]
    os.makedirs(folder / "tars")
    for part in range(2):
        with tarfile.open(folder / f"tars/{part}.tar", "w") as archive:
            for path, name in list(zip(paths, ids))[part::2]:
                archive.add(path, name)
    os.makedirs(folder / "tables")
    images = pa.StructArray.from_arrays([pa.array([path.read_bytes() for path in paths]), pa.array(ids)], ["bytes", "path"])
    pq.write_table(pa.table({"image": images, "id": ids}), folder / "tables/all.parquet", row_group_size=7)
    return ids


def test_files_tars_and_tables_give_equal_rows(tmp_path):
    expected = generated.mixed(str(tmp_path / "pictures"), 2)
    packed(tmp_path, tmp_path / "pictures")
    rows = {}
    for kind in ("pictures", "tars", "tables"):
        assert plan(str(tmp_path / kind), str(tmp_path / f"{kind}-manifest"), max_files=10).problems == ()
        made = made_of(tmp_path / f"{kind}-manifest", tmp_path / f"{kind}-sink")
        rows[kind] = {name.split(".tar/")[-1]: {**row, "id": None} for name, row in made.items()}
    assert rows["pictures"].keys() == expected.keys() and rows["tars"] == rows["tables"] == rows["pictures"]


def test_tars_are_read_where_their_members_are(tmp_path):
    long = "d/" * 60 + "long.ppm"
    with tarfile.open(tmp_path / "a.tar", "w", format=tarfile.GNU_FORMAT) as archive:
        for name, data in (("one.ppm", b"P6 1 1 255\nabc"), (long, b"P6 1 1 255\nxyz"), ("empty", b"")):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    data = (tmp_path / "a.tar").read_bytes()
    problems = []
    found = list(places(str(tmp_path / "a.tar"), problem=problems.append))
    assert [data[item.offset : item.offset + item.length] for item in found] == [b"P6 1 1 255\nabc", b"P6 1 1 255\nxyz", b""]
    assert [item.id for item in found] == ["a.tar/one.ppm", f"a.tar/{long}", "a.tar/empty"]
    assert problems == ["a.tar/link: no regular file, and not in the manifest"]


@pytest.mark.parametrize("damage, message", [
    (lambda data: data[:512] + b"\0" * 512 + data[1024:], None),
    (lambda data: data[:1024] + b"\xff" * 512 + data[1536:], "damaged at byte 1024"),
    (lambda data: data[:1536], "unexpected end of data: members after byte 2048"),
    (lambda data: b"text" * 200, "not in the manifest"), (lambda data: b"", "not in the manifest"),
])
def test_damage_of_tars_is_a_problem(tmp_path, damage, message):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name in ("one", "two"):
            member = tarfile.TarInfo(name)
            member.size = 512
            archive.addfile(member, io.BytesIO(bytes(range(256)) * 2))
    (tmp_path / "a.tar").write_bytes(damage(stream.getvalue()))
    problems = []
    list(places(str(tmp_path / "a.tar"), problem=problems.append))
    assert [message in problem for problem in problems] == ([True] if message else [])


def test_tables_without_pictures_are_a_problem(tmp_path, capsys):
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "a.parquet")
    (tmp_path / "b.parquet").write_bytes(b"PAR1 no table")
    generated.write(str(tmp_path), "c.ppm", b"P6 1 1 255\nabc")
    assert plan_main([str(tmp_path), str(tmp_path / "manifest")]) == 1
    printed = capsys.readouterr()
    assert "a.parquet: no column of bytes is named bytes or content or image or jpg or data; there are none" in printed.err
    assert "b.parquet: " in printed.err and printed.out == "1 files, 0.0 MB, in 1 shards\n"


def test_rows_of_a_table_are_read_at_any_place(tmp_path):
    values = [b"P6 1 1 255\n" + bytes([index]) * 3 for index in range(50)] + [None]
    pq.write_table(pa.table({"url": [f"u{index}" for index in range(51)], "content": values}), tmp_path / "a.parquet", row_group_size=20)
    plan(str(tmp_path / "a.parquet"), str(tmp_path / "manifest"), max_files=7)
    rows = made_of(tmp_path / "manifest", tmp_path / "sink")
    assert list(rows) == [f"u{index}" for index in range(51)] and rows["u50"]["message"] == "the row has no bytes"
    assert {row["status"] for name, row in rows.items() if name != "u50"} == {0}


def test_lists_and_patterns_choose_files(tmp_path):
    for name in ("a.ppm", "b.ppm", "b.json"):
        generated.write(str(tmp_path / "x"), name, b"P6 1 1 255\nabc")
    plan(str(tmp_path / "x"), str(tmp_path / "m"), match=["*.ppm"], skip=["a*"])
    assert [item.id for item in Manifest.open(str(tmp_path / "m")).rows("000000")] == ["b.ppm"]
    (tmp_path / "list").write_text(f"a.ppm\t14\n{tmp_path}/x/b.ppm\n")
    assert plan_main([str(tmp_path / "x"), str(tmp_path / "n"), "--list", str(tmp_path / "list")]) == 0
    assert [row["status"] for row in made_of(tmp_path / "n", tmp_path / "sink").values()] == [0, 0]


def test_passwords_and_missing_folders_are_refused(tmp_path, capsys):
    with pytest.raises(ValueError, match="password"):
        plan("s3://key:secret@bucket/x", str(tmp_path / "m"))
    assert plan_main([str(tmp_path / "nowhere"), str(tmp_path / "m")]) == 2
    assert plan_main([str(tmp_path), str(tmp_path / "m"), "--bytes-column", "x"]) == 0


@pytest.fixture(scope="module")
def bucket(tmp_path_factory):
    """A server of S3 on this machine, and what an address needs to reach it."""
    pytest.importorskip("moto")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    os.environ.update(AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_EC2_METADATA_DISABLED="true")
    server = subprocess.Popen([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/").close()
                break
            except OSError:
                time.sleep(0.1)
        query = f"?endpoint_override=127.0.0.1:{port}&scheme=http&region=us-east-1&allow_bucket_creation=true"
        filesystem, _ = pa.fs.FileSystem.from_uri("s3://pictures" + query)
        for name in ("pictures", "results"):
            filesystem.create_dir(name)
        yield query, filesystem
    finally:
        server.terminate()
        server.wait()


def test_object_stores_give_what_folders_give(tmp_path, bucket):
    query, filesystem = bucket
    generated.mixed(str(tmp_path / "pictures"), 1)
    packed(tmp_path, tmp_path / "pictures")
    for kind in ("pictures", "tars", "tables"):
        local = tmp_path / kind
        for path in local.rglob("*"):
            if path.is_file():
                with filesystem.open_output_stream(f"pictures/{kind}/{path.relative_to(local)}") as stream:
                    stream.write(path.read_bytes())
        there, here = f"s3://pictures/{kind}{query}", str(local)
        manifest, sink = f"s3://results/{kind}-manifest{query}", f"s3://results/{kind}{query}"
        remote = plan(there, manifest, max_files=6)
        plan(here, str(tmp_path / f"{kind}-manifest"), max_files=6)
        assert remote.problems == () and remote.shards > 1
        for name in remote.names():
            report = run_shard(name, manifest=manifest, sink=sink, op=TINY)
            assert (report.shards, report.skipped) == (1, 0)
            assert run_shard(name, manifest=manifest, sink=sink, op=TINY).skipped == 1
            run_shard(name, manifest=str(tmp_path / f"{kind}-manifest"), sink=str(tmp_path / f"{kind}-sink"), op=TINY)
            with filesystem.open_input_file(f"results/{kind}/{name}.parquet") as stream:
                assert stream.read() == (tmp_path / f"{kind}-sink/{name}.parquet").read_bytes()
        left = filesystem.get_file_info(pa.fs.FileSelector(f"results/{kind}/_journal", recursive=True, allow_not_found=True))
        assert [info.path for info in left if info.is_file] == []


def test_errors_that_may_pass_are_tried_again(monkeypatch):
    waited = []
    monkeypatch.setattr(time, "sleep", waited.append)
    answers = [OSError("busy"), OSError("busy"), b"bytes"]

    def read():
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert retried(read) == b"bytes" and waited == [0.25, 1.0]
    answers[:] = [FileNotFoundError("gone"), b"bytes"]
    with pytest.raises(FileNotFoundError):
        retried(read)
    answers[:] = [OSError(str(attempt)) for attempt in range(9)]
    with pytest.raises(OSError, match="3"):
        retried(read)


def test_addresses_of_fsspec_are_read(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe("/pictures/a.ppm", b"P6 1 1 255\nabc")
    plan("memory://pictures", str(tmp_path / "manifest"))
    run_shard("000000", manifest=str(tmp_path / "manifest"), sink="memory://sink", op=TINY)
    assert pq.read_table(io.BytesIO(memory.cat("/sink/000000.parquet"))).column("status").to_pylist() == [0]
