"""Send a manifest twice and read a subscription back, with the client that openapi-generator makes for Python."""

import json
import sys

import openapi_client as made  # type: ignore[import-not-found]  # the test makes it

address, password = sys.argv[1:]
with made.ApiClient(made.Configuration(host=address, access_token=password)) as connection:
    guide = made.JsonGuide(
        hawb="GENERATED1",
        consignee_name="Antonia Fuentes",
        consignee_document="12.345.678-5",
        weight_kg=1.25,
        description_original="Zapatillas",
        fob_usd=1234567.89,
    )
    manifest = made.JsonManifest(mawb="045-12345675", transport_mode="air", destination_airport="SCL", guides=[guide])
    alerts, webhooks = made.PreAlertsApi(connection), made.WebhooksApi(connection)
    created = alerts.post_manifest(manifest)
    print("created", created.guides_created, created.totals.fob_usd)
    try:
        alerts.post_manifest(manifest)
    except made.ApiException as error:
        print("refused", error.status, json.loads(str(error.body))["error"])
    subscription = webhooks.create_subscription(made.NewSubscription(url="https://hooks.example.com/generated"))
    print("secret", subscription.secret[:6])
    print("webhook", webhooks.get_subscription(subscription.id).url)
