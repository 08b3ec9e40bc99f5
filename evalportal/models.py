"""People, their failed attempts to sign in, and what boards keep of a scoring."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db import models
from django.db.models.functions import Now
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
