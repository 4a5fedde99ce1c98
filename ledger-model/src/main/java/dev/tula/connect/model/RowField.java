package dev.tula.connect.model;

/**
 * One declared field of a record kind.
 *
 * @param id the column's number, from 1, in canonical order
 * @param name the column's name in the lake and in Structs
 * @param type its form in canonical bytes
 * @param required whether it must be present
 */
public record RowField(int id, String name, FieldType type, boolean required) {}
