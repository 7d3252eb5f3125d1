"""The view as HTML, read again by a parser: nothing is lost, and no text becomes markup."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.envs.webshop.pages import Node
from agentgym_critic.envs.webshop.views import Shown, as_html

KINDS = st.sampled_from(["text", "button", "link", "option"])
TEXTS = st.text(min_size=1, max_size=20).filter(str.strip) | st.sampled_from(
    ["<script>alert(1)</script>", '" onclick="x', "</p></body>", "&amp;", "]]>", "<!--", "Buy Now"]
)
NODES = st.lists(st.builds(Node, KINDS, TEXTS), max_size=8)


class Elements(HTMLParser):
    """The elements within the body, as (tag, class, text)."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.body: list[list[str]] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._inside:
            self.body.append([tag, str(dict(attrs).get("class", "")), ""])
        self._inside = self._inside or tag == "body"

    def handle_data(self, data: str) -> None:
        if self.body:
            self.body[-1][2] += data


def elements(page: str) -> list[list[str]]:
    parser = Elements()
    parser.feed(page)
    parser.close()
    return [[tag, kind, text.rstrip("\n")] for tag, kind, text in parser.body]


@given(nodes=NODES)
def test_every_node_is_an_element(nodes: list[Node]) -> None:
    shown = elements(as_html(Shown(nodes, "", frozenset())))
    expected = [["p" if node.kind == "text" else "button", "" if node.kind == "text" else node.kind] for node in nodes]
    assert [[tag, kind] for tag, kind, _ in shown] == expected
    for (_, _, text), node in zip(shown, nodes, strict=True):
        assert text == node.text.rstrip("\n")


def test_what_has_been_clicked_says_so() -> None:
    nodes = [Node("link", "B1"), Node("link", "B2"), Node("option", "red"), Node("option", "blue")]
    page = as_html(Shown(nodes, 'item_page/fixed_0/B1/{"color": "red"}', frozenset({"B2"})))
    assert [kind for _, kind, _ in elements(page)] == ["link", "link clicked", "option clicked", "option"]
