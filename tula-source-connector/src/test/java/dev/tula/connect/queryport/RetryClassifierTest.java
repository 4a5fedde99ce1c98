package dev.tula.connect.queryport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message;
import java.util.Optional;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RetryClassifierTest {
  private final RetryClassifier classifier = new RetryClassifier(false);

  @Test
  void a_lost_connection_leads_to_another_node() {
    assertThat(classifier.classify(new QueryPortException("gone")))
        .isEqualTo(new Verdict.TryAnotherNode(Optional.empty()));
  }

  @Test
  void a_node_that_does_not_lead_leads_to_its_hint() {
    Message.ErrorReply reply =
        new Message.ErrorReply(
            ErrorCode.ERR_NOT_LEADER, 0, "", "b:2", Optional.empty(), Optional.empty(), 0);
    assertThat(classify(reply)).isEqualTo(new Verdict.TryAnotherNode(Optional.of("b:2")));
    assertThat(classify(ErrorCode.ERR_NOT_LEADER, 0))
        .isEqualTo(new Verdict.TryAnotherNode(Optional.empty()));
  }

  @Test
  void a_busy_node_is_asked_again_when_it_said() {
    Message.ErrorReply reply =
        new Message.ErrorReply(
            ErrorCode.ERR_BUSY, 0, "", "", Optional.empty(), Optional.empty(), 1_234);
    assertThat(classify(reply)).isEqualTo(new Verdict.AskAgain(1_234));
  }

  @Test
  void an_ack_of_an_old_term_waits_for_the_new_one() {
    assertThat(classify(ErrorCode.ERR_STALE_TERM, 0)).isInstanceOf(Verdict.AwaitNewTerm.class);
  }

  @Test
  void a_broken_protocol_is_tried_again() {
    assertThat(classify(ErrorCode.ERR_PROTOCOL, 0)).isInstanceOf(Verdict.TryAnotherNode.class);
  }

  @ParameterizedTest
  @CsvSource({
    "ERR_VERSION, CONFIGURATION, version",
    "ERR_UNAUTHORIZED, CONFIGURATION, exporter role",
    "ERR_CLUSTER_MISMATCH, IDENTITY, TULA-88",
    "ERR_POSITION_AHEAD, DURABILITY, TULA-86",
    "ERR_EXPORT_RANGE_RECLAIMED, RANGE_RECLAIMED, TULA-87",
    "ERR_BAD_REQUEST, CONTRACT, never"
  })
  void what_will_not_pass_fails_and_says_why(ErrorCode code, FailureCode expected, String words) {
    ExportFailure failure = failure(classify(code, 0));
    assertThat(failure.code()).isEqualTo(expected);
    assertThat(failure).hasMessageContaining(words);
    assertThat(failure.toString()).isEqualTo(failure.getMessage());
  }

  @Test
  void a_reclaimed_range_is_named_exactly() {
    Message.ErrorReply reply =
        new Message.ErrorReply(
            ErrorCode.ERR_EXPORT_RANGE_RECLAIMED,
            0,
            "",
            "",
            Optional.of(Position.parse("5:3")),
            Optional.of(Position.batchEnd(9)),
            0);
    ExportFailure failure = failure(classify(reply));
    assertThat(failure.missing()).contains(new Range(Position.parse("5:3"), Position.batchEnd(9)));
    assertThat(failure)
        .hasMessageContaining("(5:3, 9:2147483647]")
        .hasMessageStartingWith("TULA-87 ");
  }

  @ParameterizedTest
  @CsvSource({
    "1, tula.partition.count",
    "3, tula.include.metadata",
    "4, lease table",
    "5, tula.allow.follower.reads",
    "99, in conflict"
  })
  void each_group_conflict_says_what_to_do(int subCode, String words) {
    ExportFailure failure = failure(classify(ErrorCode.ERR_EXPORT_GROUP_CONFLICT, subCode));
    assertThat(failure.code()).isEqualTo(FailureCode.IDENTITY);
    assertThat(failure).hasMessageStartingWith("TULA-88 ").hasMessageContaining(words);
  }

  @Test
  void a_taken_index_may_become_free() {
    Verdict verdict = classify(ErrorCode.ERR_EXPORT_GROUP_CONFLICT, ErrorCode.GROUP_INDEX_TAKEN);
    assertThat(verdict).isInstanceOf(Verdict.AwaitLease.class);
    assertThat(((Verdict.AwaitLease) verdict).otherwise())
        .hasMessageStartingWith("TULA-88 ")
        .hasMessageContaining("another connector");
  }

  @Test
  void a_follower_may_lag_behind_the_cursor() {
    Verdict verdict =
        new RetryClassifier(true).classify(replyException(ErrorCode.ERR_POSITION_AHEAD, 0));
    assertThat(verdict).isInstanceOf(Verdict.TryAnotherNode.class);
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void every_code_of_the_protocol_has_a_verdict(ErrorCode code) {
    assertThat(classify(code, 0)).isNotNull();
  }

  @Test
  void kafka_errors_that_may_pass_are_told_from_those_that_will_not() {
    assertThat(classifier.classify(new TimeoutException("slow")))
        .isEqualTo(new Verdict.AskAgain(0));
    assertThat(failure(classifier.classify(new SaslAuthenticationException("no"))))
        .hasMessageContaining("credentials");
    assertThat(failure(classifier.classify(new TopicAuthorizationException("t"))).code())
        .isEqualTo(FailureCode.CONFIGURATION);
  }

  @Test
  void what_is_not_foreseen_fails_with_its_cause() {
    IllegalStateException cause = new IllegalStateException("a mistake");
    assertThat(failure(classifier.classify(cause))).hasCause(cause);
  }

  private Verdict classify(ErrorCode code, int subCode) {
    return classifier.classify(replyException(code, subCode));
  }

  private Verdict classify(Message.ErrorReply reply) {
    return classifier.classify(new ErrorReplyException(FakeEngine.A, reply));
  }

  private static ErrorReplyException replyException(ErrorCode code, int subCode) {
    return new ErrorReplyException(FakeEngine.A, Message.ErrorReply.of(code, subCode, "told"));
  }

  private static ExportFailure failure(Verdict verdict) {
    assertThat(verdict).isInstanceOf(Verdict.Fail.class);
    return ((Verdict.Fail) verdict).failure();
  }
}
