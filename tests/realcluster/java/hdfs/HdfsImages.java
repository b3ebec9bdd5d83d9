import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.tools.DFSAdmin;
import org.apache.hadoop.hdfs.tools.offlineImageViewer.OfflineImageViewerPB;

/**
 * Has a NameNode save a hard namespace in every form that it knows, and the Offline Image Viewer print each image.
 *
 * <p>usage: HdfsImages FOLDER OUT. OUT gets NAME.fsimage and beside it what the viewer printed: NAME.tsv (Delimited),
 * NAME.xml, and from Hadoop 3 on NAME.threads.tsv, NAME.policies.tsv and NAME.comma.csv. Where the viewer failed there
 * is NAME.tsv.failed with its reason instead. NAME.paths are the paths that the NameNode itself lists, each with a zero
 * byte behind it.
 */
public class HdfsImages {
  private final LocalHdfs hdfs;
  private final Path out;

  private HdfsImages(LocalHdfs hdfs, Path out) {
    this.hdfs = hdfs;
    this.out = out;
  }

  public static void main(String[] arguments) {
    // Files stay open for writing and servers stay up: the process does not end by itself.
    int status = 1;
    try {
      run(Paths.get(arguments[0]), Paths.get(arguments[1]));
      status = 0;
    } catch (Throwable failure) {
      failure.printStackTrace();
    }
    Runtime.getRuntime().halt(status);
  }

  private static void run(Path folder, Path out) throws Exception {
    Files.createDirectories(out);
    HdfsImages images = new HdfsImages(new LocalHdfs(folder, 0, 0, 3), out);
    images.save("empty", null, false);
    HardTree tree = new HardTree(images.hdfs.fileSystem());
    tree.plant(images.hdfs.configuration);
    images.saveInEveryForm("tree");
    tree.plantSnapshots();
    images.saveInEveryForm("snapshots");
  }

  private void saveInEveryForm(String name) throws Exception {
    Map<String, String> codecs = new TreeMap<>(Since3.codecs());
    codecs.putAll(Map.of("zlib", "DefaultCodec", "gzip", "GzipCodec"));
    save(name, null, false);
    if (Since3.hasSubSections()) {
      save(name + "-sections", null, true);
    }
    for (Map.Entry<String, String> codec : codecs.entrySet()) {
      save(name + "-" + codec.getKey(), codec.getValue(), false);
    }
  }

  private void save(String name, String codec, boolean subSections) throws Exception {
    Configuration configuration = hdfs.configuration;
    configuration.setBoolean("dfs.image.compress", codec != null);
    if (codec != null) {
      configuration.set("dfs.image.compression.codec", "org.apache.hadoop.io.compress." + codec);
    }
    Since3.useSubSections(configuration, subSections);
    admin("-safemode", "enter");
    admin("-saveNamespace");
    admin("-safemode", "leave");
    Path image = out.resolve(name + ".fsimage");
    Files.copy(newest(), image);
    StringBuilder paths = new StringBuilder();
    list(new org.apache.hadoop.fs.Path("/"), paths);
    Files.writeString(out.resolve(name + ".paths"), paths);
    view(image, name + ".tsv", List.of("-p", "Delimited"));
    view(image, name + ".xml", List.of("-p", "XML"));
    for (Map.Entry<String, List<String>> viewer : Since3.viewers().entrySet()) {
      view(image, name + "." + viewer.getKey(), viewer.getValue());
    }
  }

  /** Adds the path of every inode below a folder, each with a zero byte behind it: names have everything else. */
  private void list(org.apache.hadoop.fs.Path folder, StringBuilder paths) throws IOException {
    paths.append(folder.toUri().getPath()).append('\0');
    for (FileStatus status : hdfs.fileSystem().listStatus(folder)) {
      if (status.isDirectory()) {
        list(status.getPath(), paths);
      } else {
        paths.append(status.getPath().toUri().getPath()).append('\0');
      }
    }
  }

  private void admin(String... command) throws Exception {
    if (new DFSAdmin(hdfs.configuration).run(command) != 0) {
      throw new IOException("dfsadmin failed: " + Arrays.toString(command));
    }
  }

  private Path newest() throws IOException {
    try (Stream<Path> images = Files.list(hdfs.current())) {
      return images
          .filter(file -> file.getFileName().toString().matches("fsimage_[0-9]+"))
          .max(Path::compareTo)
          .orElseThrow();
    }
  }

  private void view(Path image, String name, List<String> options) throws IOException {
    Path printed = out.resolve(name);
    List<String> arguments = new ArrayList<>(options);
    arguments.addAll(List.of("-i", image.toString(), "-o", printed.toString()));
    String reason;
    try {
      int status = OfflineImageViewerPB.run(arguments.toArray(new String[0]));
      reason = status == 0 ? null : "status " + status;
    } catch (Exception failure) {
      reason = failure.toString();
    }
    if (reason != null) {
      Files.deleteIfExists(printed);
      Files.writeString(out.resolve(name + ".failed"), reason + "\n");
    }
  }
}
