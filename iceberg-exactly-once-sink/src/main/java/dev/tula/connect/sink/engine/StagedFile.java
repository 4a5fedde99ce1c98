package dev.tula.connect.sink.engine;

/**
 * A data file that was written and belongs to no snapshot yet. Its {@link StagedFileName name} says
 * under which claim, so that a dead writer's files can be told from a live one's (C28).
 */
public interface StagedFile extends TableFile {}
