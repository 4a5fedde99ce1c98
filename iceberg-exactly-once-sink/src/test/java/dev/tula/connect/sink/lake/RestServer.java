package dev.tula.connect.sink.lake;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Iceberg's REST catalog over HTTP on the loopback interface, whose answers to commits can lie. */
final class RestServer implements AutoCloseable {
  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server);
  private final ConcurrentLinkedQueue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final AtomicInteger commits = new AtomicInteger();

  /**
   * What happens to a commit request.
   *
   * @param carriedOut whether the catalog gets it
   * @param status what is answered
   */
  record Answer(boolean carriedOut, int status) {}

  RestServer(Catalog catalog) throws Exception {
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    ServletContextHandler handler = new ServletContextHandler();
    handler.addServlet(new ServletHolder(new Servlet(new RESTCatalogAdapter(catalog))), "/*");
    server.setHandler(handler);
    server.start();
  }

  String uri() {
    return "http://127.0.0.1:" + connector.getLocalPort();
  }

  /** The next commit request, and after it the next, is answered so. */
  void answerNext(Answer answer) {
    answers.add(answer);
  }

  int commits() {
    return commits.get();
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the server does not stop", e);
    }
  }

  private final class Servlet extends RESTCatalogServlet {
    private static final long serialVersionUID = 1L;

    Servlet(RESTCatalogAdapter adapter) {
      super(adapter);
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      if (!request.getRequestURI().matches(".*/tables/[^/]+")) {
        super.doPost(request, response);
        return;
      }
      commits.incrementAndGet();
      Answer answer = answers.poll();
      if (answer == null) {
        super.doPost(request, response);
        return;
      }
      if (answer.carriedOut()) {
        super.doPost(request, new Muted(response));
      }
      response.reset();
      response.setStatus(answer.status());
      response.setHeader("Retry-After", "1"); // without it, 1.11's client sends nothing again
      response.setContentType("application/json");
      response
          .getWriter()
          .write(
              "{\"error\":{\"message\":\"injected\",\"type\":\"Injected\",\"code\":"
                  + answer.status()
                  + "}}");
    }
  }

  /** Swallows what is written to it. */
  private static final class Muted extends HttpServletResponseWrapper {
    Muted(HttpServletResponse response) {
      super(response);
    }

    @Override
    public PrintWriter getWriter() {
      return new PrintWriter(new StringWriter());
    }
  }
}
