package dev.tula.connect.lake.reseed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;

/**
 * The lake's own record of what a generation's end left out: one property of the identity table of
 * the generation that ends, as JSON.
 */
public final class GapRecord {
  /** The property. */
  public static final String PROPERTY = "tula.reseed";

  private static final ObjectMapper JSON = new ObjectMapper();

  private GapRecord() {}

  /**
   * The record.
   *
   * @param next the generation that follows
   * @param gaps of every partition
   * @param by who decided it
   * @param at when
   */
  static String of(int next, List<Gap> gaps, String by, Instant at) {
    ObjectNode node = JSON.createObjectNode();
    node.put("generation", Integer.toString(next));
    node.put("by", by);
    node.put("at", at.toString());
    ObjectNode missing = node.putObject("missing");
    for (Gap gap : gaps) {
      ObjectNode one = missing.putObject(Integer.toString(gap.partition()));
      one.put("from", gap.missing().from().toString());
      one.put("to", gap.missing().to().toString());
      one.put("batches", Long.toString(gap.batches()));
      one.put("started", Boolean.toString(gap.start().isPresent()));
    }
    try {
      return JSON.writeValueAsString(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A record as it stands in the lake; text, if somebody edited it to what is no JSON. */
  public static JsonNode read(String value) {
    try {
      return JSON.readTree(value);
    } catch (JsonProcessingException e) {
      return JSON.getNodeFactory().textNode(value);
    }
  }
}
