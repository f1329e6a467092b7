"""A whole campaign: python3 campaign.py LIST SUBSCRIBER FIELD (ids)
One request: python3 campaign.py request METHOD TARGET [JSON]"""
import json
import os
import sys
import time
import urllib.parse

from svc_client import Client, OutcomeUnknown, ServiceError

env = os.environ
partner = env.get("SVC_PARTNER_ID")
client = Client(
    env["SVC_BASE_URL"],
    env["SVC_PARTNER_API_KEY"] if partner else env["SVC_API_KEY"],
    company=env.get("SVC_COMPANY_ID"),
    # With a partner's signature and no user the company's admin acts.
    user=env.get("SVC_USER_ID"),
    partner=partner,
    names={
        "header_prefix": env.get("SVC_HEADER_PREFIX"),
        "company_scheme": env.get("SVC_COMPANY_SCHEME"),
        "partner_scheme": env.get("SVC_PARTNER_SCHEME"),
    },
)


def refused(status, call):
    """What the service must refuse."""
    try:
        call()
    except ServiceError as error:
        if error.status == status:
            return error
        raise
    sys.exit(f"not refused with {status}")


def campaign(list_id, subscriber, field):
    message = client.create(
        "emailMessage",
        name="Spring",
        subject="Spring is here",
        fromname="Shop",
        fromemail=None,
        replyemail="shop@example.com",
        html='<p>Hello. <a href="https://example.com/">Our offers</a></p>',
        text="Hello. Our offers: https://example.com/",
    )
    print("message created")
    task = client.create(
        "task",
        channel="email",
        message_id=message["id"],
        name="Spring",
        scheduledtime=int(time.time()) + 86400,
        list_id=list_id,
        search_id=None,
    )
    read = client.get("task", task["id"])
    print("task of size", read["size"], "cancelled", str(read["cancelled"]).lower())
    client.update("task", task["id"], cancelled=True)
    print("task cancelled", str(client.get("task", task["id"])["cancelled"]).lower())
    print("cancelled again", refused(409, lambda: client.update("task", task["id"], cancelled=True)).status)
    client.delete("emailMessage", message["id"])
    print("message deleted")

    pair = {"subscriber_id": subscriber, "subscriberprofilefield_id": field}
    for value in ("red", "blue"):
        # By its pair PUT stores the value, whether there was one or not.
        client.update("subscriberProfileData", **pair, value=value)
        [stored] = client.list("subscriberProfileData", sort="subscriber_id", **pair)
        print("profile data", stored["value"])
    client.delete("subscriberProfileData", stored["id"])

    entry = client.create("doNotContact", contactdata="gone@example.com")
    again = refused(409, lambda: client.create("doNotContact", contactdata="gone@example.com"))
    print("do not contact", again.resource_id == entry["id"] and "listed already")
    print("listed", str(client.exists("doNotContact", contactdata="gone@example.com")).lower())
    client.delete("doNotContact", entry["id"])
    print("listed", str(client.exists("doNotContact", contactdata="gone@example.com")).lower())

    made = {client.create("folder", name="Same & same")["id"] for _ in range(5)}
    found = [folder["id"] for folder in client.list("folder", page=2, name="Same & same")]
    print("folders", len(found), "each once", str(set(found) == made and len(found) == len(made)).lower())
    for id in found:
        client.delete("folder", id)
    print("folders left", len(list(client.list("folder", name="Same & same"))))
    fault = refused(400, lambda: client.create("folder", name="")).faults[0]
    print("fault of", fault["attribute"])


try:
    if sys.argv[1] == "request":
        method, target, *body = sys.argv[2:]
        path, _, query = target.partition("?")
        answer = client.request(
            method, path, dict(urllib.parse.parse_qsl(query)), json.loads(body[0]) if body else None
        )
        print(json.dumps(answer))
    else:
        campaign(*map(int, sys.argv[1:4]))
except ServiceError as error:
    sys.exit(f"refused with {error}")
except OutcomeUnknown as error:
    print(f"outcome unknown: {error}", file=sys.stderr)
    sys.exit(10)
