"""The page has a policy, and answers of all kinds are safe to open."""

import http.client
import json
import re

from bdlzoo.serving import rest_answers
from bdlzoo.serving.serving_error import ServingError


def test_page_allows_its_own_script_only():
    first, second = (rest_answers.page(["b", "</script>", "a"]) for _ in range(2))
    text, headers = first.body.decode(), dict(first.headers)
    policy = headers["Content-Security-Policy"]
    [nonce] = set(re.findall(r"'nonce-([\w-]+)'", policy))
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    assert set(re.findall(r'<(?:script|style) nonce="([^"]+)">', text)) == {nonce}
    assert nonce not in second.body.decode()  # Nobody can know it before.
    assert '["\\u003c/script>", "a", "b"]' in text and text.count("</script>") == 1


def test_answers_tell_browsers_not_to_guess(served):
    connection = http.client.HTTPConnection(f"127.0.0.1:{served.rest.port}", timeout=60)
    for verb, path, status, kind in (
            ("GET", "/", 200, "text/html; charset=utf-8"),
            ("GET", "/v1/models/digits", 200, "application/json"),
            ("GET", "/none", 404, "application/json"),
            ("HEAD", "/", 200, "text/html; charset=utf-8"),
            ("PUT", "/v1/models/digits", 501, "application/json")):
        connection.request(verb, path)
        response = connection.getresponse()
        assert (response.status, response.headers["Content-Type"]) == (status, kind)
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert bool(response.read()) == (verb != "HEAD")
    connection.close()


def test_errors_are_explained_and_short():
    error = ServingError("NOT_FOUND", "x" * 10**6)
    answer = rest_answers.of_error(error)
    assert answer.status == 404 and len(answer.body) < 1100
    assert set(json.loads(answer.body)) == {"error"}
    answer = rest_answers.of_error(KeyError("secret"), "/v1")
    assert (answer.status, json.loads(answer.body)) == (500, {"error": "KeyError"})
