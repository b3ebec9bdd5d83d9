import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.key.KeyProvider;
import org.apache.hadoop.crypto.key.KeyProviderFactory;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.util.MD5FileUtils;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;

/**
 * A NameNode and its DataNodes in this process, on 127.0.0.1, all of their files in one folder.
 *
 * <p>One process starts in half the time and memory of several. The NameNode shares {@link #configuration} and looks
 * into it whenever it saves an image, so one that runs can save its namespace in every form.
 *
 * <p>With -Dhdfs.image=FILE a NameNode begins with the namespace of that image, whose name is fsimage_ and its last
 * transaction; nothing holds the blocks of its files. With -Dhdfs.tls=true it answers by https alone, with the keys that
 * ssl-server.xml names.
 */
final class LocalHdfs {
  /** The key of encryption zones, in a key store inside the folder. */
  static final String ZONE_KEY = "zone";

  private static final String IMAGE = System.getProperty("hdfs.image");
  private static final boolean TLS = Boolean.getBoolean("hdfs.tls");

  final Configuration configuration;
  private final Path folder;
  private final NameNode nameNode;

  /** Formats the folder where it holds no namespace, and starts. A port of 0 takes a free one. */
  LocalHdfs(Path folder, int rpcPort, int httpPort, int dataNodes) throws Exception {
    this.folder = folder;
    configuration = configure(rpcPort, httpPort);
    FileSystem.enableSymlinks();
    DefaultMetricsSystem.setMiniClusterMode(true); // several DataNodes of one process have the same names in it
    createZoneKey();
    if (!Files.exists(current().resolve("VERSION"))) {
      NameNode.format(configuration);
      if (IMAGE != null) {
        adopt(Paths.get(IMAGE));
      }
    }
    nameNode = NameNode.createNameNode(new String[0], configuration);
    FileSystem.setDefaultUri(configuration, rpcAddress());
    List<DataNode> started = new ArrayList<>();
    for (int number = 0; number < dataNodes; number++) {
      Configuration own = new HdfsConfiguration(configuration);
      own.set("dfs.datanode.data.dir", folder.resolve("data" + number).toUri().toString());
      started.add(DataNode.createDataNode(new String[0], own));
    }
    waitForDataNodes(dataNodes);
  }

  String rpcAddress() {
    return "hdfs://127.0.0.1:" + nameNode.getNameNodeAddress().getPort();
  }

  String httpAddress() {
    InetSocketAddress address = TLS ? nameNode.getHttpsAddress() : nameNode.getHttpAddress();
    return (TLS ? "https" : "http") + "://127.0.0.1:" + address.getPort();
  }

  DistributedFileSystem fileSystem() throws IOException {
    return (DistributedFileSystem) FileSystem.get(configuration);
  }

  /** The folder of the NameNode's images. */
  Path current() {
    return folder.resolve("name/current");
  }

  private Configuration configure(int rpcPort, int httpPort) {
    Configuration made = new HdfsConfiguration();
    FileSystem.setDefaultUri(made, "hdfs://127.0.0.1:" + rpcPort);
    made.set("hadoop.tmp.dir", folder.resolve("tmp").toString());
    made.set("dfs.namenode.name.dir", folder.resolve("name").toUri().toString());
    made.set("dfs.namenode.http-address", "127.0.0.1:" + httpPort);
    if (TLS) {
      made.set("dfs.http.policy", "HTTPS_ONLY");
      made.set("dfs.namenode.https-address", "127.0.0.1:" + httpPort);
    }
    if (IMAGE != null) {
      made.set("dfs.namenode.safemode.threshold-pct", "0"); // it would wait for the blocks
    }
    for (String address : new String[] {"address", "ipc.address", "http.address", "https.address"}) {
      made.set("dfs.datanode." + address, "127.0.0.1:0");
    }
    made.set("dfs.datanode.hostname", "127.0.0.1");
    made.setInt("dfs.replication", 1);
    made.setBoolean("dfs.webhdfs.enabled", Since3.webHdfs());
    made.setBoolean("dfs.namenode.acls.enabled", true);
    made.setLong("dfs.namenode.fs-limits.min-block-size", 512); // files of many blocks without much data
    made.setBoolean("dfs.namenode.delegation.token.always-use", true);
    String user = System.getProperty("user.name");
    made.set("dfs.permissions.superusergroup", user);
    made.set("hadoop.proxyuser." + user + ".hosts", "*");
    made.set("hadoop.proxyuser." + user + ".groups", "*");
    String keys = "jceks://file" + folder.resolve("keys.jceks");
    made.set("hadoop.security.key.provider.path", keys); // the name since 3
    made.set("dfs.encryption.key.provider.uri", keys);
    Since3.configure(made);
    return made;
  }

  /** Puts an image in the place of the one that was just formatted. */
  private void adopt(Path image) throws IOException {
    String name = image.getFileName().toString();
    Path adopted = current().resolve(name);
    Files.copy(image, adopted);
    MD5FileUtils.saveMD5File(adopted.toFile(), MD5FileUtils.computeMd5ForFile(adopted.toFile()));
    Files.writeString(current().resolve("seen_txid"), Long.parseLong(name.substring("fsimage_".length())) + "\n");
  }

  private void createZoneKey() throws Exception {
    KeyProvider keys = KeyProviderFactory.getProviders(configuration).get(0);
    if (keys.getMetadata(ZONE_KEY) == null) {
      keys.createKey(ZONE_KEY, KeyProvider.options(configuration));
      keys.flush();
    }
  }

  private void waitForDataNodes(int wanted) throws Exception {
    DistributedFileSystem files = fileSystem();
    for (int tries = 0; tries < 600; tries++) {
      if (files.getDataNodeStats().length == wanted && !nameNode.isInSafeMode()) {
        return;
      }
      Thread.sleep(50);
    }
    throw new IOException("the DataNodes did not register within 30 seconds");
  }
}
