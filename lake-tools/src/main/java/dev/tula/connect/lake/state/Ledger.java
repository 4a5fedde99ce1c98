package dev.tula.connect.lake.state;

import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.LeaderClient;
import dev.tula.connect.source.SourceConfig;

/**
 * Asks the ledger as the source connector would, but takes no lease and acks nothing: what the
 * ledger may forget does not hang on it.
 */
public final class Ledger {
  private Ledger() {}

  /**
   * A question to the ledger.
   *
   * @param <T> the answer's type
   */
  public interface Question<T> {
    /** Asks it. */
    T ask() throws InterruptedException;
  }

  /**
   * A client, which connects with its first question.
   *
   * @param config the source connector's
   * @param clientName what the ledger's operator sees of it
   */
  public static LeaderClient client(SourceConfig config, String clientName) {
    return LeaderClient.builder(config.queryPort(), clientName)
        .followerReads(config.getBoolean(SourceConfig.ALLOW_FOLLOWER_READS))
        .build();
  }

  /**
   * The answer to a question.
   *
   * @throws ToolException if there is none, with the code of the ledger's refusal if it is one
   */
  public static <T> T ask(Question<T> question) {
    try {
      return question.ask();
    } catch (ExportFailure e) {
      int code = e.code().code();
      throw new ToolException(code == 0 ? ExitCode.ERROR : code, e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ToolException.error("interrupted while the ledger was asked", e);
    }
  }
}
