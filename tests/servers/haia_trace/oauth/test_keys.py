"""Key files: what is taken for a key, and how they are followed."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any

import pytest
from joserfc.jwk import ECKey, OctKey, OKPKey, RSAKey
from token_issuer import SECRET, Issuer

from haia_trace_mcp.oauth import KeysUnavailable
from haia_trace_mcp.oauth.errors import KeyFileError
from haia_trace_mcp.oauth.key_file import FILE_BYTES, KeyFile
from haia_trace_mcp.oauth.keys import read_key_set, read_secret


def document(*keys: Any) -> bytes:
    return json.dumps({"keys": keys}).encode()


def public(key: RSAKey | ECKey | OKPKey, **changes: Any) -> dict[str, Any]:
    return {**key.as_dict(private=False), **changes}


def test_keys_are_for_the_one_algorithm_of_their_kind(issuer: Issuer) -> None:
    keys = read_key_set(issuer.jwks()).keys
    assert [(key.algorithm, key.kid) for key in keys] == [("RS256", "rsa-1"), ("ES256", "ec-1")]
    assert "PyJWK" not in repr(keys)


def test_keys_of_other_kinds_and_uses_are_passed_over(issuer: Issuer) -> None:
    others = [
        public(ECKey.generate_key("P-384")),
        public(OKPKey.generate_key("Ed25519")),
        public(issuer.rsa, use="enc", kid="a"),
        public(issuer.rsa, alg="RS512", kid="b"),
        public(issuer.rsa, alg="RSA-OAEP", kid="c"),
        public(issuer.rsa, key_ops=["encrypt"], kid="d"),
        {"kty": "AKP", "alg": "ML-DSA-44", "pub": "AA"},
    ]
    assert [key.kid for key in read_key_set(document(*others, public(issuer.rsa))).keys] == [
        "rsa-1"
    ]
    with pytest.raises(KeyFileError, match="no key for RS256 or ES256"):
        read_key_set(document(*others))


def test_the_same_name_may_be_given_once_for_each_algorithm(issuer: Issuer) -> None:
    one, other = public(issuer.rsa, kid="k"), public(issuer.elliptic, kid="k")
    assert len(read_key_set(document(one, other)).keys) == 2
    with pytest.raises(KeyFileError, match='two keys for RS256 are called "k"'):
        read_key_set(document(one, one, other))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no JWK Set"),
        (b"[]", "no JWK Set"),
        (b"\xff", "no JWK Set"),
        (b'{"keys": {}}', "no JWK Set"),
        (b'{"keys": [], "keys": []}', "named twice"),
        (b'{"keys": [' + b"[" * 5000, "no JWK Set"),
        (b'{"keys": []}', "no key for RS256"),
        (b'{"keys": [7]}', "key 0 is no JSON object"),
        (b'{"keys": [{"kty": "RSA", "kid": 7}]}', "kid is no string"),
        (b'{"keys": [{"kty": "RSA", "kid": "x"}]}', r'key 0 \("x"\) is broken'),
        (b'{"keys": [{"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}]}', "key 0 is broken"),
        (document(*[{}] * 65), "at most 64 keys"),
        (document(OctKey.import_key(SECRET).as_dict()), "shared secret"),
    ],
)
def test_what_is_no_usable_set_is_refused_with_its_reason(data: bytes, reason: str) -> None:
    with pytest.raises(KeyFileError, match=reason):
        read_key_set(data)


def test_a_set_with_a_private_or_weak_key_is_refused(issuer: Issuer) -> None:
    with pytest.raises(KeyFileError, match="private key") as caught:
        read_key_set(document(issuer.rsa.as_dict(private=True)))
    assert str(issuer.rsa.as_dict(private=True)["d"]) not in str(caught.value)
    with pytest.warns(UserWarning, match="2048"):
        weak = RSAKey.generate_key(1024)
    with pytest.raises(KeyFileError, match="fewer than 2048 bits"):
        read_key_set(document(public(weak)))


def test_a_secret_is_the_file_without_its_last_line_end() -> None:
    for data in (SECRET, SECRET + b"\n", SECRET + b"\r\n"):
        (key,) = read_secret(data).keys
        assert (key.algorithm, key.material) == ("HS256", SECRET)
        assert SECRET.decode() not in repr(key)


def test_what_is_too_weak_or_public_is_no_secret(issuer: Issuer) -> None:
    for data, reason in [
        (b"", "at least 32"),
        (b"x" * 31 + b"\n", "at least 32"),
        (b"x" * 4097, "at most 4096"),
        (issuer.rsa.as_pem(private=False), "is a key file"),
        (issuer.rsa.as_pem(private=True), "is a key file"),
        (issuer.jwks(), "is a key file"),
        (json.dumps(public(issuer.elliptic)).encode(), "is a key file"),
        (b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIxxx a@b", "is a key file"),
    ]:
        with pytest.raises(KeyFileError, match=reason):
            read_secret(data)


def follow(path: Path) -> KeyFile:
    return KeyFile(path, read_key_set)


def kids(file: KeyFile) -> list[str | None]:
    return [key.kid for key in file.current().keys]


def replace(path: Path, data: bytes) -> None:
    draft = path.with_suffix(".draft")
    draft.write_bytes(data)
    draft.replace(path)


def test_a_file_that_is_replaced_counts_at_once(issuer: Issuer, tmp_path: Path) -> None:
    path = tmp_path / "jwks.json"
    path.write_bytes(issuer.jwks(issuer.rsa))
    file = follow(path)
    assert kids(file) == ["rsa-1"]
    replace(path, issuer.jwks(issuer.elliptic))
    assert kids(file) == ["ec-1"]
    path.write_bytes(issuer.jwks())  # in place
    assert kids(file) == ["rsa-1", "ec-1"]


def test_a_change_that_leaves_size_and_times_is_seen(issuer: Issuer, tmp_path: Path) -> None:
    path = tmp_path / "jwks.json"
    path.write_bytes(issuer.jwks(issuer.rsa))
    file = follow(path)
    assert kids(file) == ["rsa-1"]
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"rsa-1", b"rsa-2"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert kids(file) == ["rsa-2"]


def test_a_file_that_did_not_change_for_long_is_not_read_again(
    issuer: Issuer, tmp_path: Path
) -> None:
    path = tmp_path / "jwks.json"
    path.write_bytes(issuer.jwks())
    os.utime(path, (1_700_000_000, 1_700_000_000))
    reads: list[bytes] = []

    def read(data: bytes) -> Any:
        reads.append(data)
        return read_key_set(data)

    file = KeyFile(path, read)
    assert file.current() is file.current()
    assert len(reads) == 1


@pytest.mark.parametrize("broken", [b"", b'{"keys": [', b'{"keys": []}', b" " * (FILE_BYTES + 1)])
def test_a_broken_file_leaves_no_keys_until_it_is_mended(
    issuer: Issuer, tmp_path: Path, broken: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "jwks.json"
    path.write_bytes(issuer.jwks())
    file = follow(path)
    assert len(kids(file)) == 2
    path.write_bytes(broken)
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            with pytest.raises(KeysUnavailable, match=r"jwks\.json"):
                file.current()
    assert len(caplog.records) == 1
    assert "no token is taken" in caplog.text
    replace(path, issuer.jwks())
    assert len(kids(file)) == 2


def test_a_file_that_is_taken_away_takes_its_keys_along(issuer: Issuer, tmp_path: Path) -> None:
    path = tmp_path / "jwks.json"
    path.write_bytes(issuer.jwks())
    file = follow(path)
    assert kids(file)
    path.unlink()
    with pytest.raises(KeysUnavailable, match="cannot be read"):
        file.current()
    path.mkdir()
    with pytest.raises(KeysUnavailable, match="no regular file"):
        file.current()
    path.rmdir()
    path.write_bytes(issuer.jwks())
    assert kids(file)


@pytest.mark.skipif(os.name == "nt", reason="no links and pipes to make")
def test_links_are_followed_and_pipes_hold_nobody_up(issuer: Issuer, tmp_path: Path) -> None:
    for name, key in (("one", issuer.rsa), ("two", issuer.elliptic)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "jwks.json").write_bytes(issuer.jwks(key))
    link = tmp_path / "now"
    link.symlink_to("one")
    file = follow(link / "jwks.json")
    assert kids(file) == ["rsa-1"]
    draft = tmp_path / "draft"
    draft.symlink_to("two")
    draft.replace(link)
    assert kids(file) == ["ec-1"]
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(KeysUnavailable, match="no regular file"):
        follow(tmp_path / "pipe").current()
