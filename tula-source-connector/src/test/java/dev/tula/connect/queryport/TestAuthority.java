package dev.tula.connect.queryport;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import javax.security.auth.x500.X500Principal;

/** Signs certificates in memory, in milliseconds: good ones, expired ones, with any role. */
final class TestAuthority {
  private static final int SEQUENCE = 0x30;
  private static final int INTEGER = 0x02;
  private static final int BIT_STRING = 0x03;
  private static final int OCTET_STRING = 0x04;
  private static final int TIME = 0x18;
  private static final int EXPLICIT_0 = 0xa0;
  private static final int EXPLICIT_3 = 0xa3;
  private static final int DNS_NAME = 0x82;
  private static final int URI_NAME = 0x86;
  private static final int IP_NAME = 0x87;
  private static final byte[] ECDSA_SHA256 =
      der(SEQUENCE, bytes(0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2));
  private static final byte[] SAN_OID = bytes(0x06, 3, 0x55, 0x1d, 0x11);
  private static final byte[] CONSTRAINTS_OID = bytes(0x06, 3, 0x55, 0x1d, 0x13);
  private static final byte[] IS_CA = bytes(0x30, 3, 0x01, 1, 0xff);

  private final X500Principal name;
  private final KeyPair keys = keyPair();
  private final X509Certificate certificate;
  private int serial = 1;

  TestAuthority(String name) {
    this.name = new X500Principal("CN=" + name);
    this.certificate = sign(this.name, keys, Duration.ofDays(-1), Duration.ofDays(1), List.of());
  }

  /** A key and the certificate for it. */
  record Identity(KeyPair keys, X509Certificate certificate) {}

  /** The CA's own certificate. */
  X509Certificate certificate() {
    return certificate;
  }

  /** A certificate for a day; alternative names as {@code dns:}, {@code uri:} or {@code ip4:}. */
  Identity issue(String subject, String... alternativeNames) {
    return issue(Duration.ofDays(-1), Duration.ofDays(1), subject, alternativeNames);
  }

  /** A certificate that is valid between two times, from now. */
  Identity issue(Duration from, Duration to, String subject, String... alternativeNames) {
    KeyPair own = keyPair();
    List<byte[]> names = new ArrayList<>();
    for (String each : alternativeNames) {
      names.add(alternativeName(each));
    }
    return new Identity(own, sign(new X500Principal(subject), own, from, to, names));
  }

  private static byte[] alternativeName(String text) {
    String value = text.substring(4);
    return switch (text.substring(0, 4)) {
      case "dns:" -> der(DNS_NAME, value.getBytes(StandardCharsets.US_ASCII));
      case "uri:" -> der(URI_NAME, value.getBytes(StandardCharsets.US_ASCII));
      case "ip4:" -> {
        String[] parts = value.split("\\.");
        byte[] address = new byte[parts.length];
        for (int i = 0; i < parts.length; i++) {
          address[i] = (byte) Integer.parseInt(parts[i]);
        }
        yield der(IP_NAME, address);
      }
      default -> throw new IllegalArgumentException(text);
    };
  }

  private X509Certificate sign(
      X500Principal subject, KeyPair own, Duration from, Duration to, List<byte[]> names) {
    byte[] extension =
        names.isEmpty()
            ? der(SEQUENCE, CONSTRAINTS_OID, der(OCTET_STRING, IS_CA))
            : der(
                SEQUENCE, SAN_OID, der(OCTET_STRING, der(SEQUENCE, names.toArray(new byte[0][]))));
    byte[] body =
        der(
            SEQUENCE,
            der(EXPLICIT_0, der(INTEGER, bytes(2))),
            der(INTEGER, BigInteger.valueOf(serial++).toByteArray()),
            ECDSA_SHA256,
            name.getEncoded(),
            der(SEQUENCE, time(from), time(to)),
            subject.getEncoded(),
            own.getPublic().getEncoded(),
            der(EXPLICIT_3, der(SEQUENCE, extension)));
    try {
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(keys.getPrivate());
      signature.update(body);
      byte[] signed =
          der(SEQUENCE, body, ECDSA_SHA256, der(BIT_STRING, bytes(0), signature.sign()));
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(signed));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] time(Duration fromNow) {
    String text =
        DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'")
            .withZone(ZoneOffset.UTC)
            .format(Instant.now().plus(fromNow));
    return der(TIME, text.getBytes(StandardCharsets.US_ASCII));
  }

  private static KeyPair keyPair() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(256);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] bytes(int... values) {
    byte[] out = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      out[i] = (byte) values[i];
    }
    return out;
  }

  private static byte[] der(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    int length = content.size();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (length < 0x80) {
      out.write(length);
    } else {
      byte[] size = BigInteger.valueOf(length).toByteArray();
      int skip = size[0] == 0 ? 1 : 0;
      out.write(0x80 | size.length - skip);
      out.write(size, skip, size.length - skip);
    }
    out.writeBytes(content.toByteArray());
    return out.toByteArray();
  }
}
