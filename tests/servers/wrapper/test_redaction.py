"""Secrets are replaced in the log, however they are spelled."""

from __future__ import annotations

import json
from urllib.parse import quote

from mcp_wrapper_scaffold.redaction import MARK, MAX_VALUES, Redaction

KEY_LINES = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"]
PEM = "-----BEGIN PRIVATE KEY-----\n" + "\n".join(KEY_LINES) + "\n-----END PRIVATE KEY-----\n"
ACCOUNT = json.dumps(
    {
        "type": "service_account",
        "private_key_id": "0123456789abcdef0123456789abcdef",
        "private_key": PEM,
        "client_email": "reader@project.iam.gserviceaccount.com",
        "token_uri": "https://oauth2.googleapis.com/token",
    }
)


def cleaner(*values: str) -> Redaction:
    redaction = Redaction()
    for value in values:
        redaction.learn(value)
    return redaction


def test_a_secret_is_replaced_wherever_it_stands() -> None:
    assert cleaner("sesame-1").clean("a sesame-1, xsesame-1x") == f"a {MARK}, x{MARK}x"


def test_escaped_and_encoded_spellings_are_replaced_too() -> None:
    secret = 'se"same\\ö &/+'
    redaction = cleaner(secret)
    for spelling in (secret, json.dumps(secret)[1:-1], repr(secret)[1:-1], quote(secret, safe="")):
        assert redaction.clean(f"<{spelling}>") == f"<{MARK}>", spelling


def test_parts_of_a_service_account_are_replaced_and_its_addresses_are_not() -> None:
    redaction = cleaner(ACCOUNT)
    for part in (*KEY_LINES, PEM, repr(PEM), "0123456789abcdef0123456789abcdef", ACCOUNT):
        assert part not in redaction.clean(f"error near {part} here")
    kept = "reader@project.iam.gserviceaccount.com at https://oauth2.googleapis.com/token"
    assert redaction.clean(kept) == kept


def test_lines_of_a_key_on_its_own_are_replaced() -> None:
    assert KEY_LINES[1] not in cleaner(PEM).clean(f"bad base64: {KEY_LINES[1]}")


def test_words_too_short_for_a_secret_stay() -> None:
    assert cleaner("a", "missing").clean("a missing") == "a missing"


def test_the_oldest_secrets_are_forgotten() -> None:
    redaction = cleaner(*(f"secret-{number:04}" for number in range(MAX_VALUES + 1)))
    assert redaction.clean("secret-0000") == "secret-0000"
    assert redaction.clean("secret-0001") == MARK


def test_a_secret_that_is_in_use_is_not_forgotten() -> None:
    redaction = cleaner("in-use-secret")
    for number in range(MAX_VALUES * 2):
        redaction.learn(f"secret-{number:04}")
        redaction.learn("in-use-secret")
    assert redaction.clean("in-use-secret") == MARK


def test_a_traceback_is_cleaned_with_its_causes() -> None:
    redaction = cleaner("sesame-open")
    try:
        try:
            raise KeyError("sesame-open")
        except KeyError as error:
            raise RuntimeError("no sesame-open") from error
    except RuntimeError as error:
        text = redaction.format_exception(error)
    assert "sesame-open" not in text
    assert text.count(MARK) >= 2
    assert "KeyError" in text


def test_json_that_is_no_object_or_too_deep_is_a_secret_like_any_other() -> None:
    for value in ("{not json at all", "[1,2,3,4]", '{"a":' * 5000):
        assert cleaner(value).clean(f"x {value} y") == f"x {MARK} y"


def test_no_repr_holds_a_secret() -> None:
    assert "sesame-open" not in repr(cleaner("sesame-open"))
