"""The version of kohort."""

from typing import Final

VERSION: Final = "0.1.0"
