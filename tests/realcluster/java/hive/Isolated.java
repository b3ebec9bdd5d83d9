import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs a class's {@code main()} with a URLClassLoader over folders and jars.
 *
 * <p>Hive 2.3 casts its class loader to URLClassLoader, which the application class loader has not been since Java 9.
 *
 * <p>usage: Isolated PATH:PATH:... MAIN_CLASS ARGUMENT...; a PATH is a folder of classes, or FOLDER/* for its jars.
 */
public class Isolated {
  public static void main(String[] arguments) throws Throwable {
    List<URL> urls = new ArrayList<>();
    for (String path : arguments[0].split(File.pathSeparator)) {
      if (!path.endsWith("/*")) {
        urls.add(new File(path).toURI().toURL());
        continue;
      }
      File folder = new File(path.substring(0, path.length() - 2));
      File[] jars = folder.listFiles((parent, name) -> name.endsWith(".jar"));
      Arrays.sort(jars);
      for (File jar : jars) {
        urls.add(jar.toURI().toURL());
      }
    }
    ClassLoader loader =
        new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    Thread.currentThread().setContextClassLoader(loader);
    String[] mainArguments = Arrays.copyOfRange(arguments, 2, arguments.length);
    try {
      Class.forName(arguments[1], true, loader)
          .getMethod("main", String[].class)
          .invoke(null, (Object) mainArguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
