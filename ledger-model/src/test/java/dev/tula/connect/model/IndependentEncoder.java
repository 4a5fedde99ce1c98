package dev.tula.connect.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * Canonical bytes, range digest and chain once more, written from the format's description and from
 * nothing else: it calls no code of the product, and takes the fields, their types and their order
 * from the golden file.
 */
final class IndependentEncoder {
  private IndependentEncoder() {}

  static byte[] row(JsonNode row) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(1);
    out.writeByte(row.get("kind").intValue());
    for (JsonNode field : row.get("fields")) {
      out.writeBoolean(!field.get("value").isNull());
      if (!field.get("value").isNull()) {
        value(out, field.get("type").textValue(), field.get("value"));
      }
    }
    return bytes.toByteArray();
  }

  private static void value(DataOutputStream out, String type, JsonNode value) throws IOException {
    switch (type) {
      case "long", "timestamp" -> out.write(number(value.textValue(), 8));
      case "int" -> out.write(number(value.textValue(), 4));
      case "amount" -> out.write(number(value.textValue(), 16));
      case "id128", "hash256" -> hex(out, value.textValue());
      case "string" -> string(out, value.textValue());
      case "string_list" -> {
        out.writeInt(value.size());
        for (JsonNode item : value) {
          string(out, item.textValue());
        }
      }
      default -> throw new IllegalArgumentException("golden file: type " + type);
    }
  }

  /**
   * Two's complement by arithmetic: the residue modulo 2^(8·width), most significant byte first.
   */
  private static byte[] number(String decimal, int width) {
    BigInteger rest = new BigInteger(decimal).mod(BigInteger.ONE.shiftLeft(8 * width));
    byte[] bytes = new byte[width];
    for (int i = width - 1; i >= 0; i--) {
      bytes[i] = rest.byteValue();
      rest = rest.shiftRight(8);
    }
    return bytes;
  }

  private static void hex(DataOutputStream out, String digits) throws IOException {
    for (int i = 0; i < digits.length(); i += 2) {
      out.writeByte(Integer.parseInt(digits.substring(i, i + 2), 16));
    }
  }

  private static void string(DataOutputStream out, String text) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(utf8.length);
    out.write(utf8);
  }

  static byte[] rangeDigest(JsonNode table, JsonNode range, List<byte[]> rows) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeBytes("tula-range-v1");
    string(out, table.get("pipeline").textValue());
    out.writeInt(table.get("generation").intValue());
    out.writeInt(table.get("partition").intValue());
    string(out, table.get("table").textValue());
    position(out, range.get("from").textValue());
    position(out, range.get("to").textValue());
    for (byte[] row : rows) {
      out.writeInt(row.length);
      out.write(row);
    }
    return sha256(bytes.toByteArray());
  }

  private static void position(DataOutputStream out, String text) throws IOException {
    String[] parts = text.split(":");
    out.write(number(parts[0], 8));
    out.write(number(parts[1], 4));
  }

  static byte[] chain(byte[] previous, byte[] digest) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(previous);
    bytes.write(digest);
    return sha256(bytes.toByteArray());
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
