package dev.tula.connect.sink.lake;

import dev.tula.connect.sink.fencing.LeaseKeeper;
import dev.tula.connect.sink.fencing.LeaseLostException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;

/**
 * A process that commits one range after another as long as it holds its lease, and says so of
 * each. After the first few it waits for a byte of its input: who stops it then does so between two
 * commits, of which one under way would keep the catalog's lock, or land later. Arguments: the
 * lake's folder, where leases are kept, and how long one lasts, in ms.
 */
final class LeasedWriterProcess {
  static final String LEASE = "ledger/p0";
  static final int LOST = 3;

  /** How many ranges it commits before it waits. */
  static final int FIRST_RANGES = 3;

  private static final int MAX_BATCHES = 100_000;

  private LeasedWriterProcess() {}

  static LeaseKeeper keeper(String url, String owner, long leaseMs) {
    return LeaseKeeper.of(url, new Properties(), LEASE, owner, leaseMs);
  }

  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    LeaseKeeper lease = keeper(args[1], "process", Long.parseLong(args[2]));
    lease.take();
    LakeFixture fixture =
        LakeFixture.permitted(LakeFixture.jdbcCatalog(folder), lease::check).opened();
    try {
      for (int batch = 1; batch < MAX_BATCHES; batch++) {
        if (batch == FIRST_RANGES + 1 && System.in.read() < 0) {
          throw new EOFException("nobody says that it is to go on");
        }
        System.out.println(fixture.commitRange(batch - 1, batch));
      }
    } catch (LeaseLostException e) {
      System.out.println("lost: " + e.getMessage());
      Runtime.getRuntime().halt(LOST);
    }
  }
}
