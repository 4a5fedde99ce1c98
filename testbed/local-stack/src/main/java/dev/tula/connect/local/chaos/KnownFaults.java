package dev.tula.connect.local.chaos;

import static dev.tula.connect.local.chaos.Fault.Part.BROKER;
import static dev.tula.connect.local.chaos.Fault.Part.CATALOG;
import static dev.tula.connect.local.chaos.Fault.Part.CONNECTORS;
import static dev.tula.connect.local.chaos.Fault.Part.LEDGER;
import static dev.tula.connect.local.chaos.Fault.Part.STORE;
import static dev.tula.connect.local.chaos.Fault.Part.WORKERS;

import dev.tula.connect.local.ConnectRest;
import dev.tula.connect.local.ConnectWorkerProcess;
import dev.tula.connect.local.ConnectorConfig;
import dev.tula.connect.local.StackException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/** Everything that {@code bin/chaos} does to a stack. */
final class KnownFaults {
  private static final int START_ATTEMPTS = 5;
  private static final int ASK_ATTEMPTS = 60;
  private static final int ATTEMPTS_BEFORE_RESTART = 15;
  private static final long ASK_PAUSE_MS = 1_000;
  private static final long SLOW_MS = 150;

  /** Some hundred times what a request takes. */
  private static final long STORE_ENDS_MS = 2_000;

  private static final int LAG_BATCHES = 50;

  private final ChaosStack stack;
  private final List<Fault> faults = new ArrayList<>();

  private KnownFaults(ChaosStack stack) {
    this.stack = stack;
  }

  static List<Fault> of(
      ChaosStack stack, ConnectorConfig source, ConnectorConfig sink, Random random) {
    KnownFaults known = new KnownFaults(stack);
    known.addWorkers();
    known.addConnectors(List.of(source, sink));
    known.addLedger();
    known.addBroker(random);
    known.addLake(random);
    return known.faults;
  }

  private void lasting(
      String name,
      List<Fault.Part> parts,
      long minMs,
      long maxMs,
      Fault.Step inject,
      Fault.Step heal) {
    faults.add(Fault.lasting(name, parts, minMs, maxMs, inject, heal));
  }

  private void addWorkers() {
    for (int i = 0; i < ChaosStack.WORKERS; i++) {
      int worker = i;
      String name = "worker " + (i + 1);
      // A worker needs its broker and its connectors' configurations to start, so they stay well.
      List<Fault.Part> parts = List.of(WORKERS, CONNECTORS, BROKER);
      lasting(
          name + " killed (SIGKILL)",
          parts,
          0,
          5_000,
          () -> stack.takeAway(worker).kill(),
          () -> startAgain(worker));
      lasting(
          name + " stopped in order",
          parts,
          0,
          5_000,
          () -> stack.takeAway(worker).close(),
          () -> startAgain(worker));
      lasting(
          name + " stood still past its session (SIGSTOP)",
          parts,
          4_000,
          12_000,
          () -> stack.standStill(worker),
          () -> stack.goOn(worker));
    }
  }

  /**
   * What is left where Connect can't write its config topic any more: a leader that lost its
   * producer to an outage may refuse every command until the group is formed anew.
   */
  static Fault newGroup(ChaosStack stack) {
    KnownFaults known = new KnownFaults(stack);
    return Fault.lasting(
        "workers restarted, as Connect took no command",
        List.of(WORKERS, CONNECTORS, BROKER),
        0,
        0,
        known::restartWorkers,
        () -> {});
  }

  private void restartWorkers() {
    for (int i = 0; i < ChaosStack.WORKERS; i++) {
      stack.takeAway(i).close();
      startAgain(i);
    }
  }

  private void startAgain(int worker) {
    ConnectWorkerProcess process = stack.takeAway(worker);
    for (int attempt = 1; ; attempt++) {
      try {
        process.startAgain();
        stack.bringBack(worker);
        return;
      } catch (StackException e) {
        if (attempt == START_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private void addConnectors(List<ConnectorConfig> connectors) {
    for (ConnectorConfig connector : connectors) {
      String name = connector.name();
      lasting(
          name + " paused",
          List.of(CONNECTORS),
          1_000,
          8_000,
          () -> ask(rest -> rest.pause(name)),
          () -> ask(rest -> rest.resume(name)));
      lasting(
          name + " stopped",
          List.of(CONNECTORS),
          1_000,
          6_000,
          () -> ask(rest -> rest.stop(name)),
          () -> ask(rest -> rest.resume(name)));
      faults.add(Fault.at(name + " restarted", CONNECTORS, () -> ask(rest -> rest.restart(name))));
      lasting(
          name + " with one task for all partitions",
          List.of(CONNECTORS),
          3_000,
          10_000,
          () -> ask(rest -> rest.putConfig(name, oneTask(connector).values())),
          () -> ask(rest -> rest.putConfig(name, connector.values())));
    }
  }

  private static ConnectorConfig oneTask(ConnectorConfig connector) {
    return connector.with(Map.of("tasks.max", "1"));
  }

  /** As a person does whose command fails because something else is down: again a little later. */
  private void ask(Consumer<ConnectRest> command) throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        command.accept(stack.worker().rest());
        return;
      } catch (StackException e) {
        if (attempt == ASK_ATTEMPTS) {
          throw e;
        }
        if (attempt % ATTEMPTS_BEFORE_RESTART == 0) {
          restartWorkers();
        }
        Thread.sleep(ASK_PAUSE_MS);
      }
    }
  }

  private void addLedger() {
    faults.add(
        Fault.at("ledger leader changed", LEDGER, () -> stack.engine().faults().changeLeader()));
    faults.add(
        Fault.at(
            "ledger leader changed three times at once",
            LEDGER,
            () -> {
              for (int i = 0; i < ChaosStack.NODES; i++) {
                stack.engine().faults().changeLeader();
              }
            }));
    faults.add(
        Fault.at(
            "ledger connections dropped", LEDGER, () -> stack.engine().faults().dropConnections()));
    faults.add(Fault.at("ledger leases lost", LEDGER, () -> stack.engine().faults().dropLeases()));
    faults.add(
        Fault.at(
            "ledger frames torn", LEDGER, () -> stack.engine().faults().switches().tearFrames(3)));
    faults.add(
        Fault.at(
            "ledger frames corrupt",
            LEDGER,
            () -> stack.engine().faults().switches().corruptFrames(3)));
    faults.add(
        Fault.at(
            "ledger answers to acks lost",
            LEDGER,
            () -> stack.engine().faults().switches().loseAckAnswers(3)));
    faults.add(Fault.at("ledger busy", LEDGER, () -> stack.engine().faults().busy(5, 200)));
    lasting(
        "ledger slow",
        List.of(LEDGER),
        1_000,
        8_000,
        () -> stack.engine().faults().switches().delayMs(SLOW_MS),
        () -> stack.engine().faults().switches().delayMs(0));
    for (int i = 0; i < ChaosStack.NODES; i++) {
      int node = i;
      lasting(
          "ledger node " + (i + 1) + " down",
          List.of(LEDGER),
          1_000,
          8_000,
          () -> {
            stack.engine().faults().stopNode(node);
            stack.engine().faults().changeLeader((node + 1) % ChaosStack.NODES);
          },
          () -> stack.engine().faults().startNode(node));
      lasting(
          "ledger node " + (i + 1) + " lags behind",
          List.of(LEDGER),
          1_000,
          8_000,
          () -> {
            stack.engine().faults().changeLeader((node + 1) % ChaosStack.NODES);
            stack.engine().faults().lag(node, LAG_BATCHES);
          },
          () -> stack.engine().faults().lag(node, 0));
    }
  }

  private void addBroker(Random random) {
    lasting(
        "broker killed (SIGKILL)",
        List.of(BROKER),
        0,
        4_000,
        () -> stack.broker().kill(),
        () -> stack.broker().startAgain());
    network("broker", BROKER, stack.toBroker(), random);
  }

  private void network(String name, Fault.Part part, TcpProxy proxy, Random random) {
    lasting(
        name + " slow",
        List.of(part),
        2_000,
        10_000,
        () -> proxy.slow(1 + random.nextInt((int) SLOW_MS)),
        proxy::open);
    lasting(
        name + " unreachable",
        List.of(part),
        1_000,
        10_000,
        () -> proxy.set(TcpProxy.Mode.CUT),
        proxy::open);
    lasting(
        name + " silent",
        List.of(part),
        1_000,
        10_000,
        () -> proxy.set(TcpProxy.Mode.SILENT),
        proxy::open);
  }

  private void addLake(Random random) {
    network("catalog", CATALOG, stack.toCatalog(), random);
    network("store", STORE, stack.toStore(), random);
    lasting(
        "store full (507 to every write)",
        List.of(STORE),
        1_000,
        10_000,
        () -> stack.toStore().set(TcpProxy.Mode.FULL),
        stack.toStore()::open);
    killed("catalog", CATALOG, ChaosStack.CATALOG);
    lasting(
        "store killed (SIGKILL)",
        List.of(STORE, CATALOG),
        0,
        4_000,
        this::killStore,
        () -> {
          stack.lakeHost().startAgain(ChaosStack.STORE);
          stack.toStore().open();
          stack.toCatalog().open();
        });
  }

  /**
   * A real store keeps what it confirmed. This one rewrites its bucket's index in place with each
   * object, and a kill in the middle loses the bucket. So nobody reaches it any more first, nor the
   * catalog, which writes to it too, and what they have begun they may end: for their clients, the
   * same.
   */
  private void killStore() throws InterruptedException {
    stack.toCatalog().set(TcpProxy.Mode.CUT);
    stack.toStore().set(TcpProxy.Mode.CUT);
    Thread.sleep(STORE_ENDS_MS);
    stack.lakeHost().kill(ChaosStack.STORE);
  }

  private void killed(String name, Fault.Part part, int process) {
    lasting(
        name + " killed (SIGKILL)",
        List.of(part),
        0,
        4_000,
        () -> stack.lakeHost().kill(process),
        () -> stack.lakeHost().startAgain(process));
  }
}
