"""What simtrain raises: InputError where something given is wrong, InternalError where simtrain is."""


class Error(Exception):
    """Every error of simtrain."""


class InputError(Error, ValueError):
    """A file, a key or a value is wrong, or values cannot go together. str() is one line to show.

    Attributes:
        file: where it was written: a path, the name given to a text, or KEY=VALUE of Scenario.with_
        line: from 1; 0 means the file as a whole
        column: from 1; 0 means the line as a whole
        key: dotted, as "parallelism.tensor_model_parallel_size"; empty where no single key is wrong
        reason: what was found and what would do
    """

    def __init__(self, message: str, file: str = "", line: int = 0, column: int = 0, key: str = "",
                 reason: str = "") -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column
        self.key = key
        self.reason = reason or message

    def __reduce__(self) -> "tuple[type, tuple[object, ...]]":
        return type(self), (str(self), self.file, self.line, self.column, self.key, self.reason)


class InternalError(Error, RuntimeError):
    """A fault of simtrain, which is worth a report. There is no result; the module goes on."""
