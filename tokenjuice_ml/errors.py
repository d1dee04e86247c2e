"""Errors of the library.

    TokenJuiceError
    ├── SettingsError     a bad key or value; names the file and the key
    ├── RuleError         a rule file that cannot be used; names the file and the field
    ├── RequestError      a request (batch line, RPC body, CLI flag) that cannot be read
    └── StoreError        an original could not be kept or read

`compress` never raises on content: whatever the text is, the original comes back with a
reason. Only what a person configures or asks wrongly raises.
"""

from __future__ import annotations


class TokenJuiceError(Exception):
    """Root of all errors raised on purpose by this package."""


class SettingsError(TokenJuiceError):
    """A setting has an unknown name or a bad value."""


class RuleError(TokenJuiceError):
    """A rule document cannot be used."""


class RequestError(TokenJuiceError):
    """A request is malformed: unknown key, wrong type, unreadable input."""


class StoreError(TokenJuiceError):
    """An original could not be kept, or the store could not be read."""
