/** An S3 server on loopback, for the local stack and tests. */
package dev.tula.connect.objectstore;
