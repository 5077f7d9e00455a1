# Send a manifest twice and read a subscription back, with the client that openapi-generator makes for Ruby.

require "openapi_client"

address, password = ARGV
OpenapiClient.configure do |settings|
  settings.scheme, settings.host = address.split("://")
  settings.access_token = password
end
guide = OpenapiClient::JsonGuide.new(
  hawb: "GENERATED1",
  consignee_name: "Antonia Fuentes",
  consignee_document: "12.345.678-5",
  weight_kg: 1.25,
  description_original: "Zapatillas",
  fob_usd: 1234567.89,
)
manifest = OpenapiClient::JsonManifest.new(
  mawb: "045-12345675", transport_mode: "air", destination_airport: "SCL", guides: [guide],
)
alerts = OpenapiClient::PreAlertsApi.new
created = alerts.post_manifest(manifest)
puts "created #{created.guides_created} #{created.totals.fob_usd}"
begin
  alerts.post_manifest(manifest)
rescue OpenapiClient::ApiError => error
  puts "refused #{error.code} #{JSON.parse(error.response_body)["error"]}"
end
webhooks = OpenapiClient::WebhooksApi.new
subscription = webhooks.create_subscription(OpenapiClient::NewSubscription.new(url: "https://hooks.example.com/generated"))
puts "secret #{subscription.secret[0, 6]}"
puts "webhook #{webhooks.get_subscription(subscription.id).url}"
