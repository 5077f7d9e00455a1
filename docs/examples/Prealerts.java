// Send a workbook, follow guides, and verify webhooks. Needs Java 17 and jackson-databind on the class path.
//
// PREALERTS_ADDRESS=https://... PREALERTS_PASSWORD=pa_live_... java -cp 'jackson/*' Prealerts.java send MANIFEST.xlsx
// java -cp 'jackson/*' Prealerts.java follow 2026-11-24T09:58:00Z
// java -cp 'jackson/*' Prealerts.java verify webhook-vectors.json

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Prealerts {
    private static final int ATTEMPTS = 5;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

    public static void main(String[] arguments) throws Exception {
        String command = arguments.length == 2 ? arguments[0] : "";
        switch (command) {
            case "send" -> send(Path.of(arguments[1]));
            case "follow" -> follow(arguments[1]);
            case "verify" -> verifyVectors(Path.of(arguments[1]));
            default -> {
                System.err.println("usage: Prealerts send MANIFEST.xlsx | follow SINCE | verify VECTORS.json");
                System.exit(2);
            }
        }
    }

    /** Upload a workbook. Its digest is the key: the same file creates one manifest, however often it is sent. */
    static void send(Path workbook) throws Exception {
        byte[] content = Files.readAllBytes(workbook);
        String key = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        String boundary = "form-" + key;
        ByteArrayOutputStream form = new ByteArrayOutputStream();
        String head = "--%s\r\nContent-Disposition: form-data; name=\"manifest_file\"; filename=\"%s\"\r\n\r\n";
        form.write(head.formatted(boundary, workbook.getFileName()).getBytes(StandardCharsets.UTF_8));
        form.write(content);
        form.write("\r\n--%s--\r\n".formatted(boundary).getBytes(StandardCharsets.UTF_8));
        JsonNode created = request(to("upload")
                .header("Content-Type", "multipart/form-data; boundary=" + boundary)
                .header("Idempotency-Key", key)
                .POST(BodyPublishers.ofByteArray(form.toByteArray()))
                .build());
        for (JsonNode guide : created.get("guides")) {
            System.out.println(guide.get("hawb").asText() + " " + guide.get("tracking_code").asText());
        }
    }

    /** Print every guide that changed since a moment, page by page. */
    static void follow(String since) throws Exception {
        String query = "guides?updated_since=" + URLEncoder.encode(since, StandardCharsets.UTF_8);
        String cursor = "";
        do {
            JsonNode page = request(to(query + cursor).GET().build());
            for (JsonNode guide : page.get("guides")) {
                System.out.printf("%s %s %s%n", guide.get("tracking_code").asText(), guide.get("status").asText(),
                        guide.get("updated_at").asText());
            }
            JsonNode next = page.get("next_cursor");
            cursor = next.isNull() ? "" : "&cursor=" + URLEncoder.encode(next.asText(), StandardCharsets.UTF_8);
        } while (!cursor.isEmpty());
    }

    /** Whether a webhook of version 2 is the service's own. body: the bytes as they arrived; now: in seconds. */
    static boolean verify(byte[] body, UnaryOperator<String> header, String secret, long now) {
        try {
            byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
            long at = Long.parseLong(header.apply("webhook-timestamp"));
            if (!secret.startsWith("whsec_") || key.length < 24 || key.length > 64 || Math.abs(now - at) > 300) {
                return false;
            }
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update("%s.%d.".formatted(header.apply("webhook-id"), at).getBytes(StandardCharsets.UTF_8));
            byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes();
            for (String signature : header.apply("webhook-signature").split(" ")) {
                if (MessageDigest.isEqual(signature.getBytes(), expected)) { // in constant time
                    return true;
                }
            }
        } catch (IllegalArgumentException | NullPointerException | GeneralSecurityException missing) {
            return false;
        }
        return false;
    }

    /** Try `verify` on the service's test vectors, and on a body that somebody has changed. */
    static void verifyVectors(Path vectors) throws IOException {
        for (JsonNode vector : JSON.readTree(vectors.toFile())) {
            UnaryOperator<String> header = name -> vector.get("headers").path(name).asText(null);
            String body = vector.get("body").asText(), secret = vector.get("secret").asText();
            long now = Long.parseLong(header.apply("webhook-timestamp"));
            if (!verify(body.getBytes(StandardCharsets.UTF_8), header, secret, now)
                    || verify((body + " ").getBytes(StandardCharsets.UTF_8), header, secret, now)) {
                throw new IllegalStateException(vector.get("type").asText() + ": not verified");
            }
            System.out.println(vector.get("type").asText() + " verified");
        }
    }

    private static HttpRequest.Builder to(String path) {
        String address = System.getenv("PREALERTS_ADDRESS").replaceFirst("/+$", "");
        return HttpRequest.newBuilder(URI.create(address + "/api/public/pre-alerts/v1/" + path))
                .timeout(Duration.ofSeconds(60))
                .header("Authorization", "Bearer " + System.getenv("PREALERTS_PASSWORD").strip());
    }

    /** Send a request, and repeat it while the service is busy or away. A POST needs a key. */
    private static JsonNode request(HttpRequest request) throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            long pause = 1L << attempt;
            IOException failure;
            try {
                HttpResponse<byte[]> answer = CLIENT.send(request, BodyHandlers.ofByteArray());
                if (answer.statusCode() < 400) {
                    return JSON.readTree(answer.body());
                }
                String content = new String(answer.body(), StandardCharsets.UTF_8);
                failure = new IOException(answer.statusCode() + ": " + content);
                boolean isInProgress = answer.statusCode() == 409 && content.contains("\"idempotency_in_progress\"");
                if (answer.statusCode() != 429 && answer.statusCode() < 500 && !isInProgress) {
                    throw new IllegalStateException(failure.getMessage());
                }
                String wait = answer.headers().firstValue("Retry-After").orElse("");
                pause = wait.matches("\\d{1,9}") ? Math.min(Long.parseLong(wait), 60) : pause;
            } catch (IOException away) {
                failure = away;
            }
            if (attempt == ATTEMPTS) {
                throw failure;
            }
            Thread.sleep(pause * 1000);
        }
    }
}
