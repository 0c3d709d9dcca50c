"""A pytest plugin: one test for each property of a subject, as `shardproof check` judges it.

    # conftest.py
    pytest_plugins = ["pytest_shardproof"]

A function marked with `@shardproof.subject(kind=..., claim=...)` becomes `FILE::FUNCTION::PROPERTY`;
a command of the ini option `shardproof_commands` (a line each, `NAME: COMMAND`) becomes
`shardproof::NAME::PROPERTY`. The program is looked for in $SHARDPROOF, then in PATH.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

import pytest


def pytest_addoption(parser):
    parser.addini("shardproof_commands", "commands to check, `NAME: COMMAND`", type="linelist")
    parser.addini("shardproof_options", "options of `shardproof check` for all of them", type="args")


def program():
    found = os.environ.get("SHARDPROOF") or shutil.which("shardproof")
    if not found:
        raise pytest.UsageError("shardproof is not in PATH, and SHARDPROOF is not set")
    return found


def properties():
    """The names of all properties, as `shardproof list` prints them."""
    names, inside = [], False
    listed = subprocess.run([program(), "list"], capture_output=True, text=True, check=True)
    for line in listed.stdout.splitlines():
        if not line.startswith(" "):
            inside = line.startswith("properties")
        elif inside:
            names.append(line.split()[0])
    return names


class Checked:
    """One run of `shardproof check`, made when the first of its properties is asked for."""

    def __init__(self, command, options):
        self.command = command
        self.options = options
        self._ended = None

    def result(self):
        if self._ended is None:
            with tempfile.TemporaryDirectory() as directory:
                report = os.path.join(directory, "report.json")
                ended = subprocess.run(
                    [program(), "check", *self.options, "--json", report, "--", *self.command],
                    capture_output=True, text=True)
                found = {}
                if os.path.exists(report):
                    with open(report) as file:
                        found = {p["name"]: p for p in json.load(file)["properties"]}
                self._ended = ended, found
        return self._ended


class Subject(pytest.Collector):
    """All properties of one subject."""

    def __init__(self, checked, **rest):
        super().__init__(**rest)
        self.checked = checked

    def collect(self):
        return [Judged.from_parent(self, name=name) for name in properties()]


class Refuted(Exception):
    pass


class Judged(pytest.Item):
    """One property."""

    def runtest(self):
        ended, found = self.parent.checked.result()
        mine = found.get(self.name)
        if mine is None:
            if ended.returncode in (0, 1, 4) and found:
                pytest.skip("not judged in this run")
            raise Refuted(ended.stderr or f"shardproof ended with status {ended.returncode}")
        if mine["failed"]:
            raise Refuted(ended.stdout)
        if mine["result"] == "skipped":
            pytest.skip(mine.get("reason", "it applied to no case"))

    def repr_failure(self, excinfo, *args, **kwargs):
        if isinstance(excinfo.value, Refuted):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *args, **kwargs)

    def reportinfo(self):
        return self.path, None, f"{self.parent.name}: {self.name}"


def options_of(config, marked):
    """Those of the ini file, and those that the function was marked with in their place."""
    named = {}
    for word in config.getini("shardproof_options"):
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            named[name] = value if equals else None
        elif named:
            named[list(named)[-1]] = word
    named.update((f"--{key.replace('_', '-')}", str(value)) for key, value in marked.items())
    return [name if value is None else f"{name}={value}" for name, value in named.items()]


def pytest_pycollect_makeitem(collector, name, obj):
    marked = getattr(obj, "shardproof_subject", None)
    if marked is None:
        return None
    client = os.path.abspath(sys.modules["shardproof"].__file__)
    command = [sys.executable, client, f"{collector.path}:{name}"]
    options = options_of(collector.config, marked["options"])
    return Subject.from_parent(collector, name=name, checked=Checked(command, options))


class Commands(pytest.Collector):
    """The commands of the ini file."""

    def collect(self):
        for line in self.config.getini("shardproof_commands"):
            name, colon, command = line.partition(":")
            if not colon or not command.strip():
                raise pytest.UsageError(f"shardproof_commands: `{line}` is not `NAME: COMMAND`")
            checked = Checked(shlex.split(command), options_of(self.config, {}))
            yield Subject.from_parent(self, name=name.strip(), checked=checked)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(session, config, items):
    """Commands stand in no file: they are tried along with whatever is."""
    if not config.getini("shardproof_commands"):
        return
    commands = Commands.from_parent(session, name="shardproof", nodeid="shardproof")
    for subject in commands.collect():
        items.extend(subject.collect())
