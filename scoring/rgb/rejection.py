"""A response goes in; whether it declines to answer, and the keyword that says so, come out."""

from __future__ import annotations

from scoring.rgb.rules import Hit, Rule, checked, comparable, first_hit, without_spaces

PRIMARY_REJECTION_PHRASES = (
    "i can not answer the question because of the insufficient information in documents",
    "insufficient information in documents",
    "can not answer",
    "cannot answer",
)
REJECTION_KEYWORDS = (
    "i don't know",
    "i cannot",
    "i can't",
    "unable to",
    "not able to",
    "insufficient information",
    "no information",
    "cannot determine",
    "cannot answer",
    "not enough information",
    "don't have enough",
    "unable to determine",
    "cannot find",
    "no relevant",
    "not mentioned",
    "not provided",
    "not specified",
    "unclear",
    "unknown",
    "i'm not sure",
    "i am not sure",
    "cannot be determined",
    "information is not available",
    "does not provide",
)
CHINESE_REJECTION = ("信息不足",)
PAPER_REJECTION = ("insufficient information", *CHINESE_REJECTION)


def is_rejection(response: str, *, literal: bool = False, rule: Rule = "keywords") -> bool:
    """Say whether the response declines to answer.

    >>> is_rejection("Based on the documents, I can’t say.")
    True
    >>> is_rejection("Based on the information, the answer is London.")
    False
    """
    return find_rejection(response, literal=literal, rule=rule) is not None


def find_rejection(response: str, *, literal: bool = False, rule: Rule = "keywords") -> Hit | None:
    """Find the keyword that makes the response a rejection: primary phrases first, in their order.

    >>> find_rejection("The date is not mentioned.")
    Hit(keyword='not mentioned', source='secondary keyword')
    """
    text = comparable(response, "response", literal=literal)
    if checked(rule) == "paper":
        return first_hit(text, PAPER_REJECTION, "paper's phrase") or _find_chinese(text)
    english = first_hit(text, PRIMARY_REJECTION_PHRASES, "primary phrase") or first_hit(
        text, REJECTION_KEYWORDS, "secondary keyword"
    )
    return english if english or literal else _find_chinese(text)


def _find_chinese(text: str) -> Hit | None:
    return first_hit(without_spaces(text), CHINESE_REJECTION, "paper's phrase")
