// Send a manifest twice and read a subscription back, with the client that openapi-generator makes for Go.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	made "openapi"
)

func main() {
	configuration := made.NewConfiguration()
	configuration.Servers = made.ServerConfigurations{{URL: os.Args[1]}}
	context := context.WithValue(context.Background(), made.ContextAccessToken, os.Args[2])
	client := made.NewAPIClient(configuration)
	guide := made.NewJsonGuide("GENERATED1", "Antonia Fuentes", "12.345.678-5")
	guide.SetWeightKg(1.25)
	guide.SetDescriptionOriginal("Zapatillas")
	guide.SetFobUsd(1234567.89)
	manifest := made.NewJsonManifest("045-12345675", "air", []made.JsonGuide{*guide})
	manifest.SetDestinationAirport("SCL")
	created, _, err := client.PreAlertsAPI.PostManifest(context).JsonManifest(*manifest).Execute()
	check(err)
	totals := created.GetTotals()
	fmt.Printf("created %d %.2f\n", created.GetGuidesCreated(), totals.GetFobUsd())
	_, response, err := client.PreAlertsAPI.PostManifest(context).JsonManifest(*manifest).Execute()
	var refusal struct{ Error string }
	check(json.Unmarshal(err.(*made.GenericOpenAPIError).Body(), &refusal))
	fmt.Println("refused", response.StatusCode, refusal.Error)
	wanted := made.NewNewSubscription("https://hooks.example.com/generated")
	subscription, _, err := client.WebhooksAPI.CreateSubscription(context).NewSubscription(*wanted).Execute()
	check(err)
	fmt.Println("secret", subscription.GetSecret()[:6])
	read, _, err := client.WebhooksAPI.GetSubscription(context, subscription.GetId()).Execute()
	check(err)
	fmt.Println("webhook", read.GetUrl())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
