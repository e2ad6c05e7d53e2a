"""Fingerprints and audits file collections at the speed of the machine.

``new`` and ``file_digest`` are shaped like those of ``hashlib``; ``digest_many`` digests many messages that are in memory side by side;
``sum_files`` reads files and trees, ``list_files`` lists them, and ``check``, ``diff``, ``audit`` and ``audit_collection`` compare them with
what is known.
"""

from hashlane._audits import audit, audit_collection, check, diff
from hashlane._digests import algorithms_available, file_digest, new
from hashlane._errors import Error, UsageError
from hashlane._files import list_files, sum_files
from hashlane._findings import CollectionVerdict, Content, Difference, Finding, Findings, Report, Verdict
from hashlane._hashlane import Hash, __version__, digest_many

__all__ = [
    "CollectionVerdict",
    "Content",
    "Difference",
    "Error",
    "Finding",
    "Findings",
    "Hash",
    "Report",
    "UsageError",
    "Verdict",
    "__version__",
    "algorithms_available",
    "audit",
    "audit_collection",
    "check",
    "diff",
    "digest_many",
    "file_digest",
    "list_files",
    "new",
    "sum_files",
]
