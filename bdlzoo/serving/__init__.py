"""Servers and clients of exported models, in the protocol of TF Serving.

The signatures are in `bdlzoo.model.signatures`; `docs/serving.md` has examples.
Only `rest_client` works without the extra `bdlzoo[serving]`, so each module is imported
when it is first used.
"""

import typing

from bdlzoo.core.lazy_modules import lazy_modules

if typing.TYPE_CHECKING:
    from bdlzoo.serving import (
        grpc_client,
        grpc_server,
        model_server,
        preprocessing,
        publish,
        rest_client,
        rest_server,
        server_files,
    )

__all__ = ["grpc_client", "grpc_server", "model_server", "preprocessing", "publish",
           "rest_client", "rest_server", "server_files"]

__getattr__, __dir__ = lazy_modules(__name__, __all__)
