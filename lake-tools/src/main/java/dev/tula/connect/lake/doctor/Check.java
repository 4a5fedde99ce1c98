package dev.tula.connect.lake.doctor;

import java.util.List;
import java.util.function.BiConsumer;

/**
 * One thing to look at in a configuration.
 *
 * @param id its name, unique among all
 * @param look looks, and adds what it finds; adds nothing where it does not apply
 */
record Check(String id, BiConsumer<Setup, Findings> look) {
  List<Finding> examine(Setup setup) {
    Findings findings = new Findings(id);
    look.accept(setup, findings);
    return findings.list();
  }
}
