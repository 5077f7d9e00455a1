// Send a manifest twice and read a subscription back, with the client that openapi-generator makes for TypeScript.

import { Configuration, JsonManifestTransportModeEnum, PreAlertsApi, ResponseError, WebhooksApi } from "./made/index";

declare const process: { argv: [string, string, string, string] };

async function main(): Promise<void> {
  const [, , basePath, accessToken] = process.argv;
  const configuration = new Configuration({ basePath, accessToken });
  const guide = {
    hawb: "GENERATED1",
    consigneeName: "Antonia Fuentes",
    consigneeDocument: "12.345.678-5",
    weightKg: 1.25,
    descriptionOriginal: "Zapatillas",
    fobUsd: 1234567.89,
  };
  const transportMode = JsonManifestTransportModeEnum.Air;
  const jsonManifest = { mawb: "045-12345675", transportMode, destinationAirport: "SCL", guides: [guide] };
  const alerts = new PreAlertsApi(configuration);
  const created = await alerts.postManifest({ jsonManifest });
  console.log("created", created.guidesCreated, created.totals.fobUsd);
  try {
    await alerts.postManifest({ jsonManifest });
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    console.log("refused", error.response.status, (await error.response.json()).error);
  }
  const webhooks = new WebhooksApi(configuration);
  const newSubscription = { url: "https://hooks.example.com/generated" };
  const subscription = await webhooks.createSubscription({ newSubscription });
  console.log("secret", subscription.secret.slice(0, 6));
  console.log("webhook", (await webhooks.getSubscription({ subscriptionId: subscription.id })).url);
}

void main();
