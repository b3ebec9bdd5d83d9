import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/** What Hadoop 3 has and 2.7 has not. */
final class Since3 {
  /** WebHDFS rests on Jersey 1, which is not among the jars. */
  static boolean webHdfs() {
    try {
      Class.forName("com.sun.jersey.spi.container.servlet.ServletContainer");
      return true;
    } catch (ClassNotFoundException absent) {
      return false;
    }
  }

  static void configure(Configuration configuration) {}

  static void plant(DistributedFileSystem files) {}

  static boolean hasSubSections() {
    return false;
  }

  static void useSubSections(Configuration configuration, boolean wanted) {}

  /** Compression codecs that work without Hadoop's native library, by a short name. */
  static Map<String, String> codecs() {
    return Collections.emptyMap();
  }

  /** Further ways to have an image printed: the ending of the file, and the viewer's options. */
  static Map<String, List<String>> viewers() {
    return Collections.emptyMap();
  }
}
