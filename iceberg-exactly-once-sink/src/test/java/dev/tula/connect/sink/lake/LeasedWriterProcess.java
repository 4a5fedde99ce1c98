package dev.tula.connect.sink.lake;

import dev.tula.connect.sink.fencing.LeaseKeeper;
import dev.tula.connect.sink.fencing.LeaseLostException;
import java.nio.file.Path;
import java.util.Properties;

/**
 * A process that commits one range after another as long as it holds its lease, and says so of
 * each. Arguments: the lake's folder, where leases are kept, and how long one lasts, in ms.
 */
final class LeasedWriterProcess {
  static final String LEASE = "ledger/p0";
  static final int LOST = 3;

  private static final int MAX_BATCHES = 100_000;

  private LeasedWriterProcess() {}

  static LeaseKeeper keeper(String url, String owner, long leaseMs) {
    return LeaseKeeper.of(url, new Properties(), LEASE, owner, leaseMs);
  }

  public static void main(String[] args) {
    Path folder = Path.of(args[0]);
    LeaseKeeper lease = keeper(args[1], "process", Long.parseLong(args[2]));
    lease.take();
    LakeFixture fixture =
        LakeFixture.permitted(LakeFixture.jdbcCatalog(folder), lease::check).opened();
    try {
      for (int batch = 1; batch < MAX_BATCHES; batch++) {
        System.out.println(fixture.commitRange(batch - 1, batch));
      }
    } catch (LeaseLostException e) {
      System.out.println("lost: " + e.getMessage());
      Runtime.getRuntime().halt(LOST);
    }
  }
}
