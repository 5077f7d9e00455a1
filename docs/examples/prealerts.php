<?php
// Send a workbook, follow guides, and verify webhooks. Needs PHP 8.1 with curl.
//
// PREALERTS_ADDRESS=https://... PREALERTS_PASSWORD=pa_live_... php prealerts.php send MANIFEST.xlsx
// php prealerts.php follow 2026-11-24T09:58:00Z
// php prealerts.php verify webhook-vectors.json
//
// In a page that receives webhooks:
//
// require 'prealerts.php';
// $body = file_get_contents('php://input');
// if (!verify($body, getallheaders(), getenv('WEBHOOK_SECRET'), time())) {
//     http_response_code(401);
//     exit;
// }

declare(strict_types=1);

const ATTEMPTS = 5;

/** Send one request, and repeat it while the service is busy or away. A POST needs a key. */
function request(string $method, string $path, ?string $key = null, ?array $form = null): array
{
    $address = rtrim((string) getenv('PREALERTS_ADDRESS'), '/') . '/api/public/pre-alerts/v1/' . $path;
    $headers = ['Authorization: Bearer ' . trim((string) getenv('PREALERTS_PASSWORD'))];
    if ($key !== null) {
        $headers[] = 'Idempotency-Key: ' . $key;
    }
    for ($attempt = 1; ; $attempt++) {
        $pause = 2 ** $attempt;
        $curl = curl_init($address);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 60,
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$pause): int {
                if (preg_match('/^retry-after:\s*(\d+)\s*$/i', $line, $found)) {
                    $pause = min((int) $found[1], 60);
                }
                return strlen($line);
            },
        ]);
        if ($form !== null) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, $form);
        }
        $content = curl_exec($curl);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $answer = is_string($content) ? json_decode($content, true) : null;
        if ($content !== false && $status < 400) {
            return is_array($answer) ? $answer : throw new RuntimeException("$status, and no JSON object");
        }
        $isInProgress = $status === 409 && ($answer['error'] ?? '') === 'idempotency_in_progress';
        $isTemporary = $content === false || $status === 429 || $status >= 500 || $isInProgress;
        if (!$isTemporary || $attempt === ATTEMPTS) {
            throw new RuntimeException($content === false ? curl_error($curl) : "$status: $content");
        }
        sleep($pause);
    }
}

/** Upload a workbook. Its digest is the key: the same file creates one manifest, however often it is sent. */
function send(string $name): void
{
    if (!is_readable($name)) {
        throw new RuntimeException("$name cannot be read");
    }
    $created = request('POST', 'upload', hash_file('sha256', $name), ['manifest_file' => new CURLFile($name)]);
    foreach ($created['guides'] as $guide) {
        echo $guide['hawb'], ' ', $guide['tracking_code'], "\n";
    }
}

/** Print every guide that changed since a moment, page by page. */
function follow(string $since): void
{
    $query = ['updated_since' => $since];
    do {
        $page = request('GET', 'guides?' . http_build_query($query));
        foreach ($page['guides'] as $guide) {
            echo $guide['tracking_code'], ' ', $guide['status'], ' ', $guide['updated_at'], "\n";
        }
        $query['cursor'] = $page['next_cursor'];
    } while ($query['cursor'] !== null);
}

/** Say whether a webhook of version 2 is the service's own. $body: the bytes as they arrived. $now: in seconds. */
function verify(string $body, array $headers, string $secret, int $now): bool
{
    $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6), true) : false;
    $headers = array_change_key_case($headers);
    $at = $headers['webhook-timestamp'] ?? '';
    if ($key === false || strlen($key) < 24 || strlen($key) > 64 || !ctype_digit($at) || abs($now - (int) $at) > 300) {
        return false;
    }
    $signed = ($headers['webhook-id'] ?? '') . ".$at.$body";
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

/** Try `verify` on the service's test vectors, and on a body that somebody has changed. */
function verify_vectors(string $name): void
{
    if (!is_readable($name)) {
        throw new RuntimeException("$name cannot be read");
    }
    foreach (json_decode((string) file_get_contents($name), true, flags: JSON_THROW_ON_ERROR) as $vector) {
        ['body' => $body, 'headers' => $headers, 'secret' => $secret] = $vector;
        $now = (int) $headers['webhook-timestamp'];
        if (!verify($body, $headers, $secret, $now) || verify("$body ", $headers, $secret, $now)) {
            throw new RuntimeException("{$vector['type']}: not verified");
        }
        echo $vector['type'], " verified\n";
    }
}

if (PHP_SAPI !== 'cli') {
    return; // required by a page
}
$commands = ['send' => 'send', 'follow' => 'follow', 'verify' => 'verify_vectors'];
if ($argc !== 3 || !isset($commands[$argv[1]])) {
    fwrite(STDERR, "usage: prealerts.php send MANIFEST.xlsx | follow SINCE | verify VECTORS.json\n");
    exit(2);
}
try {
    $commands[$argv[1]]($argv[2]);
} catch (RuntimeException | JsonException $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
