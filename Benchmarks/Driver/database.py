"""A PostgreSQL server of its own."""

import glob
import os
import pwd
import subprocess


class Database:
    """A PostgreSQL server in a folder of its own, with its defaults."""

    def __init__(self, folder):
        self.programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        # PostgreSQL refuses to be root's.
        self.as_server = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        self.folder = folder
        self.uri = f"postgresql:///postgres?host={folder}&user=postgres"

    def __enter__(self):
        if self.as_server:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            os.chmod(self.folder, 0o755)
        data = os.path.join(self.folder, "data")
        self.run("initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8",
                 "--locale=C.UTF-8")
        self.run("pg_ctl", "start", "-w", "-D", data, "-l", os.path.join(self.folder, "log"), "-o",
                 f"-c listen_addresses= -c unix_socket_directories={self.folder}")
        return self

    def __exit__(self, *_):
        self.run("pg_ctl", "stop", "-w", "-m", "fast", "-D", os.path.join(self.folder, "data"))

    def run(self, program, *words):
        subprocess.run([*self.as_server, os.path.join(self.programs, program), *words], check=True,
                       stdout=subprocess.DEVNULL)

    def query(self, statement, **options):
        """The answer of a statement."""
        return subprocess.run(["psql", "-qAtX", "-d", self.uri, "-c", statement], check=True, text=True,
                              stdout=subprocess.PIPE, **options).stdout.strip()
