package dev.tula.connect.sink.lake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
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
