import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findClusterPlace } from "./cluster.ts";
import { layOutBinaries } from "./programs.ts";
import { addressOf, parsePidFile, socketFolderOf } from "./server.ts";
import { canReach, parsePasswd } from "./server-user.ts";

// An id that no user has: only the modes of folders count for it.
const stranger = { uid: 3_999_999, gid: 3_999_999, name: "stranger" };

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "longarm-places-"));
  await chmod(root, 0o755);
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function closedFolder(): Promise<string> {
  const closed = join(root, "closed");
  await mkdir(closed);
  await chmod(closed, 0o700);
  return closed;
}

describe("where the server's user can walk", () => {
  test("open folders and folders to be made can be reached, folders inside a closed one not", async () => {
    expect(await canReach(join(root, "to", "come"), stranger)).toBe(true);
    const closed = await closedFolder();
    expect(await canReach(join(closed, "inside"), stranger)).toBe(false);
    expect(await canReach(join(closed, "inside"), undefined)).toBe(true);
    const { uid, gid } = await stat(closed);
    expect(await canReach(closed, { uid, gid: 3_999_999, name: "owner" })).toBe(true);
    await chmod(closed, 0o750);
    expect(await canReach(closed, { uid: 3_999_999, gid, name: "of the group" })).toBe(true);
    expect(await canReach(closed, stranger)).toBe(false);
  });
});

describe("the place of a cluster", () => {
  test("is the data folder, or else the system folder with a pointer that stays", async () => {
    const open = await findClusterPlace(join(root, "data"), stranger, join(root, "system"));
    expect(open.home).toBe(join(root, "data", "postgresql"));
    const closed = await closedFolder();
    const first = await findClusterPlace(closed, stranger, join(root, "system"));
    expect(first.home.startsWith(join(root, "system"))).toBe(true);
    expect(first.password).toBe(join(closed, "postgresql.password"));
    expect(await findClusterPlace(closed, stranger, join(root, "elsewhere"))).toEqual(first);
  });

  test("of two first starts at once is one", async () => {
    const closed = await closedFolder();
    const places = await Promise.all([1, 2, 3].map(() => findClusterPlace(closed, stranger, join(root, "system"))));
    expect(new Set(places.map(({ home }) => home)).size).toBe(1);
  });

  test("that can no longer be reached is not replaced by an empty one", async () => {
    const data = join(root, "data");
    await mkdir(join(data, "postgresql", "data"), { recursive: true });
    await chmod(data, 0o700);
    await expect(findClusterPlace(data, stranger, join(root, "system"))).rejects.toThrow(
      "can no longer walk into that folder",
    );
  });

  test("is refused when there is none", async () => {
    const closed = await closedFolder();
    await expect(findClusterPlace(closed, stranger, join(closed, "system"))).rejects.toThrow("can walk neither into");
  });

  test.each(["", "relative/path", "/etc/../nowhere", "\0"])("a pointer that says %j is refused", async (text) => {
    await writeFile(join(root, "postgresql.place"), text);
    await expect(findClusterPlace(root, stranger, join(root, "system"))).rejects.toThrow("postgresql.place");
  });
});

describe("the layout of the programs", () => {
  async function packageOf(version: string) {
    const folder = join(root, "package");
    const native = join(folder, "native");
    await mkdir(join(native, "bin"), { recursive: true });
    await mkdir(join(native, "lib", "pkgconfig"), { recursive: true });
    await writeFile(join(native, "bin", "postgres"), "program", { mode: 0o700 });
    await writeFile(join(native, "lib", "libpq.so.5.18"), "library", { mode: 0o600 });
    await writeFile(join(native, "lib", "libpq.a"), "static");
    const links = [{ source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }];
    await writeFile(join(native, "pg-symlinks.json"), JSON.stringify(links));
    return { folder, version };
  }

  test("is whole, readable for all, with its links, made once for many starters", async () => {
    const from = await packageOf("1.2.3");
    const shelf = join(root, "shelf");
    const made = await Promise.all([1, 2, 3].map(() => layOutBinaries(from, [shelf], stranger)));
    expect(new Set(made.map(({ postgres }) => postgres)).size).toBe(1);
    expect(await readdir(shelf)).toEqual(["postgresql-1.2.3"]);
    const home = join(shelf, "postgresql-1.2.3");
    expect(await readdir(join(home, "lib"))).toEqual(["libpq.so.5", "libpq.so.5.18"]);
    expect(await readlink(join(home, "lib", "libpq.so.5"))).toBe("libpq.so.5.18");
    expect((await stat(join(home, "bin", "postgres"))).mode & 0o777).toBe(0o755);
    expect((await stat(join(home, "lib", "libpq.so.5.18"))).mode & 0o777).toBe(0o644);
  });

  test("uses the next folder when one cannot be entered or written, and reports when there is no other", async () => {
    const from = await packageOf("1.2.3");
    const closed = await closedFolder();
    await writeFile(join(root, "file"), "");
    const made = await layOutBinaries(from, [closed, join(root, "file", "shelf"), join(root, "shelf")], stranger);
    expect(await readFile(made.postgres, "utf8")).toBe("program");
    expect(made.postgres.startsWith(join(root, "shelf"))).toBe(true);
    await expect(layOutBinaries(from, [closed], stranger)).rejects.toThrow("no place where the programs");
  });
});

test("postmaster.pid is read, whatever it contains", () => {
  const whole = "71\n/data\n1700000000\n5433\n\n127.0.0.1\n  123 4\nready   \n";
  expect(parsePidFile(whole)).toEqual({ pid: 71, portNumber: 5433, socketFolder: undefined, isReady: true });
  expect(parsePidFile(whole.replace("ready   ", "starting"))?.isReady).toBe(false);
  expect(parsePidFile("71")).toMatchObject({ pid: 71, isReady: false });
  for (const garbled of ["", "\n", "-71\n", "0\n", "7.5\n", "x\n", "9".repeat(30)])
    expect(parsePidFile(garbled)).toBeUndefined();
});

test("a server is reached by its socket file, or by TCP where its path is too long or the system has none", () => {
  expect(socketFolderOf("/srv/longarm/data", "linux")).toBe("/srv/longarm/data");
  expect(socketFolderOf("/srv/longarm/data", "win32")).toBeUndefined();
  expect(socketFolderOf(`/srv/${"ğ".repeat(41)}`, "linux")).toBe(`/srv/${"ğ".repeat(41)}`);
  expect(socketFolderOf(`/srv/${"ğ".repeat(42)}`, "linux")).toBeUndefined();
  for (const list of ["/srv/a, b/data", `/srv/"a/data`]) expect(socketFolderOf(list, "linux")).toBeUndefined();
  const address = { portNumber: 5433, socketFolder: "/srv/a & b/data" };
  expect(addressOf(address, "p@ss")).toBe(
    "postgres://longarm:p%40ss@127.0.0.1:5433/longarm?host=%2Fsrv%2Fa%20%26%20b%2Fdata",
  );
  expect(addressOf({ ...address, socketFolder: undefined }, "p")).toBe("postgres://longarm:p@127.0.0.1:5433/longarm");
});

test("/etc/passwd is read line by line, lines of nonsense are passed over", () => {
  const text = "root:x:0:0::/root:/bin/sh\nnonsense\n:::\nodd:x:abc:1\nnobody:*:-2:-2:Unprivileged:/:/usr/bin/false\n";
  expect(parsePasswd(text)).toEqual([
    { name: "root", uid: 0, gid: 0 },
    { name: "nobody", uid: 4_294_967_294, gid: 4_294_967_294 },
  ]);
});
