package dev.tula.connect.sink.fencing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;

/** What a class says in the log, from INFO up, while this is open. */
public final class CapturedLines implements AutoCloseable {
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final LoggerContext context = (LoggerContext) LogManager.getContext(false);
  private final String name;

  /** What this class says. */
  public CapturedLines(Class<?> type) {
    this.name = type.getName();
    AbstractAppender appender =
        new AbstractAppender("captured", null, null, true, Property.EMPTY_ARRAY) {
          @Override
          public void append(LogEvent event) {
            lines.add(event.getMessage().getFormattedMessage());
          }
        };
    appender.start();
    LoggerConfig own = new LoggerConfig(name, Level.INFO, false);
    own.addAppender(appender, Level.INFO, null);
    context.getConfiguration().addLogger(name, own);
    context.updateLoggers();
  }

  /** All so far. */
  public List<String> lines() {
    return lines;
  }

  @Override
  public void close() {
    context.getConfiguration().removeLogger(name);
    context.updateLoggers();
  }
}
