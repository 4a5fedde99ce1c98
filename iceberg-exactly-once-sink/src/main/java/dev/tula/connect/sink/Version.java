package dev.tula.connect.sink;

/** The version of this plugin. */
final class Version {
  private Version() {}

  static String current() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
