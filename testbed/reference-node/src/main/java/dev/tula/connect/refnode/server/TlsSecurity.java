package dev.tula.connect.refnode.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/**
 * Mutual TLS: whoever connects has to have a certificate, and its subject's {@code OU}, or a SAN
 * URI {@code tula:role/<role>}, is its role.
 *
 * @param context holds the node's key and the CAs that it trusts
 */
record TlsSecurity(SSLContext context) implements PortSecurity {
  private static final Pattern EXPORTER = Pattern.compile("(?i)(^|,)OU=exporter(,|$)");
  private static final String EXPORTER_URI = "tula:role/exporter";
  private static final int URI_NAME = 6;

  @Override
  public ServerSocketFactory sockets() {
    ServerSocketFactory plain = context.getServerSocketFactory();
    return new ServerSocketFactory() {
      @Override
      public ServerSocket createServerSocket() throws IOException {
        return demanding(plain.createServerSocket());
      }

      @Override
      public ServerSocket createServerSocket(int port) throws IOException {
        return demanding(plain.createServerSocket(port));
      }

      @Override
      public ServerSocket createServerSocket(int port, int backlog) throws IOException {
        return demanding(plain.createServerSocket(port, backlog));
      }

      @Override
      public ServerSocket createServerSocket(int port, int backlog, InetAddress address)
          throws IOException {
        return demanding(plain.createServerSocket(port, backlog, address));
      }
    };
  }

  private static ServerSocket demanding(ServerSocket socket) {
    ((SSLServerSocket) socket).setNeedClientAuth(true);
    return socket;
  }

  @Override
  public boolean isExporter(Socket peer) {
    try {
      Certificate[] chain = ((SSLSocket) peer).getSession().getPeerCertificates();
      return chain[0] instanceof X509Certificate certificate && isExporter(certificate);
    } catch (SSLPeerUnverifiedException | CertificateParsingException e) {
      return false;
    }
  }

  private static boolean isExporter(X509Certificate certificate)
      throws CertificateParsingException {
    String subject = certificate.getSubjectX500Principal().getName();
    Collection<List<?>> names =
        Optional.ofNullable(certificate.getSubjectAlternativeNames()).orElse(List.of());
    return EXPORTER.matcher(subject).find()
        || names.stream()
            .anyMatch(
                name ->
                    Integer.valueOf(URI_NAME).equals(name.get(0))
                        && EXPORTER_URI.equals(name.get(1)));
  }

  @Override
  public boolean mayListenAt(InetAddress address) {
    return true;
  }
}
