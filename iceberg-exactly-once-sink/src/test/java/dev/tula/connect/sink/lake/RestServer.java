package dev.tula.connect.sink.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Iceberg's REST catalog over HTTP on the loopback interface, whose answers to commits can lie. */
public final class RestServer implements AutoCloseable {
  private static final String TABLE = ".*/tables/[^/]+";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server);
  private final ConcurrentLinkedQueue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger loads = new AtomicInteger();
  private final AtomicInteger commits = new AtomicInteger();
  private final AtomicInteger transactions = new AtomicInteger();
  private final AtomicReference<String> dropped = new AtomicReference<>();
  private final AtomicReference<Runnable> interference = new AtomicReference<>();
  private final AtomicInteger loadsLeft = new AtomicInteger();
  private final AtomicReference<Runnable> loadInterference = new AtomicReference<>();

  /**
   * What happens to a commit request.
   *
   * @param carriedOut whether the catalog gets it
   * @param status what is answered
   */
  record Answer(boolean carriedOut, int status) {}

  /**
   * @param catalog what is served
   * @param filters see each request before it does
   */
  public RestServer(Catalog catalog, Filter... filters) throws Exception {
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    ServletContextHandler handler = new ServletContextHandler();
    for (Filter filter : filters) {
      handler.addFilter(new FilterHolder(filter), "/*", EnumSet.of(DispatcherType.REQUEST));
    }
    handler.addServlet(new ServletHolder(new Servlet(new RESTCatalogAdapter(catalog))), "/*");
    server.setHandler(handler);
    server.start();
  }

  /** Where it listens. */
  public String uri() {
    return "http://127.0.0.1:" + connector.getLocalPort();
  }

  /** The next commit request, of one table or several, and after it the next, is answered so. */
  void answerNext(Answer answer) {
    answers.add(answer);
  }

  /** The next commit of several tables leaves one out, and is reported as a success. */
  void dropFromNextTransaction(String table) {
    dropped.set(table);
  }

  /** Something happens just before the next commit of several tables. */
  void beforeNextTransaction(Runnable what) {
    interference.set(what);
  }

  /**
   * Something happens once, just before the so-manieth load of a table from now, counted from 1.
   */
  void beforeLoad(int number, Runnable what) {
    loadInterference.set(what);
    loadsLeft.set(number);
  }

  /** Requests to load a table. */
  public int loads() {
    return loads.get();
  }

  /** All requests. */
  public int requests() {
    return requests.get();
  }

  /** Requests to commit to one table. */
  public int commits() {
    return commits.get();
  }

  /** Requests to commit to several tables. */
  int transactions() {
    return transactions.get();
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the server does not stop", e);
    }
  }

  /** Answers as a catalog does that did not do what it was asked. */
  static void error(HttpServletResponse response, int status, String type, String message)
      throws IOException {
    response.reset();
    response.setStatus(status);
    response.setContentType("application/json");
    response
        .getWriter()
        .write(
            JSON.writeValueAsString(
                JSON.createObjectNode()
                    .set(
                        "error",
                        JSON.createObjectNode()
                            .put("message", message)
                            .put("type", type)
                            .put("code", status))));
  }

  private final class Servlet extends RESTCatalogServlet {
    private static final long serialVersionUID = 1L;

    Servlet(RESTCatalogAdapter adapter) {
      super(adapter);
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
        throws ServletException, IOException {
      requests.incrementAndGet();
      super.service(request, response);
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      if (request.getRequestURI().matches(TABLE)) {
        loads.incrementAndGet();
        if (loadsLeft.getAndDecrement() == 1) {
          loadInterference.getAndSet(null).run();
        }
      }
      super.doGet(request, response);
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      if (request.getRequestURI().endsWith("/transactions/commit")) {
        transactions.incrementAndGet();
        Runnable before = interference.getAndSet(null);
        if (before != null) {
          before.run();
        }
        String table = dropped.getAndSet(null);
        answer(table == null ? request : without(table, request), response);
      } else if (request.getRequestURI().matches(TABLE)) {
        commits.incrementAndGet();
        answer(request, response);
      } else {
        super.doPost(request, response);
      }
    }

    private void answer(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      Answer answer = answers.poll();
      if (answer == null) {
        super.doPost(request, response);
        return;
      }
      if (answer.carriedOut()) {
        super.doPost(request, new Muted(response));
      }
      error(response, answer.status(), "Injected", "injected");
      response.setHeader("Retry-After", "1"); // without it, 1.11's client sends nothing again
    }
  }

  private static HttpServletRequest without(String table, HttpServletRequest request)
      throws IOException {
    JsonNode body = JSON.readTree(request.getReader());
    Iterator<JsonNode> changes = ((ArrayNode) body.get("table-changes")).elements();
    while (changes.hasNext()) {
      if (changes.next().path("identifier").path("name").asText().equals(table)) {
        changes.remove();
      }
    }
    String rest = JSON.writeValueAsString(body);
    return new HttpServletRequestWrapper(request) {
      @Override
      public BufferedReader getReader() {
        return new BufferedReader(new StringReader(rest));
      }
    };
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
