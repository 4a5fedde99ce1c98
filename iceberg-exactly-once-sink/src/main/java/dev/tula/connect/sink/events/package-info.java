/**
 * The commits and checkpoints topics on a real Kafka: made sure of before anything is claimed (C2,
 * C30), written with {@code acks=all} before anything rests on an event (C19), and read whole on
 * opening (C3, C4, C8, C25).
 */
package dev.tula.connect.sink.events;
