import java.util.Arrays;

/**
 * A program that ends when a process ends that it watches.
 *
 * <p>usage: Watched PID CLASS ARGUMENT...
 */
public class Watched {
  public static void main(String[] arguments) throws Exception {
    endWith(Long.parseLong(arguments[0]));
    String[] own = Arrays.copyOfRange(arguments, 2, arguments.length);
    Class.forName(arguments[1]).getMethod("main", String[].class).invoke(null, (Object) own);
  }

  /** A test that was killed cannot stop its NameNode: the NameNode looks for itself. */
  static void endWith(long pid) {
    ProcessHandle watched = ProcessHandle.of(pid).orElse(null);
    if (watched == null) {
      System.exit(0);
    }
    watched.onExit().thenRun(() -> Runtime.getRuntime().halt(0));
  }
}
