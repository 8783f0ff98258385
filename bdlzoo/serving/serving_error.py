"""Errors of a server, with the codes of gRPC, HTTP and TensorFlow."""

# In the order of their numbers in TensorFlow and gRPC, with the status that TF Serving
# returns over HTTP.
_HTTP = {"OK": 200, "CANCELLED": 499, "UNKNOWN": 500, "INVALID_ARGUMENT": 400,
         "DEADLINE_EXCEEDED": 504, "NOT_FOUND": 404, "ALREADY_EXISTS": 409,
         "PERMISSION_DENIED": 403, "RESOURCE_EXHAUSTED": 429,
         "FAILED_PRECONDITION": 400, "ABORTED": 409, "OUT_OF_RANGE": 400,
         "UNIMPLEMENTED": 501, "INTERNAL": 500, "UNAVAILABLE": 503,
         "DATA_LOSS": 500, "UNAUTHENTICATED": 401}
CODES = tuple(_HTTP)
_LONGEST = 1000  # Characters of a message; names in a request can be of any length.


class ServingError(Exception):
    """Error that a server returns in the place of an answer.

    Args:
        code: String, name of a code of gRPC, such as `"INVALID_ARGUMENT"`.
        message: String, description of the error; a long one is cut.
        closes: Bool, whether the connection cannot be used any more, because it is not
            sure where the request ends.
    """

    def __init__(self, code, message, closes=False):
        message = message if len(message) <= _LONGEST else f"{message[:_LONGEST]}..."
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.closes = closes

    @property
    def http_status(self):
        """Integer, status of the answer over HTTP."""
        return _HTTP[self.code]

    @classmethod
    def of_http(cls, status, message):
        """The error of an HTTP status; of several codes, the most usual one."""
        usual = {400: "INVALID_ARGUMENT", 409: "ABORTED", 500: "INTERNAL"}
        names = {number: code for code, number in _HTTP.items()}
        return cls(usual.get(status) or names.get(status, "UNKNOWN"), message)

    @classmethod
    def of_tensorflow(cls, error):
        """The error of a `tf.errors.OpError`."""
        return cls(CODES[error.error_code], error.message)
