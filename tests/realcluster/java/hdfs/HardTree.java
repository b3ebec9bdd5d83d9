import static org.apache.hadoop.fs.permission.AclEntryScope.ACCESS;
import static org.apache.hadoop.fs.permission.AclEntryScope.DEFAULT;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclEntryScope;
import org.apache.hadoop.fs.permission.AclEntryType;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.CacheDirectiveInfo;
import org.apache.hadoop.hdfs.protocol.CachePoolInfo;

/** Fills an HDFS with one of everything that a NameNode's image can hold, by the calls that any client has. */
final class HardTree {
  private static final long UNCHANGED = Long.MAX_VALUE; // of a quota
  private static final int BLOCK = 1024;

  private final DistributedFileSystem files;
  private final List<FSDataOutputStream> open = new ArrayList<>();

  HardTree(DistributedFileSystem files) {
    this.files = files;
  }

  /** Everything but snapshots. */
  void plant(Configuration configuration) throws Exception {
    names();
    ordinaryFolders();
    permissions();
    acls();
    extendedAttributes();
    policiesAndQuotas();
    fileForms();
    openFiles();
    symlinks(configuration);
    encryptionZone();
    cacheAndTokens();
    Since3.plant(files);
  }

  private void names() throws IOException {
    Path folder = new Path("/odd names");
    String[] names = {
      "new\nline", "carriage\rreturn", "both\r\nof them", "tab\there", "quote\"s 'single'", "comma,semicolon;",
      "back\\slash", "back\\nslash n", "&<>\"' &amp;", " leading and trailing ", "percent%20 %x0A", "#hash?query=1",
      "Grüße", "e\u0301 combined", "日本語", "😀 beyond the basic plane", "\u0001 control \u007f",
      "\u2028 line separator",
      "\ufeffbyte order mark", "(detached)", "=1+1", "null", "\"", ".hidden", "...", "*[a-z]{x,y}", "$HOME `x` !",
      "x".repeat(255), "ü".repeat(127),
    };
    for (String name : names) {
      Path child = new Path(folder, new Path(null, null, name));
      files.mkdirs(child);
      files.create(new Path(child, new Path(null, null, name))).close();
    }
    for (String user : new String[] {"DOMAIN\\user", "user name", "ü,\"", "a\tb"}) {
      Path owned = new Path(folder, "owned " + Integer.toHexString(user.hashCode()));
      files.mkdirs(owned);
      files.setOwner(owned, user, user + "s");
    }
  }

  /** Enough inodes for sub-sections, in several depths, with repeated owners. */
  private void ordinaryFolders() throws IOException {
    for (int database = 0; database < 3; database++) {
      for (int table = 0; table < 4; table++) {
        Path partition = new Path("/warehouse/database" + database + ".db/table" + table + "/day=2026-11-0" + table);
        files.mkdirs(partition);
        for (int part = 0; part < 5; part++) {
          Path file = new Path(partition, String.format("part-%05d", part));
          files.create(file).close();
          files.setOwner(file, "user" + database, "group" + table % 2);
        }
      }
    }
    StringBuilder deep = new StringBuilder("/deep");
    for (int depth = 0; depth < 60; depth++) {
      deep.append("/level").append(depth);
    }
    files.mkdirs(new Path(deep.toString()));
  }

  private void permissions() throws IOException {
    for (int bits : new int[] {0, 0777, 01777, 0640, 01000, 0751}) {
      Path folder = new Path(String.format("/permissions/folder %04o", bits));
      files.mkdirs(folder);
      files.setPermission(folder, new FsPermission((short) bits));
      Path file = new Path(String.format("/permissions/file %04o", bits));
      files.create(file).close();
      files.setPermission(file, new FsPermission((short) bits));
    }
    long[] times = {0, 1, 59_999, 60_000, 1_790_000_000_123L, 4_102_444_800_000L, 32_503_680_000_000L};
    for (long time : times) {
      Path file = new Path("/times/" + time);
      files.create(file).close();
      files.setTimes(file, time, time / 2);
    }
  }

  private static AclEntry entry(AclEntryScope scope, AclEntryType type, String name, FsAction action) {
    AclEntry.Builder builder = new AclEntry.Builder().setScope(scope).setType(type).setPermission(action);
    return (name == null ? builder : builder.setName(name)).build();
  }

  private void acls() throws IOException {
    Path folder = new Path("/acls/both");
    files.mkdirs(folder);
    files.modifyAclEntries(folder, Arrays.asList(
        entry(ACCESS, AclEntryType.USER, "alice", FsAction.ALL),
        entry(ACCESS, AclEntryType.GROUP, "analysts", FsAction.READ_EXECUTE),
        entry(DEFAULT, AclEntryType.USER, null, FsAction.ALL),
        entry(DEFAULT, AclEntryType.USER, "bob", FsAction.NONE),
        entry(DEFAULT, AclEntryType.GROUP, "analysts", FsAction.READ)));
    files.mkdirs(new Path(folder, "inherits"));
    files.create(new Path(folder, "inherits too")).close();
    Path file = new Path("/acls/file with a narrow mask");
    files.create(file).close();
    files.modifyAclEntries(file, Arrays.asList(
        entry(ACCESS, AclEntryType.USER, "carol", FsAction.ALL),
        entry(ACCESS, AclEntryType.MASK, null, FsAction.READ)));
    Path onlyDefault = new Path("/acls/only default");
    files.mkdirs(onlyDefault);
    files.modifyAclEntries(
        onlyDefault, Arrays.asList(entry(DEFAULT, AclEntryType.GROUP, "écrivains", FsAction.WRITE)));
  }

  private void extendedAttributes() throws IOException {
    Path folder = new Path("/attributes");
    files.mkdirs(folder);
    files.setXAttr(folder, "user.empty", new byte[0]);
    files.setXAttr(folder, "user.text", "a value & <more>".getBytes(StandardCharsets.UTF_8));
    files.setXAttr(folder, "trusted.bytes", new byte[] {0, -1, 127, -128, 10});
    Path file = new Path(folder, "many");
    files.create(file).close();
    for (int number = 0; number < 20; number++) {
      files.setXAttr(file, "user.number " + number, new byte[number * 40]);
    }
    Path shut = new Path(folder, "unreadable by the superuser");
    files.create(shut).close();
    files.setXAttr(shut, "security.hdfs.unreadable.by.superuser", null);
  }

  private void policiesAndQuotas() throws IOException {
    for (String policy : new String[] {"HOT", "WARM", "COLD", "ALL_SSD", "ONE_SSD", "LAZY_PERSIST"}) {
      Path folder = new Path("/policies/" + policy);
      files.mkdirs(folder);
      files.setStoragePolicy(folder, policy);
      files.create(new Path(folder, "inherits")).close();
    }
    Path file = new Path("/policies/of a file");
    files.create(file).close();
    files.setStoragePolicy(file, "COLD");

    String[] names = {"names", "space", "both", "by type"};
    for (String name : names) {
      files.mkdirs(new Path("/quotas/" + name));
    }
    files.setQuota(new Path("/quotas/names"), 100, UNCHANGED);
    files.setQuota(new Path("/quotas/space"), UNCHANGED, 1L << 40);
    files.setQuota(new Path("/quotas/both"), 1, 1);
    files.setQuotaByStorageType(new Path("/quotas/by type"), StorageType.SSD, 1L << 30);
    files.setQuota(new Path("/"), 1L << 33, UNCHANGED);
  }

  static void write(DistributedFileSystem files, Path path, int bytes, int block, short replication)
      throws IOException {
    try (FSDataOutputStream out = files.create(path, true, 4096, replication, block)) {
      out.write(new byte[bytes]);
    }
  }

  private void fileForms() throws IOException {
    write(files, new Path("/files/one byte"), 1, BLOCK, (short) 1);
    write(files, new Path("/files/one whole block"), BLOCK, BLOCK, (short) 1);
    write(files, new Path("/files/40 blocks"), 40 * BLOCK - 1, BLOCK, (short) 1);
    write(files, new Path("/files/replicated"), 10, BLOCK, (short) 1);
    files.setReplication(new Path("/files/replicated"), (short) 500);
    files.create(new Path("/files/huge blocks"), true, 4096, (short) 3, 1L << 40).close();
    Path shortened = new Path("/files/truncated");
    write(files, shortened, 3 * BLOCK, BLOCK, (short) 1);
    files.truncate(shortened, 2 * BLOCK);
    Path joined = new Path("/files/concatenated");
    write(files, joined, 2 * BLOCK, BLOCK, (short) 1);
    write(files, new Path("/files/part"), BLOCK, BLOCK, (short) 1);
    files.concat(joined, new Path[] {new Path("/files/part")});
    Path appended = new Path("/files/appended");
    write(files, appended, 100, BLOCK, (short) 1);
    try (FSDataOutputStream out = files.append(appended)) {
      out.write(new byte[2 * BLOCK]);
    }
  }

  /** Files that are being written while the image is saved; they stay open. */
  private void openFiles() throws IOException {
    open.add(files.create(new Path("/open/nothing yet")));
    FSDataOutputStream flushed = files.create(new Path("/open/flushed\nhalfway"), true, 4096, (short) 1, BLOCK);
    flushed.write(new byte[BLOCK + 100]);
    flushed.hflush();
    open.add(flushed);
  }

  private void symlinks(Configuration configuration) throws IOException {
    FileContext context = FileContext.getFileContext(configuration);
    context.createSymlink(new Path("/warehouse"), new Path("/links/folder"), true);
    context.createSymlink(new Path("../files/one byte"), new Path("/links/relative"), true);
    context.createSymlink(new Path("/nowhere/ü"), new Path("/links/dangling"), true);
  }

  private void encryptionZone() throws IOException {
    Path zone = new Path("/zone");
    files.mkdirs(zone);
    files.createEncryptionZone(zone, LocalHdfs.ZONE_KEY);
    open.add(files.create(new Path(zone, "secret"))); // Java 17 cannot close it for Hadoop 2.7
  }

  private void cacheAndTokens() throws IOException {
    files.addCachePool(new CachePoolInfo("pool").setOwnerName("alice").setLimit(1L << 30));
    files.addCacheDirective(
        new CacheDirectiveInfo.Builder().setPath(new Path("/files")).setPool("pool").setReplication((short) 1).build());
    files.getDelegationToken("renewer");
  }

  /** Snapshots, and what happens below them: every kind of change, renames in, out and within. */
  void plantSnapshots() throws Exception {
    Path top = new Path("/snapshots");
    for (String name : new String[] {"kept", "deleted", "renamed", "moved out", "changed", "with children/a/b"}) {
      files.mkdirs(new Path(top, name));
      write(files, new Path(top, name + "/file"), 1500, BLOCK, (short) 1);
    }
    files.mkdirs(new Path("/elsewhere"));
    files.allowSnapshot(top);
    files.createSnapshot(top, "first");

    files.delete(new Path(top, "deleted"), true);
    files.rename(new Path(top, "renamed"), new Path(top, "renamed\nonce"));
    files.rename(new Path(top, "moved out"), new Path("/elsewhere/moved out"));
    files.rename(new Path(top, "kept/file"), new Path(top, "with children/file of kept"));
    Path changed = new Path(top, "changed");
    files.setPermission(changed, new FsPermission((short) 0700));
    files.setOwner(changed, "dave", "analysts");
    files.setXAttr(changed, "user.since", "first".getBytes(StandardCharsets.UTF_8));
    files.modifyAclEntries(changed, Arrays.asList(entry(ACCESS, AclEntryType.USER, "alice", FsAction.READ)));
    files.setQuota(changed, 50, UNCHANGED);
    Path file = new Path(changed, "file");
    try (FSDataOutputStream out = files.append(file)) {
      out.write(new byte[2 * BLOCK]);
    }
    files.setReplication(file, (short) 2);
    files.createSnapshot(top, "second, \"quoted\"");

    files.truncate(file, BLOCK);
    files.rename(new Path(top, "renamed\nonce"), new Path("/elsewhere/renamed twice"));
    files.rename(new Path("/elsewhere/moved out"), new Path(top, "moved back"));
    files.delete(new Path(top, "with children/a"), true);
    files.create(new Path(top, "with children/a")).close();
    files.createSnapshot(top, "third");
    files.delete(new Path("/elsewhere/renamed twice/file"), false);
    files.renameSnapshot(top, "third", "last");

    // A snapshot that is gone leaves its references behind where something was renamed below it.
    Path gone = new Path("/snapshot gone");
    write(files, new Path(gone, "inside/file"), 10, BLOCK, (short) 1);
    files.allowSnapshot(gone);
    files.createSnapshot(gone, "short-lived");
    files.rename(new Path(gone, "inside"), new Path(gone, "inside renamed"));
    files.deleteSnapshot(gone, "short-lived");

    Path never = new Path("/snapshots allowed, none taken");
    files.mkdirs(never);
    files.allowSnapshot(never);

    Path opened = new Path("/snapshot of an open file");
    files.mkdirs(opened);
    FSDataOutputStream out = files.create(new Path(opened, "open"), true, 4096, (short) 1, BLOCK);
    out.write(new byte[100]);
    out.hflush();
    open.add(out);
    files.allowSnapshot(opened);
    files.createSnapshot(opened, "while open");
    out.write(new byte[100]);
    out.hflush();
    files.delete(new Path(opened, "open"), false);
  }
}
