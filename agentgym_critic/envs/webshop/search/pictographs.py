r"""Pictographs of Unicode 11, which Lucene 8 makes terms of.

They are listed, as Unicode takes symbols such as U+2605, the star, from the property ``Extended_Pictographic`` again
in later versions: what is found must not depend on the version that is installed.
"""

from __future__ import annotations

__all__ = ["PICTOGRAPHS", "TONED", "TONES"]


def _class(ranges: str) -> str:
    """A class of a regular expression, from hexadecimal code points and ranges of them."""
    ends = (part.partition("-") for part in ranges.split())
    return "[" + "".join(f"\\U{first:0>8}-\\U{last or first:0>8}" for first, _, last in ends) + "]"


PICTOGRAPHS = _class("""
    A9 AE 203C 2049 2122 2194-2199 21A9-21AA 231A-231B 2328 2388 23CF 23E9-23F3 23F8-23FA 25AA-25AB 25B6 25C0
    25FB-25FE 2600-2605 2607-2612 2614-2685 2690-2705 2708-2712 2714 2716 271D 2721 2728 2733-2734 2744 2747 274C
    274E 2753-2755 2757 2763-2767 2795-2797 27A1 27B0 27BF 2934-2935 2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 3297
    3299 1F000-1F0FF 1F10D-1F10F 1F12F 1F16C-1F16F 1F18E 1F191-1F19A 1F1AD-1F1E5 1F201-1F20F 1F21A 1F22F 1F232-1F23A
    1F23C-1F23F 1F249-1F53D 1F546-1F64F 1F680-1F6FF 1F774-1F77F 1F7D5-1F7FF 1F80C-1F80F 1F848-1F84F 1F85A-1F85F
    1F888-1F88F 1F8AE-1F8FF 1F90C-1F93A 1F93C-1F945 1F947-1FBEF 1FBFA-1FFFD
""")
"""Those that are no letters."""

TONES = _class("1F3FB-1F3FF")
"""Colours of skin, pictographs themselves."""

TONED = _class("""
    261D 26F9 270A-270D 1F385 1F3C2-1F3C4 1F3C7 1F3CA-1F3CC 1F442-1F443 1F446-1F450 1F466-1F469 1F46E 1F470-1F478
    1F47C 1F481-1F483 1F485-1F487 1F4AA 1F574-1F575 1F57A 1F590 1F595-1F596 1F645-1F647 1F64B-1F64F 1F6A3
    1F6B4-1F6B6 1F6C0 1F6CC 1F918-1F91C 1F91E-1F91F 1F926 1F930-1F939 1F93D-1F93E 1F9B5-1F9B6 1F9B8-1F9B9
    1F9D1-1F9DD
""")
"""Pictographs that a tone may follow."""
