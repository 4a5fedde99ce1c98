package dev.tula.connect.restcatalog;

import dev.tula.connect.local.ParentWatch;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * Iceberg's own REST catalog servlet over a JDBC catalog, on the loopback interface. Iceberg's test
 * server serves the same servlet on every interface, which is why it is not started itself.
 */
public final class RestCatalogMain {
  private RestCatalogMain() {}

  /**
   * Serves until the parent process ends.
   *
   * @param args the port, and a properties file of the JDBC catalog behind it
   */
  public static void main(String[] args) throws Exception {
    ParentWatch.start();
    JdbcCatalog backend = new JdbcCatalog();
    backend.initialize("local", properties(Path.of(args[1])));
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    connector.setPort(Integer.parseInt(args[0]));
    server.addConnector(connector);
    ServletContextHandler handler = new ServletContextHandler();
    handler.addServlet(
        new ServletHolder(new RESTCatalogServlet(new RESTCatalogAdapter(backend))), "/*");
    server.setHandler(handler);
    server.start();
    server.join();
  }

  private static Map<String, String> properties(Path file) throws Exception {
    Properties read = new Properties();
    try (InputStream in = Files.newInputStream(file)) {
      read.load(in);
    }
    Map<String, String> properties = new HashMap<>();
    read.stringPropertyNames().forEach(key -> properties.put(key, read.getProperty(key)));
    return properties;
  }
}
