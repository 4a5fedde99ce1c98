package dev.tula.connect.source;

/** The plugin's version, from its jar. */
final class PluginVersion {
  private PluginVersion() {}

  static String get() {
    String version = PluginVersion.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
