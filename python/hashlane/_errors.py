"""What goes wrong."""


class Error(OSError):
    """A list, a directory, a store or the catalogue cannot be used, so that nothing was compared.

    ``filename`` is what cannot be used, ``errno`` the number of the system's error, and ``strerror`` says what is wrong. The first two are
    ``None`` where there is none. What is wrong with a single file is not an exception, but part of the results.
    """

    def __str__(self) -> str:
        if self.filename is None:
            return str(self.strerror)
        return f"{self.filename}: {self.strerror}"


class UsageError(Error, ValueError):
    """What is asked for is not possible and must be asked for in another way: a list is not a manifest, or does not say its algorithm.

    The command ends with 64 where this is raised.
    """
