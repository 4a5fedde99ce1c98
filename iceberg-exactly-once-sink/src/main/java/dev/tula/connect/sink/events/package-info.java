/**
 * The event topics on Kafka: checks or creates them, reads one partition of them to its end, and
 * publishes events so that each is durable before anything goes by it (C19, C20, C25, C30).
 */
package dev.tula.connect.sink.events;
