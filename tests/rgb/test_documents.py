"""Documents mixed for a prompt: shares rounded up, gaps filled or said, the same for the same seed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.rgb.documents import Mixture, mix, mix_parts, mix_wrong, noise_count

GOOD = [f"good {number}" for number in range(8)]
NOISE = [f"noise {number}" for number in range(8)]
SHARES = st.floats(0.0, 1.0)


def counts(mixture: Mixture) -> tuple[int, int, int]:
    return mixture.count("relevant"), mixture.count("wrong"), mixture.count("noise")


@pytest.mark.parametrize(("share", "noisy"), [(0.0, 0), (0.2, 1), (0.4, 2), (0.6, 3), (0.8, 4), (1.0, 5)])
def test_it_mixes_the_printed_shares_of_five(share: float, noisy: int) -> None:
    mixture = mix(GOOD, NOISE, noise=share, seed=1)
    assert counts(mixture) == (5 - noisy, 0, noisy)
    assert mixture.notes == ()


def test_it_rounds_up_but_not_what_is_whole_to_a_person() -> None:
    assert [noise_count(5, 0.01), noise_count(100, 0.07), noise_count(10, 0.7)] == [1, 7, 7]


def test_it_takes_documents_from_the_front_and_shuffles_them() -> None:
    shown = {tuple(d.text for d in mix(GOOD, NOISE, noise=0.4, seed=seed).documents) for seed in range(20)}
    assert len(shown) > 5
    assert {frozenset(texts) for texts in shown} == {frozenset([*GOOD[:3], *NOISE[:2]])}


def test_it_fills_a_lack_of_noise_with_relevant_documents_and_says_so() -> None:
    mixture = mix(GOOD, NOISE[:1], noise=0.8, seed=1)
    assert counts(mixture) == (4, 0, 1)
    assert mixture.notes == ("Asked for 4 noise documents, mixed in 1: as near as the case allows.",)


def test_it_fills_a_lack_of_relevant_documents_with_noise_and_says_so() -> None:
    mixture = mix(GOOD[:2], NOISE, noise=0.0, seed=1)
    assert counts(mixture) == (2, 0, 3)
    assert mixture.notes == ("Asked for 0 noise documents, mixed in 3: as near as the case allows.",)


def test_it_never_lets_an_answer_into_full_noise() -> None:
    mixture = mix(GOOD, NOISE[:2], noise=1.0, seed=1)
    assert counts(mixture) == (0, 0, 2)
    assert mixture.notes == ("Asked for 5 documents, the case has 2.",)


def test_it_takes_one_document_of_each_part_before_a_second() -> None:
    mixture = mix_parts([["a1", "a2", "a3"], ["b1"]], NOISE, noise=0.4, seed=1)
    texts = [document.text for document in mixture.documents]
    assert counts(mixture) == (3, 0, 2)
    assert "b1" in texts
    assert sum(text.startswith("a") for text in texts) == 2


def test_it_keeps_a_document_of_every_part_even_at_full_noise_or_beyond_five() -> None:
    assert counts(mix_parts([["a"], ["b"]], NOISE, noise=1.0, seed=1)) == (2, 0, 3)
    seven = mix_parts([[text] for text in "abcdefg"], NOISE, noise=0.0, seed=1)
    assert counts(seven) == (7, 0, 0)
    assert seven.notes == ("Asked for 5 documents, gave 7: one for each part of the question.",)


def test_it_mixes_wrong_documents_with_noise_and_keeps_one_wrong_at_least() -> None:
    assert counts(mix_wrong(GOOD, NOISE, noise=0.4, seed=1)) == (0, 3, 2)
    assert counts(mix_wrong(GOOD, NOISE, noise=1.0, seed=1)) == (0, 1, 4)


def test_it_fills_no_gap_among_wrong_documents() -> None:
    mixture = mix_wrong(GOOD[:2], NOISE, noise=0.2, seed=1)
    assert counts(mixture) == (0, 2, 1)
    assert mixture.notes == ("Asked for 5 documents, the case has 3.",)


@given(SHARES, st.integers(1, 12), st.integers(0, 8), st.integers(0, 8), st.integers())
def test_it_is_the_same_for_the_same_seed_and_never_repeats(
    share: float, count: int, good: int, noisy: int, seed: int
) -> None:
    mixture = mix(GOOD[:good], NOISE[:noisy], noise=share, seed=seed, count=count)
    assert mixture == mix(GOOD[:good], NOISE[:noisy], noise=share, seed=seed, count=count)
    assert len(set(mixture.documents)) == len(mixture.documents) <= count
    assert len(mixture.documents) == min(count, noisy + (good if share < 1.0 else 0))


@given(SHARES, st.integers(1, 6), st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_it_shows_every_part_at_any_noise(share: float, count: int, sizes: list[int]) -> None:
    parts = [[f"{part}-{number}" for number in range(size)] for part, size in enumerate(sizes)]
    mixture = mix_parts(parts, NOISE, noise=share, seed=0, count=count)
    shown = {document.text.split("-")[0] for document in mixture.documents if document.kind == "relevant"}
    assert shown == {str(part) for part in range(len(sizes))}


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_it_refuses_a_share_outside_0_to_1(share: float) -> None:
    with pytest.raises(ValueError, match=r"noise must lie between 0\.0 and 1\.0"):
        mix(GOOD, NOISE, noise=share, seed=1)


def test_it_refuses_to_show_no_documents() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        mix(GOOD, NOISE, noise=0.0, seed=1, count=0)
