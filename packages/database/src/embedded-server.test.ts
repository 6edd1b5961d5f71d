import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pollUntil, systemClock } from "./clock.ts";
import { processBirth, processesIn } from "./embedded/process-table.ts";
import { EmbeddedPostgresError, findRunningServer, startEmbeddedPostgres } from "./embedded-server.ts";
import { silentLog } from "./log.ts";
import type { TemporaryVenue } from "./testing/temporary-venue.ts";
import { ask, killAndWait, temporaryVenue } from "./testing/temporary-venue.ts";

let venue: TemporaryVenue;
beforeEach(async () => {
  venue = await temporaryVenue();
});
afterEach(() => venue.end());

const home = () => join(venue.folder, "postgresql");

describe("a data folder", () => {
  test("keeps what was written over a stop and a start, and the server is as safe as we say", async () => {
    const first = await venue.start({ fast: false });
    await ask(first.url, "create table kept (x int)");
    await ask(first.url, "insert into kept values (7)");
    const settings = [
      "fsync",
      "data_checksums",
      "synchronous_commit",
      "server_encoding",
      "listen_addresses",
      "password_encryption",
    ];
    const values = [];
    for (const name of settings) values.push(await ask(first.url, `show ${name}`));
    expect(values).toEqual(["on", "on", "on", "UTF8", "127.0.0.1", "scram-sha-256"]);
    expect((await stat(join(venue.folder, "postgresql.password"))).mode & 0o777).toBe(0o600);
    const stranger = new URL(first.url);
    stranger.password = "guess";
    await expect(ask(stranger.href, "select 1")).rejects.toThrow("password authentication failed");
    await first.stop();
    expect(await processBirth(first.pid())).toBeUndefined();

    const second = await venue.start();
    expect(second.adopted).toBe(false);
    expect(await ask(second.url, "select x from kept")).toBe(7);
  });

  test("a second starter learns which process runs, and the first continues", { tags: ["long"] }, async () => {
    const first = await venue.start();
    await expect(venue.start()).rejects.toThrow(`Another Longarm (process ${process.pid}) is using this data folder`);
    await expect(venue.startElsewhere()).rejects.toThrow("Another Longarm");
    expect(await ask(first.url, "select 1")).toBe(1);
  });

  test("of several first starters at once one gets the folder and the others a sentence", {
    tags: ["long"],
  }, async () => {
    const starts = await Promise.allSettled([venue.start(), venue.start(), venue.start()]);
    const won = starts.filter(({ status }) => status === "fulfilled");
    expect(won).toHaveLength(1);
    for (const start of starts)
      if (start.status === "rejected") expect(String(start.reason)).toContain("Another Longarm");
  });

  test("may lie where the server's user cannot walk", { tags: ["long"] }, async () => {
    await mkdir(venue.folder, { mode: 0o700 });
    await chmod(venue.folder, 0o700);
    const first = await venue.start();
    await ask(first.url, "create table kept as select 7 as x");
    await first.stop();
    const second = await venue.start();
    expect(await ask(second.url, "select x from kept")).toBe(7);
    expect((await stat(venue.folder)).mode & 0o777).toBe(0o700);
  });
});

describe("after a kill -9", () => {
  test("of its owner the server is adopted and nothing is lost", async () => {
    const { owner, url, serverPid } = await venue.startElsewhere();
    await ask(url, "create table kept as select 7 as x");
    await killAndWait(owner);
    expect(await processBirth(serverPid)).toBeDefined();
    const next = await venue.start();
    expect(next.adopted).toBe(true);
    expect(await processBirth(serverPid)).toBeUndefined();
    expect(await ask(next.url, "select x from kept")).toBe(7);
  });

  test("of everything the next start waits for what is still dying, and nothing is lost", {
    tags: ["long"],
  }, async () => {
    const { owner, url, serverPid } = await venue.startElsewhere();
    await ask(url, "create table kept as select 7 as x");
    const family = await processesIn(join(home(), "data"));
    expect(family).toContain(serverPid);
    await killAndWait(owner);
    for (const pid of family) process.kill(pid, "SIGKILL");
    const next = await venue.start();
    expect(await ask(next.url, "select x from kept")).toBe(7);
    await next.stop();
    const last = await venue.start();
    const own = `.s.PGSQL.${new URL(last.url).port}`;
    const sockets = (await readdir(join(home(), "data"))).filter((name) => name.startsWith(".s.PGSQL"));
    expect(sockets.filter((name) => name !== own && name !== `${own}.lock`)).toEqual([]);
  });

  test("of the server alone it is started again on the same address", { tags: ["long"] }, async () => {
    const server = await venue.start();
    await ask(server.url, "create table kept as select 7 as x");
    const before = server.pid();
    process.kill(before, "SIGKILL");
    // The one that was killed may answer once more before it is gone.
    const answer = await pollUntil(systemClock, 20_000, async () =>
      server.pid() === before ? undefined : ask(server.url, "select x from kept").catch(() => undefined),
    );
    expect(answer).toBe(7);
  });

  test("in the middle of the first start the next one begins anew", { tags: ["long"] }, async () => {
    await mkdir(join(home(), "data.0123abcd.draft"), { recursive: true });
    await writeFile(join(home(), "data.0123abcd.draft.secret"), "x");
    await writeFile(join(venue.folder, "postgresql.password"), "of-a-draft");
    const server = await venue.start();
    expect(await ask(server.url, "select 1")).toBe(1);
    expect(await stat(join(home(), "data.0123abcd.draft")).catch(() => "gone")).toBe("gone");
  });
});

test("starts in spite of marks that killed processes and full disks left", async () => {
  await (await venue.start()).stop();
  const owners = [
    JSON.stringify({ pid: process.pid, birth: "long ago", token: "t" }),
    '{"pid": 1',
    "",
    '{"pid":-1,"birth":[]}',
  ];
  for (const mark of owners) {
    await writeFile(join(home(), "owner.0123456789ab.json"), mark);
    await (await venue.start()).stop();
  }
  for (const pid of ["0", "", "nonsense", process.pid, "99999999999999999999"]) {
    await writeFile(
      join(home(), "data", "postmaster.pid"),
      `${pid}\n${join(home(), "data")}\n1\n5432\n\n127.0.0.1\n\n`,
    );
    await (await venue.start()).stop();
  }
  const server = await venue.start();
  expect(await ask(server.url, "select 1")).toBe(1);
});

test("the lock of a socket whose process id another program has by now is no obstacle", {
  tags: ["long"],
}, async () => {
  const first = await venue.start();
  await first.stop();
  const neighbours = await temporaryVenue();
  const neighbour = await neighbours.start();
  try {
    const portNumber = Number(new URL(first.url).port);
    const data = join(home(), "data");
    await writeFile(
      join(data, `.s.PGSQL.${portNumber}.lock`),
      `${neighbour.pid()}\n${data}\n1\n${portNumber}\n${data}\n`,
    );
    const { folder, systemFolder } = venue;
    const options = { folder, systemFolder, log: silentLog, clock: systemClock, fast: true };
    const server = await startEmbeddedPostgres({ ...options, listen: { portNumber } });
    expect(await ask(server.url, "select 1")).toBe(1);
    await server.stop();
  } finally {
    await neighbours.end();
  }
});

describe("what cannot work is said in a sentence", () => {
  const refusal = async () => {
    const error = await venue.start().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EmbeddedPostgresError);
    return (error as Error).message;
  };

  test("a file in the place of the folder", async () => {
    await writeFile(venue.folder, "");
    expect(await refusal()).toContain("is not a folder that can be used");
    await rm(venue.folder);
  });

  test("a pointer that leads nowhere", async () => {
    await mkdir(venue.folder);
    await writeFile(join(venue.folder, "postgresql.place"), "/nowhere/at/all\n");
    expect(await refusal()).toContain('lives in "/nowhere/at/all", which is not there');
  });

  test("a cluster of another major version, which is left as it is, and a lost password", {
    tags: ["long"],
  }, async () => {
    await (await venue.start()).stop();
    await writeFile(join(home(), "data", "PG_VERSION"), "13\n");
    expect(await refusal()).toContain("another major version of PostgreSQL");
    expect(await readFile(join(home(), "data", "PG_VERSION"), "utf8")).toBe("13\n");
    await rm(join(venue.folder, "postgresql.password"));
    expect(await refusal()).toContain("bring the file back");
  });
});

describe("findRunningServer", () => {
  test("returns the address of the server that runs in the folder", async () => {
    expect(await findRunningServer(venue.folder)).toBeUndefined();
    const server = await venue.start();
    const url = await findRunningServer(venue.folder);
    expect(url).toBe(server.url);
    expect(await ask(url ?? "", "select 1")).toBe(1);
    await server.stop();
    expect(await findRunningServer(venue.folder)).toBeUndefined();
  });

  test("ignores what a killed server left behind, and creates nothing", { tags: ["long"] }, async () => {
    await mkdir(join(venue.folder, "postgresql/data"), { recursive: true });
    await writeFile(join(venue.folder, "postgresql.password"), "secret\n");
    const pidFile = join(venue.folder, "postgresql/data/postmaster.pid");
    for (const text of ["", "garbage", "0\n", `4194304\n/x\n1\n5432\n\n127.0.0.1\n1\nready\n`]) {
      await writeFile(pidFile, text);
      expect(await findRunningServer(venue.folder)).toBeUndefined();
    }
    await rm(venue.folder, { recursive: true });
    expect(await findRunningServer(venue.folder)).toBeUndefined();
  });

  test("reports a pointer to a missing folder", async () => {
    await mkdir(venue.folder);
    await writeFile(join(venue.folder, "postgresql.place"), "/nowhere/at/all\n");
    await expect(findRunningServer(venue.folder)).rejects.toThrow("which is not there");
  });
});
