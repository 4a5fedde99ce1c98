package dev.tula.connect.lake.doctor;

import dev.tula.connect.sink.IcebergExactlyOnceSinkConnector;
import dev.tula.connect.source.TulaSourceConnector;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigValue;

/** What the connectors themselves refuse, each error on its key, all at once. */
final class OwnValidation {
  private static final String CONNECTOR_CLASS = "connector.class";
  private static final String TOLERANCE = "errors.tolerance";

  private OwnValidation() {}

  static void sink(Setup setup, Findings findings) {
    report(
        new IcebergExactlyOnceSinkConnector().validate(setup.sink()).configValues(),
        "tula.*, iceberg.*",
        setup.sink().size(),
        findings);
  }

  static void source(Setup setup, Findings findings) {
    if (setup.source().isEmpty()) {
      findings.skip(
          "tula.*",
          "no source configuration",
          "Name the source's configuration with --source-config.");
      return;
    }
    Map<String, String> properties = setup.source().get();
    String className = properties.get(CONNECTOR_CLASS);
    if (className != null && !names(TulaSourceConnector.class).contains(className)) {
      findings.fail(
          CONNECTOR_CLASS,
          className,
          "Name the configuration of a " + TulaSourceConnector.class.getName() + ".");
      return;
    }
    report(offline(properties), "tula.*", properties.size(), findings);
  }

  private static Set<String> names(Class<?> connector) {
    return Set.of(
        connector.getName(),
        connector.getSimpleName(),
        connector.getSimpleName().replace("Connector", ""));
  }

  /** The source asks the network only if all else is right, so one error of ours is put in. */
  private static List<ConfigValue> offline(Map<String, String> properties) {
    Map<String, String> refused = new HashMap<>(properties);
    refused.put(TOLERANCE, "all");
    boolean toleratesAll = "all".equalsIgnoreCase(properties.get(TOLERANCE));
    return new TulaSourceConnector()
        .validate(refused).configValues().stream()
            .filter(value -> toleratesAll || !value.name().equals(TOLERANCE))
            .toList();
  }

  private static void report(List<ConfigValue> values, String family, int keys, Findings findings) {
    for (ConfigValue value : values) {
      for (String message : value.errorMessages()) {
        findings.fail(value.name(), "is refused", message);
      }
    }
    if (findings.isEmpty()) {
      findings.ok(family, keys + " keys, all accepted");
    }
  }
}
