"""People, failed attempts to sign in, what boards keep of a scoring, and jobs that make or read files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db import models
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from evalportal.roles import Role


class People(BaseUserManager["Person"]):
    """Makes people; Django's `createsuperuser` makes an admin."""

    def create_user(self, username: str, password: str | None = None, **fields: Any) -> Person:
        person = self.model(username=username, **fields)
        person.set_password(password)
        person.save(using=self._db)
        return person

    def create_superuser(self, username: str, password: str | None = None, **fields: Any) -> Person:
        return self.create_user(username, password, **{**fields, "role": Role.ADMIN})


class Person(AbstractBaseUser):
    """Someone who may sign in, in one role."""

    username = models.CharField(
        max_length=60,
        unique=True,
        validators=[UnicodeUsernameValidator()],
        help_text="What they sign in with.",
        error_messages={"unique": "Someone already has this user name."},
    )
    name = models.CharField(max_length=120, help_text="As others shall read it.")
    email = models.EmailField(blank=True)
    role = models.CharField(max_length=20, choices=Role)
    is_active = models.BooleanField(default=True)
    joined_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[People] = People()

    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    class Meta:
        ordering = ("name", "pk")
        verbose_name_plural = "people"

    def __str__(self) -> str:
        return self.name

    @property
    def is_admin(self) -> bool:
        return self.role == Role.ADMIN

    @property
    def is_reviewer(self) -> bool:
        return self.role == Role.REVIEWER

    @property
    def is_manager(self) -> bool:
        return self.role == Role.MANAGER


class FailedSignIn(models.Model):
    """One wrong password; enough of them close the door for a while."""

    username = models.CharField(max_length=150)
    address = models.GenericIPAddressField(null=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = (
            models.Index(fields=["username", "at"], name="failed_by_username"),
            models.Index(fields=["address", "at"], name="failed_by_address"),
        )

    def __str__(self) -> str:
        return f"{self.username} from {self.address} at {self.at:%Y-%m-%d %H:%M}"


class BoardEntry(models.Model):
    """What boards need of one scoring, kept: its figures, and its scores as packed arrays.

    It is made once the run is scored, and made anew when it no longer fits: never the only copy.
    """

    scoring = models.OneToOneField("scoring.Scoring", models.CASCADE, related_name="board_entry")
    version = models.PositiveSmallIntegerField(help_text="By which rules the figures were made.")
    finished_at = models.DateTimeField(help_text="When the scores that it holds were finished.")
    figures = models.JSONField(help_text="Means, pass rate and counts, with their intervals.")
    review_state = models.CharField(max_length=80, blank=True, help_text="The run's last decision.")
    review = models.JSONField(default=dict, help_text="What people's marks say of it.")
    cases = models.BinaryField(help_text="Of each score the case, by 8 bytes.")
    noises = models.BinaryField(help_text="Of each score the level of noise, by 2 bytes.")
    clusters = models.BinaryField(help_text="Of each score what it shares with others, by 8 bytes.")
    overalls = models.BinaryField(help_text="The scores, by 8 bytes.")

    class Meta:
        verbose_name_plural = "board entries"

    def __str__(self) -> str:
        return f"Board entry of scoring {self.scoring_id}"


class Ranking(models.Model):
    """The ranks of a set of scorings, kept, because every two of them are compared: never the only copy."""

    name = models.CharField(max_length=80, unique=True, help_text="Which scorings, and as they stood.")
    ranks = models.JSONField(help_text="Of each scoring its place, and who shares it.")
    made_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"Ranks of {len(self.ranks)} scorings"


class Job(models.Model):
    """Something that takes a while, is done by a worker, and has to do with a file under var/."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting for a worker"
        WORKING = "working", "Under way"
        DONE = "done", "Done"
        REFUSED = "refused", "Refused"
        FAILED = "failed", "Failed"

    # The numbers of its locks: those of one kind of job are not those of another.
    LOCKS: ClassVar[int]

    state = models.CharField(max_length=20, choices=State, default=State.WAITING)
    message = models.TextField(blank=True, help_text="How it went, in a sentence.")
    file = models.CharField(max_length=80, unique=True, help_text="Its name in the folder of such files.")
    size = models.BigIntegerField(default=0, help_text="Of the file, in bytes.")
    rows = models.BigIntegerField(default=0, help_text="How many are through.")
    total_rows = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(Person, models.PROTECT, related_name="+")

    class Meta:
        abstract = True

    @property
    def under_way(self) -> bool:
        return self.state in {self.State.WAITING, self.State.WORKING}

    @property
    def path(self) -> Path:
        return Path(settings.VAR) / self._meta.model_name / self.file  # type: ignore[operator]

    @property
    def seconds_left(self) -> float | None:
        """Guess how long it still takes, from how long it took so far."""
        if not self.started_at or not self.rows:
            return None
        taken = (timezone.now() - self.started_at).total_seconds()
        return taken * max(self.total_rows - self.rows, 0) / self.rows


class Export(Job):
    """A file of a run that is too large to wait for."""

    LOCKS: ClassVar[int] = 1 << 29

    run = models.ForeignKey("scoring.Run", models.CASCADE, related_name="exports")
    what = models.CharField(max_length=20)
    format = models.CharField(max_length=20)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.what} of run {self.run_id} as {self.format}"

    def get_absolute_url(self) -> str:
        return reverse("export-detail", args=[self.pk])

    @property
    def name(self) -> str:
        """What the file is called when somebody downloads it."""
        return f"run-{self.run_id}-{self.what}.{self.format}"


class BundleImport(Job):
    """A bundle that someone sent, and the run that it became."""

    LOCKS: ClassVar[int] = 1 << 30

    name = models.CharField(max_length=255, help_text="What the file was called.")
    run = models.ForeignKey("scoring.Run", models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"Bundle {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("bundle-detail", args=[self.pk])
