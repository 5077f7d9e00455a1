// Send a manifest twice and read a subscription back, with the client that openapi-generator makes for Java.

import java.util.List;
import java.util.Locale;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.PreAlertsApi;
import org.openapitools.client.api.WebhooksApi;
import org.openapitools.client.model.JsonGuide;
import org.openapitools.client.model.JsonManifest;
import org.openapitools.client.model.NewSubscription;

class Run {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(arguments[0]);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + arguments[1]));
    JsonGuide guide = new JsonGuide().hawb("GENERATED1").consigneeName("Antonia Fuentes").consigneeDocument("12.345.678-5");
    guide.weightKg(1.25).descriptionOriginal("Zapatillas").fobUsd(1234567.89);
    JsonManifest manifest = new JsonManifest().mawb("045-12345675").destinationAirport("SCL").guides(List.of(guide));
    manifest.transportMode(JsonManifest.TransportModeEnum.AIR);
    PreAlertsApi alerts = new PreAlertsApi(client);
    var created = alerts.postManifest(manifest, null, null, null);
    System.out.printf(Locale.ROOT, "created %d %.2f%n", created.getGuidesCreated(), created.getTotals().getFobUsd());
    try {
      alerts.postManifest(manifest, null, null, null);
    } catch (ApiException error) {
      var code = client.getObjectMapper().readTree(error.getResponseBody()).get("error").asText();
      System.out.println("refused " + error.getCode() + " " + code);
    }
    WebhooksApi webhooks = new WebhooksApi(client);
    var wanted = new NewSubscription().url("https://hooks.example.com/generated");
    var subscription = webhooks.createSubscription(wanted, null, null);
    System.out.println("secret " + subscription.getSecret().substring(0, 6));
    System.out.println("webhook " + webhooks.getSubscription(subscription.getId().toString(), null, null).getUrl());
  }
}
