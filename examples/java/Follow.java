import com.fasterxml.jackson.databind.*;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.*;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.time.Duration;
import java.util.Set;

/** Keeps a copy of all plants in a file, in which every id is exact: Jackson reads it as a long. */
class Follow {
  static final Set<Integer> RETRIED = Set.of(408, 425, 429, 500, 502, 503, 504);
  static final int CURSOR_EXPIRED = 40011;
  static final String BASE_URL = System.getenv().getOrDefault("PLANT_STORE_URL", "http://127.0.0.1:3000");
  static final ObjectMapper JSON = new ObjectMapper();
  static final HttpClient CLIENT = HttpClient.newHttpClient();

  /** Returns a page, or an error that no retry changes. */
  static JsonNode get(String after) throws InterruptedException {
    var url = URI.create(BASE_URL + "/changes?limit=1000&wait=25&after=" + after);
    var request = HttpRequest.newBuilder(url)
        .header("Authorization", "Bearer " + System.getenv("PLANT_STORE_TOKEN"))
        // The service waits 25 s for a change. A reply may take longer, and only then has the connection failed.
        .timeout(Duration.ofSeconds(35))
        .build();
    for (double backoff = 0.5;; backoff = Math.min(30, 2 * backoff)) {
      double delay = Math.random() * backoff;
      String problem;
      try {
        var reply = CLIENT.send(request, BodyHandlers.ofString());
        if (!RETRIED.contains(reply.statusCode())) return JSON.readTree(reply.body());
        problem = "status " + reply.statusCode();
        // Proxies may write a date, which is ignored.
        var asked = reply.headers().firstValue("Retry-After").filter(text -> text.matches("[0-9]{1,9}"));
        delay = asked.map(Double::parseDouble).orElse(delay);
      } catch (IOException error) {
        problem = error.toString();
      }
      System.err.printf("Trying again in %.1f s: %s%n", delay, problem);
      Thread.sleep((long) (1000 * delay));
    }
  }

  /** Replaces the file at once: it always has a copy and the cursor that belongs to it. */
  static void save(Path file, JsonNode copy) throws IOException {
    var next = Path.of(file + ".new");
    JSON.writeValue(next.toFile(), copy);
    try (var channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }

  static JsonNode empty() throws IOException {
    return JSON.readTree("{\"next\": \"0\", \"plants\": {}}");
  }

  static void fail(String message) {
    System.err.println(message);
    System.exit(1);
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 1) fail("Usage: java -cp '/usr/share/java/*' Follow.java <file>");
    // The characters of RFC 6750, section 2.1. A header with another one would be shown in an error, token included.
    if (!System.getenv().getOrDefault("PLANT_STORE_TOKEN", "").matches("[A-Za-z0-9._~+/-]+=*"))
      fail("PLANT_STORE_TOKEN is not an access token.");
    var file = Path.of(arguments[0]);
    var copy = Files.exists(file) ? JSON.readTree(file.toFile()) : empty();
    while (true) {
      var page = get(copy.get("next").asText());
      if (page.path("error").asInt() == CURSOR_EXPIRED) {
        System.err.println("A backup was restored: reading everything again.");
        copy = empty();
        continue;
      }
      if (page.has("error")) throw new IOException(page.get("message").asText() + " (error " + page.get("error") + ")");
      var plants = (ObjectNode) copy.get("plants");
      for (var change : page.get("changes")) {
        plants.remove(change.get("idText").asText());
        if (!change.get("kind").asText().equals("deleted")) plants.set(change.get("idText").asText(), change.get("plant"));
      }
      if (page.get("next").equals(copy.get("next"))) continue;
      ((ObjectNode) copy).set("next", page.get("next"));
      save(file, copy);
    }
  }
}
