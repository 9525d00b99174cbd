"""The review log: what is in it, what it stands, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import review_crashes
from trace_room import MINUTE, NOON, TraceRoom

from haia_trace_mcp.reviews import (
    SAME_REVIEW_FOR,
    BrokenLogError,
    DecidedError,
    LogBusyError,
    NoteError,
    Reason,
    ReviewLogError,
    Reviews,
    UnknownReviewError,
)
from haia_trace_mcp.reviews.log import ReviewLog
from haia_trace_mcp.root import TraceRoot

REASONS = (Reason("history", "No operation with this counterparty is recorded."),)
ABSENT = "49185038-2f6c-4b0a-8f43-6d0c1f9a7e21"


@pytest.fixture
def room(tmp_path: Path) -> TraceRoom:
    return TraceRoom(tmp_path / ".trace")


def opened(reviews: Reviews, counterparty: str = "seller.example", amount: str = "0.25") -> str:
    with reviews.session() as session:
        return session.open(counterparty, amount, "USDC", "x402-buyer", REASONS).review_id


def lines(room: TraceRoom) -> list[bytes]:
    return room.log.read_bytes().splitlines(keepends=True)


def unlinked(room: TraceRoom, *records: dict[str, Any]) -> None:
    """Write lines as an older program did, with no hashes."""
    room.log.parent.mkdir()
    room.log.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")


def old_review(review_id: str = ABSENT, amount: str = "0.250") -> dict[str, Any]:
    return {
        "type": "opened",
        "review_id": review_id,
        "created_at": "2026-11-09T11:59:00.000Z",
        "counterparty": "seller.example",
        "amount": amount,
        "asset": "USDC",
        "reasons": [{"rule": "history", "detail": "Nothing is recorded."}],
    }


def test_nothing_is_made_by_reading(room: TraceRoom) -> None:
    assert room.reviews.list_reviews() == []
    assert room.reviews.verify().lines == 0
    with pytest.raises(UnknownReviewError):
        room.reviews.show(ABSENT)
    with pytest.raises(UnknownReviewError):
        room.reviews.approve(ABSENT)
    assert sorted(path.name for path in room.path.iterdir()) == ["events"]


def test_a_review_is_pending_until_a_person_decides(room: TraceRoom) -> None:
    review_id = opened(room.reviews)
    pending = room.reviews.show(review_id).to_json()
    assert pending["status"] == "pending"
    assert pending.keys().isdisjoint({"decided_at", "note"})
    room.now += MINUTE
    room.reviews.approve(review_id, " Fine this once.\n")
    approved = room.reviews.show(review_id).to_json()
    assert (approved["status"], approved["note"]) == ("approved", "Fine this once.")
    assert (approved["created_at"], approved["decided_at"]) == (
        "2026-11-09T12:00:00.000Z",
        "2026-11-09T12:01:00.000Z",
    )


def test_a_review_is_decided_once(room: TraceRoom) -> None:
    review_id = opened(room.reviews)
    room.reviews.reject(review_id)
    before = room.log.read_bytes()
    for decide in (room.reviews.approve, room.reviews.reject, room.new_reviews().approve):
        with pytest.raises(DecidedError, match=r"was rejected at 2026-11-09T12:00:00\.000Z"):
            decide(review_id)
    assert room.log.read_bytes() == before
    assert "note" not in room.reviews.show(review_id).to_json()


def test_reviews_are_listed_by_status_in_their_order(room: TraceRoom) -> None:
    ids = [opened(room.reviews, f"{name}.example") for name in "cab"]
    room.reviews.approve(ids[1])
    assert [each.review_id for each in room.reviews.list_reviews()] == ids
    assert [each.review_id for each in room.reviews.list_reviews("pending")] == [ids[0], ids[2]]
    assert [each.review_id for each in room.reviews.list_reviews("approved")] == [ids[1]]
    assert room.reviews.list_reviews("rejected") == []


def test_the_same_question_gets_the_same_pending_review_for_ten_minutes(room: TraceRoom) -> None:
    first = opened(room.reviews)
    room.now += SAME_REVIEW_FOR
    assert opened(room.new_reviews(), amount="0.2500") == first
    assert len(lines(room)) == 1
    assert opened(room.reviews, amount="0.26") != first
    assert opened(room.reviews, "other.example") != first
    room.now += 1
    assert opened(room.reviews) != first


def test_a_decided_review_is_not_given_again(room: TraceRoom) -> None:
    first = opened(room.reviews)
    room.reviews.reject(first)
    assert opened(room.reviews) != first


def test_after_the_clock_went_back_a_pending_review_still_counts_as_fresh(room: TraceRoom) -> None:
    first = opened(room.reviews)
    room.now -= 24 * 60 * MINUTE
    assert opened(room.reviews) == first
    decided = room.reviews.approve(first)
    assert decided.decided_at == "2026-11-08T12:00:00.000Z"
    assert room.reviews.verify().first_broken is None


def test_each_line_carries_the_hash_of_the_one_before(room: TraceRoom) -> None:
    review_id = opened(room.reviews)
    room.reviews.approve(review_id)
    opened(room.reviews, "other.example")
    before = b""
    for line in lines(room):
        assert line.isascii()
        assert json.loads(line)["previous"] == sha256(before).hexdigest()
        before = line
    assert room.reviews.verify().head == sha256(before).hexdigest()


def test_a_log_without_hashes_is_read_and_covered_by_the_next_one(room: TraceRoom) -> None:
    unlinked(room, old_review())
    assert room.reviews.show(ABSENT).status == "pending"
    assert opened(room.reviews) == ABSENT, "0.250 is 0.25"
    before = room.log.read_bytes()
    room.reviews.approve(ABSENT)
    assert json.loads(lines(room)[-1])["previous"] == sha256(before).hexdigest()
    found = room.reviews.verify()
    assert (found.unlinked, found.lines, found.first_broken) == (1, 2, None)
    room.log.write_bytes(room.log.read_bytes().replace(b"0.250", b"9.250"))
    assert room.reviews.verify().first_broken == 2


def test_of_two_decisions_that_an_older_program_wrote_the_first_holds(room: TraceRoom) -> None:
    decided = {"type": "decided", "review_id": ABSENT, "decided_at": "2026-11-09T12:00:00.000Z"}
    unlinked(
        room,
        old_review(),
        {**decided, "status": "rejected"},
        {**decided, "status": "approved"},
    )
    assert room.reviews.show(ABSENT).status == "rejected"
    assert room.reviews.verify().repeated == (3,)
    assert room.reviews.verify().first_broken == 3


@pytest.mark.parametrize("line", [1, 2, 3])
def test_verify_names_the_first_line_that_was_changed(room: TraceRoom, line: int) -> None:
    for name in "abcd":
        opened(room.reviews, f"{name}.example")
    content = lines(room)
    content[line - 1] = content[line - 1].replace(b"0.25", b"0.52")
    room.log.write_bytes(b"".join(content))
    # A line's own hash stands in the one behind it.
    assert room.new_reviews().verify().first_broken == line + 1


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (lambda content: [content[0], content[2]], 2),
        (lambda content: [content[1], content[0], content[2]], 1),
        (lambda content: [*content, b'{"type": "decided"}\n'], 4),
        (lambda content: [*content, b"nonsense\n"], 4),
        (lambda content: [*content, b"\n"], 4),
        (lambda content: [*content, b"\xff\n"], 4),
        (lambda content: [content[0], content[0], *content[1:]], 2),
        (lambda content: [content[0], b"[" * 99_999 + b"\n"], 2),
        (lambda content: [*content, json.dumps(old_review()).encode() + b"\n"], 4),
        (lambda content: [content[0].replace(b"opened", b"approved")], 1),
    ],
    ids=[
        "left out",
        "out of order",
        "poor",
        "no JSON",
        "empty",
        "no text",
        "twice",
        "deep",
        "without a hash",
        "unknown",
    ],
)
def test_a_log_that_was_tampered_with_is_refused(room: TraceRoom, spoil: Any, line: int) -> None:
    ids = [opened(room.reviews, f"{name}.example") for name in "abc"]
    room.log.write_bytes(b"".join(spoil(lines(room))))
    before = room.log.read_bytes()
    reviews = room.new_reviews()
    for act in (reviews.list_reviews, lambda: reviews.approve(ids[0]), lambda: opened(reviews)):
        with pytest.raises(BrokenLogError, match=f"broken at line {line}: "):
            act()
    assert room.log.read_bytes() == before
    assert reviews.verify().first_broken == line


def test_a_change_behind_the_back_of_a_server_that_runs_is_noticed(room: TraceRoom) -> None:
    review_id = opened(room.reviews)
    room.reviews.show(review_id)
    room.log.write_bytes(room.log.read_bytes().replace(b"seller", b"Seller"))
    os.utime(room.log, ns=(NOON, NOON))
    assert room.reviews.show(review_id).counterparty == "Seller.example"
    room.log.unlink()
    assert room.reviews.list_reviews() == []
    other = opened(room.reviews, "other.example")
    assert [each.review_id for each in room.new_reviews().list_reviews()] == [other]


def test_what_a_crash_left_is_kept_aside_and_told(room: TraceRoom) -> None:
    review_id = opened(room.reviews)
    torn = b'{"type":"decided","review_id":"' + review_id.encode()
    with room.log.open("ab") as file:
        file.write(torn)
    assert room.reviews.show(review_id).status == "pending"
    assert room.reviews.verify().unfinished == len(torn)
    assert room.reviews.verify().torn == ()
    room.reviews.reject(review_id)
    assert lines(room)[1] == torn + b"#torn\n"
    found = room.reviews.verify()
    assert [(each.line, each.size) for each in found.torn] == [(2, len(torn))]
    assert (found.unfinished, found.first_broken) == (0, None)
    assert room.new_reviews().show(review_id).status == "rejected"


@pytest.mark.parametrize("closed", range(7))
def test_a_crash_while_a_torn_line_is_closed_merges_nothing(room: TraceRoom, closed: int) -> None:
    """The worst of torn lines: a whole record that lacks nothing but its line feed."""
    review_id = opened(room.reviews)
    room.new_reviews().approve(review_id)
    whole = room.log.read_bytes()
    room.log.write_bytes(whole[:-1] + b"#torn\n"[:closed])
    reviews = room.new_reviews()
    assert reviews.show(review_id).status == "pending"
    assert reviews.reject(review_id).status == "rejected"
    assert room.new_reviews().show(review_id).status == "rejected"
    assert len(room.new_reviews().verify().torn) == 1
    assert room.new_reviews().verify().first_broken is None


def test_what_a_crash_left_cannot_be_taken_away_unnoticed(room: TraceRoom) -> None:
    review_id = opened(room.reviews)
    for torn in (b"half", b"another half"):
        with room.log.open("ab") as file:
            file.write(torn + b"#torn\n")
    room.reviews.reject(review_id)
    content = lines(room)
    room.log.write_bytes(b"".join([content[0], *content[2:]]))
    assert room.new_reviews().verify().first_broken == 3


def test_a_write_that_the_system_cut_short_is_an_error_and_torn(room: TraceRoom) -> None:
    review_id = opened(room.reviews)
    full = room.new_reviews(write=lambda descriptor, data: os.write(descriptor, data[:20]))
    with pytest.raises(ReviewLogError, match="only 20 of"):
        full.approve(review_id)
    assert full.show(review_id).status == "pending"
    assert room.reviews.reject(review_id).status == "rejected"
    assert [each.line for each in room.reviews.verify().torn] == [2]


def test_a_line_is_written_by_one_call(room: TraceRoom) -> None:
    written: list[bytes] = []

    def write(descriptor: int, data: bytes) -> int:
        written.append(data)
        return os.write(descriptor, data)

    reviews = room.new_reviews(write=write)
    reviews.approve(opened(reviews), "zwei\nZeilen\u2028\x1b[31m")
    assert written == lines(room)
    assert [data.count(b"\n") for data in written] == [1, 1]
    assert reviews.list_reviews()[0].note == "zwei\nZeilen\u2028\x1b[31m"


def test_a_line_that_could_not_be_read_again_is_never_written(room: TraceRoom) -> None:
    review_id = opened(room.reviews)
    before = room.log.read_bytes()
    for counterparty, amount in (("", "0.25"), ("seller.example", "1e3"), ("x" * (4 << 20), "1")):
        with pytest.raises(ReviewLogError):
            opened(room.reviews, counterparty, amount)
    assert room.log.read_bytes() == before
    assert room.reviews.approve(review_id).status == "approved"


def test_notes_of_any_text_can_be_kept_and_long_ones_are_refused(room: TraceRoom) -> None:
    review_id = opened(room.reviews)
    with pytest.raises(NoteError):
        room.reviews.approve(review_id, "x" * 4001)
    kept = room.reviews.approve(review_id, "caf\udce9 ok").note
    assert kept is not None
    assert kept.encode("utf-8").startswith(b"caf")
    assert room.new_reviews().show(review_id).note == kept


@pytest.mark.parametrize("what", ["log", "folder"])
def test_symbolic_links_are_refused(room: TraceRoom, tmp_path: Path, what: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if what == "folder":
        (room.path / "guard").symlink_to(elsewhere)
    else:
        room.log.parent.mkdir()
        room.log.symlink_to(elsewhere / "stolen")
    with pytest.raises(ReviewLogError, match="symbolic link"):
        opened(room.reviews)
    assert list(elsewhere.iterdir()) == []


def test_a_log_that_is_no_file_is_refused(room: TraceRoom) -> None:
    room.log.parent.mkdir()
    os.mkfifo(room.log)
    for act in (room.reviews.list_reviews, lambda: opened(room.reviews)):
        with pytest.raises(ReviewLogError, match="named pipe"):
            act()


def test_only_its_owner_can_read_a_log_that_was_made_here(room: TraceRoom) -> None:
    opened(room.reviews)
    assert room.log.stat().st_mode & 0o777 == 0o600
    assert room.log.parent.stat().st_mode & 0o777 == 0o700


def test_a_log_that_stays_locked_is_an_error_and_not_a_wait(room: TraceRoom) -> None:
    with room.reviews.session():
        busy: list[BaseException] = []

        def ask() -> None:
            try:
                opened(room.new_reviews(patience=0))
            except LogBusyError as error:
                busy.append(error)

        asking = threading.Thread(target=ask)
        asking.start()
        asking.join()
    assert len(busy) == 1
    assert opened(room.new_reviews(patience=0))


def test_a_watch_yields_each_step_as_it_comes(room: TraceRoom) -> None:
    opened(room.reviews, "before.example")
    acts = iter(
        [
            lambda: None,
            lambda: opened(room.reviews, "a.example"),
            lambda: room.reviews.approve(room.reviews.list_reviews()[-1].review_id, "ok"),
            lambda: (opened(room.reviews, "b.example"), opened(room.reviews, "c.example")),
        ]
    )

    def pause() -> bool:
        act = next(acts, None)
        if act is None:
            return False
        act()
        return True

    seen = list(room.new_reviews().watch(pause))
    assert [(each.line, each.review.counterparty, each.review.status) for each in seen] == [
        (2, "a.example", "pending"),
        (3, "a.example", "approved"),
        (4, "b.example", "pending"),
        (5, "c.example", "pending"),
    ]


def test_nothing_but_the_log_is_written(room: TraceRoom) -> None:
    review_id = opened(room.reviews)
    room.reviews.approve(review_id)
    room.reviews.verify()
    files = [path.relative_to(room.path) for path in room.path.rglob("*") if path.is_file()]
    assert files == [Path("guard/decisions.ndjson")]


def crashes(*arguments: object) -> str:
    """Run the script of crashes; return what it prints."""
    command = [sys.executable, review_crashes.__file__, *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_writer_killed_at_any_byte_leaves_a_log_that_goes_on(tmp_path: Path) -> None:
    size = int(crashes("tear", tmp_path, 1000))
    for written in range(size + 1):
        reviews = Reviews(ReviewLog(TraceRoot(tmp_path / str(written))))
        review = reviews.list_reviews()[0]
        path = tmp_path / str(written) / "guard/decisions.ndjson"
        left = path.read_bytes()
        if written == size:  # all of it, though nobody was told
            assert review.status == "approved"
            continue
        assert review.status == "pending"
        assert reviews.verify().unfinished == written
        assert reviews.reject(review.review_id).status == "rejected"
        found = reviews.verify()
        assert [each.size for each in found.torn] == ([written] if written else [])
        assert (found.first_broken, found.unfinished) == (None, 0)
        assert path.read_bytes().startswith(left), "nothing that was there is gone"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_many_processes_append_at_once_and_decide_once(tmp_path: Path) -> None:
    processes, each = 8, 12
    won = list(map(int, crashes("crowd", tmp_path, processes, each).split()))
    assert sum(won) == each
    reviews = Reviews(ReviewLog(TraceRoot(tmp_path)))
    found = reviews.verify()
    assert (found.first_broken, found.torn, found.unfinished) == (None, (), 0)
    assert found.lines == each + processes * each + each
    shared = [each for each in reviews.list_reviews() if each.counterparty.startswith("shared")]
    by = [int((each.note or "").split()[1]) for each in shared]
    assert [by.count(number) for number in range(processes)] == won
    assert all(
        each.status == ("approved" if n % 2 else "rejected")
        for each, n in zip(shared, by, strict=True)
    )


def test_threads_of_one_process_take_turns(room: TraceRoom) -> None:
    numbers = count()
    reviews = Reviews(
        ReviewLog(room.root), new_id=lambda: f"{next(numbers):08x}-0000-4000-8000-000000000000"
    )
    threads = [
        threading.Thread(target=opened, args=(reviews, f"{name}.example")) for name in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(reviews.list_reviews()) == 16
    assert reviews.verify().first_broken is None
