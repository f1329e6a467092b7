"""One signed request with Python's own http.client:
    python3 client.py GET '/v1/folder?name=News'
    python3 client.py POST /v1/folder 'name=News'
SVC_BASE_URL, SVC_COMPANY_ID, SVC_USER_ID and SVC_API_KEY say where, who and with which key; SSL_CERT_FILE names the
certificate of a private authority."""
import hashlib
import http.client
import os
import sys
import urllib.parse
import uuid
from email.utils import formatdate

method, target, *form = sys.argv[1:]
base = urllib.parse.urlsplit(os.environ["SVC_BASE_URL"])
signed = {
    "Date": formatdate(usegmt=True),
    "X-Svc-CID": os.environ["SVC_COMPANY_ID"],
    "X-Svc-UID": os.environ["SVC_USER_ID"],
    "X-Svc-Nonce": str(uuid.uuid4()),
}
# Method and path without its query, the headers in this order, and the key, joined by CR LF.
lines = [f"{method} {target.split('?')[0]}"]
lines += [f"{name}: {value}" for name, value in signed.items()]
lines += [os.environ["SVC_API_KEY"]]
signature = hashlib.sha1("\r\n".join(lines).encode()).hexdigest()

connect = http.client.HTTPSConnection if base.scheme == "https" else http.client.HTTPConnection
connection = connect(base.hostname, base.port, timeout=30)
headers = {**signed, "Authorization": f'SvcHash signature="{signature}"'}
if form:
    headers["Content-Type"] = "application/x-www-form-urlencoded"
connection.request(method, target, form[0] if form else None, headers)
answer = connection.getresponse()
print(answer.read().decode())
print(answer.status)
