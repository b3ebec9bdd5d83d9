import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;

/**
 * A NameNode and a DataNode that run until they are stopped.
 *
 * <p>usage: HdfsMain FOLDER RPC_PORT HTTP_PORT ADDRESS_FILE [WATCHED_PID]; a port of 0 takes a free one. The address
 * file gets two lines, {@code hdfs://127.0.0.1:PORT} and {@code http://127.0.0.1:PORT}, when both answer.
 */
public class HdfsMain {
  public static void main(String[] arguments) {
    if (arguments.length > 4) {
      Watched.endWith(Long.parseLong(arguments[4]));
    }
    try {
      start(arguments);
    } catch (Throwable failure) {
      failure.printStackTrace();
      Runtime.getRuntime().halt(1); // what had started would keep the process
    }
  }

  private static void start(String[] arguments) throws Exception {
    Path addressFile = Paths.get(arguments[3]);
    LocalHdfs hdfs = new LocalHdfs(
        Paths.get(arguments[0]), Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]), 1);
    // Written beside and moved, so that a reader sees both addresses or none.
    Path unfinished = addressFile.resolveSibling(addressFile.getFileName() + ".new");
    Files.writeString(unfinished, hdfs.rpcAddress() + "\n" + hdfs.httpAddress() + "\n");
    Files.move(unfinished, addressFile, StandardCopyOption.ATOMIC_MOVE);
  }
}
