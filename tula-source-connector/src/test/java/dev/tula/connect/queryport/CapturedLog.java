package dev.tula.connect.queryport;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;

/** Everything that is logged below a name while it is open, stack traces included. */
public final class CapturedLog implements AutoCloseable {
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Configuration configuration =
      ((Logger) LogManager.getRootLogger()).getContext().getConfiguration();
  private final String name;
  private final LoggerConfig before;

  /** Captures from here on; the root's name is empty. */
  public CapturedLog(String name, Level level) {
    this.name = name;
    this.before = configuration.getLoggers().get(name);
    Appender appender = new Appender();
    appender.start();
    LoggerConfig own = new LoggerConfig(name, level, false);
    own.addAppender(appender, level, null);
    configuration.removeLogger(name);
    configuration.addLogger(name, own);
    update();
  }

  /** The lines so far, each with its level in front. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  private static void update() {
    ((Logger) LogManager.getRootLogger()).getContext().updateLoggers();
  }

  @Override
  public void close() {
    configuration.removeLogger(name);
    if (before != null) {
      configuration.addLogger(name, before);
    }
    update();
  }

  private final class Appender extends AbstractAppender {
    private Appender() {
      super("captured", null, null, true, Property.EMPTY_ARRAY);
    }

    @Override
    public void append(LogEvent event) {
      StringWriter text = new StringWriter();
      text.append(event.getLevel().name()).append(' ').append(event.getLoggerName()).append(' ');
      text.append(event.getMessage().getFormattedMessage());
      if (event.getThrown() != null) {
        event.getThrown().printStackTrace(new PrintWriter(text, true));
      }
      lines.add(text.toString());
    }
  }
}
