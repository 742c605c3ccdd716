"""An example of parley.py, the client for Python that is generated from openapi.json.

PARLEY_URL is the address of a service, PARLEY_KEY is an API key of an environment for tests, and PARLEY_DEPLOYMENT is a chat.
"""

import os

from parley import Parley, ParleyError


def main() -> None:
    client = Parley(os.environ["PARLEY_URL"], os.environ["PARLEY_KEY"])
    created = client.create_resource(body={"type": "python", "fields": {"number": 7}}, idempotency_key="first-order")
    resource = client.read_resource(id=created["data"]["id"])
    print(resource["data"]["fields"])
    print(len(list(client.items(client.list_resources, type="python", limit=1))))
    events = client.stream_reply(
        deployment_id=os.environ["PARLEY_DEPLOYMENT"],
        body={"content": [{"type": "text", "text": "Hello"}]},
    )
    print("".join(event["data"]["text"] for event in events if event["event"] == "delta"))
    for line in client.export_conversations(text="Hello"):
        print(line["type"])
    try:
        client.read_resource(id="res_unknown")
    except ParleyError as error:
        print(error.status, error.code)


if __name__ == "__main__":
    main()
