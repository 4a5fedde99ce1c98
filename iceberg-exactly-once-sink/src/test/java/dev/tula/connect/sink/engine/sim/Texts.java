package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.HaltEvent;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.event.TableEvent;
import dev.tula.connect.sink.engine.Effect;
import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.Outcome;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import java.util.Optional;
import java.util.stream.Collectors;

/** Short forms for traces. */
final class Texts {
  private Texts() {}

  static String of(Effect effect) {
    if (effect instanceof Effect.Commit commit) {
      return "commit " + of(commit.commit());
    }
    if (effect instanceof Effect.LoadTable load) {
      return "load " + load.table();
    }
    if (effect instanceof Effect.Publish publish) {
      return "publish "
          + publish.events().stream().map(Texts::of).collect(Collectors.joining(", "));
    }
    if (effect instanceof Effect.Stage stage) {
      return "stage " + stage.table() + " " + stage.range() + (stage.digestOnly() ? " again" : "");
    }
    return effect instanceof Effect.CreateTable create
        ? "create " + create.table()
        : effect.getClass().getSimpleName();
  }

  static String of(TableCommit commit) {
    return commit.table()
        + ": "
        + commit.expected().map(Texts::of).orElse("nothing")
        + " -> "
        + of(commit.next());
  }

  static String of(TableState state) {
    return "["
        + state.commit().word()
        + " "
        + state.claim()
        + ", "
        + state.range().map(range -> range.range().toString()).orElse("no range")
        + ", "
        + state.totalRows()
        + " rows, chain "
        + state.chain().toString().substring(0, 6)
        + state.watermark().flatMap(w -> w.kafka()).map(k -> ", offset " + k.offset()).orElse("")
        + "]";
  }

  static String of(Outcome outcome) {
    if (outcome instanceof Outcome.Committed committed) {
      return of(committed.reply());
    }
    if (outcome instanceof Outcome.TableLoaded loaded) {
      return of(loaded.view());
    }
    if (outcome instanceof Outcome.EventsRead read) {
      return "newest checkpoint "
          + read.events().newestCheckpoint().map(event -> event.to().toString()).orElse("none")
          + ", halts "
          + read.events().halts().keySet()
          + " without "
          + read.events().clearedHalts();
    }
    return outcome.getClass().getSimpleName();
  }

  private static String of(CommitReply reply) {
    return reply instanceof CommitReply.Refused refused
        ? "refused by " + of(refused.now())
        : reply.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT);
  }

  private static String of(Optional<TableView> view) {
    return view.map(
            table ->
                table.property().map(Texts::of).orElse("no state")
                    + table.disagreement().map(what -> " (" + what + ")").orElse(""))
        .orElse("no table");
  }

  static String of(LakeEvent event) {
    if (event instanceof CheckpointEvent checkpoint) {
      return "checkpoint " + checkpoint.to() + " of " + checkpoint.writerId();
    }
    if (event instanceof TableEvent table) {
      return "table event " + table.table() + " (" + table.from() + ", " + table.to() + "]";
    }
    return event instanceof HaltEvent halt
        ? "halt " + halt.id() + " (" + halt.reason() + ")"
        : event.type();
  }

  static String of(StreamItem item) {
    return item.kind() + " (" + item.provesAfter() + ", " + item.provesTo() + "]";
  }
}
