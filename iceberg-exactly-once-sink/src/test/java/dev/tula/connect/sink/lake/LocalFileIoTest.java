package dev.tula.connect.sink.lake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.StagedFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalFileIoTest {
  @TempDir Path folder;
  private final LocalFileIo io = new LocalFileIo();

  private static void write(PositionOutputStream out, String text) throws IOException {
    try (out) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private String read(String location) throws IOException {
    try (InputStream in = io.newInputFile(location).newStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "file:", "file://"})
  void file_is_found_again_by_its_location_however_it_is_written(String scheme) throws IOException {
    String location = scheme + folder.resolve("a b/100%/ü.txt");
    OutputFile file = io.newOutputFile(location);
    write(file.create(), "hello");

    assertThat(file.location()).isEqualTo(location);
    assertThat(io.newInputFile(location).exists()).isTrue();
    assertThat(io.newInputFile(location).getLength()).isEqualTo(5);
    assertThat(io.newInputFile(location).location()).isEqualTo(location);
    assertThat(read(location)).isEqualTo("hello");

    io.deleteFile(location);
    io.deleteFile(location);
    assertThat(io.newInputFile(location).exists()).isFalse();
    assertThatThrownBy(() -> read(location)).isInstanceOf(NotFoundException.class);
  }

  @Test
  void file_is_not_there_until_it_is_whole() throws IOException {
    String location = folder.resolve("x.txt").toString();
    PositionOutputStream out = io.newOutputFile(location).create();
    out.write(new byte[200_000]);
    out.flush();

    assertThat(io.newInputFile(location).exists()).isFalse();
    assertThat(out.getPos()).isEqualTo(200_000);

    out.close();
    assertThat(io.newInputFile(location).getLength()).isEqualTo(200_000);
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).hasSize(1);
    }
  }

  /** A disk without room: the system itself refuses what is written. */
  private static FileChannel createOnFullDisk(Path file) throws IOException {
    Files.createFile(file);
    return FileChannel.open(Path.of("/dev/full"), StandardOpenOption.WRITE);
  }

  @Test
  void file_that_the_disk_has_no_room_for_is_named_and_never_there() throws IOException {
    assumeThat(Path.of("/dev/full")).exists();
    String location = folder.resolve("x.txt").toString();
    LocalFileIo full = new LocalFileIo(LocalFileIoTest::createOnFullDisk);
    PositionOutputStream out = full.newOutputFile(location).create();

    assertThatThrownBy(() -> out.write(new byte[200_000]))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(location)
        .hasMessageContaining("No space left on device");
    assertThatThrownBy(out::close).isInstanceOf(IOException.class).hasMessageContaining(location);

    assertThat(folder).isEmptyDirectory();
    write(io.newOutputFile(location).create(), "there is room again");
    assertThat(read(location)).isEqualTo("there is room again");
  }

  @Test
  void file_whose_end_the_disk_has_no_room_for_is_never_there() throws IOException {
    assumeThat(Path.of("/dev/full")).exists();
    String location = folder.resolve("x.txt").toString();
    LocalFileIo full = new LocalFileIo(LocalFileIoTest::createOnFullDisk);
    PositionOutputStream out = full.newOutputFile(location).create();
    out.write(new byte[1_000]);

    assertThatThrownBy(out::close)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(location)
        .hasMessageContaining("No space left on device");

    assertThat(folder).isEmptyDirectory();
  }

  @Test
  @DisplayName("I7: a full disk passes, and half a file is no file")
  void full_disk_is_an_error_that_may_pass_and_names_the_file() throws IOException {
    assumeThat(Path.of("/dev/full")).exists();
    Map<String, String> properties = new HashMap<>(SqliteCatalog.properties(folder));
    properties.put("io-impl", FullDiskFileIo.class.getName());
    Catalog catalog = IcebergCatalogs.build("lake", properties, Map.of(), Optional.empty());
    String name = "3-9-w1-transactions-42.7.parquet";
    try (LakeFixture fixture = LakeFixture.of(catalog)) {
      fixture.lake.create(LakeFixture.TABLE);
      FullDiskFileIo.full = true;
      assertThatThrownBy(
              () ->
                  fixture.lake.stage(
                      LakeFixture.TABLE, name, LakeFixture.rows(LakeFixture.range(0, 9))))
          .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isTrue())
          .hasMessageContaining(folder.toString())
          .hasMessageContaining("/data/" + name)
          .hasMessageContaining("No space left on device");

      FullDiskFileIo.full = false;
      StagedFile file =
          fixture.lake.stage(LakeFixture.TABLE, name, LakeFixture.rows(LakeFixture.range(0, 9)));
      assertThat(file.rows()).isEqualTo(9);
      assertThat(read(file.location())).isNotEmpty();
      assertThat(io.listPrefix(folder.resolve("warehouse/ledger/transactions/data").toString()))
          .extracting(FileInfo::location)
          .containsExactly(file.location());
    } finally {
      FullDiskFileIo.full = false;
    }
  }

  @Test
  void creating_does_not_replace_and_overwriting_does() throws IOException {
    OutputFile file = io.newOutputFile(folder.resolve("x.txt").toString());
    write(file.create(), "first");

    assertThatThrownBy(file::create).isInstanceOf(AlreadyExistsException.class);
    write(file.createOrOverwrite(), "second");

    assertThat(read(file.location())).isEqualTo("second");
  }

  @Test
  void of_two_that_create_one_file_only_the_first_to_finish_does() throws IOException {
    OutputFile file = io.newOutputFile(folder.resolve("x.txt").toString());
    PositionOutputStream one = file.create();
    PositionOutputStream two = file.create();
    write(two, "two");
    one.write('1');

    assertThatThrownBy(one::close).isInstanceOf(AlreadyExistsException.class);
    assertThat(read(file.location())).isEqualTo("two");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void every_file_below_a_folder_is_listed_and_none_beside_it() throws IOException {
    for (String name : List.of("t/data/a", "t/data/b 100%/c", "t/data2/d", "t/e")) {
      write(io.newOutputFile(folder.resolve(name).toString()).create(), "12345");
    }

    List<FileInfo> files = new ArrayList<>();
    io.listPrefix(folder.resolve("t/data").toUri().toString()).forEach(files::add);

    assertThat(files)
        .extracting(FileInfo::location)
        .containsExactlyInAnyOrder(
            "file://" + folder.resolve("t/data/a"), "file://" + folder.resolve("t/data/b 100%/c"));
    for (FileInfo file : files) {
      assertThat(file.size()).isEqualTo(5);
      assertThat(read(file.location())).isEqualTo("12345");
    }
    assertThat(io.listPrefix(folder.resolve("none").toString())).isEmpty();
    assertThatThrownBy(() -> io.deletePrefix(folder.toString()))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(folder.resolve("t/data/a")).exists();
  }

  @Test
  void location_on_another_host_or_scheme_is_refused() {
    assertThatThrownBy(() -> io.newInputFile("file://host/x").exists())
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> io.newInputFile("s3://bucket/x").exists())
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(LocalFileIo.handles("s3://bucket/x")).isFalse();
    assertThat(LocalFileIo.handles("my_warehouse")).isFalse();
    assertThat(LocalFileIo.handles("file:/x")).isTrue();
    assertThat(LocalFileIo.handles("/x")).isTrue();
  }
}
