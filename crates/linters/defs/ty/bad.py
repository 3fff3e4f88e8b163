import no_such_module


def answer(text: str) -> int:
    return text.upper().nothing
