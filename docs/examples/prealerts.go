// Send a workbook, follow guides, and verify webhooks. Needs nothing but Go 1.19.
//
//	PREALERTS_ADDRESS=https://... PREALERTS_PASSWORD=pa_live_... go run prealerts.go send MANIFEST.xlsx
//	go run prealerts.go follow 2026-11-24T09:58:00Z
//	go run prealerts.go verify webhook-vectors.json
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const attempts = 5

var client = &http.Client{Timeout: 60 * time.Second}

// request sends one request and repeats it while the service is busy or away. A POST needs a key.
func request(method, path, contentType, key string, body []byte) (map[string]any, error) {
	var last error
	for attempt := 1; attempt <= attempts; attempt++ {
		address := strings.TrimRight(os.Getenv("PREALERTS_ADDRESS"), "/") + "/api/public/pre-alerts/v1/" + path
		sent, err := http.NewRequest(method, address, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		sent.Header.Set("Authorization", "Bearer "+strings.TrimSpace(os.Getenv("PREALERTS_PASSWORD")))
		if contentType != "" {
			sent.Header.Set("Content-Type", contentType)
		}
		if key != "" {
			sent.Header.Set("Idempotency-Key", key)
		}
		pause := time.Duration(1<<attempt) * time.Second
		answer, err := client.Do(sent)
		if err != nil {
			last = err
		} else {
			content, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil {
				last = err
			} else if answer.StatusCode == 429 || answer.StatusCode >= 500 || isInProgress(answer, content) {
				last = fmt.Errorf("%s: %s", answer.Status, content)
				if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
					pause = time.Duration(min(seconds, 60)) * time.Second
				}
			} else if answer.StatusCode >= 400 {
				return nil, fmt.Errorf("%s: %s", answer.Status, content)
			} else {
				result := map[string]any{}
				return result, json.Unmarshal(content, &result)
			}
		}
		if attempt < attempts {
			time.Sleep(pause)
		}
	}
	return nil, last
}

func isInProgress(answer *http.Response, content []byte) bool {
	return answer.StatusCode == 409 && bytes.Contains(content, []byte(`"idempotency_in_progress"`))
}

func min(one, other int) int {
	if one < other {
		return one
	}
	return other
}

// send uploads a workbook. Its digest is the key: the same file creates one manifest, however often it is sent.
func send(name string) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	part, err := writer.CreateFormFile("manifest_file", filepath.Base(name))
	if err != nil {
		return err
	}
	if _, err = part.Write(content); err != nil {
		return err
	}
	if err = writer.Close(); err != nil {
		return err
	}
	created, err := request("POST", "upload", writer.FormDataContentType(), fmt.Sprintf("%x", sha256.Sum256(content)), form.Bytes())
	if err != nil {
		return err
	}
	for _, each := range created["guides"].([]any) {
		guide := each.(map[string]any)
		fmt.Println(guide["hawb"], guide["tracking_code"])
	}
	return nil
}

// follow prints every guide that changed since a moment, page by page.
func follow(since string) error {
	query := url.Values{"updated_since": {since}}
	for {
		page, err := request("GET", "guides?"+query.Encode(), "", "", nil)
		if err != nil {
			return err
		}
		for _, each := range page["guides"].([]any) {
			guide := each.(map[string]any)
			fmt.Println(guide["tracking_code"], guide["status"], guide["updated_at"])
		}
		cursor, isMore := page["next_cursor"].(string)
		if !isMore {
			return nil
		}
		query = url.Values{"updated_since": {since}, "cursor": {cursor}}
	}
}

// Verify says whether a webhook of version 2 is the service's own. body: the bytes as they arrived. In a handler:
//
//	body, err := io.ReadAll(request.Body)
//	err = Verify(body, request.Header.Get, os.Getenv("WEBHOOK_SECRET"), time.Now())
func Verify(body []byte, header func(string) string, secret string, now time.Time) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || !strings.HasPrefix(secret, "whsec_") || len(key) < 24 || len(key) > 64 {
		return errors.New("the secret is not one of version 2")
	}
	at, err := strconv.ParseInt(header("webhook-timestamp"), 10, 64)
	if err != nil || now.Sub(time.Unix(at, 0)).Abs() > 5*time.Minute {
		return errors.New("the request is too old")
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", header("webhook-id"), at, body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.Fields(header("webhook-signature")) {
		if hmac.Equal([]byte(signature), expected) {
			return nil
		}
	}
	return errors.New("the signature is not the service's")
}

// verify tries Verify on the service's test vectors, and on a body that somebody has changed.
func verify(name string) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var vectors []struct {
		Type, Secret, Body string
		Headers            map[string]string
	}
	if err = json.Unmarshal(content, &vectors); err != nil {
		return err
	}
	for _, each := range vectors {
		header := func(name string) string { return each.Headers[name] }
		at, _ := strconv.ParseInt(header("webhook-timestamp"), 10, 64)
		if err = Verify([]byte(each.Body), header, each.Secret, time.Unix(at, 0)); err != nil {
			return fmt.Errorf("%s: %w", each.Type, err)
		}
		if Verify([]byte(each.Body+" "), header, each.Secret, time.Unix(at, 0)) == nil {
			return fmt.Errorf("%s: a changed body was accepted", each.Type)
		}
		fmt.Println(each.Type, "verified")
	}
	return nil
}

func main() {
	commands := map[string]func(string) error{"send": send, "follow": follow, "verify": verify}
	if len(os.Args) != 3 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: prealerts send MANIFEST.xlsx | follow SINCE | verify VECTORS.json")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
