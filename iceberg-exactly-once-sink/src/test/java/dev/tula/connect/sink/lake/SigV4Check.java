package dev.tula.connect.sink.lake;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Computes a request's AWS signature, version 4, anew, and compares. Safe for any thread. */
final class SigV4Check {
  private static final Pattern AUTHORIZATION =
      Pattern.compile(
          "AWS4-HMAC-SHA256 Credential=([^/]+)/([0-9]{8})/([^/]+)/([^/]+)/aws4_request,"
              + " SignedHeaders=([^,]+), Signature=([0-9a-f]{64})");

  private final String accessKey;
  private final String secretKey;
  private final String region;
  private final String service;

  SigV4Check(String accessKey, String secretKey, String region, String service) {
    this.accessKey = accessKey;
    this.secretKey = secretKey;
    this.region = region;
    this.service = service;
  }

  /** Whether the request was signed with the secret, for this region and service, body and all. */
  boolean isSigned(HttpServletRequest request, byte[] body) {
    String header = request.getHeader("Authorization");
    Matcher parts = AUTHORIZATION.matcher(header == null ? "" : header);
    if (!parts.matches()
        || !parts.group(1).equals(accessKey)
        || !parts.group(3).equals(region)
        || !parts.group(4).equals(service)) {
      return false;
    }
    String scope = String.join("/", parts.group(2), region, service, "aws4_request");
    String toSign =
        String.join(
            "\n",
            "AWS4-HMAC-SHA256",
            request.getHeader("X-Amz-Date"),
            scope,
            sha256(canonical(request, parts.group(5), body).getBytes(StandardCharsets.UTF_8)));
    byte[] key = ("AWS4" + secretKey).getBytes(StandardCharsets.UTF_8);
    for (String part : scope.split("/")) {
      key = hmac(key, part);
    }
    return HexFormat.of().formatHex(hmac(key, toSign)).equals(parts.group(6));
  }

  private static String canonical(HttpServletRequest request, String signedHeaders, byte[] body) {
    String headers =
        Arrays.stream(signedHeaders.split(";"))
            .map(name -> name + ":" + values(request, name) + "\n")
            .collect(Collectors.joining());
    return String.join(
        "\n",
        request.getMethod(),
        encodedPath(request.getRequestURI()),
        query(request.getQueryString()),
        headers,
        signedHeaders,
        sha256(body));
  }

  private static String values(HttpServletRequest request, String name) {
    List<String> values = Collections.list(request.getHeaders(name));
    return values.stream().map(String::strip).collect(Collectors.joining(","));
  }

  /** All but S3 encode the path once more than it is sent. */
  private static String encodedPath(String path) {
    return Arrays.stream(path.split("/", -1))
        .map(SigV4Check::encoded)
        .collect(Collectors.joining("/"));
  }

  private static String query(String query) {
    if (query == null) {
      return "";
    }
    return Arrays.stream(query.split("&"))
        .map(
            parameter -> {
              String[] parts = parameter.split("=", 2);
              return recoded(parts[0]) + "=" + (parts.length == 2 ? recoded(parts[1]) : "");
            })
        .sorted()
        .collect(Collectors.joining("&"));
  }

  private static String recoded(String text) {
    return encoded(URLDecoder.decode(text, StandardCharsets.UTF_8));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8)
        .replace("+", "%20")
        .replace("*", "%2A")
        .replace("%7E", "~");
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes))
          .toLowerCase(Locale.ROOT);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] hmac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
