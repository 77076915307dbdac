"""`poise completion`: a script for the shell that completes verbs, options, their values and built-in names."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field

from poise.cli.process import say

SHELLS = ("bash", "zsh", "fish")
_WHERE = {
    "bash": "~/.local/share/bash-completion/completions/poise",
    "zsh": "~/.poise.zsh (and  source ~/.poise.zsh  in ~/.zshrc)",
    "fish": "~/.config/fish/completions/poise.fish",
}


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("shell", choices=SHELLS, help="the shell; its script goes to standard output")
    places = "\n".join(f"  poise completion {shell} > {place}" for shell, place in _WHERE.items())
    p.epilog = f"Put it where the shell finds it:\n{places}"
    p.formatter_class = argparse.RawDescriptionHelpFormatter


def run(args: argparse.Namespace) -> int:
    words = vocabulary()
    script = {"bash": _bash, "zsh": _zsh, "fish": _fish}[args.shell]
    say(json.dumps({verb: asdict(v) for verb, v in words.items()}, indent=2) if args.json else script(words))
    return 0


@dataclass
class Vocabulary:
    """What may follow a verb."""

    help: str
    flags: list[str] = field(default_factory=list)  # options without a value
    values: dict[str, list[str]] = field(default_factory=dict)  # options with one, and the words known for it
    names: list[str] = field(default_factory=list)  # words that may stand without an option
    files: bool = False  # may a file stand without an option?
    file_options: list[str] = field(default_factory=list)  # options whose value may be a file


def vocabulary() -> dict[str, Vocabulary]:
    """Every verb with what may follow it, read off the real command line."""
    from poise.cli.main import VERBS, parser, subparsers

    out = {}
    for verb, sub in subparsers(parser("*")).items():
        v = out[verb] = Vocabulary(VERBS[verb])
        for action in sub._actions:
            names = [str(c) for c in action.choices] if action.choices else _names(action)
            takes_file = action.metavar in ("FILE", "IN", "OUT", "CLIP", "CHARACTER") or action.dest == "character"
            if not action.option_strings:
                v.names += [n for n in names if n not in v.names]
                v.files |= takes_file
            elif action.nargs == 0:
                v.flags += action.option_strings
            else:
                v.values |= dict.fromkeys(action.option_strings, names)
                v.file_options += action.option_strings if takes_file else []
    return out


def _names(action: argparse.Action) -> list[str]:
    """Built-in names that an argument may be, told by what it is called in the help."""
    known = _NAMES.get(str(action.metavar)) or _NAMES.get(action.dest)
    return [] if known is None else sorted(known())


def _clips() -> Iterable[str]:
    from poise.motion.load import built_in

    return built_in()


def _characters() -> Iterable[str]:
    from poise.character.load import names

    return names()


def _citations() -> Iterable[str]:
    from poise.citations import CITATIONS

    return CITATIONS


def _methods() -> Iterable[str]:
    from poise.methods import names

    return names()


def _units() -> Iterable[str]:
    from poise.cli.source import UNITS

    return UNITS


_NAMES: dict[str, Callable[[], Iterable[str]]] = {
    "FILE": _clips,
    "IN": _clips,
    "CLIP": _clips,
    "CHARACTER": _characters,
    "character": _characters,
    "NAME": _citations,
    "METHOD": _methods,
    "method": _methods,
    "unit": _units,
}


def _bash(words: dict[str, Vocabulary]) -> str:
    cases = "\n".join(_bash_verb(verb, v) for verb, v in words.items())
    return f"""_poise() {{
  local here="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words="" files="" option
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="{" ".join(words)} --help --version"
  else
    case "${{COMP_WORDS[1]}}" in
{cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$here"))
  if [ -n "$files" ]; then
    while IFS= read -r option; do COMPREPLY+=("$option"); done < <(compgen -f -- "$here")
  fi
}}
complete -o filenames -F _poise poise"""


def _bash_verb(verb: str, v: Vocabulary) -> str:
    lines = []
    for option, names in v.values.items():
        files = "yes" if option in v.file_options else ""
        lines.append(f'          {option}) words="{" ".join(names)}"; files="{files}" ;;')
    always = f'words="{" ".join([*v.flags, *v.values, *v.names])}"; files="{"yes" if v.files else ""}"'
    lines.append(f"          *) {always} ;;")
    return f'      {verb})\n        case "$before" in\n' + "\n".join(lines) + "\n        esac ;;"


def _zsh(words: dict[str, Vocabulary]) -> str:
    return "autoload -Uz compinit bashcompinit && compinit && bashcompinit\n" + _bash(words)


def _fish(words: dict[str, Vocabulary]) -> str:
    lines = ["complete -c poise -f"]
    for verb, v in words.items():
        text = v.help.replace("\\", "\\\\").replace("'", "\\'")
        lines.append(f"complete -c poise -n __fish_use_subcommand -a {verb} -d '{text}'")
        start = f"complete -c poise -n '__fish_seen_subcommand_from {verb}'"
        lines += [f"{start} {_fish_option(flag)}" for flag in v.flags]
        for option, names in v.values.items():
            known = f" -a '{' '.join(names)}'" if names else ""
            lines.append(f"{start} {_fish_option(option)} {'-r -F' if option in v.file_options else '-x'}{known}")
        if v.names:
            lines.append(f"{start} -a '{' '.join(v.names)}'")
        if v.files:
            lines.append(f"{start} -F")
    return "\n".join(lines)


def _fish_option(option: str) -> str:
    return f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
