package dev.tula.connect.lake.doctor;

import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.sink.SinkConfig;
import dev.tula.connect.source.SourceConfig;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** What source and sink must agree on. */
final class PairChecks {
  private static final String TOPICS = "topics";
  private static final String TRANSFORMS = "transforms";
  private static final String CONVERTER = "value.converter";
  private static final String SCHEMAS = "schemas.enable";
  private static final String SUFFIX = "Converter";
  private static final String JSON = "Json";

  /** Converters that keep no schema, so that the sink could not tell a record's columns. */
  private static final Set<String> WITHOUT_SCHEMA = Set.of("String", "ByteArray");

  /** The same key means the same in both. */
  private static final List<String> SAME =
      List.of(
          SinkConfig.CLUSTER_ID,
          SinkConfig.PIPELINE,
          SinkConfig.GENERATION,
          SinkConfig.PARTITION_COUNT,
          SinkConfig.INCLUDE_METADATA,
          SinkConfig.FULL_TXN_RECORD);

  private PairChecks() {}

  private static boolean isThere(Setup setup, String key, Findings findings) {
    if (setup.source().isEmpty()) {
      findings.skip(
          key, "no source configuration", "Name the source's configuration with --source-config.");
      return false;
    }
    if (setup.sinkConfig().isEmpty() || setup.sourceConfig().isEmpty()) {
      findings.skip(key, "a connector refuses its configuration", "Put that right first.");
      return false;
    }
    return true;
  }

  /** The identity of the stream (I6): the sink refuses another with 88. */
  static void identity(Setup setup, Findings findings) {
    if (!isThere(setup, SinkConfig.PIPELINE, findings)) {
      return;
    }
    SinkConfig sink = setup.sinkConfig().orElseThrow();
    SourceConfig source = setup.sourceConfig().orElseThrow();
    for (String key : SAME) {
      Object ofSink = sink.values().get(key);
      Object ofSource = source.values().get(key);
      if (!Objects.equals(ofSink, ofSource)) {
        findings.fail(
            key,
            ofSink + " in the sink, " + ofSource + " in the source",
            "Set it the same in both: the sink refuses a stream of another identity (88).");
      }
    }
    if (findings.isEmpty()) {
      findings.ok(
          SinkConfig.PIPELINE,
          source.getString(SourceConfig.PIPELINE) + ", the same stream in both");
    }
  }

  static void topics(Setup setup, Findings findings) {
    if (!isThere(setup, TOPICS, findings)) {
      return;
    }
    SourceConfig source = setup.sourceConfig().orElseThrow();
    int generation = source.getInt(SourceConfig.GENERATION);
    String data = StreamIdentity.topic(source.getString(SourceConfig.TOPIC), generation);
    compare(TOPICS, setup.sink(TOPICS).orElse("nothing"), data, findings);
    String base =
        Optional.ofNullable(source.getString(SourceConfig.CHECKPOINTS_TOPIC))
            .orElse(source.getString(SourceConfig.PIPELINE) + ".checkpoints");
    compare(
        SinkConfig.CHECKPOINTS_TOPIC,
        setup.sinkConfig().orElseThrow().checkpointsTopic(),
        StreamIdentity.topic(base, generation),
        findings);
  }

  private static void compare(String key, String sink, String source, Findings findings) {
    if (sink.equals(source)) {
      findings.ok(key, sink);
    } else {
      findings.fail(
          key,
          sink + " in the sink, " + source + " in the source",
          "Name one topic in both, with .g<n> behind it in generations above the first.");
    }
  }

  /** A converter is the connector's own, or else the worker's. */
  static void converter(Setup setup, Findings findings) {
    Optional<Converter> sink = Converter.of(setup.sink(), setup.worker().orElse(Map.of()));
    Optional<Converter> source =
        setup.source().flatMap(own -> Converter.of(own, setup.worker().orElse(Map.of())));
    if (sink.isEmpty()) {
      findings.skip(
          CONVERTER,
          "not set, so the worker's",
          "Set it in both connectors, or name the worker's properties with --worker-config.");
      return;
    }
    sink.get().judge("sink", findings);
    source.ifPresent(converter -> converter.judge("source", findings));
    if (source.isPresent() && !source.equals(sink)) {
      findings.fail(
          CONVERTER,
          sink.get().words() + " in the sink, " + source.get().words() + " in the source",
          "Set the same in both: what one wrote the other can't read.");
    }
    if (findings.isEmpty()) {
      findings.ok(CONVERTER, sink.get().words());
    }
  }

  /**
   * A converter of values. Connect takes its class by the simple name too, with or without what
   * every converter's name ends in.
   *
   * @param name the simple name without that
   * @param schemas whether records carry their schemas; only the JSON converter can leave them out
   */
  private record Converter(String name, boolean schemas) {
    static Optional<Converter> of(Map<String, String> connector, Map<String, String> worker) {
      Map<String, String> of = connector.containsKey(CONVERTER) ? connector : worker;
      return Optional.ofNullable(of.get(CONVERTER))
          .map(className -> of(className, of.get(CONVERTER + "." + SCHEMAS)));
    }

    private static Converter of(String className, String schemas) {
      String simple = className.substring(className.lastIndexOf('.') + 1);
      String name =
          simple.endsWith(SUFFIX) ? simple.substring(0, simple.length() - SUFFIX.length()) : simple;
      return new Converter(name, !name.equals(JSON) || !"false".equalsIgnoreCase(schemas));
    }

    String words() {
      return name + SUFFIX;
    }

    void judge(String connector, Findings findings) {
      if (!schemas) {
        findings.fail(
            CONVERTER + "." + SCHEMAS,
            "false in the " + connector,
            "Set it to true: without schemas the sink can't tell a record's columns.");
      } else if (WITHOUT_SCHEMA.contains(name)) {
        findings.fail(
            CONVERTER,
            words() + " in the " + connector,
            "Use dev.tula.connect.model.LedgerConverter, or another that keeps schemas.");
      }
    }
  }

  /** A record that is changed on its way is committed as changed, and can't be repaired. */
  static void transforms(Setup setup, Findings findings) {
    setup.sink(TRANSFORMS).ifPresent(names -> transformed("sink", names, findings));
    setup.source(TRANSFORMS).ifPresent(names -> transformed("source", names, findings));
    if (findings.isEmpty()) {
      findings.ok(TRANSFORMS, "none");
    }
  }

  private static void transformed(String connector, String names, Findings findings) {
    findings.warn(
        TRANSFORMS,
        names + " in the " + connector,
        "Leave them out unless every record survives them unchanged: a changed column is committed"
            + " as changed, a dropped record halts the sink, and tula-lake repair refuses.");
  }
}
