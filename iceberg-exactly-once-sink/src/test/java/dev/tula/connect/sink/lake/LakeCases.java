package dev.tula.connect.sink.lake;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Cases that hold over any catalog and any store. A subclass says which; SQLite if it does not. */
abstract class LakeCases {
  @TempDir Path folder;
  LakeFixture fixture;
  private TestCatalog.Opened opened;

  TestCatalog catalog() {
    return TestCatalog.SQLITE;
  }

  @BeforeEach
  void open() throws Exception {
    opened = catalog().open(folder);
    fixture = LakeFixture.of(opened.client());
  }

  /** The same lake by a client of its own, as another process would have it. */
  LakeFixture rival() {
    return LakeFixture.of(opened.client());
  }

  @AfterEach
  void close() throws Exception {
    if (fixture != null) {
      fixture.close();
    }
    opened.close();
  }
}
