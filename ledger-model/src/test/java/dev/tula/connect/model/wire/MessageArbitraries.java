package dev.tula.connect.model.wire;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.LedgerArbitraries;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.TestRow;
import dev.tula.connect.model.wire.Message.Ack;
import dev.tula.connect.model.wire.Message.Acked;
import dev.tula.connect.model.wire.Message.ErrorReply;
import dev.tula.connect.model.wire.Message.Fetch;
import dev.tula.connect.model.wire.Message.FetchOptions;
import dev.tula.connect.model.wire.Message.GroupStatus;
import dev.tula.connect.model.wire.Message.Hello;
import dev.tula.connect.model.wire.Message.LeaseStatus;
import dev.tula.connect.model.wire.Message.NamedGroup;
import dev.tula.connect.model.wire.Message.Page;
import dev.tula.connect.model.wire.Message.PageFlags;
import dev.tula.connect.model.wire.Message.Role;
import dev.tula.connect.model.wire.Message.State;
import dev.tula.connect.model.wire.Message.StateKind;
import dev.tula.connect.model.wire.Message.StatePage;
import dev.tula.connect.model.wire.Message.Status;
import dev.tula.connect.model.wire.Message.StatusOk;
import dev.tula.connect.model.wire.Message.Welcome;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Arbitrary messages, each part over all that its place on the wire can hold. */
final class MessageArbitraries {
  private MessageArbitraries() {}

  static Arbitrary<Message> messages() {
    return Arbitraries.oneOf(
        List.of(
            hellos(),
            welcomes(),
            fetches(),
            pages(),
            acks(),
            LedgerArbitraries.positions().map(Acked::new),
            states(),
            statePages(),
            Arbitraries.just(new Status()),
            statuses(),
            errors()));
  }

  private static Arbitrary<Integer> u16() {
    return Arbitraries.integers().between(0, 0xFFFF);
  }

  private static Arbitrary<Integer> u32() {
    return Arbitraries.integers().between(0, Integer.MAX_VALUE);
  }

  private static Arbitrary<Long> u64() {
    return Arbitraries.longs().between(0, Long.MAX_VALUE);
  }

  private static Arbitrary<String> strings() {
    return LedgerArbitraries.strings();
  }

  private static Arbitrary<Position> positions() {
    return LedgerArbitraries.positions();
  }

  private static Arbitrary<Boolean> bits() {
    return Arbitraries.of(true, false);
  }

  private static Arbitrary<List<CanonicalRow>> rows() {
    return LedgerArbitraries.rows().map(TestRow::write).list().ofMaxSize(4);
  }

  static Arbitrary<Hello> hellos() {
    return Combinators.combine(u16(), u16(), strings(), strings().optional(), u32()).as(Hello::new);
  }

  private static Arbitrary<Welcome> welcomes() {
    return Combinators.combine(
            Combinators.combine(u16(), u32(), u32(), u64(), Arbitraries.longs())
                .as(
                    (version, frame, batch, term, time) ->
                        new Object[] {version, frame, batch, term, time}),
            strings(),
            strings(),
            Arbitraries.of(Role.class),
            strings(),
            positions())
        .as(
            (numbers, cluster, node, role, leader, head) ->
                new Welcome(
                    (int) numbers[0],
                    cluster,
                    node,
                    role,
                    (long) numbers[3],
                    leader,
                    head,
                    (int) numbers[1],
                    (int) numbers[2],
                    (long) numbers[4]));
  }

  private static Arbitrary<Fetch> fetches() {
    Arbitrary<FetchOptions> options =
        Combinators.combine(bits(), bits(), bits(), bits(), bits()).as(FetchOptions::new);
    return Combinators.combine(
            strings(), u32().list().ofSize(6), positions(), positions().optional(), options)
        .as(
            (pipeline, n, after, until, option) ->
                new Fetch(
                    pipeline, n.get(0), n.get(1), n.get(2), after, until, n.get(3), n.get(4),
                    n.get(5), option));
  }

  private static Arbitrary<GroupStatus> groups() {
    return Combinators.combine(u32(), u32(), positions()).as(GroupStatus::new);
  }

  static Arbitrary<Page> pages() {
    Arbitrary<PageFlags> flags = Combinators.combine(bits(), bits(), bits()).as(PageFlags::new);
    return Combinators.combine(
            u64(), positions().list().ofSize(4), Arbitraries.longs(), flags, groups(), rows())
        .as(
            (term, p, closed, flag, group, records) ->
                new Page(
                    term, p.get(0), p.get(1), p.get(2), p.get(3), closed, flag, group, records));
  }

  private static Arbitrary<Ack> acks() {
    return Combinators.combine(strings(), u32(), u32(), u32(), positions(), u64()).as(Ack::new);
  }

  private static Arbitrary<State> states() {
    return Combinators.combine(Arbitraries.of(StateKind.class), positions(), strings(), u32())
        .as(State::new);
  }

  private static Arbitrary<StatePage> statePages() {
    return Combinators.combine(positions(), rows(), strings()).as(StatePage::new);
  }

  private static Arbitrary<StatusOk> statuses() {
    Arbitrary<LeaseStatus> leases =
        Combinators.combine(
                strings(), u32(), u32(), u32(), strings(), positions(), positions(), u64())
            .as(LeaseStatus::new);
    Arbitrary<NamedGroup> named =
        Combinators.combine(strings(), u32(), groups()).as(NamedGroup::new);
    return Combinators.combine(
            Arbitraries.of(Role.class),
            u64(),
            strings(),
            positions(),
            positions(),
            leases.list().ofMaxSize(3),
            named.list().ofMaxSize(3))
        .as(StatusOk::new);
  }

  private static Arbitrary<ErrorReply> errors() {
    return Combinators.combine(
            Arbitraries.of(ErrorCode.class),
            u16(),
            strings(),
            strings(),
            positions().optional(),
            positions().optional(),
            u32())
        .as(ErrorReply::new);
  }
}
