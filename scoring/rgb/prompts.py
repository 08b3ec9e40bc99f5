"""A question and its documents go in, the chat messages that put it to a model come out."""

from __future__ import annotations

from collections.abc import Sequence

# One instruction for all four abilities: a model must not be told which of them is being tested. The two
# quoted sentences are the paper's, because its rule looks for them in the response.
_SYSTEM = {
    "en": (
        "You answer questions with the help of the documents that come with them. Some of the documents "
        "may be beside the point, and some may state what is not true. If the documents contain the "
        "answer, give it, briefly and exactly. If they do not contain it, write this sentence: “I can not "
        "answer the question because of the insufficient information in documents.” If what they state "
        "contradicts the facts as you know them, first write this sentence: “There are factual errors in "
        "the provided documents.” Then give the correct answer."
    ),
    "zh": (
        "你根据随问题提供的文档来回答问题。有些文档可能与问题无关，有些文档可能包含不真实的内容。"
        "如果文档中有答案，请简洁、准确地作答。"
        "如果文档中没有答案，请写出这句话：“由于文档信息不足，我无法回答该问题。”"
        "如果文档内容与你所知的事实不符，请先写出这句话：“所提供的文档存在事实性错误。”，然后给出正确答案。"
    ),
}
_USER = {
    "en": ("Document {number}: {text}", "Documents\n\n{documents}\n\nQuestion\n\n{question}"),
    "zh": ("文档{number}：{text}", "文档\n\n{documents}\n\n问题\n\n{question}"),
}


def messages(question: str, texts: Sequence[str], language: str) -> list[dict[str, str]]:
    """Put a question with its documents, in English or Chinese.

    >>> messages("Which port?", ["SSH listens on port 22."], "en")[1]["content"]
    'Documents\\n\\nDocument 1: SSH listens on port 22.\\n\\nQuestion\\n\\nWhich port?'
    """
    line, frame = _USER[language]
    listed = "\n\n".join(line.format(number=number, text=text) for number, text in enumerate(texts, 1))
    return [
        {"role": "system", "content": _SYSTEM[language]},
        {"role": "user", "content": frame.format(documents=listed, question=question)},
    ]
