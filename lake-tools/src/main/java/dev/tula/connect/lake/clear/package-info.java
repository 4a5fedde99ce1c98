/** Lifts durability halts, in both places that know of them (C25). */
package dev.tula.connect.lake.clear;
