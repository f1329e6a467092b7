"""A client of a deployment in Python. It uses http.client over HTTPS, the names of the deployment, UUID nonces, form bodies,
and a null with every request. Prints a line for each call: the method, the target, the status and the checked value."""
import hashlib
import http.client
import json
import os
import socket
import ssl
import sys
import urllib.parse
import uuid
from email.utils import formatdate

HOST, PORT = os.environ["HOST"], int(os.environ["PORT"])
CID, UID, KEY = os.environ["CID"], os.environ["USER_ID"], os.environ["KEY"]
PREFIX, SCHEME = os.environ["PREFIX"], os.environ["SCHEME"]

connections = 0


def connect(address, *more):
    """Replaces a line in /etc/hosts. http.client and the certificate still use the name."""
    global connections
    connections += 1
    return socket.create_connection(("127.0.0.1", address[1]), *more)


context = ssl.create_default_context(cafile=os.environ["CA"])
connection = http.client.HTTPSConnection(HOST, PORT, context=context, timeout=5)
connection._create_connection = connect


def call(method, target, form=None, key=KEY, look=lambda data: ""):
    path = target.split("?")[0]
    nonce, date = str(uuid.uuid4()), formatdate(usegmt=True)
    lines = [
        f"{method} {path}",
        f"Date: {date}",
        f"{PREFIX}CID: {CID}",
        f"{PREFIX}UID: {UID}",
        f"{PREFIX}Nonce: {nonce}",
        key,
    ]
    signature = hashlib.sha1("\r\n".join(lines).encode()).hexdigest()
    headers = {
        "Date": date,
        "Accept": "application/json",
        f"{PREFIX}CID": CID,
        f"{PREFIX}UID": UID,
        f"{PREFIX}Nonce": nonce,
        "Authorization": f'{SCHEME} signature="{signature}"',
        "Content-Type": "application/json" if form is None else "application/x-www-form-urlencoded",
    }
    body = "null" if form is None else urllib.parse.urlencode(form)
    connection.request(method, target, body, headers)
    answer = connection.getresponse()
    text = answer.read()
    data = json.loads(text)["response"].get("data") if text else None
    print(method, target.replace(f"/{made.get('id')}", "/ID"), answer.status, look(data), sep=" ", file=sys.stdout)
    return data


made = {}
call("HEAD", "/v1/folder?title=News")
made = call("POST", "/v1/folder", {"title": "News"}, look=lambda data: data["title"])
call("HEAD", "/v1/folder?title=News")
call("GET", "/v1/folder", look=lambda data: data[0]["title"])
call("PUT", f"/v1/folder/{made['id']}", {"title": "Caf\u00e9 & more"}, look=lambda data: data[0]["title"])
call("GET", "/v1/user?currentuser=True", look=lambda data: data[0]["isadmin"])
call("DELETE", f"/v1/folder/{made['id']}", look=lambda data: data["id"] == made["id"])
call("GET", "/v1/folder")
call("GET", "/v0/folder")
call("GET", "/v1/user", key="0" * 32)
print("connections", connections)
