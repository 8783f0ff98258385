"""Servers and clients of exported models, in the protocol of TF Serving.

The signatures are in `bdlzoo.model.signatures`; `docs/serving.md` has examples.
Of these modules only `rest_client` works without the extra `bdlzoo[serving]`.
"""
