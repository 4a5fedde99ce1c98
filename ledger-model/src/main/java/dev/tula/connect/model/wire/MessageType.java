package dev.tula.connect.model.wire;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * The messages with their number on the wire and their payload's layout. Requests are odd, their
 * answers one above.
 */
enum MessageType {
  HELLO(1, Message.Hello.class, Requests::write, Requests::readHello),
  WELCOME(2, Message.Welcome.class, Answers::write, Answers::readWelcome),
  FETCH(3, Message.Fetch.class, Requests::write, Requests::readFetch),
  PAGE(4, Message.Page.class, Answers::write, Answers::readPage),
  ACK(5, Message.Ack.class, Requests::write, Requests::readAck),
  ACKED(6, Message.Acked.class, Answers::write, Answers::readAcked),
  STATE(7, Message.State.class, Requests::write, Requests::readState),
  STATE_PAGE(8, Message.StatePage.class, Answers::write, Answers::readStatePage),
  STATUS(9, Message.Status.class, (out, status) -> {}, in -> new Message.Status()),
  STATUS_OK(10, Message.StatusOk.class, Answers::write, Answers::readStatusOk),
  ERROR(255, Message.ErrorReply.class, Answers::write, Answers::readError);

  private static final MessageType[] BY_CODE = new MessageType[256];
  private static final Map<Class<? extends Message>, MessageType> BY_CLASS = new HashMap<>();

  static {
    for (MessageType type : values()) {
      BY_CODE[type.code] = type;
      BY_CLASS.put(type.messageClass, type);
    }
  }

  private final int code;
  private final Class<? extends Message> messageClass;
  private final BiConsumer<PayloadWriter, Message> writer;
  private final Function<PayloadReader, ? extends Message> reader;

  <M extends Message> MessageType(
      int code,
      Class<M> messageClass,
      BiConsumer<PayloadWriter, M> writer,
      Function<PayloadReader, M> reader) {
    this.code = code;
    this.messageClass = messageClass;
    this.writer = (out, message) -> writer.accept(out, messageClass.cast(message));
    this.reader = reader;
  }

  static MessageType of(Message message) {
    return BY_CLASS.get(message.getClass());
  }

  static MessageType ofCode(int code) {
    MessageType type = BY_CODE[code];
    if (type == null) {
      throw new ProtocolException(
          "frame type " + code + " is not known in version " + Message.VERSION);
    }
    return type;
  }

  int code() {
    return code;
  }

  void write(PayloadWriter out, Message message) {
    writer.accept(out, message);
  }

  Message read(PayloadReader in) {
    return reader.apply(in);
  }
}
