package dev.tula.connect.queryport;

import java.io.IOException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import javax.net.ssl.SSLException;

/**
 * TLS with a node failed for a reason that waiting does not cure: a certificate, a CA, a host name
 * or the settings. The message says which and what to do, and never contains a secret.
 */
public final class TlsRefusedException extends QueryPortException {
  private static final long serialVersionUID = 1L;

  private static final String ALERT = "Received fatal alert: ";
  private static final int MAX_CAUSES = 16;

  /** With a message that says what and what to do. */
  TlsRefusedException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Whether TLS itself refused, and not the connection beneath it failed. */
  static boolean isRefusal(SSLException error) {
    Throwable each = error.getCause();
    for (int depth = 0; each != null && depth < MAX_CAUSES; depth++) {
      if (each instanceof IOException && !(each instanceof SSLException)) {
        return false;
      }
      each = each.getCause();
    }
    return true;
  }

  /** What a failed handshake, or an alert after it, means. */
  static TlsRefusedException of(NodeAddress node, SSLException error) {
    return new TlsRefusedException("no TLS with " + node + ": " + meaning(node, error), error);
  }

  private static String meaning(NodeAddress node, SSLException error) {
    if (find(error, CertificateExpiredException.class)) {
      return "the node's certificate has expired; renew it";
    }
    if (find(error, CertificateNotYetValidException.class)) {
      return "the node's certificate is not valid yet; check both clocks";
    }
    if (find(error, CertPathBuilderException.class)
        || find(error, CertPathValidatorException.class)) {
      return "no CA of tula.ssl.truststore.* vouches for the node's certificate; add the one that"
          + " signed it";
    }
    if (find(error, CertificateException.class)) {
      return "the node's certificate is not accepted as one of "
          + node.host()
          + ": "
          + error.getMessage()
          + "; its subject alternative names have to contain the name in tula.hosts";
    }
    String message = String.valueOf(error.getMessage());
    if (message.contains(ALERT)) {
      return "the node refused this client ("
          + message.substring(message.indexOf(ALERT) + ALERT.length())
          + "); tula.ssl.keystore.* has to hold a certificate of a CA that the node trusts";
    }
    return message + "; check that the port speaks TLS, and its versions and ciphers";
  }

  private static boolean find(Throwable error, Class<? extends Throwable> type) {
    Throwable each = error;
    for (int depth = 0; each != null && depth < MAX_CAUSES; depth++) {
      if (type.isInstance(each)) {
        return true;
      }
      each = each.getCause();
    }
    return false;
  }
}
