import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.HiveMetaStore;
import org.apache.hadoop.hive.metastore.IHMSHandler;
import org.apache.hadoop.hive.metastore.TUGIBasedProcessor;
import org.apache.hadoop.hive.thrift.TUGIContainingTransport;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.server.TThreadPoolServer;
import org.apache.thrift.transport.TServerSocket;

/**
 * Starts Hive's own metastore service on 127.0.0.1.
 *
 * <p>{@code HiveMetaStore.main()} of Hive 2.3 listens on every address and has no option for it. This is the same
 * handler, processor and server with three differences: the address, a file that says which port was taken, and an
 * end when the process that wanted the metastore is gone.
 *
 * <p>usage: HmsMain PORT ADDRESS_FILE [WATCHED_PID]; PORT 0 takes a free one.
 */
public class HmsMain {
  public static void main(String[] arguments) throws Exception {
    int port = Integer.parseInt(arguments[0]);
    Path addressFile = Paths.get(arguments[1]);
    if (arguments.length > 2) {
      endWith(Long.parseLong(arguments[2]));
    }

    HiveConf configuration = new HiveConf(HmsMain.class);
    IHMSHandler handler = HiveMetaStore.newRetryingHMSHandler(
        new HiveMetaStore.HMSHandler("metastore", configuration, false), configuration, false);
    // The handler fills a new database; nobody may connect before it has.
    ServerSocket listener = new ServerSocket();
    listener.setReuseAddress(true);
    listener.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
    TThreadPoolServer server = new TThreadPoolServer(new TThreadPoolServer.Args(new TServerSocket(listener))
        .processor(new TUGIBasedProcessor<IHMSHandler>(handler))
        .transportFactory(new TUGIContainingTransport.Factory())
        .protocolFactory(new TBinaryProtocol.Factory())
        .minWorkerThreads(4)
        .maxWorkerThreads(200));

    // Written beside and moved, so that a reader sees the whole address or none.
    Path unfinished = addressFile.resolveSibling(addressFile.getFileName() + ".new");
    Files.writeString(unfinished, "thrift://127.0.0.1:" + listener.getLocalPort() + "\n");
    Files.move(unfinished, addressFile, StandardCopyOption.ATOMIC_MOVE);
    server.serve();
  }

  /** A test that was killed cannot stop its metastore: the metastore looks for itself. */
  private static void endWith(long pid) {
    ProcessHandle watched = ProcessHandle.of(pid).orElse(null);
    if (watched == null) {
      System.exit(0);
    }
    watched.onExit().thenRun(() -> Runtime.getRuntime().halt(0));
  }
}
