"""Calls: read back as written, and what is no call is told where it goes wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_critic.envs.tools.calls import BadCall, read_call, write_call
from agentgym_critic.envs.tools.functions import check_call

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,9}", fullmatch=True)
VALUES = st.one_of(st.text(), st.integers(-(10**12), 10**12))


@given(name=NAMES, arguments=st.dictionaries(NAMES.filter(lambda key: key != "name"), VALUES, max_size=4))
def test_what_is_written_is_read_back(name: str, arguments: dict[str, str | int]) -> None:
    call = read_call(write_call(name, **arguments))
    assert call == (name, arguments)
    assert list(call.arguments) == list(arguments)


@given(st.text(max_size=60))
def test_any_text_is_a_call_or_badly_called(text: str) -> None:
    try:
        assert read_call(text).name in text
    except BadCall as bad:
        told = (bad.kind, bool(bad.message))
        assert told == ("syntax_error", True)


@given(st.text(alphabet="f(=1,\"'\\) a_.-", max_size=30))
def test_any_text_that_looks_like_a_call_too(text: str) -> None:
    try:
        call = read_call(text)
    except BadCall:
        return
    assert read_call(write_call(call.name, **call.arguments)) == call


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("f()", {}),
        (" f ( a = 1 , b='x' , ) ", {"a": 1, "b": "x"}),
        (r'f(a="say \"hi\" \\ \n")', {"a": 'say "hi" \\ \n'}),
        ("f(a=-3, b=2.5, c=True, d=null)", {"a": -3, "b": 2.5, "c": True, "d": None}),
        ("f(a=') b=(')", {"a": ") b=("}),
    ],
)
def test_spellings(text: str, arguments: dict[str, object]) -> None:
    assert read_call(text).arguments == arguments


FORM = '; write one call such as send_mail(to="ann", subject="hi", body="...")'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("please pay jon", "expected `(` at character 8, saw 'pay jon'" + FORM),
        ("pay(", "expected an argument's name or `)` at character 5, saw nothing more" + FORM),
        ("pay('jon', 40)", "expected an argument's name or `)` at character 5, saw \"'jon', 40)\"" + FORM),
        ("pay(to=jon)", "expected a string in quotes or a number at character 8, saw 'jon)'" + FORM),
        ('pay(to="jon)', "expected a string in quotes or a number at character 8, saw '\"jon)'" + FORM),
        ("pay(to='a' amount=1)", "expected `,` at character 12, saw 'amount=1)'" + FORM),
        ("pay(to='a', to='b')", "the argument to is given twice" + FORM),
        ("pay() pay()", "expected the end: one call a step at character 6, saw ' pay()'" + FORM),
        ("pay(amount=1e9)", "expected a string in quotes or a number at character 12, saw '1e9)'" + FORM),
        ("pay(amount=1+1)", "expected `,` at character 13, saw '+1)'" + FORM),
        ("pay(to=__import__('os'))",
         "expected a string in quotes or a number at character 8, saw \"__import__('os'))\"" + FORM),
        ("pay(to=[1])", "expected a string in quotes or a number at character 8, saw '[1])'" + FORM),
        ("(" * 900, "expected a function's name at character 1, saw '(((((((((((((((((((('" + FORM),
        ("\uff50ay(to='a')", "expected a function's name at character 1, saw \"\uff50ay(to='a')\"" + FORM),
        ("p\u0430y(to='a')", "expected `(` at character 2, saw \"\u0430y(to='a')\"" + FORM),
        ("pay(amount=\u0664)", "expected a string in quotes or a number at character 12, saw '\u0664)'" + FORM),
        ("pay(amount=" + "9" * 5_000 + ")",
         "expected a string in quotes or a number at character 12, saw '99999999999999999999'" + FORM),
        (r"pay(to='\x41')", "there is no escape '\\\\x' in strings; write \\\\ for a backslash"),
    ],
)  # fmt: skip
def test_what_is_no_call_is_explained(text: str, message: str) -> None:
    with pytest.raises(BadCall) as bad:
        read_call(text)
    assert (bad.value.kind, bad.value.message) == ("syntax_error", message)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("send_mial()", "unknown_function", "there is no function 'send_mial'; did you mean send_mail?"),
        ("eval()", "unknown_function", "there is no function 'eval'; there are add_event, cancel_event, "
         "cancel_payment, finish, get_balance, list_events, list_mail, list_payments, move_event, pay, "
         "read_mail, send_mail."),
        ("pay(to='jon')", "missing_argument", "'amount' is missing; it is pay(to: str, amount: int)."),
        ("pay(whom='jon')", "unknown_argument", "there is no argument 'whom'; it is pay(to: str, amount: int)."),
        ("pay(to='jon', amount='40')", "wrong_type", "amount is a whole number, got '40'."),
        ("pay(to='jon', amount=40.5)", "wrong_type", "amount is a whole number, got 40.5."),
        ("pay(to='jon', amount=True)", "wrong_type", "amount is a whole number, got True."),
        ("pay(to=None, amount=1)", "wrong_type", "to is a string, got None."),
        ("pay(to='jon', amount=0)", "invalid_value", "amount is from 1 to 1000000, got 0."),
        ("list_events(date='3 March')", "invalid_value", "date is year-month-day such as 2025-03-04, got '3 March'."),
        ("list_events(date='2025-13-01')", "invalid_value",
         "date is year-month-day such as 2025-03-04, got '2025-13-01'."),
        ("move_event(id=1, date='2025-03-04', time='24:00')", "invalid_value",
         "time is from 00:00 to 23:59, got '24:00'."),
        ("read_mail(id='" + "x" * 99 + "')", "wrong_type", "id is a whole number, got '" + "x" * 49 + "...."),
    ],
)  # fmt: skip
def test_calls_that_cannot_be_right(text: str, kind: str, message: str) -> None:
    with pytest.raises(BadCall) as bad:
        check_call(read_call(text))
    assert (bad.value.kind, bad.value.message) == (kind, message)
