"""The card of a preset, as a page for people."""

_WORDS = {"data": "Data", "method": "Method", "weights": "Weights",
          "command": "Command", "seed": "Seed", "bytes": "Bytes", "limits": "Limits",
          "licence": "Licence", "version": "bdlzoo", "keras": "Keras",
          "sha256": "SHA-256 of the model"}
_CODE = {"command", "method", "sha256"}


def card_page(card):
    """Markdown of a card.

    Args:
        card: Dictionary; `title` is the headline, `figures` and `latency` are tables.

    Returns:
        String.
    """
    lines = [f"# {card.get('title', card['method'])}", ""]
    if "name" in card:
        lines += [f'    model = bdlzoo.from_preset("{card["name"]}")', ""]
    lines += ["| | |", "|---|---|"]
    lines += [f"| {words} | {_value(name, card[name])} |"
              for name, words in _WORDS.items() if card.get(name) is not None]
    for name, headline in (("figures", "Measured on test rows"),
                           ("latency", "Milliseconds an answer")):
        if card.get(name):
            lines += ["", f"## {headline}", "", "| | |", "|---|---|", *(
                f"| {word} | {value:.4g} |" for word, value in card[name].items())]
    return "\n".join(lines) + "\n"


def _value(name, value):
    text = f"{value:,}" if isinstance(value, int) and name != "seed" else str(value)
    return f"`{text}`" if name in _CODE else text
