package dev.tula.connect.model.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowWriter;
import dev.tula.connect.model.wire.Message.Ack;
import dev.tula.connect.model.wire.Message.Acked;
import dev.tula.connect.model.wire.Message.ErrorReply;
import dev.tula.connect.model.wire.Message.GroupStatus;
import dev.tula.connect.model.wire.Message.Hello;
import dev.tula.connect.model.wire.Message.Page;
import dev.tula.connect.model.wire.Message.PageFlags;
import dev.tula.connect.model.wire.Message.StatePage;
import dev.tula.connect.model.wire.Message.Status;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameCodecTest {
  private static final int LENGTH = FrameCodec.LENGTH_BYTES;
  private static final int PAYLOAD_AT = LENGTH + 12;
  private static final FrameCodec CODEC = new FrameCodec(Message.DEFAULT_MAX_FRAME_BYTES);
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Provide
  Arbitrary<Message> messages() {
    return MessageArbitraries.messages();
  }

  @Provide
  Arbitrary<Page> pages() {
    return MessageArbitraries.pages();
  }

  @Provide
  Arbitrary<byte[]> noise() {
    return Arbitraries.bytes().array(byte[].class).ofMaxSize(300);
  }

  @Property
  void every_message_comes_back_as_it_went(
      @ForAll long correlation, @ForAll("messages") Message message) {
    byte[] frame = CODEC.encode(correlation, message);
    assertThat(ByteBuffer.wrap(frame).getInt()).isEqualTo(frame.length - LENGTH);
    assertThat(FrameCodec.frameBytes(message)).isEqualTo(frame.length - LENGTH);
    assertThat(CODEC.checkedLength(frame.length - LENGTH)).isEqualTo(frame.length - LENGTH);
    assertThat(decode(frame)).isEqualTo(new Frame(correlation, message));
  }

  @Property(tries = 200)
  void a_frame_is_read_wherever_it_lies(
      @ForAll("messages") Message message, @ForAll @IntRange(max = 50) int before) {
    byte[] frame = CODEC.encode(3, message);
    byte[] amid = new byte[before + frame.length + 9];
    System.arraycopy(frame, LENGTH, amid, before, frame.length - LENGTH);
    assertThat(CODEC.decode(amid, before, frame.length - LENGTH).message()).isEqualTo(message);
  }

  @Property(tries = 200)
  void records_are_slices_of_the_frame_and_keep_their_bytes(@ForAll("pages") Page page) {
    byte[] frame = CODEC.encode(3, page);
    List<CanonicalRow> records = ((Page) decode(frame).message()).records();
    assertThat(records).allSatisfy(record -> assertThat(record.array()).isSameAs(frame));
    assertThat(records).isEqualTo(page.records());
  }

  @Property(tries = 200)
  void records_add_to_a_page_what_the_codec_says_they_add(@ForAll("pages") Page page) {
    long bytes = FrameCodec.frameBytes(withRecords(page, List.of()));
    for (CanonicalRow record : page.records()) {
      bytes += FrameCodec.encodedRowBytes(record);
    }
    assertThat(FrameCodec.frameBytes(page)).isEqualTo(bytes);
    assertThat(new FrameCodec((int) bytes).encode(1, page)).hasSize((int) bytes + LENGTH);
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> new FrameCodec((int) FrameCodec.frameBytes(page) - 1).encode(1, page))
        .withMessageContaining("PAGE")
        .withMessageContaining("maximum");
  }

  private static Page withRecords(Page page, List<CanonicalRow> records) {
    return new Page(
        page.term(),
        page.coveredFrom(),
        page.coveredTo(),
        page.head(),
        page.reclaimFloor(),
        page.closedThroughMicros(),
        page.flags(),
        page.group(),
        records);
  }

  @Property
  void a_frame_with_one_bit_turned_is_refused(
      @ForAll("messages") Message message, @ForAll int where) {
    byte[] frame = CODEC.encode(3, message);
    int bit = Math.floorMod(where, (frame.length - LENGTH) * 8);
    frame[LENGTH + bit / 8] ^= (byte) (1 << bit % 8);
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> decode(frame))
        .withMessageContaining("crc32c");
  }

  @Property
  void a_frame_cut_short_or_run_on_is_refused_even_with_a_good_crc(
      @ForAll("messages") Message message, @ForAll int seed) {
    byte[] frame = CODEC.encode(3, message);
    int cut = Math.floorMod(seed, frame.length - LENGTH - FrameCodec.MIN_FRAME_BYTES + 1);
    if (cut > 0) {
      assertRefused(sealed(Arrays.copyOf(frame, frame.length - cut)));
    }
    assertRefused(sealed(Arrays.copyOf(frame, frame.length + 1 + Math.floorMod(seed, 100))));
  }

  @Property(tries = 5_000)
  void mutated_frames_are_refused_or_read_and_never_allocate_beyond_their_size(
      @ForAll("messages") Message message, @ForAll List<Integer> mutations, @ForAll boolean seal) {
    byte[] frame = CODEC.encode(3, message);
    for (int mutation : mutations) {
      frame[LENGTH + Math.floorMod(mutation >> 8, frame.length - LENGTH)] = (byte) mutation;
    }
    decodeWithinBounds(seal ? sealed(frame) : frame);
  }

  @Property(tries = 5_000)
  void noise_is_refused_or_read_and_never_allocates_beyond_its_size(
      @ForAll("noise") byte[] noise, @ForAll @IntRange(max = 11) int type) {
    byte[] frame = Arrays.copyOf(new byte[LENGTH], PAYLOAD_AT + noise.length + 4);
    System.arraycopy(noise, 0, frame, PAYLOAD_AT, noise.length);
    frame[LENGTH] = (byte) (type == 11 ? 255 : type);
    decodeWithinBounds(sealed(frame));
    decodeWithinBounds(Arrays.copyOf(noise, noise.length + LENGTH));
  }

  /** What reads at all has one form: it encodes to the very same bytes. */
  private static void decodeWithinBounds(byte[] frame) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    Frame decoded = null;
    try {
      decoded = decode(frame);
    } catch (ProtocolException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    assertThat(allocated).isLessThan(512 * 1024 + 64L * frame.length);
    if (decoded != null) {
      ByteBuffer.wrap(frame).putInt(frame.length - LENGTH);
      assertThat(CODEC.encode(decoded.correlation(), decoded.message())).isEqualTo(frame);
    }
  }

  @Test
  void counts_and_lengths_that_the_bytes_do_not_bear_out_allocate_nothing() {
    byte[] page = CODEC.encode(1, page(List.of()));
    int countAt = page.length - 8;
    for (int count : new int[] {1, 1 << 20, Integer.MAX_VALUE, -1}) {
      ByteBuffer.wrap(page).putInt(countAt, count);
      assertThatExceptionOfType(ProtocolException.class)
          .isThrownBy(() -> decode(sealed(page)))
          .withMessageContaining("PAGE: records claims " + Integer.toUnsignedString(count));
      decodeWithinBounds(sealed(page));
    }
    byte[] one = CODEC.encode(1, page(List.of(row())));
    for (int length : new int[] {row().length() + 1, Integer.MAX_VALUE, -1}) {
      ByteBuffer.wrap(one).putInt(countAt + 4, length);
      assertThatExceptionOfType(ProtocolException.class)
          .isThrownBy(() -> decode(sealed(one)))
          .withMessageContaining("PAGE: record 0 claims " + Integer.toUnsignedString(length));
    }
  }

  @Test
  void a_malformed_row_is_refused_with_its_place() {
    byte[] frame = CODEC.encode(1, page(List.of(row(), row())));
    frame[frame.length - 4 - row().length()] = 9;
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> decode(sealed(frame)))
        .withMessageContaining("PAGE: record 1")
        .withMessageContaining("format 9");
  }

  @Test
  void impossible_positions_are_refused_by_name() {
    byte[] frame = CODEC.encode(1, new Acked(new Position(5, 6)));
    refusedAfter(
        frame,
        bytes -> bytes.putLong(PAYLOAD_AT, Long.MIN_VALUE),
        "credited_through is 9223372036854775808");
    refusedAfter(
        frame, bytes -> bytes.putInt(PAYLOAD_AT + 8, -1), "credited_through is 4294967295");
    refusedAfter(
        frame,
        bytes -> bytes.putLong(PAYLOAD_AT, 0),
        "credited_through: position 0:6 does not exist");
  }

  @Test
  void header_bits_that_version_1_does_not_know_are_refused() {
    byte[] frame = CODEC.encode(1, new Status());
    refusedAfter(frame, bytes -> bytes.put(LENGTH, (byte) 0), "frame type 0");
    refusedAfter(frame, bytes -> bytes.put(LENGTH, (byte) 11), "frame type 11");
    refusedAfter(frame, bytes -> bytes.put(LENGTH, (byte) 254), "frame type 254");
    refusedAfter(frame, bytes -> bytes.put(LENGTH + 1, (byte) 1), "STATUS: flags");
    refusedAfter(frame, bytes -> bytes.put(LENGTH + 2, (byte) 1), "STATUS: reserved");
    refusedAfter(frame, bytes -> bytes.put(LENGTH + 3, (byte) 0x80), "STATUS: reserved");
  }

  @Test
  void parts_that_are_none_of_their_values_are_refused_by_name() {
    byte[] hello = CODEC.encode(1, new Hello(1, 1, "é", Optional.empty(), 1));
    refusedAfter(hello, bytes -> bytes.put(PAYLOAD_AT, (byte) 'X'), "HELLO: magic is 58554c41");
    refusedAfter(
        hello,
        bytes -> bytes.put(PAYLOAD_AT + 10, (byte) 'A'),
        "HELLO: client_name: text is not UTF-8");
    refusedAfter(
        hello,
        bytes -> bytes.put(PAYLOAD_AT + 12, (byte) 2),
        "HELLO: expected_cluster_id begins with 2");
    refusedAfter(
        hello,
        bytes -> bytes.put(PAYLOAD_AT + 13, (byte) 0x80),
        "HELLO: max_frame_bytes is 2147483649");
    byte[] page = CODEC.encode(1, page(List.of()));
    refusedAfter(page, bytes -> bytes.put(PAYLOAD_AT, (byte) -1), "PAGE: term");
    refusedAfter(
        page, bytes -> bytes.put(PAYLOAD_AT + 67, (byte) 8), "PAGE: flags has unknown bits set: 8");
    byte[] error = CODEC.encode(1, ErrorReply.of(ErrorCode.ERR_BUSY, 0, ""));
    refusedAfter(error, bytes -> bytes.put(PAYLOAD_AT + 1, (byte) 12), "ERROR: code 12");
  }

  private static void refusedAfter(byte[] frame, Consumer<ByteBuffer> change, String message) {
    byte[] copy = frame.clone();
    change.accept(ByteBuffer.wrap(copy));
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> decode(sealed(copy)))
        .withMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 15, 101, Integer.MAX_VALUE, Integer.MIN_VALUE, -1})
  void lengths_below_the_smallest_frame_or_above_the_limit_are_refused_unread(int length) {
    FrameCodec codec = new FrameCodec(100);
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> codec.checkedLength(length))
        .withMessageContaining(Integer.toUnsignedString(length));
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> codec.decode(new byte[0], 0, length));
  }

  @Test
  void lengths_at_the_bounds_pass() {
    FrameCodec codec = new FrameCodec(100);
    assertThat(codec.maxFrameBytes()).isEqualTo(100);
    assertThat(codec.checkedLength(16)).isEqualTo(16);
    assertThat(codec.checkedLength(100)).isEqualTo(100);
    assertThat(new FrameCodec(16).encode(5, new Status())).hasSize(20);
    assertThatIllegalArgumentException().isThrownBy(() -> new FrameCodec(15));
  }

  @Test
  void what_has_no_place_on_the_wire_is_refused_on_the_way_out() {
    Position at = Position.batchEnd(5);
    refusedOut(new Ack("p".repeat(65536), 1, 0, 1, at, 1), "pipeline of 65536 bytes");
    refusedOut(new Ack("\uD800", 1, 0, 1, at, 1), "pipeline: text holds half a character");
    refusedOut(new Ack("p", -1, 0, 1, at, 1), "generation");
    refusedOut(new Ack("p", 1, 0, 1, at, -1), "term");
    refusedOut(ErrorReply.of(ErrorCode.ERR_BUSY, 65536, ""), "sub_code");
    refusedOut(new StatePage(at, List.of(), "é".repeat(32768)), "next_cursor of 65536 bytes");
    assertThat(CODEC.encode(1, new Ack("p".repeat(65535), 1, 0, 1, at, 1))).isNotEmpty();
  }

  private static void refusedOut(Message message, String expected) {
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> CODEC.encode(1, message))
        .withMessageContaining(expected);
  }

  @Test
  void more_records_than_any_frame_holds_are_counted_and_refused_without_being_written() {
    byte[] large = new byte[1 << 20];
    byte[] small = row().toByteArray();
    System.arraycopy(small, 0, large, 0, small.length);
    CanonicalRow row = CanonicalRow.of(large);
    Page page = page(Collections.nCopies(5_000, row));
    assertThat(FrameCodec.frameBytes(page)).isGreaterThan(5_000L << 20);
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> new FrameCodec(Integer.MAX_VALUE).encode(1, page))
        .withMessageContaining("maximum");
  }

  private static Page page(List<CanonicalRow> records) {
    Position at = Position.batchEnd(5);
    return new Page(
        1, Position.ORIGIN, at, at, Position.ORIGIN, 0, PageFlags.NONE, GroupStatus.NONE, records);
  }

  private static CanonicalRow row() {
    RowWriter writer =
        new RowWriter().begin(RecordKind.CURRENCY_CHANGE).putLong(1).putLong(1).putInt(0);
    writer
        .putTimestamp(1)
        .putTimestamp(1)
        .putString("EUR")
        .putString("created")
        .putString("stream");
    return writer.absentToEnd().toRow();
  }

  private static Frame decode(byte[] frame) {
    return CODEC.decode(frame, LENGTH, frame.length - LENGTH);
  }

  private static void assertRefused(byte[] frame) {
    assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> decode(frame));
  }

  /** The frame with its checksum made good. */
  private static byte[] sealed(byte[] frame) {
    CRC32C crc = new CRC32C();
    crc.update(frame, LENGTH, frame.length - LENGTH - 4);
    ByteBuffer.wrap(frame).putInt(frame.length - 4, (int) crc.getValue());
    return frame;
  }
}
