package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarInputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;

/** The plugin zips as an operator unpacks them. */
class ShippedPluginsIT {
  private static final Pattern OURS =
      Pattern.compile(
          ".*/lib/(ledger-model|tula-source-connector|iceberg-exactly-once-sink|smt)-(\\d.*)\\.jar");

  @Test
  void each_plugin_tells_connect_its_version() throws Exception {
    Map<String, String> named = new LinkedHashMap<>();
    Map<String, String> told = new LinkedHashMap<>();
    for (Path zip : PluginPath.builtZips(TestPaths.root())) {
      try (ZipFile file = new ZipFile(zip.toFile())) {
        for (ZipEntry entry : file.stream().toList()) {
          Matcher jar = OURS.matcher(entry.getName());
          if (jar.matches()) {
            named.put(entry.getName(), jar.group(2));
            told.put(entry.getName(), version(file, entry));
          }
        }
      }
    }
    assertThat(told).hasSizeGreaterThanOrEqualTo(3).isEqualTo(named);
  }

  private static String version(ZipFile zip, ZipEntry jar) throws IOException {
    try (JarInputStream in = new JarInputStream(zip.getInputStream(jar))) {
      return in.getManifest().getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
    }
  }
}
