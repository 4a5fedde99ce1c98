package dev.tula.connect.lake;

import dev.tula.connect.sink.IcebergExactlyOnceSinkConnector;
import picocli.CommandLine.IVersionProvider;

/** Prints the version that the sink itself reports. */
final class VersionProvider implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"tula-lake " + new IcebergExactlyOnceSinkConnector().version()};
  }
}
