import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.server.namenode.FSImageFormatProtobuf;
import org.apache.hadoop.io.erasurecode.ECSchema;

/** What Hadoop 3 has and 2.7 has not. */
final class Since3 {
  private static final String STRIPED = "XOR-2-1-1024k"; // the one that three DataNodes can hold

  static boolean webHdfs() {
    return true;
  }

  static void configure(Configuration configuration) {
    configuration.setInt("dfs.image.parallel.inode.threshold", 10);
    configuration.setInt("dfs.image.parallel.target.sections", 4);
    configuration.setBoolean("dfs.namenode.snapshot.capture.openfiles", true);
  }

  /** Erasure-coded folders and files, a policy of this cluster's own, and a storage type that came late. */
  static void plant(DistributedFileSystem files) throws Exception {
    files.addErasureCodingPolicies(
        new ErasureCodingPolicy[] {new ErasureCodingPolicy(new ECSchema("rs", 4, 2), 64 * 1024)});
    files.enableErasureCodingPolicy(STRIPED);
    files.enableErasureCodingPolicy("RS-6-3-1024k");
    files.enableErasureCodingPolicy("RS-4-2-64k");
    Path top = new Path("/erasure coded");
    for (String policy : new String[] {STRIPED, "RS-6-3-1024k", "RS-4-2-64k"}) {
      Path folder = new Path(top, policy);
      files.mkdirs(folder);
      files.setErasureCodingPolicy(folder, policy);
      files.create(new Path(folder, "empty")).close();
      files.mkdirs(new Path(folder, "inherits"));
    }
    for (int bytes : new int[] {1, 1024 * 1024, 5 * 1024 * 1024 + 17}) {
      try (FSDataOutputStream out = files.create(new Path(top, STRIPED + "/" + bytes + " bytes"))) {
        out.write(new byte[bytes]);
      }
    }
    Path replicated = new Path(top, STRIPED + "/replicated");
    files.mkdirs(replicated);
    files.setErasureCodingPolicy(replicated, "REPLICATION");
    HardTree.write(files, new Path(replicated, "file"), 3000, 1024, (short) 1);
    HardTree.write(files, new Path("/zone/closed"), 2000, 1024, (short) 1);
    Path provided = new Path("/policies/PROVIDED");
    files.mkdirs(provided);
    files.setStoragePolicy(provided, "PROVIDED");
  }

  static boolean hasSubSections() {
    return true;
  }

  static void useSubSections(Configuration configuration, boolean wanted) {
    configuration.setBoolean("dfs.image.parallel.load", wanted);
    FSImageFormatProtobuf.initParallelLoad(configuration);
  }

  /** Compression codecs that work without Hadoop's native library, by a short name. */
  static Map<String, String> codecs() {
    return Map.of("bzip2", "BZip2Codec", "snappy", "SnappyCodec", "lz4", "Lz4Codec");
  }

  /** Further ways to have an image printed: the ending of the file, and the viewer's options. */
  static Map<String, List<String>> viewers() {
    return Map.of(
        "threads.tsv", List.of("-p", "Delimited", "-m", "4"),
        "policies.tsv", List.of("-p", "Delimited", "-sp", "-ec"),
        "comma.csv", List.of("-p", "Delimited", "-delimiter", ","));
  }
}
