<?php
// Send a manifest twice and read a subscription back, with the client that openapi-generator makes for PHP.

use OpenAPI\Client\Api\{PreAlertsApi, WebhooksApi};
use OpenAPI\Client\{ApiException, Configuration};
use OpenAPI\Client\Model\{JsonGuide, JsonManifest, NewSubscription};

[, $address, $password, $guzzle] = $argv;
require $guzzle;
spl_autoload_register(function (string $class): void {
    require __DIR__ . '/made/lib/' . str_replace('\\', '/', substr($class, strlen('OpenAPI\\Client\\'))) . '.php';
});

$configuration = (new Configuration())->setHost($address)->setAccessToken($password);
$guide = new JsonGuide([
    'hawb' => 'GENERATED1',
    'consignee_name' => 'Antonia Fuentes',
    'consignee_document' => '12.345.678-5',
    'weight_kg' => 1.25,
    'description_original' => 'Zapatillas',
    'fob_usd' => 1234567.89,
]);
$manifest = new JsonManifest([
    'mawb' => '045-12345675',
    'transport_mode' => 'air',
    'destination_airport' => 'SCL',
    'guides' => [$guide],
]);
$alerts = new PreAlertsApi(config: $configuration);
$created = $alerts->postManifest($manifest);
printf("created %d %.2F\n", $created->getGuidesCreated(), $created->getTotals()->getFobUsd());
try {
    $alerts->postManifest($manifest);
} catch (ApiException $error) {
    printf("refused %d %s\n", $error->getCode(), json_decode($error->getResponseBody())->error);
}
$webhooks = new WebhooksApi(config: $configuration);
$subscription = $webhooks->createSubscription(new NewSubscription(['url' => 'https://hooks.example.com/generated']));
printf("secret %s\n", substr($subscription->getSecret(), 0, 6));
printf("webhook %s\n", $webhooks->getSubscription($subscription->getId())->getUrl());
