package dev.tula.connect.objectstore;

import com.adobe.testing.s3mock.S3MockApplication;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * S3Mock with one bucket, over plain HTTP, on the loopback interface alone. It checks no
 * signatures. It ends when its standard input does, so that it never outlives who started it.
 */
public final class ObjectStoreMain {
  private static final String STORE = "com.adobe.testing.s3mock.store.";

  private ObjectStoreMain() {}

  /** Takes away the second port, which S3Mock would open on every interface. */
  @Configuration
  static class LoopbackAlone {
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> onePort() {
      return factory -> factory.setAdditionalConnectors(List.of());
    }
  }

  /**
   * Serves until standard input ends.
   *
   * @param args the port, the directory of the objects, the bucket
   */
  public static void main(String[] args) throws IOException {
    new SpringApplicationBuilder(S3MockApplication.class, LoopbackAlone.class)
        .properties(
            Map.of(
                "server.address", "127.0.0.1",
                "server.port", args[0],
                "spring.main.banner-mode", "off",
                STORE + "root", args[1],
                STORE + "initial-buckets", args[2],
                STORE + "retain-files-on-exit", "true"))
        .run("--com.adobe.testing.s3mock.http-port=0", "--com.adobe.testing.s3mock.max-payload-size=2GB");
    while (System.in.read() >= 0) {
      // Nothing is ever sent; what matters is the end.
    }
    Runtime.getRuntime().halt(0);
  }
}
