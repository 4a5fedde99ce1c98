package dev.tula.connect.queryport;

import dev.tula.connect.model.config.Setting;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;

/**
 * TLS with Kafka's own settings, names and key stores. The context is built for each connection, so
 * that renewed certificates are taken up with the next one.
 */
final class TlsConnector implements SocketConnector {
  private static final ConfigDef SETTINGS = new ConfigDef().withClientSslSupport();
  private static final int MAX_CAUSES = 8;

  private final Map<String, Object> settings;

  TlsConnector(Map<String, Object> settings) {
    this.settings = SETTINGS.parse(settings);
  }

  /** The keys, with {@code tula.} before Kafka's names. */
  static List<Setting> keys() {
    Setting.Builder group = Setting.in("TLS").of(ConfigDef.Importance.LOW);
    return SETTINGS.configKeys().values().stream()
        .filter(key -> !key.name.equals(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG))
        .sorted(Comparator.comparing(key -> key.name))
        .map(
            key ->
                group.with(
                    "tula." + key.name,
                    key.type,
                    key.defaultValue,
                    "Kafka's " + key.name + ", for the connections to the nodes."))
        .toList();
  }

  @Override
  public Socket secure(Socket connected, NodeAddress node) throws IOException, TlsRefusedException {
    SSLSocket socket =
        (SSLSocket)
            context().getSocketFactory().createSocket(connected, node.host(), node.port(), true);
    SSLParameters parameters = socket.getSSLParameters();
    Object identification = settings.get(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG);
    parameters.setEndpointIdentificationAlgorithm(String.valueOf(identification));
    Object protocols = settings.get(SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG);
    if (protocols instanceof List<?> list && !list.isEmpty()) {
      parameters.setProtocols(list.stream().map(String::valueOf).toArray(String[]::new));
    }
    Object suites = settings.get(SslConfigs.SSL_CIPHER_SUITES_CONFIG);
    if (suites instanceof List<?> list && !list.isEmpty()) {
      parameters.setCipherSuites(list.stream().map(String::valueOf).toArray(String[]::new));
    }
    socket.setSSLParameters(parameters);
    try {
      socket.startHandshake();
    } catch (SSLException e) {
      throw TlsRefusedException.isRefusal(e) ? TlsRefusedException.of(node, e) : e;
    }
    return socket;
  }

  private SSLContext context() throws TlsRefusedException {
    try (DefaultSslEngineFactory factory = new DefaultSslEngineFactory()) {
      factory.configure(settings);
      checkOwnCertificates(factory.keystore());
      return factory.sslContext();
    } catch (RuntimeException | GeneralSecurityException e) {
      throw new TlsRefusedException(
          "the TLS settings can't be used: "
              + e.getMessage()
              + reason(e)
              + "; set tula.ssl.* right",
          e);
    }
  }

  /**
   * Why, where Kafka leaves that to a cause. Only causes of which it is known that they quote no
   * more than a path.
   */
  private static String reason(Throwable error) {
    Throwable cause = error.getCause();
    for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
      if (cause instanceof NoSuchFileException || cause instanceof FileNotFoundException) {
        return ": there is no such file";
      }
      if (cause instanceof AccessDeniedException) {
        return ": the worker may not read it";
      }
      if (cause instanceof InvalidConfigurationException) {
        return ": " + cause.getMessage();
      }
      cause = cause.getCause();
    }
    return "";
  }

  /** A node that refuses an expired certificate says so as it would of any; better found here. */
  private static void checkOwnCertificates(KeyStore keys)
      throws TlsRefusedException, GeneralSecurityException {
    if (keys == null) {
      return;
    }
    for (String alias : Collections.list(keys.aliases())) {
      if (keys.isKeyEntry(alias) && keys.getCertificate(alias) instanceof X509Certificate own) {
        try {
          own.checkValidity();
        } catch (CertificateException e) {
          throw new TlsRefusedException(
              "this client's own certificate, "
                  + own.getSubjectX500Principal()
                  + " in tula.ssl.keystore.*, is valid from "
                  + own.getNotBefore().toInstant()
                  + " to "
                  + own.getNotAfter().toInstant()
                  + " only; renew it",
              e);
        }
      }
    }
  }
}
