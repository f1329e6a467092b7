"""A small client of the interface, with Python's standard library alone."""
import hashlib
import http.client
import json
import secrets
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from email.utils import formatdate


class ServiceError(Exception):
    """The service said no."""

    def __init__(self, status, response):
        super().__init__(f"{status}: {response.get('message') or 'no message'}")
        self.status = status
        self.subcode = response.get("subcode")
        self.resource_id = response.get("resource_id")
        details = response.get("additional_information")
        # Of a 400: which attribute is wrong, and why.
        self.faults = details if isinstance(details, list) else []


class NotTheService(Exception):
    """An answer that is not the service's: a wrong address, or a proxy's page."""


class OutcomeUnknown(Exception):
    """A POST was sent and got no answer. Look before you send it again."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A signature holds for one path of one host, so nothing is followed."""

    def redirect_request(self, *_):
        return None


class Client:
    ATTEMPTS = 3

    def __init__(self, base_url, api_key, company=None, user=None, partner=None, names=None, timeout=30):
        """names: a deployment's own header prefix and schemes. The key is never sent."""
        self.base = base_url.rstrip("/")
        self.api_key = api_key
        self.ids = [("PID", partner), ("CID", company), ("UID", user)]
        names = names or {}
        self.prefix = names.get("header_prefix") or "X-Svc-"
        company_scheme = names.get("company_scheme") or "SvcHash"
        self.scheme = company_scheme if partner is None else names.get("partner_scheme") or "SvcPartner"
        self.timeout = timeout
        self.opener = urllib.request.build_opener(_NoRedirects)

    # The methods of the interface

    def get(self, resource, id):
        """One record. Raises ServiceError 404 where there is none."""
        return self.request("GET", f"/v1/{resource}/{id}")["data"]

    def exists(self, resource, **filters):
        try:
            self.request("HEAD", f"/v1/{resource}", filters)
            return True
        except ServiceError as error:
            if error.status == 404:
                return False
            raise

    def list(self, resource, page=200, sort="id", **filters):
        """Every record once. `sort` must be unique, as ids are: `start` is a value of it, and ties would repeat or hide
        rows. To have another order, sort what this gives."""
        start = {}
        while True:
            try:
                answer = self.request("GET", f"/v1/{resource}", {**filters, "sort": sort, "count": page, **start})
            except ServiceError as error:
                # Nothing matches: an empty list.
                if error.status == 404:
                    return
                raise
            # An object where a filter named one record by its id.
            yield from answer["data"] if isinstance(answer["data"], list) else [answer["data"]]
            if answer["next"] is None:
                return
            if {"start": answer["next"]} == start:
                raise NotTheService(f"the pages of {resource} do not go on")
            start = {"start": answer["next"]}

    def create(self, resource, **attributes):
        return self.request("POST", f"/v1/{resource}", body=attributes)["data"]

    def update(self, resource, id=None, **attributes):
        """The records changed; without an id the attributes say which one."""
        path = f"/v1/{resource}" if id is None else f"/v1/{resource}/{id}"
        return self.request("PUT", path, body=attributes)["data"]

    def delete(self, resource, id):
        return self.request("DELETE", f"/v1/{resource}/{id}")["data"]

    # One request, with its repetitions

    def request(self, method, path, query=None, body=None):
        for attempt in range(1, self.ATTEMPTS + 1):
            last = attempt == self.ATTEMPTS
            try:
                status, headers, text = self._send(method, path, query, body)
            except (OSError, http.client.HTTPException) as error:
                # Repeating a GET, PUT or DELETE changes nothing more; a POST may have been done.
                if method == "POST" and not _surely_not_sent(error):
                    raise OutcomeUnknown(f"POST {path}: {error}") from error
                if last:
                    raise
                time.sleep(0.2 * 2**attempt)
                continue
            if not last and (status == 429 or (status >= 500 and method != "POST")):
                wait = headers.get("Retry-After", "")
                time.sleep(min(30, int(wait)) if wait.isdigit() else 0.2 * 2**attempt)
                continue
            # The first attempt had done it, and its answer was lost.
            if method == "DELETE" and status == 404 and attempt > 1:
                return {"count": 0, "next": None, "data": None}
            return _read(method, path, status, text)

    def _send(self, method, path, query, body):
        """A new Date and nonce for every attempt."""
        path = urllib.parse.urlsplit(self.base).path + path
        signed = [("Date", formatdate(usegmt=True))]
        signed += [(self.prefix + name, str(value)) for name, value in self.ids if value is not None]
        signed += [(self.prefix + "Nonce", secrets.token_hex(20))]
        # Method and path without its query, the headers in this order, and the key, joined by CR LF.
        lines = [f"{method} {path}"] + [f"{name}: {value}" for name, value in signed] + [self.api_key]
        signature = hashlib.sha1("\r\n".join(lines).encode()).hexdigest()
        headers = {**dict(signed), "Accept": "application/json"}
        headers["Authorization"] = f'{self.scheme} signature="{signature}"'
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        origin = "://".join(urllib.parse.urlsplit(self.base)[:2])
        url = origin + path + ("?" + urllib.parse.urlencode(_in_query(query)) if query else "")
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            with self.opener.open(request, timeout=self.timeout) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as answer:
            with answer:
                return answer.code, answer.headers, answer.read().decode(errors="replace")


def _in_query(query):
    """True and None are Python's words."""
    return {
        name: "" if value is None else str(value).lower() if isinstance(value, bool) else value
        for name, value in query.items()
    }


def _surely_not_sent(error):
    reason = getattr(error, "reason", error)
    return isinstance(reason, (ConnectionRefusedError, socket.gaierror, ssl.SSLCertVerificationError))


def _read(method, path, status, text):
    if method == "HEAD" and text == "":
        if status < 300:
            return None
        raise ServiceError(status, {})
    try:
        envelope = json.loads(text)
        kind, response = envelope["status"].lower(), envelope["response"]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise NotTheService(f"{method} {path}: {status}, and the answer is not the service's") from None
    if kind == "ok" and status < 300:
        return response
    raise ServiceError(status, response)
