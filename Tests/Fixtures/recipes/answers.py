# SPDX-License-Identifier: Apache-2.0
"""The text of an answer file: JSON with short lines, so that a change of one answer is a diff of a few lines."""

import json

WIDTH = 120


def text_of_answers(answers):
    """All answers of a format, sorted by the fixtures' names."""
    entries = [entry(name, answer) for name, answer in sorted(answers.items())]
    return "{\n" + ",\n".join(entries) + "\n}\n"


def entry(name, answer):
    """One fixture's answer: on one line where it fits."""
    members = [(key, text(value), value) for key, value in answer.items()]
    start = f"  {text(name)}: {{"
    line = start + ", ".join(f"{text(key)}: {value}" for key, value, _ in members) + "}"
    if len(line) < WIDTH:
        return line
    return start + "\n" + ",\n".join(lines(members)) + "\n  }"


def lines(members):
    """`shows` and lists of frames or pages stand by themselves; other members share lines."""
    result, shared = [], None
    for key, value, plain in members:
        member = f"{text(key)}: {value}"
        if key == "shows" or key in ("frames", "pages"):
            shared = None
            if key != "shows" and len(plain) > 1:
                member = f"{text(key)}: [\n      " + ",\n      ".join(text(item) for item in plain) + "\n    ]"
            result.append(f"    {member}")
        elif shared is not None and len(result[shared]) + len(member) + 3 <= WIDTH:
            result[shared] += f", {member}"
        else:
            shared = len(result)
            result.append(f"    {member}")
    return result


def text(value):
    return json.dumps(value, ensure_ascii=False)
