"""What others run kohort by, the image, the pre-commit hook and the action, fits the package and does what it says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RELEASE = "age,town\n" + "[20-29],Bari\n" * 3
FLAGS = ["--quasi", "age,town", "--k", "3"]


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A folder with two tables that are 3-anonymous, and one that is not."""
    for name, text in {"a.csv": RELEASE, "b.csv": RELEASE, "bad.csv": f"{RELEASE}[30-39],Bari\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def environment(**more: str) -> dict[str, str]:
    """The environment of a process that finds this interpreter's `kohort` first."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", **more}


def yaml(name: str) -> Any:  # noqa: ANN401  whatever the file holds
    """What a file in YAML holds."""
    reader = pytest.importorskip("yaml", reason="PyYAML is not installed")
    return reader.safe_load((ROOT / name).read_text(encoding="utf-8"))


class TestImage:
    """The Dockerfile: its steps were tried by hand; here, that they fit the repository."""

    text = re.sub(r"\\\n", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    steps = tuple(re.findall(r"^([A-Z]+) (.*)$", text, re.MULTILINE))

    def test_what_is_copied_is_there(self) -> None:
        """Every file that it copies exists and is not ignored, and the package needs no others to be built."""
        copied = {
            word for step, rest in self.steps if step == "COPY" and "--from" not in rest for word in rest.split()[:-1]
        }
        allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line[0] == "!"}
        assert copied == allowed
        assert all((ROOT / name).exists() for name in copied)
        assert {"pyproject.toml", "src", PROJECT["readme"]} <= copied
        assert all({name, name.partition("/")[0]} & copied for name in PROJECT["license-files"])

    def test_the_python_is_one_of_ours(self) -> None:
        """Both stages have the same base, whose Python the package is for."""
        bases = {rest.split()[0] for step, rest in self.steps if step == "FROM"}
        assert len(bases) == 1
        [version] = re.findall(r"^python:(3\.\d+)-slim$", bases.pop())
        assert f"Programming Language :: Python :: {version}" in PROJECT["classifiers"]

    def test_extras_exist(self) -> None:
        """It installs extras that the package has."""
        [extras] = re.findall(r"'\.\[(.*?)\]'", self.text)
        assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])

    def test_runs_without_rights_and_writes_to_tmp_only(self) -> None:
        """Its last user is a number that is not root's, and its caches are in /tmp, all that a read-only root has."""
        [user] = [rest for step, rest in self.steps if step == "USER"]
        assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)
        assert [step for step, _ in self.steps].index("USER") > max(
            at for at, (step, _) in enumerate(self.steps) if step == "RUN"
        )
        [*_, names] = [dict(word.split("=", 1) for word in rest.split()) for step, rest in self.steps if step == "ENV"]
        assert [name for name, place in names.items() if "/tmp" in place] == ["MPLCONFIGDIR"]  # noqa: S108  the image's
        assert "--read-only --tmpfs /tmp" in self.text


class TestHook:
    """The pre-commit hook."""

    def test_it_is_one(self) -> None:
        """pre-commit accepts the file."""
        clientlib = pytest.importorskip("pre_commit.clientlib", reason="pre-commit is not installed")
        [hook] = clientlib.load_manifest(ROOT / ".pre-commit-hooks.yaml")
        assert hook["entry"].split()[0] in PROJECT["scripts"]

    @pytest.mark.parametrize(("files", "status"), [(["a.csv", "b.csv"], 0), (["a.csv", "bad.csv", "b.csv"], 1)])
    def test_it_checks_what_is_committed(self, tables: Path, files: list[str], status: int) -> None:
        """pre-commit runs it on the files of a commit, and refuses the commit if one of them fails."""
        pytest.importorskip("pre_commit", reason="pre-commit is not installed")
        [hook] = yaml(".pre-commit-hooks.yaml")
        config = {"repos": [{"repo": "local", "hooks": [{**hook, "language": "system", "args": FLAGS}]}]}
        writer = pytest.importorskip("yaml", reason="PyYAML is not installed")
        (tables / ".pre-commit-config.yaml").write_text(writer.safe_dump(config), encoding="utf-8")
        own = environment(PRE_COMMIT_HOME=str(tables / "home"))
        for words in (["git", "init", "-q"], ["git", "add", ".pre-commit-config.yaml", *files]):
            subprocess.run(words, cwd=tables, env=own, check=True)
        command = [sys.executable, "-m", "pre_commit", "run", "--all-files", "--verbose"]
        done = subprocess.run(command, cwd=tables, env=own, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stdout + done.stderr
        assert "kohort check" in done.stdout
        assert "no files to check" not in done.stdout
        assert ("NOT met" in done.stdout) == bool(status)  # what fails is told, not only that something does


class TestAction:
    """The GitHub action."""

    @pytest.mark.parametrize(("files", "status"), [("a.csv b.csv", 0), ("[ab].csv", 0), ("*.csv", 1), ("none.csv", 3)])
    def test_it_checks_files(self, tables: Path, files: str, status: int) -> None:
        """Its last step, run as it stands, ends as `kohort check` does."""
        step = yaml("action.yml")["runs"]["steps"][-1]
        assert step["env"] == {"FILES": "${{ inputs.files }}", "FLAGS": "${{ inputs.flags }}"}
        own = environment(FILES=files, FLAGS=shlex.join(FLAGS))
        command = ["bash", "-e", "-o", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=tables, env=own, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stdout + done.stderr

    def test_inputs_are_data(self) -> None:
        """No input is pasted into a script, where it could be a command."""
        action = yaml("action.yml")
        for step in action["runs"]["steps"]:
            assert "${{" not in step.get("run", "")
        named = set(re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
        assert named == set(action["inputs"])


def test_classifiers_say_where_it_runs() -> None:
    """The package's metadata names every Python that CI tries, and no operating system alone."""
    tried = re.findall(r"^PYTHONS=\((.*)\)", (ROOT / ".ci" / "pythons").read_text(encoding="utf-8"), re.MULTILINE)
    [versions] = tried
    minor = [re.findall(r"Python :: (3\.\d+)$", one) for one in PROJECT["classifiers"]]
    assert [one[0] for one in minor if one] == versions.split()
