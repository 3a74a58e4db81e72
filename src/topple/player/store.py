"""The database, which is checked when it is opened and used in short transactions.

One that an earlier version of the player made is upgraded.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from sqlalchemy import (
    Connection,
    Engine,
    create_engine,
    event,
    exists,
    func,
    inspect,
    make_url,
    or_,
    select,
    text,
)
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    IntegrityError,
    NoSuchModuleError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.orm import Session

from topple.files import lock
from topple.player.errors import DamagedError, StorageFullError
from topple.player.models.base import Benchmark
from topple.player.models.studies import Block, StudyIn
from topple.player.tables import SCHEMA, Attempt, Mark, Meta, Player, Study, Table

DATABASE_FILE = "player.sqlite"
_BUSY_SECONDS = 10.0  # to wait for another writer
_THREADS = 40  # that answer calls, each with a connection of its own
_TRIES = 5
_READING = "topple_reading"
# What SQLite says of damaged pages and texts, also where it keeps the names of columns.
_DAMAGED = ("malformed", "could not decode", "no such column", "no such table", "no column named")
_FULL = ("disk is full", "no space left")  # what SQLite and PostgreSQL say
# Statements that bring the tables of a version to the next one.
_FROM_FIRST = (
    "ALTER TABLE studies ADD COLUMN resume_by_name BOOLEAN DEFAULT false NOT NULL",
    "ALTER TABLE attempts ADD COLUMN server BIGINT",
    "DROP INDEX attempts_by_player",
)
_FROM_SECOND = (
    "ALTER TABLE studies ADD COLUMN design JSON DEFAULT '{}' NOT NULL",
    "ALTER TABLE players ADD COLUMN number INTEGER",
    "ALTER TABLE players ADD COLUMN group_name VARCHAR(80) DEFAULT '' NOT NULL",
    "ALTER TABLE players ADD COLUMN schedule JSON",
    "ALTER TABLE players ADD COLUMN free_id INTEGER",
    "ALTER TABLE players ADD COLUMN consented VARCHAR(32)",
    "ALTER TABLE players ADD COLUMN ended VARCHAR(32)",
    "ALTER TABLE players ADD COLUMN withdrawn BOOLEAN DEFAULT false NOT NULL",
)

T = TypeVar("T")
P = ParamSpec("P")


class StoreError(ValueError):
    """The database cannot be used; the message says which and why."""


def sqlite_url(folder: Path) -> str:
    """The URL of the default database in a folder."""
    return f"sqlite:///{folder / DATABASE_FILE}"


class Store:
    """An open database.

    Args:
        url: an SQLAlchemy URL. An SQLite file and its folder are created if they do not exist.

    Raises:
        StoreError: it cannot be opened, is not a database of the player, or has another version.
    """

    def __init__(self, url: str) -> None:
        try:
            parsed = make_url(url)
        except ArgumentError:
            raise StoreError(
                f"{url!r} is not an SQLAlchemy URL such as sqlite:///file.db"
            ) from None
        self.name = parsed.render_as_string(hide_password=True)
        self.server_id: int | None = None  # of the server that this process is, if it is one
        self._held = ExitStack()
        self._changes: deque[_Change] = deque()
        self._file: Path | None = None
        if parsed.get_backend_name() == "sqlite" and parsed.database not in (None, "", ":memory:"):
            self._file = Path(str(parsed.database))
        self._one_writer = parsed.get_backend_name() == "sqlite"
        self._write_lock: AbstractContextManager[object] = (
            threading.Lock() if self._one_writer else nullcontext()
        )
        try:
            self._engine = _engine(url)
            self._check()
        except (NoSuchModuleError, ImportError) as error:
            raise StoreError(f"{self.name}: its driver is not installed: {error}") from None
        except (SQLAlchemyError, DamagedError, OSError) as error:
            reason = str(getattr(error, "orig", None) or error)
            raise StoreError(f"{self.name} cannot be opened: {reason}") from None

    def _check(self) -> None:
        if self._file is not None:
            with self.reading() as session:
                found = session.scalar(text("PRAGMA quick_check(1)"))
                if found != "ok":
                    raise DamagedError(self.name, found)
        tables = set(inspect(self._engine).get_table_names())
        if not tables & set(Table.metadata.tables):
            Table.metadata.create_all(self._engine)
            with self.transaction() as session:
                session.merge(Meta(name="schema", value=str(SCHEMA)))
            return
        found = None
        if Meta.__tablename__ in tables:
            with self.transaction() as session:
                row = session.get(Meta, "schema")
                if row is not None:
                    _upgrade(session, row)
                found = row.value if row else None
        if found != str(SCHEMA):
            raise StoreError(
                f"{self.name} has version {found or 'unknown'} of the player's tables and this "
                f"Topple needs version {SCHEMA}; use the Topple it was made with, or choose "
                "another one with --database"
            )

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Open a session whose changes are on disk when it ends, all or none.

        Raises:
            StorageFullError: the disk is full.
            DamagedError: the database holds what it cannot have been given.
        """
        # SQLite has one writer at a time, and a lock is fairer than its own waiting.
        with (
            self._explained(),
            self._write_lock,
            Session(self._engine, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a session that changes nothing, and so never waits for a writer.

        Raises:
            DamagedError: the database holds what it cannot have been given.
        """
        reader = self._engine.execution_options(**{_READING: True})
        with self._explained(), Session(reader) as session:
            yield session

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Give errors of the database itself their names."""
        try:
            yield
        except OperationalError as error:
            if any(words in str(error.orig).lower() for words in _FULL):
                raise StorageFullError from error
            if any(words in str(error.orig).lower() for words in _DAMAGED):
                raise DamagedError(self.name, error.orig) from error
            raise
        except IntegrityError:
            raise
        except (DatabaseError, json.JSONDecodeError, UnicodeDecodeError) as error:
            raise DamagedError(self.name, getattr(error, "orig", error)) from error

    def change(
        self, work: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do some work in a transaction, and again if another one took the same unique value.

        Writing to the disk takes longer than the work. So with SQLite, which has one writer,
        threads leave their work in a queue, and the first that may write does all of it in one
        transaction, with a savepoint for each.
        """
        own = _Change(lambda session: work(session, *args, **kwargs))
        if not self._one_writer:
            self._write([own])
        else:
            self._changes.append(own)
            with self._write_lock:
                if not own.done:  # else another thread did it
                    self._write([self._changes.popleft() for _ in range(len(self._changes))])
        if own.error is not None:
            with self._explained():
                raise own.error
        return cast(T, own.result)

    def _write(self, batch: Sequence[_Change]) -> None:
        try:
            with self._engine.begin() as connection:
                for change in batch:
                    change.make(connection)
        except DatabaseError as error:
            if len(batch) > 1:  # it may be the fault of one
                for change in batch:
                    self._write([change])
            else:
                batch[0].error = error
        except BaseException as error:
            for change in batch:
                change.error = error
            raise
        finally:
            for change in batch:
                change.done = True

    def forget(
        self, work: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do some work that deletes, and leave no copy of it in the log of an SQLite file."""
        result = self.change(work, *args, **kwargs)
        if self._file is not None:
            connection = self._engine.raw_connection()  # a checkpoint needs no transaction
            try:
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                connection.close()
        return result

    def register_server(self) -> None:
        """Let others on this database know, until this one closes or ends, that a server runs.

        The operating system or the database gives the lock back, however the process ends.
        """
        number = secrets.randbits(62)
        if self._file is not None:
            path = self._lock_path(number)
            self._held.callback(path.unlink, missing_ok=True)
            self._held.enter_context(lock(path))
        elif self._engine.dialect.name == "postgresql":
            held = self._held.enter_context(self._autocommit().connect())
            held.execute(select(func.pg_advisory_lock(number)))
        self.server_id = number

    def is_running(self, server: int) -> bool:
        """Whether a server that was registered on this database still runs."""
        if self._file is not None:
            path = self._lock_path(server)
            if not path.exists():
                return False
            try:
                with lock(path, wait=False):
                    pass
            except BlockingIOError:
                return True
            path.unlink(missing_ok=True)
        elif self._engine.dialect.name == "postgresql":
            with self._autocommit().connect() as connection:
                if not connection.scalar(select(func.pg_try_advisory_lock(server))):
                    return True
                connection.execute(select(func.pg_advisory_unlock(server)))
        return False

    def _lock_path(self, server: int) -> Path:
        assert self._file is not None
        return self._file.with_name(f"{self._file.name}-server-{server:x}")

    def _autocommit(self) -> Engine:
        return self._engine.execution_options(isolation_level="AUTOCOMMIT")

    def close(self) -> None:
        """Close the database."""
        self._held.close()
        self._engine.dispose()


class _Change:
    """Work on the database that waits for its turn, and then what became of it."""

    def __init__(self, work: Callable[[Session], Any]) -> None:
        self._work = work
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False

    def make(self, connection: Connection) -> None:
        """Do the work within a transaction; if it fails, nothing of it remains there."""
        for _ in range(_TRIES):
            self.error = None
            try:
                with (
                    Session(
                        connection,
                        expire_on_commit=False,
                        join_transaction_mode="create_savepoint",
                    ) as session,
                    session.begin(),
                ):
                    self.result = self._work(session)
                return
            except IntegrityError as error:
                self.error = error
            except DatabaseError:
                raise  # it may be one of the whole transaction, such as a full disk
            except Exception as error:
                self.error = error
                return


def _engine(url: str) -> Engine:
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_engine(url, pool_pre_ping=True)
    if parsed.database and parsed.database != ":memory:":
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, pool_size=_THREADS, connect_args={"timeout": _BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        # Autocommit, so that `_begin` can say BEGIN IMMEDIATE: writers then wait for each
        # other instead of failing halfway.
        connection.isolation_level = None
        # What is deleted is overwritten: a participant may have asked for it.
        pragmas = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON")
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        reading = connection.get_execution_options().get(_READING)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine


def _upgrade(session: Session, version: Meta) -> None:
    """Bring the tables of an earlier version to this one; others are left alone."""
    if version.value not in ("1", "2"):
        return
    for statement in (*(_FROM_FIRST if version.value == "1" else ()), *_FROM_SECOND):
        session.connection().exec_driver_sql(statement)
    Table.metadata.create_all(session.connection())  # the tables that are new
    for table in (Attempt, Player):
        for index in Table.metadata.tables[table.__tablename__].indexes:
            index.create(session.connection(), checkfirst=True)
    for study in session.scalars(select(Study)):
        _add_design(session, study)
    version.value = str(SCHEMA)


def _add_design(session: Session, study: Study) -> None:
    """Write down the design that all studies had: every puzzle in the order of the list."""
    study.design = StudyIn(
        name=study.name,
        benchmark=Benchmark(study.benchmark),
        blocks=[Block(puzzles=study.subjects, shuffle=False)],
        seed=study.seed,
        attempt_limit=study.attempt_limit,
        consent=study.consent,
        ask_name=True,
        resume_by_name=study.resume_by_name,
    ).model_dump(mode="json")
    began = or_(*(exists().where(table.player_id == Player.id) for table in (Attempt, Mark)))
    people = select(Player, began).where(Player.study_id == study.id).order_by(Player.id)
    for number, (player, has_begun) in enumerate(session.execute(people), start=1):
        player.number, player.schedule = number, study.subjects
        # Those who were invited and have not begun are asked for their consent.
        player.consented = player.created if has_begun else None
