"""Files of documents and questions: read as written; every fault is told with file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.envs.search.files import read_library
from agentgym_critic.errors import ConfigError, MissingDataError

DOCUMENT = {"title": "Cat", "text": "It hunts."}
QUESTION = {"question": "What does the cat do?", "answers": ["it hunts"], "support": ["Cat"]}


def written(folder: Path, *lines: Any) -> Path:
    file = folder / "library.jsonl"
    file.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return file


def test_a_file_is_read(tmp_path: Path) -> None:
    library = read_library(written(tmp_path, {**QUESTION, "id": "q"}, "", DOCUMENT, QUESTION))
    assert library.documents == (("Cat", "It hunts."),)
    assert library.questions == (
        ("q", "What does the cat do?", ("it hunts",), (0,)),
        ("4", "What does the cat do?", ("it hunts",), (0,)),
    )
    assert library.name.startswith("library-")
    other = read_library(written(tmp_path, DOCUMENT, QUESTION))
    assert other.name != library.name


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["{"], r":1: this is no document and no question: Input data was truncated"),
        ([DOCUMENT, QUESTION, "[1]"], r":3: this is no document and no question: Expected `object`, got `array`"),
        ([{**DOCUMENT, "txt": 1}], r":1: this is no document and no question: Object contains unknown field `txt`"),
        ([{"title": 5, "text": "x"}], r":1: this is no document and no question: Expected `str \| null`, got `int`"),
        ([{"text": "x"}], r":1: a document has a title with a word in it"),
        ([{"title": " ?", "text": "x"}], r":1: a document has a title with a word in it"),
        ([{"title": "x"}], r":1: the document 'x' has no text"),
        ([DOCUMENT, {"title": "CAT!", "text": "y"}], r":2: the title 'CAT!' is that of line 1"),
        ([{**DOCUMENT, "answers": ["x"]}], r":1: a line with answers or support is a question, and has a question"),
        ([DOCUMENT, {**QUESTION, "text": "x"}], r":2: a question has neither title nor text"),
        ([DOCUMENT, {**QUESTION, "question": " "}], r":2: the question is empty"),
        ([DOCUMENT, {**QUESTION, "answers": []}], r":2: a question has a list of answers, none of them empty"),
        ([DOCUMENT, {**QUESTION, "answers": ["a", " "]}], r":2: a question has a list of answers, none of them empty"),
        ([DOCUMENT, {"question": "?", "answers": ["a"]}], r":2: a question has a list of the titles of the documents"),
        ([DOCUMENT, {**QUESTION, "support": ["Dog"]}], r":2: the support names 'Dog', which is the title of no doc"),
        ([DOCUMENT, {**QUESTION, "id": "3"}, QUESTION], r":3: the id '3' is that of line 2"),
        ([{**DOCUMENT, "title": "x" * 993}], r":1: the title 'x{50}'... has 993 characters, and 992 fit an action"),
        ([DOCUMENT, {**QUESTION, "answers": ["y" * 993]}], r":2: the answer 'y{50}'... has 993 characters, and 992"),
        ([DOCUMENT], r"library.jsonl has no question; a question is a line with question, answers and support"),
        ([""], r"library.jsonl has no question"),
    ],
)  # fmt: skip
def test_every_fault_is_told(tmp_path: Path, lines: list[Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_library(written(tmp_path, *lines))


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "library.jsonl"
    file.write_bytes(json.dumps(DOCUMENT).encode() + b'\n{"title": "\xff", "text": "x"}\n')
    with pytest.raises(ConfigError, match=r"library.jsonl:2: this is no document and no question: "):
        read_library(file)


def test_titles_and_answers_are_what_an_action_can_say(tmp_path: Path) -> None:
    lines = {"title": " Cat\n of  \x00 Rex ", "text": "It\nhunts."}, {**QUESTION, "support": [" Cat\n of  \x00 Rex "]}
    library = read_library(written(tmp_path, lines[0], {**lines[1], "answers": ["it\t hunts"]}))
    assert library.documents == (("Cat of \ufffd Rex", "It\nhunts."),)
    assert library.questions[0].answers == ("it hunts",)


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(MissingDataError, match=r"^'x{119}… cannot be read: File name too long$"):
        read_library("x" * 5_000)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"there is no file .*nowhere\.jsonl; path is a file of JSON lines"):
        read_library(tmp_path / "nowhere.jsonl")


@given(titles=st.lists(st.from_regex(r"[a-z]{1,5}", fullmatch=True), min_size=1, unique=True), text=st.text(min_size=1))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, titles: list[str], text: str) -> None:
    said = f"x{text}".encode(errors="replace").decode().replace("\0", " ")
    documents = [{"title": title, "text": said} for title in titles]
    question = {"question": said, "answers": [said], "support": titles}
    library = read_library(written(tmp_path_factory.mktemp("files"), *documents, question))
    assert [document.title for document in library.documents] == titles
    assert {document.text for document in library.documents} == {said}
    assert library.questions[0].support == tuple(range(len(titles)))
