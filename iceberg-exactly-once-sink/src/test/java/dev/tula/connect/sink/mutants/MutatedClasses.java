package dev.tula.connect.sink.mutants;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * This project's classes once more, with those of some source files compiled from other texts. All
 * of them are defined anew, so that each sees the changed ones; libraries are shared. Classes of a
 * module that is not on the class path are found in folders.
 */
final class MutatedClasses extends ClassLoader {
  private static final String OURS = "dev.tula.connect.";

  private final List<Path> folders;
  private final Map<String, byte[]> changed;

  private MutatedClasses(List<Path> folders, Map<String, byte[]> changed) {
    super(MutatedClasses.class.getClassLoader());
    this.folders = folders;
    this.changed = changed;
  }

  /**
   * The classes as they are.
   *
   * @param folders where classes are looked for before the class path
   */
  static MutatedClasses unchanged(List<Path> folders) {
    return new MutatedClasses(folders, Map.of());
  }

  /**
   * The classes with some source files changed.
   *
   * @param folders where classes are looked for before the class path
   * @param sources the changed text of each file, by its outermost class
   * @throws IllegalStateException with what the compiler says, if it does not compile
   */
  static MutatedClasses of(List<Path> folders, Map<String, String> sources) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new IllegalStateException("this Java has no compiler: run it with a JDK");
    }
    StringWriter messages = new StringWriter();
    Map<String, ByteArrayOutputStream> compiled = new HashMap<>();
    List<String> options = List.of("-cp", classPath(folders), "-proc:none", "-nowarn");
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean done =
          compiler
              .getTask(
                  messages,
                  new InMemory(files, compiled),
                  null,
                  options,
                  null,
                  sources.entrySet().stream()
                      .map(source -> new Text(source.getKey(), source.getValue()))
                      .toList())
              .call();
      if (!done) {
        throw new IllegalStateException("it does not compile:\n" + messages);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, byte[]> changed = new HashMap<>();
    compiled.forEach((name, bytes) -> changed.put(name, bytes.toByteArray()));
    return new MutatedClasses(folders, changed);
  }

  private static String classPath(List<Path> folders) {
    List<String> path = new ArrayList<>();
    folders.forEach(folder -> path.add(folder.toString()));
    path.add(System.getProperty("java.class.path"));
    return String.join(File.pathSeparator, path);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(OURS)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    byte[] bytes = changed.containsKey(name) ? changed.get(name) : bytes(name);
    return defineClass(name, bytes, 0, bytes.length);
  }

  private byte[] bytes(String name) throws ClassNotFoundException {
    String file = name.replace('.', '/') + ".class";
    for (Path folder : folders) {
      if (Files.exists(folder.resolve(file))) {
        return read(folder.resolve(file));
      }
    }
    try (InputStream in = getResourceAsStream(file)) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Text extends SimpleJavaFileObject {
    private final String text;

    Text(String className, String text) {
      super(URI.create("text:///" + className.replace('.', '/') + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  /** Keeps the classes that the compiler writes. */
  private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> classes;

    InMemory(JavaFileManager files, Map<String, ByteArrayOutputStream> classes) {
      super(files);
      this.classes = classes;
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
      URI uri = URI.create("memory:///" + className.replace('.', '/') + ".class");
      return new SimpleJavaFileObject(uri, kind) {
        @Override
        public OutputStream openOutputStream() {
          ByteArrayOutputStream bytes = new ByteArrayOutputStream();
          classes.put(className, bytes);
          return bytes;
        }
      };
    }
  }
}
