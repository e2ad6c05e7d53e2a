"""Audits of collections of the catalogue."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import hashlane
from cluster import Store
from conftest import Command
from hashlane import CollectionVerdict


@pytest.fixture
def catalog(tree: Path, command: Command) -> Path:
    path = tree.parent / "catalog.sqlite"
    added = command("collection", "add", "--catalog", path, "photos", tree, "--living", cwd=tree.parent)
    assert added.returncode == 0, added.stderr
    return path


def test_one_flipped_byte_is_named_and_recorded(tree: Path, catalog: Path, command: Command) -> None:
    first = hashlane.audit_collection("photos", catalog)
    report = first.report()
    assert report.passed and report.ended == "complete", report
    assert report.counts == {CollectionVerdict.REGISTERED: 304} and report.files == 304
    second = hashlane.audit_collection("photos", catalog)
    assert list(second) == [] and second.report().counts == {CollectionVerdict.INTACT: 304}

    path = tree / "3" / "file 101"
    times = path.stat()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    findings = hashlane.audit_collection("photos", catalog, reason="a test")
    (found,) = findings
    assert found.path == "3/file 101"
    # Whether it counts as written depends on how soon after it was made it was read.
    assert found.verdict in {CollectionVerdict.CHANGED, CollectionVerdict.CORRUPT}
    report = findings.report()
    assert not report.passed and report.counts[CollectionVerdict.INTACT] == 303
    # The command knows of it, too.
    status = command("status", "--catalog", catalog, cwd=tree.parent)
    assert f"1 {found.verdict.value}".encode() in status.stdout, status
    # What stands against a collection makes each later audit fail.
    assert not hashlane.audit_collection("photos", catalog, due=True).report().passed


def test_what_cannot_be_audited_is_an_error(tree: Path, catalog: Path) -> None:
    with pytest.raises(hashlane.Error, match="no collection is named films") as raised:
        hashlane.audit_collection("films", catalog)
    assert raised.value.filename == str(catalog)
    with pytest.raises(hashlane.Error, match="there is no catalogue") as raised:
        hashlane.audit_collection("photos", tree.parent / "none.sqlite")
    assert raised.value.filename == str(tree.parent / "none.sqlite")
    tree.rename(tree.parent / "elsewhere")
    report = hashlane.audit_collection("photos", catalog).report()
    assert report.ended == "offline" and not report.passed and str(tree) in report.problems[0]


def test_an_audit_that_is_refused_leaves_an_old_catalogue_as_it_is(tmp_path: Path) -> None:
    fixtures = Path(__file__).parents[2] / "tests" / "fixtures" / "catalogues"
    old = tmp_path / "catalog.sqlite"
    shutil.copy(fixtures / "version-4.sqlite", old)
    before = old.read_bytes()
    with pytest.raises(hashlane.Error, match="no collection is named no-such"):
        hashlane.audit_collection("no-such", old)
    assert old.read_bytes() == before and list(tmp_path.iterdir()) == [old]


def test_an_audit_that_was_interrupted_goes_on(
    tree: Path, catalog: Path, interrupt_soon: Callable[[], None]
) -> None:
    # It takes seconds to digest, and no room.
    os.truncate(tree / "large", 2 << 30)
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        hashlane.audit_collection("photos", catalog).report()
    report = hashlane.audit_collection("photos", catalog).report()
    assert report.ended == "complete" and report.passed


def test_the_catalogue_is_that_of_the_command(catalog: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(catalog.parent / "other"))
    with pytest.raises(hashlane.Error):
        hashlane.audit_collection("photos")
    monkeypatch.setenv("HASHLANE_CATALOG", str(catalog))
    assert hashlane.audit_collection("photos").report().files == 304


def test_a_collection_in_an_object_store_is_audited(
    tmp_path: Path, command: Command, store: Store | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if store is None:
        pytest.skip("HASHLANE_VERSITYGW names no server")
    (store.folder / "kept").mkdir()
    names = [f"photos/{number % 3}/{number}" for number in range(20)]
    for name in names:
        store.put("kept", name, name.encode() * 100)
    catalog = tmp_path / "catalog.sqlite"
    added = command("collection", "add", "--catalog", catalog, "photos", "s3://kept/photos", cwd=tmp_path)
    assert added.returncode == 0, added.stderr
    # Neither the process nor the catalogue has what is signed with.
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name)
    keys = {name: store.environment[name] for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
    report = hashlane.audit_collection("photos", catalog, credentials=keys).report()
    assert report.passed and report.ended == "complete", report
    assert report.counts == {CollectionVerdict.REGISTERED: 20} and report.files == 20

    damaged = store.folder / "kept" / "photos" / "1" / "4"
    content = damaged.read_bytes()
    damaged.write_bytes(content.replace(b"photos", b"fotoss", 1))
    profile = tmp_path / "credentials"
    profile.write_text("[backup]\naws_access_key_id = {}\naws_secret_access_key = {}\n".format(*keys.values()))
    of_profile = {"AWS_PROFILE": "backup", "AWS_SHARED_CREDENTIALS_FILE": str(profile)}
    findings = hashlane.audit_collection("photos", catalog, credentials=of_profile)
    (found,) = findings
    assert found.path == "1/4" and found.verdict in {CollectionVerdict.CHANGED, CollectionVerdict.CORRUPT}
    assert not findings.report().passed

    # Requests that do not suffice are no stop.
    with pytest.raises(hashlane.Error, match="the limit on requests was reached before the collection was listed"):
        hashlane.audit_collection("photos", catalog, credentials=keys, max_requests=1)

    wrong = {**keys, "AWS_SECRET_ACCESS_KEY": "wrong"}
    report = hashlane.audit_collection("photos", catalog, credentials=wrong).report()
    assert not report.passed and report.files == 0, report
    assert "SignatureDoesNotMatch" in report.problems[0]
    secrets = keys["AWS_SECRET_ACCESS_KEY"].encode()
    assert all(secrets not in file.read_bytes() for file in tmp_path.glob("catalog.sqlite*"))


def test_while_all_audits_are_paused_none_is_begun(tree: Path, catalog: Path, command: Command) -> None:
    paused = command("audit", "--pause-all", "--catalog", catalog, cwd=tree.parent)
    assert paused.returncode == 0, paused.stderr
    with pytest.raises(hashlane.Error, match="has paused all audits"):
        hashlane.audit_collection("photos", catalog)
    command("audit", "--resume-all", "--catalog", catalog, cwd=tree.parent)
    assert hashlane.audit_collection("photos", catalog).report().passed


def test_options_of_stores_are_not_for_directories(catalog: Path) -> None:
    with pytest.raises(hashlane.Error, match="are for collections in object stores"):
        hashlane.audit_collection("photos", catalog, region="eu-west-1")
