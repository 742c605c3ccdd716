import json
import urllib.error
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Literal, Optional, Tuple, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class ParleyError(Exception):
    """An error of the service: its status, code, parameter and request ID."""

    def __init__(self, status: int, body: Dict[str, Any]) -> None:
        error = body.get("error", {})
        super().__init__(error.get("message", "The request failed."))
        self.status = status
        self.code: Optional[str] = error.get("code")
        self.param: Optional[str] = error.get("param")
        self.request_id: Optional[str] = body.get("request_id")


class ServerEvent(TypedDict):
    """A server-sent event. `data` is parsed JSON."""

    event: str
    data: Any
    id: Optional[str]


class Connection:
    """Sends requests and reads responses."""

    def __init__(self, base_url: str, api_key: Optional[str] = None, timeout: float = 60) -> None:
        self._base_url = base_url.rstrip("/")
        self._headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._timeout = timeout

    def items(self, operation: Callable[..., Any], **parameters: Any) -> Iterator[Any]:
        """Yields the items of a list with cursors, page by page: `client.items(client.list_events, type="run.failed")`."""
        while True:
            page = operation(**parameters)
            yield from page["data"]
            if page["meta"].get("nextCursor") is None:
                return
            parameters["cursor"] = page["meta"]["nextCursor"]

    def _json(self, *request: Any) -> Any:
        with self._open(*request) as response:
            text = response.read()
        return json.loads(text) if text else None

    def _lines(self, *request: Any) -> Iterator[Any]:
        with self._open(*request) as response:
            for line in response:
                yield json.loads(line)

    def _events(self, *request: Any) -> Iterator[ServerEvent]:
        with self._open(*request) as response:
            event = ServerEvent(event="message", data=None, id=None)
            lines: List[str] = []
            for raw in response:
                field, _, value = raw.decode().rstrip("\r\n").partition(":")
                value = value[1:] if value.startswith(" ") else value
                if field == "event":
                    event["event"] = value
                elif field == "id":
                    event["id"] = value
                elif field == "data":
                    lines.append(value)
                elif raw in (b"\n", b"\r\n"):
                    if lines:
                        event["data"] = json.loads("\n".join(lines))
                        yield event
                    event, lines = ServerEvent(event="message", data=None, id=event["id"]), []

    def _open(
        self,
        method: str,
        path: str,
        accept: str,
        query: Dict[str, Any],
        headers: Dict[str, Optional[str]],
        body: Any = None,
    ) -> Any:
        sent = [pair for name, value in query.items() for pair in _pairs(name, value)]
        url = self._base_url + path + ("?" + urllib.parse.urlencode(sent) if sent else "")
        head = {**self._headers, "accept": accept, **{name: value for name, value in headers.items() if value is not None}}
        data = None
        if body is not None:
            head["content-type"] = "application/json"
            data = json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, headers=head, method=method)
        try:
            return urllib.request.urlopen(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            raise ParleyError(error.code, _error_body(error.read())) from None


def _error_body(text: bytes) -> Dict[str, Any]:
    """A proxy in front of the service may send an error that is not JSON."""
    try:
        body = json.loads(text)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _pairs(name: str, value: Any) -> List[Tuple[str, str]]:
    """A list repeats its name, and a dictionary has the key in brackets: `meta[tier]=gold`."""
    if value is None:
        return []
    if isinstance(value, dict):
        return [pair for key, one in value.items() for pair in _pairs(f"{name}[{key}]", one)]
    if isinstance(value, (list, tuple)):
        return [pair for one in value for pair in _pairs(name, one)]
    return [(name, str(value).lower() if isinstance(value, bool) else str(value))]


def _path(value: object) -> str:
    return urllib.parse.quote(str(value), safe="")
