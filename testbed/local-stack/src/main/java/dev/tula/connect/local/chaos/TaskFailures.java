package dev.tula.connect.local.chaos;

import dev.tula.connect.local.StackException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Why connectors and tasks failed in a chaos run. What a fault of the run explains is counted; what
 * none explains is a fault of the connectors, and so is anything that is not known here. For one
 * thread.
 */
final class TaskFailures {
  private static final int MAX_REASON = 160;
  private static final String CAUSED_BY = "Caused by: ";

  /** What Connect and Kafka's clients say when brokers, workers or commands come in between. */
  private static final List<String> OF_CONNECT =
      List.of(
          "zombie fencing",
          "before its producer transaction expired",
          "org\\.apache\\.kafka\\.common\\.errors\\.(ProducerFenced|InvalidProducerEpoch|InvalidPidMapping"
              + "|UnknownProducerId|TransactionAborted|ConcurrentTransactions|InvalidTxnState|Timeout"
              + "|Disconnect|Network|CoordinatorNotAvailable|CoordinatorLoadInProgress|NotCoordinator"
              + "|LeaderNotAvailable|NotLeaderOrFollower|NotEnoughReplicas|UnknownTopicOrPartition)"
              + "Exception",
          // One worker asks another to fence: that one was gone, starting, or no longer the leader.
          "org\\.apache\\.kafka\\.connect\\.runtime\\.rest\\.errors\\.ConnectRestException",
          "Only the leader (may|can) ",
          "Worker is shutting down",
          "has generated \\d+ tasks, which is greater than",
          "has already generated a new set of task configs",
          "has already been revoked from this worker",
          "Offset reader (is )?closed",
          "Could not begin changing connector state to",
          "Failed to (read to end of|write to) (the )?config topic",
          "without claiming write privileges first",
          "Invalid transition attempted from state");

  /** What the two connectors say when an outage lasted, or a newer task took over. */
  private static final List<String> OF_THE_CONNECTORS =
      List.of(
          "It was tried again for \\d+ ms",
          "connecting to catalog and brokers has not ended for \\d+ ms",
          "could be read for \\d+ ms \\(\\d+ attempts\\)",
          "could not ack for \\d+ ms",
          "the checkpoints topic could not be read for \\d+ ms",
          "TULA-FENCED ");

  private static final Pattern EXPLAINED =
      Pattern.compile(String.join("|", OF_CONNECT) + "|" + String.join("|", OF_THE_CONNECTORS));

  private static final Pattern MISTAKE =
      Pattern.compile(
          "failed unexpectedly"
              + "|\\b(NullPointer|IllegalState|IllegalArgument|IllegalMonitorState|ClassCast"
              + "|(Array|String)?IndexOutOfBounds|NegativeArraySize|ArrayStore|Arithmetic|NumberFormat"
              + "|UnsupportedOperation|ConcurrentModification|NoSuchElement|InputMismatch|BufferOverflow"
              + "|BufferUnderflow|ClassNotFound|NoSuchMethod|NoSuchField|EmptyStack|DateTime)Exception"
              + "|\\b(OutOfMemory|StackOverflow|Assertion|NoClassDefFound|ClassFormat|VerifyError"
              + "|UnsupportedClassVersion|UnsatisfiedLink|AbstractMethod|IncompatibleClassChange"
              + "|NoSuchMethod|NoSuchField|ExceptionInInitializer|Linkage|Internal)Error\\b");

  /** Mistakes of Connect itself, each of which leaves the task to be restarted. */
  private static final Pattern MISTAKE_OF_CONNECT =
      Pattern.compile(
          "without claiming write privileges first|Invalid transition attempted from state");

  private final int limit;
  private final TreeMap<String, Integer> explained = new TreeMap<>();
  private final TreeMap<String, Integer> unexpected = new TreeMap<>();

  /**
   * @param limit how many failures a run may have, of any kind
   */
  TaskFailures(int limit) {
    this.limit = limit;
  }

  /**
   * Takes one failure in.
   *
   * @param name the connector's
   * @param trace the connector's own or a task's, as Connect tells it
   * @throws StackException if there are more than the limit
   */
  void add(String name, String trace) {
    List<String> chain = chain(trace);
    Optional<String> mistake = chain.stream().filter(TaskFailures::isMistake).findFirst();
    Optional<String> fault =
        chain.stream().filter(link -> EXPLAINED.matcher(link).find()).findFirst();
    boolean isExplained = mistake.isEmpty() && fault.isPresent();
    String reason = mistake.or(() -> fault).orElseGet(() -> chain.get(chain.size() - 1));
    (isExplained ? explained : unexpected).merge(name + ": " + shorten(reason), 1, Integer::sum);
    if (count(explained) + count(unexpected) > limit) {
      throw new StackException(
          "connectors and tasks failed more than "
              + limit
              + " times; explained by a fault: "
              + explained
              + ", unexpected: "
              + unexpected);
    }
  }

  private static boolean isMistake(String link) {
    return MISTAKE.matcher(link).find() && !MISTAKE_OF_CONNECT.matcher(link).find();
  }

  /** The exceptions of a trace without their stacks, the outermost first. */
  private static List<String> chain(String trace) {
    List<String> links = new ArrayList<>();
    for (String line : trace.lines().toList()) {
      if (line.startsWith(CAUSED_BY)) {
        links.add(line.substring(CAUSED_BY.length()));
      } else if (links.isEmpty()) {
        links.add(line);
      } else if (!line.startsWith("\t")) {
        links.add(links.remove(links.size() - 1) + " " + line.strip());
      }
    }
    return links.isEmpty() ? List.of("it gave no reason") : links;
  }

  private static String shorten(String text) {
    return text.length() > MAX_REASON ? text.substring(0, MAX_REASON) + "…" : text;
  }

  private static int count(Map<String, Integer> failures) {
    return failures.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** How often what failed for a reason that a fault explains. */
  Map<String, Integer> explained() {
    return new TreeMap<>(explained);
  }

  /** How often what failed for a reason that none does. */
  Map<String, Integer> unexpected() {
    return new TreeMap<>(unexpected);
  }
}
