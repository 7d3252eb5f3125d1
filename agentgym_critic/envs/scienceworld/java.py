"""`JavaProcess`: a Java process that is called through py4j, and what to do when it is missing or dies.

It knows no game. Two things differ from py4j's own `launch_gateway`: what Java prints needs no
thread to be thrown away, and Java's identity hashes are constant, so that programs which iterate
over hash sets do so in the same order every time.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from agentgym_critic.errors import EnvError, MissingExtraError, require

__all__ = ["JavaProcess", "find_java"]

_OPTIONS = ("-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2", "-XX:+UseSerialGC")
"""`hashCode=2` makes identity hashes constant; one thread collects garbage, which is quicker to start."""

_PATIENCE_S = 5.0
"""How long the process may take to end by itself."""


def find_java() -> str:
    """The program `java`: of ``$JAVA_HOME``, or else on the path.

    Raises:
        MissingExtraError: there is none.
    """
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(os.path.join(home, "bin", "java")) if home else shutil.which("java")
    if java is None:
        where = f"$JAVA_HOME is {home!r} and has no bin/java" if home else "`java` is not on the path"
        raise MissingExtraError(
            f"ScienceWorld runs in Java, and {where}; install a Java runtime, version 8 or later "
            "(Debian and Ubuntu: apt-get install default-jre-headless), or point $JAVA_HOME at one"
        )
    return java


class JavaProcess:
    """A Java process with a jar on its class path, working in a temporary folder of its own.

    Args:
        jar: the jar.

    Raises:
        MissingExtraError: Java or py4j is not installed.
        EnvError: the process did not start.
    """

    def __init__(self, jar: str) -> None:
        py4j = require("py4j.java_gateway", "scienceworld", "ScienceWorld")
        path = os.pathsep.join((py4j.find_jar_path(), jar))
        command = [find_java(), *_OPTIONS, "-classpath", path]
        command += ["py4j.GatewayServer", "--die-on-broken-pipe", "--enable-auth", "0"]
        self._folder = tempfile.TemporaryDirectory(prefix="agentgym-critic-java-")
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the process
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            cwd=self._folder.name,
            start_new_session=True,  # Ctrl-C is for Python, which ends Java
        )
        assert self._process.stdout is not None
        port, token = (self._process.stdout.readline().decode().strip() for _ in range(2))
        if not port.isdigit():
            self._process.wait(_PATIENCE_S)
            said = self._last_words() or port
            _end(None, self._process, self._said, self._folder)
            raise EnvError(
                f"Java did not start ScienceWorld: {said or 'it said nothing'}. It takes a HotSpot Java (OpenJDK, "
                "Oracle's, ...) of version 8 or later; point $JAVA_HOME at another one",
                "java",
            )
        parameters = py4j.GatewayParameters(port=int(port), auth_token=token, auto_field=False)
        self._gateway = py4j.JavaGateway(gateway_parameters=parameters)
        self._end = weakref.finalize(self, _end, self._gateway, self._process, self._said, self._folder)
        with self.calling():
            # What is printed would fill the pipe, which nobody reads any more.
            self.jvm.java.lang.System.setOut(self.jvm.java.io.PrintStream(os.devnull))

    @property
    def jvm(self) -> Any:
        """Java's packages, as py4j shows them."""
        return self._gateway.jvm

    @property
    def folder(self) -> Path:
        """Where the process works."""
        return Path(self._folder.name)

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Around calls: what goes wrong there says whether the process is alive.

        Raises:
            EnvError: a call failed, or the process is dead.
        """
        from py4j.protocol import Py4JError

        try:
            yield
        except (Py4JError, OSError) as cause:
            raise EnvError(self._obituary(cause), "java") from cause

    def close(self) -> None:
        """End the process; a second call does nothing."""
        self._end()

    def _obituary(self, cause: Exception) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
        code = self._process.returncode
        what = f"failed in a call ({cause})" if code is None else f"died with exit code {code}: {self._last_words()}"
        return (
            f"ScienceWorld's Java process {what.strip(': ')}; this episode is lost: call reset(), which starts a new "
            "process. If it dies again, the machine may be short of memory: limit or raise Java's with "
            "$JAVA_TOOL_OPTIONS, for example -Xmx1g"
        )

    def _last_words(self) -> str:
        if self._said.closed:
            return ""
        self._said.seek(0)
        return self._said.read().decode(errors="replace").strip()[-500:]


def _end(
    gateway: Any, process: subprocess.Popen[bytes], said: IO[bytes], folder: tempfile.TemporaryDirectory[str]
) -> None:
    if gateway is not None:
        with contextlib.suppress(Exception):  # it may be dead already
            gateway.shutdown()
        # Else every Java object that is forgotten from now on knocks at the closed door.
        gateway._gateway_client.is_connected = False
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError):
        process.stdin.close()  # the broken pipe that ends it
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
    said.close()
    folder.cleanup()
