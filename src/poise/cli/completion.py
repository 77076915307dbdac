"""`poise completion`: a script for the shell that completes verbs, options and their choices."""

from __future__ import annotations

import argparse
import json

SHELLS = ("bash", "zsh", "fish")


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "shell", choices=SHELLS, help="the shell; put  source <(poise completion bash)  in its start-up file"
    )


def run(args: argparse.Namespace) -> int:
    words = vocabulary()
    script = {"bash": _bash, "zsh": _zsh, "fish": _fish}[args.shell](words)
    print(json.dumps(words, indent=2) if args.json else script)
    return 0


def vocabulary() -> dict[str, list[str]]:
    """Every verb with its options, read off the real command line."""
    from poise.cli.main import parser, subparsers

    out: dict[str, list[str]] = {}
    for name, sub in subparsers(parser("*")).items():
        flags = [s for a in sub._actions for s in a.option_strings]
        choices = [str(c) for a in sub._actions if a.choices and not a.option_strings for c in a.choices]
        out[name] = sorted({*flags, *choices})
    return out


def _bash(words: dict[str, list[str]]) -> str:
    cases = "\n".join(f'    {verb}) words="{" ".join(options)}" ;;' for verb, options in words.items())
    return f"""_poise() {{
  local here="${{COMP_WORDS[COMP_CWORD]}}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(words)} --help --version" -- "$here")); return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$here") $(compgen -f -- "$here"))
}}
complete -o filenames -F _poise poise"""


def _zsh(words: dict[str, list[str]]) -> str:
    return "autoload -Uz bashcompinit && bashcompinit\n" + _bash(words)


def _fish(words: dict[str, list[str]]) -> str:
    verbs = " ".join(words)
    lines = [f"complete -c poise -n '__fish_use_subcommand' -f -a '{verbs}'"]
    for verb, options in words.items():
        for option in options:
            how = (
                f"-l {option[2:]}"
                if option.startswith("--")
                else f"-s {option[1:]}"
                if option[0] == "-"
                else f"-a {option}"
            )
            lines.append(f"complete -c poise -n '__fish_seen_subcommand_from {verb}' {how}")
    return "\n".join(lines)
